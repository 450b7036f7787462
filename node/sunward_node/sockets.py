"""A ZeroMQ socket on the event loop: read until it is empty, whenever anything may have come.

Must never trust the descriptor alone. It is edge-triggered: it tells that something happened, once, and any use of the
socket (a send, an option read) may swallow the telling. Hence two habits: a drain goes on until zmq.Again, and whoever
used the socket otherwise calls `look` afterwards.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from typing import TypeAlias

import zmq

Socket: TypeAlias = "zmq.Socket[bytes]"

SLICE = 256
"""Messages read in one go: a flood then leaves the loop to others every millisecond or so."""


class Line:
    """A socket and the function that drains it.

    `drain` reads until zmq.Again and returns False, or stops after SLICE messages and returns True to be called again.
    It may raise: the error goes to the loop's exception handler, and the line stays alive.
    """

    __slots__ = ("_descriptor", "_drain", "_due", "_loop", "socket")

    def __init__(self, loop: AbstractEventLoop, socket: Socket, drain: Callable[[], bool]) -> None:
        self.socket = socket
        self._loop = loop
        self._drain = drain
        self._due = False
        self._descriptor = socket.fileno()
        loop.add_reader(self._descriptor, self._read)
        self.look()

    def look(self) -> None:
        """Drain soon if something waits."""
        if not self._due and int(self.socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            self._read_soon()

    def close(self) -> None:
        """Stop reading and close the socket; what was sent may still leave within its LINGER."""
        self._loop.remove_reader(self._descriptor)
        self.socket.close()

    def _read_soon(self) -> None:
        if not self._due:
            self._due = True
            self._loop.call_soon(self._read_due)

    def _read_due(self) -> None:
        self._due = False
        self._read()

    def _read(self) -> None:
        if self.socket.closed:
            return
        more = True
        try:
            more = self._drain()
        finally:
            if more and not self.socket.closed:
                self._read_soon()
