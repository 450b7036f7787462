"""What a bot is, and how one says all that its seat may say at once.

Must never know which game is played, nor let a bot choose in any other way than among the legal actions.
"""

from typing import Protocol

from sunward_protocol.games.game import Action, Chance, Position, Seat


class Bot(Protocol):
    """A player that is a program."""

    @property
    def name(self) -> str:
        """What the command line calls it."""
        ...

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        """Return one of `position.legal(seat)`, which is not empty.

        The position is not the bot's: it looks, and takes a copy of what it wants to try. In a secret choice nobody's
        choice has been applied yet. `chance` is the bot's only luck: the same chance makes the same match.
        """
        ...


def say(bot: Bot, position: Position, seat: Seat, chance: Chance) -> tuple[Action, ...]:
    """Return a seat's choices until its say ends: up to a draw, another's say, a secret choice or the end.

    The position stays as it was. A secret choice is always said alone.
    """
    if position.secret:
        return (bot.choose(position, seat, chance),)
    after = position.copy()
    actions: list[Action] = []
    while after.to_act() == (seat,) and not after.secret:
        actions.append(bot.choose(after, seat, chance))
        after.apply(seat, actions[-1])
    return tuple(actions)
