"""How the command line ends: the one list of exit codes, and which error leads to which.

Must never be imported for anything heavy: it is read before the command is known.
"""

from collections.abc import Mapping
from enum import IntEnum

from sunward_protocol.errors import DamagedFile, Forged, RemoteError, SunwardError


class Exit(IntEnum):
    """What a script can tell from `$?`; documented in docs/play/terminal.md."""

    OK = 0
    BUG = 1
    """An error that nobody foresaw; please report it."""
    USAGE = 2
    """The command line itself is wrong."""
    LOCAL = 3
    """Something on this machine: a file, a setting, a port."""
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


_BY_CODE: Mapping[str, Exit] = {
    "cheat": Exit.CHEAT,  # by its code, as what defines it imports half the protocol
    DamagedFile.code: Exit.DAMAGED,
    Forged.code: Exit.DAMAGED,  # as `verify` judges a file whose chain or signatures do not hold
}


def exit_for(error: SunwardError) -> Exit:
    """Return the exit code of an error that reached the top."""
    return _BY_CODE.get(error.code, Exit.REMOTE if isinstance(error, RemoteError) else Exit.LOCAL)
