"""One member's replica: what it answers and what it keeps, and that what is addressed to nobody does not break it."""

from collections.abc import Sequence
from random import Random

import pytest

from sunward_protocol import limits
from sunward_protocol.commitment import commit
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.ids import Digest, Epoch, Place, Step
from sunward_protocol.ledger import Ledger
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
    Link,
    Open,
    Payload,
    Resume,
    Status,
    Sync,
)
from sunward_protocol.records import Kept, parse_record, write_entry, write_kept
from sunward_protocol.table.commands import Send
from sunward_protocol.table.events import Connected, Heard, Moved, Troubled
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.one_seat import OneSeat
from support.pebbles import CHALLENGE, LAY, LOW
from support.quiet import act, actor, sign, table
from support.world import World, seed


def quiet(members: int = 3) -> World:
    """Return a match at which nobody acts."""
    world = World(members, random_seed=1, choose=lambda replica, chance: ())
    world.run(2)
    world.sent.clear()
    return world


def ended(members: int = 2, turns: int = 60) -> World:
    """Return a match that was played to its end, mostly without chance."""
    world = World(members, random_seed=1, components=b"%d" % turns, options={"chance": "no"})
    world.run(600)
    world.run(5, until=lambda: False)
    world.sent.clear()
    return world


def status(world: World, step: Step, place: Place = 1, head: Digest | None = None) -> Heard:
    head = world.replica(0).steps.settled.head if head is None else head
    frame = seal(Kind.STATUS, Status((), 0, ()), world.genesis.match, step=step, place=place, head=head)
    return Heard(place, frame.raw)


def sent(world: World, kind: Kind, sender: Place = 0) -> list[tuple[Place, Frame]]:
    """Return what a member sent of a kind, and to whom."""
    frames = [(receiver, open_frame(raw)) for source, receiver, raw in world.sent if source == sender]
    return [(receiver, frame) for receiver, frame in frames if frame.kind is kind]


# Who is behind


def test_history_is_not_sent_again_while_it_may_be_on_its_way_but_at_once_on_a_new_connection() -> None:
    world = ended()
    world.delay = lambda sender, receiver: None
    world.feed(0, status(world, 0))
    once = len(sent(world, Kind.SYNC))
    assert once > 0
    world.feed(0, status(world, 0))
    world.run(limits.STATUS_EVERY / 2 - 0.01, until=lambda: False)
    world.feed(0, status(world, 0))
    assert len(sent(world, Kind.SYNC)) == once
    world.run(0.02, until=lambda: False)
    world.feed(0, status(world, 0))
    assert len(sent(world, Kind.SYNC)) == 2 * once, "half a second later it was lost"
    world.feed(0, Connected(1))
    world.feed(0, status(world, 0))
    assert len(sent(world, Kind.SYNC)) == 3 * once, "what was sent before went into the connection that is gone"


@pytest.mark.parametrize(("lacking", "again"), [(limits.LEAD + 1, False), (limits.LEAD, True), (1, True)])
def test_who_got_what_was_sent_but_for_what_its_end_locks_is_sent_more_at_once(lacking: int, again: bool) -> None:
    world = ended()
    world.feed(0, status(world, 0))
    world.sent.clear()
    world.feed(0, status(world, world.replica(0).steps.settled.step - lacking))
    assert bool(sent(world, Kind.SYNC)) is again


def test_history_begins_one_step_before_the_one_that_is_asked_for() -> None:
    world = ended()
    world.feed(0, status(world, 7))
    (_, first), *_ = sent(world, Kind.SYNC)
    assert isinstance(first.payload, Sync)
    assert parse_entry(first.payload.entries[0]).step == 6, "an epoch may have made its draw anew"


def test_who_is_ahead_is_asked_for_what_we_lack_and_who_stands_with_us_is_not() -> None:
    world = quiet()
    step = world.replica(0).steps.settled.step
    world.feed(0, status(world, step))
    assert sent(world, Kind.STATUS) == []
    world.feed(0, status(world, step + 1))
    assert [receiver for receiver, _ in sent(world, Kind.STATUS)] == [1]


