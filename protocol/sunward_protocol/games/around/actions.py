"""Actions as integers, and which of them are legal; never changes a state.

    verb << 17 | position << 15 | card << 10 | argument

A played card is its display `position` (0 .. 2), its `card` (see `Board`) and an argument: for a trip 0, or
1 + 16 × track + exponent for the own token on space 2**exponent of that track to take back (R1); for a deed 0, or
1 + the seat that is credited (G3). For a partner the argument is his seat, for a deal one of the choices below.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from sunward_protocol.games.around.board import SEATS, THIRTY_TWO
from sunward_protocol.games.around.state import DEAL, State
from sunward_protocol.games.game import Action, Seat

CARD: Final = 10
POSITION: Final = 15
VERB: Final = 17
CARDS: Final = (1 << POSITION - CARD) - 1
ARGUMENTS: Final = (1 << CARD) - 1
TO_PARTNER: Final = 1 << VERB
TO_DEAL: Final = 2 << VERB
END: Final = 3 << VERB
"""Shifts, masks, and where each verb's integers begin; a played card has the verb 0."""
NEXT_POSITION: Final = 1 << POSITION
NO_ARGUMENT: Final = (0,)

COOPERATE: Final = 0
RENEGE: Final = 1
WITHHELD: Final = 2
"""The choices in a deal; `WITHHELD` is never legal: it is what D3 makes of a choice that was not revealed."""


def play(position: int, card: int, argument: int = 0) -> Action:
    """Return the action that plays `card`, face up at `position`."""
    return position << POSITION | card << CARD | argument


def take_back(track: int, space: int) -> int:
    """Return the argument of a trip that takes back the token on `space` (its number) of `track` first."""
    return (track << 4) + space.bit_length()


def taken_back(argument: int) -> tuple[int, int]:
    """Return track and space (its number) of a trip's argument other than 0."""
    return argument - 1 >> 4, 1 << (argument - 1 & 15)


def credits_of(state: State, seat: Seat, row: int) -> tuple[int, ...]:
    """Return the arguments a deed of `seat` on `row` may have: (0,) when nobody's token moves (G3)."""
    board = state.board
    return _credits(state.rows[row - board.tracks] & ~(15 << 4 * seat), board.last[row])


@lru_cache(4096)
def _credits(others: int, last: int) -> tuple[int, ...]:
    """Answer for a row with the active seat's own token left out: the same few rows come again and again."""
    spaces = [others >> 4 * seat & 15 for seat in range(SEATS[-1])]
    lowest = min(filter(None, spaces), default=last)
    return tuple(1 + seat for seat, space in enumerate(spaces) if space == lowest < last) or NO_ARGUMENT


def own_tokens(state: State, seat: Seat) -> list[int]:
    """Return the arguments of the trips that take back each token `seat` has on the fame tracks, ascending."""
    arguments: list[int] = []
    for track, spaces in enumerate(state.held[seat :: state.seats + 1]):
        if spaces:
            arguments += _take_backs(track, spaces)
    return arguments


@cache  # one entry for each two spaces of a track, so it is small
def _take_backs(track: int, spaces: int) -> tuple[int, ...]:
    lowest, highest = spaces & -spaces, 1 << spaces.bit_length() - 1
    return tuple(sorted({take_back(track, lowest), take_back(track, highest)}))


def eligible(state: State) -> list[Seat]:
    """Return whom the active seat may name as partner: the others with a token below 32 on the track in use (R8)."""
    active = state.order[state.turn]
    return [seat for seat, held in enumerate(state.on_track(state.used)) if held & THIRTY_TWO - 1 and seat != active]


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seats whose say it is, ascending."""
    phase = state.phase
    if state.due or phase > DEAL:
        return ()
    active = state.order[state.turn]
    if phase < DEAL:
        return (active,)
    partner = state.partner
    if state.choice:
        return (max(active, partner),)
    return (active, partner) if active < partner else (partner, active)


def legal(state: State, seat: Seat) -> list[Action]:
    """Return the legal actions of a seat, ascending; [] when it has no say."""
    if state.due or state.phase:
        return _legal_in_trip(state, seat)
    if seat != state.order[state.turn]:
        return []
    board = state.board
    tracks = board.tracks
    last = board.last
    in_hand = state.hand[seat]
    back: Sequence[int] = NO_ARGUMENT if in_hand else own_tokens(state, seat)  # R1
    actions: list[Action] = []
    base = 0
    for card in state.display:
        action = base + (card << CARD)
        base += NEXT_POSITION
        if card < tracks:
            arguments = back
        else:
            packed = state.rows[card - tracks]
            on_row = packed >> 4 * seat & 15
            # G2
            arguments = _credits(packed - (on_row << 4 * seat), last[card]) if in_hand or on_row else ()
        for argument in arguments:
            actions.append(action + argument)  # noqa: PERF401  mostly one argument, and a comprehension costs more
    return actions


def _legal_in_trip(state: State, seat: Seat) -> list[Action]:
    if seat not in to_act(state):
        return []
    if state.phase == DEAL:
        return [TO_DEAL | COOPERATE, TO_DEAL | RENEGE]
    return [TO_PARTNER | partner for partner in eligible(state)]
