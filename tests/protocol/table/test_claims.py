"""What a member claims: who is to be out comes first, then who is back, then what its player wishes."""

import pytest

from sunward_protocol import limits
from sunward_protocol.messages import NO_CHANGE, Change, Kind, Vote
from sunward_protocol.table.events import Chosen, Claimed, Stalled, Wanted
from sunward_protocol.table.owing import owing
from support.one_seat import ME, OneSeat, mask, out
from support.pebbles import LAY


@pytest.fixture
def seat() -> OneSeat:
    """One of four: three of them may put out the fourth, who is place 3 and to act."""
    return OneSeat()


@pytest.fixture
def six() -> OneSeat:
    """One of six: four of them may put out two."""
    return OneSeat(6)


# Who is to be out


def test_who_is_late_is_to_be_out_and_no_longer_once_they_are_in_time(seat: OneSeat) -> None:
    seat.wait()
    assert seat.claimed is None
    assert seat.said(Kind.CLAIM) == [], "who wants nothing says nothing"
    seat.finds_late(3)
    seat.wait()
    assert seat.claimed == out(3)
    seat.finds_late()
    seat.wait()
    assert seat.claimed is None
    assert [frame.step for frame in seat.said(Kind.CLAIM)] == [1, 2], "claims are counted"
    assert [told.change for told in seat.told if isinstance(told, Claimed)] == [out(3), None]


def test_nobody_claims_that_they_themselves_be_out(seat: OneSeat) -> None:
    seat.finds_late(ME)
    seat.wants(Wanted(out=mask(ME)))
    assert seat.claimed is None


def test_who_is_out_already_is_not_put_out_again(six: OneSeat) -> None:
    six.steps.tip.live = (0, 1, 2, 3, 4)
    six.finds_late(4, 5)
    six.wait()
    assert six.claimed == out(4)


def test_whom_nobody_at_hand_hears_is_out_with_those_who_are_late(six: OneSeat) -> None:
    six.hears(1, 2, 3)
    six.hear_claim([1], out(4, 5))
    six.wait()
    assert six.claimed is None, "we find nobody late"
    six.finds_late(5)
    six.wait()
    assert six.claimed == out(4, 5)


def test_whom_we_hear_is_not_out_for_what_another_claims(six: OneSeat) -> None:
    six.hears(1, 2, 3, 4)
    six.hear_claim([1], out(4, 5))
    six.finds_late(5)
    six.wait()
    assert six.claimed == out(5)


def test_what_they_claim_whom_we_do_not_hear_puts_nobody_out(six: OneSeat) -> None:
    six.hears(2, 3)
    six.hear_claim([1], out(4, 5))
    six.finds_late(5)
    six.wait()
    assert six.claimed == out(5)


def test_of_too_many_who_are_late_those_who_are_not_heard_are_to_be_out(seat: OneSeat) -> None:
    seat.hears(1, 3)
    seat.finds_late(1, 2)
    seat.wait()
    assert seat.claimed == out(2), "though it owes nothing just now"


def test_of_too_many_who_are_gone_those_who_keep_a_step_waiting_are_to_be_out(seat: OneSeat) -> None:
    seat.hears(1)
    seat.finds_late(2, 3)
    seat.wait()
    assert set(owing(seat.steps)) == {3}
    assert seat.claimed == out(3)


def test_where_too_few_are_left_nothing_is_claimed_and_it_is_told_once_whom_the_match_waits_for(seat: OneSeat) -> None:
    seat.hears(3)
    seat.finds_late(1, 2)
    for _ in range(3):
        seat.wait()
    assert seat.claimed is None
    assert [told.places for told in seat.told if isinstance(told, Stalled)] == [(1, 2)]


def test_a_proved_cheat_and_whom_a_player_wants_out_are_to_be_out_though_they_are_heard_and_owe_nothing(
    six: OneSeat,
) -> None:
    six.steps.disputes.convicted = mask(1)
    six.finds_late(3, 4)
    six.wants(Wanted(out=mask(2)))
    assert six.claimed == out(1, 2), "of four who are late those two for certain"


