"""What is heard about changes: what is taken and passed on, what is nothing here and now, and what convicts."""

import pytest

from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.log import Entry
from sunward_protocol.messages import NO_CHANGE, Ack, Change, Claim, EpochBody, Kind, Resume, Vote
from sunward_protocol.table.commands import Strike
from sunward_protocol.table.events import Claimed
from support.one_seat import OneSeat, mask, out
from support.world import HashSigner, seed

REST = Change(0, (), 0, 1)


@pytest.fixture
def seat() -> OneSeat:
    return OneSeat()


@pytest.fixture
def three(seat: OneSeat) -> OneSeat:
    """One of three who play, while place 3 is out."""
    seat.steps.tip.live = (0, 1, 2)
    return seat


def claim(seat: OneSeat, place: int, *changes: Change, epoch: int = 0, number: int = 1) -> Frame:
    return seat.frame(Kind.CLAIM, Claim(changes), place, epoch, number)


def vote(seat: OneSeat, place: int, epoch: int = 1, change: Change = REST, since: int = 0) -> Frame:
    tip = seat.steps.tip
    return seat.frame(Kind.VOTE, Vote(since, change, tip.step, 1, ()), place, epoch, head=tip.head)


def epoch_body(seat: OneSeat, place: int, epoch: int = 1, attempts: int = 1) -> Frame:
    tip = seat.steps.tip
    return seat.frame(Kind.EPOCH, EpochBody(tip.state, 0, REST, attempts), place, epoch, tip.step, tip.head)


def test_what_is_new_is_passed_on_and_what_is_known_is_not(seat: OneSeat) -> None:
    for frame in (claim(seat, 1, REST), vote(seat, 1), epoch_body(seat, 1)):
        assert seat.changes.receive(frame, 1)
        assert not seat.changes.receive(frame, 2)
    assert [told.change for told in seat.told if isinstance(told, Claimed)] == [REST]


def test_of_two_words_the_later_counts_whichever_comes_first(seat: OneSeat) -> None:
    first, second = claim(seat, 1, REST), claim(seat, 1, number=2)
    assert seat.takes(second)
    assert not seat.takes(first)
    assert seat.takes(claim(seat, 1, out(2), number=3))
    assert seat.takes(vote(seat, 1, epoch=2))
    assert not seat.takes(vote(seat, 1, epoch=1))


def signed_again(seat: OneSeat, frame: Frame) -> Frame:
    """Return a frame with another signature of its place, which holds as well."""
    signer = seat.world.signers[frame.place]
    assert isinstance(signer, HashSigner)
    return open_frame(signer.sign_again(Purpose.FRAME, frame.body) + frame.body)


def test_the_same_words_signed_again_are_nothing_new_but_of_two_wishes_to_be_back_all_take_the_same(
    three: OneSeat,
) -> None:
    for frame in (claim(three, 1, REST), vote(three, 1), epoch_body(three, 1)):
        assert three.takes(frame)
        assert not three.takes(signed_again(three, frame))
    less, more = sorted((three.resume(3), signed_again(three, three.resume(3))), key=lambda frame: frame.raw)
    assert [three.takes(frame) for frame in (less, more, less)] == [True, True, False]


def test_votes_and_epochs_are_of_those_after_ours(seat: OneSeat) -> None:
    seat.steps.tip.epoch = 5
    for epoch, taken in ((4, False), (5, False), (6, True), (2**40, True)):
        assert seat.takes(vote(seat, 1, epoch)) == taken, epoch
        assert seat.takes(epoch_body(seat, 1, epoch)) == taken, epoch


def test_only_who_plays_claims_votes_and_signs_and_only_who_is_out_wants_to_be_back(three: OneSeat) -> None:
    for frame in (claim(three, 3, REST), vote(three, 3), epoch_body(three, 3), three.resume(2)):
        assert not three.takes(frame)
    for frame in (claim(three, 2, REST), vote(three, 2), epoch_body(three, 2), three.resume(3)):
        assert three.takes(frame)
    assert three.said(Kind.EVIDENCE) == []


def test_claims_and_who_wants_to_be_back_are_of_our_epoch_alone(three: OneSeat) -> None:
    three.steps.tip.epoch = 5
    for epoch in (4, 6):
        assert not three.takes(claim(three, 1, REST, epoch=epoch))
        assert not three.takes(three.resume(3, epoch))
    assert three.takes(claim(three, 1, REST, epoch=5))
    assert three.takes(three.resume(3, 5))


