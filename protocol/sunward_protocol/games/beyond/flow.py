"""Costs, sequences, choices and repetitions: the operations made of other operations, and what any effect can do.

A cost is paid before its effect (A3), so whether an effect can do anything is asked with its cost paid, on the state
itself, which is put back; nothing else of the state may notice.
"""

from collections.abc import Callable, Sequence
from typing import Final

from sunward_protocol.games.beyond import actions, colonies, research, ships, supply
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.language import HUMANE, Node, Op
from sunward_protocol.games.beyond.operation import Can, Operation
from sunward_protocol.games.beyond.ships import own_ships
from sunward_protocol.games.beyond.state import (
    ABILITY,
    ACTIVE,
    BASES,
    CRYSTAL,
    DIRTY,
    DISC,
    PAWN,
    PEOPLE,
    SHIPS,
    State,
    one_ship,
)
from sunward_protocol.games.beyond.supply import return_cube, room
from sunward_protocol.games.game import Action, Seat


def can(state: State, seat: Seat, number: int) -> bool:
    """Whether an effect, costs and all, could do anything just now (A3)."""
    node = state.board.nodes[number]
    return _CAN[node[0]](state, seat, node)


# Costs (A3)


def _payments(state: State, seat: Seat, node: Node) -> list[Action]:
    """Return the ways to pay after which the effect can do something."""
    _, ore, pop, child = node
    s, base = state.s, BASES[seat]
    if not pop:
        return [actions.PAYMENT | actions.PEOPLE] if _can_pay(state, seat, node) else []
    ways = ((actions.PEOPLE, ore, pop), (actions.REPLACED, ore + 1, pop - 1))
    found: list[Action] = []
    for way, gold, people in ways if s[base + ABILITY] & HUMANE else ways[:1]:
        if s[base + CRYSTAL] >= gold and s[base + PEOPLE] >= people and room(state, base) >= people:
            kept = s[base : base + DISC + 1]
            _pay_now(state, base, gold, people)
            if can(state, seat, child):
                found.append(actions.PAYMENT | way)
            s[base : base + DISC + 1] = kept
    return found


def _pay_now(state: State, base: int, ore: int, pop: int) -> None:
    state.s[base + CRYSTAL] -= ore
    state.s[base + PEOPLE] -= pop
    for _ in range(pop):
        return_cube(state, base)


def _can_pay(state: State, seat: Seat, node: Node) -> bool:
    _, ore, pop, child = node
    if pop:
        return bool(_payments(state, seat, node))
    s, held = state.s, BASES[seat] + CRYSTAL
    if s[held] < ore:
        return False
    s[held] -= ore
    node = state.board.nodes[child]
    able = _CAN[node[0]](state, seat, node)
    s[held] += ore
    return able


def _pay_options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
    return _payments(state, seat, node)


