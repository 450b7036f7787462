"""How even Beyond the Sun is between seats and mats, how long it takes, and what is left lying, by self-play.

    python tests/bench/balance.py [--bot greedy] [--matches 2000] [--few 1000] [--among 800] [--json] [--quick]

`--matches` are played with four seats on basic mats, `--few` each with two seats, with three, and with four on advanced
mats. Then economy and fleet each play a seat among three greedies, and greedy among three randoms, `--among` times; 0
leaves a series out. A
technology is offered in a choice between two turned up, one of level I in a choice among slots to research, and taken
or not. A system is offered in a match where it is turned up and taken when colonized; an event is offered in every
match and taken when turned up, which nobody chooses: it says how often a table meets it. Both guild events lie on every
board (S3), so they are judged by the guild that they open: offered in a match where it lies open, taken when anybody
used it. A match that is not over after `ROUNDS_MOST` rounds is counted as unfinished and nowhere
else. It must never be part of the test command: a rate is not a truth.
"""

import argparse
import json
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from statistics import mean, median, quantiles
from typing import TypeAlias

from sunward_node.bots.arena import play, seed_of
from sunward_node.bots.bot import Bot
from sunward_node.bots.catalog import PLANS, find
from sunward_node.bots.greedy import Valuation
from sunward_protocol.games.beyond import BEYOND, actions
from sunward_protocol.games.beyond.board import SLOTS_AT
from sunward_protocol.games.beyond.position import Position as Beyond
from sunward_protocol.games.beyond.state import BASES, CARD, COLONY, FIRST, GUILDS, MAT, ROUND, SLOT, TURNED
from sunward_protocol.games.game import Action, Chance, Position, Seat

ROUNDS_MOST = 100
QUICK = 8
FINE = 1 << 16
"""Steps in which a bot misjudges."""
RULESET = BEYOND.load(BEYOND.builtin())
COMPONENTS = RULESET.boards[4].components
TAKEN = (0.05, 0.85)
"""Between these a component is taken when it is offered."""


@dataclass(slots=True)
class Share:
    """How often something was there, and how often it came about."""

    times: int = 0
    hits: int = 0

    def count(self, hit: bool) -> None:
        """Count one time."""
        self.times += 1
        self.hits += hit

    @property
    def rate(self) -> float:
        """Return the share of hits."""
        return self.hits / self.times if self.times else 0.0


@dataclass(slots=True)
class Tally:
    """What a series of matches showed."""

    unfinished: int = 0
    rounds: list[int] = field(default_factory=list[int])
    winning: list[int] = field(default_factory=list[int])
    scores: list[int] = field(default_factory=list[int])
    places: dict[str, Share] = field(default_factory=dict[str, Share])
    mats: dict[str, Share] = field(default_factory=dict[str, Share])
    bots: dict[str, Share] = field(default_factory=dict[str, Share])
    technologies: dict[str, Share] = field(default_factory=dict[str, Share])
    systems: dict[str, Share] = field(default_factory=dict[str, Share])
    events: dict[str, Share] = field(default_factory=dict[str, Share])
    guilds: dict[str, Share] = field(default_factory=dict[str, Share])


@dataclass(frozen=True, slots=True)
class Watched:
    """A bot whose picks are counted."""

    bot: Bot
    picks: dict[str, Share]
    used: set[int]
    """The spaces that anybody has used in this match."""
    name: str = "watched"

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        """Choose as the bot does."""
        action = self.bot.choose(position, seat, chance)
        assert isinstance(position, Beyond)
        if action & ~actions.OPERAND == actions.SPACE:
            self.used.add(action & actions.OPERAND)
        for offered in position.legal(seat):
            verb, operand = offered & ~actions.OPERAND, offered & actions.OPERAND
            if verb == actions.RESEARCH and operand in SLOTS_AT[0]:
                operand = position.s[SLOT + operand] - 1
            elif verb != actions.CARD:
                continue
            self.picks.setdefault(COMPONENTS.technologies[operand].name, Share()).count(offered == action)
        return action


@dataclass(frozen=True, slots=True)
class Wavering:
    """The second bot, which chooses another way: by the valuation of `economy`, each choice misjudged by up to `by`."""

    value: Valuation
    by: float = 0.8
    name: str = "wavering"

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        """Take what seems best this time."""
        legal = position.legal(seat)
        if len(legal) == 1:
            return legal[0]
        seeming: list[float] = []
        for action in legal:
            after = position.copy()
            after.apply(seat, action)
            seeming.append(self.value(after, seat) + self.by * chance.below(FINE) / FINE)
        return legal[seeming.index(max(seeming))]


def player(name: str) -> Bot:
    """Return the bot of this name: the second one, or one that everybody can play against."""
    return Wavering(PLANS[BEYOND.name]["economy"]) if name == "wavering" else find(name, BEYOND)


def series(tally: Tally, bots: Sequence[Bot], matches: int, seed: str, mats: str) -> None:
    """Play matches with one seat a bot, rotating, and count."""
    seats = len(bots)
    for number in range(matches):
        seated = [bots[(seat + number) % seats] for seat in range(seats)]
        position = RULESET.start(seats, {"mats": mats})
        used: set[int] = set()
        watched = [Watched(bot, tally.technologies, used) for bot in seated]
        for _ in play(position, watched, seed_of(seed, number)):
            if position.s[ROUND] > ROUNDS_MOST:
                break
        look(tally, position, seated, used)


