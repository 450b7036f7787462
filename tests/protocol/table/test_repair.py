"""Repair: whoever is behind is brought up to date, by honest members at little cost and by liars not at all."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol import limits
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.messages import Ack, Act, Kind, Link, Payload, Say, Status, Sync
from sunward_protocol.table.events import Connected, Ended, Heard, Troubled
from support.world import World, seed


def long_match(turns: int, members: int = 3, random_seed: int = 1) -> World:
    """Return a world in which a match of so many turns was played to its end, mostly without chance."""
    world = World(members, random_seed=random_seed, components=b"%d" % turns, options={"chance": "no"})
    world.run(600)
    assert world.ended()
    return world


def sync(world: World, entries: Sequence[bytes], place: int = 1) -> bytes:
    return seal(Kind.SYNC, Sync(tuple(entries)), world.genesis.match, place=place).raw


def status(world: World, step: int, place: int = 1) -> bytes:
    return seal(Kind.STATUS, Status((), 0, ()), world.genesis.match, step=step, place=place).raw


def test_a_member_that_lost_its_disk_is_back_after_2000_steps_quickly_and_is_sent_them_once() -> None:
    world = long_match(2000)
    log = list(world.disks[0].log)
    world.stop(0)
    del world.disks[0].log[1:]
    world.sent.clear()
    start = world.now
    world.start(0)
    world.run(10)
    assert world.now - start < 0.1, "a round trip a window"
    assert world.disks[0].log == log
    size = sum(map(len, log))
    assert size < sum(len(raw) for _, receiver, raw in world.sent if receiver == 0) < 2.5 * size, "each peer, once"
    assert world.told(0, Ended) == world.told(1, Ended)[-1:] * 2


def test_what_was_lost_on_the_way_is_sent_again() -> None:
    world = long_match(400, members=2)
    world.stop(0)
    del world.disks[0].log[1:]
    world.delay = lambda sender, receiver: None if world.chance.random() < 0.6 else 0.001
    world.start(0)
    world.run(60)
    assert world.ended()


def test_a_storm_of_status_frames_is_answered_once() -> None:
    world = long_match(400, members=2)
    world.sent.clear()
    for _ in range(1000):
        world.feed(0, Heard(1, status(world, 0)))
    size = sum(map(len, world.disks[0].log))
    assert size / 2 < sum(len(raw) for _, _, raw in world.sent) < size + 1000


def test_who_says_again_and_again_to_hold_nothing_is_not_sent_all_of_it_each_time() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(2)
    world.sent.clear()
    step = world.replica(0).steps.settled.step
    act = world.forge(Kind.ACT, Act(seed(1), (1,), seed(2)), 2, step)
    world.replica(0).steps.slots[act.slot] = act  # something that others may lack
    for _ in range(50):
        world.feed(0, Heard(1, status(world, step)))
    assert [raw for _, receiver, raw in world.sent if receiver == 1].count(act.raw) == 1
    world.run(limits.STATUS_EVERY / 2, until=lambda: False)
    world.feed(0, Heard(1, status(world, step)))
    assert [raw for _, receiver, raw in world.sent if receiver == 1].count(act.raw) == 2


def test_a_status_from_the_far_future_is_answered_with_ours_and_nothing_else() -> None:
    world = World(2, random_seed=1)
    world.run(0.02)
    before = len(world.sent)
    world.feed(0, Heard(1, status(world, 2**62)))
    assert [open_frame(raw).kind for _, _, raw in world.sent[before:]] == [Kind.STATUS]


def test_a_new_connection_is_greeted_with_a_status() -> None:
    world = World(3, random_seed=1)
    world.run(0.02)
    before = len(world.sent)
    world.feed(0, Connected(2))
    assert [(receiver, open_frame(raw).kind) for _, receiver, raw in world.sent[before:]] == [(2, Kind.STATUS)]


# SYNC from a liar


def flip(raw: bytes, where: int) -> bytes:
    where %= len(raw)
    return raw[:where] + bytes([raw[where] ^ 1]) + raw[where + 1 :]


FORGERIES: dict[str, Callable[[Entry], Entry]] = {
    "another step": lambda entry: entry._replace(step=entry.step + 1),
    "another epoch": lambda entry: entry._replace(epoch=1),
    "no body": lambda entry: entry._replace(bodies=()),
    "a body too many": lambda entry: entry._replace(bodies=entry.bodies * 2),
    "an ACK in a body's place": lambda entry: entry._replace(bodies=entry.acks[:1]),
    "no ACKs": lambda entry: entry._replace(acks=()),
    "an ACK missing": lambda entry: entry._replace(acks=entry.acks[1:]),
    "a link that is not drawn": lambda entry: entry._replace(links=(seed("link"),) * 3),
    "a changed ACK": lambda entry: entry._replace(acks=tuple(flip(ack, -1) for ack in entry.acks)),
    "a forged ACK": lambda entry: entry._replace(acks=tuple(flip(ack, 5) for ack in entry.acks)),
    "a changed body": lambda entry: entry._replace(bodies=tuple(flip(body, -1) for body in entry.bodies)),
    "a body of another version": lambda entry: entry._replace(bodies=(flip(entry.bodies[0], 65),)),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_history_changes_nothing(forgery: str) -> None:
    played = World(3, random_seed=1)
    played.run()
    entries = list(played.replica(1).steps.entries[1:2])
    assert parse_entry(entries[0]).links, "a step that draws has everybody's word in its entry"
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    before = (world.replica(0).steps.settled.head, list(world.disks[0].log))
    assert before[1][1:] == played.disks[0].log[1:2], "the two worlds are the same so far"
    forged = FORGERIES[forgery](parse_entry(entries[0])).encode()
    world.feed(0, Heard(1, sync(world, [forged])))
    assert (world.replica(0).steps.settled.head, world.disks[0].log) == before
    if forgery != "another step":  # an entry of a later step may come early from anybody
        assert [strike.place for strike in world.strikes] == [1]
    world.feed(0, Heard(1, sync(world, entries)))
    assert world.replica(0).steps.settled.step == 2, "the true history is taken still"
    assert world.told(0, Troubled) == []


@pytest.mark.parametrize(
    ("kind", "said"),
    [(Kind.LINK, Link(0, seed("link"))), (Kind.STATUS, Status((), 0, ())), (Kind.SAY, Say(seed("key"), "hello"))],
)
def test_a_body_of_a_kind_that_nobody_signs_is_a_strike_and_stops_nobody(kind: Kind, said: Payload) -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    settled = world.replica(0).steps.settled
    body = seal(kind, said, settled.match, step=settled.step, place=1)
    world.feed(0, Heard(1, sync(world, [Entry(settled.epoch, settled.step, (body.raw,), (), ()).encode()])))
    assert [strike.place for strike in world.strikes] == [1]
    assert world.replica(0).steps.settled is settled


def test_a_bad_signature_that_a_later_one_covers_is_not_let_into_a_log_that_is_up_to_date() -> None:
    played = World(2, random_seed=2)
    played.run()
    entries = [parse_entry(raw) for raw in played.replica(1).steps.entries]
    step = next(entry.step for entry in entries if len(entry.bodies) == 2)
    world = World(2, random_seed=2)
    world.run(until=lambda: world.replica(0).steps.settled.step == step)
    world.stop(1)
    assert world.replica(0).steps.entries == [entry.encode() for entry in entries[:step]]
    bodies = entries[step].bodies
    poisoned = entries[step]._replace(bodies=(bodies[0], flip(bodies[1], 5)))
    world.feed(0, Heard(1, sync(world, [poisoned.encode()])))
    assert world.replica(0).steps.settled.step == step
    assert [strike.place for strike in world.strikes] == [1]
    world.feed(0, Heard(1, sync(world, [entries[step].encode()])))
    assert world.replica(0).steps.settled.step == step + 1


def test_forged_links_in_history_change_nothing() -> None:
    played = World(2, random_seed=1)
    played.run()
    world = World(2, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    world.stop(0)
    del world.disks[0].log[1:]
    world.disks[0].journal.clear()
    world.start(0)
    first = parse_entry(played.replica(1).steps.entries[0])
    forged = first._replace(links=(first.links[0], seed("link")))
    world.feed(0, Heard(1, sync(world, [forged.encode()])))
    assert world.replica(0).steps.settled.step == 0
    assert "does not belong to its chain" in world.strikes[0].reason


def test_history_that_is_known_is_no_strike_and_no_news() -> None:
    world = World(2, random_seed=1)
    world.run()
    before = len(world.sent), list(world.disks[0].log)
    world.feed(0, Heard(1, sync(world, world.replica(1).steps.entries)))
    assert (len(world.sent), world.disks[0].log) == before
    assert world.strikes == []


# How much a liar can make a member keep


def test_frames_of_far_steps_are_not_kept() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    steps = world.replica(0).steps
    for step in range(2, 500):
        for place in (1, 2):
            ack = world.forge(Kind.ACK, Ack(seed("state")), place, step, seed("head", step))
            act = world.forge(Kind.ACT, Act(seed(step), (1,) * 256, seed("outcome")), place, step)
            world.feed(0, Heard(place, ack.raw))
            world.feed(0, Heard(place, act.raw))
    far = [address for address in steps.slots if address.step > steps.settled.step + limits.LEAD]
    assert far == []
    assert len(steps.slots) <= 3 * 2 * (limits.LEAD + 1)


def test_a_long_match_keeps_only_its_log() -> None:
    world = long_match(300, members=2)
    steps = world.replica(0).steps
    assert steps.slots == {}
    assert len(steps.journal._signed) < 4  # pyright: ignore[reportPrivateUsage]  # what it must not keep cannot be seen elsewhere


# Nothing that comes in may break a member


@st.composite
def mutated(draw: st.DrawFn, frames: Sequence[bytes]) -> bytes:
    raw = bytearray(draw(st.sampled_from(frames)))
    for _ in range(draw(st.integers(1, 4))):
        where = draw(st.integers(0, len(raw) - 1))
        raw[where] = draw(st.integers(0, 255))
    cut = draw(st.integers(0, 3))
    return bytes(raw[: len(raw) - cut])


def traffic() -> list[bytes]:
    world = World(3, random_seed=1, components=b"6")
    world.run()
    entries = world.replica(0).steps.entries
    return sorted({raw for _, _, raw in world.sent}) + [sync(world, entries[at : at + 4]) for at in range(0, 12, 3)]


@settings(max_examples=300, deadline=None)
@given(st.lists(mutated(traffic()) | st.binary(max_size=300), min_size=1, max_size=20), st.integers(0, 9))
def test_whatever_comes_in_raises_nothing_and_changes_no_state(frames: list[bytes], after: int) -> None:
    world = World(3, random_seed=1, components=b"6", choose=lambda replica, chance: ())
    world.run(0.5, until=lambda: world.replica(0).steps.settled.step >= 1)
    before = world.replica(0).steps.settled.head
    world.stop(1)
    world.stop(2)
    for raw in frames:
        world.feed(0, Heard(1, raw))
    settled = world.replica(0).steps.settled
    played = [entry.step for entry in map(parse_entry, world.replica(0).steps.entries)]
    assert played == list(range(settled.step))
    assert settled.head == before or settled.step > 1
