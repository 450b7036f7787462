"""The table of Beyond the Sun as text, from states written down by hand, and from matches for what only they bring."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sunward_client.boards import digest, ending
from sunward_client.boards.beyond import BEYOND
from sunward_client.boards.board import Step, View
from sunward_client.model import Match, Model, Played
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.state import OVER
from sunward_protocol.games.game import Json, Seat
from support.beyond_positions import BUILTIN, act, table
from support.matches import Stream, at_random, play
from support.pebbles import Table

WORDS = BUILTIN.words
BOX = WORDS.components_json()
PEOPLE = ("Ann", "Bartholomew the Third", "Cy", "Dee")


def technology(name: str, level: str, types: str, immediate: str, *spaces: str, standing: str = "") -> Json:
    return {
        "name": name,
        "level": level,
        "types": types.split(),
        "immediate": immediate,
        "spaces": spaces,
        "standing": standing,
    }


def system(name: str, power: int, specialty: str, control: str, bonus: str) -> Json:
    return {
        "name": name,
        "power": power,
        "points": power + 1,
        "specialty": specialty,
        "control": control,
        "bonus": bonus,
    }


def printed(name: str, effect_: str) -> Json:
    return {"name": name, "effect": effect_}


def mat(faction: str, ore: list[int]) -> Json:
    return {
        "faction": faction,
        "kind": "basic",
        "letters": "ABCDE",
        "ore": ore,
        "start": "",
        "standing": "gaps",
        "space": "1 ore: jump 2" if faction == "Keel" else "",
    }


COMPONENTS: Json = {
    "discs": {"value": 8},
    "discs_a_symbol": {"value": 2},
    "trade": {"value": [3, 1, 1]},
    "tree": {
        "II": {"joined": [[1], [1, 2]], "needed": [1, 2]},
        "III": {"joined": [[1, 2]], "needed": [2]},
        "IIII": {"joined": [[1, 2, 3]], "needed": [2]},
    },
    "boxes": {"3": {"spaces": [printed("research-one", "research I"), printed("grow-and-mine", "grow 1; gain 1")]}},
    "places": [
        {"name": "sol", "kind": "sol", "specialty": ""},
        {"name": "a1", "kind": "A", "specialty": ""},
        {"name": "deep", "kind": "deep", "specialty": ""},
        {"name": "forge", "kind": "shipyard", "specialty": "ore"},
        {"name": "rift", "kind": "extra", "specialty": ""},
    ],
    "boards": {"3": {"lines": ["sol-a1", "a1-forge", "forge-deep", "deep-rift"]}},
    "technologies": [
        technology("Torches", "I", "military military", "build 1", "1 ore: build 1; jump 3"),
        technology("Telescope", "I", "scientific scientific", "gain 2"),
        technology("Modular Fleet", "II", "military commercial", "upgrade 2", "2 ore: upgrade 2", "3 ore: colonize"),
        technology("Mass Cloning", "II", "economic economic", "grow 2", "2 ore: choose 1 of [grow 2] [build 2]"),
        technology("Rights", "III", "economic economic", "", standing="humane"),
    ],
    "events": [{"name": "Census Day", "level": "II", "effect": "points 1"}],
    "systems": [system("Old Ross", 3, "ore", "jump 1", "grow 1"), system("Hamal", 5, "either", "", "research II")],
    "achievements": [
        {"name": "Empire", "kind": "basic", "counter": "colonized", "least": 4, "slots": {"value": [4, 3, 2, 1]}},
        {"name": "Academy", "kind": "A", "counter": "technologies", "least": 9, "slots": {"value": [4, 2]}},
    ],
    "guilds": [printed("Institute", "6 ore: research III"), printed("Land Office", "4 ore: colonize")],
    "mats": [mat("Combine", [1, 1, 2, 1, 1]), mat("Keel", [1, 1, 1, 1, 1]), mat("Disciples", [1, 1, 1, 1, 1])],
}


def own(faction: str, ore: int, population: int, food: int, mined: int, space: str | None = None) -> Json:
    """Return a seat with this many discs left on its food and its ore track."""
    return {
        "faction": faction,
        "ore": ore,
        "population": population,
        "supply": {"A": 1, "B": 4, "C": 3, "D": 3, "E": 2},
        "discs": {"food": food, "ore": mined, "achievement": 7},
        "automation": {"food": 2, "ore": 1, "achievement": 0},
        "space": space,
        "points": 0,
    }


def slot(name: str | None = None, *seats: Seat) -> Json:
    return {"technology": name, "event": name is None, "researched": seats}


def place(name: str | None = None, holder: Seat | None = None, disc: str | None = None, ships: Json = ()) -> Json:
    return {"system": name, "holder": holder, "disc": disc, "ships": ships}


SLOTS: Mapping[str, Json] = {
    "I1": slot("Torches", 0, 1),
    "I2": slot("Telescope", 2),
    "II1": slot("Modular Fleet", 0, 1),
    "II2": slot(),
    "III1": slot(),
    "IIII1": {"technology": None, "event": False, "researched": []},
}
PLACES: Mapping[str, Json] = {
    "sol": place(),
    "a1": place("Old Ross", 1, "ore", [[0, 1, 1], [1, 3, 1]]),
    "deep": place(ships=[[2, 1, 2], [2, 4, 1]]),
    "forge": place(None, 0, "achievement"),
    "rift": place(),
}


def state(**changes: Json) -> Json:
    """Return three seats in the middle of a match, in which it is red's turn."""
    return {
        "options": {"mats": "basic"},
        "round": 5,
        "active": 0,
        "last_round": None,
        "over": False,
        "guilds": ["Institute"],
        "events": [],
        "extra_system": False,
        "slots": SLOTS,
        "places": PLACES,
        "colonies": [],
        "achievements": [
            {"achievement": "Empire", "claims": [1, 0]},
            {"achievement": "Academy", "claims": []},
        ],
        "private": [],
        "seats": [
            own("Combine", 5, 2, 5, 4, "grow-and-mine"),
            own("Keel", 0, 3, 8, 8, "modular-fleet 2"),
            own("Disciples", 12, 0, 6, 7),
        ],
        "pending": [{"seat": 0, "effect": "turn", "argument": 0}],
        **changes,
    }


