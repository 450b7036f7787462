"""What a player's action does, up to the next draw or choice (R, D, G, E1, T3); never asks whether it is legal."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.around.actions import (
    ARGUMENTS,
    CARD,
    CARDS,
    COOPERATE,
    POSITION,
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

ATE: Final = 1
DEALT: Final = 2
CIRCLED: Final = 4
SPENT: Final = 7
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


def withhold(state: State, seats: Sequence[Seat]) -> None:
    """Settle the open deal when `seats` did not reveal; what the other chose makes no difference (D3)."""
    lower, higher = sorted((state.active, state.partner))
    _deal(state, WITHHELD if lower in seats else COOPERATE, WITHHELD if higher in seats else COOPERATE)


def _trip(state: State, seat: Seat, track: int, argument: int) -> None:
    board = state.board
    held = state.held
    own = seat * board.cards + track
    everyone = state.seats * board.cards + track
    if argument:  # R1
        source, space = taken_back(argument)
        held[own - track + source] ^= space
        held[everyone - track + source] ^= space
        state.hand[seat] += 1
    mine = held[own]
    taken = held[everyone]
    end = 1 << taken.bit_length()  # R2, R3: bit_length counts the spaces up to the highest one taken
    last = board.last[track]
    if mine and end < last:  # R4
        end <<= 1
    if mine & mine - 1:  # R5: he had two already
        lowest = mine & -mine
        mine ^= lowest
        taken ^= lowest
    else:
        state.hand[seat] -= 1
    held[own] = mine | end
    held[everyone] = taken | end
    if end == last:
        _finish(state, track)  # R6
    if end >= board.alert[track] and state.reached >> 3 * track & SPENT != SPENT:
        _pass_milestones(state, track, end)
    else:
        _end_trip(state, seat, track, free=False)


def _pass_milestones(state: State, track: int, end: int) -> None:
    """R7 and R8, for a token that ended on `end`; then the rest of the trip unless a deal comes first (D2)."""
    cards = state.board.cards
    reached = state.reached >> 3 * track
    if end >= EIGHT and not reached & ATE:
        state.reached |= ATE << 3 * track
        for owner in range(state.seats):
            state.scores[owner] += (state.held[owner * cards + track] & 2 * EIGHT - 1).bit_count()
    if end >= THIRTY_TWO and not reached & DEALT:
        state.reached |= DEALT << 3 * track
        partners = eligible(state)
        if partners:
            state.partner = partners[0] if len(partners) == 1 else 0
            state.phase = DEAL if len(partners) == 1 else PARTNER
            return
    _pass_circle(state, track, end)


def _pass_circle(state: State, track: int, end: int) -> None:
    """R9, then the rest of the trip."""
    free = end >= state.board.circle[track] and not state.reached >> 3 * track & CIRCLED
    if free:
        state.reached |= CIRCLED << 3 * track
    _end_trip(state, state.order[state.turn], track, free)


def _end_trip(state: State, seat: Seat, track: int, free: bool) -> None:
    """R10, then the end of the action."""
    board = state.board
    bonus = 1 << 2 * seat + board.outer[track]
    if not state.bonuses & bonus:
        held = state.held
        first = seat * board.cards
        for companion in board.companions[track]:
            if not held[first + companion]:
                break
        else:
            state.bonuses |= bonus
            state.scores[seat] += GROUP_BONUS
    _end_action(state, free)


def _deal(state: State, lower_choice: int, higher_choice: int) -> None:
    """D1 to D3, then the rest of the trip that called for the deal."""
    lower, higher = sorted((state.active, state.partner))
    to_lower, to_higher = PAYOFFS[lower_choice][higher_choice]
    state.scores[lower] += to_lower
    state.scores[higher] += to_higher
    state.phase = ACTION
    state.partner = state.choice = 0
    track = state.used
    highest = state.held[state.seats * state.board.cards + track].bit_length() - 1
    _pass_circle(state, track, 1 << highest)  # the active player's token: nothing has moved since


def _deed(state: State, seat: Seat, row: int, argument: int) -> None:
    board = state.board
    held = state.held
    own = seat * board.cards + row
    space = held[own]
    if not space:  # G2
        state.hand[seat] -= 1
    if space < board.last[row]:  # G1
        space += 1
        held[own] = space
    if argument:  # G3
        credited = (argument - 1) * board.cards + row
        held[credited] += 1
        state.scores[seat] += held[credited]
    if space == board.last[row]:
        _finish(state, row)  # G4
    _end_action(state, free=False)


def _finish(state: State, card: int) -> None:
    """M7: a track or row is out of play; what is face up of it leaves at once."""
    state.finished |= 1 << card
    display = state.display
    for position, shown in enumerate(display):
        if shown == card:
            display[position] = EMPTY


def _end_action(state: State, free: bool) -> None:
    """Put the used card away, see whether the game is over (E1), pass the turn on and say which draws are due (M8)."""
    board = state.board
    card = state.used
    finished = state.finished
    if not finished >> card & 1:
        state.discards += 1 << 2 * card
    if not free:
        state.actions_left -= 1
    if finished & board.all_tracks == board.all_tracks or finished & board.all_rows == board.all_rows:
        state.phase = OVER
    else:
        if not state.actions_left:
            state.actions_left = ACTIONS_A_TURN
            if state.turn + 1 < state.seats:
                state.turn += 1
            else:
                state.due |= ORDER
        if state.due or unsettled(board, state.display):
            state.due |= SETTLE
    if not state.due & REPLACE:
        state.used = EMPTY
