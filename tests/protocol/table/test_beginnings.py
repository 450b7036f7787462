"""How an epoch begins at one seat: where, with which draw, and behind what."""

import pytest

from sunward_protocol import limits
from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import open_frame
from sunward_protocol.ids import Epoch
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import Act, Change, EpochBody, Kind, Vote
from sunward_protocol.records import parse_kept, write_entry
from sunward_protocol.table.commands import Keep, Log, Send
from sunward_protocol.table.events import Applied, Changed, Chosen, Drawn, Wanted
from support.one_seat import ME, OneSeat, out
from support.pebbles import LAY, ROLL


@pytest.fixture
def seat() -> OneSeat:
    """One of four: three of them put out the fourth, who is place 3 and to act."""
    seat = OneSeat()
    seat.hears(1, 2)
    seat.finds_late(3)
    return seat


def rolls(seat: OneSeat, **kept_back: tuple[int, ...]) -> None:
    """Let 3 roll, and some keep back what is named by its kind."""
    for kind, places in kept_back.items():
        for place in places:
            seat.others[place].kinds.add(Kind[kind])
    seat.world.feed(3, Chosen(1, (ROLL,)))
    seat.world.run(0.5)
    assert seat.steps.tip.drawing


def body(seat: OneSeat, epoch: Epoch = 1) -> EpochBody:
    (frame,) = [frame for frame in dict.fromkeys(seat.said(Kind.EPOCH)) if frame.epoch == epoch]
    assert isinstance(frame.payload, EpochBody)
    return frame.payload


# Where it begins, and with which draw


def test_steps_that_are_not_locked_are_locked_with_the_beginning_of_the_epoch(seat: OneSeat) -> None:
    seat.others[1].kinds.add(Kind.ACK)
    seat.world.feed(3, Chosen(1, (LAY,)))
    seat.world.run(0.5)
    played = seat.steps.tip.head
    assert seat.steps.settled.step == 1
    seat.votes(3)
    seat.begins(3)
    assert seat.steps.settled.step == 1
    seat.hear_ack([1, 2])
    assert seat.steps.settled.step == 3
    assert seat.steps.tip.live == (0, 1, 2)
    notices = [told for told in seat.told if isinstance(told, Applied | Changed)]
    assert [type(told) for told in notices] == [Applied, Changed]
    assert parse_entry(seat.steps.entries[2]).bodies[0][64:] in [frame.body for frame in seat.said(Kind.EPOCH)]
    assert played != seat.steps.tip.head


def test_a_draw_whose_links_nobody_showed_is_made_in_the_new_epoch_with_the_same_links(seat: OneSeat) -> None:
    rolls(seat, ACK=(1,))
    seat.votes(3)
    seat.begins(3)
    assert body(seat).attempts == 1
    seat.hear_ack([1, 2])
    seat.hear_link(1, 2)
    assert seat.steps.settled.attempts == 2
    assert [told.step for told in seat.told if isinstance(told, Drawn)] == [2], "and of three only"


def test_a_draw_for_which_links_were_shown_is_made_anew_with_the_next_without_who_kept_theirs_back(
    seat: OneSeat,
) -> None:
    rolls(seat, LINK=(3,))
    assert seat.steps.journal.spent == 2
    seat.votes(3)
    seat.begins(3)
    assert body(seat).attempts == 2
    seat.hear_ack([1, 2])
    seat.hear_link(1, 2)
    assert seat.steps.settled.attempts == 3


def test_who_saw_a_draw_signs_for_no_epoch_in_which_it_is_made_anew_but_for_one_behind_it(seat: OneSeat) -> None:
    rolls(seat, LINK=(3,))
    seat.votes(3)
    (vote,) = seat.said(Kind.VOTE)
    seat.hear_link(3)
    settled = seat.steps.settled
    assert (settled.step, settled.attempts) == (2, 2)
    for place in (1, 2):
        assert seat.takes(seat.frame(Kind.VOTE, vote.payload, place, 1, head=vote.head))
    seat.wait(0)
    assert seat.said(Kind.EPOCH) == []
    seat.wait(limits.VOTE_AGAIN)
    seat.hear_vote([1, 2], out(3), epoch=2)
    seat.wait(0)
    (signed,) = dict.fromkeys(seat.said(Kind.EPOCH))
    assert (signed.epoch, signed.step, signed.head) == (2, 2, settled.head)


def test_who_sees_a_draw_after_it_signed_for_an_epoch_in_which_it_is_made_anew_takes_it_back(seat: OneSeat) -> None:
    rolls(seat, LINK=(3,))
    seat.votes(3)
    seat.hear_vote([1, 2], out(3))
    seat.wait(0)
    seat.hear_link(3)
    first = seat.steps.settled
    assert (first.step, first.attempts) == (2, 2)
    seat.hear_epoch([1, 2], out(3))
    seat.wait(0)
    assert (seat.steps.tip.epoch, seat.steps.settled.step, len(seat.steps.entries)) == (1, 1, 1)
    seat.hear_ack([1, 2])
    seat.hear_link(1, 2)
    assert seat.steps.settled.randomness != first.randomness
    assert [len(entry.links) for entry in map(parse_entry, seat.steps.entries)] == [4, 0, 3]
    told = [each.step for each in seat.told if isinstance(each, Applied)]
    assert told == [1, 1], "watchers are told of the step again"


