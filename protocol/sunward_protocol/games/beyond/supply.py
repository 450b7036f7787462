"""Cubes, ore and discs of one seat: how they are gained, lost and moved (P2 to P5, U1); looks at nobody else."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.components import COLUMNS
from sunward_protocol.games.beyond.language import ANY_DISC, FOOD, ORE, Node, Op
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.state import (
    ABILITY,
    ACHIEVEMENT,
    AUTOMATED,
    BASES,
    CLAIMS,
    COLUMN,
    CRYSTAL,
    DISC,
    EARNED,
    PEOPLE,
    PRIVATE,
    State,
)
from sunward_protocol.games.game import Action, Seat

_WIDTH: Final = len(COLUMNS)
ACHIEVEMENTS_IN_PLAY: Final = range(CLAIMS, PRIVATE)
"""Where a state keeps the discs on achievement cards."""


def supply(s: list[int], base: int) -> int:
    """Return how many cubes the supply holds."""
    return sum(s[base + COLUMN : base + COLUMN + _WIDTH])


def room(state: State, base: int) -> int:
    """Return how many cubes may still return to the supply."""
    return state.board.capacity - supply(state.s, base)


def take_cube(s: list[int], base: int) -> bool:
    """Take a cube from the leftmost filled column (P5); return whether there was one."""
    for column in range(base + COLUMN, base + COLUMN + _WIDTH):
        if s[column]:
            s[column] -= 1
            return True
    return False


def return_cube(state: State, base: int) -> None:
    """Put a cube into the rightmost column with room (P5); there must be some."""
    s = state.s
    columns = state.board.components.columns
    column = _WIDTH - 1
    while s[base + COLUMN + column] == columns[column]:
        column -= 1
    s[base + COLUMN + column] += 1


def claims(s: list[int], seat: Seat) -> int:
    """Return how many achievements a seat has claimed."""
    return sum(s[card] >> shift & 7 == seat + 1 for card in ACHIEVEMENTS_IN_PLAY for shift in (0, 3, 6, 9))


def discs(state: State, seat: Seat, specialty: int) -> list[int]:
    """Return the kinds of disc that may go on something of this specialty: an achievement disc for an empty track.

    As many achievement discs stay back as there are achievements still to be claimed, or the end might never come (S4).
    """
    s, base = state.s, BASES[seat]
    kinds = [kind for kind in (FOOD, ORE) if specialty & kind and s[base + DISC + kind]]
    if len(kinds) < specialty.bit_count():
        if s[base + ABILITY] & ANY_DISC:
            kinds = [kind for kind in (FOOD, ORE) if s[base + DISC + kind]]
        if s[base + DISC + ACHIEVEMENT] > len(ACHIEVEMENTS_IN_PLAY) - claims(s, seat):
            kinds.append(ACHIEVEMENT)
    elif s[base + ABILITY] & ANY_DISC:
        kinds = [kind for kind in (FOOD, ORE) if s[base + DISC + kind]]
    return kinds


def _can_grow(state: State, seat: Seat, _node: Node) -> bool:
    base = BASES[seat] + COLUMN
    return any(state.s[base : base + _WIDTH])


def _grow(state: State, seat: Seat, node: Node, _argument: int) -> None:
    s, base = state.s, BASES[seat]
    for _ in range(node[1]):
        s[base + PEOPLE] += take_cube(s, base)


def _always(_state: State, _seat: Seat, _node: Node) -> bool:
    return True


def _gain(state: State, seat: Seat, node: Node, _argument: int) -> None:
    state.s[BASES[seat] + CRYSTAL] += node[1]


def _points(state: State, seat: Seat, node: Node, _argument: int) -> None:
    state.s[BASES[seat] + EARNED] += node[1]


def _can_automate(state: State, seat: Seat, node: Node) -> bool:
    return bool(discs(state, seat, node[1]))


def _automate_options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
    return [actions.DISC | kind for kind in discs(state, seat, node[1])]


def _automate(state: State, seat: Seat, _node: Node, _argument: int, action: Action) -> None:
    """U1."""
    base = BASES[seat] + (action & actions.OPERAND)
    state.s[base + DISC] -= 1
    state.s[base + AUTOMATED] += 1


def _rightmost(s: list[int], base: int) -> int:
    """Return the rightmost filled column, -1 for an empty supply."""
    return next((column for column in range(_WIDTH - 1, -1, -1) if s[base + COLUMN + column]), -1)


def _can_shift(state: State, seat: Seat, _node: Node) -> bool:
    s, base = state.s, BASES[seat]
    rightmost = _rightmost(s, base)
    columns = state.board.components.columns
    return rightmost >= 0 and any(s[base + COLUMN + c] < columns[c] for c in range(_WIDTH) if c != rightmost)


def _shift_options(state: State, seat: Seat, _node: Node, argument: int) -> Sequence[Action]:
    """List the columns for the next cube: those with room, and the one where it is.

    `argument` counts, four bits a column, the cubes that were moved already: they are not the next ones.
    """
    s, base = state.s, BASES[seat]
    columns = state.board.components.columns
    origin = _unmoved(s, base, argument)
    if origin < 0:
        return ()
    return [actions.SHIFT | c for c in range(_WIDTH) if c == origin or s[base + COLUMN + c] < columns[c]]


def _unmoved(s: list[int], base: int, moved: int) -> int:
    """Return the rightmost column with a cube that was not moved yet."""
    for column in range(_WIDTH - 1, -1, -1):
        if s[base + COLUMN + column] > (moved >> 4 * column & 15):
            return column
    return -1


def _shift(state: State, seat: Seat, node: Node, argument: int, action: Action) -> None:
    s, base = state.s, BASES[seat]
    target = action & actions.OPERAND
    s[base + COLUMN + _unmoved(s, base, argument)] -= 1
    s[base + COLUMN + target] += 1
    if node[1] > 1:
        state.push(seat, state.board.numbers[Op.SHIFT, node[1] - 1], argument + (1 << 4 * target))


OPERATIONS: Final = {
    Op.GROW: Operation(can=_can_grow, do=_grow),
    Op.GAIN: Operation(can=_always, do=_gain),
    Op.POINTS: Operation(can=_always, do=_points),
    Op.AUTOMATE: Operation(can=_can_automate, options=_automate_options, take=_automate),
    Op.SHIFT: Operation(can=_can_shift, options=_shift_options, take=_shift),
}
