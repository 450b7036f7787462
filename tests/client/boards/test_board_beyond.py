"""The table of Beyond the Sun as text, from tables set up by hand."""

from dataclasses import replace

import pytest

from sunward_client.boards.beyond import BEYOND
from sunward_client.boards.beyond.answers import situation
from sunward_client.boards.board import Step, View
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.game import Json, Seat
from support.beyond_positions import BUILTIN, act, effect, immediate, stand_on, table
from support.matches import Stream
from support.pebbles import Table

WORDS = BUILTIN.words
PEOPLE = ("Ann", "Bartholomew the Third", "Cy", "Dee")


def midgame() -> Position:
    """Return three seats after some technologies, an outpost each of red and blue, and a colony of orange."""
    position = table(
        seats=3,
        techs={"II1": "Modular Fleet", "III1": "Metahuman Chambers"},
        researched={0: "I1 I2 II1", 1: "I1 I2 II1 III1", 2: "I4"},
        ships={0: "sol 1, forge 2, forge 2", 1: "a1 3", 2: "deep 1"},
        holders={"a1": "1 food", "forge": "0 ore"},
        colonies={"Ross": 2},
        ore=[5, 0, 12],
        guilds=1,
    )
    stand_on(position, 1, "metahuman-chambers 2")
    return position


def view(
    position: Position, width: int = 80, *, before: Position | None = None, look: Look | None = None, you: Seat = 0
) -> View:
    look = look or Look()
    return View(
        WORDS.state_json(position),
        None if before is None else WORDS.state_json(before),
        WORDS.components_json(),
        BEYOND.reckoning(position)[-1][1],
        [look.name(seat, name) for seat, name in enumerate(PEOPLE[: position.seats])],
        you,
        width,
        look,
    )


def drawn(
    position: Position, width: int = 80, *, before: Position | None = None, look: Look | None = None
) -> list[str]:
    found = view(position, width, before=before, look=look)
    return list(map(found.look.fold, BEYOND.draw(found)))


def test_grid_shows_tree_spaces_map_mats_achievements_and_turn() -> None:
    assert (
        "\n".join(drawn(midgame())) + "\n"
        == """\
I1    s  Deep Field Telescope R▴B◉      III1  se Metahuman Chambers B◉
I2    e  Closed-Loop Farming R▴B◉       III2  event, after II2
I3    m  Fusion Torches                 III3  event, after II3
I4    c  Freight Charters O✚            III4  event, after II3+II4
II1   mc Modular Fleet R▴B◉             III5  event, after II4+II5
II2   event, after I1+I2                III6  event, after II6
II3   event, after I2                   IIII1 -, after 2 of III1 III2 III3
II4   event, after I3                   IIII2 -, after III3+III4
II5   event, after I3+I4                IIII3 -, after 2 of III4 III5 III6
II6   event, after I4
research-one: research I                research-one-late: 1 ore: research I
research-two: 2 ore: research II        ship-and-jump: may [enlist 1]; jump 2
ship-and-jump-late: 1 ore: may [enlist 1]; jump 2  grow-and-mine: grow 1; gain 1
institute: 6 ore: research III          deep-field-telescope: 1 ore: research II
closed-loop-farming: 1 ore: grow 1; automate food
modular-fleet 1: 2 ore: upgrade 2; jump 2  modular-fleet 2: 3 ore: colonize
B◉ metahuman-chambers 2: 4 ore, 2 pop: research IIII
covered guilds: land-office, foresight-council, admiralty
sol                                  proxima barnard        R▴ 1
proxima     2/2 food      B◉ food    sol barnard forge      B◉ 3
barnard     2/2 ore                  sol proxima lathe
vega        6/6 food                 forge altair deep
altair      5/5 ore                  lathe vega deep
deep                                 vega altair            O✚ 1
forge       shipyard ore  R▴ ore     proxima lathe vega     R▴ 2+2
lathe       shipyard food            barnard forge altair
seat        R▴ you                B◉Bartholomew the Thi O✚ Cy
if over now 6                     8                     5
ore         5 (+1)                0 (+1)                12 (+1)
population  2 (+A)                2 (+A)                2 (+A)
supply      A0 B4 C3 D3 E2        A1 B4 C3 D3 E2        A4 B4 C3 D3 E2
colonies    0                     0                     1
automation  0 (f8 o7 a8)          0 (f7 o8 a8)          0 (f7 o7 a8)
Transcendence (level-IIII 1): 4 3 2     Armada (power 14): 4
Empire (colonized 4): 4 3 2             Metropolis (population 8): 3 2 1
round 1: [R▴] B◉ O✚, R▴ Ann has the turn
"""
    )


