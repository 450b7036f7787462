"""A rematch from the front door, by a person at a terminal."""

import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ENOUGH = 90.0
"""Seconds for a match against two bots; it takes a tenth."""


class Person:
    """A sunward command at a terminal, and what it has shown so far."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sunward", *arguments],
            env={**os.environ, "SUNWARD_HOME": str(home), "NO_COLOR": "1"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def reads(self, *wanted: str) -> str:
        """Read on until one of these was shown, and return it and forget all before."""
        end = time.monotonic() + ENOUGH
        found = None
        while found is None:
            assert time.monotonic() < end, self.shown[-2000:]
            found = re.search("|".join(map(re.escape, wanted)), self.shown)
            if found is None:
                self.shown += os.read(self.ours, 65536).decode("utf-8", "replace")
        self.shown = self.shown[found.end() :]
        return found[0]

    def types(self, line: str) -> None:
        os.write(self.ours, line.encode() + b"\r")

    def close(self) -> None:
        """Leave nothing behind."""
        self.process.kill()
        self.process.wait()
        with suppress(OSError):
            os.close(self.ours)


def test_a_host_with_a_port_of_its_own_opens_the_next_table_beside_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        where = f"127.0.0.1:{free.getsockname()[1]}"
    ann = Person(tmp_path, "host", "--seats", "3", "--bots", "random,random", "--no-qr", "--ready", "--listen", where)
    try:
        ann.reads("It is not announced")
        while ann.reads("your choice", "Match file") == "your choice":
            ann.types("1")
        ann.types("quit")
        ann.reads("[y/N]")
        ann.types("y")
        ann.reads(f"another port than {where}")
        while ann.reads("your choice", "Match file") == "your choice":
            ann.types("1")
        ann.types("quit")
        ann.reads("[y/N]")
        ann.process.send_signal(signal.SIGINT)
        assert ann.process.wait(ENOUGH) == 130, "Ctrl-C is an answer, too"
    finally:
        ann.close()
