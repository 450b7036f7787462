"""The pages on the protocol show its machines as their tables have them, in a diagram and in words.

`python tests/docs/test_protocol_states.py` writes them anew between their marks.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from sunward_protocol.messages import Kind
from sunward_protocol.table.states import CHANGE, HOST, STEP, VISITOR, Machine, Row, State, standing
from sunward_protocol.table.steps import Steps

PAGES = Path(__file__).parents[2] / "docs" / "protocol"
MACHINES: Mapping[str, Machine] = {"host": HOST, "guest": VISITOR, "step": STEP, "change": CHANGE}
"""Every machine, by the mark of its place."""
MARKED = re.compile(r"(<!-- machine: (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def event(row: Row) -> str:
    return row.event.name if isinstance(row.event, Kind) else row.event


def leaves(machine: Machine, state: State) -> bool:
    """Whether something leads from a state to another."""
    return any(state in row.states and row.after is not state for row in machine.rows)


def sources(machine: Machine, row: Row) -> list[str]:
    """Return the names of the states that a row leads from, or one word for all that can be left."""
    every = all(state in row.states for state in machine.states if leaves(machine, state))
    return ["any"] if every else [state.value for state in row.states]


def diagram(machine: Machine) -> list[str]:
    """Return a machine as mermaid draws it: moves to other states, each once."""
    arrows = [
        f"    {source} --> {row.after.value}: {event(row)}"
        for row in machine.rows
        for source in sources(machine, row)
        if source != row.after.value
    ]
    ends = [f"    {end.value} --> [*]" for end in machine.ends]
    drawn = [f"    [*] --> {machine.begins.value}", *dict.fromkeys(arrows), *ends]
    return ["```mermaid", "stateDiagram-v2", *drawn, "```"]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows)]


def moves(machine: Machine) -> list[str]:
    """Return the rows of a machine; what is written and whether the epoch changes only where it ever does."""
    heads = ["from", "event", "to", "what it is", "written", "epoch"]
    rows = [
        (
            ", ".join(sources(machine, row)),
            event(row),
            row.after.value,
            row.meaning,
            row.written.value if row.written else "",
            ("", "a later", "an earlier")[row.turns],
        )
        for row in machine.rows
    ]
    told = [column for column, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    return table([heads[column] for column in told], [[row[column] for column in told] for row in rows])


def made(name: str) -> str:
    """Return what stands between the marks of a machine."""
    machine = MACHINES[name]
    states = table(("state", "what it is"), ((state.value, told) for state, told in machine.states.items()))
    return "\n" + "\n".join([*diagram(machine), "", *states, "", *moves(machine)]) + "\n\n"


def written_anew(text: str) -> str:
    return MARKED.sub(lambda found: f"{found[1]}{made(found[2])}{found[3]}", text)


def pages() -> dict[Path, str]:
    """Return the pages that have a machine."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.md"))}
    return {path: text for path, text in texts.items() if MARKED.search(text)}


@pytest.mark.parametrize("name", MACHINES)
def test_pages_have_each_machine_as_its_table_has_it(name: str) -> None:
    found = [mark[0] for text in pages().values() for mark in MARKED.finditer(text) if mark[2] == name]
    expected = f"<!-- machine: {name} -->\n{made(name)}<!-- end -->\n"
    assert found == [expected], "A table changed: run python tests/docs/test_protocol_states.py"


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_every_state_is_told_and_reached_and_left_unless_it_is_an_end(machine: Machine) -> None:
    assert list(machine.states) == list(type(machine.begins))
    ahead, met = [machine.begins], {machine.begins}
    for state in ahead:
        after = {row.after for row in machine.rows if state in row.states} - met
        met |= after
        ahead += after
    assert met == set(machine.states)
    assert {state for state in met if not leaves(machine, state)} <= set(machine.ends)


def test_what_the_pages_call_a_message_is_one() -> None:
    words = re.findall(r"\b[A-Z]{2,}(?=s?\b)", " ".join(made(name) for name in MACHINES))
    assert set(words) <= {kind.name for kind in Kind}
    assert {"_lock", "_reveal", "_perform"} <= {*Steps.advance.__code__.co_names}


def test_what_states_are_told_by_is_asked_for_them() -> None:
    named = set(re.findall(r"`(?:tip\.)?(\w+)(?:\(\))?`", " ".join(CHANGE.states.values())))
    assert named <= {*standing.__code__.co_names}


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(written_anew(text), encoding="utf-8")
