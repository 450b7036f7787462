"""Section 3 and 7: action, production, achievements, and the end (A1 to A5, P1 to P5, Q1, Q2, E1 to E4)."""

import statistics

import pytest

from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.scoring import PARTS, result, standings
from sunward_protocol.games.beyond.state import (
    ACTIVE,
    AUTOMATED,
    BASES,
    CLAIMS,
    COLUMN,
    CRYSTAL,
    DISC,
    EARNED,
    HOLDER,
    LAST,
    OVER,
    PEOPLE,
    ROUND,
    SHIPS,
)
from support.beyond_positions import (
    BOX,
    BUILTIN,
    PLACES,
    able,
    act,
    columns,
    effect,
    options,
    own,
    refusal,
    ships_of,
    stand_on,
    supply_of,
    table,
)
from support.matches import Stream, play


def spaces(position: Position) -> list[str]:
    return [option.removeprefix("go ") for option in options(position) if option.startswith("go ")]


def test_a1_the_pawn_moves_to_a_free_space() -> None:
    position = table(population=[3, 3])
    stand_on(position, 1, "research-one")
    assert "research-one" not in spaces(position)
    error = refusal(position, "go research-one")
    assert (error.ruling, error.sentence) == ("A1", "research-one is taken by the pawn of seat 1.")
    stand_on(position, 0, "ship-and-jump")
    assert refusal(position, "go ship-and-jump").sentence.startswith("Your pawn stands on ship-and-jump")
    stand_on(position, 0, "grow-and-mine")  # the last space may be repeated ...
    assert "grow-and-mine" in spaces(position)
    stand_on(position, 0, "ship-and-jump")
    stand_on(position, 1, "grow-and-mine")  # ... by whoever stands there
    assert "grow-and-mine" not in spaces(position)


def test_a2_a_space_needs_an_own_cube_and_each_space_of_a_card_is_another() -> None:
    position = table(techs={"III1": "Hivemind Computing"}, researched={0: "I1 II1 II2 III1"}, ore=[8], population=[2])
    assert "hivemind-computing 1" not in spaces(position)  # no IIII slot whose prerequisites are held
    position = table(
        techs={"II3": "Letters of Marque", "II1": "Homestead Convoys"}, researched={0: "II1"}, ore=[8], population=[2]
    )
    assert refusal(position, "go letters-of-marque").ruling == "A2"
    stand_on(position, 1, "homestead-convoys 1")
    assert "homestead-convoys 2" in spaces(position)


def test_a3_costs_come_before_effects() -> None:
    position = table(ore=[2], population=[1], researched={0: "I1"})
    assert "research-two" in spaces(position)
    # Two ore to pay, but then a population cube to place: without it the action can do nothing.
    position = table(ore=[2], population=[0], researched={0: "I1"})
    assert refusal(position, "go research-two").ruling == "A3"
    # One population is lost by paying, so another is needed for the slot.
    assert not able(table(ore=[4], population=[1], researched={0: "I1"}), "1 ore, 1 pop: research II")
    assert able(table(ore=[4], population=[2], researched={0: "I1"}), "1 ore, 1 pop: research II")
    assert not able(table(ore=[0]), "1 ore: gain 2")


def test_a3_a_population_that_is_lost_needs_room() -> None:
    # All of A5 B4 C3 D3 E2 is full at the beginning.
    assert not able(table(population=[2]), "1 pop: gain 1")
    position = effect(table(population=[3]), "1 pop: gain 1")
    assert own(position)["population"] == 2
    assert supply_of(position) == "A5 B4 C3 D3 E2"


def test_a4_the_basic_box() -> None:
    box = [(space.name, BUILTIN.boards[4].texts[space.effect], space.repeatable) for space in BOX.boxes[4]]
    assert box == [
        ("research-one", "research I", False),
        ("research-one-late", "1 ore: research I", False),
        ("research-two", "2 ore: research II", False),
        ("ship-and-jump", "may [enlist 1]; jump 2", False),
        ("ship-and-jump-late", "1 ore: may [enlist 1]; jump 2", False),
        ("grow-and-mine", "grow 1; gain 1", True),
    ]