def view(width: int = 80, *, shown: Json = None, before: Json = None, look: Look | None = None, you: Seat = 0) -> View:
    look = look or Look()
    names = [look.name(seat, name) for seat, name in enumerate(PEOPLE[:3])]
    return View(shown or state(), before, COMPONENTS, [24, 10, 8], names, you, width, look)


def drawn(width: int = 80, *, shown: Json = None, before: Json = None, look: Look | None = None) -> list[str]:
    found = view(width, shown=shown, before=before, look=look)
    return list(map(found.look.fold, BEYOND.draw(found)))


def seen(position: Position, you: Seat) -> View:
    """Return a real table as a seat sees it."""
    names = [Look().name(seat, name) for seat, name in enumerate(PEOPLE[: position.seats])]
    totals = BEYOND.reckoning(position)[-1][1]
    return View(WORDS.state_json(position), None, BOX, totals, names, you, 80, Look())


def test_grid_shows_tree_spaces_map_mats_achievements_and_turn() -> None:
    # Red has 5 food discs left: 3 gone uncover one letter beside the first; 4 ore discs gone two numbers: 1 + 1 + 2.
    assert (
        "\n".join(drawn()) + "\n"
        == """\
I1    m  Torches R▴B◉                   II2   event, after I1+I2
I2    s  Telescope O✚                   III1  event, after II1+II2
II1   mc Modular Fleet R▴B◉             IIII1 -, after 2 of III1 III2 III3
research-one: research I                R▴ grow-and-mine: grow 1; gain 1
institute: 6 ore: research III          torches: 1 ore: build 1; jump 3
modular-fleet 1: 2 ore: upgrade 2       B◉ modular-fleet 2: 3 ore: colonize
covered guilds: land-office
sol                              old-ross
old-ross    3/4 ore       B◉ o   sol forge                  R▴ 1 B◉ 3
deep                             forge                      O✚ 1+1+4
forge       shipyard ore  R▴ a   old-ross deep
                   pts  ore   pop   A B C D E  col  auto  f o a  pawn
R▴ you             24   5+4   2+AB  1 4 3 3 2  0    3     5 4 7  grow-and-mine
B◉Bartholomew the  10   0+1   3+A   1 4 3 3 2  0    3     8 8 7  modular-fleet 2
O✚ Cy              8    12+1  0+AB  1 4 3 3 2  0    3     6 7 7
Empire (colonized 4): B◉ R▴ 2           Academy (technologies 9): 4
round 5: [R▴] B◉ O✚, R▴ Ann has the turn
"""
    )


