"""From claims to an epoch: when a member votes and for which, what it signs, and who owes what by its clocks."""

import pytest

from sunward_protocol import limits
from sunward_protocol.messages import NO_CHANGE, Ack, Change, EpochBody, Kind, Vote
from sunward_protocol.table.events import Chosen, Wanted
from support.one_seat import ME, OneSeat, mask, out
from support.pebbles import LAY, ROLL
from support.world import seed

REST = Change(0, (), 0, 1)


@pytest.fixture
def seat() -> OneSeat:
    """One of four: three of them may put out the fourth, who is place 3 and to act."""
    return OneSeat()


@pytest.fixture
def agreed(seat: OneSeat) -> OneSeat:
    """The same, three of whom claim that the fourth be out; the challenge has passed, and we have voted just now."""
    seat.finds_late(3)
    seat.hears(1, 2)
    seat.votes(3)
    return seat


# When it votes, and for which epoch


def test_nobody_is_voted_out_before_the_challenge_has_passed(seat: OneSeat) -> None:
    seat.hear_claim([1, 2], out(3))
    seat.finds_late(3)
    seat.wait()
    seat.wait(limits.CHALLENGE - 0.01)
    assert seat.voted == []
    seat.wait(0.01)
    assert seat.voted == [1]


def test_a_proved_cheat_needs_no_challenge_but_who_is_only_late_beside_it_does() -> None:
    six = OneSeat(6)
    six.steps.disputes.convicted = mask(5)
    six.hear_claim([1, 2, 3, 4], out(5))
    six.wait()
    assert six.voted == [1]
    six = OneSeat(6)
    six.steps.disputes.convicted = mask(5)
    six.finds_late(4)
    six.hear_claim([1, 2, 3], out(4, 5))
    six.wait()
    assert six.voted == []
    six.wait(limits.CHALLENGE)
    assert six.voted == [1]


def test_a_wish_needs_no_challenge_but_the_word_of_all(seat: OneSeat) -> None:
    seat.wants(Wanted(adjourn=True))
    seat.hear_claim([1, 2], REST)
    seat.wait()
    assert seat.voted == []
    seat.hear_claim([3], REST)
    seat.wait(0)
    assert seat.voted == [1]


def test_a_second_epoch_in_a_row_that_changes_nothing_leaves_3_s_to_act_before_it() -> None:
    for changed, voted in ((None, [1]), (REST, [1]), (NO_CHANGE, [])):
        seat = OneSeat()
        seat.steps.tip.changed = changed
        seat.hear_vote([1], NO_CHANGE)
        seat.hear_claim([1, 2, 3], NO_CHANGE)
        seat.wait()
        assert seat.claimed == NO_CHANGE
        assert seat.voted == voted
        seat.wait(limits.CHALLENGE)
        assert seat.voted == [1]


def test_nobody_votes_for_what_they_do_not_want_any_more_though_they_have_not_said_so_yet(seat: OneSeat) -> None:
    seat.changes.want(Wanted(adjourn=True), seat.now)
    seat.changes.want(Wanted(), seat.now)
    assert seat.claimed == REST, "one claim a second"
    seat.hear_claim([1, 2, 3], REST)
    seat.wait(limits.STATUS_EVERY / 2)
    seat.wait()
    assert seat.claimed is None
    assert seat.voted == []


def test_nobody_votes_for_what_another_does_not_claim_any_more(seat: OneSeat) -> None:
    seat.wants(Wanted(adjourn=True))
    seat.hear_claim([1, 2], REST)
    seat.hear_claim([2], number=2)
    seat.hear_claim([3], REST)
    seat.wait()
    assert seat.voted == []


def test_a_vote_tells_what_it_leaves_where_it_stands_and_how_many_links_it_has_shown(agreed: OneSeat) -> None:
    (frame,) = agreed.said(Kind.VOTE)
    tip = agreed.steps.tip
    vote = Vote(0, out(3), tip.step, 1, tuple(agreed.steps.entries))
    assert (frame.epoch, frame.step, frame.head, frame.payload) == (1, 0, tip.head, vote), "one link for the set-up"


