"""Coming back with nothing but an identity: what another node tells is taken only if it proves itself."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import cast

import pytest

from sunward_node.gathering import TurnedAway
from sunward_node.returning import Found, Returning
from sunward_node.sealing import seal_frames
from sunward_node.transport import Transport
from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.errors import LocalError
from sunward_protocol.games.game import Game
from sunward_protocol.genesis import Genesis, delegate
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer, Signer
from sunward_protocol.ids import CurveKey
from sunward_protocol.limits import CHAIN_LENGTH
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import Kind, Leave, Proposal, Seal, Status, Sync
from sunward_protocol.table.events import Wanted
from sunward_protocol.table.lobby import Myself
from sunward_protocol.table.replica import Replica
from support.pebbles import find_pebbles
from support.sockets import live
from support.world import World, seed

HOST = bytes(32)
LOST = 2


class Ear:
    """A transport that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send(self, _: Iterable[CurveKey], payload: bytes) -> None:
        self.sent.append(payload)


def nobody(_: Replica, __: Random) -> tuple[int, ...]:
    return ()


@pytest.fixture(scope="module")
def world() -> World:
    """A table of three whose last place is out."""
    world = World(3, real=True, random_seed=3, choose=nobody)
    world.run(1)
    world.stop(LOST)
    for place in (0, 1):
        world.feed(place, Wanted(out=1 << LOST))
    world.run(20)
    assert world.replica(0).steps.settled.live == (0, 1)
    return world


class Attempt:
    """Somebody who comes back, and what they are told."""

    def __init__(self, world: World, find: Callable[[str], Game] = find_pebbles, who: Signer | None = None) -> None:
        session = Ed25519Signer(seed("new session")).public
        identity, table = world.identities[LOST] if who is None else who, world.genesis.table
        member = delegate(identity, table, "", session, seed("new curve"), seed("new tip"), CHAIN_LENGTH)
        self.told: list[str] = []
        self.ear = Ear()
        me = Myself(identity, member, ())
        ear = cast("Transport", self.ear)
        self.returning = Returning(me, table, HOST, ear, Ed25519Signatures(), find, self.told.append)

    def hear(self, *frames: bytes) -> "asyncio.Future[Found]":
        self.returning.deliver([(HOST, raw) for raw in frames])
        self.returning.close()
        return self.returning.found


def beginning(genesis: Genesis, seals: Sequence[bytes]) -> list[bytes]:
    proposal = seal(Kind.PROPOSAL, Proposal(0, 1, genesis.body, ((),) * 3), genesis.table)
    return [proposal.raw, *seal_frames(genesis, dict(enumerate(seals)))]


def history(world: World, entries: Sequence[bytes]) -> bytes:
    return seal(Kind.SYNC, Sync(tuple(entries)), world.genesis.match).raw


def arrived(world: World, epoch: int = 1) -> bytes:
    return seal(Kind.STATUS, Status((), 0, ()), world.genesis.match, epoch=epoch).raw


def forged(entry: bytes) -> bytes:
    """Return an entry in which the first ACK has another's signature."""
    parsed = parse_entry(entry)
    first, second, *rest = parsed.acks
    return parsed._replace(acks=(second[:64] + first[64:], second, *rest)).encode()


@live
async def test_the_match_is_found_once_its_history_tells_that_we_are_out(world: World) -> None:
    entries = world.replica(0).steps.entries
    attempt = Attempt(world)
    out = next(number for number, entry in enumerate(entries) if parse_entry(entry).epoch == 1)
    attempt.returning.deliver([(HOST, raw) for raw in beginning(world.genesis, world.seals)])
    attempt.returning.deliver([(HOST, history(world, entries[:out])), (HOST, arrived(world, 0))])
    assert not attempt.returning.found.done(), "we are not out yet"
    found = attempt.hear(history(world, entries), arrived(world, 2), arrived(world)).result()
    assert (found.genesis, found.seals, found.place) == (world.genesis, world.seals, LOST)
    assert list(found.entries) == entries[: len(found.entries)]
    assert {open_frame(raw).kind for raw in attempt.ear.sent} == {Kind.STATUS}, "nothing is signed"


@live
async def test_who_is_not_out_is_told_so_and_goes_on_asking(world: World) -> None:
    attempt = Attempt(world)
    attempt.returning.linked(HOST, True)
    leave = seal(Kind.LEAVE, Leave("Not yet."), world.genesis.table).raw
    attempt.returning.deliver([(HOST, leave), (HOST, leave)])
    assert attempt.told == ["Not yet."]
    assert not attempt.returning.found.done()
    assert {open_frame(raw).kind for raw in attempt.ear.sent} == {Kind.HELLO}
    attempt.returning.close()


def another_table(world: World) -> Iterable[bytes]:
    genesis = replace(world.genesis, table=seed("another"))
    seals = [identity.sign(Purpose.SEAL, genesis.body) for identity in world.identities]
    return [seal(Kind.PROPOSAL, Proposal(0, 1, genesis.body, ()), world.genesis.table).raw] + [
        seal(Kind.SEAL, Seal(each), world.genesis.table, place=place).raw for place, each in enumerate(seals)
    ]


def a_forged_seal(world: World) -> Iterable[bytes]:
    return beginning(world.genesis, (*world.seals[:2], world.seals[0]))


def half_a_genesis(world: World) -> Iterable[bytes]:
    return [seal(Kind.PROPOSAL, Proposal(0, 1, world.genesis.body[:-1], ()), world.genesis.table).raw]


def pieces_of_two_sizes(world: World) -> Iterable[bytes]:
    body, table = world.genesis.body, world.genesis.table
    yield seal(Kind.PROPOSAL, Proposal(5, 64, b"", ()), table).raw
    yield seal(Kind.PROPOSAL, Proposal(1, 2, body, ()), table).raw
    yield seal(Kind.PROPOSAL, Proposal(0, 2, b"?", ()), table).raw


def forged_history(world: World) -> Iterable[bytes]:
    entries = world.replica(0).steps.entries
    return [*beginning(world.genesis, world.seals), history(world, [forged(entries[0]), *entries[1:]])]


def no_frame(_: World) -> Iterable[bytes]:
    return [b"nothing of the kind"]


@pytest.mark.parametrize(
    "told", [another_table, a_forged_seal, half_a_genesis, pieces_of_two_sizes, forged_history, no_frame]
)
@live
async def test_what_does_not_hold_ends_the_attempt(world: World, told: Callable[[World], Iterable[bytes]]) -> None:
    found = Attempt(world).hear(*told(world))
    with pytest.raises(TurnedAway, match="does not hold"):
        found.result()


@live
async def test_who_has_no_seat_there_is_told_so(world: World) -> None:
    found = Attempt(world, who=Ed25519Signer(seed("nobody"))).hear(*beginning(world.genesis, world.seals))
    with pytest.raises(TurnedAway, match="Your identity has no seat in that match"):
        found.result()


@live
async def test_a_game_that_is_not_here_is_named(world: World) -> None:
    def find(_: str) -> Game:
        raise LocalError("There is no such game here.")

    found = Attempt(world, find).hear(*beginning(world.genesis, world.seals))
    with pytest.raises(LocalError, match="no such game"):
        found.result()


@live
async def test_nobody_else_is_listened_to(world: World) -> None:
    attempt = Attempt(world)
    attempt.returning.deliver([(bytes(31) + b"1", b"nothing of the kind")])
    assert not attempt.returning.found.done()
    attempt.returning.close()
