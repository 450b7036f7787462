"""How well and how fast the bots play: how often one of them wins among others, and how long it thinks.

    python tests/bench/bots.py [--bot greedy] [--against random] [--seats 4] [--matches 800] [--json]

The bot's seat rotates. The interval is Wilson's for 95 %; a shared win counts its share. A time is one choice among two
actions or more, in microseconds of processor time.
"""

import argparse
import json
from dataclasses import dataclass, field
from math import sqrt
from statistics import median, quantiles
from time import process_time

from sunward_node.bots.arena import play, seed_of
from sunward_node.bots.bot import Bot
from sunward_node.bots.catalog import find
from sunward_protocol.games import catalog
from sunward_protocol.games.game import Action, Chance, Position, Seat

Z = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(slots=True)
class Timed:
    """A bot, and how long each of its choices took."""

    bot: Bot
    name: str = "timed"
    seconds: list[float] = field(default_factory=list[float])

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        """Choose as the bot does, against the clock."""
        if len(position.legal(seat)) == 1:
            return self.bot.choose(position, seat, chance)
        before = process_time()
        action = self.bot.choose(position, seat, chance)
        self.seconds.append(process_time() - before)
        return action


def wilson(wins: float, matches: int) -> tuple[float, float]:
    """Return the interval of a rate (Wilson 1927)."""
    rate = wins / matches
    centre = rate + Z * Z / (2 * matches)
    spread = Z * sqrt(rate * (1 - rate) / matches + Z * Z / (4 * matches * matches))
    return (centre - spread) / (1 + Z * Z / matches), (centre + spread) / (1 + Z * Z / matches)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="around")
    parser.add_argument("--bot", default="greedy")
    parser.add_argument("--against", default="random")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--matches", type=int, default=800)
    parser.add_argument("--seed", default="bench")
    parser.add_argument("--quick", action="store_true", help="a few matches: does it work at all?")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.matches = 20
    game = catalog.find(options.game)
    ruleset = game.load(game.builtin())
    timed = Timed(find(options.bot, game))
    other = find(options.against, game)
    wins = 0.0
    scores: list[int] = []
    best_of_others: list[int] = []
    for number in range(options.matches):
        own: int = number % options.seats
        position = ruleset.start(options.seats, {})
        seated = [timed if seat == own else other for seat in range(options.seats)]
        for _ in play(position, seated, seed_of(options.seed, number)):
            pass
        result = position.result()
        assert result is not None
        wins += (own in result.winners) / len(result.winners)
        scores.append(result.scores[own])
        best_of_others.append(max(result.scores[:own] + result.scores[own + 1 :]))
    low, high = wilson(wins, options.matches)
    figures = {
        "bot": options.bot,
        "against": options.against,
        "seats": options.seats,
        "matches": options.matches,
        "win_rate": wins / options.matches,
        "interval_95": [low, high],
        "mean_score": sum(scores) / len(scores),
        "mean_best_of_others": sum(best_of_others) / len(best_of_others),
        "choice_us_median": median(timed.seconds) * 1e6,
        "choice_us_p99": quantiles(timed.seconds, n=100)[-1] * 1e6,
    }
    if options.json:
        print(json.dumps(figures))
    else:
        print(
            f"{options.bot} among {options.seats - 1} × {options.against} wins {figures['win_rate']:.1%} of "
            f"{options.matches} matches (95 %: {low:.1%} to {high:.1%}), with {figures['mean_score']:.1f} points to "
            f"{figures['mean_best_of_others']:.1f} of the best other; a choice takes "
            f"{figures['choice_us_median']:.0f} µs (99 %: {figures['choice_us_p99']:.0f})."
        )


if __name__ == "__main__":
    main()
