"""How one seat goes from step to step: what it performs at once, says once, and forgets."""

import pytest

from sunward_protocol.envelope import Frame, Slot, open_frame
from sunward_protocol.ids import Place, Step
from sunward_protocol.log import Entry
from sunward_protocol.messages import NO_CHANGE, Ack, EpochBody, Kind
from sunward_protocol.table.events import Asked, Ended, Troubled, TurnCame
from sunward_protocol.table.journal import Journal
from support.one_seat import ME, OneSeat
from support.pebbles import CHALLENGE, LAY, LOW, ROLL
from support.quiet import act
from support.world import World, seed


@pytest.fixture
def seat() -> OneSeat:
    """One of four, of whom place 3 is to act."""
    return OneSeat()


def old(seat: OneSeat) -> list[Frame]:
    """Return the frames that it holds of steps that are over, or of another epoch."""
    settled, epoch = seat.steps.settled.step, seat.steps.tip.epoch
    return [frame for slot, frame in seat.steps.slots.items() if slot.step < settled or slot.epoch != epoch]


def begin(seat: OneSeat) -> None:
    """Let all four begin an epoch where it stands."""
    tip = seat.steps.tip
    body = EpochBody(tip.state, tip.epoch, NO_CHANGE, tip.attempts)
    bodies = [seat.frame(Kind.EPOCH, body, place, 1, tip.step, tip.head) for place in range(4)]
    seat.steps.begin_epoch([], tip, bodies)


def test_frames_of_a_step_that_is_locked_are_forgotten(seat: OneSeat) -> None:
    seat.plays(3, LAY, 1)
    assert any(slot.step == 1 for slot in seat.steps.slots)
    for kinds in seat.others.values():
        kinds.kinds.clear()
    seat.plays(*seat.steps.tip.due().places, ROLL)
    assert seat.steps.settled.step > 2
    assert old(seat) == []


def test_what_we_signed_for_a_step_that_is_locked_is_kept_until_another_is(seat: OneSeat) -> None:
    seat.plays(3, ROLL)
    ours, journal = Slot(0, 1, Kind.ACK, ME), seat.steps.journal
    assert ours in journal, "an epoch may have the draw made anew"
    for _ in range(2):
        tip = seat.steps.tip
        (following,) = tip.due().places
        seat.plays(following, tip.position.legal(tip.seat_of(following))[-1])
    assert seat.steps.settled.step > 2
    assert ours not in journal


def test_frames_of_an_epoch_are_forgotten_when_the_next_begins(seat: OneSeat) -> None:
    early = seat.frame(Kind.ACK, Ack(seed("state")), 1, step=2)
    assert seat.steps.receive(early, 1)
    begin(seat)
    assert seat.steps.tip.epoch == 1
    assert old(seat) == []
    seat.steps.step_back()
    assert seat.steps.tip.epoch == 0
    assert old(seat) == []


def test_frames_of_others_that_the_journal_holds_of_steps_long_over_are_not_taken_up_again(seat: OneSeat) -> None:
    seat.plays(3, ROLL)
    seat.world.stop(ME)
    seat.world.start(ME)
    seat.steps = seat.world.replica(ME).steps
    assert seat.steps.settled.step == 2
    assert old(seat) == []


def lays(seat: OneSeat) -> Place:
    """Let whoever is to act lay a pebble, and no time pass; return who it was."""
    tip = seat.steps.tip
    (place,) = tip.due().places
    if place == ME:
        seat.steps.choose(tip.step, (LAY,))
    else:
        assert seat.steps.receive(open_frame(act(seat.world, tip, LAY)), place)
        seat.steps.advance()
    return place


def test_a_step_without_a_gate_is_signed_for_later_with_all_that_came_before_that(seat: OneSeat) -> None:
    held = [seat.steps.holding_ack]
    for _ in range(2):
        assert lays(seat) != ME
        held.append(seat.steps.holding_ack)
    assert held == [None, 1, 1], "it waits since the first of them"
    assert seat.said(Kind.ACK) == []
    seat.steps.acknowledge()
    assert seat.steps.holding_ack is None
    assert [ack.step for ack in seat.said(Kind.ACK)] == [2]


