"""Which file a command's MATCH means, and how it is read; must never write into one, nor believe what stands in it."""

from pathlib import Path
from typing import NamedTuple

from sunward_node.store import Kind, read_records
from sunward_protocol.audit import MatchFile
from sunward_protocol.errors import LocalError
from sunward_protocol.games.catalog import find
from sunward_protocol.records import LOG_MAGIC


class Found(NamedTuple):
    """A match as its file has it; `torn` says that the file ends inside a record."""

    match: MatchFile
    torn: bool


def find_match(text: str) -> Path:
    """Return the file that MATCH means, which is a path; raise `LocalError` if there is none."""
    path = Path(text)
    if not path.exists():
        raise LocalError(f"There is no file {text}. MATCH is the path of a match file, as it is printed after a match.")
    if not path.is_file():
        raise LocalError(f"{text} is not a file. MATCH is the path of a match file, as it is printed after a match.")
    return path


def read_match(path: Path) -> Found:
    """Read a match file; raise `DamagedFile`, `OtherVersion` or `LocalError`, whichever says best why it cannot be."""
    reading = read_records(path, Kind(LOG_MAGIC))
    return Found(MatchFile(reading.records, find), reading.torn > 0)
