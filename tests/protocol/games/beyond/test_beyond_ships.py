"""Sections 5 and 6: ships, control, colonizing, automation (J1 to J5, C1 to C4, U1, U2)."""

import pytest

from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.scoring import of_automation
from sunward_protocol.games.beyond.state import AUTOMATED, BASES, CARD, COLONY, DISC
from support.beyond_positions import (
    BOX,
    PLACES,
    SYSTEMS,
    able,
    act,
    effect,
    holder_of,
    options,
    own,
    refusal,
    ships_of,
    supply_of,
    table,
    turn_up,
)
from support.matches import Script

# The map of four: sol-a1 sol-a2 a1-a2 a1-forge a2-lathe forge-lathe forge-b1 lathe-b2 b1-b2 b1-deep b2-deep deep-rift.
# Unless said otherwise Proxima (food, power 2, control: 1 ore) is at a1, Barnard (ore, 2, control: grow 1) at a2, Vega
# (food, 6, control: grow 1) at b1, Altair (ore, 5, control: 1 ore) at b2.


def test_j1_ships_are_built_at_sol_or_an_own_shipyard() -> None:
    position = effect(table(holders={"forge": "0 ore", "lathe": "1 food"}), "build 2")
    assert options(position) == ["build sol", "build forge"]
    assert refusal(position, "build lathe").ruling == "J1"
    act(position, "build forge")
    assert ships_of(position) == "sol 1, forge 2"
    assert supply_of(position) == "A4 B4 C3 D3 E2"


def test_j1_unless_the_card_names_a_place() -> None:
    position = effect(table(holders={"forge": "0 ore"}), "build 3 at deep")
    assert ships_of(position) == "sol 1, deep 3"


def test_j1_level_four_is_the_highest() -> None:
    position = effect(table(ships={0: "sol 3, sol 4"}), "upgrade 3")
    assert ships_of(position) == "sol 4, sol 4"
    assert not able(position, "upgrade 1")


def test_j2_a_point_moves_one_ship_along_one_line() -> None:
    position = effect(table(ships={0: "sol 1, sol 3"}), "jump 2")
    assert options(position) == [
        "jump 1 sol>proxima",
        "jump 1 sol>barnard",
        "jump 3 sol>proxima",
        "jump 3 sol>barnard",
        "done",
    ]
    assert refusal(position, "jump 1 sol>vega").sentence == (
        "No line leads from Sol to Vega: one point moves one ship along one line."
    )
    assert refusal(position, "jump 2 sol>proxima").sentence == "You have no ship of level 2 at Sol."


def test_j2_control_is_looked_at_once_after_the_last_point() -> None:
    # Passing through Proxima gives no control of it; the unused third point is lost.
    position = effect(table(), "jump 3")
    act(position, "jump sol>proxima", "jump proxima>forge")
    assert holder_of(position, "a1") == ""
    act(position, "done")
    assert holder_of(position, "a1") == ""
    assert holder_of(position, "forge") == "0 ore"


def test_j2_the_moves_are_simultaneous() -> None:
    # Seat 1 holds Proxima with a ship of 1. Two ships of 1 arrive one by one: only together are they stronger.
    position = table(ships={0: "sol 1, sol 1", 1: "a1 1"}, holders={"a1": "1 food"})
    act(effect(position, "jump 2"), "jump sol>proxima", "jump sol>proxima")
    assert holder_of(position, "a1") == "0 food"


def test_j3_power_is_the_sum_of_levels() -> None:
    # 2 + 2 against 3.
    position = table(ships={0: "sol 2, sol 2", 1: "a1 3"}, holders={"a1": "1 food"})
    act(effect(position, "jump 2"), "jump sol>proxima", "jump sol>proxima")
    assert holder_of(position, "a1") == "0 food"


def test_j3_sol_and_deep_space_are_never_controlled() -> None:
    position = effect(table(), "build 4 at deep")
    assert (holder_of(position, "sol"), holder_of(position, "deep")) == ("", "")


def test_j4_entering_an_empty_system_gives_control_a_disc_and_the_bonus() -> None:
    position = act(effect(table(ore=[0]), "jump 1"), "jump sol>proxima")
    assert holder_of(position, "a1") == "0 food"
    assert own(position)["food"] == 7
    assert own(position)["ore"] == 1  # Proxima: 1 ore


def test_j4_taking_needs_strictly_more_power_and_gives_the_disc_back() -> None:
    position = table(ships={0: "sol 2, sol 1", 1: "a1 2"}, holders={"a1": "1 food"})
    act(effect(position, "jump 1"), "jump 2 sol>proxima")
    assert holder_of(position, "a1") == "1 food"
    act(effect(position, "jump 1"), "jump sol>proxima")
    assert holder_of(position, "a1") == "0 food"
    assert (own(position, 0)["food"], own(position, 1)["food"]) == (7, 8)


