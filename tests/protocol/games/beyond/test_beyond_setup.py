"""Section 2 of the rules: what is laid out, and what chance decides of it (S1 to S9)."""

from collections import Counter

import pytest

from sunward_protocol.errors import LocalError
from sunward_protocol.games.beyond import engine
from sunward_protocol.games.beyond.board import LEVEL_OF
from sunward_protocol.games.beyond.language import Op
from sunward_protocol.games.beyond.naming import SLOT_NAMES
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.setup import AWARDED, FACTION_DRAWN, FIRST_DRAWN, LEVEL_ONE
from sunward_protocol.games.beyond.state import (
    AWARD,
    BASES,
    CARD,
    CHARTED,
    CLAIMS,
    COVERED,
    FIRST,
    GUILDS,
    MAT,
    ROUND,
    SLOT,
    STEP,
    TURNED,
)
from support.beyond_positions import (
    BOX,
    BUILTIN,
    PLACES,
    act,
    draw,
    effect,
    options,
    own,
    refusal,
    ships_of,
    supply_of,
    table,
    turn_up,
)
from support.matches import Stream, at_random, play


def begun(seats: int, seed: int = 1, **choices: str) -> Position:
    position = BUILTIN.start(seats, choices)
    position.draw(Stream(seed))
    return position


def test_s1_levels_rise_from_left_to_right() -> None:
    assert LEVEL_OF == (0,) * 4 + (1,) * 6 + (2,) * 6 + (3,) * 3


def test_s2_only_the_places_of_the_level_one_cards_are_random() -> None:
    seen = set[tuple[int, ...]]()
    for seed in range(40):
        position = begun(4, seed)
        cards = tuple(position.s[SLOT : SLOT + 4])
        assert sorted(cards) == [1, 2, 3, 4]
        assert position.s[SLOT + 4 : CARD] == [0] * 15
        assert [sum(map(len, deck)) for deck in position.decks[:3]] == [16, 16, 10]
        seen.add(cards)
    assert len(seen) > 10


def test_s3_both_guild_events_and_four_others_lie_on_the_slots() -> None:
    # Of six covered cards two are guild events: turned up one by one, all six slots always show both of them.
    for seed in range(30):
        position = table(population=[12])
        for slot in ("II1", "II2", "II3", "II4", "II5", "II6"):
            _turn_event(position, slot, Stream(seed))
        turned = [event for number, event in enumerate(BOX.events) if position.s[TURNED] >> number & 1]
        assert len(turned) == 6
        assert sum(event.guild for event in turned) == 2
        assert {event.level for event in turned} == {1}


def _turn_event(position: Position, slot: str, stream: Stream) -> None:
    index = SLOT_NAMES.index(slot)
    position.s[COVERED] ^= 1 << index
    position.stack = []
    position.push(0, STEP[Op.EVENT], index)
    engine.run(position)
    position.draw(stream)


def test_s3_a_guild_event_lies_under_the_first_slot_two_times_in_six() -> None:
    found = Counter[bool]()
    for seed in range(1200):
        position = table()
        _turn_event(position, "III1", Stream(seed))
        found[any(BOX.events[n].guild for n in range(20) if position.s[TURNED] >> n & 1)] += 1
    assert 340 <= found[True] <= 460  # 400 expected, 16 a standard deviation


def test_s4_guilds_are_covered_until_an_event_opens_one_for_everybody() -> None:
    position = table(ore=[9, 9], population=[5, 5], researched={0: "I1", 1: "I1"})
    assert position.s[GUILDS] == 0
    assert refusal(position, "go land-office").ruling == "A2"
    effect(position, "guild 2")
    assert position.s[GUILDS] == 0b10
    (land_office,) = BUILTIN.words.read(position, 0, "go land-office")
    assert all(land_office in spaces for spaces in position.spaces)


def test_s4_the_end_is_reached_whatever_is_played() -> None:
    for seats in (2, 3, 4):
        for seed in range(4):
            stream = Stream(seed)
            position = BUILTIN.start(seats, {})
            for _ in play(position, stream, at_random(stream)):
                pass
            assert position.result() is not None


@pytest.mark.parametrize(("seats", "starting"), [(2, 1), (3, 2), (4, 2)])
def test_s5_two_a_and_two_b_systems_and_so_many_starting_ones(seats: int, starting: int) -> None:
    for seed in range(20):
        s = begun(seats, seed).s
        shown = [BOX.systems[s[CARD + PLACES[place]] - 1] for place in ("a1", "a2", "b1", "b2")]
        assert [card.deck for card in shown] == [0, 0, 1, 1]
        assert all(card.starting for card in shown[:starting])
        assert s[CARD + PLACES["rift"]] == s[CHARTED] == 0
    assert sum(map(len, begun(seats).decks[3])) == 10


def test_s5_with_two_players_the_second_a_system_comes_from_the_whole_deck() -> None:
    second = {BOX.systems[begun(2, seed).s[CARD + PLACES["a2"]] - 1].starting for seed in range(40)}
    assert second == {False, True}


def test_s6_two_basic_achievements_and_one_of_each_other_kind() -> None:
    seen = set[tuple[int, ...]]()
    for seed in range(60):
        awards = tuple(number - 1 for number in begun(4, seed).s[AWARD:CLAIMS])
        assert [BOX.achievements[number].name for number in awards[:2]] == ["Transcendence", "Empire"]
        assert [BOX.achievements[number].kind for number in awards] == ["basic", "basic", "A", "B"]
        seen.add(awards)
    assert len(seen) == 16