@pytest.mark.parametrize(("epoch", "sent_again"), [(0, True), (1, False)])
def test_who_has_not_begun_our_epoch_is_sent_what_leads_to_it_until_that_is_locked(
    epoch: int, sent_again: bool
) -> None:
    seat = OneSeat()
    tip, world = seat.steps.tip, seat.world
    world.delay = lambda sender, receiver: None
    body = EpochBody(tip.state, tip.epoch, NO_CHANGE, tip.attempts)
    seat.steps.begin_epoch([], tip, [seat.frame(Kind.EPOCH, body, at, 1, tip.step, tip.head) for at in range(4)])
    told = seal(Kind.STATUS, Status((), 0, ()), world.genesis.match, epoch=epoch, step=tip.step, place=1, head=tip.head)
    world.feed(0, Heard(1, told.raw))
    assert bool(sent(world, Kind.SYNC)) is sent_again
    seat.hear_ack([1, 2, 3])
    assert seat.steps.settled.epoch == 1
    world.sent.clear()
    old = seal(Kind.STATUS, Status((), 0, ()), world.genesis.match, step=tip.step + 1, place=2, head=tip.head)
    world.feed(0, Heard(2, old.raw))
    assert sent(world, Kind.SYNC) == [], "who stands with us lacks nothing"


def test_who_lacks_frames_is_sent_them_once_in_a_while_however_often_it_says_so() -> None:
    seat = OneSeat()
    seat.plays(3, LAY, 1, 2)
    world = seat.world
    world.delay = lambda sender, receiver: None
    counts = list[int]()
    for wait in (0.0, 0.0, limits.STATUS_EVERY / 4, 0.01):
        world.run(wait, until=lambda: False)
        world.sent.clear()
        world.feed(0, status(world, seat.steps.settled.step))
        counts.append(len([frame for receiver, frame in sent(world, Kind.ACT) if receiver == 1]))
    assert counts == [1, 0, 1, 0]


def test_who_is_behind_is_not_asked_for_older_history_since_it_has_another_head() -> None:
    world = quiet()
    step = world.replica(0).steps.settled.step
    for behind, asked in ((1, step), (0, max(0, step - limits.LEAD))):
        world.feed(0, status(world, step - behind, head=seed("another head")))
        world.sent.clear()
        world.feed(0, Connected(1))
        assert [frame.step for _, frame in sent(world, Kind.STATUS)] == [asked]


def test_who_was_asked_for_older_history_may_have_some_answers_on_their_way_that_are_none() -> None:
    world = ended()
    last = world.replica(0).steps.settled.step
    world.feed(0, status(world, last, head=seed("another head")))
    steps = last - 1, last
    bodies = [world.forge(Kind.ACK, Ack(seed("state")), 1, step).raw for step in steps]
    other = Sync(tuple(Entry(0, step, (raw,), (), ()).encode() for step, raw in zip(steps, bodies, strict=True)))
    for struck in (0, 0, 0, 1, 2):
        world.feed(0, Heard(1, seal(Kind.SYNC, other, world.genesis.match, place=1).raw))
        assert len(world.strikes) == struck


def test_history_that_nobody_signed_is_a_strike_even_from_whom_older_history_was_asked() -> None:
    seat = OneSeat()
    seat.plays(3, LAY)
    world, tip = seat.world, seat.steps.settled
    assert tip.step == 2
    world.feed(0, status(world, tip.step, head=seed("another head")))
    raw = act(world, tip, LAY)
    for struck, signed in ((0, raw), (1, bytes(64) + open_frame(raw).body)):
        entries = [Entry(0, step, (body,), (), ()) for step, body in ((tip.step - 1, raw), (tip.step, signed))]
        shown = Sync(tuple(entry.encode() for entry in entries))
        world.feed(0, Heard(1, seal(Kind.SYNC, shown, world.genesis.match, place=1).raw))
        assert len(world.strikes) == struck
    assert [strike.place for strike in world.strikes] == [1]


