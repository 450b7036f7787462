"""How fast the engine of Beyond the Sun is, beside catanatron 3.2.1, both in one run.

    python tests/bench/beyond.py [--json] [--quick]

What is compared: random play of whole four-seat matches in one process, each engine enumerating the legal actions
at every step and choosing one uniformly. A decision is one choice among enumerated legal ones; for catanatron one
`play_tick` of four RandomPlayers. They are different games: the figure says how far a search gets in a second, not
which code is cleverer. Processor time is taken, repeats are interleaved, and medians are given, so that a noisy machine
is noisy for both. It must never be part of the test command: a time is not a truth.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import TypeVar

from catanatron import Color, Game, RandomPlayer

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.beyond.position import Position
from support.matches import Stream

SEATS = 4
TURNS_LIMIT = 1000
"""Where catanatron gives a match up."""
SAMPLE = 7
"""Of how many decisions one is kept as a position to time single calls on."""
RULESET = BEYOND.load(BEYOND.builtin())

T = TypeVar("T")


def catanatron_match(seed: int, kept: list[Game] | None = None) -> int:
    """Play one match and return its decisions; copies of some of its positions go to `kept`."""
    game = Game([RandomPlayer(color) for color in Color], seed=seed)
    decisions = 0
    while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
        if kept is not None and decisions % SAMPLE == 0:
            kept.append(game.copy())
        game.play_tick()  # pyright: ignore[reportUnknownMemberType]  catanatron is untyped
        decisions += 1
    return decisions


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


def microseconds(call: Callable[[T], object], arguments: Sequence[T], rounds: int) -> float:
    """Return the time of one call on one of the arguments, the loop's own time included."""
    began = process_time()
    for _ in range(rounds):
        for argument in arguments:
            call(argument)
    return (process_time() - began) / rounds / len(arguments) * 1e6


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="one small round: that it runs, not how fast")
    options = parser.parse_args()
    figures = measure(repeats=1 if options.quick else 7, scale=1 if options.quick else 8)
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.writelines(f"{name:32} {figure:12,.2f}\n" for name, figure in figures.items())


if __name__ == "__main__":
    main()
