"""The command line as a new user meets it: real processes, real sockets, real files."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from sunward_node.order import Order
from sunward_node.seat import MATCH_FILE
from sunward_node.store import RecordFile, read_records

pytestmark = pytest.mark.slow

PLAYING = "1\n" * 400
"""Always the first legal action: more of them than any match asks for."""


@pytest.fixture
def home(tmp_path: Path) -> Mapping[str, str]:
    """An environment with a home of its own for everything that Sunward writes."""
    return os.environ | {"SUNWARD_HOME": str(tmp_path / "home"), "NO_COLOR": "1"}


def sunward(home: Mapping[str, str], *arguments: str, told: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "sunward", *arguments]
    return subprocess.run(command, env=home, input=told, capture_output=True, text=True, timeout=100, check=False)


def match_files(home: Mapping[str, str]) -> list[Path]:
    return sorted(Path(home["SUNWARD_HOME"]).glob("data/matches/*/*/match.sunward"))


def node_processes(home: Mapping[str, str]) -> list[int]:
    """The nodes that were started from this home."""
    mark = f"SUNWARD_HOME={home['SUNWARD_HOME']}".encode()
    found = list[int]()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes() and b"\0node\0" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether a condition comes to hold in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_demo_ends_verified_at_every_seat(home: Mapping[str, str], seats: int) -> None:
    done = sunward(home, "demo", "--seats", str(seats), "--bots", "random", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["verdict"] == "complete"
    assert len(told["scores"]) == seats
    best = max(told["scores"])
    assert told["winners"] == [seat for seat, score in enumerate(told["scores"]) if score == best]
    files = match_files(home)
    assert len(files) == seats
    for file in files:
        verdict = json.loads(sunward(home, "verify", str(file), "--json").stdout)
        assert (verdict["verdict"], verdict["winners"]) == ("complete", told["winners"])
    exports = {sunward(home, "export", str(file), "--json").stdout for file in files}
    assert len(exports) == 1
    last = json.loads(exports.pop().splitlines()[-1])
    assert last == {"result": {"scores": told["scores"], "winners": told["winners"]}}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_other_game_goes_through_the_same_door(home: Mapping[str, str], seats: int) -> None:
    done = sunward(home, "demo", "--game", "beyond", "--seats", str(seats), "--bots", "random", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["verdict"], len(told["scores"])) == ("complete", seats)
    for file in match_files(home):
        assert sunward(home, "verify", str(file)).returncode == 0
    lines = sunward(home, "export", told["file"], "--json").stdout.splitlines()
    assert json.loads(lines[-1]) == {"result": {"scores": told["scores"], "winners": told["winners"]}}


def test_a_match_is_played_through_a_pipe(home: Mapping[str, str]) -> None:
    done = sunward(home, "play", "--plain", "--bots", "random", told=PLAYING)
    assert (done.returncode, done.stderr) == (0, "")
    assert "wins with" in done.stdout or "share the win" in done.stdout
    assert "\x1b" not in done.stdout
    assert node_processes(home) == []


def test_a_match_that_was_left_is_resumed(home: Mapping[str, str]) -> None:
    left = sunward(home, "play", "--plain", "--seats", "3", told="1\n1\n1\n")
    assert left.returncode == 7
    name = left.stdout.rsplit("sunward resume ", 1)[1].strip()
    listed = json.loads(sunward(home, "matches", "--json").stdout)
    assert [(each["match"][:12], each["over"]) for each in listed] == [(name, False)]
    half = json.loads(sunward(home, "verify", name, "--json").stdout)
    assert half["verdict"] == "unfinished"
    done = sunward(home, "resume", name, "--plain", told=PLAYING)
    assert done.returncode == 0
    assert json.loads(sunward(home, "verify", name, "--json").stdout)["verdict"] == "complete"
    assert sunward(home, "resume").returncode == 3, "nothing is left to resume"


@pytest.fixture
def playing(home: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A match that waits for its person."""
    command = [sys.executable, "-m", "sunward", "play", "--plain", "--seats", "3"]
    process = subprocess.Popen(
        command, env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if "to play" in line and "(you)" not in line and line.startswith("round"):
                break
        yield process
    finally:
        process.kill()
        process.communicate()
        assert eventually(lambda: node_processes(home) == [])


def test_nodes_end_with_whoever_started_them(home: Mapping[str, str], playing: "subprocess.Popen[str]") -> None:
    assert len(node_processes(home)) == 3
    playing.kill()
    assert eventually(lambda: node_processes(home) == [])
    assert sunward(home, "resume", "--plain", told=PLAYING).returncode == 0


def test_a_bot_that_dies_is_named_and_the_match_goes_on_after_resume(
    home: Mapping[str, str], playing: "subprocess.Popen[str]"
) -> None:
    os.kill(max(node_processes(home)), signal.SIGKILL)
    assert playing.wait(timeout=20) == 3
    assert playing.stderr is not None
    assert "A node of ours ended" in playing.stderr.read()
    assert sunward(home, "resume", "--plain", told=PLAYING).returncode == 0


def test_a_seat_is_played_by_one_process_only(home: Mapping[str, str], playing: "subprocess.Popen[str]") -> None:
    for file in match_files(home):
        second = sunward(home, "node", told=Order(resume=str(file.parent)).to_json() + "\n")
        assert second.returncode == 3
        assert "being played already, by process" in json.loads(second.stdout)["error"]
    assert len(node_processes(home)) == 3


def test_resume_sits_down_at_a_node_that_still_plays(home: Mapping[str, str], playing: "subprocess.Popen[str]") -> None:
    assert playing.stdin is not None
    playing.stdin.write("detach\n")
    playing.stdin.flush()
    assert playing.wait(20) == 0
    before = sorted(node_processes(home))
    assert len(before) == 3, "all of them stay"
    done = sunward(home, "resume", "--plain", told=PLAYING)
    assert done.returncode == 0
    assert "wins with" in done.stdout or "share the win" in done.stdout
    assert set(node_processes(home)) <= set(before), "no new one was started"
    for number in node_processes(home):
        os.kill(number, signal.SIGTERM)


@pytest.mark.parametrize("resumed", [False, True], ids=["begun", "resumed"])
def test_quit_ends_the_bots_that_were_left_with_one_s_node(
    home: Mapping[str, str], playing: "subprocess.Popen[str]", resumed: bool
) -> None:
    playing.communicate("quit\n" if resumed else "detach\n", 20)
    if resumed:
        sunward(home, "resume", "--plain", told="detach\n")
    assert len(node_processes(home)) == 3
    assert "Go on with: " in sunward(home, "resume", "--plain", told="quit\n").stdout
    assert eventually(lambda: node_processes(home) == [])
    assert sunward(home, "resume", "--plain", told=PLAYING).returncode == 0


def test_a_damaged_file_says_where_and_a_cut_one_is_unfinished(home: Mapping[str, str], tmp_path: Path) -> None:
    sunward(home, "demo", "--seats", "3", "--bots", "random", "--quiet")
    whole = match_files(home)[0].read_bytes()
    damaged, cut = tmp_path / "damaged", tmp_path / "cut"
    damaged.write_bytes(whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1 :])
    cut.write_bytes(whole[:-3])
    done = sunward(home, "verify", str(damaged), "--json")
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (6, "damaged")
    done = sunward(home, "verify", str(cut), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["verdict"]) == (7, "unfinished")
    assert "ends inside a record" in told["reason"]


