"""The simulation holds replicas to the tables of their states: a row less, and it finds the move that has none."""

import pytest

from simulation.test_broken_replicas import find, restless
from sunward_protocol.messages import Kind
from sunward_protocol.table.states import CHANGE, STEP, Machine, Row, Stage, Standing, Written
from support import sim_states
from support.sim_states import Chart, Seen

DUE, PERFORMED, LOCKED = Stage.DUE, Stage.PERFORMED, Stage.LOCKED
MISSED = [
    *((STEP, number) for number in (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 14)),
    *((CHANGE, number) for number in (0, 1, 4, 5, 7, 9, 10)),
]
"""Rows that nearly every table with restless players makes a move of, by their number in the machine's table."""


def without(machine: Machine, number: int) -> Machine:
    return machine._replace(rows=machine.rows[:number] + machine.rows[number + 1 :])


@pytest.mark.parametrize(
    ("machine", "number"),
    MISSED,
    ids=[f"{row.event} to {row.after.value}" for machine, number in MISSED for row in [machine.rows[number]]],
)
def test_a_move_that_stands_in_no_table_is_found(
    machine: Machine, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines = (STEP, CHANGE)
    charts = tuple(Chart(without(each, number) if each is machine else each) for each in machines)
    monkeypatch.setattr(sim_states, "CHARTS", charts)
    find("course", scenarios=restless)


def seen(*written: Written, turned: int = 0, performed: int | None = 0, heard: Kind | None = None) -> Seen:
    return Seen(written, turned, performed, heard)


def test_a_chain_spells_what_was_written_and_performs_as_many_steps() -> None:
    chart = Chart(STEP)
    assert chart.leads(DUE, DUE, seen())
    assert chart.leads(DUE, PERFORMED, seen(performed=1))
    assert not chart.leads(DUE, PERFORMED, seen())
    assert not chart.leads(DUE, DUE, seen(performed=-1))
    assert chart.leads(DUE, LOCKED, seen(Written.ENTRY, performed=2))
    assert chart.leads(LOCKED, DUE, seen(Written.DRAW))
    assert not chart.leads(LOCKED, DUE, seen())
    assert not chart.leads(LOCKED, DUE, seen(Written.DRAW, Written.DRAW, performed=0))
    assert chart.leads(LOCKED, DUE, seen(Written.DRAW, Written.DRAW, performed=1))


def test_a_chain_turns_as_the_epoch_did_and_goes_back_first() -> None:
    back, on = Row((DUE,), "back", PERFORMED, "", turns=-1), Row((PERFORMED,), "on", LOCKED, "", turns=1)
    machine = STEP._replace(rows=(back, on, Row((LOCKED,), "back", DUE, "", turns=-1)))
    chart = Chart(machine)
    assert chart.leads(DUE, PERFORMED, seen(turned=-1))
    assert not chart.leads(DUE, PERFORMED, seen())
    assert chart.leads(DUE, LOCKED, seen(turned=1)), "back first, then on"
    assert not chart.leads(PERFORMED, DUE, seen(turned=-1)), "on first, then back"


def test_a_row_for_a_frame_needs_that_frame() -> None:
    chart = Chart(CHANGE)
    assert chart.leads(Standing.PLAYING, Standing.OUT, seen(turned=1, heard=Kind.SYNC))
    assert not chart.leads(Standing.PLAYING, Standing.OUT, seen(turned=1, heard=Kind.VOTE))
    assert not chart.leads(Standing.PLAYING, Standing.OUT, seen(turned=1))
    assert not chart.leads(Standing.PLAYING, Standing.OUT, seen(heard=Kind.SYNC))
