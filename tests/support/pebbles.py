"""Pebbles: the small game that keeps the core blind to games and the simulation cheap.

On their turn seats lay a pebble (no chance), roll one die or three, or challenge the next seat to a secret guess. After
a roll the roller keeps or gives away what lies there, but if it sums to a multiple of five the next seat may grab it
first, out of turn. After a number of turns the most pebbles win. With the option chance=no only laying is left.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Self

from sunward_protocol.errors import BadComponents, IllegalAction, LocalError, UnreadableAction
from sunward_protocol.games.game import Action, Chance, Draw, Game, Json, Position, Result, Ruleset, Seat, Words

LAY, ROLL, ROLL_THREE, CHALLENGE, KEEP, GIVE, GRAB, LEAVE, LOW, HIGH = range(10)
NAMES = ("lay", "roll", "roll3", "challenge", "keep", "give", "grab", "leave", "low", "high")
PHASES = ("turn", "grab", "keep", "guess", "over")
LEGAL = {
    "turn": (LAY, ROLL, ROLL_THREE, CHALLENGE),
    "grab": (GRAB, LEAVE),
    "keep": (KEEP, GIVE),
    "guess": (LOW, HIGH),
    "over": (),
}


@dataclass(slots=True)
class Table:
    """The position: pebbles by seat, whose turn, how many turns are left, the phase and what lies on the table."""

    pebbles: list[int]
    turns: int
    chance: bool
    active: Seat = 0
    phase: str = "turn"
    lying: int = 0
    due: int = 1  # draws to make: the first player's at first
    guess: int = 0

    @property
    def seats(self) -> int:
        return len(self.pebbles)

    @property
    def secret(self) -> bool:
        return self.phase == "guess"

    def copy(self) -> Self:
        twin = copy(self)
        twin.pebbles = self.pebbles.copy()
        return twin

    def _next(self) -> Seat:
        return (self.active + 1) % len(self.pebbles)

    def to_act(self) -> tuple[Seat, ...]:
        if self.due or self.phase == "over":
            return ()
        if self.phase == "guess":
            return tuple(sorted((self.active, self._next())))
        return (self._next(),) if self.phase == "grab" else (self.active,)

    def legal(self, seat: Seat) -> list[Action]:
        if seat not in self.to_act():
            return []
        return [LAY] if self.phase == "turn" and not self.chance else list(LEGAL[self.phase])

    def check(self, seat: Seat, action: Action) -> None:
        if action not in self.legal(seat):
            raise IllegalAction("P1", f"Seat {seat} cannot do that in the phase {self.phase}.")

    def apply(self, seat: Seat, action: Action) -> None:
        if action == LAY:
            self.pebbles[seat] += 1
            self._pass()
        elif action in (ROLL, ROLL_THREE):
            self.due = 1 if action == ROLL else 3
            self.phase = "keep"
        elif action == CHALLENGE:
            self.phase, self.guess = "guess", 0
        elif action in (LOW, HIGH):
            self._guess(action)
        elif action == LEAVE:
            self.phase = "keep"
        else:
            self.pebbles[seat if action in (KEEP, GRAB) else self._next()] += self.lying
            self.lying = 0
            self._pass()

    def _guess(self, action: Action) -> None:
        if not self.guess:
            self.guess = action
            return
        self.pebbles[self.active if self.guess == action else self._next()] += 2
        self.guess = 0
        self._pass()

    def _pass(self) -> None:
        self.turns -= 1
        self.active = self._next()
        self.phase = "turn" if self.turns else "over"

    def chance_due(self) -> bool:
        return self.due > 0

    def draw(self, chance: Chance) -> list[Draw]:
        if self.phase == "turn":
            self.active = chance.below(self.seats)
            self.due = 0
            return [(self.active,)]
        rolled = [chance.below(6) + 1 for _ in range(self.due)]
        self.lying, self.due = sum(rolled), 0
        if self.lying % 5 == 0:
            self.phase = "grab"
        return [tuple(rolled)]

    def withhold(self, seats: Sequence[Seat]) -> Sequence[Action]:
        if len(seats) == 1:  # as the worst choice would: else whoever saw that the guess was lost would keep silent
            self.pebbles[self._next() if self.active in seats else self.active] += 2
        self.guess = 0
        self._pass()
        return ()

    def autopilot(self, seat: Seat) -> Action:
        return self.legal(seat)[0]

    def result(self) -> Result | None:
        if self.phase != "over":
            return None
        best = max(self.pebbles)
        return Result(tuple(self.pebbles), tuple(seat for seat, own in enumerate(self.pebbles) if own == best))

    def encode(self) -> bytes:
        numbers = (self.turns, self.chance, self.active, PHASES.index(self.phase), self.lying, self.due, self.guess)
        return b",".join(b"%d" % number for number in (*self.pebbles, *numbers))


class PebbleWords:
    """As few words as a test needs."""

    def write(self, position: Position, seat: Seat, action: Action) -> str:
        return NAMES[action]

    def read(self, position: Position, seat: Seat, text: str) -> tuple[Action, ...]:
        if text not in NAMES:
            raise UnreadableAction(f"{text!r} is none of {', '.join(NAMES)}.")
        return (NAMES.index(text),)

    def complete(self, position: Position, seat: Seat, text: str) -> list[str]:
        return [NAMES[action] for action in position.legal(seat) if NAMES[action].startswith(text)]

    def tell(self, before: Position, seat: Seat, action: Action, names: Sequence[str]) -> str:
        return f"{names[seat]} chose to {NAMES[action]}."

    def tell_draw(self, draw: Draw, names: Sequence[str]) -> str:
        return f"Drawn: {draw}."

    def tell_result(self, position: Position, names: Sequence[str]) -> list[str]:
        result = position.result()
        assert result is not None
        return [f"{name}: {score}" for name, score in zip(names, result.scores, strict=True)]

    def rules(self, topic: str) -> str:
        return "The most pebbles win."

    def action_json(self, before: Position, seat: Seat, action: Action) -> Json:
        return {"type": NAMES[action]}

    def draw_json(self, draw: Draw) -> Json:
        return {"drawn": list(draw)}

    def state_json(self, position: Position) -> Json:
        return {"encoded": position.encode().decode()}

    def components_json(self) -> Json:
        return {}


@dataclass(frozen=True, slots=True)
class PebbleRules:
    """The component data of pebbles are how many turns there are."""

    turns: int

    @property
    def game(self) -> Game:
        return PEBBLES

    @property
    def components(self) -> bytes:
        return b"%d" % self.turns

    @property
    def words(self) -> Words:
        return PebbleWords()

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        if seats not in PEBBLES.seat_counts:
            raise LocalError(f"Pebbles is for 2 to 6 seats, not for {seats}.")
        for name, value in options.items():
            if value not in PEBBLES.options.get(name, ()):
                raise LocalError(f"Pebbles has no option {name}={value}.")
        return Table([0] * seats, self.turns, options.get("chance", "yes") == "yes")


class Pebbles:
    """The game."""

    name = "pebbles"
    key = "pebbles"
    title = "Pebbles"
    rules_version = 1
    seat_counts = range(2, 7)
    options: Mapping[str, tuple[str, ...]] = {"chance": ("yes", "no")}

    def builtin(self) -> bytes:
        return b"24"

    def load(self, components: bytes, source: str = "components") -> Ruleset:
        if not components.isdigit() or len(components) > 6:
            raise BadComponents(f"{source}: pebbles is given a number of turns, not {components!r:.20}.")
        return PebbleRules(int(components))


PEBBLES: Game = Pebbles()


def find_pebbles(name: str) -> Game:
    """What the catalog is to real games."""
    return PEBBLES
