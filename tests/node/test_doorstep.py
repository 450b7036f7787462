"""The door of a running match over real sockets: what a crowd of strangers costs those who play."""

from contextlib import ExitStack
from functools import partial
from typing import Any, cast

import pytest

from sunward_node.doorstep import KNOCK_BEGINS, Doorstep
from sunward_node.returning import knock
from sunward_node.sealing import Begun
from sunward_node.sockets import CurveKeys
from sunward_protocol.envelope import seal
from sunward_protocol.genesis import delegate
from sunward_protocol.identity import SIGNATURE_SIZE, Ed25519Signatures, Ed25519Signer
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.limits import CHAIN_LENGTH
from sunward_protocol.messages import Kind, Status
from sunward_protocol.table.lobby import Myself
from support.sockets import LOOPBACK, RudePeer, Station, Stations, live, until
from support.tables import Plan
from support.world import seed

CROWD = 20
FLOOD = 500


class Out:
    """Stands in for a driver whose replica says that place 1 of two is out."""

    class replica:  # noqa: N801  (as a driver calls it)
        class steps:  # noqa: N801
            class tip:  # noqa: N801
                members, live, keys = 2, (0,), ()

            settled = tip

            class disputes:  # noqa: N801
                convicted = 0

    def __init__(self, peers: list[CurveKey]) -> None:
        self.peers = peers
        self.met = list[Place]()

    def place_of(self, key: CurveKey) -> Place | None:
        return self.peers.index(key) if key in self.peers else None

    def meet(self, place: Place, key: CurveKey) -> None:
        self.met.append(place)


def knocking(identity: bytes, curve: CurveKey, table: bytes) -> bytes:
    signer = Ed25519Signer(identity)
    session = Ed25519Signer(seed("session", curve)).public
    member = delegate(signer, table, "", session, curve, seed("tip", curve), CHAIN_LENGTH)
    return knock(Myself(signer, member, ()), table)


def has_spoken(listener: Station, key: CurveKey) -> bool:
    return key in [each for each, _ in listener.heard]


def test_a_knock_is_told_by_how_it_begins() -> None:
    hello = knocking(seed("anybody"), bytes(32), bytes(32))
    status = seal(Kind.STATUS, Status((), 0, ()), bytes(32)).raw
    assert hello.startswith(KNOCK_BEGINS, SIGNATURE_SIZE)
    assert not status.startswith(KNOCK_BEGINS, SIGNATURE_SIZE)


@pytest.mark.parametrize("what", ["a knock in nobody's name", "no frame at all", "what begins like a knock"])
@live
async def test_a_crowd_that_floods_the_door_is_hung_up_on_and_keeps_nobody_from_playing(what: str) -> None:
    plan = Plan(2, "pebbles", None, (), 7, (CurveKeys.generate(), CurveKeys.generate()), (0, 0))
    genesis = plan.genesis()
    async with Stations() as stations:
        member = stations.station()
        driver = Out([member.key, bytes(32)])
        listener = stations.station(lambda key: doorstep.may_enter(key))
        begun = Begun(genesis, (bytes(64), bytes(64)))
        transport = listener.transport
        doorstep = Doorstep(cast("Any", driver), begun, lambda: ((), ()), transport, Ed25519Signatures())
        endpoint = transport.listen(LOOPBACK)
        member.dial(listener, endpoint)
        await listener.until_linked(member.key)
        with ExitStack() as crowd:
            for number in range(CROWD):
                rude = crowd.enter_context(RudePeer(endpoint, listener.key))
                raw = knocking(seed("nobody", number), rude.curve.public, genesis.table)
                sent = {
                    "a knock in nobody's name": raw,
                    "no frame at all": bytes(4000),
                    "what begins like a knock": raw[:SIGNATURE_SIZE] + KNOCK_BEGINS + bytes(4000),
                }[what]
                rude.send(sent)
                await listener.until(partial(has_spoken, listener, rude.curve.public))
                doorstep.deliver(*listener.heard.pop())
                for _ in range(FLOOD):
                    rude.send(sent)
            member.transport.send([listener.key], b"played on")
            await listener.until_heard(b"played on")
            if what != "no frame at all":  # of which nothing is read either
                assert transport.peers() == [member.key]
        await until(lambda: transport.peers() == [member.key])
        assert driver.met == []
