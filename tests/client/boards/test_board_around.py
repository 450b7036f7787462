"""The table of Once Around The Sun as text, from states written down by hand."""

from dataclasses import replace

import pytest

from sunward_client.boards.around import AROUND
from sunward_client.boards.board import Step, View
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games.game import Json
from support.around_positions import table
from support.pebbles import Table

TRACKS = (
    ("mercury", "inner", 7, 16),
    ("venus", "inner", 9, 64),
    ("earth", "inner", 11, 256),
    ("jupiter", "outer", 10, 128),
)
COMPONENTS: Json = {
    "tracks": [
        {"name": name, "group": group, "spaces": spaces, "circle": circle, "cards": 1}
        for name, group, spaces, circle in TRACKS
    ],
    "row_spaces": 7,
    "places": [5, 3, 1],
}
FRESH: Json = {"eight": False, "thirty_two": False, "circle": False}


def state(**changes: Json) -> Json:
    """Return a table after the rules' worked example on venus, with mercury finished by blue."""
    return {
        "round": 3,
        "order": [2, 0, 1],
        "turn": 1,
        "actions_left": 2,
        "phase": "action",
        "display": ["earth", None, "leaf"],
        "deck": 9,
        "discards": ["dollar", "smiley"],
        "out_of_play": ["leaf", "mercury"],
        "tracks": {
            "mercury": [[64, 1]],
            "venus": [[2, 1], [8, 0], [16, 2], [64, 0]],
            "earth": [],
            "jupiter": [[1, 2]],
        },
        "rows": {"dollar": [[3, 0], [3, 1]], "smiley": [], "leaf": [[7, 2]]},
        "tokens": [11, 12, 11],
        "scores": [2, 1, 0],
        "inner_bonus": [True, False, False],
        "outer_bonus": [True, False, True],
        "milestones": {
            "mercury": {"eight": True, "thirty_two": True, "circle": True},
            "venus": {"eight": True, "thirty_two": True, "circle": True},
            "earth": FRESH,
            "jupiter": {"eight": True, "thirty_two": False, "circle": False},
        },
        "deal": None,
        **changes,
    }


def view(width: int = 80, *, shown: Json = None, before: Json = None, look: Look | None = None) -> View:
    look = look or Look()
    names = [look.name(seat, name) for seat, name in enumerate(("Ann", "Bartholomew the Third", "Cy"))]
    return View(shown or state(), before, COMPONENTS, [24, 10, 10], names, 0, width, look)


def drawn(width: int = 80, *, shown: Json = None, before: Json = None, look: Look | None = None) -> str:
    found = view(width, shown=shown, before=before, look=look)
    return "\n".join(map(found.look.fold, AROUND.draw(found))) + "\n"


def test_grid_shows_tracks_seats_cards_and_turn() -> None:
    assert (
        drawn()
        == """\
inner       1    2    4    8   16   32   64  128  256  512 1024  to come
 mercury    .    .    .    .  ( .)   .   B◉                      finished
 venus      .   B◉    .   R▴   O✚    .  (R▴)   .    .            -
 earth      .    .    .    .    .    .    .    .  ( .)   .    .  8 32 free
outer       1    2    4    8   16   32   64  128  256  512 1024  to come
 jupiter   O✚    .    .    .    .    .    .  ( .)   .    .       32 free
seat        R▴ you                B◉Bartholomew the Thi O✚ Cy
score       2 in+out              1                     0 out
if over now 24                    10                    10
in hand     11                    12                    11
good deeds  d3 s- l-              d3 s- l-              d- s- l7
cards: earth, (empty), leaf (deck 9, discards 2), leaf finished
round 3: O✚ [R▴] B◉, R▴ Ann has 2 to play
"""
    )


def test_what_changed_is_marked() -> None:
    before = state(tracks={"mercury": [[64, 1]], "venus": [[1, 0], [2, 1], [8, 0]], "earth": [], "jupiter": [[1, 0]]})
    lines = drawn(before=before).splitlines()
    assert lines[2] == " venus      .*  B◉    .   R▴   O✚*   . *(R▴)   .    .            -"
    assert lines[5].startswith(" jupiter   O✚*   .")


def test_seats_show_their_colours_where_all_have_room() -> None:
    assert "B◉ Bartholomew the Third, blue" not in drawn(200)
    names = ["R▴ Ann", "B◉ Bo", "O✚ Cy"]
    shown = AROUND.draw(replace(view(), names=names))
    assert "seat        R▴ you                B◉ Bo, blue           O✚ Cy, orange" in shown


def test_ascii_grid_is_ascii() -> None:
    text = drawn(look=Look(ascii=True))
    assert text.isascii()
    assert " venus      .   B@    .   R^   O+    .  (R^)   .    .            -" in text.splitlines()


def test_a_narrow_terminal_gets_the_tracks_in_a_few_lines() -> None:
    lines = drawn(60).splitlines()
    assert lines[:4] == [
        "mercury /64: 64 B◉; venus /256: 64 R▴, 16 O✚, 8 R▴, 2 B◉;",
        "  jupiter /512: 1 O✚",
        "empty: earth",
        "seat        R▴ you          B◉Bartholomew t O✚ Cy",
    ]


