"""A position as `games.game.Position` asks for it: the state with the rules bound to it; holds no rule of its own."""

from sunward_protocol.games.around import actions, autopilot, cards, refusals, rules, scoring
from sunward_protocol.games.around.state import DEAL, State


class Position(State):
    """Bound as methods rather than called through: a search makes millions of these calls."""

    __slots__ = ()

    to_act = actions.to_act
    legal = actions.legal
    check = refusals.check
    apply = rules.apply
    withhold = rules.withhold
    draw = cards.draw
    autopilot = autopilot.autopilot
    result = scoring.result

    def chance_due(self) -> bool:
        """Whether a draw must be made before anybody acts."""
        return self.due != 0

    @property
    def secret(self) -> bool:
        """Whether a deal is open."""
        return self.phase == DEAL and not self.due
