"""Where files go, and what is said when they cannot."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sunward_node.places import Places, private_folder
from sunward_protocol.errors import LocalError

NOBODY = 65534


@contextmanager
def unprivileged() -> Generator[None]:
    """Be an ordinary user meanwhile, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_one_folder_holds_all_when_named(tmp_path: Path) -> None:
    places = Places.find({"SUNWARD_HOME": str(tmp_path)})
    assert places.settings == tmp_path / "config" / "settings.toml"
    assert places.keys == tmp_path / "config" / "keys"
    assert places.match(b"\xab\x01") == tmp_path / "data" / "matches" / "ab01"
    assert places.runtime == tmp_path / "run"
    assert not list(tmp_path.iterdir())


def test_the_systems_conventions_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{variable}_HOME", str(tmp_path / variable))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "RUNTIME"))
    places = Places.find(os.environ)
    assert places.keys == tmp_path / "CONFIG" / "sunward" / "keys"
    assert places.matches == tmp_path / "DATA" / "sunward" / "matches"
    assert places.state == tmp_path / "STATE" / "sunward"
    assert places.runtime == tmp_path / "RUNTIME" / "sunward"


def test_folders_are_made_for_their_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = private_folder(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)
    assert [each.stat().st_mode & 0o777 for each in (made.parent.parent, made.parent, made)] == [0o700] * 3
    assert private_folder(made) == made
    assert not list(made.iterdir())


def test_a_folder_into_which_others_can_put_files_is_refused(tmp_path: Path) -> None:
    shared = private_folder(tmp_path / "shared")
    shared.chmod(0o770)
    with pytest.raises(LocalError, match=f"chmod 700 {shared}"):
        private_folder(shared)


def test_a_folder_that_cannot_be_written_is_named_with_the_cure(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    with unprivileged():
        for path in (closed, closed / "below", in_the_way, in_the_way / "below"):
            with pytest.raises(LocalError, match=rf"Cannot write in the folder {path} .*SUNWARD_HOME"):
                private_folder(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o777)
    os.chown(other, NOBODY, NOBODY)
    with pytest.raises(LocalError, match=f"The folder {other} belongs to another user"):
        private_folder(other)


@pytest.mark.skipif(sys.platform != "linux", reason="only there a session gives the runtime folder")
def test_without_a_session_sockets_lie_in_our_own_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    places = Places.find(os.environ)
    assert places.runtime == places.state / "run"