def test_s7_everybody_gets_the_same_and_ore_by_turn_order() -> None:
    position = begun(4)
    first = position.s[FIRST]
    for place, ore in enumerate((1, 1, 2, 2)):
        seat = (first + place) % 4
        assert own(position, seat) == {
            "ore": ore,
            "population": 2,
            "supply": 17,
            "food": 8,
            "ore discs": 8,
            "achievement discs": 8,
            "automation": 0,
        }
        assert supply_of(position, seat) == "A5 B4 C3 D3 E2"
        assert ships_of(position, seat) == "sol 1"
    assert position.s[ROUND] == 1


def test_s7_a_mat_brings_its_own_extras() -> None:
    # By faction the ore and the population that an advanced mat brings.
    extra = {"Disciples": (1, 1), "Meridian": (0, 0), "Children": (0, 1), "Ninth": (1, 0)}
    position = begun(4, mats="advanced")
    for place, ore in enumerate((1, 1, 2, 2)):
        seat = (position.s[FIRST] + place) % 4
        faction = BOX.mats[position.s[BASES[seat] + MAT] - 1].faction.split()[0]
        had = own(position, seat)
        assert (had["ore"] - ore, had["population"] - 2) == extra[faction]


def test_s8_the_first_player_and_the_factions_are_drawn() -> None:
    firsts = {begun(4, seed).s[FIRST] for seed in range(40)}
    assert firsts == {0, 1, 2, 3}
    mats = [begun(4, seed).s[BASES[0] + MAT] - 1 for seed in range(60)]
    assert set(mats) == {0, 1, 2, 3}
    assert {begun(4, seed, mats="advanced").s[BASES[0] + MAT] - 1 for seed in range(60)} == {4, 5, 6, 7}


def test_s8_factions_are_chosen_by_the_last_in_turn_order_first() -> None:
    position = begun(3, factions="chosen")
    first = position.s[FIRST]
    chosen: list[int] = []
    while position.to_act() and options(position)[0].startswith("faction"):
        chosen.append(position.to_act()[0])
        assert len(options(position)) == 4 - len(chosen) + 1
        act(position, options(position)[0])
    # The first player chooses last, among the two that are left.
    assert chosen == [(first + 2) % 3, (first + 1) % 3, first]
    assert position.to_act() == (first,)


def test_s9_two_players_play_without_the_disciples_and_with_a_box_of_their_own() -> None:
    for seed in range(20):
        position = begun(2, seed)
        assert 0 not in {position.s[base + MAT] - 1 for base in BASES[:2]}
    assert len(set(BOX.boxes.values())) == 3
    dearer = ("1 ore: research I", "3 ore: research II", "1 ore: may [enlist 1]; jump 2")
    counts = {
        seats: sum(BUILTIN.boards[4].texts[space.effect] in dearer for space in box) for seats, box in BOX.boxes.items()
    }
    assert counts == {2: 2, 3: 1, 4: 2}, "A4: two spaces cost 1 ore more, but with three, by decision 9"
    assert PLACES["lathe"] not in begun(2).board.places


def test_s9_with_three_the_second_slot_of_the_a_achievement_is_closed() -> None:
    foundation = [card.name for card in BOX.achievements].index("Foundation")
    assert [BUILTIN.boards[seats].awards[foundation] for seats in (2, 3, 4)] == [(4, 3), (4,), (4, 3)]
    assert max(max(card.slots) for card in BOX.achievements) == 4


def test_the_draws_of_the_set_up_are_made_in_its_order() -> None:
    position = BUILTIN.start(2, {})
    # First player; I1 to I4; a1 of 4 starting, a2 of 11, b1 of 12, b2 of 11; A and B achievement; two mats of three.
    draws = draw(position, 1, 0, 0, 0, 0, 3, 10, 0, 0, 2, 1, 2, 0)
    kinds = [drawn[0] for drawn in draws]
    assert kinds == [FIRST_DRAWN] + [LEVEL_ONE] * 4 + [3] * 4 + [AWARDED] * 2 + [FACTION_DRAWN] * 2
    assert draws[0] == (FIRST_DRAWN, 1)
    assert [BOX.systems[drawn[2]].name for drawn in draws[5:9]] == ["Ross", "Teegarden", "Vega", "Altair"]
    assert [BOX.achievements[drawn[2]].name for drawn in draws[9:11]] == ["Foundation", "Treasury"]
    assert draws[11:] == [(FACTION_DRAWN, 1, 3), (FACTION_DRAWN, 0, 1)]


def test_seats_and_options_there_are_not_are_refused() -> None:
    with pytest.raises(LocalError, match="for 2 to 4 players, not 5"):
        BUILTIN.start(5, {})
    with pytest.raises(LocalError, match=r"no option mats=golden\. There are mats: basic, advanced; factions: "):
        BUILTIN.start(4, {"mats": "golden"})


def test_the_extra_space_gets_its_system_from_deck_b() -> None:
    position = effect(table(), "chart")
    assert position.to_act() == ()
    turn_up(position, "Rigel")
    assert position.s[CHARTED] == 1
    assert BOX.systems[position.s[CARD + PLACES["rift"]] - 1].name == "Rigel"
