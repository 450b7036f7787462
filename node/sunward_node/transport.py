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
from collections.abc import Callable, Iterable
from functools import partial

import zmq

from sunward_node.addresses import cannot_listen, is_dialable, plain
from sunward_node.conduct import TOLERANCE, Conduct, Tolerance
from sunward_node.sockets import DIALING, LISTENING, SLICE, CurveKeys, Line, Socket, make_socket, require_zmq
from sunward_node.zap import DOMAIN, Admit, Doorkeeper
from sunward_protocol.errors import LocalError
from sunward_protocol.limits import FRAME_MOST

Deliver = Callable[[list[tuple[bytes, bytes]]], None]
"""Takes what one drain of a socket brought: (peer's CURVE key, payload) in order of arrival, never an empty list."""

Linked = Callable[[bytes, bool], None]
"""Takes a peer's CURVE key and whether there is a connection to it now, each time that changes."""

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


class _Peer:
    """What is known of one key: its connections and its conduct."""

    __slots__ = ("conduct", "dialed", "endpoints", "key", "linked", "live", "routes", "shut")

    def __init__(self, key: bytes, conduct: Conduct) -> None:
        self.key = key
        self.conduct = conduct
        self.endpoints: tuple[str, ...] = ()  # where it is dialed
        self.dialed: dict[str, Line] = {}  # a socket for each of them; only the first to succeed stays
        self.live: Line | None = None  # that one, while its connection lasts
        self.routes: list[bytes] = []  # of accepted connections, newest last
        self.shut = False  # hung up on: a ROUTER cannot close one connection, so it is not listened to
        self.linked = False  # what was last reported

    def has_connection(self) -> bool:
        return not self.shut and (self.live is not None or bool(self.routes))

    def close_dialed(self) -> None:
        for line in self.dialed.values():
            line.close()
        self.dialed, self.live = {}, None


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
        router = make_socket(self._context, zmq.ROUTER, LISTENING)
        router.curve_secretkey = curve.secret
        router.zap_domain = DOMAIN
        self._router = Line(self._loop, router, partial(self._drain, router, None))
        self._router.watch(zmq.Event.DISCONNECTED, self._accepted_ended)

    def listen(self, endpoint: str) -> str:
        """Accept connections at `tcp://address:port` (port * for any) and return the endpoint with its real port."""
        try:
            self._router.socket.bind(endpoint)
        except zmq.ZMQError as error:
            raise cannot_listen(endpoint, error.errno) from error
        self._router.look()
        return plain(self._router.socket.get_string(zmq.LAST_ENDPOINT).rstrip("\0"))

    def dial(self, key: bytes, *endpoints: str) -> bool:
        """Keep a connection to this peer, at any of these addresses and no others, until `hang_up`.

        All are tried at once and the first to answer is kept; whenever it is lost, all are tried again. Returns whether
        any is usable: of the form tcp://address:port, the address in numbers.
        """
        peer = self._peer(key)
        peer.shut = False
        usable = tuple(endpoint for endpoint in endpoints if is_dialable(endpoint))
        if usable != peer.endpoints:
            peer.endpoints = usable
            peer.close_dialed()
            self._settle(peer)
            self._dial(peer)
        return bool(usable)

    def hang_up(self, key: bytes) -> None:
        """Have no connection to this peer until it is dialed, or knocks and is admitted, anew."""
        peer = self._peers.get(key)
        if peer is not None:
            peer.shut = True
            peer.endpoints = ()
            peer.close_dialed()
            self._settle(peer)

    def peers(self) -> list[bytes]:
        """Return the keys to which there is a connection."""
        return [key for key, peer in self._peers.items() if peer.has_connection()]

    def send(self, keys: Iterable[bytes], payload: bytes) -> None:
        """Send to each peer on one of its connections, at once or not at all; a payload has 1 .. FRAME_MOST bytes."""
        if not 0 < len(payload) <= FRAME_MOST:
            raise LocalError(f"A frame of {len(payload)} bytes cannot be sent: it has 1 to {FRAME_MOST}.")
        if self._closed:  # a timer of whoever sends may come while the last frames leave
            return
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
            peer.close_dialed()
        self._router.close()
        self._doorkeeper.close()
        await asyncio.to_thread(self._context.term)

    # Dialing

    def _dial(self, peer: _Peer) -> None:
        """Dial each of the peer's addresses that is not being dialed, unless there is a connection."""
        barred = peer.conduct.barred_until - self._loop.time()
        if self._closed or peer.live is not None:
            return
        if barred > 0.0:
            self._loop.call_later(barred, self._dial, peer)
            return
        for endpoint in peer.endpoints:
            if endpoint not in peer.dialed:
                dealer = make_socket(self._context, zmq.DEALER, DIALING)
                dealer.curve_serverkey = peer.key
                dealer.curve_publickey, dealer.curve_secretkey = self._curve.public, self._curve.secret
                line = Line(self._loop, dealer, partial(self._drain, dealer, peer))
                events = zmq.Event.HANDSHAKE_SUCCEEDED | zmq.Event.DISCONNECTED
                line.watch(events, partial(self._dialed_changed, peer, endpoint, line))
                dealer.connect(endpoint)
                line.look()
                peer.dialed[endpoint] = line

    def _dialed_changed(self, peer: _Peer, endpoint: str, line: Line, event: int) -> None:
        line.look()  # also makes the socket take notice of its new connection before it is used
        if event == zmq.Event.HANDSHAKE_SUCCEEDED:
            for slower in peer.dialed.values():
                if slower is not line:
                    slower.close()
            peer.dialed, peer.live = {endpoint: line}, line
            self._post(peer, b"")
            line.look()
        else:
            if peer.live is line:
                peer.live = None
            self._loop.call_later(REDIALED_AFTER, self._redial, peer, endpoint, line)
        self._settle(peer)

    def _redial(self, peer: _Peer, endpoint: str, ended: Line) -> None:
        if peer.dialed.get(endpoint) is ended and peer.live is None:
            del peer.dialed[endpoint]
            ended.close()
            self._dial(peer)

    # Sending

    def _post(self, peer: _Peer, payload: bytes) -> Line | None:
        """Send on the peer's dialed connection, else on its newest accepted one that lives; return the line used."""
        try:
            if peer.live is not None:
                peer.live.socket.send(payload, zmq.NOBLOCK)
                return peer.live
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

    def _drain(self, socket: Socket, dialed: _Peer | None) -> bool:
        """Deliver what waits on the socket of a dialed peer, or on the ROUTER."""
        now = self._loop.time()
        batch: list[tuple[bytes, bytes]] = []
        more = True
        for _ in range(SLICE):
            try:
                route = socket.recv(zmq.NOBLOCK) if dialed is None else b""
                frame = socket.recv(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                more = False
                break
            peer = dialed or self._sender(route, frame, now)
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
        if batch:
            self._deliver(batch)
        return more

    def _sender(self, route: bytes, frame: zmq.Frame, now: float) -> _Peer:
        """Return who sent a frame to the ROUTER, and remember the way back."""
        user_id = str(frame["User-Id"])  # never remembered by route: a free route may be another's a moment later
        peer = self._by_user_id.get(user_id) or self._peer(bytes.fromhex(user_id))
        if route not in peer.routes:
            if len(route) == GIVEN_ROUTE_SIZE and route[0] == 0:
                peer.routes = [*peer.routes[1 - ROUTES_KEPT :], route]
            else:
                self._strike(peer, now)
            self._settle(peer)
        return peer

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
        if not peer.routes and not peer.endpoints:
            if peer.conduct.forgettable(self._loop.time()):
                if self._peers.get(peer.key) is peer:
                    del self._peers[peer.key], self._by_user_id[peer.key.hex()]
            else:
                self._loop.call_later(self._tolerance.forgiven_after, self._settle, peer)

    def _part_if_barred(self, peer: _Peer, now: float) -> None:
        if now < peer.conduct.barred_until and peer.dialed:
            self._loop.call_soon(self._part, peer)  # not while its socket is being drained

    def _part(self, peer: _Peer) -> None:
        """Close the dialed connection for as long as the peer is barred; an accepted one is not listened to."""
        peer.close_dialed()
        self._settle(peer)
        self._dial(peer)

    def _accepted_ended(self, _event: int) -> None:
        if self._probing is None:  # the event does not say whose connection ended
            self._probing = self._loop.call_later(DEATH_SETTLES, self._probe_routes)

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
