"""The journal of a seat: what it binds itself to, before and after a crash, and how long it keeps it."""

import pytest

from sunward_protocol.envelope import Frame, Slot, open_frame
from sunward_protocol.ids import NOTHING, Epoch, Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry
from sunward_protocol.messages import NO_CHANGE, Ack, Act, Claim, Commit, EpochBody, Kind, Link, Open, Payload, Vote
from sunward_protocol.records import Kept, parse_kept, write_kept
from sunward_protocol.table.commands import Command, Keep, Send
from sunward_protocol.table.journal import Journal, Own
from support.world import World, seed

ME: Place = 1
STATE = seed("state")
PAYLOADS: dict[Kind, Payload] = {
    Kind.ACT: Act(STATE, (1,), seed("outcome")),
    Kind.ACK: Ack(STATE),
    Kind.COMMIT: Commit(STATE, seed("commitment")),
    Kind.OPEN: Open(STATE, seed("nonce"), 1),
    Kind.CLAIM: Claim(()),
    Kind.VOTE: Vote(0, NO_CHANGE, 0, 0, ()),
}


class Seat:
    """A journal of place 1 of 3, and what it wanted done."""

    def __init__(self) -> None:
        self.world = World(3, waiting=True)
        self.ledger = Ledger(self.world.genesis, self.world.ruleset)
        self.done: list[Command] = []
        own = Own(ME, self.world.signers[ME], self.world.chains[ME], self.world.chance.randbytes)
        self.journal = Journal(own, self.ledger, self.done.append)

    def sign(self, kind: Kind, epoch: Epoch = 0, step: Step = 0, payload: Payload | None = None) -> Frame:
        return self.journal.seal(kind, payload or PAYLOADS[kind], epoch, step, NOTHING)

    def at(self, epoch: Epoch, step: Step, attempts: int = 0) -> Ledger:
        """Return a ledger that stands before a step of an epoch."""
        ledger = self.ledger.copy()
        ledger.epoch, ledger.step, ledger.attempts = epoch, step, attempts
        return ledger

    @property
    def kept(self) -> list[Kept]:
        return [parse_kept(each.record) for each in self.done if isinstance(each, Keep)]

    def again(self) -> "Seat":
        """Return the seat as it is after a crash."""
        seat = Seat()
        seat.journal.restore(self.kept)
        return seat


@pytest.fixture
def seat() -> Seat:
    return Seat()


def of(place: Place, step: Step = 0, kind: Kind = Kind.ACT) -> Frame:
    """Return a frame of another place."""
    return World(3, waiting=True).forge(kind, PAYLOADS[kind], place, step)


# A slot is signed once


def test_a_frame_is_kept_with_its_secret_before_it_goes_to_all_others(seat: Seat) -> None:
    frame = seat.journal.seal(Kind.COMMIT, PAYLOADS[Kind.COMMIT], 0, 4, NOTHING, seed("nonce"), 3)
    kept = Kept(frame.raw, seed("nonce"), 3)
    assert seat.done == [Keep(write_kept(kept)), Send((0, 2), frame.raw)]
    assert seat.again().journal.secret(frame.slot) == kept
    open_to_all = seat.sign(Kind.ACT, step=5)
    assert seat.kept[-1] == Kept(open_to_all.raw, b"", 0)


@pytest.mark.parametrize("crashed", [False, True])
def test_another_body_for_a_slot_is_never_signed_and_the_first_is_sent_again(seat: Seat, crashed: bool) -> None:
    first = seat.sign(Kind.ACT, step=4)
    after = seat.again() if crashed else seat
    after.done.clear()
    assert first.slot in after.journal
    assert after.sign(Kind.ACT, step=4, payload=Act(STATE, (2,), seed("another"))) == first
    assert after.done == [Send((0, 2), first.raw)]


def test_what_was_never_signed_has_no_secret(seat: Seat) -> None:
    slot = seat.sign(Kind.COMMIT, step=4)._replace(step=5).slot
    assert slot not in seat.journal
    assert seat.journal.secret(slot) is None


