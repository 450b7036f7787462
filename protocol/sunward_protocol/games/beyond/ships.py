"""Ships: built, enlisted, upgraded, moved (J1, J2); control is looked at elsewhere, once they have arrived."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.language import SHORTCUTS, UNSEEN, Node, Op
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.state import (
    ABILITY,
    BASES,
    CHARTED,
    DIRTY,
    HOLDER,
    PEOPLE,
    SHIPS,
    State,
    one_ship,
)
from sunward_protocol.games.beyond.supply import supply, take_cube
from sunward_protocol.games.game import Action, Seat

_HIGHEST: Final = 4
_BELOW_HIGHEST: Final = (1 << 5 * _HIGHEST - 5) - 1


@lru_cache(maxsize=1 << 12)
def levels(ships: int) -> tuple[int, ...]:
    """Return which levels are among packed ships, ascending."""
    return tuple(level for level in range(1, _HIGHEST + 1) if ships >> 5 * level - 5 & 31)


def own_ships(state: State, seat: Seat) -> list[tuple[int, int]]:
    """Return place and level of a seat's ships, each kind once."""
    base = BASES[seat] + SHIPS
    return [(place, level) for place in state.board.places for level in levels(state.s[base + place])]


# Building


def _places(state: State, seat: Seat, node: Node) -> list[int]:
    """J1."""
    if node[2] >= 0:
        return [node[2]]
    board, s = state.board, state.s
    return [board.sol, *(yard for yard in board.yards if s[HOLDER + yard] & 7 == seat + 1)]


def _can_build(state: State, seat: Seat, _node: Node) -> bool:
    return supply(state.s, BASES[seat]) > 0


def _can_enlist(state: State, seat: Seat, _node: Node) -> bool:
    return state.s[BASES[seat] + PEOPLE] > 0


def _options_if(can: Callable[[State, Seat, Node], bool]) -> Callable[[State, Seat, Node, int], Sequence[Action]]:
    def options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
        return [actions.BUILD | place for place in _places(state, seat, node)] if can(state, seat, node) else ()

    return options


def _build(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    take_cube(state.s, BASES[seat])
    _launch(state, seat, node, action)


def _enlist(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    state.s[BASES[seat] + PEOPLE] -= 1
    _launch(state, seat, node, action)


def _launch(state: State, seat: Seat, node: Node, action: Action) -> None:
    state.s[BASES[seat] + SHIPS + (action & actions.OPERAND)] += one_ship(node[1])
    state.s[DIRTY] = 1


# Upgrading


def _can_upgrade(state: State, seat: Seat, _node: Node) -> bool:
    base = BASES[seat] + SHIPS
    return any(state.s[base + place] & _BELOW_HIGHEST for place in state.board.places)


def _upgrade_options(state: State, seat: Seat, _node: Node, _argument: int) -> Sequence[Action]:
    return [actions.UPGRADE | actions.ship(place, level) for place, level in own_ships(state, seat) if level < _HIGHEST]


def _refit_options(state: State, seat: Seat, _node: Node, last: int) -> Sequence[Action]:
    """Offer different ships: in falling order of level and place, so that none comes twice; `last` is the last key."""
    found: list[Action] = []
    for place, level in own_ships(state, seat):
        if level < _HIGHEST and (not last or _key(place, level) <= last):
            found.append(actions.UPGRADE | actions.ship(place, level))
    return [*found, actions.DONE] if found else ()


def _key(place: int, level: int) -> int:
    return level << 4 | place


def _upgrade(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    if action == actions.DONE:
        return
    place, level = actions.of_ship(action & actions.OPERAND)
    state.s[BASES[seat] + SHIPS + place] += one_ship(level + 1) - one_ship(level)
    state.s[DIRTY] = 1
    op, left = node
    if left > 1:
        state.push(seat, state.board.numbers[op, left - 1], _key(place, level) if op == Op.REFIT else 0)


# Moving


def _can_move(state: State, seat: Seat, _node: Node) -> bool:
    base = BASES[seat] + SHIPS
    return any(state.s[base : base + len(state.board.components.places)])


def _move_options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
    s, board = state.s, state.board
    base = BASES[seat] + SHIPS
    far = node[0] == Op.WARP or s[base - SHIPS + ABILITY] & SHORTCUTS
    flags = (2 * (node[0] == Op.WARP) + 1 if far else 0) << 1 | s[CHARTED]
    found: list[Action] = []
    memo = board.moves
    for place in board.places:
        ships = s[base + place]
        if ships:
            key = (ships << 4 | place) << 3 | flags
            found += memo.get(key) or memo.setdefault(key, _moves(state, place, ships, node[0] == Op.WARP, bool(far)))
    if not found:
        return ()
    found.append(actions.DONE)
    return found


def _moves(state: State, place: int, ships: int, warp: bool, far: bool) -> tuple[Action, ...]:
    """List the moves of the ships at one place; a shortcut does not begin at Sol or in Deep Space."""
    board = state.board
    charted = state.s[CHARTED]
    anywhere = warp or (far and place not in (board.sol, board.deep))
    targets = board.anywhere[charted] if anywhere else board.neighbours[charted][place]
    return tuple(
        actions.JUMP | actions.move(place, level, target)
        for level in levels(ships)
        for target in targets
        if target != place
    )


def _move(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    """J2: the moves are simultaneous, so control is looked at after the last; a jump begun always ends in a look."""
    s = state.s
    if action != actions.DONE:
        origin, level, target = actions.of_move(action & actions.OPERAND)
        base = BASES[seat] + SHIPS
        ship = one_ship(level)
        s[base + origin] -= ship
        s[base + target] += ship
        if node[1] > 1:
            state.push(seat, state.board.numbers[node[0], node[1] - 1, *node[2:]])
            return
    if node[0] == Op.WARP or node[2] != UNSEEN:
        s[DIRTY] = 1


OPERATIONS: Final = {
    Op.BUILD: Operation(can=_can_build, options=_options_if(_can_build), take=_build),
    Op.ENLIST: Operation(can=_can_enlist, options=_options_if(_can_enlist), take=_enlist),
    Op.UPGRADE: Operation(can=_can_upgrade, options=_upgrade_options, take=_upgrade),
    Op.REFIT: Operation(can=_can_upgrade, options=_refit_options, take=_upgrade),
    Op.JUMP: Operation(can=_can_move, options=_move_options, take=_move),
    Op.WARP: Operation(can=_can_move, options=_move_options, take=_move),
}
