"""The matches that are found on this machine, and which of them is gone on with."""

import os
from pathlib import Path

import pytest

from sunward.saved import last_saved, saved_matches
from sunward_node.keys import SeatSecrets
from sunward_node.order import LOOPBACK
from sunward_node.places import Places
from sunward_node.seat import Note, Seat
from sunward_node.sockets import CurveKeys
from sunward_protocol.errors import LocalError
from support.tables import Plan
from support.world import seed


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
