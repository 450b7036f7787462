"""Every card of the project's own design: what it brings on one and the same table, worked out by hand from its text.

Seat 0 has 9 ore, 4 population, ships of 2 at Sol and at Proxima, which it controls as it does the forge, the colony
Luyten, and I1 to I3 and II2. Where seat 0 may choose, it takes the first thing offered, but never jumps. So

    build L, enlist L, upgrade N    are L, L and N more power; enlist costs the population that it makes a ship
    per colonized, per controlled   happen once (Luyten) and twice (Proxima and the forge)
    research I                      costs a population, a cube on Freight Charters, whose IMMEDIATE brings 1 ore
    research II                     costs one on Mass Cloning, which brings 2 population: -1+2
    research III                    costs one on Mercenary Fleet, which brings nothing at once
    research IIII                   is out of reach: nothing is paid and nothing happens
    colonize                        costs the ship at Proxima, 2 power, and brings its bonus, 1 population
    keep                            is one technology more

A line holds the card's text, and sums where several things add up. When a card is tuned, so is its line here.
"""

import re

import pytest

from sunward_protocol.games.beyond import engine
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.language import COUNTERS, LEVELS
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.state import BASES, EARNED, SEAT_BITS
from support.beyond_positions import (
    AWARDS,
    BOX,
    BUILTIN,
    EVENTS,
    SYSTEMS,
    TECHNOLOGIES,
    act,
    effect,
    options,
    own,
    table,
)
from support.matches import Stream

BY_NAME = {
    **{name: BOX.technologies[number].immediate for name, number in TECHNOLOGIES.items()},
    **{name: BOX.events[number].effect for name, number in EVENTS.items()},
    **{name: BOX.systems[number].bonus for name, number in SYSTEMS.items()},
    **{f"{name} controlled": BOX.systems[number].control for name, number in SYSTEMS.items()},
    **{guild.name: guild.effect for guild in BOX.guilds},
}
for _card in BOX.technologies:
    for _index, _space in enumerate(_card.spaces):
        BY_NAME[f"{_card.name} {_index + 1}"] = _space
for _mat in BOX.mats:
    if _mat.space >= 0:
        BY_NAME[_mat.faction] = _mat.space


TEXTS = BUILTIN.boards[4].texts


def standard() -> Position:
    return table(
        ore=[9, 9, 9, 9],
        population=[4, 4, 4, 4],
        ships={0: "sol 2, a1 2"},
        techs={"II1": "Mass Cloning", "II2": "Ore Exchange", "III2": "Mercenary Fleet"},
        researched={0: "I1 I2 I3 II2"},
        holders={"forge": "0 ore", "a1": "0 food"},
        colonies={"Luyten": 0},
    )


def measured(position: Position, seat: int) -> tuple[int, ...]:
    """Return ore, population, automation level, fleet power, technologies, points by events."""
    have = own(position, seat)
    power = counted(position, seat, COUNTERS.index("power"))
    technologies = counted(position, seat, COUNTERS.index("technologies"))
    earned = position.s[BASES[seat] + EARNED]
    return have["ore"], have["population"], have["automation"], power, technologies, earned