def test_what_we_signed_for_a_step_is_sent_once(seat: OneSeat) -> None:
    seat.plays(3, LAY, 1)
    seat.world.run(5, until=lambda: False)
    sent = [open_frame(raw) for sender, receiver, raw in seat.world.sent if (sender, receiver) == (ME, 2)]
    assert [frame.step for frame in sent if (frame.kind, frame.place) == (Kind.ACK, ME)].count(1) == 1


def test_our_own_action_signs_for_all_that_was_not_signed_for(seat: OneSeat) -> None:
    while lays(seat) != ME:
        assert seat.steps.holding_ack == 1
    assert seat.steps.holding_ack is None
    seat.steps.acknowledge()
    assert seat.said(Kind.ACK) == []


def test_nothing_is_signed_for_where_nothing_is_under_way(seat: OneSeat) -> None:
    seat.steps.acknowledge()
    assert seat.said(Kind.ACK) == []


def test_a_step_behind_which_nothing_may_follow_is_signed_for_at_once(seat: OneSeat) -> None:
    assert seat.steps.receive(open_frame(act(seat.world, seat.steps.tip, ROLL)), 3)
    seat.steps.advance()
    assert [ack.step for ack in seat.said(Kind.ACK)] == [1]
    assert seat.steps.holding_ack is None


def test_who_voted_to_leave_an_epoch_signs_for_nothing_in_it(seat: OneSeat) -> None:
    lays(seat)
    seat.steps.journal.promised = 1
    seat.steps.acknowledge()
    assert seat.said(Kind.ACK) == []


def told(seat: OneSeat, kind: type[Asked | TurnCame]) -> list[Step]:
    """Return the steps for which it told its player, or its watchers, whose say it is."""
    return [each.step for each in seat.told if isinstance(each, kind)]


def test_its_player_is_asked_once_for_each_turn_of_theirs_and_the_watchers_told_of_every_one(seat: OneSeat) -> None:
    while lays(seat) != ME:
        assert told(seat, TurnCame) == [], "nothing is locked of what came before"
    ours = seat.steps.tip.step - 1
    seat.steps.advance()
    assert told(seat, Asked) == [ours]
    seat.hear_ack([1, 2, 3])
    for _ in range(2):
        seat.steps.advance()
    assert (told(seat, Asked), told(seat, TurnCame)) == ([ours], [seat.steps.tip.step])


def test_nobody_is_asked_who_cannot_sign_now(seat: OneSeat) -> None:
    seat.steps.journal.promised = 1
    while seat.steps.tip.due().places != (ME,):
        lays(seat)
    assert told(seat, Asked) == []
    seat.steps.journal.promised = 0
    seat.steps.advance()
    assert told(seat, Asked) == [seat.steps.tip.step]


def test_after_an_epoch_came_to_nothing_its_player_is_asked_again(seat: OneSeat) -> None:
    while seat.steps.tip.due().places != (ME,):
        lays(seat)
        seat.hear_ack([1, 2, 3])
        seat.steps.acknowledge()
        seat.steps.advance()
    step = seat.steps.settled.step
    assert told(seat, Asked) == [step]
    begin(seat)
    seat.steps.step_back()
    seat.steps.advance()
    assert told(seat, Asked) == [step, step]


def test_nobody_is_asked_for_what_their_node_shows_by_itself(seat: OneSeat) -> None:
    seat.plays(3, CHALLENGE)
    one, other = seat.steps.tip.due().places
    committing = seat.steps.settled.step
    for place in (one, other):
        seat.plays(place, LOW, one, other, keep_back=Kind.OPEN)
    assert seat.steps.settled.due().kind is Kind.OPEN
    assert seat.world.told(ME, TurnCame)[-1].step == committing
    assert seat.world.told(ME, Troubled) == []


def test_actions_that_overtake_one_another_are_performed_together_in_their_order(seat: OneSeat) -> None:
    ledger, frames = seat.steps.tip.copy(), list[Frame]()
    for _ in range(2):
        frames.append(open_frame(act(seat.world, ledger, LAY)))
        ledger.perform(frames[-1:])
    for frame, performed in zip(reversed(frames), (1, 3), strict=True):
        assert seat.steps.receive(frame, frame.place)
        seat.steps.advance()
        assert seat.steps.tip.step == performed


