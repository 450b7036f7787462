"""Which file a command's MATCH means, and how it is read; must never write into one, nor believe what stands in it."""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sunward.saved import find_saved
from sunward_node.places import Places
from sunward_node.program import typed
from sunward_node.seat import MATCH_FILE
from sunward_node.store import read_records
from sunward_protocol.audit import MatchFile
from sunward_protocol.errors import DamagedFile, LocalError, RemoteError
from sunward_protocol.games.catalog import find

_ID = re.compile(r"[0-9a-fA-F]{4,64}")


class Found(NamedTuple):
    """A match as its file has it; `torn` says that the file ends inside a record."""

    match: MatchFile
    torn: bool


def find_match(text: str) -> Path:
    """Return the file that MATCH means, a path or the beginning of an id; raise `LocalError` if there is none."""
    path = Path(text)
    if path.is_file():
        return path
    if path.exists() or not _ID.fullmatch(text):
        what = "is not a file" if path.exists() else "is no file"
        raise LocalError(f"{text} {what}. MATCH is the path of a match file or the beginning of a match's id.")
    return find_saved(text, Places.find(os.environ)).file


@contextmanager
def unjudged(path: Path) -> Generator[None]:
    """Show a match as far as it can be replayed, and leave it to `verify` to say whose fault the rest is."""
    try:
        yield
    except RemoteError as error:
        judge = typed("verify")
        raise DamagedFile(f"{path} cannot be shown further. {error} `{judge}` says what it proves.") from error


def read_match(path: Path) -> Found:
    """Read a match file; raise `DamagedFile`, `OtherVersion` or `LocalError`, whichever says best why it cannot be."""
    reading = read_records(path, MATCH_FILE)
    return Found(MatchFile(reading.records, find), reading.torn > 0)
