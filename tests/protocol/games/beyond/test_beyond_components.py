"""The box is complete, says what is fact, and a wrong file is refused with file, entry and field."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from sunward_protocol.errors import BadComponents
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.beyond.components import canonical
from sunward_protocol.games.beyond.grammar import write
from sunward_protocol.games.beyond.language import LEVELS, STANDING, TYPES
from support.beyond_positions import BOX, BUILTIN

FILE = json.loads(BEYOND.builtin())


def changed(*path: str | int, to: object) -> bytes:
    """Return the built-in file with one value changed."""
    components = json.loads(BEYOND.builtin())
    inner = components
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return json.dumps(components).encode()


def reason(data: bytes) -> str:
    with pytest.raises(BadComponents) as caught:
        BEYOND.load(data, "mine.json")
    return str(caught.value)


def test_the_box_is_complete() -> None:
    assert Counter(LEVELS[card.level] for card in BOX.technologies) == {"I": 4, "II": 16, "III": 16, "IIII": 10}
    assert Counter((LEVELS[card.level], card.guild) for card in BOX.events) == {
        ("II", True): 2,
        ("II", False): 8,
        ("III", True): 2,
        ("III", False): 8,
    }
    assert Counter(("AB"[card.deck], card.starting) for card in BOX.systems) == {
        ("A", True): 4,
        ("A", False): 8,
        ("B", False): 12,
    }
    assert Counter(card.kind for card in BOX.achievements) == {"basic": 2, "A": 4, "B": 4}
    assert len(BOX.guilds) == 4
    assert Counter(mat.advanced for mat in BOX.mats) == {False: 4, True: 4}
    assert len({mat.faction for mat in BOX.mats}) == 4
    assert sum(BOX.columns) + BOX.population + 1 == 20
    assert len(BOX.joined) == 6 + 6 + 3
    assert set(BOX.boxes) == set(BOX.maps) == {2, 3, 4}


@pytest.mark.parametrize("level", ["II", "III"])
def test_each_level_has_the_four_pure_pairs_and_the_twelve_ordered_hybrids(level: str) -> None:
    types = {card.types for card in BOX.technologies if LEVELS[card.level] == level}
    assert types == {(first, second) for first in range(4) for second in range(4)}


def test_every_advanced_mat_has_an_ability() -> None:
    assert all(mat.standing or mat.space >= 0 for mat in BOX.mats if mat.advanced)
    assert not any(mat.standing or mat.space >= 0 for mat in BOX.mats if not mat.advanced)


def test_the_tree_is_drawn_as_section_8_says() -> None:
    joined = [[slot + 1 for slot in slots] for slots in BOX.joined]
    # The slots of level II are numbers 5 to 10, of level III 11 to 16.
    assert joined[:6] == [[1], [1, 2], [2], [3], [3, 4], [4]]
    assert joined[6:12] == [[5, 6], [6], [7], [7, 8], [8, 9], [10]]
    assert joined[12:] == [[11, 12, 13], [13, 14], [14, 15, 16]]
    assert BOX.needed[12:] == (2, 2, 2)


# Section 10: left types, IMMEDIATE, action spaces, standing ability.
LEVEL_THREE: dict[str, tuple[str, str, list[str], str]] = {
    "Transdimensional AI": ("SS", "grow 1; may [research I-II discovered freely quietly]", [], "gaps"),
    "Planetary-scale Research": ("SM", "build 2; jump 2", ["4 ore: research colonized+1"], ""),
    "Metahuman Chambers": ("SE", "automate food; grow 1", ["4 ore, 2 pop: research IIII"] * 2, ""),
    "Hivemind Computing": ("SC", "automate ore; jump 1", ["7 ore: research IIII"] * 2, ""),
    "Deep Space Megastructures": ("MS", "build 3 at deep; jump 1", ["4 ore: build 2 at deep; research III"], ""),
    "Capital Ship": ("MM", "build 4; jump 1", ["3 ore: enlist 4; may [2 ore: enlist 2]; jump 3"], ""),
    "Android Armada": ("ME", "times 2 [choose 1 of [build 2] [grow 1]]", ["4 ore: build 4; jump 3"], ""),
    "Mercenary Fleet": ("MC", "", ["3 ore: colonize", "1 ore, 1 pop: enlist 4; jump 2"], ""),
    "Cerebral Implants": ("ES", "", ["grow 1; choose 1 of [3 ore: research II] [5 ore: research III]"], ""),
    "Manufacturing Orbitals": (
        "EM",
        "per controlled max 3 [gain 1]; per 2 colonized [grow 1]; may [enlist 2; jump 2]",
        ["per controlled max 3 [gain 1]; per 2 colonized [grow 1]; may [enlist 2; jump 2]"],
        "",
    ),
    "Android Rights Movement": ("EE", "automate food; shift 2", [], "humane"),
    "Subatomic Fabrication": ("EC", "automate either; grow 1; gain 1; jump 1", [], "discs"),
    "Quantum Data Exchange": ("CS", "automate ore; gain 2", ["copy research"], ""),
    "Hyperdrive Boosters": ("CM", "upgrade 3", ["refit 2; jump 4"], ""),
    "Wormhole Technology": ("CE", "build 2; gain 1; warp 2", [], "shortcuts"),
    "Stealth Terraformers": ("CC", "", ["5 ore, 1 pop: jump 2 unseen; infiltrate"], ""),
}


def test_the_sixteen_level_three_cards_are_those_of_section_10() -> None:
    found = {}
    for card in BOX.technologies:
        if LEVELS[card.level] == "III":
            immediate = write(BOX.program, card.immediate) if card.immediate >= 0 else ""
            standing = list(STANDING)[card.standing.bit_length() - 1] if card.standing else ""
            spaces = [write(BOX.program, space) for space in card.spaces]
            found[card.name] = ("".join(TYPES[kind][0].upper() for kind in card.types), immediate, spaces, standing)
    assert found == LEVEL_THREE
    assert all(card["source"] == "fact" for card in FILE["technologies"] if card["level"] == "III")


def test_what_no_public_text_gives_is_marked_as_own() -> None:
    for key in ("events", "systems", "guilds", "mats"):
        assert {entry["source"] for entry in FILE[key]} == {"own"}
    assert {card["source"] for card in FILE["technologies"] if card["level"] != "III"} == {"own"}
    assert [card["name"] for card in FILE["achievements"] if card["source"] == "fact"] == ["Transcendence", "Empire"]


def test_no_guild_is_cheaper_than_section_10() -> None:
    # 5 ore: research III; 3 ore: colonize; 7 ore: research IIII.
    assert [guild["effect"] for guild in FILE["guilds"]][:3] == [
        "7 ore: research III",
        "4 ore: colonize",
        "8 ore: research IIII",
    ]


def test_canonical_components_load_to_an_equal_ruleset() -> None:
    again = BEYOND.load(BUILTIN.components)
    assert again == BUILTIN
    assert canonical(again.components) == again.components


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff", "mine.json: byte 0 is not UTF-8."),
        (b"{", "mine.json: line 1 column 2 is not JSON: Expecting property name enclosed in double quotes."),
        (b"[" * 100_000, "mine.json: the file is nested too deeply."),
        (b'{"a": 1, "a": 2}', "mine.json: the file gives 'a' twice in one object."),
        (b"[]", "mine.json: the file must be an object with columns, "),
        (changed("colour", to=1), "mine.json: the file has 'colour', which means nothing here; known: "),
        (
            changed("columns", "source", to="rumour"),
            "mine.json: columns.source must be one of fact, own, not 'rumour'.",
        ),
        (changed("columns", "value", to=[5, 4, 3]), "mine.json: columns.value must be a list of 5 numbers, not 3."),
        (
            changed("columns", "value", to=[5, 4, 3, 3, 3]),
            "mine.json: columns.value must leave 20 cubes in all with the population and the first ship.",
        ),
        (changed("discs", "value", to=True), "mine.json: discs.value must be a whole number."),
        (changed("discs", "value", to=9), "mine.json: discs.value must be 8, not 9."),
        (changed("trade", "value", to=[1, 1, 1]), "mine.json: trade.value must ask more ore for a population than it "),
        (
            changed("technologies", 25, "immediate", to="jmup 1"),
            "mine.json: technologies[25] (Capital Ship).immediate is no effect: 'jmup' is no effect; known: ",
        ),
        (
            changed("technologies", 25, "level", to="V"),
            "mine.json: technologies[25] (Capital Ship).level must be one of I, II, III, IIII, not 'V'.",
        ),
        (
            changed("technologies", 25, "points", to=3),
            "mine.json: technologies[25] (Capital Ship) must have 'points' exactly when it is of level IIII.",
        ),
        (
            changed("technologies", 25, "level", to="II"),
            "mine.json: technologies must hold 16 of level II, not 17.",
        ),
        (
            changed("technologies", 25, "name", to="Line Cruisers"),
            "mine.json: the file must not use the name 'line-cruisers' twice: what is typed must be clear.",
        ),
        (
            changed("technologies", 25, "standing", to="fast"),
            "mine.json: technologies[25] (Capital Ship).standing must be one of '', gaps, humane, ",
        ),
        (changed("events", to=[]), "mine.json: events must be a list of 20 entries, not 0."),
        (
            changed("events", 3, "guild", to=True),
            "mine.json: events must hold 2 of level II that are guild events, not 3.",
        ),
        (changed("events", 3, "guild", to="no"), "mine.json: events[3] (Ore Rush).guild must be true or false."),
        (changed("systems", 0, "power", to=0), "mine.json: systems[0] (Proxima).power must be 1 to 20, not 0."),
        (
            changed("systems", 0, "starting", to=False),
            "mine.json: systems must hold 4 of deck A marked starting, not 3.",
        ),
        (
            changed("achievements", 2, "counter", to="luck"),
            "mine.json: achievements[2] (Clockwork).counter must be one of controlled, colonized, ",
        ),
        (
            changed("achievements", 2, "slots", "value", to=[1, 2]),
            "mine.json: achievements[2] (Clockwork).slots.value must not be worth more to the right (Q2).",
        ),
        (
            changed("mats", 0, "letters", to="ABCDF"),
            "mine.json: mats[0] (Disciples of the Cosmic Tabernacle).letters must be 5 letters out of ABCDE.",
        ),
        (
            changed("mats", 0, "faction", to="Nobody"),
            "mine.json: mats must hold a basic and an advanced mat for each of four factions.",
        ),
        (
            changed("two_players_without", "value", to="Nobody"),
            "mine.json: two_players_without.value must be one of the factions, not 'Nobody'.",
        ),
        (
            changed("places", 6, "specialty", to=""),
            "mine.json: places[6] (forge).specialty must be given for a shipyard, and only there.",
        ),
        (
            changed("places", 6, "name", to="The Forge"),
            "mine.json: places[6] (The Forge).name must be one word of small letters and digits.",
        ),
        (
            changed("boards", "4", "lines", 0, to="sol-mars"),
            "mine.json: boards.4.lines[0] must join two of sol, a1, a2, b1, b2, deep, forge, lathe, rift by a hyphen.",
        ),
        (
            changed("boards", "4", "lines", to=["sol-a1", "a2-b1"]),
            "mine.json: boards.4.lines must join every place to sol.",
        ),
        (
            changed("boards", "4", "lines", to=["sol-a1"]),
            "mine.json: boards.4 must hold 1 of kind deep on its lines, not 0.",
        ),
        (
            changed("boxes", "2", "spaces", 5, "repeatable", to=False),
            "mine.json: boxes.2.spaces must make the last space repeatable, and no other (A1).",
        ),
        (
            changed("tree", "II", "joined", 0, to=[5]),
            "mine.json: tree.II.joined[0] must be 1 to 4, not 5.",
        ),
        (
            changed("tree", "II", "needed", 0, to=2),
            "mine.json: tree.II.needed[0] must not be more than the slots it is joined to.",
        ),
        (changed("guilds", 0, "name", to=""), "mine.json: guilds[0] ().name must be a name of 1 to 60 printable "),
        (changed("guilds", 0, "effect", to=""), "mine.json: guilds[0] (Institute).effect is no effect: it ends too "),
        (changed("guilds", 0, to={"name": "X"}), "mine.json: guilds[0] (X) lacks 'effect'."),
    ],
)
def test_a_wrong_file_is_refused_with_file_entry_and_field(data: bytes, expected: str) -> None:
    assert reason(data).startswith(expected)


def test_a_file_with_more_effects_than_a_state_can_name_is_refused() -> None:
    components = json.loads(BEYOND.builtin())
    numbers = iter(range(10_000))
    for card in components["technologies"]:
        parts = [f"gain {1 + n % 12}; grow {1 + n // 12 % 12}; points {1 + n // 144 % 12}" for n in _some(numbers, 6)]
        card["immediate"] = "; ".join(f"may [{part}]" for part in parts[:3])
        card["spaces"] = ["; ".join(f"may [{part}]" for part in parts[3:])] * 2
    for card in components["systems"]:
        card["bonus"] = card["control"] = "; ".join(
            f"may [build {1 + n % 4}; enlist {1 + n // 4 % 4}; gain {1 + n // 16 % 12}]" for n in _some(numbers, 4)
        )
    for card in components["events"]:
        card["effect"] = "; ".join(
            f"may [jump {1 + n % 12}; warp {1 + n // 12 % 12}; gain 1]" for n in _some(numbers, 5)
        )
    assert reason(json.dumps(components).encode()) == (
        "mine.json: the file must not have more than 1024 different effects and parts of effects."
    )


def _some(numbers: Iterator[int], count: int) -> list[int]:
    return [next(numbers) for _ in range(count)]


def test_a_file_of_somebody_else_is_played() -> None:
    ruleset = BEYOND.load(changed("guilds", 0, "effect", to="9 ore: research III"))
    assert ruleset != BUILTIN
    assert ruleset.start(2, {}).board.texts.count("9 ore: research III") == 1