def test_what_changed_is_marked() -> None:
    before = state(
        slots={**SLOTS, "II1": slot("Modular Fleet", 0)},
        places={**PLACES, "a1": place("Old Ross", 2, "ore")},
        achievements=[{"achievement": "Empire", "claims": [1]}, {"achievement": "Academy", "claims": []}],
    )
    lines = drawn(before=before)
    assert lines[2].startswith("II1   mc Modular Fleet R▴B◉*  ")
    assert lines[8].startswith("old-ross    3/4 ore       B◉* o  sol forge")
    assert lines[-2].startswith("Empire (colonized 4): B◉ R▴* 2  ")


def test_events_turned_up_since_the_last_action_stand_above_the_turn() -> None:
    shown = state(events=["Census Day"])
    assert drawn(shown=shown, before=state())[-2] == "event: Census Day: points 1"
    assert drawn(shown=shown, before=shown)[:-1] == drawn(shown=shown)[:-1] == drawn()[:-1]
    assert drawn(shown=shown, look=Look(lists=True))[-2] == "event: Census Day: points 1"


def test_what_the_menu_offers_is_not_listed_again() -> None:
    offered = replace(view(), offered=("go research-one", "go modular-fleet 1", "done"))
    lines = list(map(Look().fold, BEYOND.draw(offered)))
    assert lines[3:6] == [
        "R▴ grow-and-mine: grow 1; gain 1        institute: 6 ore: research III",
        "torches: 1 ore: build 1; jump 3         B◉ modular-fleet 2: 3 ore: colonize",
        "covered guilds: land-office",
    ]


def test_what_a_seat_of_its_own_can_use_is_listed_for_it_alone() -> None:
    shown = state(private=[{"technology": "Mass Cloning", "seat": 1}])
    keel = list(BEYOND.draw(view(shown=shown, you=1)))
    assert "mass-cloning: 2 ore: choose 1 of [grow 2] [build 2]" in keel
    assert any("keel: 1 ore: jump 2" in line for line in keel)
    assert not any("mass-cloning" in line or "keel" in line for line in drawn(shown=shown))


def test_colonies_are_counted() -> None:
    lines = drawn(shown=state(colonies=[{"system": "Hamal", "seat": 2}]))
    (cy,) = (line for line in lines if line.startswith("O✚ Cy"))
    assert cy.split() == ["O✚", "Cy", "8", "12+1", "0+AB", "1", "4", "3", "3", "2", "1", "3", "6", "7", "7"]


def test_the_extra_space_is_a_place_once_it_is_open() -> None:
    lines = drawn(shown=state(extra_system=True, places={**PLACES, "rift": place("Hamal")}))
    assert "hamal       5/6 either           deep" in lines
    assert "deep                             forge hamal                O✚ 1+1+4" in lines


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"over": True}, "The match ended in round 5."),
        ({"round": 0}, "The table is being set."),
        ({"last_round": 6}, "round 5 of 6: [R▴] B◉ O✚, R▴ Ann has the turn"),
        (
            {"pending": [{"seat": 2, "effect": "outpost", "argument": 0}]},
            "round 5: [R▴] B◉ O✚, R▴ Ann has the turn, O✚ Cy is asked",
        ),
    ],
)
def test_last_line_says_what_is_going_on(changes: dict[str, Json], line: str) -> None:
    assert drawn(shown=state(**changes))[-1] == line


