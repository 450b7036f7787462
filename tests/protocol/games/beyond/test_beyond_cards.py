"""Section 10: each level III card does what is printed on it, worked out by hand."""

from sunward_protocol.games.beyond.naming import SLOT_NAMES
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.research import slots
from sunward_protocol.games.beyond.state import BASES, COLONY, PAWN
from support.beyond_positions import (
    SYSTEMS,
    able,
    act,
    effect,
    holder_of,
    immediate,
    options,
    own,
    refusal,
    researched_by,
    ships_of,
    supply_of,
    table,
    turn_up,
)


def holding(name: str) -> Position:
    """Return a table where seat 0 has researched a card, with plenty of ore and population."""
    return table(techs={"III1": name}, researched={0: "III1"}, ore=[12], population=[8])


def test_transdimensional_ai() -> None:
    position = table(techs={"II5": "Mass Cloning"}, researched={0: "I1"}, population=[2])
    immediate(position, "Transdimensional AI")
    assert own(position)["population"] == 3
    act(position, "yes")
    # Discovered and without prerequisites: three of level I and II5; II1 is open but undiscovered.
    assert options(position) == ["research I2", "research I3", "research I4", "research II5"]
    act(position, "research II5")
    assert researched_by(position) == "I1 II5"
    assert own(position)["population"] == 2  # Mass Cloning would have brought two more


def test_transdimensional_ai_lets_one_of_two_prerequisites_be_missing_where_discovered() -> None:
    position = table(techs={"III6": "Transdimensional AI", "II2": "Mass Cloning"}, researched={0: "III6 I1 I3"})
    # II2 (I1 + I2) is discovered, II5 (I3 + I4) is not.
    assert [SLOT_NAMES[slot] for slot in slots(position, 0, 1 << 1, 0)] == ["II1", "II2", "II4"]


def test_planetary_scale_research() -> None:
    position = immediate(table(), "Planetary-scale Research")
    assert ships_of(position) == "sol 1, sol 2"
    act(position, "jump 2 sol>proxima", "done")
    position = table(
        techs={"III1": "Planetary-scale Research", "II3": "Mass Cloning"},
        researched={0: "III1 I2"},
        ore=[4],
        colonies={"Luyten": 0},
    )
    act(position, "go planetary-scale-research")
    # One colonized system: up to level II.
    assert options(position) == ["research I1", "research I3", "research I4", "research II3"]
    assert own(position)["ore"] == 0


def test_metahuman_chambers() -> None:
    position = immediate(table(), "Metahuman Chambers")
    assert (own(position)["automation"], own(position)["population"], own(position)["food"]) == (1, 3, 7)
    position = table(techs={"III2": "Metahuman Chambers"}, researched={0: "III1 III2"}, ore=[4], population=[3])
    # Two population are lost, the third goes on the slot.
    act(position, "go metahuman-chambers 1")
    assert (own(position)["ore"], own(position)["population"]) == (0, 0)
    assert researched_by(position) == "III1 III2 IIII1"
    poorer = table(techs={"III2": "Metahuman Chambers"}, researched={0: "III1 III2"}, ore=[4], population=[2])
    assert refusal(poorer, "go metahuman-chambers 2").ruling == "A3"


def test_hivemind_computing() -> None:
    position = immediate(table(), "Hivemind Computing")
    assert own(position)["ore discs"] == 7
    act(position, "jump sol>barnard")
    assert holder_of(position, "a2") == "0 ore"
    position = table(techs={"III1": "Hivemind Computing"}, researched={0: "III1 III2"}, ore=[7], population=[1])
    act(position, "go hivemind-computing 2")
    assert own(position)["ore"] == 0
    assert researched_by(position) == "III1 III2 IIII1"


def test_deep_space_megastructures() -> None:
    position = immediate(table(), "Deep Space Megastructures")
    assert ships_of(position) == "sol 1, deep 3"
    act(position, "jump deep>altair")
    assert holder_of(position, "b2") == "0 ore"
    position = table(
        techs={"III1": "Deep Space Megastructures", "II3": "Mass Cloning", "III3": "Capital Ship"},
        researched={0: "III1 II3"},
        ore=[4],
    )
    act(position, "go deep-space-megastructures")
    assert researched_by(position) == "II3 III1 III3"
    assert ships_of(position) == "sol 1, sol 4, deep 2"  # the 4 is Capital Ship's IMMEDIATE


