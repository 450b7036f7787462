"""The table of Once Around The Sun as text, from states written down by hand."""

import pytest

from sunward_client.boards import around
from sunward_client.theme import Look
from sunward_protocol.games.game import Json

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


def drawn(width: int = 80, *, shown: Json = None, ascii_only: bool = False) -> str:
    look = Look(ascii_only)
    names = [f"{look.badge(seat)} {name}" for seat, name in enumerate(("Ann", "Bartholomew the Third", "Cy"))]
    return "\n".join(around.draw(shown or state(), COMPONENTS, names, 0, width, look)) + "\n"


def test_grid_shows_tracks_seats_cards_and_turn() -> None:
    assert (
        drawn()
        == """\
inner       1    2    4    8   16   32   64  128  256  512 1024 to come
 mercury    .    .    .    .  ( .)   .   B◉                     finished
 venus      .   B◉    .   R▴   O✚    .  (R▴)   .    .           -
 earth      .    .    .    .    .    .    .    .  ( .)   .    . 8 32 ()
outer       1    2    4    8   16   32   64  128  256  512 1024 to come
 jupiter   O✚    .    .    .    .    .    .  ( .)   .    .      32 ()
seat     R▴ red                B◉ blue               O✚ orange
         (you)                 Bartholomew the Third Cy
score    2                     1                     0
in hand  11                    12                    11
dollar   3                     3                     -
smiley   -                     -                     -
leaf*    -                     -                     7
bonus    inner+outer           -                     outer
* finished row
cards    1: earth   2: (empty)   3: leaf     deck 9, discards 2
round 3  order O✚ [R▴] B◉  R▴ Ann: 2 to play
"""
    )


def test_ascii_grid_is_ascii() -> None:
    text = drawn(ascii_only=True)
    assert text.isascii()
    assert " venus      .   B@    .   R^   O+    .  (R^)   .    .           -" in text.splitlines()


def test_narrow_terminal_gets_a_list_that_fits() -> None:
    lines = drawn(40).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[2:4] == ["venus (to 256, circle 64): 64 R▴, 16 O✚,", "  8 R▴, 2 B◉; to come: -"]
    assert lines[-2:] == ["(72 columns would show the table as a", "  grid.)"]


@pytest.mark.parametrize("width", [1, 10, 20, 71, 72, 80, 200])
def test_no_width_is_too_small_or_too_large(width: int) -> None:
    assert max(map(len, drawn(width).splitlines())) <= max(width, 10)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"phase": "over"}, "The match ended in round 3."),
        ({"phase": "partner"}, "round 3  order O✚ [R▴] B◉  R▴ Ann: to name a partner for the deal"),
        (
            {"phase": "deal", "deal": {"active": 0, "partner": 2, "destination": "venus"}},
            "round 3  order O✚ [R▴] B◉  R▴ Ann: a deal with O✚ Cy on venus",
        ),
    ],
)
def test_last_line_says_what_is_going_on(changes: dict[str, Json], line: str) -> None:
    assert drawn(shown=state(**changes)).splitlines()[-1] == line


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
    assert around.statistics(draws, ["R▴ Ann", "B◉ Bo", "O✚ Cy"], 80) == [
        "Cards turned over: 3, with 1 reshuffles: venus 2, leaf 1",
        "First in the order of 3 rounds (even would be 1.0 each):",
        "  R▴ Ann                     1",
        "  B◉ Bo                      2",
        "  O✚ Cy                      0",
    ]
