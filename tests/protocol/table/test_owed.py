"""A step at one seat: who keeps it waiting and by what, what is taken for it, and what of it a vote shows."""

from dataclasses import replace

import pytest

from sunward_protocol import limits
from sunward_protocol.messages import Ack, Act, Kind, Link
from sunward_protocol.table.commands import Strike
from sunward_protocol.table.owing import lacking, owing
from support.one_seat import ME, OneSeat, mask
from support.pebbles import CHALLENGE, LAY, LOW, ROLL
from support.world import seed


@pytest.fixture
def seat() -> OneSeat:
    """One of four, of whom place 3 is to act."""
    return OneSeat()


# Who keeps it waiting


def test_whose_say_it_is_owes_an_action_and_nobody_in_a_rest_or_after_the_end(seat: OneSeat) -> None:
    assert owing(seat.steps) == {3: Kind.ACT}
    seat.steps.tip.resting = True
    assert owing(seat.steps) == {}
    seat.steps.tip.resting, seat.steps.tip.closed = False, True
    assert owing(seat.steps) == {}


def test_while_an_action_is_not_locked_whose_say_it_is_next_owes_theirs(seat: OneSeat) -> None:
    seat.plays(3, LAY, 1, 2)
    assert len(seat.steps.unlocked.steps) == 1
    (following,) = seat.steps.tip.due().places
    assert owing(seat.steps) == {following: Kind.ACT}


def test_where_a_round_of_steps_is_not_locked_whose_word_on_the_first_is_missing_owes_it(seat: OneSeat) -> None:
    seat.plays(3, LAY, 1, 2)
    under_way = seat.steps.unlocked.steps
    (first,) = under_way
    under_way += [replace(first, step=first.step + later) for later in (1, 2)]
    assert Kind.ACT in owing(seat.steps).values(), "a step more may be performed"
    under_way.append(replace(first, step=first.step + 3))
    assert owing(seat.steps) == {1: Kind.ACK, 2: Kind.ACK}, "3 signed for the last of them only"


def test_behind_a_gate_their_word_on_the_last_step_is_owed_which_is_one_on_all_before_it(seat: OneSeat) -> None:
    seat.plays(3, LAY, 1, 2)
    seat.plays(*seat.steps.tip.due().places, ROLL, 3)
    assert len(seat.steps.unlocked.steps) == 2
    assert owing(seat.steps) == {2: Kind.ACK, 3: Kind.ACK}


def test_of_a_draw_first_the_acks_are_owed_and_then_the_links(seat: OneSeat) -> None:
    seat.plays(3, ROLL, 1, 2)
    assert owing(seat.steps) == {1: Kind.ACK, 2: Kind.ACK}
    for place in (1, 2, 3):
        seat.others[place].kinds = {Kind.LINK}
    seat.hear_ack([1, 2])
    assert owing(seat.steps) == {1: Kind.LINK, 2: Kind.LINK, 3: Kind.LINK}
    seat.hear_link(2)
    assert owing(seat.steps) == {1: Kind.LINK, 3: Kind.LINK}


def test_of_a_secret_choice_commitments_are_owed_and_then_what_they_hide(seat: OneSeat) -> None:
    seat.plays(3, CHALLENGE)
    one, other = seat.steps.tip.due().places
    assert owing(seat.steps) == {one: Kind.COMMIT, other: Kind.COMMIT}
    first, second = (one, other) if one != ME else (other, one)
    seat.plays(first, LOW, 1, 2, 3, keep_back=Kind.OPEN)
    assert owing(seat.steps) == {second: Kind.COMMIT}
    seat.plays(second, LOW)
    assert owing(seat.steps) == {place: Kind.OPEN for place in (one, other) if place != ME}


def test_who_signed_what_is_wrong_here_still_owes_what_is_right(seat: OneSeat) -> None:
    tip = seat.steps.tip
    wrong = seat.frame(Kind.ACT, Act(seed("another state"), (LAY,), seed("outcome")), 3, step=tip.step, head=tip.head)
    assert seat.steps.receive(wrong, 3)
    seat.steps.advance()
    assert owing(seat.steps) == {3: Kind.ACT}
    assert seat.steps.disputes.convicted == 0


def test_who_signed_what_is_against_the_rules_still_owes_what_is_not(seat: OneSeat) -> None:
    tip = seat.steps.tip
    illegal = seat.frame(Kind.ACT, Act(tip.state, (LOW,), seed("outcome")), 3, step=tip.step, head=tip.head)
    assert seat.steps.receive(illegal, 3)
    seat.steps.advance()
    assert seat.steps.disputes.convicted == mask(3)
    assert owing(seat.steps) == {3: Kind.ACT}