def test_it_votes_for_the_epoch_that_another_voted_for_already_with_the_same_change(seat: OneSeat) -> None:
    seat.finds_late(3)
    seat.hear_claim([1, 2], out(3))
    seat.hear_vote([1], out(3), epoch=4)
    seat.hear_vote([2], REST, epoch=6)
    seat.wait()
    seat.wait(limits.CHALLENGE)
    assert seat.voted == [4]
    seat.hear_vote([2], out(3), epoch=7)
    seat.wait()
    assert seat.voted == [4, 7], "a later one draws it along"


@pytest.mark.parametrize(("epoch", "voted"), [(limits.VOTE_LEAD, limits.VOTE_LEAD), (limits.VOTE_LEAD + 1, 1)])
def test_its_first_vote_follows_another_only_so_far(seat: OneSeat, epoch: int, voted: int) -> None:
    seat.finds_late(3)
    seat.hear_claim([1, 2], out(3))
    seat.hear_vote([1], out(3), epoch)
    seat.wait()
    seat.wait(limits.CHALLENGE)
    assert seat.voted == [voted]


def test_it_follows_once_a_second_and_twice_as_far_more_for_each_that_it_waits(agreed: OneSeat) -> None:
    agreed.hear_vote([1], out(3), epoch=2)
    agreed.wait(limits.STATUS_EVERY - 0.01)
    assert agreed.voted == [1]
    agreed.wait(0.01)
    assert agreed.voted == [1, 2]
    furthest = 7 * limits.VOTE_LEAD
    agreed.hear_vote([1], out(3), epoch=furthest)
    agreed.hear_vote([2], out(3), epoch=furthest + 1)
    agreed.wait()
    assert agreed.voted == [1, 2]
    agreed.wait()
    assert agreed.voted == [1, 2, furthest]


def test_who_does_not_stand_again_behind_all_that_it_signed_does_not_vote(seat: OneSeat) -> None:
    tip = seat.steps.tip
    seat.steps.journal.seal(Kind.ACK, Ack(seed("state")), 0, tip.step, seed("head"))
    seat.wants(Wanted(adjourn=True))
    seat.hear_claim([1, 2, 3], REST)
    seat.wait(100)
    assert seat.voted == [], "its vote would leave that out, and convict it"
    tip.step += 1
    seat.wait()
    assert seat.voted == [1]


def test_who_has_left_the_epoch_without_a_vote_that_is_known_votes_anew_though_nobody_agrees(seat: OneSeat) -> None:
    seat.steps.journal.promised = 4
    seat.wait()
    assert seat.claimed == NO_CHANGE
    assert seat.voted == [5], "nobody knows that it is silent"


def test_a_vote_of_whom_it_puts_out_draws_nobody_along(seat: OneSeat) -> None:
    seat.finds_late(3)
    seat.hear_claim([1, 2], out(3))
    seat.hear_vote([3], out(3), epoch=4)
    seat.wait()
    seat.wait(limits.CHALLENGE)
    assert seat.voted == [1]


def test_it_votes_anew_after_6_s_and_each_time_6_s_later_up_to_48(agreed: OneSeat) -> None:
    after = list[float]()
    for _ in range(10):
        since = agreed.now
        while len(agreed.voted) < len(after) + 2:
            agreed.wait()
        after.append(agreed.now - since)
    assert after == [6, 12, 18, 24, 30, 36, 42, 48, 48, 48]
    assert agreed.voted == list(range(1, 12))


def test_it_votes_anew_for_another_change_once_all_claim_that(agreed: OneSeat) -> None:
    agreed.changes.want(Wanted(adjourn=True), agreed.now)
    both = Change(mask(3), (), 0, 1)
    agreed.wait()
    agreed.hear_claim([1, 2], both, number=2)
    agreed.wait(limits.CHALLENGE)
    votes = [frame.payload for frame in agreed.said(Kind.VOTE)]
    assert [vote.change for vote in votes if isinstance(vote, Vote)] == [out(3), both]
    assert agreed.voted == [1, 2]


# What it signs