# The time


def test_the_last_signature_for_a_step_locks_it_when_it_is_ours_too() -> None:
    world = quiet(4)
    tip, acting = world.replica(0).steps.tip, actor(world)
    assert acting != 0
    world.delay = lambda sender, receiver: None
    world.feed(0, Heard(acting, act(world, tip, LAY)))
    after = world.replica(0).steps.tip
    for place in {1, 2, 3} - {acting}:
        world.feed(0, Heard(place, sign(world, Kind.ACK, Ack(after.state), place, 0, tip.step, after.head)))
    world.run(limits.ACK_PATIENCE - 0.001, until=lambda: False)
    assert world.replica(0).steps.settled.step == tip.step
    world.run(0.002, until=lambda: False)
    assert world.replica(0).steps.settled.step == after.step


def test_who_hears_only_half_of_a_table_charges_nobody() -> None:
    world = table(4, {"bank": 30, "increment": 0, "frames": 30})
    for place in (2, 3):
        world.stop(place)
    world.run(limits.AWAY_AFTER + 2, until=lambda: False)
    left = list(world.replica(0).clocks.turns)
    world.run(100, until=lambda: False)
    assert (world.replica(0).clocks.turns, world.replica(0).changes.late) == (left, 0)


# Addresses


def test_what_it_knew_of_addresses_when_it_was_stopped_it_tells_with_its_own() -> None:
    world = quiet()
    own = Own(0, world.signers[0], world.chains[0], Random(1).randbytes)
    known = {1: ("tcp://127.0.0.1:1001",)}
    replica = Replica(
        world.genesis, world.ruleset, own, world.signatures, endpoints=("tcp://127.0.0.1:1000",), listening=known
    )
    sends = [open_frame(each.raw).payload for each in replica.begin(0) if isinstance(each, Send)]
    told = [each.listening for each in sends if isinstance(each, Status)]
    assert told == [(("tcp://127.0.0.1:1000",), ("tcp://127.0.0.1:1001",), ())]


def test_nobody_tells_us_where_we_listen() -> None:
    world = quiet()
    world.stop(2)
    world.run(2 * limits.AWAY_AFTER, until=lambda: False)
    listening = (("tcp://127.0.0.1:1000",), (), ("tcp://127.0.0.1:1002",))
    world.feed(0, Heard(1, seal(Kind.STATUS, Status((), 0, listening), world.genesis.match, place=1).raw))
    assert [(told.place, told.endpoints) for told in world.told(0, Moved)] == [(2, listening[2])], "but where others do"


def test_where_it_has_moved_to_it_says_with_its_next_status() -> None:
    world = quiet()
    world.replica(0).move(("tcp://127.0.0.1:1000",))
    world.run(2 * limits.STATUS_EVERY, until=lambda: False)
    told = {frame.payload.listening[0] for _, frame in sent(world, Kind.STATUS) if isinstance(frame.payload, Status)}
    assert told == {("tcp://127.0.0.1:1000",)}


def test_no_replica_is_finished_before_the_end_though_all_stand_at_the_same_step() -> None:
    world = quiet(2)
    world.run(2 * limits.STATUS_EVERY, until=lambda: False)
    assert not world.replica(0).finished


# Proof


def test_what_convicts_somebody_is_shown_to_all_at_once() -> None:
    world = quiet()
    world.delay = lambda sender, receiver: None
    for name in ("one", "other"):
        world.feed(0, Heard(1, world.forge(Kind.ACK, Ack(seed(name)), 2, world.replica(0).steps.tip.step).raw))
    assert [receiver for receiver, _ in sent(world, Kind.EVIDENCE)] == [1, 2]
    world.run(2.5 * limits.STATUS_EVERY, until=lambda: False)
    assert len(sent(world, Kind.EVIDENCE)) == 6, "and again each second, to who may not have heard it"