def test_capital_ship() -> None:
    position = immediate(table(), "Capital Ship")
    assert ships_of(position) == "sol 1, sol 4"
    position = act(holding("Capital Ship"), "go capital-ship")
    assert own(position)["ore"] == 9
    assert own(position)["population"] == 7
    act(position, "yes")
    assert (own(position)["ore"], own(position)["population"]) == (7, 6)
    assert ships_of(position) == "sol 1, sol 2, sol 4"
    act(position, "jump 4 sol>proxima", "jump proxima>forge", "jump forge>vega")
    assert holder_of(position, "b1") == "0 food"


def test_android_armada() -> None:
    position = immediate(table(), "Android Armada")
    act(position, "choose 1", "choose 2")
    assert ships_of(position) == "sol 1, sol 2"
    assert own(position)["population"] == 3
    position = act(holding("Android Armada"), "go android-armada")
    assert own(position)["ore"] == 8
    assert ships_of(position) == "sol 1, sol 4"


def test_mercenary_fleet() -> None:
    position = table(
        techs={"III1": "Mercenary Fleet"},
        researched={0: "III1"},
        ore=[3],
        population=[4],
        ships={0: "a1 2"},
        holders={"a1": "0 food"},
    )
    act(position, "go mercenary-fleet 1")
    turn_up(position, "Luyten")
    assert own(position)["ore"] == 0
    assert position.s[COLONY + SYSTEMS["Proxima"]]
    position = act(holding("Mercenary Fleet"), "go mercenary-fleet 2")
    assert (own(position)["ore"], own(position)["population"]) == (11, 6)  # one lost, one enlisted
    assert ships_of(position) == "sol 1, sol 4"


def test_cerebral_implants() -> None:
    position = table(
        techs={"III1": "Cerebral Implants", "II1": "Mass Cloning", "III3": "Android Armada", "II3": "Long Haul"},
        researched={0: "III1 I1 II3"},
        ore=[5],
        population=[0],
    )
    act(position, "go cerebral-implants")
    assert own(position)["population"] == 1
    assert options(position) == ["choose 1", "choose 2"]
    act(position, "choose 2")  # 5 ore: research III
    assert own(position)["ore"] == 0
    assert researched_by(position) == "I1 II3 III1 III3"


def test_cerebral_implants_with_three_ore_offers_level_two_only() -> None:
    position = table(
        techs={"III1": "Cerebral Implants", "II1": "Letters of Marque", "III3": "Android Armada"},
        researched={0: "III1 I1"},
        ore=[3],
        population=[0],
    )
    act(position, "go cerebral-implants")
    assert (own(position)["ore"], researched_by(position)) == (0, "I1 II1 III1")


def test_manufacturing_orbitals() -> None:
    position = table(
        holders={"a1": "0 food", "a2": "0 ore", "forge": "0 ore", "lathe": "0 food"},
        colonies={"Luyten": 0, "Kapteyn": 0, "Wolf": 0},
        ore=[0],
        population=[1],
    )
    immediate(position, "Manufacturing Orbitals")
    # Four controlled places, but 3 ore at most; three colonized systems bring one population.
    assert (own(position)["ore"], own(position)["population"]) == (3, 2)
    act(position, "yes", "build forge")
    assert own(position)["population"] == 1
    assert ships_of(position) == "sol 1, forge 2"
    assert options(position)[-1] == "done"
    free = table(techs={"III1": "Manufacturing Orbitals"}, researched={0: "III1"}, ore=[0], holders={"a1": "0 food"})
    act(free, "go manufacturing-orbitals", "no")
    assert own(free)["ore"] == 1


def test_android_rights_movement() -> None:
    position = immediate(table(supply={0: "A4 E2"}), "Android Rights Movement")
    assert own(position)["food"] == 7
    act(position, "shift A")
    assert supply_of(position) == "A5 E1"
    assert options(position) == ["shift B", "shift C", "shift D", "shift E"]  # A is full
    act(position, "shift C")
    assert supply_of(position) == "A5 C1"
    position = table(
        techs={"III1": "Android Rights Movement"}, researched={0: "III1"}, ore=[1], population=[1], supply={0: "A1"}
    )
    effect(position, "1 pop: build 1")
    assert options(position) == ["pay population", "pay ore"]
    act(position, "pay ore")
    assert (own(position)["ore"], own(position)["population"]) == (0, 1)


def test_subatomic_fabrication() -> None:
    position = immediate(table(ore=[0]), "Subatomic Fabrication")
    act(position, "disc ore")
    assert (own(position)["ore"], own(position)["population"], own(position)["automation"]) == (1, 3, 1)
    # Standing: discs may come from either track, here for the food system Proxima.
    position = effect(holding("Subatomic Fabrication"), "jump 1")
    act(position, "jump sol>proxima")
    assert options(position) == ["disc food", "disc ore"]
    act(position, "disc ore")
    assert holder_of(position, "a1") == "0 ore"


