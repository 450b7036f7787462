"""An epoch that is over, given up or begun: what was said and wanted before it counts no more, or is taken up again."""

import pytest

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.messages import NO_CHANGE, Change, Claim, Kind, Vote
from sunward_protocol.table.events import Chosen, Heard, Wanted
from support.one_seat import ME, OneSeat, out
from support.pebbles import ROLL
from support.world import HashSigner, World, seed

REST = Change(0, (), 0, 1)


def agrees(seat: OneSeat, change: Change, epoch: int, number: int = 1) -> None:
    """Let all who must agree with our claim do so, up to the beginning of an epoch."""
    others = [place for place in seat.steps.tip.voters(change) if place != ME]
    seat.hear_claim(others, change, number=number)
    seat.wait(limits.CHALLENGE)
    seat.hear_vote(others, change, epoch)
    seat.wait(0)
    seat.hear_epoch(others, change, epoch)
    seat.wait(0)
    assert seat.steps.tip.epoch == epoch


@pytest.fixture
def begun() -> OneSeat:
    """One of six, who began an epoch without 5 just now; nobody else has ACKed it."""
    six = OneSeat(6)
    six.hears(1, 2, 3, 4)
    six.finds_late(5)
    six.wait()
    agrees(six, out(5), 1)
    six.finds_late()
    return six


def test_an_epoch_that_is_not_locked_within_6_s_is_given_up_but_not_what_was_signed_for_it(begun: OneSeat) -> None:
    begun.wait(limits.VOTE_AGAIN - 0.01)
    assert begun.steps.tip.epoch == 1
    begun.wait(0.01)
    assert (begun.steps.tip.epoch, begun.steps.tip.live) == (0, (0, 1, 2, 3, 4, 5))
    kinds = {frame.kind for frame in begun.changes.frames.values() if frame.place == ME}
    assert kinds == {Kind.CLAIM, Kind.VOTE, Kind.EPOCH}, "whoever lacks them may still need them"
    assert begun.steps.silent


def test_claims_in_an_epoch_that_is_given_up_count_no_more(begun: OneSeat) -> None:
    begun.finds_late(4)
    begun.wait()
    begun.hear_claim([1, 2, 3], out(4))
    begun.wait(limits.VOTE_AGAIN + limits.CHALLENGE)
    assert begun.steps.tip.epoch == 0
    assert begun.voted == [1]


@pytest.fixture
def rolled() -> OneSeat:
    """One of four: 3 rolled, and is voted out before the ACK of 1 comes; so nobody has shown a link yet."""
    seat = OneSeat()
    seat.others[1].kinds.add(Kind.ACK)
    seat.world.feed(3, Chosen(1, (ROLL,)))
    seat.world.run(0.5)
    assert seat.steps.tip.drawing
    seat.hears(1, 2)
    seat.finds_late(3)
    seat.wait()
    return seat


def links(seat: OneSeat) -> list[int]:
    """Return the epochs in which it showed a link after the set-up's."""
    return [frame.epoch for frame in dict.fromkeys(seat.said(Kind.LINK))]


def test_an_epoch_in_which_we_showed_our_link_is_not_given_up(rolled: OneSeat) -> None:
    agrees(rolled, out(3), 1)
    rolled.hear_ack([1, 2])
    assert links(rolled) == [1]
    rolled.wait(3 * limits.VOTE_AGAIN)
    assert rolled.steps.tip.epoch == 1


def test_who_signed_for_an_epoch_that_does_not_begin_shows_its_link_once_it_has_voted_anew(rolled: OneSeat) -> None:
    rolled.hear_claim([1, 2], out(3))
    rolled.wait(limits.CHALLENGE)
    rolled.hear_vote([1, 2], out(3))
    rolled.wait(0)
    assert [frame.epoch for frame in rolled.said(Kind.EPOCH)] == [1]
    rolled.hear_ack([1])
    rolled.hear_link(2)
    rolled.wait(limits.VOTE_AGAIN - 0.01)
    assert links(rolled) == []
    rolled.wait(0.01)
    assert rolled.voted == [1, 2]
    assert links(rolled) == [0]


