"""What a seat without a player does; never by chance, never by looking at the deck.

Every replica computes it, so it is a function of the position alone. One step ahead by the final scoring: of the legal
actions, the one after which the seat leads the best of the others by most as `standings` sees it, the first of several
equal ones. It names the weakest eligible partner, and it reneges, which no choice of the partner makes worse than
co-operating.
"""

from sunward_protocol.games.around.actions import ARGUMENTS, RENEGE, TO_DEAL, legal
from sunward_protocol.games.around.rules import apply
from sunward_protocol.games.around.scoring import standings
from sunward_protocol.games.around.state import DEAL, PARTNER, State
from sunward_protocol.games.game import Action, Seat


def autopilot(state: State, seat: Seat) -> Action:
    """Return the action of a seat whose say it is."""
    if state.phase == DEAL:
        return TO_DEAL | RENEGE
    actions = legal(state, seat)
    if state.phase == PARTNER:
        totals = standings(state)
        return min(actions, key=lambda action: totals[action & ARGUMENTS])
    return max(actions, key=lambda action: _lead_after(state, seat, action))


def _lead_after(state: State, seat: Seat, action: Action) -> int:
    after = state.copy()
    apply(after, seat, action)
    totals = standings(after)
    return totals.pop(seat) - max(totals)
