"""Every card of the project's own design: what it brings on one and the same table, worked out by hand from its text.

Seat 0 has 9 ore, 4 population, ships of 2 at Sol and at Proxima, which it controls as it does the forge, the colony
Luyten, and I1 to I3 and II2. Of II it may research Mass Cloning (two population more), of III Mercenary Fleet (nothing
at once), of I Freight Charters (1 ore). Colonizing Proxima costs the ship there and brings a population. Where seat 0
may choose, it takes the first thing offered, but never jumps. When a number of a card is tuned, so is its line here.
"""

import pytest

from sunward_protocol.games.beyond import engine
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.language import COUNTERS, LEVELS
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.state import BASES, EARNED, SEAT_BITS
from support.beyond_positions import AWARDS, BOX, EVENTS, SYSTEMS, TECHNOLOGIES, act, effect, options, own, table
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
#                                 ore, population, automation, power, technologies, points | the same for seat 1
Deep Field Telescope               2  0  0  0  0  0
Closed-Loop Farming                0  0  1  0  0  0
Fusion Torches                     0  0  0  1  0  0
Freight Charters                   1  0  0  0  0  0
Probability Engines                2  0  0  0  0  0
Sensor Pickets                     0  0  0  1  0  0
Patient Machines                   0  0  1  0  0  0
Open Archives                      0  0  1  0  0  0
Spacetime Anomaly Studies          0  0  0  0  0  0
Line Cruisers                      0  0  0  2  0  0
Orbital Barracks                   0  1  0  1  0  0
Modular Fleet                      0  0  0  2  0  0
Thinking Gardens                   0  1  1  0  0  0
Drydock Cities                     0  1  0  1  0  0
Mass Cloning                       0  2  0  0  0  0
Ore Exchange                       0  0  1  0  0  0
Survey Syndicate                   1  0  0  0  0  0
Letters of Marque                  0  0  0  1  0  0
Homestead Convoys                  0  1  0  0  0  0
Long Haul                          2  0  0  0  0  0
Mirror Minds                       3  0  0  0  0  0
Self-Growing Worlds                0  2  1  0  0  0
Stellar Hammer                     0  0  0  4  0  0
Universal Ledger                   1  1  0 -2  0  0
Library of Everything              0  0  1  0  0  0
Unmanned Wars                      0  0  0  4  0  0
Instant Post                       0  0  0  0  0  0
Swarm Foundries                    0  0  0  6  0  0
Post-Scarcity                      1  1  0  0  0  0
Gate Network                       0  1  0 -2  0  0
Tyler Lee, Entrepreneur Prodigy    1  0  0  0  0  0
Maya Chaturvedi, Visionary         1  0  0  0  0  0
Generation Ships                   0  1  0  0  0  0  |  0  1  0  0  0  0
Ore Rush                           2  0  0  0  0  0  |  1  0  0  0  0  0
Border Patrol                      0  0  0  1  0  0
Labour Unions                      0  1  0  0  0  0  | -1  1  0  0  0  0
Old Sketches                       1 -1  0  0  1  0
Surplus Hulls                      0  0  0  1  0  0  |  0  0  0  1  0  0
Robot Exhibition                   0  0  1  0  0  0
Census                             0  0  0  0  0  1
KC-24X, First Android Governor     1  0  0  0  0  0
Onu, Speaker for the Colonies      0  1  0  0  0  0
A Door Ajar                        0  0  0  0  0  0
Festival of Worlds                 1  0  0  0  0  1
Arms Race                          0  0  0  2  0  0  |  0  0  0  1  0  0
Lost Workshop                      0  0  0  0  1  0
Quiet Decade                       0  1  0  0  0  0  |  0  1  0  0  0  0
Relief Convoy                      0  0  0  0  0  2  |  0  1  0  0  0  0
Machine Harvest                    0  0  2  0  0  0
Veterans                           0  0  0  3  0  0
Proxima                            0  1  0  0  0  0
Barnard                            2  0  0  0  0  0
Lalande                            1  1  0  0  0  0
Ross                               0  1  0  0  0  0
Luyten                             1  1  0  0  0  0
Kapteyn                            0  0  0  1  0  0
Wolf                               0  0  0  2  0  0
Kruger                             1 -1  0  0  1  0
Groombridge                        0  0  1  0  0  0
Lacaille                           0  0  1  0  0  0
Gliese                             0  2  0  0  0  0
Teegarden                          0  0  1  0  0  0
Vega                               0  2  0  0  0  0
Altair                             3  0  0  0  0  0
Fomalhaut                          0  0  1  0  0  0
Mizar                              0  0  0  3  0  0
Alkaid                             0  2  0  0  0  0
Hamal                              0  1  0  0  1  0
Mira                               1  0  1  0  0  0
Capella                            2  0  0  0  0  0
Rigel                              0 -1  0  0  1  0
Deneb                              0  0  2  0  0  0
Antares                            0  0  0  2  0  0
Polaris                            0  0  0  0  1  0
Proxima controlled                 1  0  0  0  0  0
Barnard controlled                 0  1  0  0  0  0
Lalande controlled                 1  0  0  0  0  0
Ross controlled                    0  0  0  0  0  0
Kapteyn controlled                 0  1  0  0  0  0
Wolf controlled                    1  0  0  0  0  0
Groombridge controlled             1  0  0  0  0  0
Lacaille controlled                0  1  0  0  0  0
Gliese controlled                  1  0  0  0  0  0
Vega controlled                    0  1  0  0  0  0
Altair controlled                  1  0  0  0  0  0
Fomalhaut controlled               1  0  0  0  0  0
Mizar controlled                   0  0  0  0  0  0
Alkaid controlled                  2  0  0  0  0  0
Mira controlled                    0  1  0  0  0  0
Capella controlled                 1  0  0  0  0  0
Rigel controlled                   2  0  0  0  0  0
Deneb controlled                   0  1  0  0  0  0
Antares controlled                 0  0  0  1  0  0
Polaris controlled                 1  0  0  0  0  0
Institute                         -6 -1  0  0  1  0
Land Office                       -4  1  0 -2  0  0
Foresight Council                  0  0  0  0  0  0
Admiralty                         -3  0  0  2  0  0
Deep Field Telescope 1            -1  1  0  0  1  0
Closed-Loop Farming 1             -1  1  1  0  0  0
Fusion Torches 1                  -1  0  0  1  0  0
Freight Charters 1                -3  1  0 -2  0  0
Probability Engines 1             -5 -1  0  0  1  0
Sensor Pickets 1                  -2  1  0  0  1  0
Patient Machines 1                -5 -1  0  0  1  0
Patient Machines 2                -1  0  0  0  1  0
Open Archives 1                    0 -1  0  0  1  0
Spacetime Anomaly Studies 1       -6 -1  0  0  1  0
Line Cruisers 1                   -2  0  0  2  0  0
Orbital Barracks 1                -1 -1  0  2  0  0
Modular Fleet 1                   -2  0  0  2  0  0
Modular Fleet 2                   -3  1  0 -2  0  0
Thinking Gardens 1                -6  0  0  0  1  0
Drydock Cities 1                  -1  1  0  1  0  0
Mass Cloning 1                    -2  2  0  0  0  0
Ore Exchange 1                     1  1  0  0  0  0
Survey Syndicate 1                -1  0  1  0  0  0
Survey Syndicate 2                -3  1  0 -2  0  0
Letters of Marque 1               -3  1  0 -2  0  0
Homestead Convoys 1               -3  1  0 -2  0  0
Homestead Convoys 2               -1  1  0  0  0  0
Long Haul 1                        1  0  0  0  0  0
Children of the Keel              -1  0  0  1  0  0
Ninth Observatory                 -2  1  0  0  1  0
"""
ROWS = [row for row in EXPECTED.splitlines() if row and row[0] != "#"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[:34].strip())
def test_an_own_card_brings_what_its_text_says(row: str) -> None:
    name, (mine, _, other) = row[:34].strip(), row[34:].partition("|")
    first, second = changes(name)
    assert first == tuple(map(int, mine.split()))
    assert second == (tuple(map(int, other.split())) or (0,) * 6)


def test_no_own_card_is_left_out() -> None:
    facts = {card.name for card in BOX.technologies if card.level == LEVELS.index("III")}
    own_cards = {name for name, effect in BY_NAME.items() if effect >= 0 and not name.startswith(tuple(facts))}
    assert own_cards == {row[:34].strip() for row in ROWS}


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
    assert of("Clockwork", effect(table(), "times 5 [automate ore]")) == 1
    assert of("Clockwork", effect(table(), "times 6 [automate ore]")) == 0
    assert of("Metropolis", table(population=[7])) == 1
    assert of("Metropolis", table(population=[8])) == 0
    assert of("Treasury", table(ore=[14])) == 1
    assert of("Treasury", table(ore=[15])) == 0
    assert of("Citadel", table(ships={0: f"{fours}, deep 4"})) == 1
    assert of("Citadel", table(ships={0: f"{fours}, sol 1"})) == 0
    assert of("Armada", table(ships={0: f"{fours}, deep 4, a1 1"})) == 1
    assert of("Armada", table(ships={0: f"{fours}, deep 4, a1 2"})) == 0


def test_the_end_stays_in_reach_of_those_who_spent_every_cube_on_technologies() -> None:
    # Nineteen slots leave one cube. With two players Transcendence has two slots of the three discs needed, so whatever
    # A achievement is in play must be in reach of a single cube.
    always = {"automation", "technologies", "level-III", "controlled"}
    assert {COUNTERS[card.counter] for card in BOX.achievements if card.kind == "A"} == always