def test_who_has_no_part_in_a_draw_that_it_saw_signs_to_make_it_anew_and_takes_it_back_when_that_begins(
    seat: OneSeat,
) -> None:
    for place in range(4):
        seat.world.replica(place).steps.tip.barred = frozenset([ME])
    rolls(seat, LINK=(3,))
    seat.votes(3)
    (vote,) = seat.said(Kind.VOTE)
    seat.hear_link(3)
    seen = seat.steps.settled
    assert (seen.step, seen.attempts, seat.steps.journal.spent) == (2, 2, 1)
    assert isinstance(vote.payload, Vote)
    for place in (1, 2):
        assert seat.takes(seat.frame(Kind.VOTE, vote.payload._replace(spent=2), place, 1, head=vote.head))
    seat.wait(0)
    assert body(seat).attempts == 2
    assert seat.steps.tip is seat.steps.settled is seen
    seat.hear_epoch([1, 2], out(3))
    seat.wait(0)
    assert (seat.steps.tip.epoch, seat.steps.settled.step) == (1, 1)
    seat.hear_ack([1, 2])
    seat.hear_link(1, 2)
    assert seat.steps.settled.attempts == 3
    assert seat.steps.settled.randomness != seen.randomness


def test_a_draw_that_a_voter_saw_stands_and_is_in_our_log_before_we_sign(seat: OneSeat) -> None:
    rolls(seat, LINK=(3,))
    seat.votes(3)
    other = seat.world.replica(1).steps
    assert other.receive(seat.link(3), 3)
    other.advance()
    seat.hear_vote([1], out(3), stands=other)
    seat.hear_vote([2], out(3))
    seat.steps.commands.clear()
    seat.wait(0)
    (log,) = [number for number, done in enumerate(seat.steps.commands) if isinstance(done, Log)]
    assert seat.steps.commands[log] == Log(write_entry(other.entries[1]))
    assert not any(isinstance(done, Send) for done in seat.steps.commands[:log])
    assert (seat.steps.settled.head, seat.steps.tip) == (other.settled.head, seat.steps.settled)
    assert [told.randomness for told in seat.told if isinstance(told, Drawn)] == [other.settled.randomness]
    assert body(seat).attempts == 2


def test_who_signs_last_begins_at_once_behind_a_draw_that_a_voter_saw_and_logs_that_once(seat: OneSeat) -> None:
    rolls(seat, LINK=(3,))
    seat.votes(3)
    other = seat.world.replica(1).steps
    assert other.receive(seat.link(3), 3)
    other.advance()
    seat.hear_epoch([1, 2], out(3), stands=other)
    seat.hear_vote([1], out(3), stands=other)
    seat.hear_vote([2], out(3))
    seat.steps.commands.clear()
    seat.wait(0)
    assert seat.steps.tip.epoch == 1
    logs = [command for command in seat.steps.commands if isinstance(command, Log)]
    assert logs == [Log(write_entry(other.entries[1]))]


def test_of_what_a_voter_shows_only_what_is_up_to_a_draw_is_settled(seat: OneSeat) -> None:
    rolls(seat, LINK=(3,))
    seat.votes(3)
    other = seat.world.replica(1).steps
    assert other.receive(seat.link(3), 3)
    other.advance()
    tip = other.tip
    (place,), seats = tip.due().places, tip.position.to_act()
    choice, position = tip.position.legal(seats[0])[-1], tip.position.copy()
    position.apply(seats[0], choice)
    act = Act(tip.state, (choice,), digest(Domain.STATE, position.encode()))
    assert other.receive(seat.frame(Kind.ACT, act, place, step=2, head=tip.head), place)
    other.advance()
    assert (other.settled.step, other.tip.step) == (2, 3)
    seat.hear_vote([1], out(3), stands=other)
    seat.hear_vote([2], out(3))
    seat.wait(0)
    assert (seat.steps.settled.step, seat.steps.tip.step) == (2, 3), "the action behind it is locked nowhere"


def test_of_steps_that_are_not_locked_none_is_settled_however_many_a_voter_shows(seat: OneSeat) -> None:
    seat.world.delay = lambda sender, receiver: None if receiver == ME else 0.001
    for step in (1, 2):
        (place,) = seat.world.replica(1).steps.tip.due().places
        assert place != ME
        seat.world.feed(place, Chosen(step, (LAY,)))
        seat.world.run(0.01)
    seat.votes(3)
    seat.hear_vote([1], out(3), stands=seat.world.replica(1).steps)
    seat.hear_vote([2], out(3))
    seat.wait(0)
    assert (seat.steps.settled.step, seat.steps.tip.step) == (1, 3)


