"""Bytes between nodes: ZeroMQ under CURVE, one peer one key, both directions on every connection.

Must never look into a payload, wait for a peer, or queue beyond ZeroMQ's own marks: what does not fit is dropped and
counted, and repairing that is the protocol's business.

A node binds one ROUTER and dials with one DEALER a peer. Whoever dialed says hello with an empty frame as soon as the
handshake is through, again after every reconnection; this is how the other side learns of the connection and can answer
on it before anything else was said. Routing ids prove nothing: every received frame names its sender by the User-Id
that the doorkeeper gave its connection. On a dialed connection the sender is whoever holds the key that was dialed.

Needs an event loop with `add_reader` (on Windows the selector loop, not the default one).
"""

import asyncio
import errno
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from sunward_node.conduct import TOLERANCE, Conduct, Tolerance
from sunward_node.sockets import SLICE, Line, Socket
from sunward_node.zap import DOMAIN, Admit, Doorkeeper
from sunward_protocol.errors import LocalError
from sunward_protocol.limits import FRAME_MOST

Deliver = Callable[[list[tuple[bytes, bytes]]], None]
"""Takes what one drain of a socket brought: (peer's CURVE key, payload) in order of arrival, never an empty list."""

Linked = Callable[[bytes, bool], None]
"""Takes a peer's CURVE key and whether there is a connection to it now, each time that changes."""

