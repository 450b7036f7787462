"""A lobby driven over real sockets: a match that is founded, and a disk that fails before the seal."""

import asyncio
import secrets
from collections.abc import Callable

import pytest

from sunward_node.gathering import Gathering, TurnedAway
from sunward_node.sockets import CurveKeys
from sunward_node.transport import Transport
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import seal
from sunward_protocol.errors import LocalError
from sunward_protocol.games.game import Game
from sunward_protocol.genesis import delegate
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer
from sunward_protocol.messages import Kind, Lobby
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Heard, Myself, Prepare, Table, Void
from sunward_protocol.table.visitor import Visitor
from support.pebbles import PEBBLES
from support.sockets import LOOPBACK, live, until
from support.world import seed

TABLE, TOKEN = seed("table"), b"the token"
LENGTH = 8


def find_pebbles(_: str) -> Game:
    return PEBBLES


class Sitting:
    """One side of a lobby on a transport of its own, ready from the start."""

    def __init__(
        self, name: str, host: "Sitting | None" = None, prepare: Callable[[Prepare], None] | None = None
    ) -> None:
        curve, identity = CurveKeys.generate(), Ed25519Signer(seed("identity", name))
        self.key = curve.public
        self.shown: list[Lobby | Heard | Void] = []
        self.transport = Transport(curve, lambda key: True, self._deliver, self._linked)
        self.endpoint = self.transport.listen(LOOPBACK)
        session = Ed25519Signer(seed("session", name)).public
        tip = HashChain(seed("chain", name), session, LENGTH).tip
        me = Myself(identity, delegate(identity, TABLE, name, session, self.key, tip, LENGTH), (self.endpoint,))
        if host is None:
            table = Table(TABLE, TOKEN, PEBBLES.load(PEBBLES.builtin()), {}, 2, LENGTH)
            side: Host | Visitor = Host(me, table, Ed25519Signatures(), secrets.token_bytes)
        else:
            side = Visitor(
                me, TABLE, TOKEN, host.key, find_pebbles, Ed25519Signatures(), secrets.token_bytes, chain_length=LENGTH
            )
        self.gathering = Gathering(side, self.transport, prepare or (lambda asked: None), self.shown.append)
        self.gathering.set_ready(True)
        if host is not None:
            self.transport.dial(host.key, host.endpoint)

    def _deliver(self, batch: list[tuple[bytes, bytes]]) -> None:
        self.gathering.deliver(batch)

    def _linked(self, key: bytes, connected: bool) -> None:
        self.gathering.linked(key, connected)

    async def close(self) -> None:
        self.gathering.close()
        await self.transport.close()


def full_disk(_: Prepare) -> None:
    raise LocalError("The disk is full.")


@live
async def test_both_sides_found_the_same_match() -> None:
    host = Sitting("Ann")
    guest = Sitting("Bo", host)
    founded = await asyncio.gather(host.gathering.founded, guest.gathering.founded)
    assert founded[0].genesis == founded[1].genesis
    assert founded[0].seals == founded[1].seals
    assert [each.place for each in founded] == [0, 1]
    shown = len(guest.shown)
    lobby = seal(Kind.LOBBY, Lobby(2, "pebbles", (), (), ()), TABLE)
    guest.gathering.deliver([(host.key, lobby.raw)])
    assert len(guest.shown) == shown, "once the match has begun the host has no more say"
    await guest.close()
    await host.close()


@live
async def test_a_guest_whose_disk_fails_ends_with_what_it_said_and_seals_nothing() -> None:
    host = Sitting("Ann")
    guest = Sitting("Bo", host, full_disk)
    with pytest.raises(LocalError, match=r"The disk is full\."):
        await guest.gathering.founded
    await until(lambda: any(isinstance(news, Void) for news in host.shown))
    assert [news.reason for news in host.shown if isinstance(news, Void)] == [
        "The start came to nothing: Bo left, and says: Bo cannot keep a seat's keys on their machine."
    ]
    assert not host.gathering.founded.done()
    await guest.close()
    await host.close()


@live
async def test_a_host_whose_disk_fails_says_so_to_the_guests() -> None:
    host = Sitting("Ann", prepare=full_disk)
    guest = Sitting("Bo", host)
    with pytest.raises(LocalError, match=r"The disk is full\."):
        await host.gathering.founded
    with pytest.raises(TurnedAway, match="Ann cannot keep a seat's keys on their machine"):
        await guest.gathering.founded
    await guest.close()
    await host.close()
