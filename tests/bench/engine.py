"""How fast the engine of Once Around The Sun is, beside catanatron 3.2.1 and the naive reference, all in one run.

    python tests/bench/engine.py [--json] [--quick]

What is compared: random play of whole four-seat matches in one process, each engine enumerating the legal actions
at every step and choosing one uniformly. For catanatron an action is one `play_tick` of four RandomPlayers (it
enumerates in `apply_action`), for the two engines here one choice of a seat: a trip, a deed, a partner, one side of a
deal. They are different games: the figure says how far a search gets in a second, not which code is cleverer. Processor
time is taken, repeats of all three are interleaved, and medians are given, so that a noisy machine is noisy for
everybody. It must never be part of the test command: a time is not a truth.
"""

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from time import process_time
from typing import TypeVar

from catanatron import Color, Game, RandomPlayer
from catanatron.models.actions import generate_playable_actions  # pyright: ignore[reportUnknownVariableType]  untyped

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward_protocol.games.around.position import Position
from support import naive_around as naive
from support.around_positions import BOARD, BUILTIN, box
from support.matches import Stream

SEATS = 4
TURNS_LIMIT = 1000
"""Where catanatron gives a match up."""
SAMPLE = 7
"""Of how many steps one is kept as a position to time single calls on."""

T = TypeVar("T")


class RandomFate:
    """Chance for the naive engine."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def card(self, deck: list[str]) -> str:
        return self.random.choice(deck)

    def order(self, seats: int) -> list[int]:
        return self.random.sample(range(seats), seats)


def catanatron_match(seed: int, kept: list[Game] | None = None) -> int:
    """Play one match and return its actions; copies of some of its positions go to `kept`."""
    game = Game([RandomPlayer(color) for color in Color], seed=seed)
    actions = 0
    while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
        if kept is not None and actions % SAMPLE == 0:
            kept.append(game.copy())
        game.play_tick()  # pyright: ignore[reportUnknownMemberType]  catanatron is untyped
        actions += 1
    return actions


def naive_match(seed: int) -> int:
    """Play one match on the naive engine and return its actions."""
    fate = RandomFate(seed)
    table = naive.start(box(BOARD), SEATS, fate)
    actions = 0
    while acting := table.to_act():
        legal = table.legal(acting[0])
        table = naive.step(table, acting[0], legal[fate.random.randrange(len(legal))], fate)
        actions += 1
    return actions


def our_match(seed: int, kept: list[Position] | None = None) -> int:
    """Play one match on the engine and return its actions; copies of some of its positions go to `kept`."""
    stream = Stream(seed)
    position = BUILTIN.start(SEATS, {})
    actions = 0
    position.draw(stream)
    while acting := position.to_act():
        for seat in acting:
            if kept is not None and actions % SAMPLE == 0:
                kept.append(position.copy())
            legal = position.legal(seat)
            position.apply(seat, legal[stream.below(len(legal))])
            actions += 1
        if position.chance_due():
            position.draw(stream)
    return actions


def rate(match: Callable[[int], int], seeds: range) -> float:
    """Return actions per second of processor time over whole matches."""
    began = process_time()
    actions = sum(match(seed) for seed in seeds)
    return actions / (process_time() - began)


def microseconds(call: Callable[[T], object], arguments: Sequence[T], rounds: int) -> float:
    """Return the time of one call on one of the arguments, the loop's own time included."""
    began = process_time()
    for _ in range(rounds):
        for argument in arguments:
            call(argument)
    return (process_time() - began) / rounds / len(arguments) * 1e6


def legal(position: Position) -> object:
    return position.legal(position.to_act()[0])


def state_hash(position: Position) -> object:
    return blake2b(position.encode(), digest_size=32).digest()


def measure(repeats: int, scale: int) -> dict[str, float]:
    """Return medians over `repeats` interleaved rounds; `scale` matches and sampled matches make one round."""
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
        note("catanatron_actions_per_second", rate(catanatron_match, seeds))
        note("naive_actions_per_second", rate(naive_match, seeds))
        note("our_actions_per_second", rate(our_match, range(seeds.start, seeds.start + 60 * scale)))
        note("catanatron_copy_us", microseconds(Game.copy, theirs, 1))
        note("our_copy_us", microseconds(Position.copy, ours, 20))
        note("catanatron_legal_us", microseconds(lambda game: generate_playable_actions(game.state), theirs, 1))
        note("our_legal_us", microseconds(legal, ours, 20))
        note("our_state_hash_us", microseconds(state_hash, ours, 20))
    figures = {name: statistics.median(values) for name, values in samples.items()}
    for name, over, under in (
        ("actions_over_catanatron", "our_actions_per_second", "catanatron_actions_per_second"),
        ("actions_over_naive", "our_actions_per_second", "naive_actions_per_second"),
        ("catanatron_copy_over_ours", "catanatron_copy_us", "our_copy_us"),
        ("catanatron_legal_over_ours", "catanatron_legal_us", "our_legal_us"),
    ):
        figures[name] = figures[over] / figures[under]
    return {name: round(figure, 2) for name, figure in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="one small round: that it runs, not how fast")
    options = parser.parse_args()
    figures = measure(repeats=1 if options.quick else 7, scale=1 if options.quick else 5)
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.writelines(f"{name:32} {figure:12,.2f}\n" for name, figure in figures.items())


if __name__ == "__main__":
    main()
