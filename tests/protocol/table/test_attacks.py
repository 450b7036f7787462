"""Attacks that once did harm: on what honest members must be able to read, to keep and to send."""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import partial

import pytest

from sunward_protocol import limits
from sunward_protocol.domains import Domain, Purpose, digest
from sunward_protocol.encoding import decode
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.errors import RemoteError
from sunward_protocol.ids import NOTHING, Epoch, Place
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.messages import (
    NO_CHANGE,
    Ack,
    Act,
    Change,
    Claim,
    Commit,
    Conviction,
    EpochBody,
    Kind,
    Open,
    Payload,
    Resume,
    Status,
    Sync,
    Vote,
)
from sunward_protocol.records import parse_record, write_entry
from sunward_protocol.table.events import Heard, Troubled, Wanted
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.pebbles import LAY
from support.quiet import actor, finish, sign, table
from support.world import World, seed

# What is as large as it may be

OF_STEPS: dict[Kind, Payload] = {
    Kind.ACT: Act(NOTHING, (1,), NOTHING),
    Kind.COMMIT: Commit(NOTHING, NOTHING),
    Kind.OPEN: Open(NOTHING, NOTHING, 1),
    Kind.ACK: Ack(NOTHING),
}


def is_one(raw: bytes) -> bool:
    try:
        open_frame(raw)
    except RemoteError:
        return False
    return True


def largest(make: Callable[[int], bytes]) -> bytes:
    """Return the largest that is a frame of those that `make` makes larger and larger."""
    return make(bisect_left(range(limits.FRAME_MOST), 1, key=lambda size: not is_one(make(size))) - 1)