def test_quantum_data_exchange() -> None:
    position = immediate(table(ore=[0]), "Quantum Data Exchange")
    assert (own(position)["ore"], own(position)["ore discs"]) == (2, 7)
    position = table(
        techs={"III1": "Quantum Data Exchange", "II1": "Patient Machines", "III2": "Hivemind Computing"},
        researched={0: "III1 I1 I2 II2"},
        ore=[5],
        population=[4],
    )
    act(position, "go quantum-data-exchange")
    # Box: I, I for 1, II for 2; Deep Field Telescope II for 1; Patient Machines, which seat 0 lacks. Hivemind asks 7.
    assert options(position) == [
        "copy research-one",
        "copy research-one-late",
        "copy research-two",
        "copy deep-field-telescope",
        "copy patient-machines 1",
        "copy patient-machines 2",
    ]
    act(position, "copy patient-machines 1")
    assert own(position)["ore"] == 0


def test_quantum_data_exchange_leaves_the_pawn_where_it_is() -> None:
    position = table(techs={"III1": "Quantum Data Exchange"}, researched={0: "III1"}, ore=[5], population=[4])
    act(position, "go quantum-data-exchange", "copy research-one")
    assert position.board.space_names[position.s[BASES[0] + PAWN] - 1] == "quantum-data-exchange"


def test_hyperdrive_boosters() -> None:
    position = immediate(table(ships={0: "sol 1, sol 3"}), "Hyperdrive Boosters")
    act(position, "upgrade 1 sol", "upgrade 2 sol")
    # Both are of level 3 by now, so the third level needs no choice.
    assert ships_of(position) == "sol 3, sol 4"
    position = effect(table(ships={0: "sol 1, sol 3, a1 3"}), "refit 2")
    act(position, "upgrade 3 proxima")
    assert options(position) == ["upgrade 1 sol", "upgrade 3 sol", "done"]  # not the one at Proxima again
    act(position, "upgrade 1 sol")
    assert ships_of(position) == "sol 2, sol 3, a1 4"
    assert able(holding("Hyperdrive Boosters"), "refit 2; jump 4")


def test_wormhole_technology() -> None:
    position = immediate(table(ore=[0]), "Wormhole Technology")
    assert own(position)["ore"] == 1
    assert ships_of(position) == "sol 1, sol 2"
    act(position, "jump 2 sol>vega", "jump sol>deep")
    assert ships_of(position) == "b1 2, deep 1"
    # Standing: one jump reaches any place, save on leaving Sol or Deep Space.
    position = table(
        techs={"III1": "Wormhole Technology"},
        researched={0: "III1"},
        ships={0: "sol 1, a1 2"},
        holders={"a1": "0 food"},
    )
    effect(position, "jump 2")
    assert "jump proxima>deep" in options(position)
    assert "jump sol>vega" not in options(position)
    assert "jump sol>barnard" in options(position)


def test_stealth_terraformers() -> None:
    position = table(
        techs={"III1": "Stealth Terraformers"},
        researched={0: "III1"},
        ore=[5],
        population=[5],
        ships={0: "sol 2"},
    )
    act(position, "go stealth-terraformers", "jump sol>proxima", "done")
    # Nobody controls Proxima and the power suffices; no control bonus (1 ore), two food discs, then the bonus.
    turn_up(position, "Luyten")
    assert own(position)["ore"] == 0
    assert position.s[COLONY + SYSTEMS["Proxima"]] == 1 | 1 << 3 | 1 << 5
    assert own(position)["food"] == 6
    assert own(position)["population"] == 5 - 1 + 1


def test_stealth_terraformers_without_anything_to_colonize_still_controls() -> None:
    position = effect(table(ships={0: "sol 1"}, ore=[0]), "jump 2 unseen; infiltrate")
    act(position, "jump sol>proxima", "done")
    assert holder_of(position, "a1") == "0 food"  # power 1 of 2: no colony, so control comes as ever
    assert own(position)["ore"] == 1


def test_the_advanced_mats_abilities() -> None:
    # Disciples: 1 ore instead of a lost population; Combine: discs from either track; Keel and Observatory: spaces.
    position = table(mats=(4, 5, 6, 7), ore=[3, 3, 3, 3], population=[4, 4, 4, 4], researched={3: "I1"})
    assert options(effect(position, "1 pop: gain 1")) == ["pay population", "pay ore"]
    assert options(effect(position, "automate food", seat=1)) == ["disc food", "disc ore"]
    names = position.board.space_names
    assert names[position.spaces[2][-1]] == "children-of-the-keel"
    assert "ninth-observatory" in [names[space] for space in position.spaces[3]]