def _pay(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    replaced = action & actions.OPERAND
    _pay_now(state, BASES[seat], node[1] + replaced, node[2] - replaced)
    state.push(seat, node[3])


def _lose(state: State, seat: Seat, place: int, level: int) -> None:
    state.s[BASES[seat] + SHIPS + place] -= one_ship(level)
    return_cube(state, BASES[seat])


def _ships_to_lose(state: State, seat: Seat, node: Node) -> list[Action]:
    s, base = state.s, BASES[seat]
    if not room(state, base):
        return []
    found: list[Action] = []
    for place, level in own_ships(state, seat):
        kept = s[base:]
        _lose(state, seat, place, level)
        if can(state, seat, node[1]):
            found.append(actions.LOSE | actions.ship(place, level))
        s[base:] = kept
    return found


def _can_lose(state: State, seat: Seat, node: Node) -> bool:
    return bool(_ships_to_lose(state, seat, node))


def _lose_options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
    return _ships_to_lose(state, seat, node)


def _lose_one(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    _lose(state, seat, *actions.of_ship(action & actions.OPERAND))
    state.s[DIRTY] = 1
    state.push(seat, node[1])


# One after another, one of several, or not at all


def _can_any(first: int) -> Can:
    def able(state: State, seat: Seat, node: Node) -> bool:
        nodes = state.board.nodes
        for child in node[first:]:
            part = nodes[child]
            if _CAN[part[0]](state, seat, part):
                return True
        return False

    return able


def _sequence(state: State, seat: Seat, node: Node, _argument: int) -> None:
    for child in node[:0:-1]:
        state.push(seat, child)


def _may_options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
    return (actions.ANSWER | actions.YES, actions.ANSWER | actions.NO) if can(state, seat, node[1]) else ()


def _may(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    if action == actions.ANSWER | actions.YES:
        state.push(seat, node[1])


def _choose_options(state: State, seat: Seat, node: Node, chosen: int) -> Sequence[Action]:
    return [
        actions.BRANCH | branch
        for branch, child in enumerate(node[2:])
        if not chosen >> branch & 1 and can(state, seat, child)
    ]


def _choose(state: State, seat: Seat, node: Node, chosen: int, action: Action) -> None:
    branch = action & actions.OPERAND
    chosen |= 1 << branch
    if chosen.bit_count() < node[1]:
        state.push(seat, state.board.numbers[node], chosen)
    state.push(seat, node[2 + branch])


def _times(state: State, seat: Seat, node: Node, _argument: int) -> None:
    for _ in range(node[1]):
        state.push(seat, node[2])


def _often(state: State, seat: Seat, node: Node) -> int:
    _, counter, every, most, _ = node
    often = counted(state, seat, counter) // every
    return min(often, most) if most else often


def _can_per(state: State, seat: Seat, node: Node) -> bool:
    return _often(state, seat, node) > 0 and can(state, seat, node[4])


def _per(state: State, seat: Seat, node: Node, _argument: int) -> None:
    for _ in range(_often(state, seat, node)):
        state.push(seat, node[4])


# For others


def _can_all(state: State, _seat: Seat, node: Node) -> bool:
    return any(can(state, other, node[1]) for other in range(state.board.seats))


def _all(state: State, _seat: Seat, node: Node, _argument: int) -> None:
    for other in reversed(state.in_turn_order(state.s[ACTIVE])):
        state.push(other, node[1])


def _can_others(state: State, seat: Seat, node: Node) -> bool:
    return any(can(state, other, node[1]) for other in range(state.board.seats) if other != seat)


def _others(state: State, seat: Seat, node: Node, _argument: int) -> None:
    for other in reversed(state.in_turn_order(state.s[ACTIVE])):
        if other != seat:
            state.push(other, node[1])


# Another space's action


def _copyable(state: State, seat: Seat) -> list[Action]:
    """Return the research actions that lie open: the box's, uncovered guilds', discovered and own private ones."""
    board = state.board
    open_ = {*range(board.guilds), *state.spaces[seat]}
    open_ |= {space for card in research.discovered(state) for space in board.of_technology[card]}
    return [
        actions.COPY | space for space in sorted(open_ & board.researching) if can(state, seat, board.spaces[space])
    ]


def _can_copy(state: State, seat: Seat, _node: Node) -> bool:
    return bool(_copyable(state, seat))


def _copy_options(state: State, seat: Seat, _node: Node, _argument: int) -> Sequence[Action]:
    return _copyable(state, seat)


def _copy(state: State, seat: Seat, _node: Node, _argument: int, action: Action) -> None:
    state.push(seat, state.board.spaces[action & actions.OPERAND])


def open_spaces(state: State, seat: Seat) -> list[Action]:
    """Return the spaces to which a seat's pawn may go (A1 to A3), ascending."""
    s, board = state.s, state.board
    stand = {s[base + PAWN] - 1 for base in BASES[: board.seats]}
    if s[BASES[seat] + PAWN] - 1 == board.repeatable:
        stand.remove(board.repeatable)
    nodes, effects = board.nodes, board.spaces
    found: list[Action] = []
    for space in state.spaces[seat]:
        if space not in stand:
            node = nodes[effects[space]]
            if _CAN[node[0]](state, seat, node):
                found.append(actions.SPACE | space)
    return found


_OWN: Final = {
    Op.SEQUENCE: Operation(can=_can_any(1), do=_sequence),
    Op.PAY: Operation(can=_can_pay, options=_pay_options, take=_pay),
    Op.PAY_SHIP: Operation(can=_can_lose, options=_lose_options, take=_lose_one),
    Op.MAY: Operation(can=_can_any(1), options=_may_options, take=_may),
    Op.CHOOSE: Operation(can=_can_any(2), options=_choose_options, take=_choose),
    Op.TIMES: Operation(can=_can_any(2), do=_times),
    Op.PER: Operation(can=_can_per, do=_per),
    Op.ALL: Operation(can=_can_all, do=_all),
    Op.OTHERS: Operation(can=_can_others, do=_others),
    Op.COPY: Operation(can=_can_copy, options=_copy_options, take=_copy),
}
EFFECTS: Final[dict[Op, Operation]] = {
    **supply.OPERATIONS,
    **ships.OPERATIONS,
    **colonies.OPERATIONS,
    **research.OPERATIONS,
    **_OWN,
}
"""Every operation but the turn's own."""


def _never(_state: State, _seat: Seat, _node: Node) -> bool:
    raise AssertionError("the game's own steps are no part of an effect")


_CAN: Final[list[Callable[[State, Seat, Node], bool]]] = [_never] + [
    (EFFECTS[op].can or _never) if op in EFFECTS else _never for op in Op
]
