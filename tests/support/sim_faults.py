"""What goes wrong at a simulated table, as data: a seed makes it, a shrinker may leave out any of it.

Times are the world's seconds. What chance is left when a fault happens is drawn link by link from the seed, so that a
scenario with one fault less is as like the whole as can be. Must never do anything: `sim_weather` does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from sunward_protocol.games.catalog import find
from sunward_protocol.games.game import Game
from sunward_protocol.ids import Place
from sunward_protocol.messages import BODIES, CHANGES, Kind
from support.pebbles import PEBBLES

FAULTS_END = 12.0
"""Seconds after which nothing goes wrong any more and everybody is up."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A share of all frames is lost."""

    start: float
    end: float
    share: float


@dataclass(frozen=True, slots=True)
class Lateness:
    """Frames take up to so many seconds longer, and overtake one another."""

    start: float
    end: float
    most: float


@dataclass(frozen=True, slots=True)
class Doubling:
    """A share of all frames arrives twice, the second time later."""

    start: float
    end: float
    share: float


@dataclass(frozen=True, slots=True)
class Cut:
    """Frames from one to the other of each pair are lost; if `noticed`, both are told that the connection is gone."""

    start: float
    end: float
    pairs: tuple[tuple[Place, Place], ...]
    noticed: bool


@dataclass(frozen=True, slots=True)
class Sieve:
    """Frames of some kinds from one to the other of each pair are lost, as if they were always the ones to be late."""

    start: float
    end: float
    pairs: tuple[tuple[Place, Place], ...]
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Crash:
    """A member dies at the n-th thing that it does, with this part of it done, and is back after `down` seconds.

    Of a record a part is written, of the receivers of a frame a part is reached. Its clock then starts elsewhere (≥ 0).
    """

    place: Place
    number: int
    part: float
    down: float
    clock: float


@dataclass(frozen=True, slots=True)
class Blackout:
    """The power fails for all when one of them does a certain thing; each is back after its own time, in seconds."""

    first: Crash
    downs: tuple[float, ...]
    """Of every member, by place."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A member's clock runs at another rate."""

    place: Place
    rate: float


@dataclass(frozen=True, slots=True)
class Jump:
    """A member's clock jumps ahead, as after a sleep of the machine."""

    place: Place
    time: float
    by: float


@dataclass(frozen=True, slots=True)
class Gone:
    """A member stops for ever, at the n-th thing that it does."""

    place: Place
    number: int


@dataclass(frozen=True, slots=True)
class Wish:
    """Some members' players want somebody put out, steps taken back, a rest, or to play on; or nothing any more."""

    places: tuple[Place, ...]
    time: float
    out: int
    back: bool
    adjourn: bool
    rewind: int
    """The number of the step to go back to, among those that may be taken back; 0 for none."""


Fault: TypeAlias = Loss | Lateness | Doubling | Cut | Sieve | Crash | Blackout | Drift | Jump | Gone | Wish


@dataclass(frozen=True, slots=True)
class Scenario:
    """One table and all that goes wrong at it; `latency` is what every frame takes, in seconds.

    Without `draws` pebbles has no chance but in the set-up. With `clocks` whoever owes too long is put out; without,
    only whom all others want out.
    """

    seed: int
    game: str
    members: int
    turns: int
    latency: float
    draws: bool
    clocks: bool
    faults: tuple[Fault, ...]
    real: bool = False


def find_game(name: str) -> Game:
    """Return a game by its key; pebbles is one too."""
    return PEBBLES if name == PEBBLES.key else find(name)


def draw_scenario(seed: int, game: str = PEBBLES.key, real: bool = False) -> Scenario:
    """Return the scenario of a seed: few faults or many, of some kinds or of all."""
    chance = Random(seed)
    members = chance.choice(find_game(game).seat_counts)
    turns = chance.choice((3, 6, 12)) if game == PEBBLES.key else 0
    latency = chance.choice((0.0005, 0.005, 0.05, 0.2))
    steps = STEPS[game] if turns == 0 else STEPS[game] * turns
    draw, more = (_Draw(each, members, latency, steps) for each in (chance, Random(f"{seed} blackout")))
    makers = [maker for likely, maker in MAKERS if chance.random() < likely]
    faults = [fault for maker in makers for _ in range(chance.choice((1, 2, 4))) for fault in maker(draw)]
    gone = {fault.place for fault in faults if isinstance(fault, Gone)}
    if 2 * len(gone) >= members and chance.random() < 0.9:  # what is left could do nothing
        faults = [fault for fault in faults if not isinstance(fault, Gone)]
    if more.chance.random() < 0.2:  # a chance of its own: what else a seed makes stays as it was
        faults += more.blackout()
    if more.chance.random() < 0.3:
        faults += more.sieves()
    draws, clocks = chance.random() < 0.85, chance.random() < 0.5
    return Scenario(seed, game, members, turns, latency, draws, clocks, tuple(faults), real)


