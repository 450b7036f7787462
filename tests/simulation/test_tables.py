"""Some hundred tables under faults, checked after every event; `run.py` runs as many as one likes, and one alone."""

from collections.abc import Sequence
from typing import get_args

import pytest

from simulation.run import explain, kept, outcomes, traced
from simulation.test_broken_replicas import forgets_its_journal
from sunward_node.seat import MATCH_FILE
from support.sim_faults import Crash, Fault, Loss, Scenario, draw_scenario
from support.sim_play import play, shrink
from support.sim_weather import tear

BATCH = 30


def failures(seeds: Sequence[int], game: str = "pebbles", real: bool = False) -> dict[int, str]:
    """Return what failed, by seed."""
    return {seed: sentence for seed in seeds if (sentence := play(draw_scenario(seed, game, real)).sentence)}


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_every_promise_holds_at_tables_under_faults(batch: int) -> None:
    seeds = range(batch * BATCH, (batch + 1) * BATCH)
    assert failures(list(seeds)) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("game", "real"), [("pebbles", True), ("around", False), ("around", True), ("beyond", False)])
def test_every_promise_holds_with_real_signatures_and_games(game: str, real: bool) -> None:
    assert failures([1], game, real) == {}


def first(count: int) -> str:
    """Return the numbers of a scenario's first faults: those that its seed made when it failed."""
    return ",".join(map(str, range(count)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "numbers"),
    [
        (1005365, None),  # a link was shown, and the lock that let it forgotten
        (1001673, first(11)),  # the same, with players who ask for a rest
        (1003823, None),  # two who voted again every 6 s for what a third does not find yet
        (1005911, first(19)),  # all are there, and each clock finds another late
        (8061394, None),  # a claim stands again when its epoch does
        (10001654, None),  # two hand each other a draw that one of them is about to undo
        (20014068, None),  # all yield to each other, and so no more, and so again
        (40052437, None),  # a node dies before the record that shows the lock of the end
        (40101351, first(20)),  # clocks of twice and half the speed, whose minutes of yielding do not meet at first
        (129, None),  # one word of who is out is taken many times over
        (300127, "5,6"),  # a node dies between two records that one lock brings
    ],
)
def test_a_table_that_failed_once_does_not_fail_again(seed: int, numbers: str | None) -> None:
    assert play(kept(draw_scenario(seed), numbers, None)).sentence == ""


def test_a_seed_is_the_same_table_each_time() -> None:
    scenario = draw_scenario(13)
    assert scenario == draw_scenario(13)
    assert traced(scenario) == traced(scenario)
    assert traced(scenario)[1].deaths > 0


def test_all_kinds_of_faults_happen() -> None:
    seen = {type(fault) for seed in range(40) for fault in draw_scenario(seed).faults}
    assert seen == set(get_args(Fault))


def test_a_record_that_is_torn_is_gone_and_what_was_before_it_is_not() -> None:
    for part in (0.0, 0.3, 0.99):
        assert tear([b"one", b"two"], b"three", part, MATCH_FILE) == [b"one", b"two"]


def test_a_failure_is_shrunk_to_the_faults_that_it_needs() -> None:
    def fails(scenario: Scenario) -> bool:
        kinds = {type(fault) for fault in scenario.faults}
        return {Loss, Crash} <= kinds and scenario.turns >= 2

    scenarios = map(draw_scenario, range(1000))
    whole = next(scenario for scenario in scenarios if fails(scenario) and len(scenario.faults) > 6)
    small = shrink(whole, fails)
    assert sorted(type(fault).__name__ for fault in small.faults) == ["Crash", "Loss"]
    assert small.turns == 2
    assert shrink(whole, lambda scenario: True).faults == ()
    assert shrink(whole, fails, tries=0) == whole


def test_a_failing_seed_is_explained_and_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    forgets_its_journal(monkeypatch)
    played = outcomes(range(200), "pebbles", False, 1)
    seed, outcome = next((seed, outcome) for seed, outcome in played if outcome.code == "twice")
    lines = explain(seed, outcome, "pebbles", False)
    assert "a second time, and otherwise" in lines[0]
    flags = lines[-1].split()
    numbers, turns = flags[flags.index("--keep") + 1].strip("'"), int(flags[flags.index("--turns") + 1])
    small = kept(draw_scenario(seed), numbers, turns)
    assert len(small.faults) < len(draw_scenario(seed).faults)
    assert play(small).code == "twice"
    assert any("dies" in line for line in lines)
