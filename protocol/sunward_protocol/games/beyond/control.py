"""Who controls what (J3 to J5): looked at after every effect that changes the board; never moves a ship."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.box import NO_EFFECT
from sunward_protocol.games.beyond.language import Node, Op
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.state import (
    ACHIEVEMENT,
    BASES,
    CARD,
    COLONY,
    DIRTY,
    DISC,
    HOLDER,
    SHIPS,
    STEP,
    State,
    power,
)
from sunward_protocol.games.beyond.supply import discs
from sunward_protocol.games.game import Action, Seat


def holder(s: list[int], place: int) -> Seat:
    """Return who controls a place, or `NOBODY`."""
    return (s[HOLDER + place] & 7) - 1


def specialty(state: State, place: int) -> int:
    """Return the disc kinds of the system or shipyard at a place."""
    components = state.board.components
    card = state.s[CARD + place]
    return components.systems[card - 1].specialty if card else components.places[place].specialty


def look(state: State) -> None:
    """Give every place to whom it belongs now; discs that go on systems come first, then the bonuses (J4)."""
    s, board = state.s, state.board
    s[DIRTY] = 0
    gained: list[tuple[int, Seat]] = []
    bases = BASES[: board.seats]
    for place in board.held:
        ships = [s[base + SHIPS + place] for base in bases]
        own = s[HOLDER + place] & 7
        if sum(ships) == (ships[own - 1] if own else 0):
            continue  # nobody is there but the holder
        if not s[CARD + place] and not board.components.places[place].specialty:
            continue
        powers = [fleet and power(fleet) for fleet in ships]
        strongest = max(powers)
        if (own and powers[own - 1] == strongest) or powers.count(strongest) > 1:  # J5: a tie changes nothing
            continue
        if own:
            give_back(state, place)
        seat = powers.index(strongest)
        s[HOLDER + place] = seat + 1
        gained.append((place, seat))
    for place, seat in reversed(gained):
        card = s[CARD + place]
        bonus = board.components.systems[card - 1].control if card else NO_EFFECT
        if bonus != NO_EFFECT:
            state.push(seat, bonus)
    for place, seat in reversed(gained):
        state.push(seat, STEP[Op.OUTPOST], place)


def give_back(state: State, place: int) -> None:
    """Return the disc of a place that is lost to its track (J4), and leave the place to nobody."""
    s = state.s
    held = s[HOLDER + place]
    if held >> 3:
        s[BASES[(held & 7) - 1] + DISC + (held >> 3)] += 1
    s[HOLDER + place] = 0


def _outpost_options(state: State, seat: Seat, _node: Node, place: int) -> Sequence[Action]:
    """With no disc of any kind left control stands without one."""
    if state.s[HOLDER + place] != seat + 1:
        return ()
    return [actions.DISC | kind for kind in discs(state, seat, specialty(state, place))]


def _outpost(state: State, seat: Seat, _node: Node, place: int, action: Action) -> None:
    kind = action & actions.OPERAND
    state.s[BASES[seat] + DISC + kind] -= 1
    state.s[HOLDER + place] |= kind << 3


def _second_options(state: State, seat: Seat, _node: Node, card: int) -> Sequence[Action]:
    """C3: one more disc of the specialty for the card of a colonized system."""
    return [actions.DISC | kind for kind in discs(state, seat, state.board.components.systems[card].specialty)]


def _second(state: State, seat: Seat, _node: Node, card: int, action: Action) -> None:
    s = state.s
    kind = action & actions.OPERAND
    s[BASES[seat] + DISC + kind] -= 1
    s[COLONY + card] |= kind << (5 if s[COLONY + card] >> 3 & ACHIEVEMENT else 3)


def _look(state: State, _seat: Seat, _node: Node, _argument: int) -> None:
    state.s[DIRTY] = 1


OPERATIONS: Final = {
    Op.OUTPOST: Operation(options=_outpost_options, take=_outpost),
    Op.SECOND_DISC: Operation(options=_second_options, take=_second),
    Op.LOOK: Operation(do=_look),
}