def test_a_narrow_terminal_gets_one_column_and_the_pawns_on_a_line() -> None:
    assert (
        "\n".join(drawn(60)) + "\n"
        == """\
I1    m  Torches R▴B◉
I2    s  Telescope O✚
II1   mc Modular Fleet R▴B◉
undiscovered II: II2 after I1+I2
undiscovered III: III1 after II1+II2
undiscovered IIII: IIII1 after 2 of III1 III2 III3
research-one: research I
R▴ grow-and-mine: grow 1; gain 1
institute: 6 ore: research III
torches: 1 ore: build 1; jump 3
modular-fleet 1: 2 ore: upgrade 2
B◉ modular-fleet 2: 3 ore: colonize
covered guilds: land-office
sol                              old-ross
old-ross    3/4 ore       B◉ o   sol forge
            R▴ 1 B◉ 3
deep                             forge
  O✚ 1+1+4
forge       shipyard ore  R▴ a   old-ross deep
              pts  ore   pop   A B C D E  col  auto  f o a
R▴ you        24   5+4   2+AB  1 4 3 3 2  0    3     5 4 7
B◉Bartholomew 10   0+1   3+A   1 4 3 3 2  0    3     8 8 7
O✚ Cy         8    12+1  0+AB  1 4 3 3 2  0    3     6 7 7
pawns: R▴ grow-and-mine, B◉ modular-fleet 2
Empire (colonized 4): B◉ R▴ 2
Academy (technologies 9): 4
round 5: [R▴] B◉ O✚, R▴ Ann has the turn
"""
    )


def test_a_window_too_narrow_for_columns_gets_sentences() -> None:
    lines = drawn(39)
    assert lines[2:4] == ["II1: Modular Fleet (military and", "  commercial, supplies military): R▴ B◉"]
    assert "R▴ Ann (red, you): 24 points if over" in lines


def test_a_look_that_asks_for_sentences_gets_them_in_any_width() -> None:
    lines = drawn(240, look=Look(lists=True))
    assert lines[0] == "I1: Torches (military): R▴ B◉"
    assert "old-ross: power 3, 4 points, ore; held by B◉ ore; ships R▴ 1 B◉ 3; next to sol, forge" in lines
    assert (
        "R▴ Ann (red, you): 24 points if over now, 5 ore (produces 4), 2 population (grows AB), supply A 1 B 4 C 3 D 3 "
        "E 2, 0 colonies, automation 3, discs left food 5 ore 4 achievement 7, pawn at grow-and-mine"
    ) in lines
    assert "Empire (colonized 4): B◉ R▴ 2" in lines


def test_ascii_is_ascii() -> None:
    lines = drawn(look=Look(ascii=True))
    assert "\n".join(lines).isascii()
    assert lines[0].startswith("I1    m  Torches R^B@  ")


@pytest.mark.parametrize("width", [1, 10, 39, 40, 79, 80, 119, 120, 200])
def test_no_width_is_too_small_or_too_large(width: int) -> None:
    assert max(map(len, drawn(width))) <= max(width, 10)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_the_table_fits_a_screen_from_the_beginning_to_the_end(first: int) -> None:
    for seed in range(first, first + 25):
        seats = 2 + seed % 3
        position = BUILTIN.start(seats, {"mats": ("basic", "advanced")[seed % 2]})
        chance = Stream(seed)
        before: Json = None
        for number, _ in enumerate(play(position, chance, at_random(chance))):
            asked_in_between = position.to_act() not in ((), (position.active,))
            if number % 97 == seed % 97 or position.result() is not None or (asked_in_between and number % 3 == 0):
                shown = replace(seen(position, seed % seats), before=before)
                assert len(BEYOND.draw(shown)) <= 34
                before = shown.state


@pytest.mark.parametrize(
    ("asked", "sentence", "pressing"),
    [
        ("turn", "R▴ Ann is to take an action: the pawn goes to a free space, its cost is paid, ", False),
        ("produce", "R▴ Ann is to produce: growth, ore or trade.", False),
        ("may [enlist 1]", "R▴ Ann is to say whether to have the effect in brackets (may [enlist 1]).", True),
        ("4 ore, 2 pop: research IIII", "R▴ Ann is to say how the cost is paid: ore may stand for one ", True),
    ],
)
def test_the_situation_is_told(asked: str, sentence: str, pressing: bool) -> None:
    found = view(shown=state(pending=[{"seat": 0, "effect": asked, "argument": 0}]), you=1)
    assert Look().fold(BEYOND.situation(found)).startswith(sentence)
    assert BEYOND.pressing(found) == pressing


