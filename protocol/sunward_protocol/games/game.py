"""The interface every game implements; says nothing about any one game.

A `Game` makes a `Ruleset` out of component data, a `Ruleset` starts a `Position`, and a `Position` is one whole public
state that is moved on by actions and by chance. Whoever drives it (the replica, a bot's search, the arena, the audit,
the terminal) loops like this:

    while position.result() is None:
        if position.chance_due():
            position.draw(chance)
        else:
            for seat in position.to_act():
                position.apply(seat, choose(position.legal(seat)))

No position ever holds what is not yet decided: a deck is what is left in it, never its order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeAlias

Seat: TypeAlias = int
"""A player's number in the game, 0 .. n-1."""

Action: TypeAlias = int
"""One choice among the legal ones, packed by its game into 0 .. 2**63-1: what travels and what is logged."""

Draw: TypeAlias = tuple[int, ...]
"""One thing that chance decided, packed by its game; `Words.draw_json` says what it means."""

Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"


class Chance(Protocol):
    """Where draws come from: a replica's is made by all seats together, the arena's is a seeded stream."""

    def below(self, n: int) -> int:
        """Return a uniform integer in 0 .. n-1; n ≥ 1."""
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended: final scores by seat, and the seats (ascending) that share the win."""

    scores: tuple[int, ...]
    winners: tuple[Seat, ...]


class Position(Protocol):
    """A whole public state. Mutable for speed; whoever wants to keep one takes a copy."""

    @property
    def seats(self) -> int:
        """How many seats play."""
        ...

    @property
    def secret(self) -> bool:
        """Whether the seats in `to_act` choose at once, in secret; their actions are then applied lower seat first."""
        ...

    def copy(self) -> Self:
        """Return an independent copy; the original never notices what is done to it."""
        ...

    def to_act(self) -> tuple[Seat, ...]:
        """Return the seats whose say it is, ascending: one, several when `secret`, none while chance is due."""
        ...

    def legal(self, seat: Seat) -> list[Action]:
        """Return the legal actions of a seat in `to_act`, ascending, never empty; [] for any other seat."""
        ...

    def check(self, seat: Seat, action: Action) -> None:
        """Raise `IllegalAction` naming the ruling if `action` is not in `legal(seat)`, whatever integer it is."""
        ...

    def apply(self, seat: Seat, action: Action) -> None:
        """Carry out a legal action up to the next draw or choice; `check` first: an illegal one may do anything."""
        ...

    def chance_due(self) -> bool:
        """Whether a draw must be made before anybody acts."""
        ...

    def draw(self, chance: Chance) -> list[Draw]:
        """Make every draw now due, in the order of the rules, and return them."""
        ...

    def withhold(self, seats: Sequence[Seat]) -> Sequence[Action]:
        """End the open secret choice as the rules say when `seats` failed to reveal; undefined when not `secret`.

        Returns what the silence of each counts as, as `Words.action_json` writes it; nothing if it has no name.
        """
        ...

    def autopilot(self, seat: Seat) -> Action:
        """Return the action a seat without a player takes: a deterministic function of the position."""
        ...

    def result(self) -> Result | None:
        """Return the result once the match is over."""
        ...

    def encode(self) -> bytes:
        """Return canonical bytes: equal exactly when two positions are equal; what the state hash is taken over."""
        ...


class Words(Protocol):
    """How a game is written: typed actions, sentences, and the export's JSON. Positions passed in are never changed."""

    def write(self, position: Position, seat: Seat, action: Action) -> str:
        """Return the text form of an action, the shortest that `read` turns back into it in this position."""
        ...

    def read(self, position: Position, seat: Seat, text: str) -> tuple[Action, ...]:
        """Parse a typed line: an action, legal or not (`check` explains), or several, all legal one after another.

        Raise `UnreadableAction` for what is no action at all, and `IllegalAction` naming the one of several it is for.
        """
        ...

    def complete(self, position: Position, seat: Seat, text: str) -> list[str]:
        """Return the text forms of legal actions that begin with `text`, in the order of `legal`."""
        ...

    def tell(self, before: Position, seat: Seat, action: Action, names: Sequence[str]) -> str:
        """Return one sentence, past tense, saying what `action` did to `before`; ends with a full stop."""
        ...

    def tell_draw(self, draw: Draw, names: Sequence[str]) -> str:
        """Return one sentence saying what chance decided."""
        ...

    def tell_result(self, position: Position, names: Sequence[str]) -> list[str]:
        """Return the final scoring of a finished match line by line."""
        ...

    def rules(self, topic: str) -> str:
        """Return the rules in short for a topic ('' is the phase-independent summary), in own words."""
        ...

    def action_json(self, before: Position, seat: Seat, action: Action) -> Json: ...

    def draw_json(self, draw: Draw) -> Json: ...

    def state_json(self, position: Position) -> Json: ...

    def components_json(self) -> Json: ...


class Ruleset(Protocol):
    """A game together with checked component data."""

    @property
    def game(self) -> "Game": ...

    @property
    def components(self) -> bytes:
        """The component data as canonical bytes: `game.load(components)` gives an equal ruleset."""
        ...

    @property
    def words(self) -> Words: ...

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """Return the position before set-up, chance being due; `LocalError` for seats or options it does not have."""
        ...


class Game(Protocol):
    """One game: its names, how many may play, and the data it is printed from."""

    @property
    def name(self) -> str:
        """The name in files and messages, as 'once-around-the-sun'."""
        ...

    @property
    def key(self) -> str:
        """The short name the command line takes, as 'around'."""
        ...

    @property
    def title(self) -> str: ...

    @property
    def rules_version(self) -> int:
        """Raised only when a golden match changes."""
        ...

    @property
    def seat_counts(self) -> range: ...

    @property
    def options(self) -> Mapping[str, tuple[str, ...]]:
        """Table options and their values, the default first."""
        ...

    def builtin(self) -> bytes:
        """Return the component data that comes with the game."""
        ...

    def load(self, components: bytes, source: str = "components") -> Ruleset:
        """Check component data and return its ruleset; raise `BadComponents` naming `source`, entry and reason."""
        ...
