"""The final scoring (E2 to E4); never adds it to the scores of a state, which stay those of the match so far."""

from sunward_protocol.games.around.state import OVER, State
from sunward_protocol.games.game import Result, Seat


def places(state: State, track: int) -> list[tuple[Seat, int]]:
    """Return who is paid for a track and how much, first place first (E2)."""
    ranked = sorted([(held, seat) for seat, held in enumerate(state.on_track(track)) if held], reverse=True)
    # No two share a space, so the set with the higher highest space is the greater number; two tokens are paid double.
    return [
        (seat, paid << (held & held - 1 > 0)) for paid, (held, seat) in zip(state.board.places, ranked, strict=False)
    ]


def good_deeds(state: State, seat: Seat) -> tuple[int, int]:
    """Return the highest space of a seat on any row, and on how many rows it is (E3 multiplies them)."""
    spaces = [packed >> 4 * seat & 15 for packed in state.rows]
    return max(spaces), len(spaces) - spaces.count(0)


def standings(state: State) -> list[int]:
    """Return by seat what the final scoring would make of the scores if the match ended now."""
    totals = state.scores[:]
    for track in range(state.board.tracks):
        for seat, paid in places(state, track):
            totals[seat] += paid
    for seat in range(state.seats):
        highest, count = good_deeds(state, seat)
        totals[seat] += highest * count
    return totals


def result(state: State) -> Result | None:
    """Return the final scores and who shares the win (E4) once the match is over and its last card is drawn."""
    if state.phase != OVER or state.due:
        return None
    totals = standings(state)
    best = max(totals)
    return Result(tuple(totals), tuple(seat for seat, total in enumerate(totals) if total == best))
