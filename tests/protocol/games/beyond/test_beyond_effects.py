"""Every operation of the effect language, with its right value worked out by hand."""

import pytest

from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.state import BASES, EARNED, GUILDS
from support.beyond_positions import (
    able,
    act,
    effect,
    options,
    own,
    pending,
    refusal,
    researched_by,
    ships_of,
    supply_of,
    table,
    turn_up,
)


def test_sequence_passes_over_what_can_do_nothing() -> None:
    position = effect(table(ships={0: ""}, ore=[0]), "jump 2; colonize; gain 3")
    assert own(position)["ore"] == 3
    assert not able(table(ships={0: ""}), "jump 2; colonize")
    assert able(table(ships={0: ""}), "jump 2; gain 1")


def test_pay_asks_only_where_there_are_ways_to_pay() -> None:
    position = effect(table(ore=[4], population=[4]), "3 ore, 1 pop: gain 1")
    assert (own(position)["ore"], own(position)["population"]) == (2, 3)
    assert supply_of(position) == "A4 B4 C3 D3 E2"


def test_pay_ship_offers_the_ships_without_which_the_effect_still_does_something() -> None:
    position = table(ships={0: "sol 1, a1 4"}, holders={"a1": "0 food"}, population=[3])
    # Without the ship at Proxima there is nothing to colonize.
    assert effect(position.copy(), "ship: colonize").to_act() == ()
    position = effect(table(ships={0: "sol 1, a1 4"}, ore=[0]), "ship: gain 2")
    assert options(position) == ["lose 1 sol", "lose 4 proxima"]
    assert refusal(position, "lose 2 sol").ruling == "J2"
    act(position, "lose 4 proxima")
    assert (ships_of(position), own(position)["ore"], own(position)["supply"]) == ("sol 1", 2, 17)
    assert not able(table(ships={0: ""}, population=[3]), "ship: gain 1")
    assert not able(table(), "ship: gain 1")  # no room for it in the supply


def test_may_is_yes_or_no() -> None:
    position = effect(table(ore=[2]), "may [2 ore: enlist 2]")
    assert options(position) == ["yes", "no"]
    assert own(act(position.copy(), "yes"))["population"] == 1
    assert own(act(position, "no"))["population"] == 2
    assert effect(table(ore=[1]), "may [2 ore: enlist 2]").to_act() == ()


def test_choose_takes_different_ones_in_any_order() -> None:
    position = effect(table(ore=[0]), "choose 2 of [gain 1] [grow 1] [build 3]")
    assert options(position) == ["choose 1", "choose 2", "choose 3"]
    act(position, "choose 3")
    assert options(position) == ["choose 1", "choose 2"]
    act(position, "choose 1")
    assert (own(position)["ore"], own(position)["population"], ships_of(position)) == (1, 2, "sol 1, sol 3")


def test_times_repeats() -> None:
    assert own(effect(table(), "times 3 [grow 1]"))["population"] == 5


@pytest.mark.parametrize(
    ("text", "ore"),
    [
        ("per controlled [gain 1]", 3),
        ("per controlled max 2 [gain 1]", 2),
        ("per 2 controlled [gain 1]", 1),
        ("per colonized [gain 1]", 2),
        ("per automation [gain 1]", 0),
        ("per population [gain 1]", 2),
        ("per ships [gain 1]", 2),
        ("per power [gain 1]", 5),
        ("per stronghold [gain 1]", 4),
        ("per technologies [gain 1]", 4),
        ("per level-I [gain 1]", 2),
        ("per level-II [gain 1]", 2),
        ("per scientific [gain 1]", 1),
        ("per economic [gain 1]", 1),
        ("per commercial [gain 1]", 1),
        ("per military [gain 1]", 1),
        ("per ore [gain 1]", 0),
    ],
)
def test_per_counts(text: str, ore: int) -> None:
    position = table(
        holders={"a1": "0 food", "a2": "0 ore", "forge": "0 ore"},
        colonies={"Luyten": 0, "Mizar": 0},
        ships={0: "sol 1, a1 4"},
        techs={"II1": "Line Cruisers"},
        researched={0: "I1 I2 II1"},
        private={"Long Haul": 0},
        ore=[0],
    )
    assert own(effect(position, text))["ore"] == ore


def test_all_and_others_go_in_turn_order_from_the_active_seat() -> None:
    position = effect(table(ore=[0, 0, 0, 0]), "all [gain 1]")
    assert [own(position, seat)["ore"] for seat in range(4)] == [1, 1, 1, 1]
    position = effect(table(ore=[0, 0, 0, 0]), "others [choose 1 of [gain 1] [grow 1]]")
    for seat in (1, 2, 3):
        assert position.to_act() == (seat,)
        act(position, "choose 1")
    assert [own(position, seat)["ore"] for seat in range(4)] == [0, 1, 1, 1]


