#!/usr/bin/env python3
"""What colluders gain against chance, what seats given up or silent gain, and what the panel says of fair matches.

    python tests/bench/fairness.py [--draws 100000] [--matches 2000] [--quick] [--json]

A scheme is harmless if the p of chi-square over how far each draw missed what the coalition wanted lies between 0.001
and 0.999; a broken table must give a tiny one. Seats given up must gain what the formula says, within 4 standard
deviations. In no deal may withholding be better than a choice. Of fair matches the panel must call about as many rare
as it says, and of matches with a loaded chance more.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward_protocol.fairness import Integer, chi_square, weigh
from sunward_protocol.games.around.board import SEATS
from sunward_protocol.games.catalog import GAMES
from sunward_protocol.games.game import Chance, Ruleset
from support.colluders import BROKEN, FACES, HARDLY_BROKEN, SCHEMES, Coalition, Scheme, rolls
from support.deals import ALL, PLAIN, deals, withholding_pays
from support.matches import Stream, at_random, play
from support.vetoes import Draw, formula, sigmas

TABLES: Final = ((2, 1), (3, 0), (6, 5))
"""Members, and the place of the honest one: the links of a draw are taken in order of place."""

BROKEN_DRAWS: Final = 1_000
LOADED: Final = 4
"""A loaded chance gives the smaller of two integers once in so many."""

Row: TypeAlias = Mapping[str, str | int | float]


def schemes(draws: int) -> Iterator[Row]:
    """Play every scheme at every table that has the seats for it."""
    for name, scheme in SCHEMES.items():
        for members, honest in TABLES:
            if members > 2 or not scheme.secret:
                yield _scheme(name, scheme, members, honest, draws)
    for name, scheme in BROKEN.items():
        yield _scheme(f"BROKEN: {name}", scheme, 3, 2, min(draws, BROKEN_DRAWS))
    yield _scheme("BROKEN: links shown before the lock, once in 100 draws", HARDLY_BROKEN, 3, 2, draws)


def _scheme(name: str, scheme: Scheme, members: int, honest: int, draws: int) -> Row:
    misses = Counter(rolls(Coalition(members, honest, 1, scheme.kind), scheme, draws))
    evenness = chi_square([misses[miss] for miss in range(FACES)])
    return {
        "scheme": name,
        "members": members,
        "honest": honest,
        "draws": draws,
        "as_wanted": round(misses[0] / draws, 4),
        "p": evenness.p,
    }


def vetoes(trials: int) -> Iterator[Row]:
    """Give up seats for a value of probability 1/2 and 1/6; and once with links that are used again."""
    for below in (2, 6):
        for given_up in range(3):
            chance = Random(1)
            hits = sum(Draw(chance, below, given_up).wished() for _ in range(trials))
            yield _veto(f"1/{below}", given_up, hits, trials, formula(1 / below, given_up))
    chance = Random(1)
    hits = sum(Draw(chance, 6, 2).wished_if_links_are_used_again() for _ in range(trials))
    yield _veto("1/6 BROKEN: links used again", 2, hits, trials, formula(1 / 6, 2))


def _veto(p: str, given_up: int, hits: int, trials: int, expected: float) -> Row:
    return {
        "p": p,
        "given_up": given_up,
        "trials": trials,
        "came": round(hits / trials, 4),
        "formula": round(expected, 4),
        "sigmas": round(sigmas(hits, trials, expected), 2),
    }


class Noted:
    """A seeded chance, loaded or not, and what it said since it was last asked for that."""

    def __init__(self, number: int, *, loaded: bool) -> None:
        self._chance: Chance = Stream(number)
        self._loaded = loaded
        self._said: list[Integer] = []

    def below(self, n: int) -> int:
        value = self._chance.below(n)
        if self._loaded and self._chance.below(LOADED) == 0:
            value = min(value, self._chance.below(n))
        self._said.append(Integer(n, value))
        return value

    def taken(self) -> list[Integer]:
        """Return what was said and forget it."""
        said, self._said = self._said, []
        return said


def secrets(few: bool) -> Iterator[Row]:
    """Try every kind of deal of Once Around The Sun for whether withholding pays."""
    for seats in SEATS:
        pays = [
            withholding_pays(deal, lambda position: position.scores) for deal in deals((seats,), PLAIN if few else ALL)
        ]
        yield {"seats": seats, "deals": len(pays), "withholding_pays": sum(pays)}


def panels(matches: int) -> Iterator[Row]:
    """Weigh matches between random players, of fair and of loaded chance."""
    for game in GAMES:
        for seats in (min(game.seat_counts), max(game.seat_counts)):
            for loaded in (False, True):
                ruleset = game.load(game.builtin())
                found = [_weighed(ruleset, seats, number, loaded) for number in range(matches)]
                yield {
                    "game": game.key,
                    "seats": seats,
                    "chance": "loaded" if loaded else "fair",
                    "matches": matches,
                    **{f"p_below_{most}": sum(p < most for p in found) / matches for most in (0.5, 0.05, 0.01, 0.001)},
                }


def _weighed(ruleset: Ruleset, seats: int, number: int, loaded: bool) -> float:
    chance = Noted(number, loaded=loaded)
    draws = list[list[Integer]]()
    for step in play(ruleset.start(seats, {}), chance, at_random(Stream(-number - 1))):
        if step.draws:
            draws.append(chance.taken())
    total = weigh(draws).total
    return 1.0 if total is None else total.p


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--draws", type=int, default=100_000)
    options.add_argument("--matches", type=int, default=2_000)
    options.add_argument("--quick", action="store_true", help="a few hundred draws: does it work at all?")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    draws, matches = (200, 10) if chosen.quick else (chosen.draws, chosen.matches)
    tables = dict[str, list[Row]]()
    parts = {
        "colluders": schemes(draws),
        "given_up": vetoes(draws),
        "withholding": secrets(chosen.quick),
        "panel": panels(matches),
    }
    for name, rows in parts.items():
        for row in rows:
            tables.setdefault(name, []).append(row)
            if not chosen.json:
                print(name, "  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    if chosen.json:
        print(json.dumps(tables))


if __name__ == "__main__":
    main()
