"""The bot that takes any legal action: the measure of every other; never looks at what it does."""

from dataclasses import dataclass

from sunward_protocol.games.game import Action, Chance, Position, Seat


@dataclass(frozen=True, slots=True)
class Random:
    """Uniform among the legal actions."""

    name: str = "random"

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        """Return any legal action."""
        actions = position.legal(seat)
        return actions[chance.below(len(actions))]