def test_gain_and_grow() -> None:
    assert own(effect(table(ore=[1]), "gain 4"))["ore"] == 5
    position = effect(table(supply={0: "C1 E2"}), "grow 2")
    assert (own(position)["population"], supply_of(position)) == (4, "E1")
    assert not able(table(supply={0: ""}), "grow 1")


def test_build_and_enlist() -> None:
    assert ships_of(effect(table(), "build 3")) == "sol 1, sol 3"
    assert not able(table(supply={0: ""}), "build 1")
    position = effect(table(), "enlist 4")
    assert (ships_of(position), own(position)["population"]) == ("sol 1, sol 4", 1)
    assert not able(table(population=[0]), "enlist 1")


def test_upgrade_and_refit() -> None:
    position = effect(table(ships={0: "sol 1, a1 2"}), "upgrade 2")
    act(position, "upgrade 1 sol", "upgrade 2 sol")
    assert ships_of(position) == "sol 3, a1 2"
    position = effect(table(ships={0: "sol 1, a1 2"}), "refit 2")
    act(position, "upgrade 1 sol")  # after the lower one nothing higher follows
    assert ships_of(position) == "sol 2, a1 2"


def test_jump_and_warp() -> None:
    position = effect(table(), "jump 1")
    assert options(position) == ["jump sol>proxima", "jump sol>barnard", "done"]
    position = effect(table(), "warp 1")
    # The extra space is not on the map yet.
    assert len(options(position)) == 7 + 1
    assert not able(table(ships={0: ""}), "warp 1")


def test_automate() -> None:
    position = effect(table(), "automate either")
    act(position, "disc food")
    assert (own(position)["food"], own(position)["ore discs"], own(position)["automation"]) == (7, 8, 1)


def one_of_level_two() -> Position:
    return table(techs={"II2": "Mass Cloning"}, researched={0: "I1"})


def test_research_flags() -> None:
    assert options(effect(one_of_level_two(), "research I-II")) == [
        "research I2",
        "research I3",
        "research I4",
        "research II1",
    ]
    skipping = options(effect(one_of_level_two(), "research II skipping"))
    assert skipping == [f"research II{slot}" for slot in (1, 2, 3, 4, 6)]  # II5 lacks both of its two
    position = effect(one_of_level_two(), "research II discovered freely quietly")
    assert researched_by(position) == "I1 II2"
    assert own(position)["population"] == 1
    assert not able(table(), "research II discovered")
    assert "research II1" not in options(effect(table(researched={0: "I1"}), "research colonized+1"))


def test_colonize_and_infiltrate() -> None:
    assert not able(table(), "colonize")
    assert able(table(ships={0: "a1 2"}, population=[3], holders={"a1": "0 food"}), "colonize")
    # At a1 seat 0 has power, and nobody controls it: only the unseen may colonize.
    position = table(ships={0: "sol 2"}, population=[3])
    act(effect(position, "jump 1 unseen; infiltrate"), "jump sol>proxima")
    turn_up(position, "Luyten")
    assert own(position)["food"] == 6


def test_infiltrate_never_takes_what_somebody_controls() -> None:
    position = table(ships={0: "sol 4", 1: "a1 1"}, population=[3], holders={"a1": "1 food"})
    act(effect(position, "jump 1 unseen; infiltrate"), "jump sol>proxima")
    assert position.to_act() == ()
    assert own(position, 1)["food"] == 8  # it was taken as ever, once control was looked at


def test_shift_moves_the_rightmost_cubes_one_by_one() -> None:
    position = effect(table(supply={0: "A1 D1 E1"}), "shift 2")
    act(position, "shift A")
    assert supply_of(position) == "A2 D1"
    act(position, "shift E")  # the next is the one in D; the one moved already stays
    assert supply_of(position) == "A2 E1"
    assert not able(table(supply={0: ""}), "shift 1")


def test_a_cube_that_was_shifted_is_not_shifted_again() -> None:
    position = effect(table(supply={0: "A1 D1"}), "shift 2")
    act(position, "shift E")
    assert options(position) == ["shift A", "shift B", "shift C", "shift D", "shift E"]
    act(position, "shift B")
    assert supply_of(position) == "B1 E1"


def test_guild_points_and_chart() -> None:
    position = effect(table(), "guild 3")
    assert position.s[GUILDS] == 0b100
    assert not able(position, "guild 3")
    assert effect(table(), "points 2").s[BASES[0] + EARNED] == 2
    position = effect(table(), "chart")
    turn_up(position, "Mira")
    assert not able(position, "chart")


def test_keep_offers_two_cards() -> None:
    position = effect(table(), "keep III")
    turn_up(position, "Capital Ship", "Hivemind Computing")
    assert pending(position) == "PICK_OWN"
    assert options(position) == ["take hivemind-computing", "take capital-ship"]


def test_copy_is_any_research_action_that_could_do_something() -> None:
    position = effect(table(ore=[0]), "copy research")
    # Without ore only the first space of the box: then level I is chosen.
    assert options(position) == ["research I1", "research I2", "research I3", "research I4"]
    assert not able(table(population=[0]), "copy research")
