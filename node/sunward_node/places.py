"""Where this machine wants our files: settings and keys, matches, sockets.

Must never put anything where others of this machine could read or replace it: every folder made here is 0700.
"""

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

from sunward_protocol.errors import LocalError


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one user; with SUNWARD_HOME all are in that one, so that several nodes can share a machine.

    Nothing exists before `private_folder` makes it.
    """

    config: Path
    data: Path
    state: Path
    runtime: Path

    @classmethod
    def find(cls, environment: Mapping[str, str]) -> Self:
        """Return the places that the environment and the system's conventions name."""
        if home := environment.get("SUNWARD_HOME"):
            root = Path(home).absolute()
            return cls(root / "config", root / "data", root / "state", root / "run")
        system = platformdirs.PlatformDirs("sunward", appauthor=False)
        state = system.user_state_path
        if sys.platform == "linux" and not environment.get("XDG_RUNTIME_DIR"):
            runtime = state / "run"  # under su, cron or ssh; what others fall back to lies where anybody can foresee it
        else:
            runtime = system.user_runtime_path
        return cls(system.user_config_path, system.user_data_path, state, runtime)

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.config / "settings.toml"

    @property
    def keys(self) -> Path:
        """The folder of identities."""
        return self.config / "keys"

    @property
    def matches(self) -> Path:
        """The folder of all matches."""
        return self.data / "matches"

    def match(self, match: bytes) -> Path:
        """The folder of one match, by its id."""
        return self.matches / match.hex()


def private_folder(path: Path) -> Path:
    """Make the folder if need be, 0700, and return it; `LocalError` if we cannot write there or it is not ours."""
    try:
        _make(path)
        with tempfile.TemporaryFile(dir=path):
            pass
        found = path.stat()
    except OSError as error:
        raise LocalError(
            f"Cannot write in the folder {path} ({error.strerror}): make it writable for you, or name another one "
            "in the environment variable SUNWARD_HOME."
        ) from error
    if not hasattr(os, "geteuid"):
        return path  # there, the rights that a folder inherits decide
    if found.st_uid not in (os.geteuid(), 0):
        raise LocalError(
            f"The folder {path} belongs to another user, who could read what is secret: remove it, or name another "
            "one in the environment variable SUNWARD_HOME."
        )
    if found.st_mode & 0o022:
        raise LocalError(
            f"Others can put files of theirs into the folder {path}: `chmod 700 {path}` makes it yours alone."
        )
    return path


def _make(path: Path) -> None:
    """Make a folder and those above it that are missing, all of them 0700: `mkdir` would leave these to the umask."""
    if not path.is_dir():
        _make(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
