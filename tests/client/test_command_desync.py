"""`sunward desync`: what one side has, and what differs first from the other's."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sunward.__main__ import main
from sunward.exits import Exit
from sunward_protocol.desync import Bundle, Who, section_hash
from sunward_protocol.games.game import Json

SECTIONS: Mapping[str, Json] = {"turns": 4, "pebbles": [3, 0], "deck": {"left": 7}}
ANN, BO = Who(0, "Ann"), Who(1, "Bo")
ONE = Bundle(
    match="ab" * 32,
    step=17,
    by=ANN,
    against=BO,
    sentence="After step 17 this replica and the one of place 1 have different state hashes.",
    versions={"program": "0.1.0", "python": "CPython 3.11.9"},
    head="cd" * 32,
    state="01" * 32,
    sections=SECTIONS,
    entries=("00",),
)


def theirs(**changes: Any) -> Bundle:
    return replace(ONE, by=BO, against=ANN, **changes)


def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], *bundles: Bundle) -> list[str]:
    files = [tmp_path / f"{number}.json" for number, _ in enumerate(bundles)]
    for file, each in zip(files, bundles, strict=True):
        file.write_text(each.write())
    assert main(["desync", *map(str, files)]) == Exit.OK
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def test_one_bundle_says_the_step_whose_word_was_refused_and_a_hash_a_section(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, *rest = said(tmp_path, capsys, ONE)
    assert first == f"Match {'ab' * 32}, after step 17, at Ann (place 0):"
    assert second == ONE.sentence
    assert rest[0] == "versions  program 0.1.0, python CPython 3.11.9"
    assert rest[3:6] == [f"  {section_hash(name, value)[:16]}  {name}" for name, value in SECTIONS.items()]


def test_the_first_section_that_differs_is_named_with_both_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = theirs(state="02" * 32, sections={**SECTIONS, "pebbles": [3, 2], "deck": {"left": 6}})
    assert said(tmp_path, capsys, ONE, other)[1:] == [
        "The first section that differs is pebbles / 1:",
        "  Ann (place 0)  0",
        "  Bo (place 1)   2",
        "Who was wrong, if a signature shows it, `sunward verify MATCH` says.",
    ]


def test_other_versions_and_histories_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = theirs(versions={"program": "0.1.0", "python": "CPython 3.12.0"}, head="ce" * 32)
    assert said(tmp_path, capsys, ONE, other)[1:-1] == [
        "Another version of python:",
        "  Ann (place 0)  CPython 3.11.9",
        "  Bo (place 1)   CPython 3.12.0",
        "They have different histories, so their positions need not be the same. Their heads:",
        f"  Ann (place 0)  {'cd' * 32}",
        f"  Bo (place 1)   {'ce' * 32}",
        "Their positions are the same.",
    ]


def test_what_differs_outside_of_the_export_is_said_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "what differs is not in the export" in said(tmp_path, capsys, ONE, theirs(state="02" * 32))[1]


def test_nothing_of_theirs_does_anything_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\u202e"
    other = replace(
        theirs(sections={**SECTIONS, evil: evil}, versions={evil: evil}, state=evil, head=evil, match=ONE.match),
        by=Who(1, evil),
        sentence=evil,
    )
    for bundles in ((other,), (ONE, other)):
        assert all(line.isprintable() for line in said(tmp_path, capsys, *bundles))


@pytest.mark.parametrize(
    ("bundles", "code", "sentence"),
    [
        ((), Exit.LOCAL, "Cannot read "),
        ((ONE, theirs(step=18)), Exit.LOCAL, "compare those of step 17"),
        ((ONE, ONE), Exit.LOCAL, "take the other side's"),
    ],
)
def test_what_cannot_be_compared_is_said(
    bundles: tuple[Bundle, ...], code: Exit, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / f"{number}.json" for number in range(max(1, len(bundles)))]
    for file, each in zip(files, bundles, strict=False):
        file.write_text(each.write())
    assert main(["desync", *map(str, files)]) == code
    assert sentence in capsys.readouterr().err


def test_a_file_of_another_kind_is_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "match"
    file.write_bytes(b"sunward match\0\0\1\xff")
    assert main(["desync", str(file)]) == Exit.DAMAGED
    assert "take the file as the node wrote it" in capsys.readouterr().err
