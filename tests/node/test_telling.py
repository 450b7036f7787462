"""What a node tells a client of others before and after anybody has a seat."""

from collections.abc import Mapping

from sunward_node.telling import Telling
from sunward_protocol.table.events import CameBack, WentAway
from support.world import World


def told(world: World, *notices: WentAway | CameBack) -> list[Mapping[str, object]]:
    """Return the events that notices become at member 0's node."""
    events = list[Mapping[str, object]]()
    telling = Telling(world.genesis, 0, lambda: world.replica(0).steps.settled.place_of, "/m", bytes.hex, events.append)
    for notice in notices:
        telling.tell(notice)
    return events


def test_who_is_away_before_the_seats_are_drawn_is_named() -> None:
    world = World(3)
    world.stop(2)
    assert world.replica(0).steps.settled.step == 0
    assert told(world, WentAway(2), CameBack(2)) == [
        {"event": "trouble", "code": "away", "sentence": "member 2 is away; the match begins when they are back."},
        {"event": "trouble", "code": "back", "sentence": "member 2 is back."},
    ]


def test_who_is_away_later_is_told_by_their_seat() -> None:
    world = World(3)
    world.run(until=lambda: world.replica(0).steps.settled.step > 0)
    seat = world.replica(0).steps.settled.seat_of(2)
    assert told(world, WentAway(2), CameBack(2)) == [{"event": "away", "seat": seat}, {"event": "back", "seat": seat}]
