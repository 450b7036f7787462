"""`sunward export`: the lines of a match file, as they come, on standard output and nothing else."""

from pathlib import Path

import pytest

from sunward.__main__ import main
from sunward.exits import Exit
from sunward_protocol.audit import MatchFile
from sunward_protocol.export import lines_of_file
from sunward_protocol.games.catalog import find
from sunward_protocol.log import Entry
from sunward_protocol.records import parse_record
from support.match_files import played, write_match


@pytest.mark.parametrize("records", [1, 20, None], ids=["begun", "unfinished", "complete"])
def test_json_lines(records: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_match(tmp_path / "match", played()[:records])
    assert main(["export", str(path), "--json"]) == Exit.OK
    out, err = capsys.readouterr()
    assert out.splitlines() == list(lines_of_file(MatchFile(played()[:records], find)))
    assert err == ""


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_match(tmp_path / "match", played())
    assert main(["export", str(path)]) == Exit.OK
    text = capsys.readouterr().out
    assert "   0  The match begins: " in text
    assert f"Match file: {path}" in text


def test_a_damaged_file_is_not_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_match(tmp_path / "match", played())
    data = path.read_bytes()
    path.write_bytes(data[:3000] + b"?" + data[3001:])
    assert main(["export", str(path), "--json"]) == Exit.DAMAGED
    out, err = capsys.readouterr()
    assert out == ""
    assert " is damaged in record " in err


@pytest.mark.parametrize("command", ["export --json", "export", "replay --plain"])
def test_what_cannot_be_replayed_is_left_to_verify_to_judge(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = list(played())
    number, act = next(
        (number, entry.bodies[0])
        for number, entry in enumerate(map(parse_record, records))
        if isinstance(entry, Entry) and entry.bodies and number > 9
    )
    # an action ends with the hash of the state that it leads to; its signature is not looked at here
    records[number] = records[number].replace(act, act[:-1] + bytes([act[-1] ^ 1]))
    name, *flags = command.split()
    assert main([name, str(write_match(tmp_path / "match", records)), *flags]) == Exit.DAMAGED
    assert "`sunward verify` says what it proves" in capsys.readouterr().err
