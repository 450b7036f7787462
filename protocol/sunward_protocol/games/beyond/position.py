"""A position as `games.game.Position` asks for it: the state with the rules bound to it; holds no rule of its own."""

from collections.abc import Sequence

from sunward_protocol.games.beyond import autopilot, engine, refusals, scoring
from sunward_protocol.games.beyond.state import State
from sunward_protocol.games.game import Action, Seat


class Position(State):
    """Bound as methods rather than called through: a search makes millions of these calls."""

    __slots__ = ()

    to_act = engine.to_act
    legal = engine.legal
    check = refusals.check
    apply = engine.apply
    draw = engine.draw
    autopilot = autopilot.autopilot
    result = scoring.result

    def chance_due(self) -> bool:
        """Whether a draw must be made before anybody acts."""
        return self.due

    @property
    def secret(self) -> bool:
        """Never: nothing in this game is chosen in secret."""
        return False

    def withhold(self, seats: Sequence[Seat]) -> Sequence[Action]:
        """Do nothing: there is no secret choice that could be withheld."""
        return ()