def test_it_signs_for_the_epoch_once_all_have_voted_for_it_with_the_same_change(agreed: OneSeat) -> None:
    agreed.hear_vote([1], out(3))
    agreed.hear_vote([2], REST)
    agreed.wait(0)
    agreed.hear_vote([2], out(3), epoch=2)
    agreed.changes.want(Wanted(), agreed.now)
    assert agreed.said(Kind.EPOCH) == []
    assert agreed.voted == [1], "one vote a second is enough"
    agreed.wait(limits.STATUS_EVERY)
    assert agreed.voted == [1, 2], "but it follows to the later one"
    agreed.hear_vote([1], out(3), epoch=2)
    agreed.wait(0)
    agreed.wait(0)
    tip = agreed.steps.tip
    frames = dict.fromkeys(agreed.said(Kind.EPOCH))
    assert [(frame.epoch, frame.step, frame.head, frame.payload) for frame in frames] == [
        (2, tip.step, tip.head, EpochBody(tip.state, 0, out(3), 1))
    ]
    assert agreed.steps.tip.epoch == 0


def test_the_epoch_begins_once_all_who_must_agree_have_signed_for_it(agreed: OneSeat) -> None:
    agreed.hear_vote([1, 2], out(3))
    agreed.hear_epoch([1], out(3))
    agreed.wait(0)
    assert agreed.steps.tip.epoch == 0
    agreed.hear_epoch([2], out(3))
    agreed.wait(0)
    assert (agreed.steps.tip.epoch, agreed.steps.tip.live) == (1, (0, 1, 2))
    assert agreed.claimed == out(3)
    assert agreed.changes.owing(agreed.now) == {1: Kind.ACK, 2: Kind.ACK}


def test_what_is_signed_for_another_epoch_begins_none(agreed: OneSeat) -> None:
    agreed.hear_vote([1, 2], out(3))
    agreed.wait(0)
    agreed.hear_epoch([1], out(3))
    agreed.hear_epoch([2], out(3), epoch=3)
    agreed.wait(0)
    assert agreed.steps.tip.epoch == 0
    assert agreed.changes.owing(agreed.now) == {2: Kind.EPOCH, 3: Kind.ACT}


def test_who_signs_for_an_epoch_of_which_we_lack_votes_is_shown_those_that_we_hold_once(agreed: OneSeat) -> None:
    agreed.hear_vote([1], out(3))
    agreed.wait(0)
    agreed.said(Kind.VOTE)
    agreed.hear_epoch([1], out(3))
    for _ in range(3):
        agreed.wait(0)
    assert sorted(frame.place for frame in agreed.sent(Kind.VOTE)) == [ME, 1]


def test_if_somebody_signs_for_another_beginning_all_are_shown_the_votes_once(agreed: OneSeat) -> None:
    agreed.hear_vote([1, 2], out(3))
    agreed.wait(0)
    agreed.said(Kind.VOTE)
    tip = agreed.steps.tip
    other = EpochBody(tip.state, 0, out(3), tip.attempts + 1)
    agreed.changes.receive(agreed.frame(Kind.EPOCH, other, 1, 1, tip.step, tip.head), 1)
    agreed.hear_epoch([2], out(3))
    for _ in range(3):
        agreed.wait(0)
    assert sorted(frame.place for frame in agreed.sent(Kind.VOTE)) == [ME, 1, 2]
    assert agreed.steps.tip.epoch == 0
    assert agreed.changes.owing(agreed.now) == {1: Kind.EPOCH, 3: Kind.ACT}, "who signed for another has not for ours"


# Who owes what


def claims_owed(seat: OneSeat, seconds: int) -> list[tuple[float, set[int]]]:
    """Let seconds pass; return after how many of them who owed a claim, each time that it changed."""
    start, owed = seat.now, [(0.0, set[int]())]
    for _ in range(seconds):
        seat.wait()
        owing = {place for place, kind in seat.changes.owing(seat.now).items() if kind is Kind.CLAIM}
        if owed[-1][1] != owing:
            owed.append((seat.now - start, owing))
    return owed[1:]


@pytest.fixture
def six() -> OneSeat:
    """One of six, who finds 5 late, does not hear 4 and claims so; 2 claims the same, 3 a rest; 1 is to act."""
    six = OneSeat(6)
    six.hears(1, 2, 3, 5)
    six.finds_late(5)
    six.wait()
    six.hear_claim([2], out(5))
    six.hear_claim([3], REST)
    return six


def test_who_does_not_claim_as_we_do_owes_it_after_6_s_if_not_heard_and_after_60_if_heard(six: OneSeat) -> None:
    assert claims_owed(six, 62) == [(6, {4}), (60, {3, 4, 5})]
    assert six.changes.owing(six.now)[1] is Kind.ACT, "who owes something for the step owes that first"