# What others signed


def test_a_frame_of_another_is_kept_once_and_never_sent_and_one_of_ours_is_not_kept_so(seat: Seat) -> None:
    theirs, mine = of(2), seat.sign(Kind.ACT)
    seat.done.clear()
    for _ in range(2):
        seat.journal.lend([theirs, mine])
    assert seat.done == [Keep(write_kept(Kept(theirs.raw, b"", 0)))]
    after = Seat()
    assert after.journal.restore(seat.kept) == [theirs]
    after.journal.lend([theirs])
    assert after.done == [], "it is on our disk already"
    assert theirs.slot not in after.journal, "we did not sign it"


def test_of_what_stands_in_the_log_nothing_is_remembered(seat: Seat) -> None:
    body, ack, other = of(2), of(0, kind=Kind.ACK), of(2, 1)
    seat.journal.lend([body, ack, other])
    seat.journal.logged(Entry(0, 0, (body.raw,), (ack.raw,), ()))
    seat.done.clear()
    seat.journal.lend([body, ack, other])
    assert [kept.frame for kept in seat.kept] == [body.raw, ack.raw]


def test_what_others_lent_is_forgotten_with_the_steps_that_it_was_for_after_a_crash_too(seat: Seat) -> None:
    old, new = of(2, 3), of(2, 4)
    seat.journal.lend([old, new])
    after = Seat()
    after.journal.restore(seat.kept)
    after.journal.forget(after.at(0, 5), (0, 4))
    after.journal.lend([old, new])
    assert [kept.frame for kept in after.kept] == [old.raw], "only what is forgotten would be kept again"


# What a seat has bound itself to


def test_a_seat_is_bound_by_its_last_vote_and_its_last_epoch_after_a_crash_too(seat: Seat) -> None:
    assert seat.again().journal.promised == seat.again().journal.sworn == 0
    for epoch, since in ((1, 0), (2, 0), (5, 2)):
        seat.sign(Kind.VOTE, epoch, payload=Vote(since, NO_CHANGE, 0, 0, ()))
        seat.sign(Kind.EPOCH, epoch, payload=EpochBody(STATE, since, NO_CHANGE, 0))
    seat.sign(Kind.VOTE, 6)
    journal = seat.again().journal
    assert (journal.promised, journal.sworn, journal.leaves) == (6, 5, 2)


def test_a_seat_shows_no_link_a_second_time_after_a_crash(seat: Seat) -> None:
    assert seat.again().journal.spent == 0
    for attempt, epoch in ((0, 0), (1, 0), (4, 3)):  # in the draws between it had no part
        seat.sign(Kind.LINK, epoch, 10 + attempt, Link(attempt, seat.world.chains[ME].links[attempt]))
    journal = seat.again().journal
    assert (journal.spent, journal.spent_in) == (5, 3)
    assert journal.showed_in(seat.at(3, 15, attempts=4)), "for the draw under way"
    assert not journal.showed_in(seat.at(3, 15, attempts=5)), "the next one takes another link"
    assert not journal.showed_in(seat.at(2, 15, attempts=4)), "that was in another epoch"


# Whether others may be told that we stand somewhere: not before all that we signed lies behind it


@pytest.mark.parametrize(
    ("kind", "step"),
    [(Kind.ACT, 4), (Kind.ACK, 4), (Kind.COMMIT, 5), (Kind.OPEN, 5)],
)
def test_a_ledger_stands_behind_what_we_signed_for_the_steps_before_it(seat: Seat, kind: Kind, step: Step) -> None:
    seat.sign(kind, 1, step)
    assert seat.journal.stands_behind(seat.at(1, 5)), "a COMMIT or an OPEN signs for the step before its own"
    assert not seat.journal.stands_behind(seat.at(1, 4))
    assert seat.journal.stands_behind(seat.at(2, 0)), "an epoch that is over binds nobody"


