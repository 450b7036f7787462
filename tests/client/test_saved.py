"""The matches that are found on this machine, and which of them is gone on with."""

import os
from pathlib import Path

import pytest

from sunward.saved import SavedMatch, last_saved, saved_matches
from sunward_node.desertion import Desertion
from sunward_node.keys import SeatSecrets
from sunward_node.order import LOOPBACK
from sunward_node.places import Places
from sunward_node.seat import Note, Seat
from sunward_node.sockets import CurveKeys
from sunward_protocol.errors import LocalError
from sunward_protocol.games.around import AROUND
from sunward_protocol.log import parse_entry
from sunward_protocol.table.events import Stalled, Wanted
from support.tables import Plan
from support.world import World, seed


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.find({"SUNWARD_HOME": str(tmp_path)})


def leave(places: Places, number: int, *, begun: bool) -> str:
    """Leave a seat whose node was killed, before or after it had the last seal; return the match's id."""
    plan = Plan(2, "pebbles", None, (), number, (CurveKeys.generate(), CurveKeys.generate()), (0, 0))
    genesis = plan.genesis()
    secrets = SeatSecrets(seed("session", 0, plan.seed), seed("chain", 0, plan.seed), plan.curves[0], 0)
    seat = Seat.prepare(places, genesis, 0, secrets)
    seat.note(Note(None, LOOPBACK, {}))
    if begun:
        seat.open_log(genesis, (bytes(64), bytes(64)))
    seat.close()
    for file in seat.folder.iterdir():
        os.utime(file, (number, number))
    return genesis.match.hex()


def test_a_match_whose_last_seal_never_came_is_found_as_others_may_have_begun_it(places: Places) -> None:
    signed = leave(places, 1, begun=False)
    assert [(match.match, match.standing, match.elsewhere) for match in saved_matches(places)] == [
        (signed, "signed, not known to have begun", ("member 1",))
    ]
    assert last_saved(places).match == signed


def test_a_match_that_has_begun_goes_before_one_that_may_not_have(places: Places) -> None:
    begun = leave(places, 1, begun=True)
    signed = leave(places, 2, begun=False)
    assert [(match.match, match.standing) for match in saved_matches(places)] == [
        (signed, "signed, not known to have begun"),
        (begun, "at step 0"),
    ]
    assert last_saved(places).match == begun


def test_where_nothing_was_left_it_is_said_how_to_begin(places: Places) -> None:
    with pytest.raises(LocalError, match="`sunward play` begins one"):
        last_saved(places)


def file_of(places: Places, world: World) -> SavedMatch:
    """Return how a match is listed whose first member's log is in its folder here."""
    seat = Seat.prepare(places, world.genesis, 0, SeatSecrets(bytes(32), bytes(32), CurveKeys.generate(), 0))
    seat.note(Note(None, LOOPBACK, {}))
    seat.log.append(world.disks[0].log)
    seat.close()
    return saved_matches(places)[0]


def test_a_match_of_autopilots_is_over_when_it_is_closed(places: Places, tmp_path: Path) -> None:
    world = World(3, game=AROUND, clock={"bank": 20, "frames": 5, "increment": 5})
    world.run(until=lambda: world.replica(0).steps.settled.step > 10)
    world.stop(2)

    def steered() -> bool:
        last = parse_entry(world.replica(0).steps.entries[-1])
        return world.replica(0).steps.settled.live == (0, 1) and not last.bodies

    world.run(until=steered, seconds=300)
    assert steered()
    assert not file_of(places, world).over, "its last step is one of autopilot"
    world.run(seconds=3000)
    finished = file_of(Places.find({"SUNWARD_HOME": str(tmp_path / "other")}), world)
    assert (finished.over, finished.standing) == (True, "over")


def test_a_match_that_rests_is_listed_so(places: Places) -> None:
    world = World(3, choose=lambda _, __: ())
    world.run(until=lambda: all(world.replica(place).steps.settled.step > 0 for place in range(3)))
    for place in range(3):
        world.feed(place, Wanted(adjourn=True))
    world.run(until=lambda: world.replica(0).steps.settled.resting)
    assert file_of(places, world).standing == "adjourned at step 2"


def test_of_two_who_left_is_listed_as_what_it_counts(places: Places) -> None:
    world = World(2, choose=lambda _, __: ())
    world.run(until=lambda: world.replica(0).steps.settled.step > 0)
    listed = file_of(places, world)
    Desertion(listed.seats[0].folder, world.genesis, 0).heed(Stalled((1,)))
    assert saved_matches(places)[0].standing == "at step 1; member 1 left: counts here as won, cannot be proved"
