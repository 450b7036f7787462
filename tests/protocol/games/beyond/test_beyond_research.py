"""Section 4 of the rules: slots, events, types, cards, private technologies (R1 to R7)."""

from collections import Counter

import pytest

from sunward_protocol.games.beyond.naming import SLOT_NAMES
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.research import EVENT_TURNED, TECHNOLOGY_TURNED, slots, supplied
from sunward_protocol.games.beyond.state import BASES, COVERED, PRIVATE, RESEARCHED, SLOT
from support.beyond_positions import (
    BOX,
    EVENTS,
    TECHNOLOGIES,
    able,
    act,
    effect,
    options,
    own,
    refusal,
    researched_by,
    table,
    turn_up,
)
from support.matches import Stream


def uncovered(position: Position, slot: str) -> Position:
    """Take the event off a slot, so that its discovery begins with the type."""
    position.s[COVERED] &= ~(1 << SLOT_NAMES.index(slot))
    return position


def names(position: Position, deck: int) -> list[list[str]]:
    return [[BOX.technologies[card].name for card in layer] for layer in position.decks[deck]]


@pytest.mark.parametrize(
    ("researched", "expected"),
    [
        ("", []),
        ("I1", ["II1"]),
        ("I1 I2", ["II1", "II2", "II3"]),
        ("I3", ["II4"]),
        ("I3 I4 II4", ["II5", "II6"]),
    ],
)
def test_r1_every_joined_technology_is_needed(researched: str, expected: list[str]) -> None:
    position = table(researched={0: researched})
    assert [SLOT_NAMES[slot] for slot in slots(position, 0, 1 << 1, 0)] == expected


def test_r1_level_one_has_no_prerequisites_and_nothing_is_researched_twice() -> None:
    position = act(table(researched={0: "I2"}), "go research-one")
    assert options(position) == ["research I1", "research I3", "research I4"]
    assert refusal(position, "research I2").ruling == "R1"
    assert refusal(position, "research II1").sentence == "II1 needs 1 of I1; you have 0."


def test_r1_two_of_three_are_enough_for_some_level_four_slots() -> None:
    position = table(researched={0: "III1 III3"})
    assert [SLOT_NAMES[slot] for slot in slots(position, 0, 1 << 3, 0)] == ["IIII1"]
    position = table(researched={0: "III3 III4 III6"})
    assert [SLOT_NAMES[slot] for slot in slots(position, 0, 1 << 3, 0)] == ["IIII2", "IIII3"]


def test_r1_for_a_discovered_slot_the_colours_do_not_matter() -> None:
    # II2 holds a military card; the technologies joined to it are scientific and economic.
    position = act(table(techs={"II2": "Line Cruisers"}, researched={0: "I1 I2"}, ore=[2]), "go research-two")
    assert "research II2" in options(position)


def test_r2_a_population_cube_goes_on_the_slot_and_stays() -> None:
    position = act(table(), "go research-one", "research I3")
    assert own(position)["population"] == 1
    assert researched_by(position) == "I3"
    without = table(population=[0], researched={0: "I1"}, ore=[5])
    assert not able(without, "research I")


def test_r3_the_event_comes_before_the_technology() -> None:
    # Ore Rush: 2 ore, and 1 for everybody else.
    position = act(table(researched={0: "I1"}, ore=[2]), "go research-two")
    assert position.to_act() == ()
    draws = position.draw(OneEvent("Ore Rush"))
    assert draws[0] == (EVENT_TURNED, SLOT_NAMES.index("II1"), EVENTS["Ore Rush"])
    assert own(position)["ore"] == 2
    assert [own(position, seat)["ore"] for seat in (1, 2, 3)] == [2, 3, 3]
    assert draws[1][0] == TECHNOLOGY_TURNED


class OneEvent:
    """A chance that turns up one named event that is no guild event, and then the first cards."""

    def __init__(self, event: str) -> None:
        level = BOX.events[EVENTS[event]].level
        others = [n for n, card in enumerate(BOX.events) if card.level == level and not card.guild]
        self._answers = [5, others.index(EVENTS[event])]

    def below(self, n: int) -> int:
        return self._answers.pop(0) if self._answers else 0


def test_r3_level_four_has_no_events() -> None:
    position = table(researched={0: "III1 III2"}, techs={"III1": "Capital Ship", "III2": "Android Armada"}, ore=[9])
    effect(position, "research IIII")
    draws = position.draw(Stream(1))
    assert {drawn[0] for drawn in draws} == {TECHNOLOGY_TURNED}


def test_r4_one_supplied_type_is_taken_without_asking() -> None:
    position = uncovered(table(researched={0: "I1"}, ore=[2]), "II1")
    act(position, "go research-two")
    # Scientific: Mass Cloning does not match, Sensor Pickets and Survey Syndicate do, by either left type.
    draws = turn_up(position, "Mass Cloning", "Sensor Pickets", "Survey Syndicate")
    assert [drawn[2] for drawn in draws] == [0, 1, 1]
    assert options(position) == ["take sensor-pickets", "take survey-syndicate"]
    act(position, "take survey-syndicate")
    assert position.s[SLOT + SLOT_NAMES.index("II1")] == 1 + TECHNOLOGIES["Survey Syndicate"]
    # The others lie under the deck, in no order.
    assert names(position, 0)[1:] == [["Sensor Pickets", "Mass Cloning"]]