def test_what_changed_is_marked() -> None:
    before = table(ships={1: "sol 1"})
    after = table(researched={2: "I1"}, ships={1: "a1 1"}, holders={"a1": "1 food"})
    lines = drawn(after, before=before)
    assert lines[0].startswith("I1    s  Deep Field Telescope O✚*  ")
    assert "proxima     2/2 food      B◉* food   sol barnard forge      B◉ 1" in lines


def test_a_claim_is_marked_and_takes_the_leftmost_slot() -> None:
    before = table(population=[9])
    after = act(before.copy(), "go grow-and-mine", "produce ore")
    assert "Empire (colonized 4): 4 3 2 1           Metropolis (population 8): R▴* 2 1" in drawn(after, before=before)
    assert "Empire (colonized 4): 4 3 2 1           Metropolis (population 8): R▴ 2 1" in drawn(after)


def test_discs_gone_uncover_letters_and_ore() -> None:
    position = table(holders={"a1": "0 food", "a2": "0 food", "b1": "0 ore", "b2": "0 ore"})
    lines = drawn(position)
    assert "ore         1 (+2)           1 (+1)           2 (+1)           2 (+1)" in lines
    assert "population  2 (+AB)          2 (+A)           2 (+A)           2 (+A)" in lines
    assert "automation  0 (f6 o6 a8)     0 (f8 o8 a8)     0 (f8 o8 a8)     0 (f8 o8 a8)" in lines


def test_a_narrow_terminal_gets_sentences() -> None:
    lines = drawn(midgame(), 60)
    assert lines[4:6] == [
        "II1: Modular Fleet (military and commercial, supplies",
        "  military): R▴ B◉",
    ]
    assert "undiscovered II: II2 after I1+I2, II3 after I2, II4 after" in lines
    assert "proxima: 2/2 food; held by B◉ food; ships B◉ 3; next to sol" in lines
    assert "R▴ Ann (red, you): if over now 6, ore 5 (+1), population 2" in lines


def test_a_look_that_asks_for_sentences_gets_them_in_any_width() -> None:
    lines = drawn(midgame(), 200, look=Look(lists=True))
    assert lines[0] == "I1: Deep Field Telescope (scientific): R▴ B◉"
    assert "forge: shipyard ore; held by R▴ ore; ships R▴ 2+2; next to proxima lathe vega" in lines


def test_ascii_is_ascii() -> None:
    text = "\n".join(drawn(midgame(), look=Look(ascii=True)))
    assert text.isascii()
    assert "II1   mc Modular Fleet R^B@" in text


@pytest.mark.parametrize("width", [1, 10, 39, 40, 79, 80, 119, 120, 200])
def test_no_width_is_too_small_or_too_large(width: int) -> None:
    assert max(map(len, drawn(midgame(), width))) <= max(width, 10)


def test_a_fresh_table_of_four_fits_a_screen() -> None:
    assert len(drawn(table())) <= 34


def test_who_is_asked_out_of_turn_is_said() -> None:
    position = effect(table(), "all [choose 1 of [build 1] [gain 1]]")
    assert drawn(act(position, "choose 2"))[-1] == (
        "round 1: [R▴] B◉ O✚ G✦, R▴ Ann has the turn, B◉ Bartholomew the Third is asked"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("may [enlist 1]", "You are to say whether to have the effect in brackets (may [enlist 1])."),
        ("automate either", "You are to say which disc goes to the automation track (automate either)."),
        (
            "jump 2",
            "You are to move ships, or be done: the number says how many moves along a line are left (jump 2).",
        ),
    ],
)
def test_the_situation_is_told_and_pressing_inside_an_action(text: str, sentence: str) -> None:
    found = view(effect(table(), text))
    assert BEYOND.situation(found) == sentence
    assert BEYOND.pressing(found)


def test_a_turn_needs_no_words_but_has_them() -> None:
    found = view(table(), you=1)
    assert BEYOND.situation(found).startswith(
        "R▴ Ann is to take an action: the pawn goes to a free space, ".replace(" ", NO_BREAK, 1)
    )
    assert not BEYOND.pressing(found)


@pytest.mark.parametrize("options", [{}, {"mats": "advanced", "factions": "chosen"}])
@pytest.mark.parametrize("seats", [2, 4])
def test_every_choice_of_whole_matches_is_explained_and_drawn(seats: int, options: dict[str, str]) -> None:
    chance = Stream(seats)
    position = BUILTIN.start(seats, options)
    turns = 0
    while position.result() is None:
        if position.chance_due():
            position.draw(chance)
            continue
        (seat,) = position.to_act()
        legal = position.legal(seat)
        found = view(position, you=seat)
        assert situation(found).startswith("You are to ")
        turns += 1
        if turns % 20 == 0:
            assert max(map(len, BEYOND.draw(found))) <= 80
        position.apply(seat, legal[chance.below(len(legal))])
    assert drawn(position)[-1].startswith("The match ended in round ")


