"""Processes that announce a table or watch for tables, in the hosts of a test's network, and how a test talks to them.

Run as a script it is such a process: `announce ENDPOINT` reads lines of JSON that say what to show (null for nothing),
`browse` prints a line for each change of the tables it sees, with the system's monotonic clock, which all hosts share.
"""

import asyncio
import functools
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from sunward_node.discovery import announcing, browsing
from sunward_node.opentable import OpenTable
from sunward_node.order import Invite

if TYPE_CHECKING:
    from support.namespaces import Host

PORT = 4242
PATIENCE = 60.0
EVERYWHERE = f"tcp://[::]:{PORT}"


def patient(test: Callable[[], Coroutine[object, object, None]]) -> Callable[[], None]:
    """Run an async test that waits for what a network forgets only after a while."""

    @functools.wraps(test)
    def run() -> None:
        asyncio.run(asyncio.wait_for(test(), PATIENCE))

    return run


def open_table(number: int, taken: int = 1) -> OpenTable:
    """Return a table that a test tells apart by its number."""
    keys = [bytes([number, which] * 16).hex() for which in (1, 2, 3)]
    return OpenTable(Invite(keys[0], keys[0][:32], keys[1], keys[2], ()), "around", f"Host {number}", 4, taken)


class Peer:
    """A process in a host."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, host: "Host", *arguments: str) -> "Peer":
        """Start one, and return it when it is at work."""
        process = await asyncio.create_subprocess_exec(
            *host.command(sys.executable, __file__, *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONWARNINGS": "error"},
        )
        peer = cls(process)
        assert await peer.line() == {"ready": True}
        return peer

    def show(self, number: int | None, taken: int = 1) -> float:
        """Have an announcing one show a table, or none; return when that was."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([number, taken]).encode() + b"\n")
        return time.monotonic()

    async def line(self) -> Mapping[str, Any]:
        """Return the next thing it says."""
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        assert line, "the process ended"
        return cast("Mapping[str, Any]", json.loads(line))

    async def until(self, seen: Callable[[Mapping[str, Mapping[str, Any]]], bool], within: float) -> float:
        """Wait until what a browsing one sees, by host's name, is as wanted; return when it was."""
        tables: object = "nothing yet"
        try:
            async with asyncio.timeout(within):
                while True:
                    news = await self.line()
                    tables = {table["name"]: table for table in news["tables"]}
                    if seen(tables):
                        return float(news["at"])
        except TimeoutError:
            raise AssertionError(f"after {within} s it sees {tables}") from None

    async def close(self) -> None:
        """Let it end in order."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert await self.process.wait() == 0


@asynccontextmanager
async def announcer(host: "Host", listening: str = EVERYWHERE) -> AsyncGenerator[Peer]:
    """Return one that announces, until the end of the block; it may be killed or closed before."""
    peer = await Peer.start(host, "announce", listening)
    yield peer
    if peer.process.returncode is None:
        await peer.close()


@asynccontextmanager
async def browser(host: "Host") -> AsyncGenerator[Peer]:
    """Return one that browses, until the end of the block."""
    peer = await Peer.start(host, "browse")
    yield peer
    await peer.close()


def _say(news: Mapping[str, object]) -> None:
    print(json.dumps(news), flush=True)


async def _lines() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def _announce(listening: str) -> None:
    lines = await _lines()
    async with announcing(listening) as told:
        _say({"ready": True})
        while line := await lines.readline():
            number, taken = json.loads(line)
            told.show(None if number is None else open_table(number, taken))


async def _browse() -> None:
    lines = await _lines()

    def changed() -> None:
        tables = [
            {"name": table.name, "taken": table.taken, "words": table.words, "endpoints": table.invite.endpoints}
            for table in seen.tables
        ]
        _say({"at": time.monotonic(), "tables": tables})

    async with browsing(changed) as seen:
        _say({"ready": True})
        await lines.readline()


def _main(arguments: Sequence[str]) -> None:
    asyncio.run(_announce(arguments[1]) if arguments[0] == "announce" else _browse())


if __name__ == "__main__":
    _main(sys.argv[1:])
