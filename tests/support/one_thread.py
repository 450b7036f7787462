"""Whole nodes in one thread: everything of theirs is real but the sockets, the time and the luck.

Must never sleep, nor depend on anything but its own seeds: the same test does the same things in the same order.
"""

import asyncio
import selectors
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextvars import Context, copy_context
from functools import partial

from sunward_protocol.errors import LocalError
from sunward_protocol.ids import CurveKey

LATENCY = 0.001
"""Seconds that a frame takes."""
RETRY = 0.1
"""Seconds between two attempts to connect with whoever is not there yet."""


class _Clock(selectors.DefaultSelector):
    """Time that stands still while there is something to do, and jumps to what is due next."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("Everybody waits for ever.")
        if not ready and timeout:
            self.now += timeout
        return ready


class StillLoop(asyncio.SelectorEventLoop):
    """An event loop whose seconds take no time."""

    def __init__(self) -> None:
        self._clock = _Clock()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


class Network:
    """Wires by where they listen; a wire that is cut takes its connections with it, not what is on its way."""

    def __init__(self) -> None:
        self.wires: list[Wire] = []
        self.sent: list[bytes] = []
        """Every frame that anybody sent."""
        self.strikes: list[CurveKey] = []
        self.pauses: list[CurveKey] = []
        self._ports = 1024
        self._trying = False

    def free_port(self) -> int:
        self._ports += 1
        return self._ports

    def connect(self) -> None:
        """Connect whoever dials with whom they dial, now and again later."""
        for dialer in self.wires:
            for key, endpoints in dialer.wanted.items():
                for other in self.wires:
                    is_meant = other.key == key and other.endpoint in endpoints
                    if is_meant and key not in dialer.linked and other.admit(dialer.key):
                        dialer.link(other)
                        other.link(dialer)
        if not self._trying:
            self._trying = True
            asyncio.get_running_loop().call_later(RETRY, self._again, context=Context())

    def _again(self) -> None:
        self._trying = False
        self.connect()


class Wire:
    """Stands in for a node's `Transport`; what happens on it runs in the context of whoever made it."""

    def __init__(
        self,
        network: Network,
        curve: object,
        admit: Callable[[CurveKey], bool],
        deliver: Callable[[list[tuple[CurveKey, bytes]]], None],
        linked: Callable[[CurveKey, bool], None],
    ) -> None:
        self.key: CurveKey = curve.public  # type: ignore[attr-defined]  # a CurveKeys, whose kind is no matter here
        self.admit = admit
        self.endpoint = ""
        self.wanted: dict[CurveKey, Sequence[str]] = {}
        self.linked: dict[CurveKey, Wire] = {}
        self._network = network
        self._deliver = deliver
        self._tell_linked = linked
        self._context = copy_context()
        self._incoming: deque[Callable[[], None]] = deque()
        self._loop = asyncio.get_running_loop()

    def listen(self, endpoint: str) -> str:
        host, _, port = endpoint.rpartition(":")
        self.endpoint = f"{host}:{self._network.free_port() if port == '*' else port}"
        if any(wire.endpoint == self.endpoint for wire in self._network.wires):
            raise LocalError(f"{endpoint} is taken.")
        self._network.wires.append(self)
        self._network.connect()
        return self.endpoint

    def dial(self, key: CurveKey, *endpoints: str) -> bool:
        self.wanted[key] = endpoints
        self._network.connect()
        return True

    def hang_up(self, key: CurveKey) -> None:
        self.wanted.pop(key, None)
        self._part(key)

    def peers(self) -> list[CurveKey]:
        return list(self.linked)

    def send(self, keys: Iterable[CurveKey], payload: bytes) -> None:
        for key in keys:
            if (other := self.linked.get(key)) is not None:
                self._network.sent.append(payload)
                other.later(partial(other._deliver, [(self.key, payload)]))

    def pause(self, key: CurveKey, seconds: float) -> None:
        self._network.pauses.append(key)

    def strike(self, key: CurveKey) -> None:
        self._network.strikes.append(key)

    async def close(self) -> None:
        self.cut()

    def cut(self) -> None:
        """Be gone, at once; what was sent is on its way."""
        if self in self._network.wires:
            self._network.wires.remove(self)
        self.wanted.clear()
        for key in list(self.linked):
            self._part(key)
        self._incoming.clear()

    def link(self, other: "Wire") -> None:
        self.linked[other.key] = other
        self.later(partial(self._tell_linked, other.key, True))

    def later(self, happen: Callable[[], None]) -> None:
        """Let something reach this wire, in order."""
        self._incoming.append(happen)
        self._loop.call_later(LATENCY, self._next, context=self._context)

    def _next(self) -> None:
        if self._incoming:
            self._incoming.popleft()()

    def _part(self, key: CurveKey) -> None:
        other = self.linked.pop(key, None)
        if other is not None and other.linked.pop(self.key, None) is not None:
            other.later(partial(other._tell_linked, self.key, False))
            self.later(partial(self._tell_linked, key, False))