def test_j4_an_empty_track_gives_an_achievement_disc_which_returns_to_the_supply() -> None:
    position = table(ships={0: "sol 1", 1: "sol 2"})
    position.s[BASES[0] + DISC + 1] = 0
    act(effect(position, "jump 1"), "jump sol>proxima")
    assert holder_of(position, "a1") == "0 achievement"
    assert own(position)["achievement discs"] == 7
    act(effect(position, "jump 1", seat=1), "jump sol>proxima")
    assert holder_of(position, "a1") == "1 food"
    assert own(position)["achievement discs"] == 8


def test_j4_with_no_disc_left_control_stands_without_one() -> None:
    position = table()
    position.s[BASES[0] + DISC + 1] = 0
    position.s[BASES[0] + DISC + 3] = 4  # kept for the four achievements
    act(effect(position, "jump 1"), "jump sol>proxima")
    assert holder_of(position, "a1") == "0 -"
    assert own(position)["achievement discs"] == 4


def test_j4_control_changes_out_of_turn_and_so_do_bonuses() -> None:
    # Seat 0 holds Proxima with a ship of 2 and seat 1 has a 1 there. Seat 0 gives its ship up: seat 1, out of turn,
    # takes the system, its disc and the ore.
    position = table(ships={0: "a1 2", 1: "a1 1"}, holders={"a1": "0 food"}, ore=[2, 0])
    act(position, "go grow-and-mine", "produce trade", "trade ship 2 proxima")
    assert holder_of(position, "a1") == "1 food"
    assert own(position, 1)["ore"] == 1
    assert position.to_act() == (0,)


def test_j4_a_choice_out_of_turn_comes_at_once() -> None:
    # Luyten takes either disc: seat 1 chooses in the middle of the turn of seat 0, who then goes on trading.
    position = table(ships={0: "a1 2", 1: "a1 1"}, holders={"a1": "0 food"}, ore=[5], systems={"a1": "Luyten"})
    act(position, "go grow-and-mine", "produce trade", "trade ship 2 luyten")
    assert position.to_act() == (1,)
    assert options(position) == ["disc food", "disc ore"]
    assert refusal(position, "trade ore", 0).ruling == "J4"
    act(position, "disc ore")
    assert holder_of(position, "a1") == "1 ore"
    assert position.to_act() == (0,)
    assert options(position)[0] == "trade ore"


def test_j5_an_outpost_stays_until_someone_enters() -> None:
    position = table(ships={0: "a1 3", 1: "sol 1"}, holders={"a1": "0 food"})
    act(effect(position, "jump 1"), "jump proxima>sol")
    assert holder_of(position, "a1") == "0 food"
    act(effect(position, "jump 1", seat=1), "jump sol>proxima")
    assert holder_of(position, "a1") == "1 food"


def test_j5_of_two_equal_newcomers_neither_takes_it() -> None:
    position = table(ships={0: "sol 1", 1: "a1 2", 2: "a1 2", 3: "a2 1"}, holders={"a1": "0 food"})
    act(effect(position, "jump 1", seat=3), "done")
    assert holder_of(position, "a1") == "0 food"
    effect(position, "upgrade 1", seat=2)
    assert holder_of(position, "a1") == "2 food"


# Colonizing


def colonizer(ships: str = "a1 2, a1 1", **more: str) -> Position:
    return table(ships={0: ships, 1: more.get("other", "sol 1")}, holders={"a1": "0 food"}, population=[4])


def test_c1_control_and_power_are_needed() -> None:
    assert able(colonizer(), "colonize")
    assert not able(table(ships={0: "a1 2"}), "colonize")  # no control
    assert not able(table(ships={0: "a1 1"}, holders={"a1": "0 food"}), "colonize")  # power 1 of 2
    assert not able(table(ships={0: "forge 4"}, holders={"forge": "0 ore"}), "colonize")  # a shipyard
    # Whatever others have there.
    assert able(colonizer("a1 2", other="a1 4"), "colonize")


def test_c1_refusals_say_what_is_missing() -> None:
    position = table(
        ships={0: "a1 2, a2 4, b1 4"},
        holders={"a1": "0 food", "a2": "0 ore", "b1": "0 food"},
        population=[4],
    )
    effect(position, "colonize")
    assert options(position) == ["colonize proxima", "colonize barnard"]
    assert (
        refusal(position, "colonize vega").sentence
        == f"Vega needs a power of {BOX.systems[SYSTEMS['Vega']].power}; you have 4 there."
    )
    assert refusal(position, "colonize altair").sentence == "You do not control Altair."
    assert refusal(position, "colonize forge").sentence == "There is no system to colonize there."