def test_history_convicts_whoever_told_us_another_beginning_of_the_same_epoch() -> None:
    seat = OneSeat()
    tip = seat.steps.tip
    rest, on = (EpochBody(tip.state, 0, change, tip.attempts) for change in (Change(0, (), 0, 1), NO_CHANGE))
    assert seat.takes(seat.frame(Kind.EPOCH, rest, 1, 1, tip.step, tip.head))
    bodies = tuple(seat.frame(Kind.EPOCH, on, place, 1, tip.step, tip.head).raw for place in range(4))
    begun = Sync((Entry(1, tip.step, bodies, (), ()).encode(),))
    seat.world.feed(0, Heard(2, seal(Kind.SYNC, begun, tip.match, place=2).raw))
    assert seat.steps.disputes.convicted == 1 << 1


@pytest.mark.parametrize(
    ("own_match", "own_key", "convicted"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_two_signatures_convict_only_by_the_key_that_their_place_has_in_this_match(
    own_match: bool, own_key: bool, convicted: bool
) -> None:
    world = quiet()
    match, signer = world.genesis.match if own_match else seed("match"), world.signers[2 if own_key else 1]
    pair = tuple(seal(Kind.ACK, Ack(seed(name)), match, signer, step=1, place=2).raw for name in ("one", "other"))
    world.feed(0, Heard(1, seal(Kind.EVIDENCE, Conviction(pair), world.genesis.match, place=1).raw))
    assert world.replica(0).steps.disputes.convicted == convicted << 2


@pytest.mark.parametrize(
    ("later", "held", "named"), [(-2, True, 0), (-1, True, 1), (0, True, 1), (1, True, 0), (0, False, 0)]
)
def test_who_shows_as_wrong_what_holds_here_is_named_at_the_step_at_which_they_stopped(
    later: int, held: bool, named: int
) -> None:
    seat = OneSeat()
    seat.plays(3, LAY, 1, 2)
    (body,) = seat.steps.unlocked.steps[0].bodies
    shown = body if held else seat.frame(Kind.ACK, Ack(seed("state")), 2, step=body.step)
    proof = seal(Kind.EVIDENCE, Conviction((body.raw, shown.raw)), body.match, step=body.step + later, place=1)
    seat.world.feed(0, Heard(1, proof.raw))
    troubles = [(told.code, told.step, told.place) for told in seat.world.told(0, Troubled)]
    assert troubles == [("desync", body.step + later, 1)] * named


# Steps


@pytest.mark.parametrize(
    ("ahead", "epoch", "kept"),
    [(-1, 0, False), (0, 0, True), (0, 1, False), (limits.LEAD, 0, True), (limits.LEAD + 1, 0, False)],
)
def test_frames_are_kept_of_the_step_under_way_and_of_so_many_after_it(ahead: int, epoch: int, kept: bool) -> None:
    world = quiet()
    steps = world.replica(0).steps
    word, at = Ack(seed("state")), steps.settled.step + ahead
    frame = seal(Kind.ACK, word, world.genesis.match, world.signers[1], epoch=epoch, step=at, place=1)
    world.feed(0, Heard(1, frame.raw))
    assert (frame.slot in steps.slots) is kept
    assert world.strikes == []


def test_what_history_does_not_yet_prove_is_taken_like_any_other_frame() -> None:
    played = World(3, random_seed=1, components=b"8", options={"chance": "no"})
    played.run(60)
    entries = [parse_entry(raw) for raw in played.replica(1).steps.entries]
    step = next(entry.step for entry in entries if entry.step > 1 and entry.bodies and not entry.acks)
    world = World(3, random_seed=1, components=b"8", options={"chance": "no"})
    world.run(60, until=lambda: world.replica(0).steps.settled.step == step)
    world.replica(0).steps.slots.clear()
    world.feed(0, Heard(1, seal(Kind.SYNC, Sync((entries[step].encode(),)), world.genesis.match, place=1).raw))
    body = open_frame(entries[step].bodies[0])
    steps = world.replica(0).steps
    assert steps.settled.step == step, "nothing proves that it was locked"
    assert body in steps.slots.values()


def test_a_step_of_which_only_history_tells_is_performed_at_once() -> None:
    world = quiet()
    tip = world.replica(0).steps.tip
    told = Entry(0, tip.step, (act(world, tip, LAY),), (), ())
    world.feed(0, Heard(1, seal(Kind.SYNC, Sync((told.encode(),)), world.genesis.match, place=1).raw))
    assert world.replica(0).steps.tip.step == tip.step + 1


def test_who_sent_history_is_told_at_once_how_far_it_led_and_asked_for_no_older_one() -> None:
    played, world = ended(), World(2, random_seed=1, components=b"60", options={"chance": "no"}, waiting=True)
    world.start(0)
    world.feed(0, status(world, 0, head=seed("another head")))
    world.sent.clear()
    shown = Sync(tuple(played.replica(1).steps.entries[:30]))
    world.feed(0, Heard(1, seal(Kind.SYNC, shown, world.genesis.match, place=1).raw))
    assert 20 < world.replica(0).steps.settled.step <= 30
    assert [frame.step for _, frame in sent(world, Kind.STATUS)] == [world.replica(0).steps.settled.step]


def logged(seat: OneSeat, ledger: Ledger, epoch: Epoch, frames: Sequence[Frame], *acks: Place) -> bytes:
    """Move a ledger on by some bodies; return the entry that tells of it, which some ACK."""
    at = ledger.step
    ledger.perform(frames)
    said = [seat.frame(Kind.ACK, Ack(ledger.state), place, epoch, at, ledger.head).raw for place in acks]
    return Entry(epoch, at, tuple(frame.raw for frame in frames), tuple(said), ()).encode()


def begins(seat: OneSeat, ledger: Ledger, epoch: Epoch, change: Change) -> list[Frame]:
    """Return what those who must agree sign to begin an epoch where a ledger stands."""
    body = EpochBody(ledger.state, ledger.epoch, change, ledger.attempts)
    return [seat.frame(Kind.EPOCH, body, at, epoch, ledger.step, ledger.head) for at in ledger.voters(change)]


def beginning(seat: OneSeat, *acks: Place) -> bytes:
    """Return the entry in which all four begin the first epoch where a seat's log ends, and some ACK that."""
    base = seat.steps.settled.copy()
    return logged(seat, base, 1, begins(seat, base, 1, NO_CHANGE), *acks)


def test_who_signed_for_a_beginning_is_known_from_the_history_that_tells_of_it() -> None:
    seat = OneSeat()
    seat.world.delay = lambda sender, receiver: None
    begun = Sync((beginning(seat, 1, 2),))
    seat.world.feed(0, Heard(1, seal(Kind.SYNC, begun, seat.world.genesis.match, place=1).raw))
    assert seat.steps.tip.epoch == 1
    assert seat.steps.unlocked.lacks(seat.steps.unlocked.steps[0]) == [3]


def test_a_step_of_the_epoch_that_we_left_for_one_that_began_is_not_taken_up_until_that_is_given_up() -> None:
    seat = OneSeat()
    seat.world.delay = lambda sender, receiver: None
    base, match = seat.steps.settled.copy(), seat.world.genesis.match
    raw = act(seat.world, base, LAY)
    begun = Sync((beginning(seat),))
    base.perform([open_frame(raw)])
    acks = [seat.frame(Kind.ACK, Ack(base.state), place, 0, base.step - 1, base.head).raw for place in range(3)]
    locked = Sync((Entry(0, base.step - 1, (raw,), tuple(acks), ()).encode(),))
    for shown, stands in ((begun, (1, 1)), (locked, (1, 1))):
        seat.world.feed(0, Heard(1, seal(Kind.SYNC, shown, match, place=1).raw))
        assert (seat.steps.tip.epoch, seat.steps.settled.step) == stands
    seat.steps.step_back()
    seat.world.feed(0, Heard(1, seal(Kind.SYNC, locked, match, place=1).raw))
    assert (seat.steps.tip.epoch, seat.steps.settled.step) == (0, 2)


def test_what_a_beginning_locked_stays_in_the_log_with_its_own_lock_when_another_begins_further_on() -> None:
    seat = OneSeat()
    seat.plays(3, CHALLENGE)
    seat.world.delay = lambda sender, receiver: None
    settled, nonce = seat.steps.settled, bytes(32)
    places = settled.due().places
    (gone,) = set(places) - {0} if 0 in places else {places[-1]}
    three = sorted({0, 1, 2, 3} - {gone})

    def commits(ledger: Ledger) -> list[Frame]:
        hidden = [(at, commit(ledger.match, ledger.step, at, nonce, LOW)) for at in ledger.due().places]
        return [
            seat.frame(Kind.COMMIT, Commit(ledger.state, fixed), at, 0, ledger.step, ledger.head)
            for at, fixed in hidden
        ]

    def show(*entries: bytes) -> None:
        raw = seal(Kind.SYNC, Sync(entries), seat.world.genesis.match, place=1).raw
        seat.world.feed(0, Heard(1, raw))

    short, long = settled.copy(), settled.copy()
    out = Change(1 << gone, (), 0, 0)
    committed = logged(seat, short, 0, commits(short), *three)
    show(committed, logged(seat, short, 1, begins(seat, short, 1, out), *three))
    assert (seat.steps.settled.epoch, len(seat.steps.entries)) == (1, settled.step + 2)
    whole = logged(seat, long, 0, commits(long), 0, 1, 2, 3)
    opens = [
        seat.frame(Kind.OPEN, Open(long.state, nonce, LOW), at, 0, long.step, long.head) for at in long.due().places
    ]
    opened = logged(seat, long, 0, opens)
    show(whole, opened, logged(seat, long, 2, begins(seat, long, 2, NO_CHANGE)))
    assert seat.steps.tip.epoch == 2
    assert seat.steps.entries[settled.step :] == [whole]
    assert seat.world.strikes == []


# What it is started from


def test_a_log_that_ends_with_a_beginning_without_its_lock_is_stood_behind() -> None:
    seat = OneSeat()
    seat.world.delay = lambda sender, receiver: None
    seat.world.stop(0)
    seat.world.disks[0].log.append(write_entry(beginning(seat)))
    seat.world.start(0)
    steps = seat.world.replica(0).steps
    assert (steps.settled.epoch, len(steps.entries), steps.settled.step) == (1, 2, 2)


def test_a_log_is_stood_behind_as_far_as_it_goes_though_its_end_does_not_show_that_it_is_locked() -> None:
    world = World(3, random_seed=1, components=b"8", options={"chance": "no"})
    log = world.disks[0].log

    def ends_without_acks() -> bool:
        return len(log) > 3 and isinstance(last := parse_record(log[-1]), Entry) and not last.acks

    world.run(60, until=ends_without_acks)
    step, length = world.replica(0).steps.settled.step, len(log)
    assert step == length - 1
    world.stop(0)
    world.start(0)
    steps = world.replica(0).steps
    assert (steps.settled.step, len(steps.entries)) == (step, step)
    assert len(log) == length, "and is not written again"


def test_who_showed_a_link_in_an_epoch_of_which_nothing_is_left_starts_all_the_same() -> None:
    world = quiet()
    link = Link(1, world.chains[0].links[1])
    shown = seal(Kind.LINK, link, world.genesis.match, world.signers[0], epoch=1, step=1, place=0)
    world.stop(0)
    world.disks[0].journal.append(write_kept(Kept(shown.raw, b"", 0)))
    world.start(0)
    assert world.replica(0).steps.tip.epoch == 0


def test_a_log_that_ends_the_match_without_the_lock_of_its_end_is_not_over() -> None:
    world = World(2, random_seed=1, components=b"1")
    world.run()
    log = world.disks[0].log
    last = parse_record(log[-1])
    assert isinstance(last, Entry)
    assert last.acks
    world.delay = lambda sender, receiver: None
    for entry, over in ((last, True), (last._replace(acks=()), False)):
        log[-1] = write_entry(entry.encode())
        world.stop(0)
        world.start(0)
        steps = world.replica(0).steps
        assert (steps.settled.closed, steps.over) == (True, over)


# The end


def test_a_replica_is_needed_until_everybody_else_has_said_that_they_know_the_end() -> None:
    world = World(3, random_seed=1, components=b"3")
    world.run(60, until=lambda: world.replica(0).steps.over)
    replica = world.replica(0)
    last = replica.steps.settled.step
    assert not replica.finished
    for place, step, finished in [(1, last, False), (2, last - 1, False), (2, last, True)]:
        world.feed(0, status(world, step, place))
        assert replica.finished is finished
    assert not world.replica(1).finished


def test_the_end_is_told_to_all_at_once_and_only_once() -> None:
    world = World(3, random_seed=1, components=b"3")
    world.run(60, until=lambda: world.replica(0).steps.over)
    last = world.replica(0).steps.settled.step
    told = [receiver for receiver, frame in sent(world, Kind.STATUS) if frame.step == last]
    assert sorted(told) == [1, 2]
    world.sent.clear()
    world.feed(0, Heard(1, world.forge(Kind.ACK, Ack(seed("state")), 1, 0).raw))
    assert world.sent == []


# What comes from nowhere


def nowhere(world: World) -> list[Frame]:
    """Return one frame of each sort in the name of a place that the table does not have."""
    member, match, place = world.genesis.members[0], world.genesis.match, len(world.genesis.members)
    signer, step = world.signers[0], world.replica(0).steps.settled.step
    act = Act(seed("state"), (1,), seed("outcome"))
    resume = Resume(member.session, member.curve, member.tip, member.delegation, ())
    said: list[tuple[Kind, Payload]] = [(Kind.ACT, act), (Kind.CLAIM, Claim(())), (Kind.RESUME, resume)]
    frames = [seal(kind, payload, match, signer, step=step, place=place) for kind, payload in said]
    pair = tuple(seal(Kind.ACT, act._replace(choices=(choice,)), match, signer, place=place).raw for choice in (1, 2))
    return [*frames, seal(Kind.EVIDENCE, Conviction(pair), match, place=1)]


def test_frames_in_the_name_of_a_place_that_there_is_not_are_passed_over() -> None:
    world = quiet()
    steps, before = world.replica(0).steps, dict(world.replica(0).steps.slots)
    for frame in nowhere(world):
        world.feed(0, Heard(1, frame.raw))
    assert steps.slots == before
    assert steps.disputes.convicted == 0
    assert list(world.replica(0).changes.frames) == []
    assert world.sent == []
    assert world.strikes == []


def test_what_is_signed_for_another_match_is_nothing_in_this_one() -> None:
    world = quiet()
    steps, before = world.replica(0).steps, dict(world.replica(0).steps.slots)
    said: list[tuple[Kind, Payload]] = [(Kind.ACK, Ack(seed("state"))), (Kind.CLAIM, Claim(()))]
    for kind, payload in said:
        foreign = seal(kind, payload, seed("match"), world.signers[1], step=steps.tip.step, place=1)
        world.feed(0, Heard(1, foreign.raw))
    assert steps.slots == before
    assert world.strikes == []


def test_an_epoch_before_the_first_step_that_does_not_follow_is_a_strike() -> None:
    world = World(3, waiting=True)
    world.start(0)
    entry = Entry(1, 0, (world.forge(Kind.ACK, Ack(seed("state")), 1, 0).raw,), (), ())
    world.feed(0, Heard(1, seal(Kind.SYNC, Sync((entry.encode(),)), world.genesis.match, place=1).raw))
    assert [strike.place for strike in world.strikes] == [1]
