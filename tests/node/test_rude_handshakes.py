"""Connections that are begun and never made, over and over, or that carry what is too large: nobody else notices.

More of what a rude peer may do stands in `test_transport` and `test_conduct`.
"""

import asyncio
import socket
from contextlib import ExitStack

import pytest
import zmq

from sunward_node import sockets
from sunward_protocol.limits import FRAME_MOST
from support.sockets import LOOPBACK, RudePeer, Stations, linked, live, until

GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x01" + b"CURVE".ljust(20, b"\0") + bytes(32)
"""How a ZMTP 3.1 connection with CURVE begins (RFC 37): 64 bytes, after which the dialer owes a HELLO."""
OPENINGS = {
    "nothing": b"",
    "half a greeting": GREETING[:10],
    "a greeting": GREETING,
    "garbage": b"GET / HTTP/1.1\r\n\r\n",
}
HALVES = 150
"""Twice the backlog."""


def dialed(endpoint: str, opening: bytes) -> socket.socket:
    """Return a bare TCP connection that says so much and waits."""
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
    connection.sendall(opening)
    connection.setblocking(False)
    return connection


@pytest.mark.parametrize("what", OPENINGS)
@live
async def test_who_begins_handshakes_and_ends_none_keeps_nobody_out(what: str) -> None:
    async with Stations() as stations:
        listener, dialer = stations.station(), stations.station()
        endpoint = listener.transport.listen(LOOPBACK)
        with ExitStack() as halves:
            for _ in range(HALVES):
                halves.enter_context(dialed(endpoint, OPENINGS[what]))
            dialer.dial(listener, endpoint)
            await linked(listener, dialer)
            dialer.transport.send([listener.key], b"here")
            await listener.until_heard(b"here")
            assert listener.transport.peers() == [dialer.key]


@pytest.mark.parametrize("what", OPENINGS)
@live
async def test_a_handshake_that_is_not_ended_in_time_is_hung_up_on(what: str) -> None:
    shorter = tuple((option, 100 if option == zmq.HANDSHAKE_IVL else value) for option, value in sockets.OPTIONS)
    assert shorter != sockets.OPTIONS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sockets, "OPTIONS", shorter)
        async with Stations() as stations:
            listener = stations.station()
            with dialed(listener.transport.listen(LOOPBACK), OPENINGS[what]) as half:
                await _hung_up(half)


async def _hung_up(half: socket.socket) -> None:
    """Wait until the other side has closed a connection, reading its own greeting first."""
    try:
        while await asyncio.get_running_loop().sock_recv(half, 4096):
            pass
    except ConnectionResetError:
        pass


@live
async def test_one_key_on_many_connections_is_one_peer_and_crowds_nobody_out() -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        with ExitStack() as crowd:
            first = crowd.enter_context(RudePeer(endpoint, listener.key))
            for number in range(30):
                again = crowd.enter_context(RudePeer(endpoint, listener.key, key=first.curve))
                again.send(b"%d" % number)
                await listener.until_heard(b"%d" % number)
            dialer.transport.send([listener.key], b"honest")
            await listener.until_heard(b"honest")
            assert sorted(listener.transport.peers()) == sorted([dialer.key, first.curve.public])


@live
async def test_a_part_that_is_too_large_ends_its_connection_and_is_never_delivered() -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        with RudePeer(endpoint, listener.key) as rude:
            rude.send(b"before")
            await listener.until_heard(b"before")
            rude.send(bytes(FRAME_MOST + 1024))
            await until(lambda: (rude.curve.public, False) in listener.links)
            dialer.transport.send([listener.key], b"honest")
            await listener.until_heard(b"honest")
            assert max(len(payload) for _, payload in listener.heard) == len(b"before")