def test_c2_ships_of_at_least_the_power_return_and_the_others_go_to_deep_space() -> None:
    position = effect(colonizer(other="a1 1"), "colonize")
    # The level-1 ship alone is too little, so the other one is settled without asking; then the first may follow.
    assert options(position) == ["settle 1", "done"]
    act(position, "settle 1")
    turn_up(position, "Luyten")
    assert ships_of(position) == ""
    assert ships_of(position, 1) == "deep 1"


def test_c2_settling_step_by_step() -> None:
    position = effect(colonizer("a1 2, a1 1, a1 1", other="a1 1"), "colonize")
    # 1 + 1 or 2: both reach the power of 2.
    assert options(position) == ["settle 1", "settle 2"]
    act(position, "settle 2")
    assert options(position) == ["settle 1", "done"]
    act(position, "done")
    turn_up(position, "Luyten")
    assert ships_of(position) == "deep 1, deep 1"
    assert ships_of(position, 1) == "deep 1"


def test_c2_without_room_in_the_supply_nothing_is_colonized() -> None:
    position = table(ships={0: "a1 2"}, holders={"a1": "0 food"}, population=[2])
    assert own(position)["supply"] == 17
    assert not able(position, "colonize")


def test_c3_card_disc_new_card_second_disc_bonus() -> None:
    position = effect(colonizer("a1 2"), "colonize")
    assert position.to_act() == ()
    population = own(position)["population"]
    turn_up(position, "Luyten")
    assert BOX.systems[position.s[CARD + PLACES["a1"]] - 1].name == "Luyten"
    # Proxima is seat 0's with two food discs; its bonus is a population.
    assert position.s[COLONY + SYSTEMS["Proxima"]] == 1 | 1 << 3 | 1 << 5
    assert own(position)["food"] == 6
    assert own(position)["population"] == population + 1


def test_c3_the_second_disc_is_chosen_where_there_are_several() -> None:
    position = table(ships={0: "a1 2"}, holders={"a1": "0 ore"}, population=[4], systems={"a1": "Luyten"})
    effect(position, "colonize")
    turn_up(position, "Kapteyn")
    assert options(position) == ["disc food", "disc ore"]
    act(position, "disc food")
    assert position.s[COLONY + SYSTEMS["Luyten"]] == 1 | 2 << 3 | 1 << 5


def test_c3_an_empty_deck_leaves_the_space_empty() -> None:
    position = colonizer("a1 2")
    position.decks[3] = ()
    effect(position, "colonize")
    assert position.draw(Script([])) == []
    assert position.s[CARD + PLACES["a1"]] == 0


def test_c4_a_colonized_system_is_no_longer_controlled() -> None:
    position = effect(colonizer("a1 2"), "colonize")
    turn_up(position, "Luyten")
    assert holder_of(position, "a1") == ""
    act(effect(position, "jump 1", seat=1), "jump sol>luyten", "disc food")
    assert holder_of(position, "a1") == "1 food"
    assert position.s[COLONY + SYSTEMS["Proxima"]] == 1 | 1 << 3 | 1 << 5


def test_the_extra_system_is_not_replaced() -> None:
    position = effect(table(ships={0: "deep 4, deep 4"}, population=[6]), "chart")
    turn_up(position, "Hamal")  # power 5, either disc
    act(effect(position, "jump 2"), "jump deep>hamal", "jump deep>hamal", "disc ore")
    effect(position, "colonize")
    act(position, "disc ore")  # both ships are needed, and neither stays
    assert position.s[CARD + PLACES["rift"]] == 0


# Automation


def test_u1_the_leftmost_disc_goes_to_the_automation_track() -> None:
    position = effect(table(), "automate food")
    assert (own(position)["food"], own(position)["automation"]) == (7, 1)
    effect(position, "automate ore")
    assert (own(position)["ore discs"], own(position)["automation"]) == (7, 2)
    assert options(effect(position, "automate either")) == ["disc food", "disc ore"]


def test_u1_an_achievement_disc_for_an_empty_track() -> None:
    position = table()
    position.s[BASES[0] + DISC + 1] = 0
    effect(position, "automate food")
    assert (own(position)["achievement discs"], own(position)["automation"]) == (7, 1)
    position.s[BASES[0] + DISC + 3] = 4
    assert not able(position, "automate food")


@pytest.mark.parametrize(("level", "points"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (6, 3), (7, 5), (9, 7)])
def test_u2_points_up_to_the_level_reached(level: int, points: int) -> None:
    # Own numbers: 0, 1, 0, 1, 1, 0, 2, then 1 each.
    position = table()
    position.s[BASES[0] + AUTOMATED + 1] = level
    assert of_automation(position, 0) == points