def test_in_a_new_epoch_it_has_the_patience_of_the_first_time(begun: OneSeat) -> None:
    begun.hear_ack([1, 2, 3, 4])
    for epoch in (2, 3):
        begun.wants(Wanted(adjourn=epoch == 2, back=epoch == 3))
        change = begun.claimed
        assert change is not None
        begun.hear_claim([1, 2, 3, 4], change)
        begun.wait(0)
        since = begun.now
        votes = len(begun.voted)
        while len(begun.voted) < votes + 3:
            begun.wait()
        assert begun.now - since == 6 + 12 + 18
        others, last = [1, 2, 3, 4], begun.voted[-1]
        begun.hear_vote(others, change, last)
        begun.wait(0)
        begun.hear_epoch(others, change, last)
        begun.wait(0)
        begun.hear_ack(others)
        assert begun.steps.settled.epoch == last


def test_who_is_let_in_and_does_not_sign_for_it_is_let_in_no_more_for_12_s_then_24_then_48() -> None:
    six = OneSeat(6)
    six.steps.tip.live, others = (0, 1, 2, 3, 4), [1, 2, 3, 4]
    back = six.resume(5)
    change, waited = Change(0, (back.raw,), 0, 0), list[float]()
    assert six.takes(back)
    six.wait()
    for number in range(1, 6):
        assert six.claimed == change
        six.hear_claim(others, change, number=number)
        six.wait()
        six.hear_vote(others, change, six.voted[-1])
        six.wait(0)
        six.hear_epoch(others, change, six.voted[-1])
        six.wait(0)
        assert 5 in six.steps.tip.live
        six.hear_ack(others)
        six.wait(limits.VOTE_AGAIN)
        assert six.steps.tip.epoch == 0, "5 has not signed for it"
        assert six.takes(back)
        since = six.now
        while six.claimed != change or six.now == since:
            six.wait()
        waited.append(six.now - since)
    assert waited == [12, 24, 48, 48, 48]


def test_a_claim_that_stands_again_is_owed_an_answer_from_then_on(begun: OneSeat) -> None:
    begun.hears(1, 2, 3)
    begun.finds_late(5)
    begun.wait(limits.VOTE_AGAIN)
    assert begun.steps.tip.epoch == 0
    begun.wait(limits.CLAIM_PATIENCE - 0.01)
    assert Kind.CLAIM not in begun.changes.owing(begun.now).values()
    begun.wait(0.01)
    owing = begun.changes.owing(begun.now)
    assert [place for place, kind in owing.items() if kind is Kind.CLAIM] == [4, 5]


# What is kept of what was said and wanted


def vote(seat: OneSeat, place: int, epoch: int, since: int = 0) -> Frame:
    tip = seat.steps.tip
    return seat.frame(Kind.VOTE, Vote(since, REST, tip.step, 1, ()), place, epoch, head=tip.head)


def test_of_an_epoch_that_has_begun_no_words_are_kept_but_those_for_later_ones_are() -> None:
    seat = OneSeat()
    seat.hear_claim([1], REST)
    later = vote(seat, 2, 5)
    assert all(map(seat.takes, (vote(seat, 1, 1), later)))
    seat.steps.tip.epoch = 1
    seat.wait()
    assert list(seat.changes.frames.values()) == [later]


def test_what_was_signed_with_lost_keys_is_forgotten_once_but_not_what_is_signed_with_the_new_ones() -> None:
    seat = OneSeat()
    other, lost = vote(seat, 2, 5), vote(seat, 1, 5)
    assert all(map(seat.takes, (other, lost)))
    signer = HashSigner(seed("new"))
    seat.world.signers[1] = signer
    seat.steps.tip.keys[1] = seat.steps.tip.keys[1]._replace(session=signer.public)
    seat.steps.tip.epoch = 1
    seat.wait()
    assert list(seat.changes.frames.values()) == [other]
    anew = vote(seat, 1, 6)
    assert seat.takes(anew)
    seat.steps.tip.epoch = 2
    seat.wait()
    assert set(seat.changes.frames.values()) == {other, anew}


def test_a_vote_to_leave_another_epoch_counts_in_that_one_alone() -> None:
    seat = OneSeat()
    assert seat.takes(vote(seat, 1, 2, since=1))
    seat.wait()
    assert seat.claimed is None
    seat.steps.tip.epoch = 1
    seat.wait()
    assert seat.claimed == NO_CHANGE