def test_what_is_not_signed_is_not_passed_on_and_its_sender_is_struck(seat: OneSeat) -> None:
    for frame in (claim(seat, 1, REST), vote(seat, 1), epoch_body(seat, 1)):
        forged = frame._replace(raw=bytes(64) + frame.body)
        assert not seat.changes.receive(forged, 2)
        assert [each.place for each in seat.steps.commands if isinstance(each, Strike)] == [2]
        seat.steps.commands.clear()
        assert forged not in seat.changes.frames.values()


def test_a_vote_to_leave_another_epoch_that_does_not_hold_here_is_nothing_but_no_strike(seat: OneSeat) -> None:
    frame = vote(seat, 1, epoch=5, since=4)
    assert not seat.takes(frame._replace(raw=bytes(64) + frame.body)), "its place may have come back with other keys"
    assert seat.steps.commands == []


def test_two_votes_or_two_beginnings_for_one_epoch_convict_and_the_second_is_not_taken(seat: OneSeat) -> None:
    assert seat.takes(vote(seat, 1))
    assert not seat.takes(vote(seat, 1, change=NO_CHANGE))
    assert seat.steps.disputes.convicted == mask(1)
    assert seat.takes(epoch_body(seat, 2))
    assert not seat.takes(epoch_body(seat, 2, attempts=2))
    assert seat.steps.disputes.convicted == mask(1, 2)


def test_a_vote_that_leaves_out_what_its_voter_signed_for_convicts_and_is_not_taken(seat: OneSeat) -> None:
    tip = seat.steps.tip
    ack = seat.frame(Kind.ACK, Ack(tip.state), 1, step=tip.step)
    assert seat.steps.receive(ack, 1)
    assert not seat.takes(vote(seat, 1))
    assert seat.steps.disputes.convicted == mask(1)


def test_history_with_another_beginning_than_its_author_told_us_convicts_them_if_they_signed_it(seat: OneSeat) -> None:
    told, other = epoch_body(seat, 1), epoch_body(seat, 1, attempts=2)
    foreign = seal(Kind.EPOCH, other.payload, seed("another match"), seat.world.signers[1], epoch=1, place=1)

    def confront(*bodies: bytes) -> int:
        seat.changes.confront([Entry(1, seat.steps.tip.step, bodies, (), ()).encode()])
        return seat.steps.disputes.convicted

    assert seat.takes(claim(seat, 1, REST))
    assert confront(other.raw) == 0, "we have not heard it say anything else"
    assert seat.takes(told)
    for raw in (told.raw, foreign.raw, bytes(64) + other.body, epoch_body(seat, 2, attempts=2).raw):
        assert confront(raw) == 0
    assert confront(told.raw, other.raw) == mask(1)


# Who wants to be back


def test_who_is_said_by_a_claim_to_want_to_be_back_is_known_to_from_then_on(three: OneSeat) -> None:
    back = three.resume(3)
    assert three.takes(claim(three, 1, Change(0, (back.raw,), 0, 0)))
    assert back in three.changes.frames.values()
    three.wait()
    assert three.claimed == Change(0, (back.raw,), 0, 0), "we agree to it by ourselves"


def test_a_claim_that_somebody_be_back_who_did_not_say_so_here_and_now_is_none(three: OneSeat) -> None:
    member = three.world.genesis.members[3]
    back = three.resume(3)
    thief = HashSigner(seed("thief"))
    resume = Resume(thief.public, seed("curve"), member.tip, member.delegation, ())
    stolen = seal(Kind.RESUME, resume, back.match, thief, place=3)
    beyond = seal(Kind.RESUME, back.payload, back.match, three.world.signers[3], place=4)
    for number, raw in enumerate(
        (
            b"torn",
            member.delegation,
            claim(three, 2, REST).raw,
            three.resume(2).raw,
            three.resume(3, epoch=1).raw,
            seal(Kind.RESUME, back.payload, seed("another match"), three.world.signers[3], place=3).raw,
            beyond.raw,
            bytes(64) + back.body,
            stolen.raw,
        ),
        1,
    ):
        assert not three.takes(claim(three, 1, Change(0, (raw,), 0, 0), number=number)), raw
    assert three.takes(claim(three, 1, Change(0, (back.raw,), 0, 0), number=20))
