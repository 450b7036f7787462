"""`sunward replay`: a match file told again as its nodes would have told it."""

from itertools import pairwise
from pathlib import Path

import pytest

from sunward.__main__ import main
from sunward.commands.replay import events
from sunward.exits import Exit
from sunward_client.events import Applied, Drawn, Hello, Over
from sunward_client.model import Model, playing
from sunward_client.replay import Reel
from sunward_client.theme import Look
from sunward_protocol.audit import MatchFile
from sunward_protocol.games.catalog import find
from support.match_files import played, write_match

PATH = Path("somewhere/match")


def match(records: int | None = None) -> MatchFile:
    return MatchFile(played()[:records], find)


def test_the_hello_comes_first_and_the_end_last() -> None:
    first, second, *_, last = events(match(), PATH)
    assert isinstance(first, Hello)
    assert isinstance(second, Drawn)
    assert second.step == 0
    assert sorted(first.names) == ["member 0", "member 1", "member 2"]
    assert all(len(words.split("-")) == 4 for words in first.words)
    assert last == Over(str(PATH))


def test_replaying_leads_to_the_very_end() -> None:
    read = match()
    reel = Reel.load(Model(Look()), events(read, PATH))
    _, position = playing(reel.frames[-1])
    assert position.encode() == read.ledger.position.encode()
    assert position.result() is not None


def test_both_choices_of_a_deal_are_told_lower_seat_first() -> None:
    """Of the commitments nothing is told: their step is missing."""
    told = [event for event in events(match(), PATH) if isinstance(event, Applied)]
    deals = [(one, other) for one, other in pairwise(told) if one.step == other.step]
    assert deals
    steps = {event.step for event in told}
    for one, other in deals:
        assert one.seat < other.seat
        assert one.step - 1 not in steps


@pytest.mark.parametrize(
    ("records", "expected"),
    [(None, "Match file: "), (30, "The match is not finished.")],
    ids=["complete", "unfinished"],
)
def test_a_pipe_gets_all_of_it(
    records: int | None, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_match(tmp_path / "match", played()[:records])
    assert main(["replay", str(path)]) == Exit.OK
    out, err = capsys.readouterr()
    assert expected in out
    assert err == ""


def test_a_match_that_never_began_is_said_to_hold_no_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_match(tmp_path / "match", played()[:1])
    assert main(["replay", str(path)]) == Exit.LOCAL
    assert capsys.readouterr().err == "sunward: The match file holds no step: the match was never begun.\n"


def test_ascii_is_ascii(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_match(tmp_path / "match", played())
    assert main(["replay", str(path), "--plain", "--ascii"]) == Exit.OK
    assert capsys.readouterr().out.isascii()