def test_a4_grow_and_mine_takes_the_leftmost_cube_and_one_ore() -> None:
    position = act(table(ore=[1]), "go grow-and-mine")
    assert (own(position)["ore"], own(position)["population"], supply_of(position)) == (2, 3, "A4 B4 C3 D3 E2")


def test_a4_ship_and_jump_makes_a_population_a_ship() -> None:
    position = act(table(), "go ship-and-jump", "yes", "jump sol>a1")
    assert own(position)["population"] == 1
    act(position, "jump sol>a1")
    assert ships_of(position) == "a1 1, a1 1"


def test_a5_without_any_action_the_turn_goes_on_with_production() -> None:
    # No ore, no population, no ship, and both pawns of others where there would be something to do.
    position = table(ore=[0], population=[0], ships={0: ""}, researched={0: "I1 I2"}, supply={0: ""})
    stand_on(position, 1, "grow-and-mine")
    assert options(position) == ["produce growth", "produce ore", "produce trade"]


def test_p1_one_production_is_chosen_even_if_it_yields_nothing() -> None:
    position = act(table(supply={0: ""}), "go grow-and-mine")
    assert options(position) == ["produce growth", "produce ore", "produce trade"]
    act(position, "produce growth")
    assert own(position)["population"] == 2
    assert position.to_act() == (1,)


@pytest.mark.parametrize(
    ("food", "supply", "expected", "left"),
    [
        (8, "A5 B4 C3 D3 E2", 1, "A4 B4 C3 D3 E2"),  # the leftmost is never covered
        (7, "A5 B4 C3 D3 E2", 1, "A4 B4 C3 D3 E2"),
        (6, "A5 B4 C3 D3 E2", 2, "A4 B3 C3 D3 E2"),
        (0, "A5 B4 C3 D3 E2", 5, "A4 B3 C2 D2 E1"),
        (0, "B4 E2", 2, "B3 E1"),  # a letter whose column is empty takes nothing
        (8, "B4", 0, "B4"),
    ],
)
def test_p2_growth(food: int, supply: str, expected: int, left: str) -> None:
    position = table(supply={0: supply}, population=[0])
    position.s[BASES[0] + DISC + 1] = food
    act(position, "go grow-and-mine")
    before = own(position)["population"]
    position.s[BASES[0] + COLUMN : BASES[0] + COLUMN + 5] = columns(supply)
    act(position, "produce growth")
    assert own(position)["population"] - before == expected
    assert supply_of(position) == left


def test_p2_letters_are_the_mats_own() -> None:
    # The Combine's advanced mat has ABBCD: with four discs gone a cube of A and two of B.
    position = table(mats=(5, 4, 6, 7))
    position.s[BASES[0] + DISC + 1] = 4
    act(position, "go grow-and-mine", "produce growth")
    assert supply_of(position) == "A3 B2 C3 D3 E2"


@pytest.mark.parametrize(("discs", "ore"), [(8, 1), (7, 1), (6, 2), (4, 3), (2, 4), (1, 4), (0, 6)])
def test_p3_ore_is_the_sum_of_the_uncovered_numbers(discs: int, ore: int) -> None:
    # Own numbers: 1, +1, +1, +1, +2.
    position = table(ore=[0])
    position.s[BASES[0] + DISC + 2] = discs
    act(position, "go grow-and-mine", "produce ore")
    assert own(position)["ore"] == 1 + ore


def test_p4_trades_in_any_number_and_mix() -> None:
    position = act(table(ore=[6], ships={0: "sol 1, a1 3"}, population=[2]), "go grow-and-mine", "produce trade")
    assert options(position) == [
        "trade ore",
        "trade population",
        "trade ship 1 sol",
        "trade ship 3 proxima",
        "done",
    ]
    act(position, "trade ore", "trade ore", "trade ship 3 proxima")  # 7 ore: 3, 3 and 1
    assert own(position)["ore"] == 0
    assert own(position)["population"] == 3 + 2 + 1
    assert ships_of(position) == "sol 1"
    act(position, "trade population", "trade population", "done")
    assert (own(position)["ore"], own(position)["population"]) == (2, 4)


