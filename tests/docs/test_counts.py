"""The page of counts says what the tests in fact run."""

from pathlib import Path

from fuzz.targets import TARGETS
from simulation import test_tables
from simulation.test_beyond_matches import MATCHES

PAGE = (Path(__file__).parents[2] / "docs" / "develop" / "counts.md").read_text(encoding="utf-8")


def test_the_counts_of_ci_are_those_of_the_tests() -> None:
    tables = test_tables.test_every_promise_holds_at_tables_under_faults
    marks = tables.pytestmark  # type: ignore[attr-defined]  # pytest's own
    batches = next(len(mark.args[1]) for mark in marks if mark.name == "parametrize")
    assert f"| {batches * test_tables.BATCH} seeds |" in PAGE
    assert f"| {MATCHES} matches |" in PAGE
    assert f"of {len(TARGETS)} targets" in PAGE
    assert f"{sum(target.runs for target in TARGETS.values()):,} in all" in PAGE
