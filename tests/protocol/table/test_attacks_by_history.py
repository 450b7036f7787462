"""Attacks that once did harm: history that is shown to honest members, made up or out of season."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest

from sunward_protocol import limits
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.games.game import Action, Position, Seat
from sunward_protocol.ids import Epoch, Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.messages import (
    Ack,
    Change,
    EpochBody,
    Kind,
    Status,
    Sync,
)
from sunward_protocol.table.events import Chosen, Heard, Wanted
from sunward_protocol.table.repair import undrawn
from support.pebbles import CHALLENGE, LAY, ROLL, PebbleRules, Pebbles, Table
from support.quiet import act, actor, nobody, sign, table
from support.world import World


def show(world: World, place: Place, sender: Place, entries: Iterable[bytes]) -> None:
    world.feed(place, Heard(sender, seal(Kind.SYNC, Sync(tuple(entries)), world.genesis.match, place=sender).raw))


def test_of_history_however_long_a_spoilt_signature_in_the_middle_is_refused() -> None:
    world = World(3, random_seed=5, components=b"60")
    world.run(60, until=lambda: world.replica(1).steps.settled.step >= 60)
    world.choose = nobody
    world.stop(1)
    del world.disks[1].log[1:]
    world.delay = lambda sender, receiver: None
    world.start(1)
    entries = list(world.replica(0).steps.entries)
    number, entry = next((at, entry) for at, entry in enumerate(map(parse_entry, entries)) if at > 30 and entry.acks)
    ack = entry.acks[0]
    spoilt = entry._replace(acks=(ack[:7] + bytes([ack[7] ^ 1]) + ack[8:], *entry.acks[1:])).encode()
    show(world, 1, 2, [*entries[:number], spoilt, *entries[number + 1 :]])
    assert [strike.place for strike in world.strikes] == [2]
    assert len(world.disks[1].log) == 1, "nothing of it is kept"
    show(world, 1, 2, entries)
    assert world.replica(1).steps.entries == entries
    assert world.audit(1).verdict == "unfinished"


class Parted:
    """Three members, of whom two show the last, `alone`, beginnings of epochs; some may stand in the log already.

    It is the turn of who is alone, or will be so many turns later.
    """

    def __init__(self, beginnings: int = 0, later: int = 0) -> None:
        self.world = table(3)
        self.before = self.world.replica(0).steps.tip.copy()
        self.alone = actor(self.world, later)
        self.liars = [place for place in range(3) if place != self.alone]
        for _ in range(beginnings):
            for place in range(3):
                self.world.replica(place).steps.journal.promised += 1  # as if a vote had come to nothing
                self.world.feed(place, Wanted())
            self.world.run(10)
        for place in self.liars:
            self.world.stop(place)
        self.tip = self.world.replica(self.alone).steps.tip.copy()
        self.entries = list(self.world.replica(self.alone).steps.entries)

    def beginning(self, base: Ledger, epoch: Epoch, *, locked: bool) -> bytes:
        """Return the entry with which the two go on from a ledger without the third."""
        after, change = base.copy(), Change(1 << self.alone, (), 0, 0)
        body = EpochBody(base.state, base.epoch, change, base.attempts)
        bodies = [sign(self.world, Kind.EPOCH, body, place, epoch, base.step, base.head) for place in self.liars]
        after.perform(list(map(open_frame, bodies)))
        word = Ack(after.state)
        acks = [sign(self.world, Kind.ACK, word, place, epoch, base.step, after.head) for place in self.liars]
        return Entry(epoch, base.step, tuple(bodies), tuple(acks if locked else ()), ()).encode()

    def show(self, *entries: bytes) -> None:
        show(self.world, self.alone, self.liars[0], entries)


@pytest.mark.parametrize("beginnings", [1, 2])
def test_who_is_led_away_from_a_beginning_and_back_acts_there_as_before(beginnings: int) -> None:
    parted = Parted(beginnings)
    world, alone, start, epoch = parted.world, parted.alone, parted.before.step, parted.tip.epoch
    world.sent.clear()
    world.feed(alone, Chosen(parted.tip.step, (LAY,)))
    parted.show(parted.entries[start - 1], parted.beginning(parted.before, epoch + 1, locked=True))
    assert alone not in world.replica(alone).steps.tip.live
    parted.show(*parted.entries[start - 1 :], parted.beginning(parted.tip, epoch + 2, locked=False))
    world.run(3 * limits.VOTE_AGAIN, until=lambda: False)
    world.feed(alone, Chosen(parted.tip.step, (CHALLENGE,)))
    for place in parted.liars:
        world.start(place)
    world.run(5, until=lambda: False)
    acts = {raw for _, _, raw in world.sent if open_frame(raw).kind is Kind.ACT and open_frame(raw).place == alone}
    assert len(acts) == 1
    assert len(world.heads()) == 1
    assert world.replica(alone).steps.settled.step == parted.tip.step + 1, "and it counts"
    assert all(world.replica(place).steps.disputes.convicted == 0 for place in range(3))


def test_what_hung_on_beginnings_that_others_undid_is_given_up_with_them() -> None:
    """The two show a longer way of beginnings, let it come to nothing, and lock what was done behind the former."""
    parted = Parted(beginnings=2)
    world, alone, base = parted.world, parted.alone, parted.before.copy()
    world.feed(alone, Chosen(parted.tip.step, (LAY,)))
    acted, way = world.replica(alone).steps.tip.copy(), [parted.entries[base.step - 1]]
    for epoch in range(parted.tip.epoch + 1, parted.tip.epoch + 5):
        way.append(parted.beginning(base, epoch, locked=False))
        base.perform(list(map(open_frame, parse_entry(way[-1]).bodies)))
    parted.show(*way)
    assert world.replica(alone).steps.tip.epoch == parted.tip.epoch + 4
    assert world.replica(alone).steps.settled.step == parted.before.step, "both beginnings are to be others"
    world.run(3 * limits.VOTE_AGAIN, until=lambda: False)
    for place in parted.liars:
        word = sign(world, Kind.ACK, Ack(acted.state), place, acted.epoch, acted.step - 1, acted.head)
        world.feed(alone, Heard(place, word))
    assert len(world.replica(alone).steps.entries) == world.replica(alone).steps.settled.step
    assert world.strikes == []
    world.stop(alone)
    world.start(alone)
    assert world.audit(alone).verdict == "unfinished"


def test_what_was_left_for_a_beginning_is_given_up_with_the_draw_that_it_hung_on() -> None:
    """The two lead away from a step, then undo the draw before it, let both come to nothing, and lock the step."""
    parted = Parted(later=1)
    world, alone, base = parted.world, parted.alone, parted.before
    acts = [act(world, base, choice) for choice in (LAY, CHALLENGE)]
    world.feed(alone, Heard(actor(world), acts[0]))
    steps = world.replica(alone).steps
    ours, rolled, other = steps.tip.copy(), undrawn(steps), base.copy()
    assert rolled is not None
    assert ours.step == base.step + 1
    other.perform([open_frame(acts[1])])
    behind = Entry(0, base.step, (acts[1],), (), ()).encode()
    parted.show(behind, parted.beginning(other, 1, locked=False))
    parted.show(parted.beginning(rolled.ledger, 2, locked=False))
    assert steps.tip.epoch == 2
    world.run(2 * limits.VOTE_AGAIN, until=lambda: False)
    world.feed(alone, Chosen(ours.step, (LAY,)))
    for place in parted.liars:
        word = sign(world, Kind.ACK, Ack(ours.state), place, ours.epoch, base.step, ours.head)
        world.feed(alone, Heard(place, word))
    assert len(steps.entries) == steps.settled.step
    assert world.strikes == []


def test_of_another_way_from_before_a_beginning_on_the_log_is_cut_where_the_whole_of_it_begins() -> None:
    parted = Parted(beginnings=1, later=1)
    world, other, epoch = parted.world, parted.before.copy(), parted.tip.epoch
    way = [parted.entries[other.step - 1], parted.beginning(other, epoch + 1, locked=True)]
    other.perform(list(map(open_frame, parse_entry(way[-1]).bodies)))
    raw = act(world, other, LAY)
    way.append(Entry(epoch + 1, other.step, (raw,), (), ()).encode())
    other.perform([open_frame(raw)])
    parted.show(*way, parted.beginning(other, epoch + 2, locked=False))
    steps = world.replica(parted.alone).steps
    assert steps.tip.epoch == epoch + 2
    assert len(steps.entries) == steps.settled.step == parted.before.step
    world.run(2 * limits.VOTE_AGAIN, until=lambda: False)
    assert len(steps.entries) == steps.settled.step


def test_a_last_step_that_all_locked_is_not_undone_by_another_with_an_epoch_behind_it() -> None:
    parted = Parted(later=1)
    world, alone, other = parted.world, parted.alone, parted.before.copy()
    raws = [act(world, other, choice) for choice in (LAY, CHALLENGE)]
    steps = world.replica(alone).steps
    world.feed(alone, Heard(actor(world), raws[0]))
    world.run(1, until=lambda: False)
    tip = steps.tip
    for place in parted.liars:
        ack = sign(world, Kind.ACK, Ack(tip.state), place, 0, other.step, tip.head)
        world.feed(alone, Heard(place, ack))
    assert len(steps.entries) == other.step + 1
    entries = list(steps.entries)
    other.perform([open_frame(raws[1])])
    behind = Entry(0, other.step - 1, (raws[1],), (), ()).encode()
    parted.show(entries[-2], behind, parted.beginning(other, 1, locked=True))
    assert (steps.entries, steps.tip.epoch) == (entries, 0)


def test_while_one_draw_is_to_be_made_anew_the_one_before_it_is_final() -> None:
    parted = Parted(later=1)
    world, alone = parted.world, parted.alone
    before = undrawn(world.replica(alone).steps)
    assert before is not None, "the set-up's"
    for place in parted.liars:
        world.start(place)
    world.feed(actor(world), Chosen(parted.before.step, (ROLL,)))
    world.run(1, until=lambda: False)
    for place in parted.liars:
        world.stop(place)
    steps = world.replica(alone).steps
    rolled = undrawn(steps)
    assert rolled is not None
    parted.show(parted.beginning(rolled.ledger, 1, locked=False))
    assert len(steps.entries) == rolled.entry.step, "its draw is to be made anew"
    parted.show(parted.beginning(before.ledger, 2, locked=False))
    assert (steps.tip.epoch, len(steps.entries)) == (1, rolled.entry.step)


def test_an_unlocked_beginning_in_place_of_the_locked_one_at_the_end_of_the_log_is_no_strike() -> None:
    parted = Parted()
    last = parted.entries[-1]
    parted.show(last, parted.beginning(parted.before, 1, locked=True))
    assert parted.world.replica(parted.alone).steps.settled.epoch == 1
    parted.show(last, parted.beginning(parted.before, 2, locked=False))
    assert parted.world.strikes == []


def test_beginnings_of_lower_epochs_than_the_one_at_the_end_of_the_log_are_no_strike_and_undo_nothing() -> None:
    parted = Parted(beginnings=1)
    steps, other = parted.world.replica(parted.alone).steps, parted.before.copy()
    way = [parted.entries[other.step - 1]]
    for epoch in (1, 2):
        way.append(parted.beginning(other, epoch, locked=True))
        other.perform(list(map(open_frame, parse_entry(way[-1]).bodies)))
    assert steps.settled.epoch == other.epoch
    parted.show(*way)
    assert parted.world.strikes == []
    assert steps.entries == parted.entries


def test_a_beginning_in_place_of_one_of_which_the_draw_behind_it_was_cut_off_changes_nothing() -> None:
    parted = Parted(beginnings=1)
    world, alone = parted.world, parted.alone
    for place in parted.liars:
        world.start(place)
    world.feed(alone, Chosen(parted.tip.step, (ROLL,)))
    world.run(1, until=lambda: False)
    for place in parted.liars:
        world.stop(place)
    steps = world.replica(alone).steps
    rolled = undrawn(steps)
    assert rolled is not None
    parted.show(rolled.entry.encode(), parted.beginning(rolled.ledger, parted.tip.epoch + 1, locked=False))
    entries = steps.entries.copy()
    assert len(entries) == rolled.entry.step, "its draw is to be made anew"
    first = parted.before.step
    parted.show(parted.entries[first - 1], parted.beginning(parted.before, parted.tip.epoch + 2, locked=True))
    assert steps.entries == entries
    assert world.strikes == []


class Counting(Table):
    """Counts what is carried out on all tables together."""

    carried_out = 0

    def apply(self, seat: Seat, action: Action) -> None:
        Counting.carried_out += 1
        Table.apply(self, seat, action)


@dataclass(frozen=True, slots=True)
class CountingRules(PebbleRules):
    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        return Counting([0] * seats, self.turns, chance=True)


class CountingPebbles(Pebbles):
    def load(self, components: bytes, source: str = "components") -> CountingRules:
        return CountingRules(int(components))


def test_history_that_parts_at_a_beginning_again_and_again_is_not_replayed_each_time() -> None:
    world = World(3, game=CountingPebbles(), random_seed=3, components=b"200")
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 100)
    world.choose = nobody
    world.run(3, until=lambda: False)
    for place in range(3):
        world.feed(place, Wanted(adjourn=True))
    world.run(8, until=lambda: all(world.replica(place).steps.settled.resting for place in range(3)))
    steps = world.replica(0).steps
    played = sum(len(parse_entry(raw).bodies) for raw in steps.entries)
    last = parse_entry(steps.entries[-1])
    other = [Entry(last.epoch, last.step, (), (), ()), Entry(last.epoch + 1, last.step + 5, (), (), ())]
    Counting.carried_out = 0
    for _ in range(20):
        show(world, 0, 2, [entry.encode() for entry in other])
    assert Counting.carried_out < 2 * played


def test_status_frames_of_one_instant_are_answered_with_history_once() -> None:
    world = World(3, random_seed=3, components=b"400")
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 60)
    world.choose = nobody
    world.run(3, until=lambda: False)
    settled = world.replica(0).steps.settled
    for steps_behind in (40, 8, 1):  # 16 KB, and a few entries
        world.sent.clear()
        step = settled.step - steps_behind
        said = seal(Kind.STATUS, Status((), 0b111, ()), world.genesis.match, step=step, place=2, head=settled.head)
        for _ in range(100):
            world.feed(0, Heard(2, said.raw))
        kinds = [open_frame(raw).kind for sender, receiver, raw in world.sent if (sender, receiver) == (0, 2)]
        assert kinds.count(Kind.SYNC) == 1
        world.run(limits.STATUS_EVERY, until=lambda: False)
