"""Every line of the threat table names tests, and every test that it names is there."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "protocol" / "threats.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(test_\w+)::(test_\w+)`")
FILES = {path.stem: path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")}


def test_every_threat_has_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| attack |")]
    assert len(rows) > 30
    assert [row for row in rows if row.count(" | ") != 3 or not NAMED.search(row.rpartition(" | ")[2])] == []


def test_every_test_that_is_named_exists() -> None:
    named = NAMED.findall(PAGE)
    assert named
    assert [(file, name) for file, name in named if f"def {name}(" not in FILES.get(file, "")] == []


def test_every_test_of_liars_at_simulated_tables_is_named() -> None:
    written = {
        (stem, name)
        for stem, text in FILES.items()
        if stem.startswith("test_liars_")
        for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)
    }
    assert written <= set(NAMED.findall(PAGE))
