"""A turn: action, production, achievement (section 3), and whose turn comes next (E1)."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.flow import open_spaces
from sunward_protocol.games.beyond.language import Node, Op
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.ships import own_ships
from sunward_protocol.games.beyond.state import (
    ACHIEVEMENT,
    ACTIVE,
    AWARD,
    BASES,
    CLAIMS,
    COLUMN,
    CRYSTAL,
    DIRTY,
    DISC,
    FIRST,
    LAST,
    MAT,
    OVER,
    PAWN,
    PEOPLE,
    PRIVATE,
    ROUND,
    SHIPS,
    STEP,
    State,
    one_ship,
)
from sunward_protocol.games.beyond.supply import return_cube, supply, take_cube
from sunward_protocol.games.game import Action, Seat

_PHASES: Final = (STEP[Op.PASS], STEP[Op.ACHIEVE], STEP[Op.PRODUCE], STEP[Op.TURN])
_PRODUCTIONS: Final = tuple(
    actions.PRODUCE | production for production in (actions.GROWTH, actions.ORE, actions.TRADING)
)
_CLAIM_BITS: Final = 3
"""The bits of one slot of an achievement, never all 0 where it is claimed."""
_CLAIM: Final = (1 << _CLAIM_BITS) - 1


def begin(state: State) -> None:
    """Put the phases of the active seat's turn on the stack."""
    for phase in _PHASES:
        state.push(state.s[ACTIVE], phase)


# The action (A1 to A5)


def _turn_options(state: State, seat: Seat, _node: Node, _argument: int) -> Sequence[Action]:
    return open_spaces(state, seat)  # A5: with none the action is passed over


def _turn(state: State, seat: Seat, _node: Node, _argument: int, action: Action) -> None:
    space = action & actions.OPERAND
    state.s[BASES[seat] + PAWN] = 1 + space
    state.push(seat, state.board.spaces[space])


# Production (P1 to P4)


def _produce_options(_state: State, _seat: Seat, _node: Node, _argument: int) -> Sequence[Action]:
    return _PRODUCTIONS


def _produce(state: State, seat: Seat, _node: Node, _argument: int, action: Action) -> None:
    s, base = state.s, BASES[seat]
    production = action & actions.OPERAND
    components = state.board.components
    mat = components.mats[s[base + MAT] - 1]
    if production == actions.TRADING:
        state.push(seat, STEP[Op.TRADE])
    elif production == actions.ORE:
        s[base + CRYSTAL] += sum(mat.ore[: uncovered(state, seat, 2)])
    else:
        for column in mat.letters[: uncovered(state, seat, 1)]:
            if s[base + COLUMN + column]:
                s[base + COLUMN + column] -= 1
                s[base + PEOPLE] += 1


def uncovered(state: State, seat: Seat, kind: int) -> int:
    """Return how many symbols of the food track (1) or the ore track (2) are uncovered (P2, P3)."""
    components = state.board.components
    return 1 + (components.discs - state.s[BASES[seat] + DISC + kind]) // components.discs_a_symbol


def _trade_options(state: State, seat: Seat, _node: Node, _argument: int) -> Sequence[Action]:
    s, base = state.s, BASES[seat]
    for_supply, for_ship, _ = state.board.components.trade
    found: list[Action] = []
    cubes = supply(s, base)
    if cubes and s[base + CRYSTAL] >= for_supply:
        found.append(actions.TRADE | actions.TRADE_ORE)
    if s[base + PEOPLE] and cubes < state.board.capacity:
        found.append(actions.TRADE | actions.TRADE_PEOPLE)
    if s[base + CRYSTAL] >= for_ship:
        for place, level in own_ships(state, seat):
            found.append(actions.TRADE | actions.TRADE_SHIP + actions.ship(place, level))
    found.append(actions.DONE)
    return found


def _trade(state: State, seat: Seat, _node: Node, _argument: int, action: Action) -> None:
    if action == actions.DONE:
        return
    s, base = state.s, BASES[seat]
    for_supply, for_ship, for_people = state.board.components.trade
    what = action & actions.OPERAND
    if what == actions.TRADE_ORE:
        s[base + CRYSTAL] -= for_supply
        s[base + PEOPLE] += take_cube(s, base)
    elif what == actions.TRADE_PEOPLE:
        s[base + PEOPLE] -= 1
        return_cube(state, base)
        s[base + CRYSTAL] += for_people
    else:
        place, level = actions.of_ship(what - actions.TRADE_SHIP)
        s[base + CRYSTAL] -= for_ship
        s[base + SHIPS + place] -= one_ship(level)
        s[base + PEOPLE] += 1
        s[DIRTY] = 1
    state.push(seat, STEP[Op.TRADE])


# Achievements (Q1, Q2)


def claimed(state: State, index: int) -> list[Seat]:
    """Return who has a disc on the achievement in play at `index`, by slot."""
    claims = state.s[CLAIMS + index]
    return [(claims >> shift & _CLAIM) - 1 for shift in range(0, claims.bit_length(), _CLAIM_BITS)]


def _achieve_options(state: State, seat: Seat, _node: Node, _argument: int) -> Sequence[Action]:
    s, board = state.s, state.board
    found: list[Action] = []
    for index, number in enumerate(s[AWARD:CLAIMS]):
        claims = claimed(state, index)
        if seat not in claims and len(claims) < len(board.awards[number - 1]):
            card = board.components.achievements[number - 1]
            if counted(state, seat, card.counter) >= card.least:
                found.append(actions.CLAIM | index)
    return found


def _achieve(state: State, seat: Seat, _node: Node, _argument: int, action: Action) -> None:
    index = action & actions.OPERAND
    state.s[BASES[seat] + DISC + ACHIEVEMENT] -= 1
    state.s[CLAIMS + index] |= 1 + seat << _CLAIM_BITS * len(claimed(state, index))


# The next turn (E1)


def _pass(state: State, _seat: Seat, _node: Node, _argument: int) -> None:
    s, board = state.s, state.board
    if not s[LAST] and sum(-(-claims.bit_length() // _CLAIM_BITS) for claims in s[CLAIMS:PRIVATE]) >= board.end:
        s[LAST] = s[ROUND] + 1
    s[ACTIVE] = (s[ACTIVE] + 1) % board.seats
    if s[ACTIVE] == s[FIRST]:
        if s[ROUND] == s[LAST]:
            s[OVER] = 1
            return
        s[ROUND] += 1
    begin(state)


OPERATIONS: Final = {
    Op.TURN: Operation(options=_turn_options, take=_turn, insists=True),
    Op.PRODUCE: Operation(options=_produce_options, take=_produce),
    Op.TRADE: Operation(options=_trade_options, take=_trade),
    Op.ACHIEVE: Operation(options=_achieve_options, take=_achieve),
    Op.PASS: Operation(do=_pass),
}
