"""A program on a terminal of its own, and what stands on its screen."""

import os
import pty
import select
import struct
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from fcntl import ioctl
from termios import TIOCSWINSZ

import pyte

PATIENCE = 20
"""Seconds after which a screen that does not come is a failure."""


class _Answering(pyte.HistoryScreen):
    """A screen that answers where its cursor is, as terminals do."""

    def __init__(self, columns: int, lines: int, fd: int) -> None:
        super().__init__(columns, lines, history=2000)
        self._fd = fd

    def write_process_input(self, data: str) -> None:
        os.write(self._fd, data.encode())


class Screen:
    """The screen of a running program; every wait reads what it writes until the screen is as wanted."""

    def __init__(self, process: subprocess.Popen[bytes], fd: int, columns: int, lines: int) -> None:
        self._process = process
        self._fd = fd
        self._screen = _Answering(columns, lines, fd)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self.resize(columns, lines)

    @property
    def lines(self) -> list[str]:
        """Return the lines now shown, without trailing blanks."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def title(self) -> str:
        return str(self._screen.title)

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the window, as a person pulling at its corner does."""
        self._screen.resize(lines, columns)
        ioctl(self._fd, TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def until(self, wanted: Callable[["Screen"], bool]) -> None:
        """Read until the screen is as wanted; fail with what is there instead."""
        deadline = time.monotonic() + PATIENCE
        while not wanted(self):
            if not self._read(deadline - time.monotonic()):
                raise AssertionError(f"The screen did not become as wanted. It shows:\n{self.text}")

    def exit_code(self) -> int:
        """Read until the program has ended and return its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline - time.monotonic()):
            pass
        return self._process.wait(PATIENCE)

    def _read(self, seconds: float) -> bool:
        """Feed the screen what has come; return False when nothing came in time or the program has ended."""
        if not select.select([self._fd], [], [], max(0, seconds))[0]:
            return False
        try:
            chunk = os.read(self._fd, 65536)
        except OSError:  # Linux says EIO once the other side has closed
            return False
        self.raw += chunk
        self._stream.feed(chunk)
        return bool(chunk)


@contextmanager
def running(
    command: Sequence[str], environ: Mapping[str, str], *, columns: int = 80, lines: int = 24
) -> Generator[Screen, None, None]:
    """Run a command on a terminal of this size; at the end the window is closed on it, if it still runs."""
    master, slave = pty.openpty()
    # The shell opens the terminal once more by name: that is what makes it the session's own, with signals and all.
    own = ["/bin/sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', os.ttyname(slave), *command]
    process = subprocess.Popen(own, stdin=slave, stdout=slave, stderr=slave, env=environ, start_new_session=True)
    os.close(slave)
    try:
        yield Screen(process, master, columns, lines)
    finally:
        os.close(master)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