def test_who_signs_last_begins_at_once_behind_what_a_voter_shows(seat: OneSeat) -> None:
    seat.world.delay = lambda sender, receiver: None if receiver == ME else 0.001
    seat.world.feed(3, Chosen(1, (LAY,)))
    seat.world.run(0.1)
    other = seat.world.replica(1).steps
    seat.votes(3)
    seat.hear_epoch([1, 2], out(3), stands=other)
    seat.hear_vote([1], out(3), stands=other)
    seat.hear_vote([2], out(3))
    seat.wait(0)
    assert (seat.steps.tip.epoch, seat.steps.tip.step) == (1, 3)
    assert [step for step, _ in seat.steps.unlocked.heads()] == [1, 2]


def test_what_a_voter_shows_beyond_is_kept_before_we_sign_and_gone_on_from(seat: OneSeat) -> None:
    seat.world.delay = lambda sender, receiver: None if receiver == ME else 0.001
    seat.world.feed(3, Chosen(1, (LAY,)))
    seat.world.run(0.1)
    other = seat.world.replica(1).steps
    assert (other.tip.step, seat.steps.tip.step) == (2, 1)
    seat.votes(3)
    seat.hear_vote([1], out(3), stands=other)
    seat.hear_vote([2], out(3))
    seat.steps.commands.clear()
    seat.wait(0)
    done = [command for command in seat.steps.commands if isinstance(command, Keep | Send)]
    act = open_frame(parse_entry(other.lately()[-1]).bodies[0])
    assert [type(command) for command in done] == [Keep, Keep, Send]
    kept = [parse_kept(command.record).frame for command in done if isinstance(command, Keep)]
    assert kept[0] == act.raw, "so that our next vote can show it, too"
    assert open_frame(kept[1]).kind is Kind.EPOCH
    assert seat.steps.tip.head == other.tip.head
    assert seat.steps.settled.step == 1
    seat.hear_epoch([1, 2], out(3))
    seat.wait(0)
    assert (seat.steps.tip.epoch, len(seat.steps.unlocked.steps)) == (1, 2)
    seat.hear_ack([1, 2])
    assert seat.steps.settled.step == 3


def test_who_showed_its_link_votes_only_if_all_whose_links_are_missing_are_to_be_out(seat: OneSeat) -> None:
    rolls(seat, LINK=(1, 3))
    assert seat.steps.journal.spent == 2
    seat.wait()
    seat.hear_claim([1, 2], out(3))
    seat.wait(100)
    assert seat.voted == [], "1 may know the draw"
    seat.hear_link(1)
    seat.wait()
    assert seat.voted == [1]


def test_nobody_signs_for_a_change_that_cannot_be_made_where_the_votes_lead(seat: OneSeat) -> None:
    seat.finds_late()
    seat.world.feed(3, Chosen(1, (LAY,)))
    seat.world.run(0.5)
    (actor,) = seat.steps.tip.due().places
    assert actor != ME
    seat.world.delay = lambda sender, receiver: None if receiver == ME else 0.001
    seat.world.feed(actor, Chosen(2, (ROLL,)))
    seat.world.run(0.01)
    other = seat.world.replica(actor).steps
    assert other.tip.drawing
    undo = Change(0, (), 1, 0)
    seat.changes.want(Wanted(rewind=1), seat.now)
    seat.hear_claim([1, 2, 3], undo)
    seat.wait()
    seat.hear_vote([actor], undo, stands=other)
    seat.hear_vote([place for place in (1, 2, 3) if place != actor], undo)
    seat.wait(0)
    assert seat.voted == [1]
    assert seat.said(Kind.EPOCH) == [], "nothing is taken back past a draw"


@pytest.fixture
def helped(seat: OneSeat) -> OneSeat:
    """The same, and 3 rolled; we voted before we saw the lock, and showed our link then, to help 1 and 2 draw."""
    rolls(seat, ACK=(1,), LINK=(1, 2, 3))
    seat.votes(3)
    seat.hear_link(1, 2)
    assert seat.steps.journal.spent == 1
    seat.hear_ack([1])
    assert seat.steps.journal.spent == 2
    return seat


def test_who_showed_a_link_since_it_voted_votes_anew(helped: OneSeat) -> None:
    helped.wait()
    spent = [frame.payload.spent for frame in dict.fromkeys(helped.said(Kind.VOTE)) if isinstance(frame.payload, Vote)]
    assert (helped.voted, spent) == ([1, 2], [1, 2])


def test_nobody_signs_for_an_epoch_whose_draw_would_take_the_link_that_they_showed(helped: OneSeat) -> None:
    (vote,) = helped.said(Kind.VOTE)
    for place in (1, 2):
        assert helped.takes(helped.frame(Kind.VOTE, vote.payload, place, 1, head=vote.head))
    helped.wait(0)
    assert helped.said(Kind.EPOCH) == []