def test_whoever_asks_is_told_all_of_a_card() -> None:
    found = replace(view(midgame()), width=200)
    card = (
        "II1: Modular Fleet (military and commercial, supplies military): R▴ B◉ | after I1 | IMMEDIATE upgrade 2 | "
        "space 2 ore: upgrade 2; jump 2 | space 3 ore: colonize"
    )
    assert BEYOND.about(found, "ii1") == [card]
    assert BEYOND.about(found, "modular") == [card]
    assert BEYOND.about(found, "II2") == ["II2: undiscovered, an event first; needs I1+I2"]
    assert BEYOND.about(found, "mass cloning") == [
        "Mass Cloning (level II, economic) | IMMEDIATE times 2 [grow 1] | space 2 ore: grow 2"
    ]
    assert BEYOND.about(found, "proxima") == [
        (
            "Proxima: power 2, 2 points, food | control gain 1 | colonized grow 1 | held by B◉ food | "
            f"ships B◉{NO_BREAK}3 | next to sol, barnard, forge"
        )
    ]
    assert BEYOND.about(found, "hamal") == ["Hamal: power 5, 5 points, either | colonized research II"]
    assert BEYOND.about(found, "land") == ["land-office: 4 ore: colonize (covered)"]
    assert BEYOND.about(found, "tyler") == ["Tyler Lee, Entrepreneur Prodigy (event of level II): guild 1; gain 1"]
    assert BEYOND.about(found, "empire") == ["Empire (colonized 4): 4 3 2"]
    assert BEYOND.about(found, "nowhere") == []
    assert BEYOND.about(found, "") == []


def test_where_a_seat_stands_is_one_sentence() -> None:
    assert Look().fold(BEYOND.holding(view(midgame()), 0)) == (
        "R▴ Ann: Disciples of the Cosmic Tabernacle; 5 ore (produces 1); 2 population (grows A); technologies "
        "Deep Field Telescope, Closed-Loop Farming, Modular Fleet; ships R▴ 1 at sol, R▴ 2+2 at forge; outposts "
        "forge; colonies none; automation 0; 6 points if over now."
    )


def step(before: Position, text: str, you: Seat | None = 0) -> str:
    (seat,) = before.to_act()
    action = WORDS.read(before, seat, text)
    after = act(before.copy(), text)
    found = Step(seat, you, WORDS.action_json(before, seat, action), WORDS.state_json(before), WORDS.state_json(after))
    return BEYOND.brief(found, Look())


def test_an_action_in_a_few_words() -> None:
    assert step(table(), "go research-one") == "research-one"
    assert step(act(table(), "go research-one"), "research I2") == "I2"
    assert step(act(table(), "go grow-and-mine"), "produce growth") == "growth"
    assert step(effect(table(), "jump 2"), "jump sol>proxima") == f"to{NO_BREAK}proxima"
    assert step(effect(table(), "may [enlist 1]"), "no") == ""


def test_whoever_loses_an_outpost_is_told() -> None:
    position = table(ships={0: "sol 2", 1: "a1 1"}, holders={"a1": "1 food"})
    jumping = effect(position, "jump 1")
    assert step(jumping, "jump sol>proxima", you=1) == "to proxima: takes proxima from you".replace(" ", NO_BREAK)
    assert step(jumping, "jump sol>proxima", you=2) == f"to{NO_BREAK}proxima"
    assert step(jumping, "jump sol>proxima", you=None) == f"to{NO_BREAK}proxima"


def test_sums_are_the_engine_s() -> None:
    # Tech: I and II; outposts; Ross is worth 3; Sol is red's, Deep Space orange's.
    assert BEYOND.reckoning(midgame()) == [
        ("tech", [1 + 1 + 2, 1 + 1 + 2 + 3, 1]),
        ("auto", [0, 0, 0]),
        ("world", [0, 0, 3]),
        ("post", [1, 1, 0]),
        ("fleet", [1, 0, 1]),
        ("event", [0, 0, 0]),
        ("award", [0, 0, 0]),
        ("total", [6, 8, 5]),
    ]
    with pytest.raises(TypeError, match="no position of this game"):
        BEYOND.reckoning(Table([0, 0], turns=1, chance=False, due=0))


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


def test_a_pawn_on_a_space_of_a_technology_shows_there() -> None:
    position = immediate(table(researched={0: "I1"}), "Deep Field Telescope")
    stand_on(position, 0, "deep-field-telescope")
    assert any("R▴ deep-field-telescope: 1 ore: research II" in line for line in drawn(position))