def test_the_situation_before_and_after_a_match() -> None:
    assert BEYOND.situation(view(shown=state(over=True))) == "The match is over."
    assert BEYOND.situation(view(shown=state(pending=[]))) == "The table is being set."
    assert not BEYOND.pressing(view(shown=state(pending=[])))


@pytest.mark.parametrize("options", [{}, {"mats": "advanced", "factions": "chosen"}])
@pytest.mark.parametrize("seats", [2, 4])
def test_every_choice_of_whole_matches_is_explained_and_drawn(seats: int, options: dict[str, str]) -> None:
    chance = Stream(seats)
    position = BUILTIN.start(seats, options)
    turns = 0
    while position.result() is None:
        if position.chance_due():
            found = seen(position, 0)
            assert BEYOND.situation(found) == "Cards are being drawn."
            assert max(map(len, BEYOND.draw(found))) <= 80
            position.draw(chance)
            continue
        (seat,) = position.to_act()
        legal = position.legal(seat)
        turns += 1
        found = seen(position, seat)
        assert BEYOND.situation(found).startswith("You are to ")
        if turns % 20 == 0:
            assert max(map(len, BEYOND.draw(found))) <= 80
            assert all(text for _, text in BEYOND.known(found))
        if turns % 5 == 0:
            texts = [WORDS.write(position, seat, action) for action in legal]
            hinted = [text for text in texts if BEYOND.hint(found, text)]
            assert {text for text in texts if text.split()[0] in ("go", "take", "research", "choose", "claim")} <= {
                *hinted
            }
        position.apply(seat, legal[chance.below(len(legal))])
    assert BEYOND.draw(seen(position, 0))[-1].startswith("The match ended in round ")


def test_whoever_asks_is_told_all_of_a_card() -> None:
    found = replace(view(), width=200)
    fleet = (
        "II1: Modular Fleet (military and commercial, supplies military): R▴ B◉ | after I1 | IMMEDIATE upgrade 2 | "
        "space 2 ore: upgrade 2 | space 3 ore: colonize"
    )
    ross = (
        "Old Ross: power 3, 4 points, ore | control jump 1 | colonized grow 1 | held by B◉ ore | "
        f"ships R▴{NO_BREAK}1 B◉{NO_BREAK}3 | next to sol, forge"
    )
    told = {
        "II1": fleet,
        "Modular Fleet": fleet,
        "II2": "II2: undiscovered, an event first; needs I1+I2",
        "IIII1": "IIII1: undiscovered; needs 2 of III1 III2 III3",
        "Mass Cloning": (
            "Mass Cloning (level II, economic) | IMMEDIATE grow 2 | space 2 ore: choose 1 of [grow 2] [build 2]"
        ),
        "Rights": "Rights (level III, economic) | ability humane",
        "Old Ross": ross,
        "a1": ross,
        "deep": f"deep | held by nobody | ships O✚{NO_BREAK}1+1+4 | next to forge",
        "Hamal": "Hamal: power 5, 6 points, either | colonized research II",
        "institute": "institute: 6 ore: research III",
        "land-office": "land-office: 4 ore: colonize (covered)",
        "Census Day": "Census Day (event of level II): points 1",
        "Empire": "Empire (colonized 4): B◉ R▴ 2",
    }
    known = dict(BEYOND.known(found))
    assert {name: known[name] for name in told} == told


def test_where_a_seat_stands_is_one_sentence() -> None:
    assert Look().fold(BEYOND.holding(view(), 0)) == (
        "R▴ Ann: Combine (gaps); 5 ore (produces 4); 2 population (grows AB); pawn at grow-and-mine; technologies "
        "Torches, Modular Fleet; ships R▴ 1 at old-ross; outposts forge; colonies none; automation 3; 24 points if "
        "over now."
    )


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ({"type": "space", "space": "research-one"}, "research-one"),
        ({"type": "copy", "space": "torches"}, "copies torches"),
        ({"type": "research", "slot": "II2"}, "II2"),
        ({"type": "technology", "technology": "Rights"}, "Rights"),
        ({"type": "produce", "production": "growth"}, "growth"),
        ({"type": "jump", "level": 1, "from": "sol", "to": "a1"}, "to old-ross"),
        ({"type": "colonize", "place": "a1"}, "colonizes old-ross"),
        ({"type": "claim", "achievement": "Empire"}, "claims Empire"),
        ({"type": "faction", "faction": "Keel"}, "Keel"),
        ({"type": "answer", "answer": "no"}, ""),
        ({"type": "done"}, ""),
    ],
)
def test_an_action_in_a_few_words(action: Json, told: str) -> None:
    assert BEYOND.brief(Step(0, 1, action, state(), state()), Look()) == told.replace(" ", NO_BREAK)


