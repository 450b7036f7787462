"""Checks of the machine: what each says when all is well, and the cure when it is not."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from sunward_node.addressbook import AddressBook
from sunward_node.doctor import machine
from sunward_node.doctor.asking import ask
from sunward_node.doctor.finding import Finding, Level
from sunward_node.keys import load_identity
from sunward_node.places import Places, private_folder

HOUR = 3600.0
NOON = 1_800_000_000.0  # 2027-01-15 08:00 UTC


def places(folder: Path) -> Places:
    return Places.find({"SUNWARD_HOME": str(folder / "home")})


def one(findings: list[Finding], check: str) -> Finding:
    (found,) = [finding for finding in findings if finding.check == check]
    return found


def test_versions_are_those_that_are_installed() -> None:
    found = list(machine.versions())
    assert [finding.check for finding in found] == ["python", "sunward", "zeromq", "cryptography", "msgpack"]
    assert {finding.level for finding in found} == {Level.OK}
    assert "with CURVE" in one(found, "zeromq").sentence
    assert "OpenSSL" in one(found, "cryptography").sentence


def test_folders_are_looked_at_and_not_made(tmp_path: Path) -> None:
    found = list(machine.folders(places(tmp_path)))
    assert {finding.level for finding in found} == {Level.OK}
    assert found[0].sentence == f"{tmp_path}/home/config is made on first use."
    assert list(tmp_path.iterdir()) == []
    private_folder(places(tmp_path).config)
    assert next(machine.folders(places(tmp_path))).sentence == f"{tmp_path}/home/config is ours."


def test_a_folder_that_is_a_file_fails_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    found = list(machine.folders(places(tmp_path)))
    assert {finding.level for finding in found} == {Level.FAILED}
    assert "make it writable for you, or name another one" in found[0].sentence


def test_no_files_are_fine_and_none_is_made(tmp_path: Path) -> None:
    found = list(machine.files(places(tmp_path), {}))
    assert {finding.level for finding in found} == {Level.OK}
    assert one(found, "identity").sentence == "You have no key yet; it is made when you first play."
    assert list(tmp_path.iterdir()) == []


def test_each_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    here = places(tmp_path)
    load_identity(private_folder(here.keys), lambda: None)
    AddressBook.of(here).add(bytes(32), "Ada")
    assert one(list(machine.files(here, {})), "identity").sentence.startswith("You are ")
    assert one(list(machine.files(here, {})), "address book").sentence == "Your address book has 1 names."
    (here.keys / "identity.pem").chmod(0o644)
    here.settings.write_text('discovery = "perhaps"')
    (here.config / "people.toml").write_text("?")
    found = list(machine.files(here, {}))
    assert {finding.level for finding in found} == {Level.FAILED}
    assert "chmod 600" in one(found, "identity").sentence
    assert "'perhaps', but must be yes or no" in one(found, "settings").sentence
    assert "is no address book" in one(found, "address book").sentence


@pytest.mark.parametrize(
    ("mebibytes", "level"), [(15, Level.FAILED), (16, Level.WARNING), (199, Level.WARNING), (200, Level.OK)]
)
def test_room_on_the_disk(mebibytes: int, level: Level) -> None:
    found = machine.disk(Path("/there"), mebibytes * 2**20)
    assert found.level is level
    cure = "" if level is Level.OK else ": make room there before you play"
    assert found.sentence == f"{mebibytes} MiB are free for matches in /there{cure}."


def test_free_space_is_asked_where_the_folder_will_be(tmp_path: Path) -> None:
    assert machine.disk_free(places(tmp_path)) > 0
    assert machine.nearest(tmp_path / "a" / "b") == tmp_path


def test_clock() -> None:
    right, service = machine.clock(NOON, 1.0, 1.01, synchronised=True)
    assert right.sentence == "The clock says it is 2027-01-15 08:00 UTC; matches do not depend on it."
    assert {right.level, service.level} == {Level.OK}
    (old,) = machine.clock(0.0, 1.0, 1.0, synchronised=None)
    assert (old.level, old.sentence[:40]) == (Level.WARNING, "The clock says it is 1970-01-01: set it,")
    jumped, alone = machine.clock(NOON, 1.0, 1.0 - HOUR, synchronised=False)
    assert "The clock jumped by -3600.0 s just now" in jumped.sentence
    assert {jumped.level, alone.level} == {Level.WARNING}
    assert "timedatectl set-ntp on" in alone.sentence


class Screen(io.TextIOWrapper):
    """A terminal of some encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding)

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("encoding", "environment", "columns", "level", "said"),
    [
        ("utf-8", {"TERM": "xterm"}, 80, Level.OK, "80 columns, utf-8, colours."),
        ("utf-8", {"TERM": "xterm", "NO_COLOR": "1"}, 80, Level.OK, "80 columns, utf-8, no colours."),
        ("utf-8", {}, 120, Level.OK, "120 columns, utf-8, no colours."),
        ("utf-8", {"TERM": "xterm"}, 79, Level.WARNING, "79 columns show the board as a list: the grid needs 80."),
        ("latin-1", {"TERM": "xterm"}, 80, Level.WARNING, "set LANG=C.UTF-8."),
    ],
)
def test_terminal(encoding: str, environment: dict[str, str], columns: int, level: Level, said: str) -> None:
    (found,) = machine.terminal(Screen(encoding), environment, columns)
    assert found.level is level
    assert found.sentence.endswith(said)


def test_no_terminal_is_fine() -> None:
    (found,) = machine.terminal(io.StringIO(), {}, 80)
    assert found.level is Level.OK


def test_nodes_at_work_are_counted(tmp_path: Path) -> None:
    here = places(tmp_path)
    assert machine.nodes(here).sentence == "No node of yours is playing on this machine."
    wait = "import sys; sys.stdin.read()  # sunward"
    with subprocess.Popen([sys.executable, "-c", wait], stdin=subprocess.PIPE) as node:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        for number, holder in enumerate((node.pid, ended.pid, "nonsense")):
            folder = private_folder(here.matches / "aa" / str(number))
            (folder / "lock").write_text(f"{holder}\n")
        assert machine.nodes(here).sentence == f"One node of yours is playing on this machine: process {node.pid}."
        assert node.stdin is not None
        node.stdin.close()


def test_programs_that_are_not_there_are_not_minded() -> None:
    assert ask("there-is-no-such-program") == ""
    assert ask(sys.executable, "-c", "print(7)").strip() == "7"
    assert machine.is_synchronised() in (True, False, None)