# What is taken


def test_what_is_known_or_of_who_is_out_is_not_taken_nor_passed_on(seat: OneSeat) -> None:
    tip = seat.steps.tip
    ack = seat.frame(Kind.ACK, Ack(seed("state")), 2, step=tip.step)
    assert seat.steps.receive(ack, 2)
    assert not seat.steps.receive(ack, 1)
    assert not seat.steps.receive(ack._replace(raw=bytes(64) + ack.body), 1), "nor with another signature"
    tip.live = (0, 2, 3)
    assert not seat.steps.receive(seat.frame(Kind.ACK, Ack(seed("state")), 1, step=tip.step), 1)
    assert seat.steps.commands == []


def test_what_its_place_did_not_sign_is_not_taken_and_its_sender_struck(seat: OneSeat) -> None:
    ack = seat.frame(Kind.ACK, Ack(seed("state")), 2, step=seat.steps.tip.step)
    assert not seat.steps.receive(ack._replace(raw=bytes(64) + ack.body), 1)
    assert [command.place for command in seat.steps.commands if isinstance(command, Strike)] == [1]
    assert ack.slot not in seat.steps.slots


def test_two_bodies_for_one_slot_convict_and_the_first_stands(seat: OneSeat) -> None:
    acks = [seat.frame(Kind.ACK, Ack(seed(name)), 2, step=seat.steps.tip.step) for name in ("one", "other")]
    assert [seat.steps.receive(ack, 2) for ack in acks] == [True, False]
    assert seat.steps.disputes.convicted == mask(2)
    assert seat.steps.slots[acks[0].slot] == acks[0]


def test_only_the_link_of_the_draw_under_way_is_taken_and_once(seat: OneSeat) -> None:
    seat.plays(3, ROLL, 1, 2, 3, keep_back=Kind.LINK)
    good = seat.link(1)
    links, tip = seat.world.chains[1].links, seat.steps.tip
    for attempt, link, step in (
        (2, links[2], good.step),
        (0, links[0], good.step),
        (1, links[2], good.step),
        (1, links[1], good.step + 1),
        (1, links[1], good.step - 1),
    ):
        assert not seat.steps.receive(seat.frame(Kind.LINK, Link(attempt, link), 1, step=step, head=tip.head), 1)
    assert seat.steps.receive(good, 2), "whoever passes it on"
    assert not seat.steps.receive(good, 1)
    assert not seat.steps.receive(seat.frame(Kind.LINK, good.payload, 1, step=good.step, head=seed("head")), 1)
    assert seat.steps.disputes.convicted == 0


def test_no_link_is_taken_where_nothing_is_drawn(seat: OneSeat) -> None:
    tip = seat.steps.tip
    link = Link(tip.attempts, seat.world.chains[1].links[tip.attempts])
    assert not seat.steps.receive(seat.frame(Kind.LINK, link, 1, step=tip.step - 1, head=tip.head), 1)


# What a vote shows


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (100, limits.LEAD),
        (limits.VOTE_FILL // limits.LEAD, limits.LEAD),
        (limits.VOTE_FILL // 4, 4),
        (limits.VOTE_FILL // 4 + 1, 3),
        (limits.VOTE_FILL + 1, 0),
    ],
)
def test_a_vote_shows_the_end_of_the_log_as_far_as_a_frame_has_room(seat: OneSeat, size: int, shown: int) -> None:
    seat.steps.entries[:] = [bytes([number]) * size for number in range(20)]
    assert seat.steps.lately() == tuple(seat.steps.entries[20 - shown :])


def test_a_vote_shows_what_is_not_locked_behind_the_log(seat: OneSeat) -> None:
    seat.plays(3, LAY, 1, 2)
    assert seat.steps.lately() == (*seat.steps.entries, *seat.steps.unlocked.entries())
    assert len(seat.steps.lately()) == 2


# Whose links are missing


def test_links_are_missed_only_of_a_draw_for_which_ours_was_shown(seat: OneSeat) -> None:
    assert lacking(seat.steps) == set()
    seat.plays(3, ROLL, 1)
    assert lacking(seat.steps) == set(), "ours is not shown: nobody can know the draw"
    for place in (1, 2, 3):
        seat.others[place].kinds = {Kind.LINK}
    seat.hear_ack([1])
    assert lacking(seat.steps) == {2, 3}, "1 saw the lock earlier, and showed its own"
    seat.hear_link(2)
    assert lacking(seat.steps) == {3}
    seat.hear_link(3)
    assert lacking(seat.steps) == set()
