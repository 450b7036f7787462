"""The command line's face: what it offers, how it ends, and how quickly."""

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

import sunward.__main__ as shell
from sunward.cli import COMMANDS, parser
from sunward.exits import Exit
from sunward_protocol.errors import DamagedFile, Forged, IllegalAction, LocalError, Malformed
from sunward_protocol.ledger import Cheat


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sunward", *arguments], capture_output=True, text=True, timeout=30)


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(options: object) -> int:
        raise error

    def load(name: str) -> object:
        return SimpleNamespace(run=fail)

    monkeypatch.setattr(shell, "import_module", load)


def test_help_begins_with_examples_and_lists_every_command_that_is_not_hidden() -> None:
    text = parser().format_help()
    assert text.index("sunward play --seats 3") < text.index("options:")
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("    ") and line[4] != " "]
    assert [command.name for command in COMMANDS if not command.hidden] == listed
    assert "node" not in listed


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run("--help").returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime <= 0.150
    code = "import sys, sunward.__main__ as m; m.parser().format_help(); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30).stdout.split()
    assert not {"zmq", "prompt_toolkit", "cryptography", "msgpack", "asyncio", "logging"} & set(modules)


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args([command, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: sunward {command}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["dance"],
        ["play", "--seats", "0"],
        ["play", "--seats", "many"],
        ["arena", "--bots", "greedy,,random"],
        ["play", "--option", "mats"],
        ["host", "--option", "=advanced"],
        ["host", "--clock", "300"],
        ["play", "--clock", "0+30"],
        ["demo", "--clock", "5+-1"],
        ["verify"],
    ],
)
def test_a_wrong_command_line_is_usage(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(arguments)
    assert caught.value.code == Exit.USAGE
    assert "usage: sunward" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("join sunward1-abc", Exit.USAGE),
        ("rejoin hello", Exit.USAGE),
        ("bot", Exit.USAGE),
        ("bot --lan sunward1-abc", Exit.USAGE),
        ("people name Ann", Exit.USAGE),
        ("host --listen :99999", Exit.USAGE),
        ("play --game chess", Exit.LOCAL),
        ("play --seats 9", Exit.LOCAL),
        ("play --bots nobody", Exit.LOCAL),
        ("people forget Ann", Exit.LOCAL),
        ("resume abcd", Exit.LOCAL),
        ("verify /no/such/file", Exit.LOCAL),
    ],
)
def test_what_no_machine_could_do_is_told_from_what_this_one_cannot(
    line: str, code: Exit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    assert shell.main(["-q", *line.split()]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sunward: ")


def test_flags_of_play() -> None:
    options = parser().parse_args(["play", "--seats", "3", "--bots", "greedy, random", "--plain"])
    assert (options.game, options.seats, options.bots) == ("around", 3, ("greedy", "random"))
    assert (options.plain, options.ascii, options.verbose, options.quiet) == (True, False, False, False)


def test_options_of_a_game_are_given_one_by_one() -> None:
    options = parser().parse_args(["play", "--option", "mats=advanced", "--option", "factions=chosen"])
    assert dict(options.settings) == {"mats": "advanced", "factions": "chosen"}
    assert parser().parse_args(["play"]).settings == []


@pytest.mark.parametrize("command", ["play", "host", "demo"])
def test_a_table_may_have_clocks(command: str) -> None:
    assert parser().parse_args([command, "--clock", "300+30"]).clock == {"bank": 300, "increment": 30, "frames": 30}
    assert parser().parse_args([command, "--clock", "off"]).clock == parser().parse_args([command]).clock == {}


@pytest.mark.parametrize("arguments", [["-v", "demo"], ["demo", "-v"]])
def test_volume_may_stand_on_either_side_of_the_command(arguments: Sequence[str]) -> None:
    assert parser().parse_args(arguments).verbose is True


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (LocalError("The port is taken: choose another."), Exit.LOCAL, "The port is taken: choose another."),
        (Malformed("No message."), Exit.REMOTE, "No message."),
        (Forged("No signature of hers."), Exit.DAMAGED, "No signature of hers."),
        (Cheat(0, 3, "An illegal action was signed."), Exit.CHEAT, "An illegal action was signed."),
        (DamagedFile("Byte 7 is damaged."), Exit.DAMAGED, "Byte 7 is damaged."),
        (IllegalAction("R1", "You hold a token."), Exit.LOCAL, "You hold a token. (R1)"),
        (PermissionError(13, "Permission denied", "/x"), Exit.LOCAL, "/x: Permission denied."),
        (KeyboardInterrupt(), Exit.INTERRUPTED, ""),
        (
            ZeroDivisionError("oh"),
            Exit.BUG,
            "A mistake in sunward itself (ZeroDivisionError: oh). Please report it, with -v for the details.",
        ),
    ],
)
def test_every_ending_is_one_sentence_and_a_code(
    error: BaseException, code: Exit, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fail_with(monkeypatch, error)
    assert shell.main(["-q", "verify", "x"]) == code
    assert capsys.readouterr() == ("", f"sunward: {said}\n" if said else "")


def test_verbose_shows_the_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fail_with(monkeypatch, ZeroDivisionError("oh"))
    assert shell.main(["-q", "-v", "verify", "x"]) == Exit.BUG
    assert "Traceback" in capsys.readouterr().err


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("sunward 0.")


def test_closed_streams_are_empty_ones(tmp_path: Path) -> None:
    command = f"SUNWARD_HOME={tmp_path} {sys.executable} -m sunward matches <&- >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
