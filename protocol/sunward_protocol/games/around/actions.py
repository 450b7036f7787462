"""Actions as integers, and which of them are legal; never changes a state.

    verb << 17 | position << 15 | card << 10 | argument

A played card is its display `position` (0 .. 2), its `card` (see `Board`) and an argument: for a trip 0, or
1 + 16 × track + exponent for the own token on space 2**exponent of that track to take back (R1); for a deed 0, or
1 + the seat that is credited (G3). For a partner the argument is his seat, for a deal one of the choices below.
"""

from typing import Final

from sunward_protocol.games.around.board import THIRTY_TWO
from sunward_protocol.games.around.state import DEAL, PARTNER, State
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

COOPERATE: Final = 0
RENEGE: Final = 1
WITHHELD: Final = 2
"""The choices in a deal; `WITHHELD` is never legal: it is what D3 makes of a choice that was not revealed."""


def play(position: int, card: int, argument: int = 0) -> Action:
    """Return the action that plays `card`, face up at `position`."""
    return position << POSITION | card << CARD | argument


def take_back(track: int, space: int) -> int:
    """Return the argument of a trip that takes back the token on `space` (its number) of `track` first."""
    return track << 4 | space.bit_length()


def taken_back(argument: int) -> tuple[int, int]:
    """Return track and space (its number) of a trip's argument other than 0."""
    return argument - 1 >> 4, 1 << (argument - 1 & 15)


def credits_of(state: State, seat: Seat, row: int) -> list[int]:
    """Return the arguments a deed of `seat` on `row` may have: [0] when nobody's token moves (G3)."""
    cards = state.board.cards
    lowest = last = state.board.last[row]
    credited: list[int] = []
    for index, space in enumerate(state.held[row : state.seats * cards : cards], 1):
        if 0 < space <= lowest and space < last and index != seat + 1:
            if space < lowest:
                lowest = space
                credited = [index]
            else:
                credited.append(index)
    return credited or [0]


def own_tokens(state: State, seat: Seat) -> list[int]:
    """Return the arguments of the trips that take back each token `seat` has on the fame tracks, ascending."""
    board = state.board
    first = seat * board.cards
    arguments: list[int] = []
    for track, spaces in enumerate(state.held[first : first + board.tracks]):
        while spaces:
            space = spaces & -spaces
            arguments.append(take_back(track, space))
            spaces ^= space
    return arguments


def eligible(state: State) -> list[Seat]:
    """Return whom the active seat may name as partner: the others with a token below 32 on the track in use (R8)."""
    cards = state.board.cards
    active = state.order[state.turn]
    spaces = state.held[state.used : state.seats * cards : cards]
    return [seat for seat, held in enumerate(spaces) if held & THIRTY_TWO - 1 and seat != active]


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seats whose say it is, ascending."""
    if state.due or state.phase > DEAL:
        return ()
    active = state.order[state.turn]
    if state.phase != DEAL:
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
    tracks = state.board.tracks
    in_hand = state.hand[seat]
    actions: list[Action] = []
    base = 0
    for card in state.display:
        action = base | card << CARD
        if card >= tracks:
            if in_hand or state.held[seat * state.board.cards + card]:
                actions += [action | argument for argument in credits_of(state, seat, card)]
        elif in_hand:
            actions.append(action)
        else:
            actions += [action | argument for argument in own_tokens(state, seat)]
        base += 1 << POSITION
    return actions


def _legal_in_trip(state: State, seat: Seat) -> list[Action]:
    if seat not in to_act(state):
        return []
    if state.phase == PARTNER:
        return [TO_PARTNER | partner for partner in eligible(state)]
    return [TO_DEAL | COOPERATE, TO_DEAL | RENEGE]
