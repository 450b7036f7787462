"""A client's model follows what a node tells: forwards, back again, and from the start."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from sunward_client.events import Event, read
from sunward_client.following import update
from sunward_client.model import Model, named, playing, seat_named, waiting
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.errors import LocalError
from support.fake_gateway import FakeTable, last
from support.pebbles import Table


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
    assert rewound.news == ("What was drawn in step 4 is drawn anew, as somebody was put out meanwhile.",)
    assert rewound.step == 3
    assert playing(rewound)[1].encode() == playing(follow(Model(Look()), table.events[:cut]))[1].encode()
    again = follow(rewound, table.events[cut:])
    assert playing(again)[1].encode() == playing(straight)[1].encode()
    assert again.draws == straight.draws
    assert [entry for entry in again.log if "drawn anew" not in entry.text] == list(straight.log)


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
    assert away.news[0].startswith(f"B◉{NO_BREAK}Bo is away; the match waits for them. You can wait; putout bo")
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
    assert offered.news == ("Bo offers another match. Type rematch to accept.",)
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


def change(
    *, out: tuple[int, ...] = (), back: tuple[int, ...] = (), rewind: int | None = None, adjourned: bool = False
) -> dict[str, object]:
    return {"out": out, "back": back, "rewind": rewind, "adjourned": adjourned}


def at_table(*messages: Mapping[str, object], played: int = 0) -> Model:
    table = FakeTable()
    table.play(played)
    return follow(Model(Look()), [*table.events, *messages])


def test_what_is_taken_back_is_gone_from_the_table_but_not_from_the_log() -> None:
    straight = at_table(played=3)
    step = straight.played[-1].step
    before = next(moment for moment in straight.moments if moment.step == step).position
    changed = {"event": "changed", "step": straight.step + 1, **change(rewind=step)}
    model = follow(straight, [{"event": "claimed", "seat": 1, "change": change(rewind=step)}, changed])
    assert playing(model)[1] is before
    assert all(played.step < step for played in model.played)
    assert model.news == (f"All agreed: what was played from step {step} on is taken back.",)
    assert model.log[: len(straight.log)] == straight.log
    assert (model.claims, model.turn, model.step) == ((), None, straight.step + 1)


def test_who_is_put_out_is_shown_so_until_they_are_back() -> None:
    out = {"event": "changed", "step": 2, **change(out=(0,))}
    model = at_table({"event": "away", "seat": 0}, out)
    assert (model.out, model.missed, model.away) == ((0,), (), (0,))
    assert waiting(model) == "autopilot plays for you: back to play again"
    assert model.halted
    again = follow(model, [{"event": "changed", "step": 3, **change(back=(0,))}])
    assert (again.out, again.halted, again.news) == ((), False, ("You play again.",))


def test_who_would_come_back_is_outside_until_they_are_let_in() -> None:
    knocking = {"event": "trouble", "code": "outside", "sentence": "Nobody lets you in yet."}
    model = follow(Model(Look()), [knocking])
    assert (model.outside, model.company, model.news) == (True, False, ("Nobody lets you in yet.",))
    assert waiting(model) == "waiting to be let in"
    assert not follow(model, [FakeTable().events[0]]).outside


def test_only_what_is_wrong_is_called_trouble_and_named_by_its_code() -> None:
    away, desync = ({"event": "trouble", "code": code, "sentence": "So it is."} for code in ("away", "desync"))
    assert follow(Model(Look()), [away]).news == ("So it is.",)
    assert follow(Model(Look()), [desync]).news == ("Trouble (desync): So it is.",)


def test_the_log_keeps_what_happened_and_not_what_could_be_done_about_it_then() -> None:
    model = at_table(
        {"event": "away", "seat": 1},
        {"event": "claimed", "seat": 2, "change": change(adjourned=True)},
        {"event": "changed", "step": 2, **change(out=(0,), adjourned=True)},
        {"event": "stand-in", "bot": "greedy"},
    )
    assert model.news == ("greedy plays for you. Type me to take your seat back.",)
    assert [entry.text for entry in model.log[-5:]] == [
        f"B◉{NO_BREAK}Bo is away; the match waits for them.",
        f"O✚{NO_BREAK}Cy wants the match to rest until all want to go on.",
        "You were put out: autopilot plays for you.",
        "All agreed: the match rests.",
        "greedy plays for you.",
    ]


def test_the_way_back_is_shown_on_a_line_of_its_own() -> None:
    told = at_table({"event": "invite", "invite": "sunward1-abc"}).news
    assert told == ("Whoever lost their files and is put out types: sunward rejoin, and this line:", "sunward1-abc")


def test_an_open_secret_choice_of_who_is_put_out_ends_as_the_rules_say() -> None:
    settled = at_table()
    deal = Table([0, 0, 0], turns=5, chance=True, phase="guess", due=0)
    assert (deal.secret, deal.to_act()) == (True, (0, 1))
    model = follow(replace(settled, position=deal), [{"event": "changed", "step": 2, **change(out=(1,))}])
    ended = deal.copy()
    ended.withhold([1])
    assert playing(model)[1].encode() == ended.encode() != deal.encode()


def test_a_rest_lasts_until_the_match_goes_on() -> None:
    rest = {"event": "changed", "step": 2, **change(adjourned=True)}
    model = at_table(rest)
    assert model.resting
    assert model.halted
    assert waiting(model) == "the match rests: back asks the others to go on"
    asked = follow(model, [{"event": "claimed", "seat": 2, "change": change()}])
    assert asked.news == (f"O✚{NO_BREAK}Cy wants the match to go on. Type yes to agree.",)
    on = follow(asked, [{"event": "changed", "step": 3, **change()}])
    assert (on.resting, on.news) == (False, ("The match goes on.",))


def test_a_wish_is_told_once_and_asked_of_whoever_does_not_share_it() -> None:
    wish = change(adjourned=True)
    model = at_table({"event": "claimed", "seat": 1, "change": wish})
    assert model.asked is not None
    assert model.asked.adjourned
    assert follow(model, [{"event": "claimed", "seat": 2, "change": wish}]).news == ()
    mine = follow(model, [{"event": "claimed", "seat": 0, "change": wish}])
    assert mine.asked is None
    assert mine.news[0].startswith("You want the match to rest")
    gone = follow(model, [{"event": "claimed", "seat": 1, "change": None}])
    assert (gone.claims, gone.news) == ((), (f"B◉{NO_BREAK}Bo does not want that any more.",))


def test_what_the_nodes_agree_on_by_themselves_is_not_asked_of_anybody() -> None:
    for wish in (change(back=(2,)), change()):
        model = at_table({"event": "claimed", "seat": 1, "change": wish})
        assert (model.asked, model.news) == (None, ())


def test_clocks_are_shown_and_warn_once_a_mark() -> None:
    def clock(mine: int) -> Mapping[str, object]:
        return {"event": "clock", "left": [mine, 70, 80], "running": [0]}

    model = at_table(clock(62))
    assert named(model, 0) == f"R▴{NO_BREAK}Ann (1:02 left)"
    assert named(model, 1) == f"B◉{NO_BREAK}Bo"
    warned = follow(model, [clock(29)])
    assert warned.news == ("You have 0:30 left, then autopilot plays for you.",)
    assert follow(warned, [clock(28)]).news == ()


def test_the_hello_of_a_table_with_clocks_says_what_they_mean_and_who_is_out() -> None:
    hello = {**FakeTable().events[0], "clock": {"bank": 300, "frames": 30, "increment": 30}, "out": [2]}
    model = follow(Model(Look()), [hello])
    assert model.news[1].startswith("Everybody has 5:00 to think, and 0:30 more each time they are asked anew.")
    assert model.out == (2,)


def test_a_bot_plays_for_a_person_until_they_want_their_seat_back() -> None:
    model = at_table({"event": "stand-in", "bot": "greedy"})
    assert model.news == ("greedy plays for you. Type me to take your seat back.",)
    assert not model.mine
    assert follow(model, [{"event": "stand-in", "bot": None}]).mine


def test_a_match_that_too_few_are_left_of_is_told_so_until_somebody_is_back() -> None:
    model = at_table({"event": "stalled", "seats": [1, 2]})
    assert model.stalled == (1, 2)
    assert "Too few are here" in model.news[0]
    assert follow(model, [{"event": "back", "seat": 1}]).stalled == (2,)