@pytest.mark.parametrize(
    ("you", "told"), [(1, "to old-ross: takes old-ross from you"), (2, "to old-ross"), (None, "to old-ross")]
)
def test_whoever_loses_an_outpost_is_told(you: Seat | None, told: str) -> None:
    action: Json = {"type": "jump", "level": 1, "from": "sol", "to": "a1"}
    after = state(places={**PLACES, "a1": place("Old Ross", 0, "food")})
    assert BEYOND.brief(Step(0, you, action, state(), after), Look()) == told.replace(" ", NO_BREAK)


def test_the_legend_needs_no_wrapping() -> None:
    assert max(map(len, BEYOND.legend)) <= 80


def test_the_digest_leaves_out_what_is_only_part_of_an_action() -> None:
    position = table()
    played: list[Played] = []
    for text in ("go ship-and-jump", "no", "done", "produce growth"):
        after = act(position.copy(), text)
        (action,) = WORDS.read(position, 0, text)
        played.append(Played(1, 0, action, position, after))
        position = after
    model = Model(Look(), Match(BUILTIN, "m", ("R▴ Ann", "B◉ Bo"), (), 1), position, played=tuple(played))
    assert digest(model) == ["so far: R▴ ship-and-jump, growth"]
    assert digest(replace(model, played=(played[1],))) == []


def test_sums_are_the_engine_s() -> None:
    # Technologies by level; Sol is red's, Deep Space orange's.
    position = table(
        seats=3,
        techs={"II1": "Modular Fleet", "III1": "Metahuman Chambers"},
        researched={0: "I1 I2 II1", 1: "I1 I2 II1 III1", 2: "I4"},
        ships={0: "sol 1, forge 2", 1: "a1 3", 2: "deep 1"},
        holders={"a1": "1 food", "forge": "0 ore"},
    )
    assert BEYOND.reckoning(position) == [
        ("tech", [1 + 1 + 2, 1 + 1 + 2 + 3, 1]),
        ("auto", [0, 0, 0]),
        ("world", [0, 0, 0]),
        ("post", [1, 1, 0]),
        ("fleet", [1, 0, 1]),
        ("event", [0, 0, 0]),
        ("award", [0, 0, 0]),
        ("total", [6, 8, 2]),
    ]
    with pytest.raises(TypeError, match="no position of this game"):
        BEYOND.reckoning(Table([0, 0], turns=1, chance=False, due=0))


def test_the_reckoning_fits_a_narrow_window() -> None:
    position = table()
    position.s[OVER] = 1
    model = Model(Look(), Match(BUILTIN, "m", tuple(map(Look().name, range(4), PEOPLE)), (), 1), position)
    lines = ending(model, 60)
    assert lines[0].split() == ["tech", "auto", "world", "post", "fleet", "event", "award", "total"]
    assert max(map(len, lines)) <= 60
    assert max(map(len, ending(model, 80)[:5])) <= 80


def test_statistics_count_what_was_turned_up() -> None:
    draws: list[Json] = [
        {"first": 1},
        {"slot": "I1", "technology": "Fusion Torches"},
        {"place": "a1", "system": "Ross"},
        {"slot": "II3", "event": "Census"},
        {"technology": "Mass Cloning", "matches": True},
        {"technology": "Long Haul", "matches": False},
    ]
    assert BEYOND.statistics(draws, ["R▴ Ann", "B◉ Bo"], 80) == [
        "First player: B◉ Bo.",
        "Technologies turned up: 2, of which 1 had the type that was looked for.",
        "Events: Census.",
        "Systems: Ross.",
    ]
