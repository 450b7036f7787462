"""A disk that fails where a test says: every call that changes a file is counted, for each of several nodes in one
process of Python.

Must never let a node that died change anything any more, nor count what another one does.
"""

import errno
import os
import pathlib
import shutil
import stat
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest

Done = TypeVar("Done")


class Died(BaseException):
    """The node is gone, at a call that changes a file; nothing of ours may catch it."""


class How(Enum):
    """What happens at a change."""

    BEFORE = "dies before it"
    HEAD = "dies inside a record's head"
    INSIDE = "dies halfway"
    END = "dies before its last byte"
    AFTER = "dies after it"
    FULL = "finds the disk full"
    SHORT = "finds the disk full halfway"
    BROKEN = "is told that the disk is broken"
    POWER = "loses its power before it, and all that was not synced"


WAYS: Mapping[str, tuple[How, ...]] = {
    "create": (How.BEFORE, How.AFTER, How.FULL),
    "empty": (How.BEFORE, How.AFTER),
    "write": (How.BEFORE, How.HEAD, How.INSIDE, How.END, How.AFTER, How.FULL, How.SHORT, How.BROKEN),
    "sync": (How.BEFORE, How.AFTER, How.FULL, How.BROKEN),
    "cut": (How.BEFORE, How.AFTER, How.BROKEN),
    "replace": (How.BEFORE, How.AFTER, How.FULL, How.BROKEN),
    "folder": (How.BEFORE, How.AFTER, How.FULL),
    "remove": (How.BEFORE, How.AFTER),
}
"""What a process, or its disk, may do at each kind of change."""

_PARTS: Mapping[How, Callable[[int], int]] = {
    How.HEAD: lambda size: min(5, size - 1),  # a record's head has 12 bytes, a file's 16
    How.INSIDE: lambda size: size // 2,
    How.END: lambda size: size - 1,
    How.SHORT: lambda size: size // 2,
}
"""How many bytes of a write reach the file."""

_GROWS = ("create", "write", "folder")


class Change(NamedTuple):
    """One call that changes a file or folder, by its name."""

    call: str
    name: str


class Fault(NamedTuple):
    """The change, by number, that goes wrong."""

    at: int
    how: How


class Platter:
    """What of the files below a folder is on the disk itself: contents and names, as far as they were synced."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._contents: dict[int, bytes] = {}  # by inode
        self._names: dict[Path, int | None] = {}  # the inode of a file, None for a folder
        self._keep(root, deep=True)

    def _keep(self, folder: Path, deep: bool = False) -> None:
        for path in folder.iterdir():
            self._names[path] = None if path.is_dir() else path.stat().st_ino
            if deep and path.is_dir():
                self._keep(path, deep=True)
            elif deep:
                self.sync(path)

    def sync(self, path: Path) -> None:
        """Have a file's contents, or a folder's names, on the disk."""
        if path.is_dir():
            self._names = {kept: inode for kept, inode in self._names.items() if kept.parent != path}
            self._keep(path)
        else:
            self._contents[path.stat().st_ino] = path.read_bytes()

    def lose_power(self) -> None:
        """Leave only what is on the disk: a name without contents is an empty file."""
        for path in sorted(self._root.rglob("*"), reverse=True):  # what lies in a folder before the folder
            if path not in self._names:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path, inode in sorted(self._names.items()):
            if inode is not None and path.parent.exists():
                path.write_bytes(self._contents.get(inode, b""))


@dataclass(slots=True, eq=False)
class Life:
    """One node from its start to its end: what it changed, and what goes wrong; `buried` is told when it dies."""

    home: Path
    fault: Fault | None = None
    buried: Callable[[], None] = lambda: None
    changes: list[Change] = field(default_factory=list[Change])
    dead: bool = False
    full: bool = False
    broken: bool = False
    platter: Platter = field(init=False)
    opened: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Device and inode of what it has open, by descriptor."""

    def __post_init__(self) -> None:
        self.platter = Platter(self.home)

    def change(self, change: Change, do: Callable[[], Done], part: Callable[[Callable[[int], int]], Done]) -> Done:
        """Let a change happen, or what the fault makes of it; `part` writes the beginning only."""
        if self.dead:
            raise Died
        if self.full and change.call in _GROWS:
            raise _error(errno.ENOSPC)
        number = len(self.changes)
        self.changes.append(change)
        how = self.fault.how if self.fault is not None and self.fault.at == number else None
        if how is None:
            return do()
        if how in (How.FULL, How.SHORT):
            self.full = True
            if how is How.SHORT:
                return part(_PARTS[how])
            raise _error(errno.ENOSPC)
        if how is How.BROKEN:
            self.broken = True
            raise _error(errno.EIO)
        if how in _PARTS:
            part(_PARTS[how])
        elif how is How.AFTER:
            do()
        elif how is How.POWER:
            token = LIFE.set(None)
            self.platter.lose_power()
            LIFE.reset(token)
        self.dead = True
        self.buried()
        raise Died

    def reap(self) -> None:
        """Close what it left open, as the system does when a process is gone."""
        for descriptor, opened in self.opened.items():
            with suppress(OSError):
                found = os.fstat(descriptor)
                if (found.st_dev, found.st_ino) == opened:
                    os.close(descriptor)


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


