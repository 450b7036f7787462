"""A client's model follows what a node tells: forwards, back again, and from the start."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from sunward_client.events import Event, read
from sunward_client.model import Model, playing, seat_named, update, waiting
from sunward_client.theme import NO_BREAK, Look
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
    assert away.news == (f"B◉{NO_BREAK}Bo is away; the match waits for them.",)
    assert follow(away, [{"event": "away", "seat": 1}]).news == ()
    assert follow(away, [{"event": "back", "seat": 1}]).away == ()


ANN: Mapping[str, object] = {"name": "Ann", "words": "apple river", "ready": True, "owner": None}
HAL: Mapping[str, object] = {"name": "Hal", "words": "stone lamp", "ready": False, "owner": "Ann"}
BO: Mapping[str, object] = {"name": "Bo", "words": "green door", "ready": False, "owner": None}


def lobby(*members: Mapping[str, object], you: int | None = 0, text: str = "Some came.") -> Mapping[str, object]:
    return {"event": "lobby", "text": text, "members": members, "you": you, "seats": 3}


def test_a_table_of_one_s_own_bots_fills_in_silence() -> None:
    model = follow(Model(Look()), [lobby(ANN)])
    assert model.news == ("The table is being set.",)
    model = follow(model, [lobby(ANN, HAL)])
    assert model.news == ()
    assert not model.company
    assert waiting(model) == "2 of 3 at the table"
    with pytest.raises(LocalError, match="has not begun"):
        playing(model)


@pytest.mark.parametrize("you", [0, None], ids=["told", "of an earlier version"])
def test_a_lobby_with_other_people_tells_what_changed(you: int | None) -> None:
    model = follow(Model(Look()), [lobby(ANN, you=you), lobby(ANN, BO, HAL, you=you, text="3 of 3 are here.")])
    assert model.company
    assert model.news == (
        "3 of 3 are here.",
        "Bo [green door] is at the table.",
        "Hal [stone lamp], bot of Ann, is at the table.",
    )
    ready = follow(model, [lobby(ANN, {**BO, "ready": True}, HAL, you=you, text="3 of 3 are here.")])
    assert ready.news == ("Bo is ready.",)
    renamed = follow(model, [lobby(ANN, {**BO, "name": "Ann"}, HAL, you=you, text="3 of 3 are here.")])
    assert renamed.news == ("Bo [green door] is called Ann now.",)
    alone = follow(ready, [lobby(ANN, HAL, you=you, text="Bo had to go.")])
    assert alone.news == ("Bo had to go.", "Bo left.")


def test_a_bot_of_somebody_else_is_company() -> None:
    assert follow(Model(Look()), [lobby(ANN, {**HAL, "owner": "Zoë"})]).company


def test_chat_is_heard_unless_muted_and_an_offer_is_kept() -> None:
    said = {"event": "said", "name": "Bo", "words": "green door", "text": "hello"}
    model = follow(Model(Look()), [lobby(ANN, BO), said])
    assert model.news == ("Bo: hello",)
    muted = follow(replace(model, muted=("green door",)), [said])
    assert (muted.news, muted.log) == ((), model.log)
    offered = follow(model, [{"event": "offer", "name": "Bo", "invite": "sunward1..."}])
    assert offered.news == ("Bo offers another match: `rematch` to accept.",)
    assert offered.offer is not None
    assert offered.offer.invite == "sunward1..."


def test_a_seat_is_named_by_colour_letter_or_the_beginning_of_a_name() -> None:
    match, _ = playing(follow(Model(Look()), FakeTable(seats=6).events))
    assert [seat_named(match, word) for word in ("blue", "K", "an", "EVE", "or")] == [1, 4, 0, 4, 2]
    assert [seat_named(match, word) for word in ("", "bl", "zed")] == [None, None, None]


def test_who_is_away_is_waited_for_whoever_s_turn_it_is() -> None:
    model = follow(Model(Look()), [*FakeTable().events, {"event": "away", "seat": 1}])
    assert waiting(model) == f"waiting for B◉{NO_BREAK}Bo (away)"
    assert waiting(model, {1: "0:42"}) == f"waiting for B◉{NO_BREAK}Bo (away 0:42)"
    assert waiting(Model(Look())) == "joining the table"


def test_what_was_played_since_one_s_own_last_action_is_known() -> None:
    table = FakeTable()
    model = follow(Model(Look()), table.events)
    assert model.left == (0, model.moments[0].position)
    table.play(1)
    model = follow(Model(Look()), table.events)
    own = [played for played in model.played if played.seat == 0]
    count, position = model.left
    assert model.played[count - 1] == own[-1]
    assert position is not None
    assert position.result() is None
    watching = follow(Model(Look()), [{**table.events[0], "you": None}, *table.events[1:]])
    assert watching.left == (0, None)


def test_the_scoring_stands_in_the_log_once_it_is_over() -> None:
    table = FakeTable()
    table.play(200)
    model = follow(Model(Look()), table.events)
    assert model.news == ()
    assert any(entry.text.startswith("Good deeds of") for entry in model.log)


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
