"""What a player may choose at one seat, and what is refused, by which sentence, before anything is signed."""

from random import Random

import pytest

from sunward_protocol import limits
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.game import Action
from sunward_protocol.ids import Place, Step
from sunward_protocol.messages import Act, Kind
from sunward_protocol.table.events import Chosen, Refused
from sunward_protocol.table.replica import Replica
from support.one_seat import ME, OneSeat
from support.pebbles import CHALLENGE, HIGH, LAY, LOW
from support.world import World, choose_at_random

NOT_YOUR_TURN = "It is not your turn to act just now."
ACTED = "You have acted already; what was sent cannot be changed."
AGREEING = "The table is agreeing on who plays; nothing can be signed meanwhile."
FORKED = "This match has two histories; nothing is signed in it any more."
ALL_OF_IT = "Choose all of what is yours to choose before the next draw."


@pytest.fixture
def seat() -> OneSeat:
    """One of four, and it is to act."""
    seat = OneSeat()
    while seat.steps.tip.due() != (Kind.ACT, (ME,)):
        seat.plays(*seat.steps.tip.due().places, LAY)
    return seat


def chooses(seat: OneSeat, *actions: Action, later: int = 0) -> str:
    """Let its player choose for the next step, or a later one; return why that is refused, "" if it is signed."""
    before = len(seat.told)
    said = len(seat.said(Kind.ACT)) + len(seat.said(Kind.COMMIT))
    seat.steps.choose(seat.steps.tip.step + later, actions)
    refused = [told.sentence for told in seat.told[before:] if isinstance(told, Refused)]
    signed = len(seat.said(Kind.ACT)) + len(seat.said(Kind.COMMIT)) - said
    assert signed == 1 - len(refused), "one or the other"
    return "".join(refused)


def test_what_is_chosen_for_the_step_that_is_due_is_signed(seat: OneSeat) -> None:
    assert chooses(seat, LAY) == ""
    assert isinstance(said := seat.said(Kind.ACT)[-1].payload, Act)
    assert said.choices == (LAY,)


@pytest.mark.parametrize("later", [-1, 1])
def test_what_is_chosen_for_another_step_is_refused(seat: OneSeat, later: int) -> None:
    assert chooses(seat, LAY, later=later) == NOT_YOUR_TURN


def test_nothing_is_chosen_while_it_is_the_turn_of_another(seat: OneSeat) -> None:
    chooses(seat, LAY)
    assert chooses(seat, LAY) == NOT_YOUR_TURN


def test_nothing_is_chosen_while_the_table_agrees_on_who_plays_nor_where_the_match_has_forked(seat: OneSeat) -> None:
    seat.steps.journal.promised = 1
    assert chooses(seat, LAY) == AGREEING
    seat.steps.parted = 1
    assert chooses(seat, LAY) == FORKED
    seat.steps.journal.promised, seat.steps.parted = 0, None
    assert chooses(seat, LAY) == ""


def test_nothing_is_chosen_while_the_match_rests(seat: OneSeat) -> None:
    seat.steps.tip.resting = True
    assert chooses(seat, LAY) == NOT_YOUR_TURN


def test_more_than_a_frame_has_room_for_is_refused(seat: OneSeat) -> None:
    most = limits.CHOICES_MOST
    assert chooses(seat, *[LAY] * (most + 1)) == f"A turn of more than {most} choices cannot be sent at once."
    assert "too many" in chooses(seat, *[LAY] * most), "that many could be sent; but only one is theirs here"


@pytest.mark.parametrize(
    ("actions", "told"), [((), ALL_OF_IT), ((LOW, HIGH), ALL_OF_IT), ((LAY,), "cannot do that in the phase guess")]
)
def test_a_secret_choice_is_one_and_of_what_is_allowed(seat: OneSeat, actions: tuple[Action, ...], told: str) -> None:
    chooses(seat, CHALLENGE)
    assert seat.steps.tip.due().kind is Kind.COMMIT
    seat.hear_ack(seat.others)
    assert told in chooses(seat, *actions)
    assert chooses(seat, LOW) == ""
    assert chooses(seat, HIGH) == ACTED


def test_nothing_more_is_chosen_while_what_was_hidden_is_shown(seat: OneSeat) -> None:
    seat.plays(ME, CHALLENGE)
    (other,) = set(seat.steps.tip.due().places) - {ME}
    seat.plays(other, LOW, other, keep_back=Kind.OPEN)
    seat.plays(ME, LOW)
    assert seat.steps.tip.due().kind is Kind.OPEN
    assert chooses(seat, HIGH) == ACTED


def test_a_turn_of_several_choices_is_signed_whole_and_no_longer() -> None:
    world = World(3, game=BEYOND, random_seed=1)
    choices = dict[tuple[Place, Step], tuple[Action, ...]]()

    def choose(replica: Replica, chance: Random) -> tuple[Action, ...]:
        chosen = choose_at_random(replica, chance)
        choices[replica.steps.own.place, replica.steps.tip.step] = chosen
        return chosen if len(chosen) == 1 else ()

    world.choose = choose
    world.run(60, until=lambda: any(len(chosen) > 1 for chosen in choices.values()))
    (place, step), chosen = next((at, chosen) for at, chosen in choices.items() if len(chosen) > 1)
    for number in range(1, len(chosen)):
        world.feed(place, Chosen(step, chosen[:number]))
    assert [told.sentence for told in world.told(place, Refused)] == [ALL_OF_IT] * (len(chosen) - 1)
    world.feed(place, Chosen(step, (*chosen, chosen[-1])))
    more = f"Only the first choices are yours now; {len(chosen) + 1} are too many."
    assert world.told(place, Refused)[-1].sentence == more
    refused = len(world.told(place, Refused))
    world.feed(place, Chosen(step, chosen))
    assert len(world.told(place, Refused)) == refused
