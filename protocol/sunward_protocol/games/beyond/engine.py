"""The interpreter: carries out what is on top of the stack until somebody must choose or something must be drawn.

The one place where an effect is begun. Never decides what an operation does: that is in the table.
"""

from typing import Final

from sunward_protocol.games.beyond import control, flow, setup, turn
from sunward_protocol.games.beyond.language import Op
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.state import (
    ARGUMENT,
    DIRTY,
    NOBODY,
    NUMBERS,
    SEAT_BITS,
    State,
)
from sunward_protocol.games.game import Action, Chance, Draw, Seat

_ALL: Final = {**flow.EFFECTS, **control.OPERATIONS, **turn.OPERATIONS, **setup.OPERATIONS}
OPERATIONS: Final[list[Operation]] = [Operation(), *(_ALL[op] for op in Op)]
"""By number of the operation."""


def run(state: State) -> None:
    """Go on to the next choice or draw, or to the end; a choice of one is made at once, of nothing passed over."""
    stack, s, nodes = state.stack, state.s, state.board.nodes
    state.actor = NOBODY
    state.due = False
    state.choices = ()
    while True:
        if s[DIRTY]:
            control.look(state)
        if not stack:
            return
        entry = stack[-1]
        node = nodes[entry >> SEAT_BITS & NUMBERS]
        operation = OPERATIONS[node[0]]
        if operation.draw:
            state.due = True
            return
        seat = entry & 3
        if operation.options:
            choices = operation.options(state, seat, node, entry >> ARGUMENT)
            if len(choices) > 1 or (operation.insists and choices):
                state.choices = choices
                state.actor = seat
                return
            stack.pop()
            if choices and operation.take:
                operation.take(state, seat, node, entry >> ARGUMENT, choices[0])
        elif operation.do:
            stack.pop()
            operation.do(state, seat, node, entry >> ARGUMENT)


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seat that has its say, also out of turn; none while a draw is due."""
    return () if state.actor < 0 else (state.actor,)


def legal(state: State, seat: Seat) -> list[Action]:
    """Return the legal actions of a seat, ascending; [] when it has no say."""
    return list(state.choices) if seat == state.actor else []


def apply(state: State, seat: Seat, action: Action) -> None:
    """Carry out a legal action and everything that follows of itself."""
    entry = state.stack.pop()
    node = state.board.nodes[entry >> SEAT_BITS & NUMBERS]
    take = OPERATIONS[node[0]].take
    assert take is not None
    take(state, seat, node, entry >> ARGUMENT, action)
    run(state)


def draw(state: State, chance: Chance) -> list[Draw]:
    """Make every draw now due, with whatever follows of itself in between."""
    draws: list[Draw] = []
    while state.due:
        entry = state.stack.pop()
        node = state.board.nodes[entry >> SEAT_BITS & NUMBERS]
        make = OPERATIONS[node[0]].draw
        assert make is not None
        draws += make(state, entry & 3, node, entry >> ARGUMENT, chance)
        run(state)
    return draws