OPTIONS = (
    (zmq.LINGER, 500),  # ms: the last frames of a match still leave, a dead peer does not hold up the exit
    (
        zmq.MAXMSGSIZE,
        FRAME_MOST + 128,
    ),  # bytes a part: the largest frame in CURVE's envelope; beyond it the connection ends
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

GIVEN_ROUTE_SIZE = 5
"""Bytes of a routing id that ZeroMQ gave, a zero first. One that a peer names itself is refused: whoever waits with the
id of another would inherit, unseen, its place and what is sent to it."""

ROUTES_KEPT = 2
"""Accepted connections remembered for a peer: its newest, and the one that it replaces."""

REDIALED_AFTER = 0.5
"""Seconds after a dialed connection ended until it is dialed afresh. ZeroMQ reconnects by itself only after a broken
connection; after a refused handshake, or a frame too large, it gives up for good and says nothing."""

DEATH_SETTLES = 0.05
"""Seconds from the news that some accepted connection ended until its route is surely gone."""

BIND_ERRORS = {
    errno.EADDRINUSE: "another program listens there already; stop it, or choose another port",
    errno.EADDRNOTAVAIL: "this machine has no such address; choose one of its own, or * for all of them",
    errno.ENODEV: "this machine has no such interface; give one of its own addresses, or * for all of them",
    errno.EACCES: "the system does not allow it; choose a port above 1023",
    errno.EINVAL: "an address looks like tcp://127.0.0.1:4242, or ends in :* for any free port",
}


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


class _Peer:
    """What is known of one key: its connections and its conduct."""

    __slots__ = ("conduct", "dealer", "endpoint", "handshaken", "key", "linked", "monitor", "routes", "shut")

    def __init__(self, key: bytes, conduct: Conduct) -> None:
        self.key = key
        self.conduct = conduct
        self.endpoint: str | None = None  # where it is dialed, if it is
        self.dealer: Line | None = None
        self.monitor: Line | None = None
        self.handshaken = False  # whether the dialed connection is alive
        self.routes: list[bytes] = []  # of accepted connections, newest last
        self.shut = False  # hung up on: a ROUTER cannot close one connection, so it is not listened to
        self.linked = False  # what was last reported

    def has_connection(self) -> bool:
        return not self.shut and (self.handshaken or bool(self.routes))


class Transport:
    """This node's connections. Made inside a running event loop, which it uses until `close`.

    `dropped` counts frames that were not sent (no connection, or its queue was full), `refused` frames that were not
    delivered (paused peers, over the rate, more than one part).
    """

    def __init__(
        self, curve: CurveKeys, admit: Admit, deliver: Deliver, linked: Linked, tolerance: Tolerance = TOLERANCE
    ) -> None:
        require_zmq(zmq.zmq_version_info(), zmq.has("curve"))
        self._curve = curve
        self._admit = admit
        self._deliver = deliver
        self._linked = linked
        self._tolerance = tolerance
        self._loop = asyncio.get_running_loop()
        self._peers: dict[bytes, _Peer] = {}
        self._by_user_id: dict[str, _Peer] = {}
        self._probing: asyncio.TimerHandle | None = None
        self._closed = False
        self.dropped = 0
        self.refused = 0
        self._context: zmq.Context[Socket] = zmq.Context()
        self._doorkeeper = Doorkeeper(self._context, self._loop, self._may_enter)
        router = self._socket(zmq.ROUTER, LISTENING)
        router.curve_secretkey = curve.secret
        router.zap_domain = DOMAIN
        self._router = Line(self._loop, router, self._drain_router)
        self._router_monitor = self._monitor(router, zmq.Event.DISCONNECTED, self._drain_router_monitor)

    def listen(self, endpoint: str) -> str:
        """Accept connections at `tcp://address:port` (port * for any) and return the endpoint with its real port."""
        try:
            self._router.socket.bind(endpoint)
        except zmq.ZMQError as error:
            reason = BIND_ERRORS.get(error.errno or 0, str(error))
            raise LocalError(f"Cannot listen on {endpoint}: {reason}.") from error
        self._router.look()
        bound = self._router.socket.get_string(zmq.LAST_ENDPOINT).rstrip("\0")
        return re.sub(r"\[::ffff:([\d.]+)\]", r"\1", bound)  # an IPv4 address of a socket that speaks both families

    def dial(self, key: bytes, endpoint: str) -> None:
        """Keep a connection to this peer, at this endpoint from now on; reconnects by itself until `hang_up`."""
        unusable = LocalError(f"Cannot dial {endpoint}: an address looks like tcp://192.168.1.20:4242.")
        if not endpoint.startswith("tcp://"):  # addresses come from peers, who have no business with our files
            raise unusable
        peer = self._peer(key)
        peer.shut = False
        if peer.endpoint == endpoint:
            return
        self._close_dealer(peer)
        peer.endpoint = endpoint
        dealer = self._socket(zmq.DEALER, DIALING)
        dealer.curve_serverkey = key
        dealer.curve_publickey, dealer.curve_secretkey = self._curve.public, self._curve.secret
        events = zmq.Event.HANDSHAKE_SUCCEEDED | zmq.Event.DISCONNECTED
        peer.monitor = self._monitor(dealer, events, partial(self._drain_dealer_monitor, peer))
        peer.dealer = Line(self._loop, dealer, partial(self._drain_dealer, peer))
        try:
            dealer.connect(endpoint)
        except zmq.ZMQError as error:
            self.hang_up(key)
            raise unusable from error
        peer.dealer.look()
        self._settle(peer)

    def hang_up(self, key: bytes) -> None:
        """Have no connection to this peer until it is dialed, or knocks and is admitted, anew."""
        peer = self._peers.get(key)
        if peer is not None:
            peer.shut = True
            peer.endpoint = None
            self._close_dealer(peer)
            self._settle(peer)

    def peers(self) -> list[bytes]:
        """Return the keys to which there is a connection."""
        return [key for key, peer in self._peers.items() if peer.has_connection()]

    def send(self, keys: Iterable[bytes], payload: bytes) -> None:
        """Send to each peer on one of its connections, at once or not at all; a payload has 1 .. FRAME_MOST bytes."""
        if not 0 < len(payload) <= FRAME_MOST:
            raise LocalError(f"A frame of {len(payload)} bytes cannot be sent: it has 1 to {FRAME_MOST}.")
        used: list[Line] = []
        for key in keys:
            peer = self._peers.get(key)
            line = None if peer is None or peer.shut else self._post(peer, payload)
            if line is None:
                self.dropped += 1
            else:
                used.append(line)
        for line in used:
            line.look()

    def pause(self, key: bytes, seconds: float) -> None:
        """Hear nothing from this peer for so long; it is still sent to."""
        if (peer := self._peers.get(key)) is not None:
            peer.conduct.pause(seconds, self._loop.time())

    def strike(self, key: bytes) -> None:
        """Count one misdeed of this peer: pauses that grow, then no connection for a while."""
        if (peer := self._peers.get(key)) is not None:
            self._strike(peer, self._loop.time())

    async def close(self) -> None:
        """Close every connection; what was sent may still leave, for LINGER at most."""
        if self._closed:
            return
        self._closed = True
        if self._probing is not None:
            self._probing.cancel()
        for peer in self._peers.values():
            self._close_dealer(peer)
        self._close_line(self._router_monitor, self._router)
        self._doorkeeper.close()
        await asyncio.to_thread(self._context.term)

    # Sockets

    def _socket(self, kind: int, options: tuple[tuple[int, int], ...]) -> Socket:
        socket: Socket = self._context.socket(kind)
        for option, value in (*OPTIONS, *options):
            socket.setsockopt(option, value)
        return socket

    def _monitor(self, socket: Socket, events: int, drain: Callable[[], bool]) -> Line:
        return Line(self._loop, socket.get_monitor_socket(events), drain)

    def _close_line(self, monitor: Line, line: Line) -> None:
        line.socket.disable_monitor()
        monitor.close()
        line.close()

    def _close_dealer(self, peer: _Peer) -> None:
        if peer.monitor is not None and peer.dealer is not None:
            self._close_line(peer.monitor, peer.dealer)
        peer.monitor = peer.dealer = None
        peer.handshaken = False

    # Sending

    def _post(self, peer: _Peer, payload: bytes) -> Line | None:
        """Send on the peer's dialed connection, else on its newest accepted one that lives; return the line used."""
        try:
            if peer.handshaken and peer.dealer is not None:
                peer.dealer.socket.send(payload, zmq.NOBLOCK)
                return peer.dealer
            while peer.routes:
                if self._post_on_route(peer.routes[-1], payload):
                    return self._router
                peer.routes.pop()
        except zmq.Again:
            return None
        self._loop.call_soon(self._settle, peer)
        return None

    def _post_on_route(self, route: bytes, payload: bytes) -> bool:
        """Whether the route is still alive; raises zmq.Again if it is and its queue is full."""
        router = self._router.socket
        try:
            router.send(route, zmq.NOBLOCK | zmq.SNDMORE)
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            return False
        router.send(payload, zmq.NOBLOCK)
        return True

    # Receiving

    def _drain_router(self) -> bool:
        socket = self._router.socket
        now = self._loop.time()
        batch: list[tuple[bytes, bytes]] = []
        more = True
        for _ in range(SLICE):
            try:
                route = socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                more = False
                break
            frame = socket.recv(zmq.NOBLOCK, copy=False)
            user_id = str(frame["User-Id"])  # never remembered by route: a free route may be another's a moment later
            peer = self._by_user_id.get(user_id) or self._peer(bytes.fromhex(user_id))
            if route not in peer.routes:
                if len(route) == GIVEN_ROUTE_SIZE and route[0] == 0:
                    peer.routes = [*peer.routes[1 - ROUTES_KEPT :], route]
                else:
                    self._strike(peer, now)
                self._settle(peer)
            self._hear(peer, socket, frame, now, batch)
        if batch:
            self._deliver(batch)
        return more

    def _drain_dealer(self, peer: _Peer) -> bool:
        assert peer.dealer is not None, "a closed line is not drained"
        socket = peer.dealer.socket
        now = self._loop.time()
        batch: list[tuple[bytes, bytes]] = []
        more = True
        for _ in range(SLICE):
            try:
                frame = socket.recv(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                more = False
                break
            self._hear(peer, socket, frame, now, batch)
        if batch:
            self._deliver(batch)
        return more

    def _hear(
        self, peer: _Peer, socket: Socket, frame: zmq.Frame, now: float, batch: list[tuple[bytes, bytes]]
    ) -> None:
        """Put the frame into the batch unless its sender is not to be heard."""
        if frame.more:  # MAXMSGSIZE is per part: one part is all that a peer of ours ever sends
            while socket.recv(zmq.NOBLOCK, copy=False).more:
                pass
            self.refused += 1
            self._strike(peer, now)
        elif peer.shut or now < peer.conduct.deaf_until:
            self.refused += 1
        elif not peer.conduct.take(len(frame), now):
            self.refused += 1
            self._part_if_barred(peer, now)
        elif len(frame):
            batch.append((peer.key, frame.bytes))

    def _strike(self, peer: _Peer, now: float) -> None:
        if now >= peer.conduct.deaf_until:  # what arrives during a pause was sent before the sender could know of it
            peer.conduct.strike(now)
            self._part_if_barred(peer, now)

    # Connections that come and go

    def _peer(self, key: bytes) -> _Peer:
        peer = self._peers.get(key)
        if peer is None:
            peer = _Peer(key, Conduct(self._tolerance, self._loop.time()))
            self._peers[key] = self._by_user_id[key.hex()] = peer
        return peer

    def _may_enter(self, key: bytes) -> bool:
        peer = self._peers.get(key)
        if (peer is not None and self._loop.time() < peer.conduct.barred_until) or not self._admit(key):
            return False
        if peer is not None:
            peer.shut = False
        return True

    def _settle(self, peer: _Peer) -> None:
        """Report whether the peer is connected, if that changed, and forget it if there is nothing to remember."""
        if self._closed:
            return
        connected = peer.has_connection()
        if connected != peer.linked:
            peer.linked = connected
            self._linked(peer.key, connected)
        if not peer.routes and peer.endpoint is None:
            if peer.conduct.forgettable(self._loop.time()):
                if self._peers.get(peer.key) is peer:
                    del self._peers[peer.key], self._by_user_id[peer.key.hex()]
            else:
                self._loop.call_later(self._tolerance.forgiven_after, self._settle, peer)

    def _part_if_barred(self, peer: _Peer, now: float) -> None:
        if now < peer.conduct.barred_until and peer.dealer is not None:
            self._loop.call_soon(self._part, peer)  # not while its socket is being drained

    def _part(self, peer: _Peer) -> None:
        """Close the dialed connection for as long as the peer is barred; an accepted one is not listened to."""
        self._close_dealer(peer)
        self._settle(peer)
        self._loop.call_later(self._tolerance.barred_for + REDIALED_AFTER, self._redial, peer)

    def _redial(self, peer: _Peer) -> None:
        barred = self._loop.time() < peer.conduct.barred_until
        if not (self._closed or barred or peer.handshaken or peer.endpoint is None):
            endpoint, peer.endpoint = peer.endpoint, None
            self.dial(peer.key, endpoint)

    def _drain_dealer_monitor(self, peer: _Peer) -> bool:
        assert peer.monitor is not None, "a closed line is not drained"
        assert peer.dealer is not None
        try:
            event = recv_monitor_message(peer.monitor.socket, zmq.NOBLOCK)["event"]
        except zmq.Again:
            return False
        peer.handshaken = event == zmq.Event.HANDSHAKE_SUCCEEDED
        peer.dealer.look()  # also makes the socket take notice of its new connection before it is used
        if peer.handshaken:
            self._post(peer, b"")
            peer.dealer.look()
        else:
            self._loop.call_later(REDIALED_AFTER, self._redial, peer)
        self._settle(peer)  # may close this very line, hence one event a time
        return True

    def _drain_router_monitor(self) -> bool:
        for _ in range(SLICE):
            try:
                recv_monitor_message(self._router_monitor.socket, zmq.NOBLOCK)
            except zmq.Again:
                return False
            if self._probing is None:  # the event does not say whose connection ended
                self._probing = self._loop.call_later(DEATH_SETTLES, self._probe_routes)
        return True

    def _probe_routes(self) -> None:
        """Find out which accepted connections are gone, by an empty frame on each."""
        self._probing = None
        self._router.look()
        for peer in list(self._peers.values()):
            peer.routes = [route for route in peer.routes if self._is_alive(route)]
            self._settle(peer)
        self._router.look()

    def _is_alive(self, route: bytes) -> bool:
        try:
            return self._post_on_route(route, b"")
        except zmq.Again:
            return True


def require_zmq(version: tuple[int, int, int], curve: bool) -> None:
    """Raise `LocalError` unless libzmq is 4.3.5 or later and has CURVE."""
    if version < (4, 3, 5) or not curve:
        found = ".".join(map(str, version)) + ("" if curve else " without CURVE")
        raise LocalError(
            f"ZeroMQ 4.3.5 or later with CURVE is needed, and {found} is installed: "
            "`pip install --force-reinstall --only-binary=pyzmq pyzmq` brings it."
        )