def test_p4_ore_for_population_takes_the_leftmost_filled_column() -> None:
    position = act(table(ore=[3], supply={0: "C2 D1"}), "go grow-and-mine", "produce trade", "trade ore")
    assert supply_of(position) == "D1"  # one was grown, one traded


def test_p5_cubes_return_to_the_rightmost_column_with_room() -> None:
    position = act(table(supply={0: "A5 E1"}, population=[4]), "go grow-and-mine", "produce trade")
    act(position, "trade population", "trade population")
    assert supply_of(position) == "A4 D1 E2"


def test_p5_with_a_full_supply_nothing_returns() -> None:
    position = act(table(population=[2], ore=[1]), "go ship-and-jump", "no", "done", "produce trade")
    assert options(position) == ["trade ship 1 sol", "done"]
    assert refusal(position, "trade population").ruling == "P4"


def claims_ready() -> Position:
    """Return a table where seat 0 has population 8 and power 14 before the end of its turn."""
    return table(ships={0: "sol 4, sol 4, sol 4, sol 3"}, population=[8], ore=[1])


def test_q1_an_achievement_is_claimed_at_the_end_of_the_turn_one_at_most() -> None:
    position = act(claims_ready(), "go grow-and-mine", "produce growth")
    # Both Armada (power 14) and Metropolis (population 8) are reached: a choice, and no way around it.
    assert options(position) == ["claim armada", "claim metropolis"]
    act(position, "claim metropolis")
    assert position.to_act() == (1,)
    assert position.s[CLAIMS : CLAIMS + 4] == [0, 0, 0, 1]
    assert own(position)["achievement discs"] == 7


def test_q1_a_single_achievement_is_compulsory() -> None:
    position = act(table(population=[8]), "go grow-and-mine", "produce ore")
    assert position.s[CLAIMS + 3] == 1
    assert position.to_act() == (1,)


def test_q2_slots_fall_to_the_right_and_stay_once_for_each() -> None:
    position = act(table(population=[8, 9]), "go grow-and-mine", "produce ore")
    act(position, "go research-one", "research I1", "produce ore")
    assert position.s[CLAIMS + 3] == 1 | 2 << 3
    metropolis = PARTS["achievements"]
    # Own values of B cards: 3, 2, 1.
    assert [metropolis(position, seat) for seat in range(4)] == [3, 2, 0, 0]
    position.s[BASES[0] + PEOPLE] = 0  # it stays though the condition is lost
    assert metropolis(position, 0) == 3


def test_q2_a_full_card_cannot_be_claimed() -> None:
    position = table(population=[8])
    position.s[CLAIMS + 3] = 2 | 3 << 3 | 4 << 6  # three slots, three discs
    act(position, "go grow-and-mine", "produce ore")
    assert position.s[CLAIMS + 3] == 2 | 3 << 3 | 4 << 6
    assert position.to_act() == (1,)


def play_out(position: Position) -> None:
    """Let everybody grow and mine or do the next best thing until the match is over or 40 choices were made."""
    for _ in range(200):
        if position.due:
            position.draw(Stream(1))
        elif position.to_act():
            act(position, options(position)[-1])
        else:
            return


def test_e1_the_fourth_disc_ends_this_round_and_one_more() -> None:
    position = table(population=[8])
    position.s[CLAIMS] = 2 | 3 << 3 | 4 << 6  # three discs lie there already
    act(position, "go grow-and-mine", "produce ore")
    assert position.s[LAST] == 2
    play_out(position)
    assert position.s[OVER] == 1
    assert position.s[ROUND] == 2
    assert position.to_act() == ()


@pytest.mark.parametrize(("seats", "discs"), [(2, 3), (3, 3), (4, 4)])
def test_e1_so_many_discs_call_the_end(seats: int, discs: int) -> None:
    assert BUILTIN.boards[seats].end == discs


