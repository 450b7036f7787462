"""How fast the engine of Beyond the Sun is, beside catanatron 3.2.1, both in one run.

    python tests/bench/beyond.py [--json] [--quick]

What is compared: random play of whole four-seat matches in one process, each engine enumerating the legal actions
at every step and choosing one uniformly. A decision is one choice among enumerated legal ones; for catanatron one
`play_tick` of four RandomPlayers. They are different games: the figure says how far a search gets in a second, not
which code is cleverer. Processor time is taken, repeats are interleaved, and medians are given, so that a noisy machine
is noisy for both. It must never be part of the test command: a time is not a truth.
"""

import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from catanatron import Game

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.beyond.position import Position
from support.engines import SAMPLE, catanatron_match, microseconds, run
from support.matches import Stream

SEATS = 4
RULESET = BEYOND.load(BEYOND.builtin())


def our_match(seed: int, kept: list[Position] | None = None) -> int:
    """Play one match and return its decisions; copies of some of its positions go to `kept`."""
    stream = Stream(seed)
    position = RULESET.start(SEATS, {})
    decisions = 0
    position.draw(stream)
    while acting := position.to_act():
        (seat,) = acting
        if kept is not None and decisions % SAMPLE == 0:
            kept.append(position.copy())
        legal = position.legal(seat)
        position.apply(seat, legal[stream.below(len(legal))])
        decisions += 1
        if position.chance_due():
            position.draw(stream)
    return decisions


def rate(match: Callable[[int], int], seeds: range) -> tuple[float, float, float]:
    """Return decisions and matches per second of processor time, and decisions a match."""
    began = process_time()
    decisions = sum(match(seed) for seed in seeds)
    took = process_time() - began
    return decisions / took, len(seeds) / took, decisions / len(seeds)


def measure(repeats: int, scale: int) -> dict[str, float]:
    """Return medians over `repeats` interleaved rounds; `scale` matches of each and sampled ones make one round."""
    theirs: list[Game] = []
    ours: list[Position] = []
    for seed in range(1, 4):
        catanatron_match(seed, theirs)
        our_match(seed, ours)
    samples: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        samples.setdefault(name, []).append(value)

    for repeat in range(repeats):
        seeds = range(1000 * repeat + 1, 1000 * repeat + 1 + scale)
        for whose, (decisions, matches, length) in (
            ("catanatron", rate(catanatron_match, seeds)),
            ("our", rate(our_match, seeds)),
        ):
            note(f"{whose}_decisions_per_second", decisions)
            note(f"{whose}_matches_per_second", matches)
            note(f"{whose}_decisions_a_match", length)
        note("catanatron_copy_us", microseconds(Game.copy, theirs, 1))
        note("our_copy_us", microseconds(Position.copy, ours, 20))
        note("our_encode_us", microseconds(Position.encode, ours, 5))
    figures = {name: statistics.median(values) for name, values in samples.items()}
    figures["decisions_over_catanatron"] = (
        figures["our_decisions_per_second"] / figures["catanatron_decisions_per_second"]
    )
    figures["catanatron_copy_over_ours"] = figures["catanatron_copy_us"] / figures["our_copy_us"]
    return {name: round(figure, 2) for name, figure in figures.items()}


if __name__ == "__main__":
    run(__doc__, measure, 8)
