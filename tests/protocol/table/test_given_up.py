"""Beginnings of epochs that come to nothing: who is led away from what it signed, and where it goes back to."""

import pytest

from sunward_protocol import limits
from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import open_frame
from sunward_protocol.ids import Epoch
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry
from sunward_protocol.messages import NO_CHANGE, Ack, Act, Change, EpochBody, Kind
from sunward_protocol.records import parse_kept
from sunward_protocol.table.commands import Keep
from sunward_protocol.table.events import Chosen, Heard, Wanted
from sunward_protocol.table.repair import follow
from support.one_seat import ME, OneSeat, out
from support.pebbles import CHALLENGE, LAY, ROLL
from support.quiet import act


@pytest.fixture
def seat() -> OneSeat:
    """One of four: three of them put out the fourth, who is place 3 and to act."""
    seat = OneSeat()
    seat.hears(1, 2)
    seat.finds_late(3)
    return seat


@pytest.fixture
def parted(seat: OneSeat) -> OneSeat:
    """The same, and 3 laid a pebble for us and rolled for the others; all three vote it out."""
    before = seat.steps.tip
    seat.world.delay = lambda sender, receiver: 0.001 if receiver == ME else None
    seat.world.feed(3, Chosen(1, (LAY,)))
    seat.world.run(0.1)
    position = before.position.copy()
    position.apply(before.seat_of(3), ROLL)
    rolled = Act(before.state, (ROLL,), digest(Domain.STATE, position.encode()))
    for place in (1, 2):
        seat.world.feed(place, Heard(3, seat.frame(Kind.ACT, rolled, 3, step=1, head=before.head).raw))
    seat.steps.commands.clear()
    seat.votes(3)
    for place in (1, 2):
        seat.hear_vote([place], out(3), stands=seat.world.replica(place).steps)
    return seat


def test_who_signs_to_leave_its_own_way_stands_on_it_until_the_epoch_begins(parted: OneSeat) -> None:
    ours, theirs = parted.steps.tip, parted.world.replica(1).steps.tip
    parted.steps.commands.clear()
    parted.wait(0)
    kept = [open_frame(parse_kept(each.record).frame) for each in parted.steps.commands if isinstance(each, Keep)]
    assert [(frame.kind, frame.place) for frame in kept] == [(Kind.ACT, 3), (Kind.EPOCH, ME)]
    assert (kept[1].step, kept[1].head) == (2, theirs.head)
    assert parted.steps.tip is ours
    parted.hear_epoch([1, 2], out(3))
    parted.wait(0)
    assert parted.steps.tip.epoch == 1
    assert parted.steps.unlocked.heads()[0] == (1, theirs.head)


def test_who_left_its_own_way_is_back_on_it_once_the_epoch_is_given_up(parted: OneSeat) -> None:
    ours, shown = parted.steps.tip, parted.steps.unlocked.entries()
    parted.wait(0)
    parted.hear_epoch([1, 2], out(3))
    parted.wait(0)
    parted.wait(limits.VOTE_AGAIN)
    assert (parted.steps.tip.epoch, parted.steps.tip.head) == (0, ours.head)
    assert parted.steps.unlocked.entries() == shown
    parted.wait(2 * limits.VOTE_AGAIN)
    votes = [vote for vote in parted.said(Kind.VOTE) if vote.epoch > 1]
    assert votes
    assert {vote.head for vote in votes} == {ours.head}, "a vote that left out what it signed for would convict it"


def test_who_left_its_own_way_is_back_on_it_though_another_epoch_began_on_the_first(parted: OneSeat) -> None:
    ours, shown, rest = parted.steps.tip, parted.steps.unlocked.entries(), Change(0, (), 0, 1)
    parted.finds_late()
    parted.wait(0)
    parted.hear_epoch([1, 2], out(3))
    parted.wait(0)
    parted.wants(Wanted(adjourn=True))
    parted.hear_claim([1, 2], rest)
    parted.wait(0)
    parted.hear_vote([1, 2], rest, epoch=2)
    parted.wait(0)
    parted.hear_epoch([1, 2], rest, epoch=2)
    parted.wait(0)
    assert (parted.steps.tip.epoch, parted.steps.tip.resting) == (2, True)
    parted.wait(limits.VOTE_AGAIN)
    assert (parted.steps.tip.epoch, parted.steps.tip.head) == (0, ours.head)
    assert parted.steps.unlocked.entries() == shown


def test_who_is_led_to_a_second_other_way_is_back_on_its_own_and_not_on_the_first(parted: OneSeat) -> None:
    steps, ours, shown = parted.steps, parted.steps.tip, parted.steps.unlocked.entries()
    parted.wait(0)
    parted.hear_epoch([1, 2], out(3))
    parted.wait(0)
    third = open_frame(act(parted.world, steps.settled, CHALLENGE))
    base = steps.settled.copy()
    base.perform([third])
    ack = parted.frame(Kind.ACK, Ack(base.state), 2, 0, third.step, base.head)
    news = follow(steps, [Entry(0, third.step, (third.raw,), (ack.raw,), ())])
    body = EpochBody(base.state, 0, Change(0, (), 0, 1), base.attempts)
    frames = [parted.frame(Kind.EPOCH, body, place, 2, base.step, base.head) for place in range(4)]
    steps.begin_epoch(news, base, frames)
    assert steps.tip.epoch == 2
    assert list(steps.unlocked.steps[0].acks) == [2], "who signed for that way is known from it"
    steps.step_back()
    assert (steps.tip.head, steps.unlocked.entries()) == (ours.head, shown)


