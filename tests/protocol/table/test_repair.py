"""Repair: whoever is behind is brought up to date, by honest members at little cost and by liars not at all."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, Slot, open_frame, seal
from sunward_protocol.ids import Epoch, Place, Step
from sunward_protocol.ledger import Disagreement
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.messages import NO_CHANGE, Ack, Act, Claim, Kind, Link, Payload, Say, Status, Sync, Vote
from sunward_protocol.table.events import Applied, Chosen, Connected, Drawn, Ended, Heard, Troubled, Wanted
from sunward_protocol.table.repair import history, missing, report
from sunward_protocol.table.steps import Steps
from support.pebbles import LAY, ROLL
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


def test_who_catches_up_is_told_all_that_was_played_and_drawn() -> None:
    world = World(2, random_seed=1, components=b"12")
    world.run()
    world.stop(0)
    del world.disks[0].log[1:]
    world.disks[0].journal.clear()
    world.notices[0].clear()
    world.start(0)
    world.run()
    for kind in (Applied, Drawn):
        assert len(world.told(1, kind)) > 1
        assert world.told(0, kind) == world.told(1, kind)


def test_history_that_comes_before_what_leads_to_it_changes_nothing_and_is_no_strike() -> None:
    played = World(2, random_seed=1)
    played.run()
    world = World(2, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    settled = world.replica(0).steps.settled
    world.feed(0, Heard(1, sync(world, played.replica(1).steps.entries[settled.step + 1 :])))
    assert world.replica(0).steps.settled is settled
    assert world.strikes == []


# History that undoes the end of ours


def still(random_seed: int) -> World:
    """Return a table of three at which nobody acts unless they are made to."""
    world = World(3, random_seed=random_seed, choose=lambda replica, chance: ())
    world.run(1)
    return world


def to_act(world: World) -> Place:
    tip = world.replica(0).steps.tip
    return tip.place_of[tip.position.to_act()[0]]


def agree(world: World, wanted: Wanted) -> None:
    """Let all want the same, and wait until it has come true."""
    epoch = world.replica(0).steps.settled.epoch
    for place in range(3):
        world.feed(place, wanted)
    world.run(20, until=lambda: all(world.replica(place).steps.settled.epoch > epoch for place in range(3)))


def test_who_made_a_draw_that_was_made_anew_without_them_takes_the_new_one() -> None:
    world = still(3)
    actor, step = to_act(world), world.replica(0).steps.settled.step
    gone, other = [place for place in range(3) if place != actor]
    alone = world.replica(gone).steps
    world.delay = lambda sender, receiver: (
        None if sender == gone and open_frame(world.sent[-1][2]).kind is Kind.LINK else 0.001
    )
    world.feed(actor, Chosen(step, (ROLL,)))
    world.run(1, until=lambda: alone.settled.step == step + 1)
    former = parse_entry(alone.entries[step])
    world.delay = lambda sender, receiver: None if gone in (sender, receiver) else 0.001
    for place in (actor, other):
        world.feed(place, Wanted(out=1 << gone))
    world.run(20, until=lambda: world.replica(actor).steps.settled.epoch == 1)
    world.delay = lambda sender, receiver: 0.001
    world.run(5, until=lambda: alone.settled.epoch == 1)
    assert alone.entries == world.replica(actor).steps.entries
    taken = parse_entry(alone.entries[step])
    assert (taken.bodies, taken.links, bool(former.links)) == (former.bodies, (), True)
    assert alone.settled.randomness == world.replica(actor).steps.settled.randomness
    assert [drawn.step for drawn in world.told(gone, Drawn)][-2:] == [step, step + 1], "and its player is told"
    assert world.strikes == []


def chain(world: World) -> list[bytes]:
    """Return the history of a table from the step before the first that changes who plays."""
    entries = world.replica(0).steps.entries
    first = next(number for number, raw in enumerate(entries) if parse_entry(raw).epoch)
    return entries[first - 1 :]


def rested(promised: Epoch = 0, *, back: bool = True) -> World:
    """Return a table that rested, and went on; so many votes of its members had come to nothing before they agreed."""
    world = still(3)
    for place in range(3):
        world.replica(place).steps.journal.promised = promised
    agree(world, Wanted(adjourn=True))
    if back:
        agree(world, Wanted(back=True))
    return world


def test_beginnings_that_lead_to_a_later_epoch_take_the_place_of_ours() -> None:
    world, other = rested(), rested(5)
    assert [each.replica(0).steps.settled.epoch for each in (world, other)] == [2, 7]
    world.feed(0, Heard(1, sync(world, chain(other))))
    assert world.replica(0).steps.entries == other.replica(0).steps.entries
    assert world.strikes == []


def test_beginnings_that_lead_no_further_than_ours_do_not_take_their_place() -> None:
    world, other = rested(), rested(1, back=False)
    assert [each.replica(0).steps.settled.epoch for each in (world, other)] == [2, 2]
    before = list(world.replica(0).steps.entries)
    world.feed(0, Heard(1, sync(world, chain(other))))
    assert world.replica(0).steps.entries == before


def test_beginnings_stay_that_a_step_of_the_game_was_locked_behind() -> None:
    world, other = rested(), rested(5)
    world.feed(to_act(world), Chosen(world.replica(0).steps.tip.step, (LAY,)))
    world.run(2, until=lambda: False)
    before = list(world.replica(0).steps.entries)
    assert open_frame(parse_entry(before[-1]).bodies[0]).kind is Kind.ACT
    world.feed(0, Heard(1, sync(world, chain(other))))
    assert world.replica(0).steps.entries == before


# What a STATUS says, and what it is answered with


class Holding:
    """A member in the middle of a match, and what it holds of its steps and of changes."""

    def __init__(self) -> None:
        self.world = World(3, random_seed=1)
        self.world.run(until=lambda: self.world.replica(0).steps.settled.step == 4)
        self.steps: Steps = self.world.replica(0).steps
        self.steps.slots.clear()
        self.step = self.steps.settled.step
        self.changes = dict[Slot, Frame]()

    def hold(self, kind: Kind, place: Place, step: Step) -> Frame:
        said: Payload = Ack(seed("state")) if kind is Kind.ACK else Act(seed("state"), (1,), seed("outcome"))
        frame = self.world.forge(kind, said, place, step)
        self.steps.slots[frame.slot] = frame
        return frame

    def change(self, kind: Kind, place: Place, *, epoch: Epoch = 0, number: int = 0) -> Frame:
        said: Payload = Claim(()) if kind is Kind.CLAIM else Vote(0, NO_CHANGE, self.step, 0, ())
        match, signer = self.world.genesis.match, self.world.signers[place]
        frame = seal(kind, said, match, signer, epoch=epoch, step=number, place=place)
        self.changes[frame.slot] = frame
        return frame

    def reported(self, back: int = 0) -> tuple[Frame, Status]:
        frame = report(self.steps, self.changes, 0b110, ((), ("tcp://192.0.2.1:4",)), back)
        assert isinstance(frame.payload, Status)
        return frame, frame.payload

    def answer(self, step: Step, status: Status, *, place: Place = 1, epoch: Epoch = 0) -> set[Slot]:
        sender = seal(Kind.STATUS, status, self.world.genesis.match, epoch=epoch, step=step, place=place)
        raws = missing(self.steps, self.changes, sender, status)
        assert len(raws) == len(set(raws))
        return {open_frame(raw).slot for raw in raws}


@pytest.fixture
def holding() -> Holding:
    return Holding()


NONE = Status((), 0, ())


def test_a_status_says_what_is_held_by_step_and_kind_and_of_votes_by_epoch(holding: Holding) -> None:
    step = holding.step
    for kind, place, at in [
        (Kind.ACT, 1, step),
        (Kind.ACK, 1, step),
        (Kind.ACK, 2, step),
        (Kind.ACK, 1, step + limits.LEAD),
        (Kind.ACK, 1, step + limits.LEAD + 1),
    ]:
        holding.hold(kind, place, at)
    holding.change(Kind.CLAIM, 2, number=step + 99)
    holding.change(Kind.VOTE, 1, epoch=7)
    frame, status = holding.reported()
    assert status.holds == tuple(
        sorted(
            [
                (step, Kind.ACT.value, 0b010),
                (step, Kind.ACK.value, 0b110),
                (step + limits.LEAD, Kind.ACK.value, 0b010),  # what is further ahead nobody would send
                (step + 99, Kind.CLAIM.value, 0b100),
                (7, Kind.VOTE.value, 0b010),
            ]
        )
    )
    assert (status.linked, status.listening) == (0b110, ((), ("tcp://192.0.2.1:4",)))
    settled = holding.steps.settled
    assert (frame.epoch, frame.step, frame.place, frame.head) == (settled.epoch, step, 0, settled.head)


def test_who_asks_for_older_history_says_an_earlier_step_but_none_before_the_first(holding: Holding) -> None:
    assert [holding.reported(back)[0].step for back in (1, holding.step, holding.step + 1)] == [holding.step - 1, 0, 0]


def test_who_holds_nothing_is_sent_what_it_may_use_and_who_holds_all_of_it_nothing(holding: Holding) -> None:
    step = holding.step
    early = {holding.hold(Kind.ACT, 2, step).slot, holding.hold(Kind.ACK, 0, step).slot}
    later = {holding.hold(Kind.ACT, 2, step + ahead).slot for ahead in (1, limits.LEAD)}
    beyond = {holding.hold(Kind.ACT, 2, step + limits.LEAD + 1).slot}
    changes = {holding.change(Kind.CLAIM, 2, number=3).slot, holding.change(Kind.VOTE, 2, epoch=2).slot}
    assert holding.answer(step, NONE) == early | later | changes
    assert holding.answer(step + 1, NONE) == later | beyond | changes, "what it has settled it needs no more"
    assert holding.answer(step, NONE, epoch=1) == changes, "its steps are not ours"
    assert holding.answer(step, holding.reported()[1]) == set()


def test_only_what_is_lacking_is_sent(holding: Holding) -> None:
    step = holding.step
    lacking = [holding.hold(Kind.ACK, place, step).slot for place in (0, 1, 2)][1]
    vote = [holding.change(Kind.VOTE, 1, epoch=epoch).slot for epoch in (3, 4)][1]
    held = Status(((step, Kind.ACK.value, 0b101), (3, Kind.VOTE.value, 0b010)), 0, ())
    assert holding.answer(step, held) == {lacking, vote}


def test_who_signed_for_another_step_than_ours_is_shown_its_bodies_though_it_holds_some(holding: Holding) -> None:
    step = holding.step
    body, ack = holding.hold(Kind.ACT, 2, step), holding.hold(Kind.ACK, 1, step)
    holding.hold(Kind.ACT, 2, step + 1)
    holding.steps.disputes.disagree(Disagreement(1, step, "head"), ack, [body])
    _, all_of_it = holding.reported()
    assert holding.answer(step, all_of_it) == {body.slot}, "of the step that the dispute is about"
    assert holding.answer(step, all_of_it, place=2) == set(), "with place 2 there is none"


def batches(frames: Sequence[bytes]) -> list[tuple[bytes, ...]]:
    payloads = [open_frame(raw).payload for raw in frames]
    return [payload.entries for payload in payloads if isinstance(payload, Sync)]


def entries_of(size: int, count: int) -> list[bytes]:
    """Return what stands for so many entries, of so many bytes each."""
    return [b"%06d" % number + bytes(size - 6) for number in range(count)]


@pytest.mark.parametrize(
    ("size", "a_frame", "again"),
    [(1024, 48, 9), (8 * 1024, 6, 3), (12 * 1024, 4, 2), (24 * 1024, 2, 1), (32 * 1024, 1, 0), (60 * 1024, 1, 0)],
)
def test_history_is_sent_in_full_frames_that_overlap_and_no_more_than_a_window_of_it(
    holding: Holding, size: int, a_frame: int, again: int
) -> None:
    """48 KiB a frame; of each up to 9 entries, but not more than half, once more in the next; 1 MiB at once."""
    count = -(-1024 * 1024 // (size * a_frame))
    holding.steps.entries[:] = entries_of(size, 3 + a_frame * (count + 2))
    frames, end = history(holding.steps, 3)
    first = [3 + number * (a_frame - again) for number in range(count)]
    assert batches(frames) == [tuple(holding.steps.entries[at : at + a_frame]) for at in first]
    assert end == first[-1] + a_frame - again, "from there the next answer goes on"


def test_history_ends_where_the_log_ends_and_is_nothing_behind_it(holding: Holding) -> None:
    holding.steps.entries[:] = entries_of(1024, 60)
    frames, end = history(holding.steps, 5)
    assert [(batch[0][:6], len(batch)) for batch in batches(frames)] == [(b"000005", 48), (b"000044", 16)]
    assert end == 60
    assert history(holding.steps, 60) == ([], 60)


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


@pytest.mark.parametrize("count", [2, 40])
def test_a_bad_signature_that_a_later_one_covers_is_found_however_much_history_comes(count: int) -> None:
    played = World(3, random_seed=1, components=b"50", options={"chance": "no"})
    played.run()
    world = World(3, random_seed=1, components=b"50", options={"chance": "no"}, choose=lambda replica, chance: ())
    world.run(1)
    settled = world.replica(0).steps.settled
    entries = [parse_entry(raw) for raw in played.replica(1).steps.entries[settled.step : settled.step + count]]
    entries[0] = entries[0]._replace(bodies=(flip(entries[0].bodies[0], 5),))
    world.feed(0, Heard(1, sync(world, [entry.encode() for entry in entries])))
    assert world.replica(0).steps.settled is settled
    assert [strike.place for strike in world.strikes] == [1]


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


def test_of_history_that_ends_with_a_draw_the_step_is_taken_and_its_links_are_waited_for() -> None:
    world = still(1)
    place, step = to_act(world), world.replica(0).steps.tip.step
    behind = next(each for each in range(len(world.genesis.members)) if each != place)
    world.stop(behind)
    held = list(world.disks[behind].log)
    world.start(behind)
    world.run(1, until=lambda: False)
    world.feed(place, Chosen(step, (ROLL,)))
    world.run(1, until=lambda: False)
    entry = parse_entry(world.replica(behind).steps.entries[step])
    assert entry.links
    world.stop(behind)
    world.disks[behind].log[:] = held
    world.delay = lambda sender, receiver: None
    world.start(behind)
    world.feed(behind, Heard(place, sync(world, [entry._replace(links=()).encode()], place)))
    steps = world.replica(behind).steps
    assert (steps.settled.step, len(steps.entries)) == (step, step)
    assert steps.tip.drawing
    assert steps.revealing, "the ACKs came with it"


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
