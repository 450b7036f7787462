"""Transports under test on real sockets: a station with one, a rude peer of bare ZeroMQ, a loop for a test.

Must never sleep to wait for something: it waits for the thing itself.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Generator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, ParamSpec, Self

import zmq

from sunward_node.conduct import TOLERANCE, Tolerance
from sunward_node.sockets import CurveKeys
from sunward_node.transport import Transport

P = ParamSpec("P")
PATIENCE = 20.0

LOOPBACK = "tcp://127.0.0.1:*"


def live(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an async test on a loop of its own; an error that only the loop's handler saw fails it too."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def watched() -> None:
            unseen: list[dict[str, Any]] = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: unseen.append(context))
            async with asyncio.timeout(PATIENCE):
                await test(*args, **kwargs)
            assert not unseen

        asyncio.run(watched())

    return run


@contextmanager
def expected_errors() -> Generator[list[str]]:
    """Collect what the loop's exception handler is told meanwhile, as text, instead of failing the test."""
    loop = asyncio.get_running_loop()
    handler = loop.get_exception_handler()
    told: list[str] = []
    loop.set_exception_handler(lambda _, context: told.append(str(context.get("exception", context["message"]))))
    try:
        yield told
    finally:
        loop.set_exception_handler(handler)


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until a condition holds that nothing announces."""
    while not condition():  # noqa: ASYNC110  (there is no event to wait for)
        await asyncio.sleep(0)


class Station:
    """A transport and what happened to it."""

    def __init__(
        self,
        admit: Callable[[bytes], bool] = lambda key: True,
        tolerance: Tolerance = TOLERANCE,
        curve: CurveKeys | None = None,
    ) -> None:
        self.curve = curve or CurveKeys.generate()
        self.heard: list[tuple[bytes, bytes]] = []
        self.batches = 0
        self.fails_next = False
        self.links: list[tuple[bytes, bool]] = []
        self._changed = asyncio.Event()
        self.transport = Transport(self.curve, admit, self._deliver, self._linked, tolerance)

    @property
    def key(self) -> bytes:
        return self.curve.public

    def _deliver(self, batch: list[tuple[bytes, bytes]]) -> None:
        self.batches += 1
        if self.fails_next:
            self.fails_next = False
            raise RuntimeError("a bug")
        self.heard += batch
        self._changed.set()

    def _linked(self, key: bytes, connected: bool) -> None:
        self.links.append((key, connected))
        self._changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition on what was heard or linked holds."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def until_heard(self, payload: bytes) -> None:
        """Wait until somebody's payload has arrived."""
        await self.until(lambda: any(got == payload for _, got in self.heard))

    async def until_linked(self, key: bytes, connected: bool = True) -> None:
        """Wait until there is a connection to the key, or none any more."""
        await self.until(lambda: (key in self.transport.peers()) == connected)

    def dial(self, other: "Station", endpoint: str) -> None:
        """Dial another station where it listens."""
        self.transport.dial(other.key, endpoint)


class Stations(AsyncExitStack):
    """Makes stations and closes them all at the end."""

    def station(
        self,
        admit: Callable[[bytes], bool] = lambda key: True,
        tolerance: Tolerance = TOLERANCE,
        curve: CurveKeys | None = None,
    ) -> Station:
        """Return a new station, with fresh keys unless given."""
        made = Station(admit, tolerance, curve)
        self.push_async_callback(made.transport.close)
        return made

    async def pair(self) -> tuple[Station, Station, str]:
        """Return a station that listens, one that is connected to it, and the endpoint."""
        listener, dialer = self.station(), self.station()
        endpoint = listener.transport.listen(LOOPBACK)
        dialer.dial(listener, endpoint)
        await linked(listener, dialer)
        return listener, dialer, endpoint


async def linked(*stations: Station) -> None:
    """Wait until every station is connected to every other."""
    for one in stations:
        for other in stations:
            if one is not other:
                await one.until_linked(other.key)


class RudePeer:
    """A bare DEALER with a key of its own, that sends what no transport would."""

    def __init__(self, endpoint: str, server: bytes, *, routing_id: bytes = b"", key: CurveKeys | None = None) -> None:
        self.curve = key or CurveKeys.generate()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = self._context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.sndhwm = 16
        self.socket.curve_serverkey = server
        self.socket.curve_publickey, self.socket.curve_secretkey = self.curve.public, self.curve.secret
        if routing_id:
            self.socket.routing_id = routing_id
        self.socket.connect(endpoint)

    def send(self, *parts: bytes) -> None:
        """Send one message, waiting for room."""
        self.socket.send_multipart(parts)

    def close(self) -> None:
        """Be gone, without waiting."""
        self._context.destroy(linger=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