def test_r4_of_two_supplied_types_one_is_chosen() -> None:
    position = uncovered(table(researched={0: "I1 I2"}, ore=[2]), "II2")
    act(position, "go research-two", "research II2")
    assert options(position) == ["type scientific", "type economic"]
    assert refusal(position, "type military").ruling == "R4"
    act(position, "type economic")
    turn_up(position, "Line Cruisers", "Mass Cloning", "Long Haul", "Orbital Barracks")
    assert options(position) == ["take orbital-barracks", "take mass-cloning"]


def test_r4_a_card_supplies_only_its_right_type() -> None:
    position = table(techs={"II1": "Survey Syndicate"}, researched={0: "I1 II1 II2"})
    # Survey Syndicate is commercial and scientific, and supplies commercial; II2 is undiscovered.
    assert supplied(position, 0, SLOT_NAMES.index("III1")) == [3]


def test_r4_only_held_technologies_supply() -> None:
    position = table(
        techs={"III1": "Capital Ship", "III2": "Hivemind Computing", "III3": "Android Rights Movement"},
        researched={0: "III1 III3"},
    )
    assert supplied(position, 0, SLOT_NAMES.index("IIII1")) == [1, 2]  # economic and military


def with_deck(position: Position, deck: int, *cards: str) -> Position:
    position.decks[deck] = (tuple(sorted(TECHNOLOGIES[card] for card in cards)),) if cards else ()
    return position


def test_r5_a_single_match_in_the_whole_deck_is_taken() -> None:
    position = with_deck(uncovered(table(researched={0: "I1"}, ore=[2]), "II1"), 0, "Mass Cloning", "Open Archives")
    act(position, "go research-two")
    turn_up(position, "Open Archives", "Mass Cloning")
    assert position.s[SLOT + SLOT_NAMES.index("II1")] == 1 + TECHNOLOGIES["Open Archives"]
    assert names(position, 0) == [["Mass Cloning"]]


def test_r5_with_no_match_any_type_that_the_deck_holds_is_chosen() -> None:
    position = with_deck(uncovered(table(researched={0: "I1"}, ore=[2]), "II1"), 0, "Mass Cloning", "Letters of Marque")
    act(position, "go research-two")
    assert options(position) == ["type economic", "type military", "type commercial"]
    assert refusal(position, "type scientific").ruling == "R4"
    act(position, "type commercial")
    turn_up(position, "Mass Cloning", "Letters of Marque")
    assert position.s[SLOT + SLOT_NAMES.index("II1")] == 1 + TECHNOLOGIES["Letters of Marque"]


def test_r5_with_an_empty_deck_the_slot_cannot_be_researched() -> None:
    position = with_deck(table(researched={0: "I1 I2"}, techs={"II2": "Mass Cloning"}, ore=[2]), 0)
    assert [SLOT_NAMES[slot] for slot in slots(position, 0, 1 << 1, 0)] == ["II2"]


def test_r6_everybody_who_researches_gains_the_immediate_once() -> None:
    # Mass Cloning: twice a cube of the supply becomes population.
    position = table(techs={"II3": "Mass Cloning"}, researched={0: "I2", 1: "I2"}, ore=[2, 2])
    effect(position, "research II discovered")
    assert own(position)["population"] == 2 - 1 + 2
    effect(position, "research II discovered", seat=1)
    assert own(position, 1)["population"] == 2 - 1 + 2
    assert not able(position, "research II discovered")


def test_r7_a_private_technology_is_the_owners_alone() -> None:
    position = effect(table(ore=[5, 5]), "keep II")
    turn_up(position, "Mass Cloning", "Long Haul")
    assert options(position) == ["take mass-cloning", "take long-haul"]
    act(position, "take long-haul")
    assert position.s[PRIVATE + TECHNOLOGIES["Long Haul"]] == 1
    assert own(position)["ore"] == 5  # no IMMEDIATE
    assert names(position, 0)[-1] == ["Mass Cloning"]
    assert position.s[BASES[0] + RESEARCHED] == 0  # no prerequisite
    space = position.board.space_names.index("long-haul")
    assert [space in spaces for spaces in position.spaces] == [True, False, False, False]


def test_r7_a_standing_ability_of_a_private_technology_holds() -> None:
    position = table(private={"Android Rights Movement": 0}, ore=[3], population=[4])
    assert options(effect(position, "2 pop: gain 1")) == ["pay population", "pay ore"]


def test_every_card_of_a_deck_is_equally_likely() -> None:
    found = Counter[str]()
    for seed in range(800):
        position = effect(table(), "keep III")
        drawn = position.draw(Stream(seed))[0]
        found[BOX.technologies[drawn[1]].name] += 1
    assert len(found) == 16
    assert max(found.values()) < 2 * 50 < 3 * min(found.values()) * 2