def test_a_very_narrow_terminal_gets_the_seats_as_a_list_too() -> None:
    lines = drawn(40).splitlines()
    assert max(map(len, lines)) <= 40
    assert "R▴ Ann (red, you): score 2 in+out, if" in lines


def test_a_look_that_asks_for_sentences_gets_them_in_any_width() -> None:
    lines = drawn(200, look=Look(lists=True)).splitlines()
    assert lines[1] == "venus (to 256, circle 64): 64 R▴, 16 O✚, 8 R▴, 2 B◉; to come: -"
    assert lines[3] == "empty: earth"


@pytest.mark.parametrize("width", [1, 10, 20, 73, 74, 80, 200])
def test_no_width_is_too_small_or_too_large(width: int) -> None:
    assert max(map(len, drawn(width).splitlines())) <= max(width, 10)


DEAL: Json = {"active": 0, "partner": 2, "destination": "venus"}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"phase": "over"}, "The match ended in round 3."),
        ({"phase": "partner"}, "round 3: O✚ [R▴] B◉, to name a partner for a deal"),
        ({"phase": "deal", "deal": DEAL}, "round 3: O✚ [R▴] B◉, a deal with O✚ on venus"),
    ],
)
def test_last_line_says_what_is_going_on(changes: dict[str, Json], line: str) -> None:
    assert drawn(shown=state(**changes)).splitlines()[-1] == line


@pytest.mark.parametrize(
    ("changes", "sentence", "pressing"),
    [
        ({}, "You play 2 face-up cards in turn: ", False),
        ({"actions_left": 1}, "You play one face-up card: ", False),
        ({"turn": 2}, "B◉ Bartholomew the Third plays 2 face-up cards in turn: ", False),
        ({"phase": "partner"}, "You passed 32 first there and may name the partner of a deal. Both cooperate: 1", True),
        (
            {"phase": "deal", "deal": {"active": 2, "partner": 0, "destination": "venus"}, "turn": 0},
            "O✚ Cy makes a deal with you on venus. Both cooperate: 1 each; you alone renege: 2 for you; ",
            True,
        ),
        ({"phase": "over"}, "The match is over.", False),
    ],
)
def test_the_situation_is_told_to_whoever_looks(changes: dict[str, Json], sentence: str, pressing: bool) -> None:
    found = view(shown=state(**changes))
    assert Look().fold(AROUND.situation(found)).startswith(sentence)
    assert AROUND.pressing(found) == pressing


@pytest.mark.parametrize(
    ("seat", "action", "scores", "told"),
    [
        (0, {"type": "trip", "destination": "venus"}, [2, 1, 0], "venus 64"),
        (0, {"type": "trip", "destination": "venus"}, [4, 2, 0], "venus 64 (+2)"),
        (1, {"type": "trip", "destination": "venus"}, [3, 2, 4], "venus 2 (+1, you +1)"),
        (1, {"type": "deed", "row": "dollar"}, [2, 4, 0], "dollar 3 (+3)"),
        (0, {"type": "partner", "seat": 2}, [2, 1, 0], "deal with O✚"),
        (2, {"type": "deal", "choice": "renege"}, [2, 1, 2], "deal: renege (+2)"),
    ],
)
def test_an_action_in_a_few_words(seat: int, action: Json, scores: list[int], told: str) -> None:
    step = Step(seat, 0, action, state(), state(scores=scores))
    assert AROUND.brief(step, Look()) == told.replace(" ", NO_BREAK)


def test_sums_are_the_engine_s() -> None:
    position = table("mars venus pluto", venus="red 1, red 4, blue 2", leaf="red 3, blue 5", dollar="blue 1")
    position.scores[0] = 2
    assert AROUND.reckoning(position) == [
        ("during", [2, 0, 0]),
        ("tracks", [10, 3, 0]),
        ("good deeds", [3, 10, 0]),
        ("total", [15, 13, 0]),
    ]
    with pytest.raises(TypeError, match="no position of this game"):
        AROUND.reckoning(Table([0, 0], turns=1, chance=False, due=0))


def test_statistics_count_cards_and_first_places() -> None:
    draws: list[Json] = [
        {"card": "venus", "position": 0, "taken_away": False},
        {"card": "leaf", "position": 1, "taken_away": False},
        {"card": "venus", "position": 0, "taken_away": True},
        {"reshuffle": 9},
        {"order": [1, 0, 2]},
        {"order": [1, 2, 0]},
        {"order": [0, 1, 2]},
    ]
    assert AROUND.statistics(draws, ["R▴ Ann", "B◉ Bo", "O✚ Cy"], 80) == [
        "Cards turned over: 3, with 1 reshuffles: venus 2, leaf 1",
        "First in the order of 3 rounds (even would be 1.0 each):",
        "  R▴ Ann                     1",
        "  B◉ Bo                      2",
        "  O✚ Cy                      0",
    ]
