"""A link between two nodes on this machine as a far and bad network makes it: late, stalled, one-way, cut or reset.

Must never change, lose or reorder a byte of a connection that stays open: that is what TCP promises.
"""

import asyncio
import socket
import struct
from collections import deque
from contextlib import suppress
from enum import Enum
from typing import Self

_CHUNK = 64 * 1024


class Way(Enum):
    """A direction, as seen from whoever dialed."""

    OUT = "from the dialer"
    BACK = "to the dialer"


BOTH = frozenset(Way)


class Proxy:
    """Listens at `port` for connections to another port of this machine; `delay` is seconds each way, for each byte.

    `stalled` are the directions in which nothing flows: what comes is kept until it flows again.
    """

    port: int

    def __init__(self, target: int, delay: float) -> None:
        self._target = target
        self._delay = delay
        self._lines: set[_Line] = set()
        self._stalled: frozenset[Way] = frozenset()
        self._open = True
        self._server: asyncio.Server | None = None
        self.accepted = 0
        """Connections so far."""

    @classmethod
    async def start(cls, target: int, delay: float) -> Self:
        """Return a proxy that listens."""
        proxy = cls(target, delay)
        proxy._server = await asyncio.start_server(proxy._accept, "127.0.0.1", 0)
        proxy.port = proxy._server.sockets[0].getsockname()[1]
        return proxy

    def stall(self, ways: frozenset[Way] = BOTH, *, for_good: bool = False) -> None:
        """Let nothing flow that way; `for_good`, on the connections there are, while new ones flow, as behind a router
        that forgot them.
        """
        if not for_good:
            self._stalled = ways
        for line in self._lines:
            line.stall(ways)
            line.lost = line.lost or for_good

    def flow(self) -> None:
        """Let everything flow again, but on connections that stall for good."""
        self._stalled, self._open = frozenset(), True
        for line in self._lines:
            if not line.lost:
                line.stall(frozenset())

    def cut(self) -> None:
        """Close the connections there are, and every new one, until `flow`."""
        self._open = False
        self.reset()

    def reset(self) -> None:
        """Reset the connections there are; new ones are let through."""
        for line in list(self._lines):
            line.reset()

    async def close(self) -> None:
        """Stop listening and end every connection."""
        self.cut()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        if not self._open:
            writer.transport.abort()
            return
        try:
            onward = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        line = _Line((reader, writer), onward, self._delay)
        line.stall(self._stalled)
        self._lines.add(line)
        await line.run()
        self._lines.discard(line)


_Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Line:
    """One connection through a proxy: its two halves."""

    def __init__(self, near: _Ends, far: _Ends, delay: float) -> None:
        self._writers = (near[1], far[1])
        self._pumps = {Way.OUT: _Pump(near[0], far[1], delay), Way.BACK: _Pump(far[0], near[1], delay)}
        self.lost = False

    def stall(self, ways: frozenset[Way]) -> None:
        for way, pump in self._pumps.items():
            pump.stall(way in ways)

    async def run(self) -> None:
        """Carry bytes until either side ends the connection."""
        tasks = [asyncio.create_task(pump.run()) for pump in self._pumps.values()]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            self.reset()

    def reset(self) -> None:
        """End both halves with a reset, not with an orderly end."""
        for pump in self._pumps.values():
            pump.close()
        for writer in self._writers:
            raw = writer.get_extra_info("socket")
            if raw is not None:
                with suppress(OSError):
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


class _Pump:
    """One direction of a connection: bytes go out in order, each `delay` seconds after it came in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
        self._reader = reader
        self._writer = writer
        self._delay = delay
        self._held: deque[bytes] = deque()
        self._stalled = False
        self._closed = False

    async def run(self) -> None:
        """Take in bytes until there are no more; a half-closed connection counts as ended."""
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            while data := await self._reader.read(_CHUNK):
                loop.call_later(self._delay, self._arrive, data)

    def stall(self, stalled: bool) -> None:
        self._stalled = stalled
        while self._held and not stalled:
            self._writer.write(self._held.popleft())

    def close(self) -> None:
        self._closed = True

    def _arrive(self, data: bytes) -> None:
        if self._closed:
            return
        if self._stalled:
            self._held.append(data)
        else:
            self._writer.write(data)