@pytest.mark.parametrize("kind", [Kind.ACT, Kind.COMMIT, Kind.OPEN])
def test_no_ledger_of_an_earlier_epoch_stands_behind_what_we_played_in_a_later(seat: Seat, kind: Kind) -> None:
    seat.sign(kind, 2, 5)
    assert not seat.journal.stands_behind(seat.at(1, 9))


def test_who_only_acked_a_later_epoch_may_have_to_give_it_up(seat: Seat) -> None:
    seat.sign(Kind.ACK, 2, 5)
    assert seat.journal.stands_behind(seat.at(1, 5))
    assert seat.journal.acked_after(1)
    assert not seat.journal.acked_after(2)


def test_one_step_that_is_not_behind_is_enough_and_words_about_changes_are_no_steps(seat: Seat) -> None:
    seat.sign(Kind.ACT, 0, 3)
    seat.sign(Kind.CLAIM, 0, 99)
    seat.sign(Kind.VOTE, 7)
    assert seat.journal.stands_behind(seat.at(0, 4))
    assert not seat.journal.acked_after(0), "only an ACK signs for what came of a later epoch"
    seat.sign(Kind.ACT, 0, 4)
    assert not seat.journal.stands_behind(seat.at(0, 4))


# What is said again, and how long it is kept


def test_what_is_said_again_of_an_epoch_begins_with_a_step_and_holds_no_words_about_changes(seat: Seat) -> None:
    frames = [seat.sign(Kind.ACT, epoch, step) for epoch, step in ((0, 5), (1, 4), (1, 5), (1, 6), (2, 5))]
    claim, vote = seat.sign(Kind.CLAIM, 1, 9), seat.sign(Kind.VOTE, 1)
    assert seat.journal.of_steps(1, 5) == {frame.slot: frame for frame in frames[2:4]}
    assert seat.journal.of_changes() == [claim, vote]


def slots(seat: Seat) -> set[Slot]:
    """Return the slots that a seat still knows to have signed."""
    return {frame.slot for frame in map(open_frame, (kept.frame for kept in seat.kept)) if frame.slot in seat.journal}


def test_of_the_steps_before_the_last_settled_one_nothing_is_kept(seat: Seat) -> None:
    for epoch, step in ((0, 9), (1, 3), (1, 4), (1, 5), (2, 0)):
        seat.sign(Kind.ACT, epoch, step)
    seat.journal.forget(seat.at(1, 5), (1, 4))
    assert {(slot.epoch, slot.step) for slot in slots(seat)} == {(1, 4), (1, 5), (2, 0)}, "its draw may be made anew"


def test_of_an_epoch_that_is_over_no_words_about_changes_are_kept(seat: Seat) -> None:
    for epoch in (0, 1, 2):
        seat.sign(Kind.CLAIM, epoch)
        seat.sign(Kind.VOTE, epoch)
    seat.journal.forget(seat.at(1, 5), (1, 4))
    assert {slot.epoch for slot in slots(seat)} == {1, 2}


def test_what_a_commitment_hides_is_kept_until_it_is_opened_however_long_that_takes(seat: Seat) -> None:
    early, commitment = seat.sign(Kind.ACT, 0, 6), seat.sign(Kind.COMMIT, 0, 7)
    settled = seat.at(2, 20)
    settled.commitments, settled.committed = {ME: seed("commitment")}, (0, 7)
    seat.journal.forget(settled, (2, 19))
    assert slots(seat) == {commitment.slot}, f"nothing hangs on {early.slot}"
    settled.commitments = None
    seat.journal.forget(settled, (2, 19))
    assert slots(seat) == set()


def test_a_commitment_of_the_last_step_holds_back_nothing_that_was_to_be_kept(seat: Seat) -> None:
    seat.sign(Kind.ACT, 0, 18)
    settled = seat.at(0, 19)
    settled.commitments, settled.committed = {}, (0, 19)
    seat.journal.forget(settled, (0, 18))
    assert len(slots(seat)) == 1