def changes(name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what seat 0 and seat 1 have more or less when the effect has been carried out."""
    position = standard()
    before = [measured(position, seat) for seat in (0, 1)]
    position.stack = [BY_NAME[name] << SEAT_BITS]
    engine.run(position)
    while position.stack:
        if position.due:
            position.draw(Stream(3))
        elif options(position)[0].startswith("jump"):
            act(position, "done")
        else:
            act(position, options(position)[0])
    after = [measured(position, seat) for seat in (0, 1)]
    first, second = (tuple(a - b for a, b in zip(*pair, strict=True)) for pair in zip(after, before, strict=True))
    return first, second


EXPECTED = """
#                              | what it says                         |  ore    pop auto power tech pts | seat 1
Deep Field Telescope           | gain 1                               |    1      0    0     0    0   0
Closed-Loop Farming            | automate food; gain 1                |    1      0    1     0    0   0
Fusion Torches                 | build 1                              |    0      0    0     1    0   0
Freight Charters               | gain 1; jump 1                       |    1      0    0     0    0   0
Probability Engines            | gain 2                               |    2      0    0     0    0   0
Sensor Pickets                 | build 1; jump 1                      |    0      0    0     1    0   0
Patient Machines               | automate ore                         |    0      0    1     0    0   0
Open Archives                  | automate ore                         |    0      0    1     0    0   0
Spacetime Anomaly Studies      | jump 2                               |    0      0    0     0    0   0
Line Cruisers                  | build 2                              |    0      0    0     2    0   0
Orbital Barracks               | grow 1; build 1                      |    0      1    0     1    0   0
Modular Fleet                  | upgrade 2                            |    0      0    0     2    0   0
Thinking Gardens               | automate food                        |    0      0    1     0    0   0
Drydock Cities                 | build 1; grow 1                      |    0      1    0     1    0   0
Mass Cloning                   | times 2 [grow 1]                     |    0    1+1    0     0    0   0
Ore Exchange                   | automate either                      |    0      0    1     0    0   0
Survey Syndicate               | gain 1; jump 1                       |    1      0    0     0    0   0
Letters of Marque              | build 1; jump 2                      |    0      0    0     1    0   0
Homestead Convoys              | grow 1; jump 1                       |    0      1    0     0    0   0
Long Haul                      | gain 2; jump 1                       |    2      0    0     0    0   0
Mirror Minds                   | gain 2; automate ore                 |    2      0    1     0    0   0
Self-Growing Worlds            | grow 2; automate food                |    0      2    1     0    0   0
Stellar Hammer                 | build 4; jump 1                      |    0      0    0     4    0   0
Universal Ledger               | gain 4; grow 1; may [2 ore: colonize] |  4-2    1+1    0    -2    0   0
Library of Everything          | automate either; gain 1              |    1      0    1     0    0   0
Unmanned Wars                  | upgrade 4                            |    0      0    0     4    0   0
Instant Post                   | warp 2; grow 1; gain 1               |    1      1    0     0    0   0
Swarm Foundries                | times 2 [build 3]                    |    0      0    0   3+3    0   0
Post-Scarcity                  | per colonized max 4 [gain 1]; automate either |    1      0    1     0    0   0
Gate Network                   | jump 4; colonize                     |    0      1    0    -2    0   0
Tyler Lee, Entrepreneur Prodigy| guild 1; gain 1                      |    1      0    0     0    0   0
Maya Chaturvedi, Visionary     | guild 2; gain 1                      |    1      0    0     0    0   0
Generation Ships               | all [grow 1]                         |    0      1    0     0    0   0 | 0 1 0 0 0 0
Ore Rush                       | gain 2; others [gain 1]              |    2      0    0     0    0   0 | 1 0 0 0 0 0
Border Patrol                  | build 1; jump 2                      |    0      0    0     1    0   0
Labour Unions                  | others [may [1 ore: grow 1]]; grow 1 |    0      1    0     0    0   0 | -1 1 0 0 0 0
Old Sketches                   | research I                           |    1     -1    0     0    1   0
Surplus Hulls                  | all [choose 1 of [build 1] [gain 1]] |    0      0    0     1    0   0 | 0 0 0 1 0 0
Robot Exhibition               | automate either                      |    0      0    1     0    0   0
Census                         | points 1; shift 1                    |    0      0    0     0    0   1
KC-24X, First Android Governor | guild 3; gain 1                      |    1      0    0     0    0   0
Onu, Speaker for the Colonies  | guild 4; grow 1                      |    0      1    0     0    0   0
A Door Ajar                    | chart; jump 1                        |    0      0    0     0    0   0
Festival of Worlds             | points 1; per colonized max 3 [gain 1] |    1      0    0     0    0   1
Arms Race                      | all [upgrade 1]; upgrade 1           |    0      0    0   1+1    0   0 | 0 0 0 1 0 0
Lost Workshop                  | keep II                              |    0      0    0     0    1   0
Quiet Decade                   | all [choose 1 of [grow 1] [gain 2]]  |    0      1    0     0    0   0 | 0 1 0 0 0 0
Relief Convoy                  | points 2; others [grow 1]            |    0      0    0     0    0   2 | 0 1 0 0 0 0
Machine Harvest                | automate food; automate ore          |    0      0  1+1     0    0   0
Veterans                       | build 3; jump 1                      |    0      0    0     3    0   0
Proxima                        | grow 1                               |    0      1    0     0    0   0
Barnard                        | gain 1                               |    1      0    0     0    0   0
Lalande                        | grow 1; gain 1                       |    1      1    0     0    0   0
Ross                           | grow 1                               |    0      1    0     0    0   0
Luyten                         | grow 1; gain 1                       |    1      1    0     0    0   0
Kapteyn                        | build 1                              |    0      0    0     1    0   0
Wolf                           | build 2                              |    0      0    0     2    0   0
Kruger                         | research I-II                        |    1     -1    0     0    1   0
Groombridge                    | automate food                        |    0      0    1     0    0   0
Lacaille                       | automate ore                         |    0      0    1     0    0   0
Gliese                         | grow 2                               |    0      2    0     0    0   0
Teegarden                      | automate either                      |    0      0    1     0    0   0
Vega                           | grow 2                               |    0      2    0     0    0   0
Altair                         | gain 3                               |    3      0    0     0    0   0
Fomalhaut                      | automate either                      |    0      0    1     0    0   0
Mizar                          | build 3                              |    0      0    0     3    0   0
Alkaid                         | grow 2                               |    0      2    0     0    0   0
Hamal                          | research II                          |    0   -1+2    0     0    1   0
Mira                           | automate ore; gain 1                 |    1      0    1     0    0   0
Capella                        | per controlled [gain 1]              |  1+1      0    0     0    0   0
Rigel                          | research II-III                      |    0   -1+2    0     0    1   0
Deneb                          | automate either; grow 1              |    0      1    1     0    0   0
Antares                        | upgrade 2                            |    0      0    0     2    0   0
Polaris                        | keep II                              |    0      0    0     0    1   0
Proxima controlled             | gain 1                               |    1      0    0     0    0   0
Barnard controlled             | gain 1                               |    1      0    0     0    0   0
Lalande controlled             | gain 1                               |    1      0    0     0    0   0
Ross controlled                | jump 1                               |    0      0    0     0    0   0
Kapteyn controlled             | grow 1                               |    0      1    0     0    0   0
Wolf controlled                | gain 1                               |    1      0    0     0    0   0
Groombridge controlled         | gain 1                               |    1      0    0     0    0   0
Lacaille controlled            | grow 1                               |    0      1    0     0    0   0
Gliese controlled              | gain 1                               |    1      0    0     0    0   0
Vega controlled                | grow 1                               |    0      1    0     0    0   0
Altair controlled              | gain 1                               |    1      0    0     0    0   0
Fomalhaut controlled           | gain 1                               |    1      0    0     0    0   0
Mizar controlled               | jump 2                               |    0      0    0     0    0   0
Alkaid controlled              | gain 2                               |    2      0    0     0    0   0
Mira controlled                | grow 1                               |    0      1    0     0    0   0
Capella controlled             | gain 1                               |    1      0    0     0    0   0
Rigel controlled               | gain 2                               |    2      0    0     0    0   0
Deneb controlled               | grow 1                               |    0      1    0     0    0   0
Antares controlled             | upgrade 1                            |    0      0    0     1    0   0
Polaris controlled             | gain 1                               |    1      0    0     0    0   0
Institute                      | 7 ore: research III                  |   -7     -1    0     0    1   0
Land Office                    | 4 ore: colonize                      |   -4      1    0    -2    0   0
Foresight Council              | 8 ore: research IIII                 |    0      0    0     0    0   0
Admiralty                      | 3 ore: build 2; jump 3               |   -3      0    0     2    0   0
Deep Field Telescope 1         | 2 ore: research II                   |   -2   -1+2    0     0    1   0
Closed-Loop Farming 1          | 1 ore: grow 1; automate food         |   -1      1    1     0    0   0
Fusion Torches 1               | 1 ore: build 1; jump 2               |   -1      0    0     1    0   0
Freight Charters 1             | 4 ore: colonize                      |   -4      1    0    -2    0   0
Probability Engines 1          | 5 ore: research III                  |   -5     -1    0     0    1   0
Sensor Pickets 1               | 2 ore: research II; jump 1           |   -2   -1+2    0     0    1   0
Patient Machines 1             | 5 ore: research III                  |   -5     -1    0     0    1   0
Patient Machines 2             | 1 ore, 1 pop: research II            |   -1 -1-1+2    0     0    1   0
Open Archives 1                | 1 ore: research I-II discovered      | -1+1     -1    0     0    1   0
Spacetime Anomaly Studies 1    | 6 ore: research III; jump 2          |   -6     -1    0     0    1   0
Line Cruisers 1                | 2 ore: build 2; jump 2               |   -2      0    0     2    0   0
Orbital Barracks 1             | 1 ore: enlist 2; jump 2              |   -1     -1    0     2    0   0
Modular Fleet 1                | 2 ore: upgrade 2; jump 2             |   -2      0    0     2    0   0
Modular Fleet 2                | 3 ore: colonize                      |   -3      1    0    -2    0   0
Thinking Gardens 1             | 6 ore: research III; grow 1          |   -6   -1+1    0     0    1   0
Drydock Cities 1               | 1 ore: grow 1; build 1; jump 1       |   -1      1    0     1    0   0
Mass Cloning 1                 | 1 ore: grow 2                        |   -1      2    0     0    0   0
Ore Exchange 1                 | grow 1; gain 1                       |    1      1    0     0    0   0
Survey Syndicate 1             | 1 ore: automate either; gain 1       | -1+1      0    1     0    0   0
Survey Syndicate 2             | 3 ore: colonize                      |   -3      1    0    -2    0   0
Letters of Marque 1            | 3 ore: jump 2; colonize              |   -3      1    0    -2    0   0
Homestead Convoys 1            | 3 ore: colonize                      |   -3      1    0    -2    0   0
Homestead Convoys 2            | 1 ore: shift 1; grow 1               |   -1      1    0     0    0   0
Long Haul 1                    | gain 1; jump 3                       |    1      0    0     0    0   0
Children of the Keel           | 1 ore: build 1; jump 2               |   -1      0    0     1    0   0
Ninth Observatory              | 3 ore: research II                   |   -3   -1+2    0     0    1   0
"""
ROWS = [row for row in EXPECTED.splitlines() if row and row[0] != "#"]


def added(sums: str) -> tuple[int, ...]:
    """Return numbers that are written as sums, as `-1+2` for 1."""
    return tuple(sum(map(int, re.findall(r"[+-]?\d+", word))) for word in sums.split())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.partition("|")[0].strip())
def test_an_own_card_brings_what_its_text_says(row: str) -> None:
    name, text, mine, *other = (cell.strip() for cell in row.split("|"))
    assert TEXTS[BY_NAME[name]] == text, "the card says something else now: work its line out anew"
    first, second = changes(name)
    assert first == added(mine)
    assert second == (added(other[0]) if other else (0,) * 6)


def test_no_own_card_is_left_out() -> None:
    facts = {card.name for card in BOX.technologies if card.level == LEVELS.index("III")}
    own_cards = {name for name, effect in BY_NAME.items() if effect >= 0 and not name.startswith(tuple(facts))}
    assert own_cards == {row.partition("|")[0].strip() for row in ROWS}


def of(name: str, position: Position) -> int:
    """Return by how much seat 0 is short of an achievement."""
    card = BOX.achievements[AWARDS[name]]
    return card.least - counted(position, 0, card.counter)


def test_achievements_need_all_of_their_number() -> None:
    # Each with one too little, then with enough.
    eight, three = "I1 I2 I3 I4 II1 II2 II3 II4", {"a1": "0 food", "a2": "0 ore", "b1": "0 food"}
    techs = {"II1": "Mass Cloning", "II2": "Ore Exchange", "II3": "Long Haul", "II4": "Line Cruisers"}
    techs |= {"II5": "Modular Fleet"}
    fours = "sol 4, sol 4"
    assert of("Transcendence", table(researched={0: "III1"})) == 1
    assert of("Transcendence", table(researched={0: "III1 IIII1"})) == 0
    assert of("Empire", table(colonies={"Luyten": 0, "Wolf": 0, "Mira": 0, "Rigel": 1})) == 1
    assert of("Empire", table(colonies={"Luyten": 0, "Wolf": 0, "Mira": 0, "Rigel": 0})) == 0
    assert of("Academy", table(techs=techs, researched={0: eight})) == 1
    assert of("Academy", table(techs=techs, researched={0: f"{eight} II5"})) == 0
    assert of("Foundation", table(researched={0: "III1 III2"})) == 1
    assert of("Foundation", table(researched={0: "III1"}, private={"Capital Ship": 0, "Hivemind Computing": 0})) == 0
    assert of("Frontier", table(holders=three)) == 1
    assert of("Frontier", table(holders={**three, "forge": "0 ore"})) == 0
    assert of("Clockwork", effect(table(), "times 4 [automate ore]")) == 1
    assert of("Clockwork", effect(table(), "times 5 [automate ore]")) == 0
    assert of("Metropolis", table(population=[6])) == 1
    assert of("Metropolis", table(population=[7])) == 0
    assert of("Treasury", table(ore=[11])) == 1
    assert of("Treasury", table(ore=[12])) == 0
    assert of("Citadel", table(ships={0: "sol 4, sol 3, deep 4"})) == 1
    assert of("Citadel", table(ships={0: fours})) == 0
    assert of("Armada", table(ships={0: f"{fours}, deep 2, a1 1"})) == 1
    assert of("Armada", table(ships={0: f"{fours}, deep 2, a1 2"})) == 0


def test_the_end_stays_in_reach_of_those_who_spent_every_cube_on_technologies() -> None:
    # Nineteen slots leave one cube. With two players Transcendence has two slots of the three discs needed, so whatever
    # A achievement is in play must be in reach of a single cube.
    always = {"automation", "technologies", "level-III", "controlled"}
    assert {COUNTERS[card.counter] for card in BOX.achievements if card.kind == "A"} == always