def test_a_key_that_others_can_read_is_refused_with_the_cure(home: Mapping[str, str]) -> None:
    sunward(home, "demo", "--seats", "3", "--bots", "random", "--quiet")
    key = Path(home["SUNWARD_HOME"]) / "config" / "keys" / "identity.pem"
    key.chmod(0o644)
    done = sunward(home, "demo", "--seats", "3")
    assert done.returncode == 3
    assert f"chmod 600 {key}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("play", "--seats", "7"), 3, "3 to 6"),
        (("demo", "--bots", "clever"), 3, "no bot called"),
        (("play", "--game", "chess"), 3, "no game called"),
        (("demo", "--components", "nowhere.json"), 3, "nowhere.json"),
        (("verify", "nowhere"), 3, "nowhere"),
        (("resume", "abcd"), 3, "sunward matches"),
        (("play", "--seats", "x"), 2, "whole number"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    home: Mapping[str, str], arguments: tuple[str, ...], code: int, word: str
) -> None:
    done = sunward(home, *arguments)
    assert done.returncode == code
    assert word in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def left(home: Mapping[str, str]) -> Mapping[str | None, Path]:
    """The folders of a match that was left, by the bot that plays the seat; the person's by None."""
    assert sunward(home, "play", "--plain", "--seats", "3", "--bots", "random,greedy", told="1\n1\n").returncode == 7
    folders = [file.parent for file in match_files(home)]
    return {json.loads((folder / "seat.json").read_text())["bot"]: folder for folder in folders}