def test_who_left_its_own_way_for_an_epoch_that_is_locked_does_not_go_back_there(parted: OneSeat) -> None:
    parted.finds_late()
    parted.wait(0)
    parted.hear_epoch([1, 2], out(3))
    parted.wait(0)
    parted.hear_ack([1, 2])
    parted.hear_link(1, 2)
    locked, rest = parted.steps.settled, Change(0, (), 0, 1)
    assert locked.epoch == 1
    body = EpochBody(locked.state, 1, rest, locked.attempts)
    frames = [parted.frame(Kind.EPOCH, body, place, 2, locked.step, locked.head) for place in (ME, 1, 2)]
    parted.steps.begin_epoch([], locked, frames)
    parted.steps.step_back()
    assert (parted.steps.tip.head, parted.steps.unlocked.entries()) == (locked.head, ())
    assert len(parted.steps.entries) == locked.step


def test_the_ledgers_before_all_that_may_still_be_done_otherwise_are_at_hand(seat: OneSeat) -> None:
    def at_hand() -> list[int | None]:
        found = map(seat.steps.past.before, range(5))
        return [ledger.step if ledger else None for ledger in found]

    seat.world.feed(3, Chosen(1, (LAY,)))
    seat.world.run(0.5)
    seat.votes(3)
    seat.begins(3)
    seat.hear_ack([1, 2])
    assert at_hand() == [None, 1, 2, 3, None], "the last step of the game, the beginning behind it, and what is next"
    before = seat.steps.past.before(2)
    assert before is not None
    said = EpochBody(before.state, 0, NO_CHANGE, before.attempts)
    bodies = [seat.frame(Kind.EPOCH, said, place, 2, before.step, before.head) for place in range(4)]
    seat.steps.begin_epoch([], before, bodies)
    assert (seat.steps.tip.epoch, len(seat.steps.entries)) == (2, 2)
    assert at_hand() == [None, 1, 2, None, None]


# What never begins


def beginning(seat: OneSeat, epoch: Epoch) -> Ledger:
    """Return the ledger where an epoch begins, signed for by nobody yet."""
    ledger = seat.steps.tip.copy()
    tip, signers = ledger.copy(), range(4)
    said = EpochBody(tip.state, tip.epoch, NO_CHANGE, tip.attempts)
    ledger.perform([seat.frame(Kind.EPOCH, said, place, epoch, tip.step, tip.head) for place in signers])
    return ledger


def test_no_epoch_begins_that_is_not_after_ours(seat: OneSeat) -> None:
    ledger = beginning(seat, 5)
    for ours, may in ((4, True), (5, False), (6, False)):
        seat.steps.tip.epoch = ours
        assert seat.steps.may_begin(ledger) == may


def test_who_signed_to_go_on_to_a_later_epoch_begins_none_between(seat: OneSeat) -> None:
    ledger = beginning(seat, 5)
    for leaves, sworn, may in ((4, 6, False), (5, 6, True), (4, 5, True), (3, 4, True), (2, 9, False)):
        seat.steps.journal.leaves, seat.steps.journal.sworn = leaves, sworn
        assert seat.steps.may_begin(ledger) == may, (leaves, sworn)


def test_no_epoch_begins_that_would_take_a_link_which_we_showed_before(seat: OneSeat) -> None:
    journal = seat.steps.journal
    ledger = beginning(seat, 5)
    for spent, spent_in, may in ((0, 0, True), (1, 4, True), (2, 4, False), (2, 5, True)):
        journal.spent, journal.spent_in = spent, spent_in
        assert seat.steps.may_begin(ledger) == may, (spent, spent_in)
    ledger.barred = frozenset([ME])
    journal.spent, journal.spent_in = 2, 4
    assert seat.steps.may_begin(ledger), "no draw takes ours any more"


def test_an_epoch_that_was_given_up_begins_again_only_if_it_is_locked_and_a_later_one_freely(seat: OneSeat) -> None:
    seat.votes(3)
    seat.begins(3)
    given_up = seat.steps.tip.copy()
    seat.wait(limits.VOTE_AGAIN)
    assert seat.steps.tip.epoch == 0
    assert not seat.steps.may_begin(given_up)
    assert seat.steps.may_begin(beginning(seat, 2))
    for place in (0, 1, 2):
        assert not seat.steps.may_begin(given_up)
        given_up.signed[place] = given_up.step - 1
    assert seat.steps.may_begin(given_up)


# How it goes back


def test_who_gives_up_an_epoch_stands_where_it_did_with_all_that_was_signed_for_that(seat: OneSeat) -> None:
    seat.others[1].kinds.add(Kind.ACK)
    seat.world.feed(3, Chosen(1, (LAY,)))
    seat.world.run(0.5)
    before, heads, shown = seat.steps.tip, seat.steps.unlocked.heads(), seat.steps.unlocked.entries()
    seat.votes(3)
    seat.begins(3)
    assert len(seat.steps.unlocked.steps) == 2
    seat.wait(limits.VOTE_AGAIN)
    assert seat.steps.tip.head == before.head
    assert (seat.steps.unlocked.heads(), seat.steps.unlocked.entries()) == (heads, shown)
    assert seat.steps.unlocked.lacks(seat.steps.unlocked.steps[0]) == [1]
    seat.hear_ack([1])
    assert seat.steps.settled.head == before.head


# What it signs no more


def test_nothing_is_signed_in_an_epoch_that_was_left_nor_by_who_is_out_nor_with_two_histories(seat: OneSeat) -> None:
    steps = seat.steps
    assert not steps.silent
    steps.journal.promised = 1
    assert steps.silent
    steps.tip.epoch = 1
    assert not steps.silent, "that was the last that it left"
    steps.parted = 1
    assert steps.silent
    steps.parted = None
    steps.tip.live = (1, 2, 3)
    assert steps.silent
