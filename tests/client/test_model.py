"""A client's model follows what a node tells: forwards, back again, and from the start."""

from collections.abc import Iterable, Mapping

import pytest

from sunward_client.events import Event, read
from sunward_client.model import Model, playing, update
from sunward_client.theme import Look
from sunward_protocol.errors import LocalError
from support.fake_gateway import FakeTable, last


def event(**message: object) -> Event:
    found = read(message)
    assert found is not None
    return found


def follow(model: Model, messages: Iterable[Mapping[str, object]]) -> Model:
    for message in messages:
        model = update(model, event(**message))
    return model


@pytest.mark.parametrize("seats", [3, 6])
def test_whole_match_ends_in_the_node_s_own_position(seats: int) -> None:
    table = FakeTable(seats=seats, choose=last)
    table.play(200)
    model = follow(Model(Look()), table.events)
    assert model.over
    assert playing(model)[1].encode() == table.position.encode()
    assert playing(model)[1].result() == table.position.result() is not None


def test_events_make_new_models_and_leave_the_old_alone() -> None:
    table = FakeTable()
    before = follow(Model(Look()), table.events)
    kept = playing(before)[1].encode()
    told = len(table.events)
    table.play(1)
    after = follow(before, table.events[told:])
    assert playing(before)[1].encode() == kept != playing(after)[1].encode()
    assert before.step < after.step


def test_rewinding_and_going_on_is_the_same_as_never_having_gone_wrong() -> None:
    table = FakeTable()
    table.play(8)
    straight = follow(Model(Look()), table.events)
    cut = next(index for index, message in enumerate(table.events) if message.get("step") == 4)
    rewound = follow(straight, [{"event": "rewound", "step": 4}])
    assert rewound.news == ("Taken back to where step 4 began.",)
    assert rewound.step == 3
    assert playing(rewound)[1].encode() == playing(follow(Model(Look()), table.events[:cut]))[1].encode()
    again = follow(rewound, table.events[cut:])
    assert playing(again)[1].encode() == playing(straight)[1].encode()
    assert again.draws == straight.draws
    assert [entry for entry in again.log if not entry.text.startswith("Taken back")] == list(straight.log)


def test_rewinding_to_the_future_changes_nothing() -> None:
    model = follow(Model(Look()), FakeTable().events)
    assert playing(follow(model, [{"event": "rewound", "step": 99}]))[1] is playing(model)[1]


def test_turn_is_over_once_something_is_played() -> None:
    table = FakeTable()
    model = follow(Model(Look()), table.events)
    assert model.mine
    told = len(table.events)
    table.play(1)
    applied = table.events[told]
    assert applied["event"] == "applied"
    assert not follow(model, [applied]).mine


def test_away_and_back_are_told_once() -> None:
    model = follow(Model(Look()), FakeTable().events)
    away = follow(model, [{"event": "away", "seat": 1}])
    assert away.news == ("B◉ Bo is away; the match waits for them.",)
    assert follow(away, [{"event": "away", "seat": 1}]).news == ()
    assert follow(away, [{"event": "back", "seat": 1}]).away == ()


def test_lobby_shows_who_is_there_before_the_match() -> None:
    members = [
        {"name": "Ann", "words": "apple river", "ready": True, "owner": None},
        {"name": "Hal", "words": "stone lamp", "ready": False, "owner": "Ann"},
    ]
    model = follow(Model(Look()), [{"event": "lobby", "text": "Hal came.", "members": members}])
    assert model.news == ("Hal came.", "At the table: Ann [apple river] (ready), Hal [stone lamp], bot of Ann.")
    with pytest.raises(LocalError, match="has not begun"):
        playing(model)


def test_an_action_against_the_rules_is_no_traceback() -> None:
    model = follow(Model(Look()), FakeTable().events)
    step = model.step + 1
    with pytest.raises(LocalError, match=f"The node played step {step} by other rules than this client knows"):
        follow(model, [{"event": "applied", "step": step, "seat": 0, "actions": [2**62], "by": "player"}])


def test_a_step_out_of_order_is_refused() -> None:
    table = FakeTable()
    table.play(3)
    model = follow(Model(Look()), table.events)
    with pytest.raises(LocalError, match="told step 0 after step"):
        follow(model, [{"event": "drawn", "step": 0, "randomness": "00" * 32}])


def test_a_table_of_too_many_is_refused() -> None:
    hello = {**FakeTable().events[0], "names": ["x"] * 9}
    with pytest.raises(LocalError):
        follow(Model(Look()), [hello])
