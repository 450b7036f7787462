"""A file that one process holds at a time: two processes playing one seat would sign two different things.

Must never outlive its process: the system takes it back, whatever the process died of.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import Self

from sunward_protocol.errors import LocalError

if sys.platform == "win32":
    import msvcrt

    _BEYOND = 2**20  # a locked byte cannot be read by others: not one of the process id's

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_held(folder: Path) -> bool:
    """Whether a process holds the lock of a seat's folder now; a folder that cannot be looked into is not held."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR)
    except OSError:
        return False
    try:
        _lock(descriptor)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


class SeatLock:
    """The lock on a seat's folder, held from `take` to `release`."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, folder: Path) -> Self:
        """Hold the folder's lock; `LocalError` names the process that holds it already."""
        path = folder / "lock"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise LocalError(f"Cannot open {path}: {error.strerror}.") from error
        try:
            _lock(descriptor)
        except OSError as error:
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise LocalError(
                f"This seat is being played already, by process {holder or 'unknown'} on this machine: "
                f"attach to that one, or stop it first. (It holds {path}.)"
            ) from error
        with contextlib.suppress(OSError):  # on a full disk the lock holds all the same, without a name
            os.ftruncate(descriptor, 0)
            os.write(descriptor, b"%d\n" % os.getpid())
        return cls(descriptor)

    def release(self) -> None:
        """Let others have the seat."""
        os.close(self._descriptor)
