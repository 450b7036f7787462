"""Coming back between one's own seal and everybody's: whoever has what is missing tells it."""

import asyncio
from collections.abc import Iterable

import pytest

from sunward_node.sealing import Sealing, read_seal, seal_frames
from sunward_protocol.genesis import check_seals
from sunward_protocol.identity import Ed25519Signatures
from sunward_protocol.ids import CurveKey
from support.sockets import live
from support.world import World

SIGNATURES = Ed25519Signatures()


class Wire:
    """A transport that delivers at once to the nodes that are up."""

    def __init__(self, own: CurveKey, nodes: dict[CurveKey, Sealing]) -> None:
        self._own = own
        self._nodes = nodes

    def send(self, keys: Iterable[CurveKey], payload: bytes) -> None:
        for key in keys:
            if key in self._nodes:
                self._nodes[key].deliver([(self._own, payload)])


@pytest.fixture
def world() -> World:
    return World(3, real=True)


def start(world: World, place: int, nodes: dict[CurveKey, Sealing]) -> Sealing:
    own = world.genesis.members[place].curve
    identity = world.identities[place]
    wire = Wire(own, nodes)
    nodes[own] = Sealing(world.genesis, place, identity, wire, SIGNATURES)  # type: ignore[arg-type]  # a fake
    return nodes[own]


@live
async def test_all_were_killed_and_all_come_back(world: World) -> None:
    nodes = dict[CurveKey, Sealing]()
    sealing = [start(world, place, nodes) for place in range(3)]
    for seals in await asyncio.wait_for(asyncio.gather(*(each.sealed for each in sealing)), 5):
        check_seals(world.genesis, seals, SIGNATURES)
    for each in sealing:
        each.close()


@live
async def test_seals_of_nobody_are_not_taken(world: World) -> None:
    nodes = dict[CurveKey, Sealing]()
    one = start(world, 0, nodes)
    peer = world.genesis.members[1].curve
    for raw in seal_frames(world.genesis, {1: bytes(64), 2: world.seals[1], 0: world.seals[0]}):
        one.deliver([(peer, raw)])
    assert not one.sealed.done()
    for raw in seal_frames(world.genesis, dict(enumerate(world.seals))):
        one.deliver([(peer, raw)])
    assert one.sealed.result() == world.seals
    one.close()


def test_only_a_seal_on_this_genesis_is_read(world: World) -> None:
    (raw,) = seal_frames(world.genesis, {1: world.seals[1]})
    assert read_seal(world.genesis, raw, SIGNATURES) == (1, world.seals[1])
    assert read_seal(World(3, real=True, random_seed=1).genesis, raw, SIGNATURES) is None
    assert read_seal(world.genesis, raw[:-1], SIGNATURES) is None
    assert read_seal(world.genesis, b"", SIGNATURES) is None
