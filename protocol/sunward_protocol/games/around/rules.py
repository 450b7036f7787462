"""What a player's action does, up to the next draw or choice (R, D, G, E1, T3); never asks whether it is legal."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.around.actions import (
    ARGUMENTS,
    CARD,
    CARDS,
    COOPERATE,
    POSITION,
    TO_DEAL,
    TO_PARTNER,
    WITHHELD,
    eligible,
    taken_back,
)
from sunward_protocol.games.around.board import EIGHT, THIRTY_TWO
from sunward_protocol.games.around.cards import unsettled
from sunward_protocol.games.around.state import (
    ACTION,
    ACTIONS_A_TURN,
    DEAL,
    EMPTY,
    ORDER,
    OVER,
    PARTNER,
    REPLACE,
    SETTLE,
    State,
)
from sunward_protocol.games.game import Action, Seat

EIGHT_SPENT: Final = 1
THIRTY_TWO_SPENT: Final = 2
CIRCLE_SPENT: Final = 4
ALL_SPENT: Final = 7
"""The bits of `State.reached` for one track: R7, R8 and R9 happen once (R11)."""

GROUP_BONUS: Final = 5
"""R10."""

PAYOFFS: Final = (
    ((1, 1), (0, 2), (2, 0)),
    ((2, 0), (0, 0), (2, 0)),
    ((0, 2), (0, 2), (0, 0)),
)
"""D1 and D3: [choice of the lower seat][choice of the higher seat] → points of both."""


def apply(state: State, seat: Seat, action: Action) -> None:
    """Carry out a legal action."""
    if action < TO_PARTNER:
        position = action >> POSITION
        card = action >> CARD & CARDS
        state.display[position] = EMPTY
        state.used = card
        if state.deck:
            state.due = REPLACE
            state.vacant = position
        if card < state.board.tracks:
            _trip(state, seat, card, action & ARGUMENTS)
        else:
            _deed(state, seat, card, action & ARGUMENTS)
    elif state.phase == PARTNER:
        state.partner = action & ARGUMENTS
        state.phase = DEAL
    elif state.choice:
        _deal(state, state.choice - 1, action & ARGUMENTS)
    else:
        state.choice = 1 + (action & ARGUMENTS)


def withhold(state: State, seats: Sequence[Seat]) -> Sequence[Action]:
    """Settle the open deal when `seats` did not reveal; what the other chose makes no difference (D3)."""
    lower, higher = sorted((state.active, state.partner))
    _deal(state, WITHHELD if lower in seats else COOPERATE, WITHHELD if higher in seats else COOPERATE)
    return [TO_DEAL | WITHHELD for _ in seats]


def _trip(state: State, seat: Seat, track: int, argument: int) -> None:
    board = state.board
    held = state.held
    seats = state.seats
    everyone = track * (seats + 1) + seats
    own = everyone - seats + seat
    if argument:  # R1
        source, space = taken_back(argument)
        source *= seats + 1
        held[source + seat] ^= space
        held[source + seats] ^= space
        state.hand[seat] += 1
    mine = held[own]
    taken = held[everyone]
    end = 1 << taken.bit_length()  # R2, R3: bit_length counts the spaces up to the highest one taken
    last = board.last[track]
    if mine and end < last:  # R4
        end <<= 1
    if mine & mine - 1:  # R5: he had two already
        lowest = mine & -mine
        held[own] = mine ^ lowest | end
        held[everyone] = taken ^ lowest | end
    else:
        state.hand[seat] -= 1
        held[own] = mine | end
        held[everyone] = taken | end
    if end == last:
        _finish(state, track)  # R6
    if end >= board.alert[track] and state.reached >> 3 * track & ALL_SPENT != ALL_SPENT:
        _pass_milestones(state, track, end)
        return
    if not mine:
        _score_group(state, seat, track)
    state.actions_left -= 1
    _end_action(state)


def _pass_milestones(state: State, track: int, end: int) -> None:
    """R7 and R8, for a token that ended on `end`; then the rest of the trip unless a deal comes first (D2)."""
    reached = state.reached >> 3 * track
    if end >= EIGHT and not reached & EIGHT_SPENT:
        state.reached |= EIGHT_SPENT << 3 * track
        for owner, spaces in enumerate(state.on_track(track)):
            state.scores[owner] += (spaces & 2 * EIGHT - 1).bit_count()
    if end >= THIRTY_TWO and not reached & THIRTY_TWO_SPENT:
        state.reached |= THIRTY_TWO_SPENT << 3 * track
        partners = eligible(state)
        if partners:
            state.partner = partners[0] if len(partners) == 1 else 0
            state.phase = DEAL if len(partners) == 1 else PARTNER
            return
    _pass_circle(state, track, end)


def _pass_circle(state: State, track: int, end: int) -> None:
    """R9 and R10, then the end of the action (T3)."""
    if end >= state.board.circle[track] and not state.reached >> 3 * track & CIRCLE_SPENT:
        state.reached |= CIRCLE_SPENT << 3 * track
    else:
        state.actions_left -= 1
    _score_group(state, state.active, track)
    _end_action(state)


def _score_group(state: State, seat: Seat, track: int) -> None:
    """R10, for the group of a track the seat has just come to."""
    bonus = 1 << 2 * seat + state.board.outer[track]
    if state.bonuses & bonus:
        return
    held = state.held[seat :: state.seats + 1]
    for companion in state.board.companions[track]:
        if not held[companion]:
            return
    state.bonuses |= bonus
    state.scores[seat] += GROUP_BONUS


def _deal(state: State, lower_choice: int, higher_choice: int) -> None:
    """D1 to D3, then the rest of the trip that called for the deal."""
    lower, higher = sorted((state.active, state.partner))
    to_lower, to_higher = PAYOFFS[lower_choice][higher_choice]
    state.scores[lower] += to_lower
    state.scores[higher] += to_higher
    state.phase = ACTION
    state.partner = state.choice = 0
    track = state.used
    # The active seat's token is still the highest on the track: nothing has moved since.
    _pass_circle(state, track, 1 << max(state.on_track(track)).bit_length() - 1)


def _deed(state: State, seat: Seat, row: int, argument: int) -> None:
    board = state.board
    last = board.last[row]
    packed = state.rows[row - board.tracks]
    space = packed >> 4 * seat & 15
    if not space:  # G2
        state.hand[seat] -= 1
    if space < last:  # G1
        space += 1
        packed += 1 << 4 * seat
    if argument:  # G3
        credited = 4 * (argument - 1)
        packed += 1 << credited
        state.scores[seat] += packed >> credited & 15
    state.rows[row - board.tracks] = packed
    if space == last:
        _finish(state, row)  # G4
    state.actions_left -= 1
    _end_action(state)


def _finish(state: State, card: int) -> None:
    """M7: a track or row is out of play; what is face up of it leaves at once."""
    state.finished |= 1 << card
    state.display[:] = [EMPTY if shown == card else shown for shown in state.display]


def _end_action(state: State) -> None:
    """Put the used card away, see whether the game is over (E1), pass the turn on and say which draws are due (M8)."""
    card = state.used
    due = state.due
    if not due:
        state.used = EMPTY
    if not state.finished >> card & 1:
        state.discards += 1 << 2 * card
    elif _all_finished(state):
        state.phase = OVER
        return
    if not state.actions_left:
        state.actions_left = ACTIONS_A_TURN
        if state.turn + 1 < state.seats:
            state.turn += 1
        else:
            due |= ORDER
    if due or unsettled(state):
        state.due = due | SETTLE


def _all_finished(state: State) -> bool:
    """E1."""
    return any(every & ~state.finished == 0 for every in (state.board.all_tracks, state.board.all_rows))
