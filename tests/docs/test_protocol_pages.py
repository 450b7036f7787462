"""The pages on the protocol say what the code has: its kinds, phases and times; and draw each diagram twice alike."""

import re
from pathlib import Path

import pytest

from sunward_protocol import limits
from sunward_protocol.ledger import Ledger
from sunward_protocol.messages import SHAPES, Change, Kind
from sunward_protocol.table.lobby import Phase
from sunward_protocol.table.steps import Steps

PAGES = Path(__file__).parents[2] / "docs" / "protocol"
README, LEAVING = ((PAGES / name).read_text(encoding="utf-8") for name in ("README.md", "leaving.md"))
LOBBY, STEP = README.partition("\n## A step\n")[::2]
"""The part of the first page with the lobby's diagram, and that with a step's."""

_ARROW = re.compile(r"^ +(\w+) --> (\w+): (.+)$", re.MULTILINE)
_ROW = re.compile(r"^ {4}(\w+) {2,}(\S+(?: \S+)*) {2,}(\w+)(?: {2,}.*)?$", re.MULTILINE)


def arrows(page: str) -> set[tuple[str, str, str]]:
    """Return a page's mermaid diagram: from where, by what, where to."""
    return {(start, label, end) for start, end, label in _ARROW.findall(page)}


def rows(page: str) -> set[tuple[str, str, str]]:
    """Return the same of the diagram in plain text."""
    return set(_ROW.findall(page))


def table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the rows below a table's heading."""
    lines = page.partition(f"\n| {heading} |")[2].splitlines()[2:]
    below = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in below]


def test_every_kind_is_listed_as_it_is_on_the_wire() -> None:
    shapes = SHAPES.items()
    made = [
        [kind.name, str(kind.value), shape.proof.name.lower(), f"{shape.most:,}", ", ".join(shape.payload._fields)]
        for kind, shape in shapes
    ]
    assert table(README, "kind") == made
    assert {shape.proof.name.lower() for _, shape in shapes} == {proof for proof, *_ in table(README, "proof")}


def test_the_version_is_told() -> None:
    assert f"\nVersion {limits.PROTOCOL_VERSION}. " in README


@pytest.mark.parametrize("page", [LOBBY, STEP, LEAVING], ids=["lobby", "step", "change"])
def test_both_forms_of_a_diagram_are_one(page: str) -> None:
    assert arrows(page) == rows(page) != set()


def test_the_lobby_has_the_phases_of_its_diagram() -> None:
    assert {state for start, _, end in arrows(LOBBY) for state in (start, end)} == {phase.value for phase in Phase}


def test_what_diagrams_call_a_message_is_one() -> None:
    words = {word for page in (LOBBY, STEP) for _, label, _ in arrows(page) for word in label.split()}
    assert {word.rstrip("s") for word in words if word[:2].isupper()} <= {kind.name for kind in Kind}
    assert {"_lock", "_reveal", "_perform"} <= {*Steps.advance.__code__.co_names}


def test_every_state_of_a_change_is_a_condition_that_the_code_can_be_asked() -> None:
    drawn = {state for start, _, end in arrows(LEAVING) for state in (start, end)}
    told = table(LEAVING, "state")
    assert drawn == {state for state, _ in told}
    asked = {name for _, condition in told for name in re.findall(r"`([\w.]+)(?:\(\))?`", condition)}
    known = {*vars(Steps), *Steps.__init__.__code__.co_names}
    known |= {f"tip.{name}" for name in Ledger.__init__.__code__.co_names}
    assert asked <= known


def test_every_field_of_a_change_is_explained() -> None:
    assert [field.strip("`") for field, *_ in table(LEAVING, "field of a change")] == list(Change._fields)


def test_times_are_as_the_pages_say() -> None:
    readme, leaving = (" ".join(page.split()) for page in (README, LEAVING))
    assert f"**Challenge.** For {limits.CHALLENGE:g} s " in leaving
    assert f"for {limits.CLAIM_PATIENCE:g} s by whoever is not heard" in leaving
    assert f"for {limits.DISSENT_PATIENCE:g} s by whoever is" in leaving
    assert f"at least {limits.RETURNER:g} s to think" in leaving
    assert f"{limits.VOTE_AGAIN:g} s after its last vote" in leaving
    assert f"for more than {limits.SLEPT:g} s at a time" in leaving
    assert f"up to {limits.LEAD} steps past" in readme
    assert f"missing after {limits.SEAL_PATIENCE:g} s" in readme
