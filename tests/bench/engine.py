"""How fast the engine of Once Around The Sun is, beside catanatron 3.2.1 and the naive reference, all in one run.

    python tests/bench/engine.py [--json] [--quick]

What is compared: random play of whole four-seat matches in one process, each engine enumerating the legal actions
at every step and choosing one uniformly. For catanatron an action is one `play_tick` of four RandomPlayers (it
enumerates in `apply_action`), for the two engines here one choice of a seat: a trip, a deed, a partner, one side of a
deal. They are different games: the figure says how far a search gets in a second, not which code is cleverer. Processor
time is taken, repeats of all three are interleaved, and medians are given, so that a noisy machine is noisy for
everybody. It must never be part of the test command: a time is not a truth.
"""

import random
import statistics
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from time import process_time

from catanatron import Game
from catanatron.models.actions import generate_playable_actions  # pyright: ignore[reportUnknownVariableType]  untyped

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward_protocol.games.around.position import Position
from support import naive_around as naive
from support.around_positions import BOARD, BUILTIN, box
from support.engines import SAMPLE, catanatron_match, microseconds, run
from support.matches import Stream

SEATS = 4


class RandomFate:
    """Chance for the naive engine."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def card(self, deck: list[str]) -> str:
        return self.random.choice(deck)

    def order(self, seats: int) -> list[int]:
        return self.random.sample(range(seats), seats)


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


if __name__ == "__main__":
    run(__doc__, measure, 5)
