"""How the command line ends: the one list of exit codes, and which error leads to which.

Must never be imported for anything heavy: it is read before the command is known.
"""

from collections.abc import Mapping
from enum import IntEnum

from sunward_protocol.errors import DamagedFile, Forged, LocalError, RemoteError, SunwardError


class Exit(IntEnum):
    """What a script can tell from `$?`; documented in docs/play/terminal.md."""

    OK = 0
    BUG = 1
    """An error that nobody foresaw; please report it."""
    USAGE = 2
    """The command line itself cannot be read, wherever it is typed."""
    LOCAL = 3
    """What the command line asks cannot be done on this machine."""
    REMOTE = 4
    """A peer did something that cannot be accepted."""
    CHEAT = 5
    """A match file proves that somebody cheated."""
    DAMAGED = 6
    """A match file does not read back as it was written."""
    UNFINISHED = 7
    """The match is not over; it is saved and can go on."""
    INTERRUPTED = 130
    """Ctrl-C, as shells count it: 128 + SIGINT."""
    CLOSED_PIPE = 141
    """Whoever read our output stopped reading, as shells count it: 128 + SIGPIPE."""


class Misused(LocalError):
    """A command line that its parser took and that means nothing all the same; the text says how it should be."""

    code = "usage"


_BY_CODE: Mapping[str, Exit] = {
    Misused.code: Exit.USAGE,
    "invite": Exit.USAGE,  # these two by their codes, as what defines them imports half the protocol
    "cheat": Exit.CHEAT,
    DamagedFile.code: Exit.DAMAGED,
    Forged.code: Exit.DAMAGED,  # as `verify` judges a file whose chain or signatures do not hold
}


def exit_for(error: SunwardError) -> Exit:
    """Return the exit code of an error that reached the top."""
    return _BY_CODE.get(error.code, Exit.REMOTE if isinstance(error, RemoteError) else Exit.LOCAL)
