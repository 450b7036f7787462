"""What two frames of one place prove by themselves, and what they do not."""

from sunward_protocol.envelope import Frame, seal
from sunward_protocol.evidence import contradiction, covers
from sunward_protocol.ids import Epoch, Step
from sunward_protocol.messages import NO_CHANGE, Ack, Act, Commit, EpochBody, Kind, Link, Payload, Vote
from support.world import HashSigner, seed


def frame(
    kind: Kind, payload: Payload, step: Step, place: int = 1, epoch: Epoch = 0, head: bytes = seed("head")
) -> Frame:
    return seal(kind, payload, seed("match"), HashSigner(seed(place)), epoch=epoch, step=step, place=place, head=head)


ACK = Ack(seed("state"))
ACT = Act(seed(1), (1,), seed(2))


def vote(step: Step, since: Epoch = 0, spent: int = 0) -> Frame:
    return frame(Kind.VOTE, Vote(since, NO_CHANGE, step, spent, ()), 0, epoch=since + 1)


def test_two_bodies_for_one_slot_prove_a_cheat() -> None:
    cheat = contradiction([frame(Kind.ACK, ACK, 3), frame(Kind.ACK, Ack(seed("other")), 3)])
    assert cheat is not None
    assert (cheat.place, cheat.step) == (1, 3)


def test_the_same_body_twice_or_other_slots_or_places_prove_nothing() -> None:
    one = frame(Kind.ACK, ACK, 3)
    assert contradiction([one, one]) is None
    assert contradiction([one, frame(Kind.ACK, ACK, 4)]) is None
    assert contradiction([one, frame(Kind.ACK, Ack(seed("other")), 3, place=2)]) is None
    assert contradiction([one, frame(Kind.ACK, Ack(seed("other")), 3, epoch=1)]) is None
    assert contradiction([one]) is None


def test_of_a_link_nothing_is_proved_as_it_is_not_signed() -> None:
    links = [frame(Kind.LINK, Link(number, seed(number)), 3) for number in (1, 2)]
    assert contradiction(links) is None


def test_a_vote_must_tell_of_all_that_its_voter_signed_for() -> None:
    ack = frame(Kind.ACK, ACK, 7)
    hidden = contradiction([ack, vote(7)])
    assert hidden is not None
    assert hidden.step == 7
    assert contradiction([ack, vote(8)]) is None
    assert contradiction([ack, vote(7, since=1)]) is None, "the ACK is of another epoch"


def test_two_votes_in_one_epoch_are_named_by_the_step_that_they_were_about() -> None:
    cheat = contradiction([vote(8), vote(8, spent=1)])
    assert cheat is not None
    assert cheat.step == 7


def begins(epoch: Epoch, since: Epoch) -> Frame:
    return frame(Kind.EPOCH, EpochBody(seed("state"), since, NO_CHANGE, 0), 5, epoch=epoch)


def test_who_played_in_an_epoch_cannot_sign_to_go_past_it() -> None:
    act = frame(Kind.ACT, ACT, 7, epoch=2)
    for past in (begins(3, since=0), begins(4, since=1), frame(Kind.VOTE, Vote(1, NO_CHANGE, 5, 0, ()), 0, epoch=3)):
        cheat = contradiction([act, past])
        assert cheat is not None
        assert (cheat.place, cheat.step) == (1, 7)
    assert contradiction([act, begins(3, since=2)]) is None, "from this epoch on"
    assert contradiction([act, begins(2, since=1)]) is None, "its own beginning"
    assert contradiction([frame(Kind.ACT, ACT, 7), begins(3, since=0)]) is None, "before it"
    ack = frame(Kind.ACK, ACK, 5, epoch=2)
    assert contradiction([ack, begins(3, since=0)]) is None, "the beginning that it signs for may have come to nothing"


def test_what_a_frame_signs_for() -> None:
    assert covers(frame(Kind.ACK, ACK, 7)) == 7
    assert covers(frame(Kind.ACT, Act(seed(1), (1,), seed(2)), 7)) == 7, "with its outcome"
    assert covers(frame(Kind.COMMIT, Commit(seed(1), seed(2)), 7)) == 6
    assert covers(vote(7)) == -1
