"""The bot that looks one action ahead: it takes what leaves the position best for its seat.

Must never know which game it plays: a valuation says what a position is worth, and chance is never tried out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from sunward_protocol.games.game import Action, Chance, Position, Seat

Valuation: TypeAlias = Callable[[Position, Seat], float]
"""What a position is worth to a seat, in the game's points; it may be one where a draw is due. Changes nothing."""


@dataclass(frozen=True, slots=True)
class Greedy:
    """One action ahead by `value`; `slack`, in its points, makes no difference; equals are decided by chance."""

    value: Valuation
    slack: float = 0.0
    name: str = "greedy"

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        """Return the action after which the position is worth most.

        In a secret choice it is the action worth most in the mean over all that the others may choose, each taken to be
        as likely: a bot does not remember how a partner dealt before. So a choice that is never worse than the other
        and sometimes better is always taken, as reneging in a deal is.
        """
        actions = position.legal(seat)
        if len(actions) == 1:
            return actions[0]
        if position.secret:
            worth = [sum(self.value(after, seat) for after in _outcomes(position, seat, own)) for own in actions]
        else:
            worth = [self.value(_after(position, [(seat, action)]), seat) for action in actions]
        enough = max(worth) - self.slack
        best = [action for action, value in zip(actions, worth, strict=True) if value >= enough]
        return best[chance.below(len(best))] if len(best) > 1 else best[0]


def _outcomes(position: Position, seat: Seat, own: Action) -> Iterator[Position]:
    """Yield what a secret choice leads to for each thing the others may choose."""
    seats = position.to_act()
    for chosen in product(*([own] if other == seat else position.legal(other) for other in seats)):
        yield _after(position, list(zip(seats, chosen, strict=True)))


def _after(position: Position, moves: Sequence[tuple[Seat, Action]]) -> Position:
    after = position.copy()
    for seat, action in moves:
        after.apply(seat, action)
    return after
