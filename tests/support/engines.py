"""What the engine benchmarks share: catanatron's random play, the time of single calls, and how figures are printed."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import TypeVar

from catanatron import Color, Game, RandomPlayer

TURNS_LIMIT = 1000
"""Where catanatron gives a match up."""
SAMPLE = 7
"""Of how many choices one is kept as a position to time single calls on."""

T = TypeVar("T")


def catanatron_match(seed: int, kept: list[Game] | None = None) -> int:
    """Play one match of four and return its choices; copies of some of its positions go to `kept`."""
    game = Game([RandomPlayer(color) for color in Color], seed=seed)
    choices = 0
    while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
        if kept is not None and choices % SAMPLE == 0:
            kept.append(game.copy())
        game.play_tick()  # pyright: ignore[reportUnknownMemberType]  catanatron is untyped
        choices += 1
    return choices


def microseconds(call: Callable[[T], object], arguments: Sequence[T], rounds: int) -> float:
    """Return the time of one call on one of the arguments, the loop's own time included."""
    began = process_time()
    for _ in range(rounds):
        for argument in arguments:
            call(argument)
    return (process_time() - began) / rounds / len(arguments) * 1e6


def run(description: str | None, measure: Callable[[int, int], Mapping[str, float]], scale: int) -> None:
    """Measure as the command line asks, and print the figures; `measure` takes repeats and the scale of one."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="one small round: that it runs, not how fast")
    options = parser.parse_args()
    figures = measure(1, 1) if options.quick else measure(7, scale)
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.writelines(f"{name:32} {figure:12,.2f}\n" for name, figure in figures.items())