def longest(make: Callable[[tuple[str, ...]], bytes]) -> bytes:
    """Return the largest frame that addresses can make of one, be it of letters of four bytes."""

    def with_letters(letter: str, size: int) -> bytes:
        count = limits.ENDPOINTS_MOST
        return make(tuple(letter * (size // count + (number < size % count)) for number in range(count)))

    return max((largest(partial(with_letters, letter)) for letter in ("a", "\U0001f680")), key=len)


def wants_back(world: World, place: Place, epoch: Epoch) -> bytes:
    """Return the largest RESUME of a place with the keys that it had."""
    member = world.genesis.members[place]
    keys = (member.session, member.curve, member.tip, member.delegation)
    return longest(lambda ends: sign(world, Kind.RESUME, Resume(*keys, ends), place, epoch))


def resume_of(raw: bytes) -> Resume:
    payload = open_frame(raw).payload
    assert isinstance(payload, Resume)
    return payload


def all_is_read(world: World, places: Iterable[Place]) -> None:
    """Fail unless everybody can read all that these members sent, and they what they logged."""
    assert [raw for sender, _, raw in world.sent if sender in places and not is_one(raw)] == []
    for place in places:
        assert all(parse_record(raw) for raw in world.disks[place].log)
    assert [strike for strike in world.strikes if strike.place in places] == []


def test_those_who_come_back_with_the_longest_addresses_leave_a_log_that_can_be_read() -> None:
    world = table(6)
    gone, others, everybody = (4, 5), (0, 1, 2, 3), tuple(range(6))
    for place in gone:
        world.stop(place)
    for place in others:
        world.feed(place, Wanted(out=0b110000))
    world.run(20, until=lambda: all(world.replica(place).steps.settled.live == others for place in others))
    epoch = world.replica(0).steps.settled.epoch
    words = {place: wants_back(world, place, epoch) for place in gone}
    assert all(len(raw) > 8 * limits.ENDPOINT_MOST for raw in words.values())
    for place in others:
        for sender, raw in words.items():
            world.feed(place, Heard(sender, raw))
    world.run(1)
    for place in gone:
        own = Own(place, world.signers[place], world.chains[place], world.chance.randbytes, resume_of(words[place]))
        world.replicas[place] = Replica(world.genesis, world.ruleset, own, world.signatures, now=world.now)
        world.feed(place, Wanted(back=True))
    world.run(20, until=lambda: all(world.replica(at).steps.settled.live == everybody for at in everybody))
    assert world.replica(0).steps.settled.live == everybody
    all_is_read(world, everybody)
    for place in everybody:
        world.stop(place)
        world.start(place)
    finish(world)


@pytest.mark.parametrize("voters", range(2, limits.MEMBERS_MOST))
def test_an_entry_of_the_largest_beginning_fits_into_a_record_and_into_a_frame(voters: int) -> None:
    world = World(6, waiting=True)
    back = tuple(wants_back(world, place, 1) for place in range(voters, 6))
    body = EpochBody(seed("state"), 1, Change(0b111111, back, 2**40, 1), limits.CHAIN_LENGTH)
    bodies = [sign(world, Kind.EPOCH, body, place, 2**20, 2**40, seed("head")) for place in range(voters)]
    acks = [sign(world, Kind.ACK, Ack(seed("state")), place, 2**20, 2**40, seed("head")) for place in range(6)]
    entry = Entry(2**20, 2**40, tuple(bodies), tuple(acks), (seed("link"),) * 6)
    assert all(map(is_one, bodies))
    assert parse_record(write_entry(entry.encode())) == parse_entry(entry.encode()) == entry
    full = seal(Kind.SYNC, Sync((bytes(limits.SYNC_FILL - len(entry.encode())), entry.encode())), world.genesis.match)
    alone = seal(Kind.SYNC, Sync((entry.encode(),)), world.genesis.match)
    assert is_one(full.raw)
    assert is_one(alone.raw)


def test_all_that_liars_can_make_a_status_tell_of_leaves_one_that_can_be_read() -> None:
    """The longest addresses, their own and of who is lost, and frames of all kinds, of other steps and epochs each."""
    world = table(6)
    liars = (2, 3, 4, 5)
    for place in liars:
        world.stop(place)
    world.run(5, until=lambda: False)
    settled = world.replica(0).steps.settled

    def status(whose: Place, ends: tuple[str, ...]) -> bytes:
        listening = tuple(ends if place == whose else () for place in range(6))
        return sign(world, Kind.STATUS, Status((), 0, listening), 2, 0, settled.step, settled.head)

    said = [longest(partial(status, whose)) for whose in liars]
    for place in liars:
        for step in range(settled.step, settled.step + limits.LEAD + 1):
            said += [sign(world, kind, payload, place, 0, step) for kind, payload in OF_STEPS.items()]
        said.append(sign(world, Kind.CLAIM, Claim((NO_CHANGE,)), place, 0, 2**40 + place))
        said.append(sign(world, Kind.VOTE, Vote(0, NO_CHANGE, 2**40, 0, ()), place, 2**20 - place))
        said.append(sign(world, Kind.EPOCH, EpochBody(NOTHING, 0, NO_CHANGE, 0), place, 2**20 - place))
    for place in (0, 1):
        for raw in said:
            world.feed(place, Heard(2, raw))
    world.sent.clear()
    world.run(3, until=lambda: False)
    all_is_read(world, (0, 1))
    payloads = [open_frame(raw).payload for sender, _, raw in world.sent if sender == 0]
    told = next(payload for payload in payloads if isinstance(payload, Status))
    assert all(len(ends) == limits.ENDPOINTS_MOST for ends in told.listening[2:]), "they are told on"
    assert len(told.holds) >= len(OF_STEPS) * (limits.LEAD + 1) + 3 * len(liars)


def test_two_votes_as_large_as_they_may_be_for_one_slot_are_shown_to_all_and_convict() -> None:
    world = table(4)
    world.stop(3)
    tip = world.replica(0).steps.tip

    def vote(adjourn: int) -> Callable[[int], bytes]:
        change = NO_CHANGE._replace(adjourn=adjourn)
        return lambda size: sign(
            world, Kind.VOTE, Vote(0, change, tip.step, tip.attempts, (bytes(size),)), 3, 1, 0, tip.head
        )

    for adjourn in (0, 1):
        world.feed(0, Heard(3, largest(vote(adjourn))))
    world.run(3, until=lambda: False)
    all_is_read(world, (0, 1, 2))
    assert [[told.place for told in world.told(place, Troubled)] for place in (0, 1, 2)] == [[3]] * 3
    assert {world.audit(place).verdict for place in (0, 1, 2)} == {"cheat"}


def test_the_same_words_in_more_bytes_are_none() -> None:
    """Else who acts may choose among the heads, and so among the draws, of one action."""
    world = table(3)
    tip, place = world.replica(0).steps.tip, actor(world)
    position = tip.position.copy()
    position.apply(tip.seat_of(place), LAY)
    act = Act(tip.state, (LAY,), digest(Domain.STATE, position.encode()))
    body = open_frame(sign(world, Kind.ACT, act, place, 0, tip.step, tip.head)).body
    longer = body[:1] + b"\xcc" + body[1:]  # the first number in two bytes, as msgpack may write it, too
    assert decode(longer) == decode(body)
    others = [other for other in range(3) if other != place]
    for other in others:
        world.feed(other, Heard(place, world.signers[place].sign(Purpose.FRAME, longer) + longer))
    assert [strike.place for strike in world.strikes] == [place, place]
    assert [world.replica(other).steps.tip.step for other in others] == [tip.step, tip.step]


# Evidence


def test_of_proof_against_one_place_no_more_is_kept_than_a_few() -> None:
    world = table(3)
    before = len(world.disks[0].log)
    for epoch in range(1, 20):
        votes = [Vote(0, NO_CHANGE._replace(adjourn=adjourn), epoch, 0, ()) for adjourn in (0, 1)]
        pair = tuple(sign(world, Kind.VOTE, vote, 2, epoch) for vote in votes)
        world.feed(0, Heard(2, seal(Kind.EVIDENCE, Conviction(pair), world.genesis.match, place=2).raw))
    assert len(world.disks[0].log) == before + limits.PROOFS_MOST
    assert [told.place for told in world.told(0, Troubled)] == [2] * limits.PROOFS_MOST
    assert world.strikes == []