@pytest.mark.parametrize("why", ["parted", "resting"])
def test_nothing_is_performed_where_the_match_has_forked_nor_while_it_rests(seat: OneSeat, why: str) -> None:
    if why == "parted":
        seat.steps.parted = 1
    else:
        seat.steps.tip.resting = True
    seat.plays(3, LAY)
    assert seat.steps.tip.step == 1


@pytest.fixture
def rolled(seat: OneSeat) -> OneSeat:
    """The same, after 3 rolled: it has not heard that 1 and 2 sign for that, and all others keep back their links."""
    seat.plays(3, ROLL, 1, 2, keep_back=Kind.ACK)
    for place in (1, 2, 3):
        seat.others[place].kinds = {Kind.LINK}
    return seat


def test_our_link_is_shown_once_however_often_there_is_a_reason_to_look(rolled: OneSeat) -> None:
    rolled.hear_ack([1, 2])
    rolled.hear_link(1)
    rolled.hear_link(2)
    assert [frame.place for frame in rolled.said(Kind.LINK)] == [ME]


def test_who_voted_to_leave_shows_its_link_only_for_a_draw_for_which_another_showed_theirs(rolled: OneSeat) -> None:
    rolled.steps.journal.promised = 1
    rolled.hear_ack([1, 2])
    assert rolled.steps.revealing
    assert rolled.said(Kind.LINK) == []
    rolled.hear_link(1)
    assert [frame.place for frame in rolled.said(Kind.LINK)] == [ME]


def test_who_signed_for_what_came_of_a_later_epoch_shows_no_link_in_one_before_it(rolled: OneSeat) -> None:
    rolled.steps.journal.promised = 2
    rolled.steps.journal.seal(Kind.ACK, Ack(seed("state")), 1, 2, seed("head"))
    rolled.hear_ack([1, 2])
    rolled.hear_link(1)
    assert rolled.said(Kind.LINK) == []


def test_a_secret_that_the_journal_lost_is_told_and_nothing_is_shown(
    seat: OneSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_journal: Journal, _slot: Slot) -> None:
        return None

    monkeypatch.setattr(Journal, "secret", nothing)
    while seat.steps.tip.due().places != (ME,):
        seat.plays(*seat.steps.tip.due().places, LAY)
    seat.plays(ME, CHALLENGE)
    for place in seat.steps.tip.due().places:
        seat.plays(place, LOW)
    assert [trouble.code for trouble in seat.world.told(ME, Troubled)] == ["lost-secret"]
    assert (seat.steps.settled.due().kind, seat.steps.tip.step) == (Kind.OPEN, seat.steps.settled.step)


def test_what_came_before_the_last_link_of_the_draw_before_it_is_performed_with_the_draw(seat: OneSeat) -> None:
    seat.plays(3, ROLL, 1, 2, 3, keep_back=Kind.LINK)
    after = seat.steps.tip.copy()
    after.reveal([seat.world.chains[place].links[after.attempts] for place in range(4)])
    (next_to_act,) = after.due().places
    choice = after.position.legal(after.seat_of(next_to_act))[-1]
    assert seat.steps.receive(open_frame(act(seat.world, after, choice)), next_to_act)
    seat.hear_link(1, 2)
    assert seat.steps.tip.step == after.step
    seat.hear_link(3)
    assert seat.steps.tip.step == after.step + 1


def test_the_end_is_told_once_though_an_epoch_begins_after_it() -> None:
    world = World(2, random_seed=1, components=b"1")
    world.run()
    steps = world.replica(0).steps
    assert steps.over
    assert len(world.told(0, Ended)) == 1
    after = steps.settled.copy()
    after.step, after.changed = after.step + 1, NO_CHANGE
    steps.commands.clear()
    steps.settle(after, Entry(1, after.step - 1, (), (), ()))
    assert not any(isinstance(getattr(each, "notice", None), Ended) for each in steps.commands)