def look(tally: Tally, position: Beyond, seated: Sequence[Bot], used: Collection[int]) -> None:
    """Count what the end of a match shows."""
    s = position.s
    result = position.result()
    if result is None:
        tally.unfinished += 1
        return
    tally.rounds.append(s[ROUND])
    tally.winning.append(max(result.scores))
    tally.scores += result.scores
    for seat, bot in enumerate(seated):
        won = seat in result.winners
        faction = COMPONENTS.mats[s[BASES[seat] + MAT] - 1].faction
        place = f"turn {(seat - s[FIRST]) % position.seats + 1}"
        for shares, name in ((tally.places, place), (tally.mats, faction), (tally.bots, bot.name)):
            shares.setdefault(name, Share()).count(won)
    lying = {card - 1 for card in s[CARD : CARD + len(COMPONENTS.places)] if card}
    for card, system in enumerate(COMPONENTS.systems):
        if s[COLONY + card] or card in lying:
            tally.systems.setdefault(system.name, Share()).count(bool(s[COLONY + card]))
    for number, event in enumerate(COMPONENTS.events):
        tally.events.setdefault(event.name, Share()).count(bool(s[TURNED] >> number & 1))
    for number, guild in enumerate(COMPONENTS.guilds):
        if s[GUILDS] >> number & 1:
            tally.guilds.setdefault(guild.name, Share()).count(position.board.guilds + number in used)


def rates(shares: dict[str, Share]) -> dict[str, float]:
    """Return shares as rates, by name."""
    return {name: round(share.rate, 4) for name, share in sorted(shares.items())}


def outside(shares: dict[str, Share]) -> dict[str, float]:
    """Return those taken too seldom or too often."""
    return {name: rate for name, rate in rates(shares).items() if not TAKEN[0] <= rate <= TAKEN[1]}


Figure: TypeAlias = "float | list[int] | dict[str, float]"


def summary(tally: Tally) -> dict[str, Figure]:
    """Return the figures of a series."""
    own = {event.name: tally.events[event.name] for event in COMPONENTS.events if not event.guild}
    tenths = quantiles(tally.winning, n=10)
    return {
        "matches": len(tally.rounds),
        "unfinished": tally.unfinished,
        "rounds_median": median(tally.rounds),
        "rounds_longest": max(tally.rounds),
        "winning_mean": round(mean(tally.winning), 1),
        "winning_middle_80": [round(tenths[0]), round(tenths[-1])],
        "score_mean": round(mean(tally.scores), 1),
        "turn_order": rates(tally.places),
        "mats": rates(tally.mats),
        "bots": rates(tally.bots),
        "technologies": rates(tally.technologies),
        "systems": rates(tally.systems),
        "events": rates(tally.events),
        "guilds": rates(tally.guilds),
        "outside": outside(tally.technologies) | outside(tally.systems) | outside(own) | outside(tally.guilds),
    }


def measured(bots: Sequence[str], matches: int, seed: str, mats: str) -> dict[str, Figure]:
    """Play one series and return its figures."""
    tally = Tally()
    series(tally, [player(name) for name in bots], matches, seed, mats)
    return summary(tally)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bot", default="greedy", help="who plays against itself: `wavering` is the second bot")
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--few", type=int, default=1000)
    parser.add_argument("--among", type=int, default=800)
    parser.add_argument("--seed", default="bench")
    parser.add_argument("--quick", action="store_true", help="a few matches: does it work at all?")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    many, few, among = options.matches, options.few, options.among
    if options.quick:
        many = few = among = QUICK
    bot: str = options.bot
    series_by_title: dict[str, tuple[list[str], int, str]] = {
        "four seats": ([bot] * 4, many, "basic"),
        "three seats": ([bot] * 3, few, "basic"),
        "two seats": ([bot] * 2, few, "basic"),
        "four seats, advanced mats": ([bot] * 4, few, "advanced"),
        "economy among greedies": (["economy", *["greedy"] * 3], among, "basic"),
        "fleet among greedies": (["fleet", *["greedy"] * 3], among, "basic"),
        "greedy among randoms": (["greedy", *["random"] * 3], among, "basic"),
    }
    figures: dict[str, dict[str, Figure]] = {}
    for title, (bots, matches, mats) in series_by_title.items():
        if not matches:
            continue
        figures[title] = measured(bots, matches, options.seed, mats)
        if not options.json:
            show(title, figures[title])
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")


def show(title: str, figures: dict[str, Figure]) -> None:
    """Write a series as a table."""
    sys.stdout.write(f"\n## {title.capitalize()}\n\n| | |\n|---|---|\n")
    for name, figure in figures.items():
        told = ", ".join(f"{key} {rate:.1%}" for key, rate in figure.items()) if isinstance(figure, dict) else figure
        sys.stdout.write(f"| {name.replace('_', ' ')} | {told} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