LIFE: ContextVar[Life | None] = ContextVar("life", default=None)
"""Whose code is running: callbacks and tasks inherit it from whoever scheduled them."""


@contextmanager
def counted_disk() -> Generator[None]:
    """Count the changes that lives make, and let their faults happen, while the block lasts."""
    paths = dict[int, Path]()
    real_open, real_close, real_write = os.open, os.close, os.write
    real_sync, real_cut, real_text = os.fsync, os.ftruncate, Path.write_text

    def change(call: str, path: Path, do: Callable[[], Done]) -> Done:
        life = LIFE.get()
        return do() if life is None else life.change(Change(call, path.name), do, lambda _: do())

    def open_(path: Any, flags: int, mode: int = 0o777, **rest: Any) -> int:
        def do() -> int:
            descriptor = real_open(path, flags, mode, **rest)
            paths[descriptor] = Path(os.fsdecode(path))
            life = LIFE.get()
            if life is not None and flags & os.O_TMPFILE != os.O_TMPFILE:  # closed by Python, where we do not see it
                found = os.fstat(descriptor)
                life.opened[descriptor] = (found.st_dev, found.st_ino)
            return descriptor

        if flags & os.O_CREAT and not os.path.exists(path):
            return change("create", Path(path), do)
        return change("empty", Path(path), do) if flags & os.O_TRUNC else do()

    def write(descriptor: int, data: bytes) -> int:
        life = LIFE.get()
        if life is None or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return real_write(descriptor, data)
        return life.change(
            Change("write", paths[descriptor].name),
            lambda: real_write(descriptor, data),
            lambda size: real_write(descriptor, data[: size(len(data))]),
        )

    def fsync(descriptor: int) -> None:
        def do() -> None:
            if (life := LIFE.get()) is not None:
                life.platter.sync(paths[descriptor])
            else:
                real_sync(descriptor)

        change("sync", paths[descriptor], do)

    def write_text(path: Path, text: str, encoding: str | None = None) -> int:
        if LIFE.get() is None:
            return real_text(path, text, encoding)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            data = text.encode(encoding or "utf-8")
            if data and os.write(descriptor, data) < len(data):
                os.write(descriptor, data)  # Python tries the rest again, and is told why it does not fit
        finally:
            os.close(descriptor)
        return len(text)

    def close(descriptor: int) -> None:
        if (life := LIFE.get()) is not None:
            life.opened.pop(descriptor, None)
        real_close(descriptor)

    def ftruncate(descriptor: int, size: int) -> None:
        change("cut", paths[descriptor], lambda: real_cut(descriptor, size))

    def on_path(call: str, real: Callable[..., None]) -> Callable[..., None]:
        def changing(path: Any, *rest: Any, **more: Any) -> None:
            change(call, Path(os.fsdecode(path)), lambda: real(path, *rest, **more))

        return changing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", open_)
        patch.setattr(os, "close", close)
        patch.setattr(os, "write", write)
        patch.setattr(os, "fsync", fsync)
        patch.setattr(os, "ftruncate", ftruncate)
        for call, name in (("replace", "replace"), ("folder", "mkdir"), ("remove", "unlink"), ("remove", "rmdir")):
            patch.setattr(os, name, on_path(call, getattr(os, name)))
        patch.setattr(pathlib.Path, "write_text", write_text)
        yield
