"""ZeroMQ's sockets as we want them: their options, each with its reason, and their place on the event loop.

Must never trust a socket's descriptor alone. It is edge-triggered: it tells that something happened, once, and any use
of the socket (a send, an option read) may swallow the telling. Hence two habits: a drain goes on until zmq.Again, and
whoever used the socket otherwise calls `look` afterwards.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self, TypeAlias

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from sunward_protocol.errors import LocalError
from sunward_protocol.limits import FRAME_MOST

Socket: TypeAlias = "zmq.Socket[bytes]"

OPTIONS = (
    (zmq.LINGER, 500),  # ms: the last frames of a match still leave, a dead peer does not hold up the exit
    (zmq.MAXMSGSIZE, FRAME_MOST + 128),  # bytes a part: the largest frame in CURVE's envelope
    (zmq.SNDHWM, 1024),  # frames: seconds of play; a peer that far behind is repaired from the log, not from a queue
    (zmq.RCVHWM, 256),  # frames a connection: at most 16 MiB of a flood in memory; beyond it TCP slows the sender down
    (zmq.HANDSHAKE_IVL, 5_000),  # ms, not 30 s: a connection that never proves its key is nobody's
    (zmq.HEARTBEAT_IVL, 2_000),  # ms: a pulled cable is noticed though nobody has anything to say
    (zmq.HEARTBEAT_TIMEOUT, 6_000),  # ms: three beats missed end the connection, and a new one is tried
    (zmq.HEARTBEAT_TTL, 6_000),  # ms: asks the same of the other side
    (zmq.BACKLOG, 64),  # connections not yet accepted: every seat of a large table at once, no more
    (zmq.IPV6, 1),  # both families on one socket
)

LISTENING = (
    (zmq.CURVE_SERVER, 1),  # without it nothing is encrypted
    (zmq.ZAP_ENFORCE_DOMAIN, 1),  # without it a missing doorkeeper means that anybody enters
    (zmq.ROUTER_MANDATORY, 1),  # a route that died says so on sending
    (zmq.ROUTER_HANDOVER, 0),  # nobody takes over another's connection by naming its routing id
)

DIALING = (
    (zmq.IMMEDIATE, 1),  # nothing is queued without a connection: old frames would arrive after their time
    (zmq.RECONNECT_IVL, 100),  # ms: a restarted node is back in its table before anybody wonders
    (zmq.RECONNECT_IVL_MAX, 5_000),  # ms: and one that stays away is tried ever more rarely
    (zmq.CONNECT_TIMEOUT, 5_000),  # ms, not the system's minutes: an address that swallows packets is tried afresh
)

SLICE = 256
"""Messages read in one go: a flood then leaves the loop to others every millisecond or so."""


@dataclass(frozen=True, slots=True)
class CurveKeys:
    """A node's Curve25519 key pair, 32 raw bytes each."""

    public: bytes
    secret: bytes = field(repr=False)

    @classmethod
    def generate(cls) -> Self:
        """Return a fresh pair."""
        public, secret = zmq.curve_keypair()
        return cls(z85.decode(public), z85.decode(secret))


class Line:
    """A socket and the function that drains it.

    `drain` reads until zmq.Again and returns False, or stops after SLICE messages and returns True to be called again.
    It may raise: the error goes to the loop's exception handler, and the line stays alive.
    """

    __slots__ = ("_descriptor", "_drain", "_due", "_loop", "_monitor", "socket")

    def __init__(self, loop: AbstractEventLoop, socket: Socket, drain: Callable[[], bool]) -> None:
        self.socket = socket
        self._loop = loop
        self._drain = drain
        self._due = False
        self._monitor: Line | None = None
        self._descriptor = socket.fileno()
        loop.add_reader(self._descriptor, self._read)
        self.look()

    def look(self) -> None:
        """Drain soon if something waits."""
        if not self._due and int(self.socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            self._read_soon()

    def watch(self, events: int, happened: Callable[[int], None]) -> None:
        """Have each of these events of the socket's connections (zmq.Event) told."""
        monitor = self.socket.get_monitor_socket(events)

        def drain() -> bool:
            try:
                event = recv_monitor_message(monitor, zmq.NOBLOCK)["event"]
            except zmq.Again:
                return False
            happened(event)  # may close this line, hence one event a time
            return True

        self._monitor = Line(self._loop, monitor, drain)

    def close(self) -> None:
        """Stop reading and close the socket; what was sent may still leave within its LINGER."""
        if self._monitor is not None:
            self.socket.disable_monitor()
            self._monitor.close()
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


def make_socket(context: "zmq.Context[Socket]", kind: int, options: tuple[tuple[int, int], ...]) -> Socket:
    """Return a socket with the options of all our sockets and those of its kind."""
    socket: Socket = context.socket(kind)
    for option, value in (*OPTIONS, *options):
        socket.setsockopt(option, value)
    return socket


def require_zmq(version: tuple[int, int, int], curve: bool) -> None:
    """Raise `LocalError` unless libzmq is 4.3.5 or later and has CURVE."""
    if version < (4, 3, 5) or not curve:
        found = ".".join(map(str, version)) + ("" if curve else " without CURVE")
        raise LocalError(
            f"ZeroMQ 4.3.5 or later with CURVE is needed, and {found} is installed: "
            "`pip install --force-reinstall --only-binary=pyzmq pyzmq` brings it."
        )