# What comes after that


def test_somebody_out_comes_before_any_wish_and_the_wish_to_rest_goes_with_it(seat: OneSeat) -> None:
    seat.wants(Wanted(adjourn=True))
    assert seat.claimed == Change(0, (), 0, 1)
    seat.finds_late(3)
    seat.wait()
    assert seat.claimed == Change(mask(3), (), 0, 1)
    seat.wants(Wanted())
    assert seat.claimed == out(3)


def test_a_players_wish_is_claimed_at_once_and_then_one_claim_a_second(seat: OneSeat) -> None:
    for wanted in (Wanted(adjourn=True), Wanted(), Wanted(adjourn=True)):
        seat.changes.want(wanted, seat.now)
    assert [frame.step for frame in seat.said(Kind.CLAIM)] == [1]
    seat.wait(limits.STATUS_EVERY - 0.01)
    seat.changes.want(Wanted(), seat.now)
    assert [frame.step for frame in seat.said(Kind.CLAIM)] == [1]
    seat.wait(0.01)
    assert [frame.step for frame in seat.said(Kind.CLAIM)] == [1, 2]


def test_who_wants_to_be_back_comes_before_wishes_and_a_step_taken_back_before_a_rest(six: OneSeat) -> None:
    six.world.feed(1, Chosen(1, (LAY,)))
    six.world.run(1)
    wishes = Wanted(rewind=1, adjourn=True)
    six.wants(wishes)
    assert six.claimed == Change(0, (), 1, 0)
    six.steps.tip.live = (0, 1, 2, 3)
    back = [six.resume(place) for place in (4, 5)]
    assert all(map(six.takes, back))
    six.wait()
    assert six.claimed == Change(0, tuple(frame.raw for frame in back), 0, 0)
    six.steps.disputes.convicted = mask(5)
    six.wait()
    assert six.claimed == Change(0, (back[0].raw,), 0, 0), "a proved cheat does not come back"
    six.finds_late(3)
    six.wait()
    assert six.claimed == Change(0, (back[0].raw,), 0, 0), "three of six are too few to put out a fourth"
    six.steps.tip.live = (0, 1, 2, 3, 4)
    six.wait()
    assert six.claimed == Change(mask(3), (), 0, 1)


def test_who_changes_their_word_too_often_is_not_waited_for_in_that_epoch_but_in_the_next(six: OneSeat) -> None:
    six.steps.tip.live = (0, 1, 2, 3, 4)
    words = [six.resume(5, step=step) for step in range(limits.RESUMES_MOST + 1)]
    assert all(map(six.takes, words[:-1]))
    six.wait()
    assert six.claimed == Change(0, (words[-2].raw,), 0, 0)
    assert six.takes(words[-1])
    six.wait()
    assert six.claimed is None
    six.steps.tip.epoch = 1
    anew = six.resume(5, epoch=1)
    assert six.takes(anew)
    six.wait()
    assert six.claimed == Change(0, (anew.raw,), 0, 0)


def test_what_cannot_be_taken_back_is_not_claimed_nor_told_as_a_lack_of_people(seat: OneSeat) -> None:
    seat.finds_late(1, 2)
    seat.hears(3)
    seat.wait()
    seat.finds_late()
    seat.wants(Wanted(rewind=1, adjourn=True))
    assert seat.claimed == Change(0, (), 0, 1), "step 1 is not played yet"
    assert [told.places for told in seat.told if isinstance(told, Stalled)] == [(1, 2)]


def test_who_wants_to_play_on_claims_nothing_but_in_a_rest(seat: OneSeat) -> None:
    seat.wants(Wanted(back=True))
    assert seat.claimed is None
    seat.steps.tip.resting = True
    seat.wait()
    assert seat.claimed == NO_CHANGE