def test_an_epoch_to_which_it_goes_back_has_its_6_s_again(begun: OneSeat) -> None:
    begun.finds_late(4)
    begun.wait()
    agrees(begun, out(4), 2)
    begun.finds_late()
    for seconds, epoch in ((limits.VOTE_AGAIN, 1), (limits.VOTE_AGAIN - 0.1, 1), (0.2, 0)):
        begun.wait(seconds)
        assert begun.steps.tip.epoch == epoch


def test_what_is_wanted_is_wanted_in_the_epoch_that_begins_too_only_if_it_is_said_then() -> None:
    seat = OneSeat()
    seat.wants(Wanted(adjourn=True))
    assert seat.claimed == REST
    seat.steps.tip.epoch = 1
    seat.wait()
    assert [frame.epoch for frame in seat.said(Kind.CLAIM)] == [0]
    seat.steps.tip.epoch = 2
    seat.wants(Wanted(adjourn=True))
    assert [(frame.epoch, frame.step) for frame in seat.said(Kind.CLAIM)] == [(0, 1), (2, 1)]


def test_who_wants_to_be_back_wants_so_until_they_are_and_not_to_end_the_next_rest() -> None:
    seat = OneSeat()
    seat.steps.tip.live = (1, 2, 3)
    seat.wants(Wanted(back=True))
    seat.steps.tip.epoch = 1
    seat.wait()
    assert list(dict.fromkeys(frame.epoch for frame in seat.said(Kind.RESUME))) == [0, 1]
    seat.steps.tip.live, seat.steps.tip.epoch = (0, 1, 2, 3), 2
    seat.wait()
    seat.steps.tip.resting = True
    seat.wait()
    assert seat.claimed is None


def test_in_a_match_that_has_two_histories_nothing_is_claimed_any_more() -> None:
    seat = OneSeat()
    seat.steps.parted = 1
    seat.finds_late(3)
    seat.wait()
    assert seat.claimed is None


def started_again(world: World, place: int) -> None:
    """Start a member again whom nobody can tell what it said before."""
    world.delay = lambda sender, receiver: None
    world.stop(place)
    world.start(place)
    world.run(2)


def test_who_is_started_again_takes_back_what_it_claimed_if_it_does_not_want_it_any_more() -> None:
    world = World(3, random_seed=3, choose=lambda replica, chance: ())
    world.run(1)
    world.feed(0, Wanted(adjourn=True))
    started_again(world, 0)
    (last,) = world.replica(0).changes.frames.values()
    assert (last.step, last.payload) == (2, Claim(()))


def test_who_is_started_again_stands_by_its_vote_and_votes_anew() -> None:
    world = World(3, random_seed=3, choose=lambda replica, chance: ())
    world.run(1)
    head, match = world.replica(0).steps.tip.head, world.genesis.match
    vote = Vote(0, NO_CHANGE, world.replica(0).steps.tip.step, 1, ())
    world.feed(0, Heard(1, seal(Kind.VOTE, vote, match, world.signers[1], epoch=1, place=1, head=head).raw))
    world.delay = lambda sender, receiver: None
    for place in (1, 2):
        world.feed(0, Heard(place, world.forge(Kind.CLAIM, Claim((NO_CHANGE,)), place, 1).raw))
    world.run(2)
    started_again(world, 0)
    frames = dict.fromkeys(open_frame(raw) for _, _, raw in world.sent)
    assert [frame.epoch for frame in frames if (frame.kind, frame.place) == (Kind.VOTE, 0)] == [1, 2]
    assert [frame.step for frame in frames if (frame.kind, frame.place) == (Kind.CLAIM, 0)] == [1]


def test_of_two_epochs_that_are_not_locked_each_has_its_6_s_until_it_is_given_up(begun: OneSeat) -> None:
    begun.finds_late(4)
    begun.wait()
    agrees(begun, out(4), 2)
    begun.finds_late()
    for seconds, epoch in ((5.9, 2), (0.2, 1), (5.9, 1), (0.2, 0)):
        begun.wait(seconds)
        assert begun.steps.tip.epoch == epoch
