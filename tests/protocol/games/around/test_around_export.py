"""The export's shape to the letter, and the states it asks for in every phase."""

import json
from typing import Any

from sunward_protocol.games.around.actions import TO_DEAL, TO_PARTNER, WITHHELD, play, take_back
from sunward_protocol.games.around.position import Position
from support.around_positions import BLUE, BUILTIN, ORANGE, RED, act, card, draw, table, turned

WORDS = BUILTIN.words


def state(position: Position) -> dict[str, Any]:
    """Return the state as whoever reads the export gets it."""
    read: dict[str, Any] = json.loads(json.dumps(WORDS.state_json(position)))
    return read


def test_a_state_is_written_to_the_letter() -> None:
    position = table(
        "venus leaf -",
        turn=1,
        actions_left=1,
        deck="earth earth pluto",
        discards="venus smiley belt smiley",
        mercury="red 1, blue 8, red 64",
        leaf="orange 2, red 2",
        finished="dollar",
    )
    position.scores = [3, 0, 12]
    position.bonuses = 1 << 2 * RED | 2 << 2 * ORANGE
    spent = {"eight": False, "thirty_two": False, "circle": False}
    others = ["venus", "earth", "mars", "belt", "jupiter", "saturn", "uranus", "neptune", "pluto"]
    assert state(position) == {
        "round": 1,
        "order": [0, 1, 2],
        "turn": 1,
        "actions_left": 1,
        "phase": "action",
        "display": ["venus", "leaf", None],
        "deck": 3,
        "discards": ["belt", "smiley", "smiley", "venus"],
        "out_of_play": ["dollar", "mercury"],
        "tracks": {"mercury": [[1, 0], [8, 1], [64, 0]], **{name: [] for name in others}},
        "rows": {"dollar": [], "smiley": [], "leaf": [[2, 0], [2, 2]]},
        "tokens": [11, 13, 13],
        "scores": [3, 0, 12],
        "inner_bonus": [True, False, False],
        "outer_bonus": [False, False, True],
        "milestones": {
            "mercury": {"eight": True, "thirty_two": True, "circle": True},
            **dict.fromkeys(others, spent),
        },
        "deal": None,
    }


def test_the_keys_come_in_the_order_of_the_format() -> None:
    keys = "round order turn actions_left phase display deck discards out_of_play tracks rows tokens scores"
    assert " ".join(state(table("venus leaf smiley"))) == f"{keys} inner_bonus outer_bonus milestones deal"


def test_the_phases_of_a_trip_with_a_deal() -> None:
    position = table("venus leaf smiley", deck="pluto saturn", venus="red 1, blue 2, orange 16")
    act(position, "trip venus")
    draw(position, 0)
    in_partner = state(position)
    assert (in_partner["phase"], in_partner["actions_left"], in_partner["deal"]) == ("partner", 2, None)
    assert in_partner["milestones"]["venus"] == {"eight": True, "thirty_two": True, "circle": False}
    # The used card is in none of display, deck and discards.
    assert (in_partner["display"], in_partner["deck"], in_partner["discards"]) == (["saturn", "leaf", "smiley"], 1, [])

    act(position, "partner orange")
    in_deal = state(position)
    assert in_deal == in_partner | {
        "phase": "deal",
        "deal": {"active": RED, "partner": ORANGE, "destination": "venus"},
    }
    act(position, "deal renege")
    assert state(position) == in_deal
    act(position, "deal cooperate")
    after = state(position)
    assert (after["phase"], after["actions_left"], after["deal"]) == ("action", 2, None)
    assert after["milestones"]["venus"]["circle"]
    assert after["discards"] == ["venus"]
    assert after["scores"] == [2, 0, 0]


def test_the_turn_passes_in_the_step_that_uses_up_the_actions() -> None:
    position = table("venus leaf smiley", actions_left=1, deck="pluto")
    act(position, "trip venus")
    draw(position, 0)
    assert (state(position)["turn"], state(position)["actions_left"]) == (1, 2)


def test_no_action_is_left_only_when_the_match_is_over() -> None:
    position = table("leaf venus mars", turn=1, actions_left=1, deck="", finished="dollar smiley", leaf="blue 6")
    act(position, "deed leaf")
    over = state(position)
    assert (over["phase"], over["turn"], over["actions_left"], over["round"]) == ("over", 1, 0, 1)
    assert over["display"] == [None, "venus", "mars"]


def test_actions_are_written_to_the_letter() -> None:
    position = table("venus leaf smiley", hand=(0, 14, 14), earth="red 4, red 8")
    written = {
        play(0, card("venus"), take_back(card("earth"), 8)): {
            "type": "trip",
            "destination": "venus",
            "position": 0,
            "take_back": "earth",
            "take_back_space": 8,
        },
        play(2, card("mars")): {
            "type": "trip",
            "destination": "mars",
            "position": 2,
            "take_back": None,
            "take_back_space": None,
        },
        play(1, card("leaf"), 1 + BLUE): {"type": "deed", "row": "leaf", "position": 1, "credit": 1},
        play(1, card("leaf")): {"type": "deed", "row": "leaf", "position": 1, "credit": None},
        TO_PARTNER | ORANGE: {"type": "partner", "seat": 2},
        TO_DEAL: {"type": "deal", "choice": "cooperate"},
        TO_DEAL | 1: {"type": "deal", "choice": "renege"},
        TO_DEAL | WITHHELD: {"type": "deal", "choice": "withheld"},
    }
    for action, expected in written.items():
        assert WORDS.action_json(position, RED, action) == expected


def test_draws_are_written_to_the_letter() -> None:
    assert WORDS.draw_json(turned("venus", 2)) == {"card": "venus", "position": 2, "taken_away": False}
    assert json.dumps(WORDS.draw_json(turned("leaf", 0, out=True))) == (
        '{"card": "leaf", "position": 0, "taken_away": true}'
    )
    assert WORDS.draw_json((1, 7)) == {"reshuffle": 7}
    assert WORDS.draw_json((2, 1, 0, 2)) == {"order": [1, 0, 2]}


def test_components_are_written_to_the_letter() -> None:
    written = json.loads(json.dumps(WORDS.components_json()))
    assert list(written) == ["tracks", "row_spaces", "places"]
    assert written["tracks"][0] == {"name": "mercury", "group": "inner", "spaces": 7, "circle": 16, "cards": 1}
    assert [track["name"] for track in written["tracks"] if track["cards"] == 2] == ["earth", "mars", "belt"]
    assert (written["row_spaces"], written["places"]) == (7, [5, 3, 1])