def test_who_is_to_be_out_must_agree_to_all_but_that(six: OneSeat) -> None:
    six.finds_late(4, 5)
    six.wait()
    six.hear_claim([4], out(5))
    six.hear_claim([5], out(4, 5))
    six.hear_claim([2, 3], out(4, 5), number=2)
    assert claims_owed(six, 60) == [(59, {5})]


def test_the_time_to_agree_runs_on_where_more_of_the_same_is_claimed_and_anew_for_something_else(six: OneSeat) -> None:
    six.wait(50)
    six.finds_late(4, 5)
    assert claims_owed(six, 11) == [(1, {4}), (10, {2, 3, 4, 5})]
    six.finds_late(4)
    assert claims_owed(six, 62) == [(7, {4}), (61, {2, 3, 4, 5})]
    six.finds_late()
    assert claims_owed(six, 2) == []
    six.finds_late(4)
    assert claims_owed(six, 62) == [(7, {4}), (61, {2, 3, 4, 5})]


@pytest.mark.parametrize("wanted", [Wanted(adjourn=True), Wanted(rewind=1), Wanted(out=mask(4))])
def test_nobody_has_to_agree_to_a_mere_wish(wanted: Wanted) -> None:
    seat = OneSeat(6)
    seat.world.feed(seat.steps.tip.due().places[0], Chosen(1, (LAY,)))
    seat.world.run(1)
    seat.hears()
    seat.wants(wanted)
    assert seat.claimed is not None
    assert claims_owed(seat, 62) == []


def test_a_vote_is_owed_once_we_voted_and_what_we_sign_for_an_epoch_once_all_have(agreed: OneSeat) -> None:
    assert agreed.changes.owing(agreed.now) == {1: Kind.VOTE, 2: Kind.VOTE, 3: Kind.ACT}
    agreed.hear_vote([1], out(3))
    agreed.hear_vote([2], REST, epoch=2)
    assert agreed.changes.owing(agreed.now) == {2: Kind.VOTE, 3: Kind.ACT}, "for another epoch"
    agreed.hear_vote([2], out(3), epoch=3)
    agreed.wait()
    agreed.hear_vote([1], out(3), epoch=3)
    agreed.wait()
    assert agreed.changes.owing(agreed.now) == {1: Kind.EPOCH, 2: Kind.EPOCH, 3: Kind.ACT}
    agreed.hear_epoch([1], out(3), epoch=3)
    assert agreed.changes.owing(agreed.now) == {2: Kind.EPOCH, 3: Kind.ACT}


def test_a_vote_that_does_not_lead_to_where_it_says_is_owed(agreed: OneSeat) -> None:
    agreed.hear_vote([1], out(3))
    tip = agreed.steps.tip
    vote = Vote(0, out(3), tip.step + 1, 1, ())
    assert agreed.changes.receive(agreed.frame(Kind.VOTE, vote, 2, 1, head=tip.head), 2)
    agreed.wait()
    assert agreed.said(Kind.EPOCH) == []
    assert agreed.changes.owing(agreed.now) == {2: Kind.VOTE, 3: Kind.ACT}


def test_who_voted_for_what_we_want_owes_nothing_for_a_step_in_the_epoch_that_they_leave(seat: OneSeat) -> None:
    seat.hear_vote([3], REST)
    assert seat.changes.owing(seat.now) == {3: Kind.ACT}, "to leave alone is no way to go on thinking"
    seat.changes.want(Wanted(adjourn=True), seat.now)
    assert seat.changes.owing(seat.now) == {}


def after_a_roll(kept_back: Kind) -> OneSeat:
    """Return a seat that performed a roll; 1 and 2 keep something back, and 1 votes to leave."""
    seat = OneSeat()
    for place in (1, 2):
        seat.others[place].kinds.add(kept_back)
    seat.world.feed(3, Chosen(1, (ROLL,)))
    seat.world.run(0.5)
    seat.hear_vote([1], REST)
    return seat


def test_of_a_draw_for_which_we_showed_our_link_all_links_are_owed_whoever_voted() -> None:
    links, acks = after_a_roll(Kind.LINK), after_a_roll(Kind.ACK)
    assert links.changes.owing(links.now) == {1: Kind.LINK, 2: Kind.LINK}
    assert acks.changes.owing(acks.now) == {2: Kind.ACK}, "an ACK cannot be signed any more by who voted"