def test_a_lost_log_is_had_again_from_the_others(home: Mapping[str, str], left: Mapping[str | None, Path]) -> None:
    (left[None] / "match.sunward").unlink()
    (left["random"] / "match.sunward").write_bytes(b"")
    assert sunward(home, "resume", "--plain", told=PLAYING).returncode == 0
    for file in match_files(home):
        assert json.loads(sunward(home, "verify", str(file), "--json").stdout)["verdict"] == "complete"


@pytest.mark.parametrize("bot", [None, "random"])
@pytest.mark.parametrize(
    ("name", "code", "cure"),
    [
        ("match.sunward", 6, "of any other seat"),
        ("seat.journal", 6, "may sign something twice"),
        ("seat.keys", 6, "Put a copy of it back"),
        ("seat.json", 6, "for a person"),
    ],
)
def test_a_damaged_file_of_a_seat_is_told_with_its_cure(
    home: Mapping[str, str], left: Mapping[str | None, Path], bot: str | None, name: str, code: int, cure: str
) -> None:
    (left[bot] / name).write_bytes(b"rubbish" * 9)
    done = sunward(home, "resume", "--plain", told=PLAYING)
    assert done.returncode == code
    assert str(left[bot] / name) in done.stderr
    assert cure in done.stderr
    assert "Traceback" not in (Path(home["SUNWARD_HOME"]) / "state" / "node.log").read_text()


def falsified(records: list[bytes]) -> list[bytes]:
    return [*records[:-1], records[-1][:-1] + bytes([records[-1][-1] ^ 1])]


def without_the_fifth(records: list[bytes]) -> list[bytes]:
    return [*records[:4], *records[5:]]


@pytest.mark.parametrize(
    ("spoil", "said"), [(falsified, "does not hold."), (without_the_fifth, "lacks a step, or has one twice.")]
)
def test_a_log_of_whole_records_that_are_not_its_match_is_damaged(
    home: Mapping[str, str],
    left: Mapping[str | None, Path],
    spoil: Callable[[list[bytes]], list[bytes]],
    said: str,
) -> None:
    file = left[None] / "match.sunward"
    spoiled = spoil(read_records(file, MATCH_FILE).records)
    file.unlink()
    with RecordFile.open(file, MATCH_FILE) as fresh:
        fresh.append(spoiled)
    done = sunward(home, "resume", "--plain", told=PLAYING)
    assert done.returncode == 6
    assert f"{file} {said}" in done.stderr
    assert "of any other seat" in done.stderr
    assert read_records(file, MATCH_FILE).records == spoiled


def test_a_seat_that_has_no_folder_here_is_named(home: Mapping[str, str], left: Mapping[str | None, Path]) -> None:
    shutil.rmtree(left["greedy"])
    command = [sys.executable, "-m", "sunward", "resume", "--plain"]
    process = subprocess.Popen(command, env=home, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "greedy-2 must come back too" in process.stderr.readline()
    process.communicate()  # ends its input
    assert process.returncode == 7


def test_a_closed_input_is_one_that_ended(home: Mapping[str, str]) -> None:
    command = f"{sys.executable} -m sunward play --plain --seats 3 <&-"
    done = subprocess.run(["sh", "-c", command], env=home, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (7, "")


def test_alone_it_offers_what_is_open_and_how_to_begin(home: Mapping[str, str]) -> None:
    assert "sunward play" in sunward(home).stdout
    left = sunward(home, "play", "--plain", "--seats", "3", told="1\n")
    assert left.returncode == 7
    done = sunward(home)
    assert done.returncode == 0
    name = left.stdout.rsplit("sunward resume ", 1)[1].strip()
    assert f"sunward resume {name}" in done.stdout