SIFTED = (*sorted(BODIES), Kind.ACK, Kind.LINK, *sorted(CHANGES), Kind.SYNC)
"""The kinds of frames that a sieve may hold back."""
STEPS = {PEBBLES.key: 3, "around": 120, "beyond": 250}
"""Steps of a match between random players, roughly; of pebbles, of one of its turns. Faults are spread over them."""


class _Draw:
    """What the faults of one scenario are drawn with."""

    def __init__(self, chance: Random, members: int, latency: float, steps: int) -> None:
        self.chance = chance
        self.members = members
        self.steps = steps
        self.length = min(0.05 + 3 * latency * steps, FAULTS_END)
        """Seconds that the match lasts, roughly, if nothing goes wrong."""

    def place(self) -> Place:
        return self.chance.randrange(self.members)

    def span(self) -> tuple[float, float]:
        """Return when something begins and ends: short against the match, or longer than it."""
        start = self.chance.random() * self.length
        end = start + self.length * 0.02 * 500 ** self.chance.random()
        return round(start, 4), round(min(end, FAULTS_END), 4)

    def number(self) -> int:
        """Return which of the things that a member does."""
        return self.chance.randrange(4 * self.steps)

    def crash(self) -> tuple[float, float, float]:
        """Return how much is done of what a member dies at, how long it is down, and where its clock goes on."""
        chance = self.chance
        down = round(0.01 * 500 ** chance.random(), 4)
        return chance.choice((0.0, 0.5, 0.99)), down, round(chance.uniform(0, 1e6))

    def blackout(self) -> tuple[Blackout, ...]:
        """Return one power cut or two."""
        return tuple(
            Blackout(
                Crash(self.place(), self.number(), *self.crash()), tuple(self.crash()[1] for _ in range(self.members))
            )
            for _ in range(self.chance.choice((1, 1, 2)))
        )

    def sieves(self) -> tuple[Sieve, ...]:
        """Return what holds up some words and lets others through, for some time, and then perhaps others."""
        return tuple(
            Sieve(
                *self.span(), self.pairs(), tuple(sorted(self.chance.sample(SIFTED, self.chance.choice((1, 1, 2, 3)))))
            )
            for _ in range(self.chance.choice((1, 2, 3)))
        )

    def wishes(self) -> tuple[Wish, ...]:
        """Return what players want, mostly all of them: somebody out, or a rest, and back later; or something else."""
        chance, time = self.chance, self.span()[0]
        some = chance.sample(range(self.members), chance.randrange(1, self.members))
        who = tuple(range(self.members)) if chance.random() < 0.7 else tuple(sorted(some))
        later = round(time + chance.random() * self.length, 4)
        if chance.random() < 0.5:
            out = self.place()
            others = tuple(place for place in who if place != out)
            return Wish(others, time, 1 << out, False, False, 0), Wish((out,), later, 0, True, False, 0)
        if chance.random() < 0.5:
            return Wish(who, time, 0, False, True, 0), Wish(who, later, 0, True, False, 0)
        return (Wish(who, time, 0, False, False, chance.randrange(3)),)

    def pairs(self) -> tuple[tuple[Place, Place], ...]:
        """Return who does not hear whom.

        One does not hear one; two not each other; two halves not each other, or one not the other, or only through a
        bridge; all only through one.
        """
        chance = self.chance
        order = chance.sample(range(self.members), self.members)
        size = chance.randrange(1, self.members)
        halves = [(one, other) for one in order[:size] for other in order[size:]]
        both = [*halves, *((other, one) for one, other in halves)]
        spokes = [(one, other) for one in order[1:] for other in order[1:] if one != other]
        shapes = (
            [(order[0], order[1])],
            [(order[0], order[1]), (order[1], order[0])],
            both,
            halves,
            [pair for pair in both if order[0] not in pair],
            spokes,
        )
        return tuple(sorted(chance.choice([shape for shape in shapes if shape])))


MAKERS: tuple[tuple[float, Callable[[_Draw], tuple[Fault, ...]]], ...] = (
    (0.5, lambda draw: (Loss(*draw.span(), draw.chance.choice((0.02, 0.1, 0.4))),)),
    (0.5, lambda draw: (Lateness(*draw.span(), draw.chance.choice((0.002, 0.05, 1.5))),)),
    (0.5, lambda draw: (Doubling(*draw.span(), draw.chance.choice((0.05, 0.5))),)),
    (0.7, lambda draw: (Cut(*draw.span(), draw.pairs(), draw.chance.random() < 0.5),)),
    (0.5, lambda draw: (Crash(draw.place(), draw.number(), *draw.crash()),)),
    (0.3, lambda draw: (Drift(draw.place(), draw.chance.choice((0.5, 0.99, 1.01, 2.0))),)),
    (0.3, lambda draw: (Jump(draw.place(), draw.span()[0], round(0.01 * 1e6 ** draw.chance.random(), 2)),)),
    (0.3, lambda draw: (Gone(draw.place(), draw.number()),)),
    (0.5, lambda draw: draw.wishes()),
)
"""Each kind of fault: how likely a table has some of it, and one draw of it."""