def test_nobody_wishes_for_a_rest_in_a_rest(seat: OneSeat) -> None:
    seat.steps.tip.resting = True
    seat.wants(Wanted(adjourn=True))
    assert seat.claimed is None


def test_who_is_put_out_cannot_claim(seat: OneSeat) -> None:
    seat.steps.tip.live = (1, 2, 3)
    seat.finds_late(3)
    seat.wait()
    assert seat.claimed is None


# After somebody voted


def claims(seat: OneSeat, seconds: int) -> list[tuple[float, Change | None]]:
    """Let seconds pass; return what it claimed, and after how many of them."""
    start, made = seat.now, list[tuple[float, Change | None]]()
    for _ in range(seconds):
        seat.wait()
        if not made or made[-1][1] != seat.claimed:
            made.append((seat.now - start, seat.claimed))
    return made


def test_6_s_after_a_vote_nobody_who_is_heard_is_late_for_a_minute_so_that_all_go_on_together(seat: OneSeat) -> None:
    seat.finds_late(3)
    seat.wait()
    seat.hear_vote([1], out(2))
    seat.wait(0)
    assert claims(seat, 80) == [(1, out(3)), (6, NO_CHANGE), (66, out(3))]


def test_while_all_claim_to_go_on_together_nobody_is_late_again(seat: OneSeat) -> None:
    seat.finds_late(3)
    seat.wait()
    seat.hear_vote([1], out(2))
    seat.wait(0)
    seat.wait(6)
    seat.hear_claim([1, 2, 3], NO_CHANGE)
    assert claims(seat, 50) == [(1, NO_CHANGE)]
    assert [frame.payload.change for frame in seat.said(Kind.VOTE) if isinstance(frame.payload, Vote)][:1] == [
        NO_CHANGE
    ]


def test_what_all_agree_on_since_they_yield_they_go_on_with(six: OneSeat) -> None:
    six.hears(1, 2, 3, 4)
    six.finds_late(4, 5)
    six.wait()
    six.hear_vote([1], out(3))
    six.wait(0)
    six.wait(6)
    six.hear_claim([1, 2, 3, 4], out(5))
    assert claims(six, 40) == [(1, out(5))], "4 is heard, and counts as late no more for a minute"


def test_who_is_not_heard_stays_late_after_a_vote(seat: OneSeat) -> None:
    seat.finds_late(3)
    seat.hears(1, 2)
    seat.wait()
    seat.hear_vote([1], out(2))
    assert claims(seat, 80) == [(1, out(3))]


def test_if_all_claim_the_same_place_late_it_stays_so_after_a_vote(seat: OneSeat) -> None:
    seat.finds_late(3)
    seat.wait()
    seat.hear_claim([1, 2], out(3))
    seat.hear_vote([1], out(3))
    assert claims(seat, 80) == [(1, out(3))]


def test_after_an_epoch_that_changed_nothing_it_is_not_tried_again_to_go_on_together(seat: OneSeat) -> None:
    seat.steps.tip.changed = NO_CHANGE
    seat.finds_late(3)
    seat.wait()
    seat.hear_vote([1], out(2))
    assert claims(seat, 80) == [(1, out(3))]


def test_in_each_epoch_the_minute_begins_with_its_own_first_vote(seat: OneSeat) -> None:
    seat.finds_late(3)
    seat.hear_vote([1], out(2))
    seat.wait(0)
    seat.wait(100)
    assert seat.claimed == out(3)
    seat.steps.tip.epoch = 1
    seat.wait()
    seat.hear_vote([1], out(2), epoch=2)
    seat.wait(0)
    assert claims(seat, 80) == [(1, out(3)), (6, NO_CHANGE), (66, out(3))]


def test_who_left_the_epoch_and_wants_nothing_else_any_more_wants_to_begin_another(seat: OneSeat) -> None:
    seat.steps.journal.promised = 1
    seat.wait()
    assert seat.claimed == NO_CHANGE, "nobody else has voted, but we sign nothing in this one"
