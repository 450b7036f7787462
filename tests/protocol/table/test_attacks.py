"""Attacks that once did harm: on what honest members must be able to read, to keep and to send, and on draws."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import pytest

from sunward_protocol import limits
from sunward_protocol.domains import Domain, Purpose, digest
from sunward_protocol.draws import HashChain
from sunward_protocol.encoding import decode
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.errors import RemoteError
from sunward_protocol.games.game import Action, Position, Seat
from sunward_protocol.genesis import delegate
from sunward_protocol.ids import NOTHING, Epoch, Place
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
    Open,
    Payload,
    Resume,
    Status,
    Sync,
    Vote,
)
from sunward_protocol.records import parse_record, write_entry
from sunward_protocol.table.commands import Command, Send
from sunward_protocol.table.events import Chosen, Heard, Troubled, Wanted
from sunward_protocol.table.journal import Own
from sunward_protocol.table.repair import undrawn
from sunward_protocol.table.replica import Replica
from support.pebbles import CHALLENGE, LAY, ROLL, PebbleRules, Pebbles, Table
from support.quiet import act, actor, finish, nobody, sign, table
from support.world import HashSigner, Liar, World, seed

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


# History


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


def test_an_unlocked_beginning_in_place_of_the_locked_one_at_the_end_of_the_log_is_no_strike() -> None:
    parted = Parted()
    last = parted.entries[-1]
    parted.show(last, parted.beginning(parted.before, 1, locked=True))
    assert parted.world.replica(parted.alone).steps.settled.epoch == 1
    parted.show(last, parted.beginning(parted.before, 2, locked=False))
    assert parted.world.strikes == []


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


# Power


def lose(world: World, *kinds: Kind) -> None:
    """Lose the frames of these kinds from now on, and no others."""
    world.delay = lambda sender, receiver: None if open_frame(world.sent[-1][2]).kind in kinds else 0.001


def all_reach(world: World, places: Iterable[Place], reached: Callable[[Replica], bool]) -> None:
    """Let time pass until some have come to a point; fail if they do not."""
    world.run(20, until=lambda: all(reached(world.replica(place)) for place in places))
    assert all(reached(world.replica(place)) for place in places)


def draws_without_the_last(members: int) -> World:
    """Return a table whose last dies with a draw due; the others begin an epoch, but no ACK comes that locks it."""
    world = table(members)
    others = range(members - 1)
    lose(world, Kind.ACK)
    world.feed(actor(world), Chosen(world.replica(0).steps.tip.step, (ROLL,)))
    all_reach(world, others, lambda replica: replica.steps.tip.drawing)
    world.stop(others.stop)
    for place in others:
        world.feed(place, Wanted(out=1 << others.stop))
    all_reach(world, others, lambda replica: replica.steps.tip.epoch == 1)
    return world


def show_links(world: World, places: Iterable[Place], epoch: Epoch) -> None:
    """Have some lock an epoch and show their links for its draw, which nobody hears."""
    lose(world, Kind.LINK)
    all_reach(world, places, lambda replica: replica.steps.journal.spent_in == epoch)
    assert all(world.replica(place).steps.settled.epoch == 0 for place in places)


def cut_power(world: World, down: Iterable[Place], up: Iterable[Place]) -> None:
    """Stop some, and start some of them again."""
    for place in down:
        world.stop(place)
    lose(world)
    for place in up:
        world.start(place)


def test_those_who_are_left_begin_the_epoch_again_in_which_they_showed_links_before_their_power_was_cut() -> None:
    """Of five 4 dies before the draw, and 3 before it shows its link for it in the epoch without 4."""
    world, left = table(5), (0, 1, 2)

    def dies(place: Place, command: Command) -> bool:
        frame = open_frame(command.raw) if isinstance(command, Send) else None
        return place == 3 and frame is not None and (frame.kind, frame.place, frame.epoch) == (Kind.LINK, 3, 1)

    world.fuse = dies
    world.stop(4)
    world.feed(actor(world), Chosen(world.replica(0).steps.tip.step, (ROLL,)))
    for place in (*left, 3):
        world.feed(place, Wanted(out=0b10000))
    all_reach(world, left, lambda replica: replica.steps.journal.spent_in == 1)
    assert world.replicas[3] is None
    assert all(world.replica(place).steps.settled.epoch == 0 for place in left)
    cut_power(world, left, left)
    for place in left:
        world.feed(place, Wanted(out=0b11000))
    all_reach(world, left, lambda replica: replica.steps.settled.live == left)
    finish(world)


def test_who_begins_an_epoch_on_another_again_strikes_nobody_for_acks_with_keys_that_came_back_in_between() -> None:
    world, left = draws_without_the_last(4), (0, 1, 2)
    signer, length = HashSigner(seed("session", "new")), world.genesis.chain_length
    chain = HashChain(seed("chain", "new"), signer.public, length)
    keys = signer.public, seed("curve", "new"), chain.tip
    delegation = delegate(world.identities[3], world.genesis.table, "", *keys, length).delegation
    own = Own(3, signer, chain, world.chance.randbytes, Resume(*keys, delegation, ()))
    world.signers[3], world.chains[3] = signer, chain
    world.replicas[3] = Replica(world.genesis, world.ruleset, own, world.signatures, now=world.now)
    world.feed(3, Wanted(back=True))
    all_reach(world, left, lambda replica: replica.steps.tip.epoch == 2)
    show_links(world, left, 2)
    cut_power(world, (*left, 3), left)
    assert world.strikes == []
    assert all(world.replica(place).steps.tip.epoch == 2 for place in left)
    assert all(world.replica(place).steps.tip.live == (0, 1, 2, 3) for place in left)


def test_the_match_goes_on_when_an_epoch_on_another_is_begun_again_after_the_power_was_cut() -> None:
    """Of five 4 dies and then 3, and neither epoch without them is in a log when power is cut for those left."""
    world, left = draws_without_the_last(5), (0, 1, 2)
    world.stop(3)
    for place in left:
        world.feed(place, Wanted(out=0b01000))
    all_reach(world, left, lambda replica: replica.steps.tip.epoch == 2)
    show_links(world, left, 2)
    cut_power(world, left, left)
    all_reach(world, left, lambda replica: replica.steps.settled.live == left)
    finish(world)


class SignsAnew(Liar):
    """Signs once more those of its EPOCH bodies that its votes show."""

    def does(self, command: Command) -> Iterable[Command]:
        if not isinstance(command, Send):
            return (command,)
        frame = open_frame(command.raw)
        if frame.place != self.place or not isinstance(frame.payload, Vote):
            return (command,)
        shown = map(parse_entry, frame.payload.entries)
        entries = tuple(each._replace(bodies=tuple(map(self._anew, each.bodies))).encode() for each in shown)
        vote = frame.payload._replace(entries=entries)
        raw = sign(self.world, Kind.VOTE, vote, self.place, frame.epoch, frame.step, frame.head)
        return (replace(command, raw=raw),)

    def _anew(self, raw: bytes) -> bytes:
        frame, signer = open_frame(raw), self.world.signers[self.place]
        if (frame.kind, frame.place) != (Kind.EPOCH, self.place):
            return raw
        assert isinstance(signer, HashSigner)
        return signer.sign_again(Purpose.FRAME, frame.body) + frame.body


def test_who_signed_for_an_epoch_once_more_does_not_keep_others_from_beginning_it_again() -> None:
    world, others = draws_without_the_last(5), (1, 2)
    left = (0, *others)
    world.liars[0] = SignsAnew()
    world.liars[0].enter(world, 0)
    show_links(world, (*left, 3), 1)
    world.stop(3)
    lose(world, Kind.EPOCH)
    for place in left:
        world.feed(place, Wanted(out=0b01000))
    all_reach(world, left, lambda replica: replica.steps.journal.sworn == 2)
    cut_power(world, left, others)
    assert all(world.replica(place).steps.tip.epoch == 1 for place in others)
    world.start(0)
    for place in left:
        world.feed(place, Wanted(out=0b01000))
    all_reach(world, left, lambda replica: replica.steps.settled.live == left)
    finish(world)
