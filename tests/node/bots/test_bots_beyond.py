"""What the bots think of a position of Beyond the Sun: worth worked out by hand, and whole matches to their end."""

from dataclasses import replace

import pytest

from sunward_node.bots.arena import play, seed_of
from sunward_node.bots.beyond import Plan, valuation
from sunward_node.bots.catalog import find
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.state import ACTIVE, CLAIMS, LAST, OVER, ROUND
from support.beyond_positions import board_with, table

NOTHING = Plan(
    technology=(0.0, 0.0, 0.0, 0.0),
    ore=0.0,
    people=0.0,
    first=0.0,
    power=0.0,
    spaces=(0.0,),
    standing=(0.0,),
    symbol=0.0,
    outpost=0.0,
    colony=0.0,
    claim=0.0,
)
EARLY = 1 / (1 + (1 / 15) ** 2)
"""What means are good for in the first turn of all."""


def test_points_count_as_they_are() -> None:
    """A technology of level I and one of II make 3; all tie at Sol with a ship each, 1; a colony of 2 is Proxima's."""
    position = table(techs={"II1": "Mass Cloning"}, researched={0: "I1 II1"}, systems={"a1": "Ross"})
    assert valuation(NOTHING)(position, 0) == 1 + 2 + 1
    assert valuation(NOTHING)(position, 1) == 1


@pytest.mark.parametrize(
    ("plan", "position", "points", "means"),
    [
        (replace(NOTHING, ore=1.0), table(ore=[14]), 1, 12 + 2 / 4),
        (replace(NOTHING, people=1.0), table(population=[8]), 1, 6 + 2 / 4),
        (replace(NOTHING, first=1.0), table(population=[2]), 1, 1),
        (replace(NOTHING, first=1.0), table(population=[0]), 1, 0),
        (replace(NOTHING, power=1.0), table(ships={0: "sol 3, a1 2"}), 1, 5),
        (replace(NOTHING, technology=(1.0, 0.0, 0.0, 0.0)), table(researched={0: "I1 I2"}), 3, 2),
        (replace(NOTHING, spaces=(1.0,)), table(researched={0: "I1"}), 2, 2),  # to research II is worth 2
        # 2 ore for that, and 1 ore to grow 1 and automate, the second best: 2 - 0.5 and half of 0.65 + 0.8 - 0.25.
        (replace(NOTHING, spaces=(1.0, 0.5), ore=0.25), table(ore=[0], researched={0: "I1 I2"}), 3, 1.5 + 0.6),
        (
            replace(NOTHING, standing=(0.0, 0.0, 0.0, 1.0)),
            table(techs={"III1": "Wormhole Technology"}, researched={0: "III1"}),
            3 + 1,
            1,
        ),
        (replace(NOTHING, symbol=1.0), table(holders={"a1": "0 food"}), 1 + 1, 1 / 2),
        (replace(NOTHING, outpost=1.0), table(ships={0: "a1 1"}), 0, 1),
        (replace(NOTHING, outpost=1.0), table(ships={0: "a1 1", 1: "a1 1"}), 0, 0),
        (replace(NOTHING, colony=1.0), table(ships={0: "a1 1"}), 0, 2 / 2),  # Proxima takes 2 and pays 2
    ],
)
def test_means_are_worth_what_the_plan_makes_of_them(
    plan: Plan, position: Position, points: float, means: float
) -> None:
    assert valuation(plan)(position, 0) == pytest.approx(points + EARLY * means)


def test_a_claim_is_worth_its_share_squared_and_does_not_fade() -> None:
    """Metropolis takes 7 population, Armada a power of 12, of which there is 1."""
    claiming = replace(NOTHING, claim=1.0)
    assert valuation(claiming)(table(population=[4]), 0) == pytest.approx(1 + (4 / 7) ** 2 + (1 / 12) ** 2)


def test_the_last_of_a_round_loses_nothing_by_ending_its_turn() -> None:
    """Were means valued by the round, the seat would do anything rather than let the next round begin."""
    position = table()
    position.s[ACTIVE], position.s[ROUND] = 3, 7
    mining = valuation(replace(NOTHING, ore=1.0))
    before = mining(position, 3)
    position.s[ACTIVE], position.s[ROUND] = 0, 8
    assert mining(position, 3) == before
    assert mining(position, 0) < mining(position, 2)


def test_means_are_worth_little_in_the_last_turn_and_nothing_after() -> None:
    position = table(ore=[10])
    mining = valuation(replace(NOTHING, ore=1.0))
    position.s[LAST] = position.s[ROUND]
    assert mining(position, 0) == pytest.approx(1 + 10 * 0.05)
    position.s[OVER] = 1
    assert mining(position, 0) == 1


def test_what_is_pending_counts_for_what_it_brings() -> None:
    """To grow two and mine three: 0.6 × (2 × 0.3 + 3 × 0.2); a choice is worth its best; repeated, it is so often.

    What goes by a count is taken half as often as it can be at most, once where there is no such bound.
    """
    plan = valuation(NOTHING)
    for text, worth in (
        ("grow 2; may [gain 3]", 0.6 * 1.2),
        ("choose 1 of [grow 1] [gain 1]", 0.6 * 0.3),
        ("times 2 [build 4]", 0.6 * 2 * 4 * 0.35),
        ("per controlled max 3 [gain 1]", 0.6 * 1.5 * 0.2),
        ("per 2 colonized [grow 1]", 0.6 * 0.3),
        ("copy research", 1.2),
        ("research I", 1.0),
        ("research II", 2.0 / 4),  # nothing of level I is held
        ("research colonized+1", 3.0),
        ("colonize", 4.2 / 4),  # nothing is controlled
    ):
        position = table()
        position.board = board_with(text, position.seats)
        position.push(0, position.board.components.guilds[0].effect)
        assert plan(position, 0) == pytest.approx(1 + worth), text
        assert plan(position, 1) == 1


def test_after_thirty_rounds_means_keep_their_worth_and_claims_count_twice() -> None:
    """Were a claimed achievement worth less than the hope of it, nobody would claim; Metropolis also pays 3 points."""
    saving, claiming = valuation(replace(NOTHING, ore=1.0)), valuation(replace(NOTHING, claim=1.0))
    position = table(ore=[10], population=[0])
    for turns, left in ((30, 1 / 5), (31, 0.4), (300, 0.4)):
        position.s[ROUND] = turns
        assert saving(position, 0) == pytest.approx(1 + 10 * left)
    toward = 1 / 12**2  # Armada takes a power of 12
    assert claiming(position, 0) == pytest.approx(1 + 2 * toward)
    position.s[CLAIMS + 3] = 1  # Metropolis, 3 points
    assert claiming(position, 0) == pytest.approx(1 + 3 + 2 + 2 * toward)
    position.s[ROUND] = 30
    assert claiming(position, 0) == pytest.approx(1 + 3 + toward)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("name", ["greedy", "economy", "fleet"])
def test_a_bot_plays_to_the_end(name: str, seats: int) -> None:
    position = BEYOND.load(BEYOND.builtin()).start(seats, {})
    for _ in play(position, [find(name, BEYOND)] * seats, seed_of("whole", seats)):
        assert position.s[ROUND] < 80
    assert position.result() is not None
