"""What a client may ask of a match, and what is none of it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sunward_node.requests import CannotAsk, Request, check_return, event_of
from sunward_protocol.ids import Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.table.events import Chosen, Event, Offered, Spoke, Wanted
from support.pebbles import find_pebbles
from support.world import World


def begun() -> World:
    """A table of three whose seats are drawn, and where nobody acts."""
    world = World(3, choose=lambda _, __: ())
    world.run(until=lambda: all(world.replica(place).steps.settled.step > 0 for place in range(3)))
    return world


@pytest.mark.parametrize(
    ("request_", "event"),
    [
        ({"do": "act", "step": 3, "actions": [7, 8]}, Chosen(3, (7, 8))),
        ({"do": "act", "step": 3, "actions": ["7"]}, None),
        ({"do": "act", "step": "3", "actions": [7]}, None),
        ({"do": "say", "text": "hi"}, Spoke("hi")),
        ({"do": "say", "text": "x" * 201}, None),
        ({"do": "say", "text": "a\nb"}, None),
        ({"do": "offer", "invite": "i"}, Offered("i")),
        ({"do": "adjourn"}, Wanted(adjourn=True)),
        ({"do": "back"}, Wanted(back=True)),
        ({"do": "wait"}, Wanted()),
        ({"do": "putout", "seats": [9]}, None),
        ({"do": "putout", "seats": "all"}, None),
        ({"do": "takeback", "step": "1"}, None),
        ({"do": "dance"}, None),
        ({}, None),
    ],
)
def test_what_a_request_means(request_: Request, event: Event | None) -> None:
    assert event_of(request_, begun().replica(0)) == event


def test_seats_are_put_out_by_their_places() -> None:
    replica = begun().replica(0)
    ledger = replica.steps.settled
    assert event_of({"do": "putout", "seats": [ledger.seat_of(2)]}, replica) == Wanted(out=0b100)
    with pytest.raises(CannotAsk, match="Nobody puts themselves out"):
        event_of({"do": "putout", "seats": [ledger.seat_of(0)]}, replica)


def owned(*owners: Place) -> Ledger:
    """A match whose members are owned by the members of these places."""
    genesis = World(len(owners)).genesis
    members = [
        member._replace(owner=genesis.members[owner].identity)
        for member, owner in zip(genesis.members, owners, strict=True)
    ]
    return Ledger(replace(genesis, members=tuple(members)), genesis.ruleset(find_pebbles))


@pytest.mark.parametrize(
    ("owners", "says"),
    [((0, 0, 0), "all others at this table are bots"), ((0, 1), "too few play here"), ((0, 0, 2), "too few play here")],
)
def test_where_nobody_can_be_put_out_nobody_comes_back(owners: Sequence[Place], says: str) -> None:
    with pytest.raises(CannotAsk, match=says):
        check_return(owned(*owners), 0)


def test_whoever_the_others_can_put_out_comes_back() -> None:
    check_return(owned(0, 1, 2), 0)
    check_return(owned(0, 1, 1), 0)  # of the second person's one vote, half is their bot's


def test_nobody_is_put_out_who_has_no_seat_yet() -> None:
    world = World(3)
    world.stop(2)
    with pytest.raises(CannotAsk, match="Nobody has a seat yet"):
        event_of({"do": "putout", "seats": [2]}, world.replica(0))


def test_what_may_be_taken_back_is_what_nothing_was_drawn_or_shown_after() -> None:
    with pytest.raises(CannotAsk, match="Nothing of yours can be taken back"):
        event_of({"do": "takeback"}, begun().replica(0))
    with pytest.raises(CannotAsk, match="Step 9 cannot be taken back"):
        event_of({"do": "takeback", "step": 9}, begun().replica(0))
    world = World(3)
    replica = world.replica(0)
    world.run(until=lambda: replica.steps.settled.step > 0)
    seat = replica.steps.settled.seat_of(0)

    def mine() -> list[int]:
        return [step for step, before in replica.steps.tip.undo if seat in before.to_act()]

    world.run(until=lambda: bool(mine()))
    last = mine()[-1]
    assert event_of({"do": "takeback"}, replica) == Wanted(rewind=last)
    assert event_of({"do": "takeback", "step": last}, replica) == Wanted(rewind=last)