def test_e1_the_last_in_turn_order_calling_the_end_leaves_one_full_round() -> None:
    position = table(seats=2, population=[2, 8])
    position.s[CLAIMS] = 1
    position.s[CLAIMS + 1] = 1
    act(position, "go research-one", "research I1", "produce ore")
    act(position, "go grow-and-mine", "produce ore")
    assert (position.s[ROUND], position.s[LAST]) == (2, 2)
    play_out(position)
    assert position.s[OVER] == 1


def test_e2_every_part_of_the_score() -> None:
    position = table(
        techs={"II1": "Mass Cloning", "III2": "Capital Ship", "IIII1": "Mirror Minds"},
        researched={0: "I1 I2 II1 III2 IIII1"},
        private={"Long Haul": 0, "Android Armada": 0},
        colonies={"Capella": 0, "Luyten": 0},
        holders={"forge": "0 ore", "a1": "0 food"},
        ships={0: "sol 2, deep 1", 1: "sol 2"},
    )
    s, base = position.s, BASES[0]
    s[base + AUTOMATED + 1] = 9
    s[base + EARNED] = 2
    s[CLAIMS] = 2 | 1 << 3
    parts = {name: part(position, 0) for name, part in PARTS.items()}
    assert parts == {
        "technologies": 1 + 1 + 2 + 3 + 5 + 2 + 3,  # two I, a II, a III, Mirror Minds' 5, and the private ones
        "automation": 0 + 1 + 0 + 1 + 1 + 0 + 2 + 1 + 1,
        "colonized systems": 7 + 2,
        "outposts": 2,
        "fleets": 2,  # a tie at Sol, alone in Deep Space
        "events": 2,
        "achievements": 3,
    }
    assert standings(position)[0] == sum(parts.values())
    assert PARTS["fleets"](position, 2) == 0


def test_e2_control_without_a_disc_scores_nothing() -> None:
    position = table(holders={"forge": "0 ore"})
    position.s[BASES[0] + DISC + 2] = 0
    assert PARTS["outposts"](position, 0) == 1
    position.s[HOLDER + PLACES["forge"]] = 1
    assert PARTS["outposts"](position, 0) == 0


@pytest.mark.parametrize(
    ("index", "better", "worse"),
    [
        (DISC + 1, 3, 4),  # fewest discs on the tracks
        (CRYSTAL, 5, 4),  # then the most ore
    ],
)
def test_e3_ties(index: int, better: int, worse: int) -> None:
    position = table(ore=[4, 4, 4, 4])
    for seat, base in enumerate(BASES):
        position.s[base + index] = better if seat == 1 else worse
        position.s[base + DISC + 1] = position.s[base + DISC + 1] if index == DISC + 1 else 8
    position.s[OVER] = 1
    final = result(position)
    assert final is not None
    assert len(set(final.scores)) == 1
    assert final.winners == (1,)


def test_e3_then_achievements_then_the_later_in_turn_order() -> None:
    position = table(ore=[1, 1, 1, 1])
    position.s[OVER] = 1
    final = result(position)
    assert final is not None
    assert final.winners == (3,)
    position.s[CLAIMS] = 1 << 6  # seat 0 in the third slot: 2 points
    position.s[BASES[0] + EARNED] = 0
    for base in BASES[1:]:
        position.s[base + EARNED] = 2
    final = result(position)
    assert final is not None
    assert final.scores[0] == final.scores[1]
    assert final.winners == (0,)


def test_e4_winning_scores_are_of_the_human_order() -> None:
    # Autopilots win with 20 to 80; people with 40 to 69.
    best: list[int] = []
    for seed in range(10):
        position = BUILTIN.start(4, {})
        for _ in play(position, Stream(seed), lambda table_, seat: table_.autopilot(seat)):
            pass
        final = position.result()
        assert final is not None
        best.append(max(final.scores))
    assert 30 <= statistics.median(best) <= 70


def test_the_turn_passes_clockwise() -> None:
    position = act(table(), "go grow-and-mine", "produce ore")
    assert position.s[ACTIVE] == 1
    assert position.s[BASES[0] + SHIPS] == 1
