"""`sunward arena`: the same seed gives the same bytes, wins are counted by share, and bad flags are answered."""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sunward.__main__ import main
from sunward.commands.arena import Tally, tally
from sunward.exits import Exit
from sunward_protocol.games.game import Result

THREE = ["arena", "--bots", "greedy,random,random"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_number_of_processes_changes_no_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    for jobs in ("1", "2"):
        folder = tmp_path / jobs
        series = ["--matches", "12", "--seed", "x", "--jobs", jobs, "--export", str(folder), "--json"]
        assert main([*THREE, *series]) == Exit.OK
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert list(files(tmp_path / "1")) == [f"{number:06}.jsonl" for number in range(12)]


def test_json_counts_every_seat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--matches", "4", "--seed", "x", "--jobs", "1", "--export", str(tmp_path / "new" / "folder"), "--json"]
    assert main([*THREE, *options]) == Exit.OK
    out, err = capsys.readouterr()
    counted = json.loads(out)
    assert err == ""
    assert (counted["matches"], counted["game"], counted["seed"]) == (4, "once-around-the-sun", "x")
    results = [
        json.loads(text.splitlines()[-1])["result"]
        for text in map(bytes.decode, files(tmp_path / "new" / "folder").values())
    ]
    for seat, name in enumerate(("greedy", "random", "random")):
        wins = sum(1 / len(result["winners"]) for result in results if seat in result["winners"])
        assert counted["bots"][seat] == {
            "seat": seat,
            "name": name,
            "matches": 4,
            "wins": wins,
            "win_rate": wins / 4,
            "mean_score": sum(result["scores"][seat] for result in results) / 4,
        }


def test_a_file_begins_with_who_played_and_has_nothing_but_lines_of_json(tmp_path: Path) -> None:
    assert main([*THREE, "--matches", "1", "--export", str(tmp_path)]) == Exit.OK
    (text,) = files(tmp_path).values()
    header, *steps = map(json.loads, text.decode().splitlines())
    assert text.endswith(b"}\n")
    assert [player["name"] for player in header["players"]] == ["greedy 0", "random 1", "random 2"]
    assert [step["step"] for step in steps[:-1]] == list(range(len(steps) - 1))


def test_another_seed_is_another_series(capsys: pytest.CaptureFixture[str]) -> None:
    for seed in ("1", "2"):
        main([*THREE, "--matches", "3", "--seed", seed, "--jobs", "1"])
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["3 matches, seed 1", "seat  bot            wins     rate    score"]
    assert said[1] == said[6]
    assert said[2:5] != said[7:]


def test_a_shared_win_counts_its_share() -> None:
    """Seat 0 wins once alone and shares one win of two and one of three: 1 + 1/2 + 1/3."""
    results = [
        Result((9, 1, 1), (0,)),
        Result((5, 5, 4), (0, 1)),
        Result((6, 6, 6), (0, 1, 2)),
        Result((1, 2, 3), (2,)),
    ]
    assert tally(0, "a", results) == Tally(0, "a", 4, wins=11 / 6, win_rate=11 / 24, mean_score=21 / 4)
    assert tally(1, "b", results).wins == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--bots", "greedy,random"],
            "is for 3 to 6 players, and the arena takes a bot for each seat; --bots names 2.",
        ),
        (["--bots", "greedy,gredy,random"], "There is no bot called 'gredy' for Once Around The Sun."),
        (["--game", "chess", *THREE[1:]], "There is no game called 'chess' here."),
        ([*THREE[1:], "--components", "{file}"], "{file}: line 1 column 1 is not JSON: Expecting value."),
        ([*THREE[1:], "--components", "{folder}/none"], "{folder}/none: No such file or directory."),
        ([*THREE[1:], "--export", "{file}"], "{file} cannot be written: File exists."),
        ([*THREE[1:], "--export", "{file}/below"], "{file}/below cannot be written: Not a directory."),
    ],
)
def test_bad_flags(options: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = {"folder": tmp_path, "file": tmp_path / "file"}
    places["file"].write_text("no components")
    assert main(["arena", "--matches", "1", *[option.format(**places) for option in options]]) == Exit.LOCAL
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sunward: ")
    assert sentence.format(**places) in err
    assert err.count("\n") == 1


def test_no_matches_are_not_played(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*THREE, "--matches", "0"])
    assert caught.value.code == Exit.USAGE
    assert "'0' is no count: give a whole number, 1 or more" in capsys.readouterr().err


def limit(size: int) -> Callable[[], None]:
    """Return what lets no file of a process grow beyond this many bytes: as a full disk, with another error."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_disk_that_takes_no_more_leaves_whole_files_only(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sunward", *THREE, "--matches", "2", "--jobs", "1", "--export", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, preexec_fn=limit(20_000))
    assert done.returncode == Exit.LOCAL
    assert done.stdout == ""
    assert done.stderr == (
        f"sunward: {tmp_path}/000000.jsonl cannot be written: File too large. "
        "Make room there, or give --export another folder.\n"
    )
    assert files(tmp_path) == {}


def test_options_of_the_game_are_played_with_and_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    series = ["arena", "--game", "beyond", "--bots", "random,random", "--matches", "1", "--export", str(tmp_path)]
    assert main([*series, "--option", "mats=advanced"]) == Exit.OK
    first, start, *_ = files(tmp_path)["000000.jsonl"].decode().splitlines()
    assert json.loads(first)["options"] == {"mats": "advanced"}
    assert json.loads(start)["state"]["options"]["mats"] == "advanced"
    capsys.readouterr()
    assert main([*series, "--option", "mats=gold"]) == Exit.LOCAL
    assert "no option mats=gold. There are mats: basic, advanced; " in capsys.readouterr().err
