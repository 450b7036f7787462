"""Colonizing a system (C1 to C4): which, with which ships, and what becomes of the rest; the new card is drawn here."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.language import Node, Op
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.state import (
    BASES,
    CARD,
    CHARTED,
    COLONY,
    DIRTY,
    HOLDER,
    SHIPS,
    STEP,
    State,
    one_ship,
)
from sunward_protocol.games.beyond.supply import return_cube, room
from sunward_protocol.games.game import Action, Chance, Draw, Seat

SYSTEM_DRAWN: Final = 3
"""The kind of a draw: (SYSTEM_DRAWN, place, system)."""

_UNSEEN: Final = 1 << 12
"""Marks, in the argument of a settlement, a system that nobody controlled."""
_DECK_OF_SYSTEMS: Final = 3
"""The first deck of systems among all decks."""


def _fit(state: State, seat: Seat, controlled: bool) -> list[int]:
    """Return the places a seat can colonize (C1), controlled by it or by nobody."""
    s, board = state.s, state.board
    wanted = seat + 1 if controlled else 0
    base = BASES[seat] + SHIPS
    found: list[int] = []
    for place in board.held:
        card = s[CARD + place]
        if card and s[HOLDER + place] & 7 == wanted and s[base + place]:
            needed = board.components.systems[card - 1].power
            if _enough(s[base + place], 4, needed, room(state, BASES[seat])):
                found.append(place)
    return found


def _enough(ships: int, highest: int, needed: int, places: int) -> bool:
    """Whether ships up to a level come to a power without filling more places of the supply than there are."""
    for level in range(highest, 0, -1):
        for _ in range(ships >> 5 * level - 5 & 31):
            if needed <= 0:
                break
            if not places:
                return False
            needed -= level
            places -= 1
    return needed <= 0


def _can_colonize(state: State, seat: Seat, _node: Node) -> bool:
    return bool(_fit(state, seat, controlled=True))


def _colonize_options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
    return [actions.COLONIZE | place for place in _fit(state, seat, controlled=node[0] == Op.COLONIZE)]


def _colonize(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    place = action & actions.OPERAND
    needed = state.board.components.systems[state.s[CARD + place] - 1].power
    unseen = 0 if node[0] == Op.COLONIZE else _UNSEEN
    state.push(seat, STEP[Op.SETTLE], place | needed << 4 | 4 << 9 | unseen)


def _can_infiltrate(state: State, seat: Seat, _node: Node) -> bool:
    return bool(_fit(state, seat, controlled=False))


def _infiltrate(state: State, seat: Seat, _node: Node, _argument: int) -> None:
    """Control is looked at only after the colonizing, so whoever controls nothing now did not when the turn began."""
    state.push(seat, STEP[Op.LOOK])
    state.push(seat, STEP[Op.INVADE])


def _settle_options(state: State, seat: Seat, _node: Node, argument: int) -> Sequence[Action]:
    """C2: ships are returned in falling order of level; once the power is reached more may follow."""
    place, needed, highest = argument & 15, argument >> 4 & 31, argument >> 9 & 7
    base = BASES[seat]
    ships = state.s[base + SHIPS + place]
    places = room(state, base)
    found: list[Action] = []
    if places:
        found += [
            actions.SETTLE | level
            for level in range(1, highest + 1)
            if ships >> 5 * level - 5 & 31 and _enough(ships - one_ship(level), level, needed - level, places - 1)
        ]
    if not needed:
        found.append(actions.DONE)
    return found


def _settle(state: State, seat: Seat, _node: Node, argument: int, action: Action) -> None:
    if action == actions.DONE:
        state.push(seat, STEP[Op.FOUND_COLONY], argument)
        return
    place, needed, level = argument & 15, argument >> 4 & 31, action & actions.OPERAND
    state.s[BASES[seat] + SHIPS + place] -= one_ship(level)
    return_cube(state, BASES[seat])
    state.push(seat, STEP[Op.SETTLE], place | max(0, needed - level) << 4 | level << 9 | argument & _UNSEEN)


def _found_colony(state: State, seat: Seat, _node: Node, argument: int) -> None:
    """C2 to C4: the others go to Deep Space; then the new card, the second disc, the bonus."""
    s, board = state.s, state.board
    place = argument & 15
    card = s[CARD + place] - 1
    for base in BASES[: board.seats]:
        s[base + SHIPS + board.deep] += s[base + SHIPS + place]
        s[base + SHIPS + place] = 0
    s[COLONY + card] = seat + 1 | s[HOLDER + place] >> 3 << 3
    s[CARD + place] = s[HOLDER + place] = 0
    s[DIRTY] = 1
    state.push(seat, board.components.systems[card].bonus)
    for _ in range(2 if argument & _UNSEEN else 1):
        state.push(seat, STEP[Op.SECOND_DISC], card)
    if place != board.extra:
        state.push(seat, STEP[Op.FILL], place)


def draw_system(state: State, place: int, deck: int, chance: Chance) -> Draw:
    """Turn up a system of deck 0 (A) or 1 (B) at a place; the deck must hold one."""
    (cards,) = state.decks[_DECK_OF_SYSTEMS + deck]
    index = chance.below(len(cards))
    left = cards[:index] + cards[index + 1 :]
    state.decks[_DECK_OF_SYSTEMS + deck] = (left,) if left else ()
    state.s[CARD + place] = 1 + cards[index]
    return (SYSTEM_DRAWN, place, cards[index])


def _fill(state: State, _seat: Seat, _node: Node, place: int, chance: Chance) -> list[Draw]:
    """C3: fill the space, if its deck still has a card."""
    deck = int(place not in state.board.systems[0])
    return [draw_system(state, place, deck, chance)] if state.decks[_DECK_OF_SYSTEMS + deck] else []


def _can_chart(state: State, _seat: Seat, _node: Node) -> bool:
    return not state.s[CHARTED] and bool(state.decks[_DECK_OF_SYSTEMS + 1])


def _chart(state: State, seat: Seat, node: Node, _argument: int) -> None:
    if _can_chart(state, seat, node):
        state.s[CHARTED] = 1
        state.push(seat, STEP[Op.FILL], state.board.extra)


OPERATIONS: Final = {
    Op.COLONIZE: Operation(can=_can_colonize, options=_colonize_options, take=_colonize),
    Op.INFILTRATE: Operation(can=_can_infiltrate, do=_infiltrate),
    Op.INVADE: Operation(options=_colonize_options, take=_colonize),
    Op.SETTLE: Operation(options=_settle_options, take=_settle),
    Op.FOUND_COLONY: Operation(do=_found_colony),
    Op.FILL: Operation(draw=_fill),
    Op.CHART: Operation(can=_can_chart, do=_chart),
}
