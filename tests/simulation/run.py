"""Whole tables under faults, each from one seed, with every promise checked after every event.

python tests/simulation/run.py --seeds 1000 --jobs 2             run many; shrink and tell the first that fails
python tests/simulation/run.py --seeds 100000 --count            run all of them, and tell at the end which failed
python tests/simulation/run.py --seed 7                          run one again and say what went on
python tests/simulation/run.py --seed 7 --keep 0,3 --turns 2     the same with two of its faults and two turns

The promises stand in `tests/support/sim_checks.py`, what can go wrong in `tests/support/sim_faults.py`.
"""

import argparse
import dataclasses
import sys
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.opened_once import open_once
from support.sim_faults import Scenario, draw_scenario
from support.sim_play import Outcome, play, shrink
from support.sim_trace import Trace

LAST_LINES = 60
"""How much of the trace of a shrunk failure is printed; the printed command gives all of it."""


def run(seed: int, game: str, real: bool) -> tuple[int, Outcome]:
    """Play one seed; a function of the module's own, so that processes can be given it."""
    return seed, play(draw_scenario(seed, game, real))


def outcomes(seeds: range, game: str, real: bool, jobs: int) -> Iterator[tuple[int, Outcome]]:
    """Play seeds, in their order, in so many processes."""
    one = partial(run, game=game, real=real)
    if jobs == 1:
        yield from map(one, seeds)
        return
    with get_context("spawn").Pool(jobs, open_once) as pool:
        yield from pool.imap(one, seeds, chunksize=8)


def kept(scenario: Scenario, numbers: str | None, turns: int | None) -> Scenario:
    """Return a scenario with only some of its faults, by number, and another number of turns."""
    if numbers is not None:
        wanted = [int(number) for number in numbers.split(",") if number]
        scenario = dataclasses.replace(scenario, faults=tuple(scenario.faults[number] for number in wanted))
    return scenario if turns is None else dataclasses.replace(scenario, turns=turns)


def traced(scenario: Scenario, statuses: bool = False) -> tuple[list[str], Outcome]:
    """Play a scenario once more and return what went on."""
    lines = list[str]()
    return lines, play(scenario, watch=lambda world: Trace(world, lines.append, statuses))


def told(scenario: Scenario) -> list[str]:
    """Return a scenario in words."""
    table = f"{scenario.members} members, {scenario.game}, {scenario.turns} turns, latency {scenario.latency} s"
    return [f"seed {scenario.seed}: {table}", *(f"  {number}: {each}" for number, each in enumerate(scenario.faults))]


def explain(seed: int, outcome: Outcome, game: str, real: bool) -> list[str]:
    """Shrink a failing seed; return what fails, the smallest scenario found, its last lines, and how to repeat it."""
    whole = draw_scenario(seed, game, real)
    small = shrink(whole, lambda scenario: play(scenario).code == outcome.code)
    lines, again = traced(small)
    numbers = ",".join(str(whole.faults.index(fault)) for fault in small.faults)
    flags = f"--seed {seed} --keep '{numbers}' --turns {small.turns} --game {game}" + " --real" * real
    cut = [f"... {len(lines) - LAST_LINES} lines more"] if len(lines) > LAST_LINES else []
    return [
        f"seed {seed} fails: {outcome.sentence}",
        f"with {len(small.faults)} of its {len(whole.faults)} faults: {again.sentence}",
        *told(small),
        *cut,
        *lines[-LAST_LINES:],
        f"again: python tests/simulation/run.py {flags}",
    ]


def main() -> int:
    """Run what was asked for; return 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=300, help="how many seeds to run")
    parser.add_argument("--start", type=int, default=0, help="the first of them")
    parser.add_argument("--jobs", type=int, default=1, help="in how many processes")
    parser.add_argument("--count", action="store_true", help="go on where one fails, and tell all of them at the end")
    parser.add_argument("--game", default="pebbles", choices=("pebbles", "around", "beyond"))
    parser.add_argument("--real", action="store_true", help="sign with Ed25519 instead of hashes")
    parser.add_argument("--seed", type=int, help="run this one alone and print what went on")
    parser.add_argument("--keep", help="of its faults only these, by number")
    parser.add_argument("--turns", type=int, help="that many turns instead of its own")
    parser.add_argument("--statuses", action="store_true", help="show STATUS frames too")
    asked = parser.parse_args()
    open_once()
    if asked.seed is not None:
        scenario = kept(draw_scenario(asked.seed, asked.game, asked.real), asked.keep, asked.turns)
        lines, outcome = traced(scenario, asked.statuses)
        print(*lines, *told(scenario), outcome.sentence or "all is well", sep="\n")
        return bool(outcome.code)
    start, steps, frames, deaths, stood, failed = time.perf_counter(), 0, 0, 0, 0, list[str]()
    seeds = range(asked.start, asked.start + asked.seeds)
    for seed, outcome in outcomes(seeds, asked.game, asked.real, asked.jobs):
        steps, frames, deaths = steps + outcome.steps, frames + outcome.frames, deaths + outcome.deaths
        stood += outcome.stood
        if outcome.code and asked.count:
            failed.append(f"seed {seed} fails: {outcome.sentence}")
        elif outcome.code:
            print(*explain(seed, outcome, asked.game, asked.real), sep="\n")
            return 1
    seconds = time.perf_counter() - start
    tables = f"{asked.seeds} tables of {asked.game} from seed {asked.start}"
    how = f"{len(failed)} fail" if failed else "all is well"
    print(f"{tables}, {steps} steps, {frames} frames, {deaths} deaths, {stood} stood, {seconds:.1f} s: {how}")
    print(*failed, sep="\n", end="\n" * bool(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
