"""Beyond the Sun behind the interface of `games.game`: its names, its rulesets and their words; holds no rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sunward_protocol.errors import LocalError
from sunward_protocol.games import game
from sunward_protocol.games.beyond import components, export, notation, rebuilding, rulings, tale
from sunward_protocol.games.beyond.board import Board
from sunward_protocol.games.beyond.box import Components
from sunward_protocol.games.beyond.components import SEATS
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.setup import ADVANCED, BY_CHOICE
from sunward_protocol.games.game import Action, Draw, Json, Seat

_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {"mats": ("basic", "advanced"), "factions": ("drawn", "chosen")}
_BITS: Final = {"advanced": ADVANCED, "chosen": BY_CHOICE}


@dataclass(frozen=True, slots=True)
class Beyond:
    """The game."""

    name: str = "beyond-the-sun"
    key: str = "beyond"
    title: str = "Beyond the Sun"
    rules_version: int = 1
    seat_counts: range = SEATS
    options: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _OPTIONS)

    def builtin(self) -> bytes:
        """Return the component file that comes with the game."""
        return components.builtin()

    def load(self, components: bytes, source: str = "components") -> "Ruleset":
        """Check a component file; raise `BadComponents` naming `source`, entry and reason."""
        return _load(components, source)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one set of components."""

    board: Board
    canonical: bytes

    def write(self, position: game.Position, seat: Seat, action: Action) -> str:
        """Return the text form of a legal action."""
        return notation.write(_own(position), seat, action)

    def read(self, position: game.Position, seat: Seat, text: str) -> tuple[Action, ...]:
        """Parse a typed line; raise `UnreadableAction`, and `IllegalAction` for one of several."""
        return notation.read(_own(position), seat, text)

    def complete(self, position: game.Position, seat: Seat, text: str) -> list[str]:
        """Return the text forms of legal actions that begin so."""
        return notation.complete(_own(position), seat, text)

    def tell(self, before: game.Position, seat: Seat, action: Action, names: Sequence[str]) -> str:
        """Return one sentence saying what an action did."""
        return tale.tell(_own(before), seat, action, names)

    def tell_draw(self, draw: Draw, names: Sequence[str]) -> str:
        """Return one sentence saying what chance decided."""
        return tale.tell_draw(self.board, draw, names)

    def tell_result(self, position: game.Position, names: Sequence[str]) -> list[str]:
        """Return the final scoring line by line."""
        return tale.tell_result(_own(position), names)

    def rules(self, topic: str) -> str:
        """Return the rulings of a topic or the one with this id."""
        return rulings.rules(topic)

    def action_json(self, before: game.Position, seat: Seat, action: Action) -> Json:
        """Return an action as the export writes it."""
        return export.action_json(_own(before), action)

    def draw_json(self, draw: Draw) -> Json:
        """Return a draw as the export writes it."""
        return export.draw_json(self.board, draw)

    def state_json(self, position: game.Position) -> Json:
        """Return a state as the export writes it."""
        return export.state_json(_own(position))

    def components_json(self) -> Json:
        """Return the components as the export writes them."""
        return export.components_json(self.canonical)


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The game with checked components; two are equal when their canonical bytes are."""

    components: bytes
    words: Words = field(compare=False, repr=False)
    boards: Mapping[int, Board] = field(compare=False, repr=False)

    @property
    def game(self) -> Beyond:
        """The game."""
        return BEYOND

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """Return the position before the set-up; raise `LocalError` for seats or options there are not."""
        if seats not in SEATS:
            raise LocalError(f"{BEYOND.title} is for {SEATS[0]} to {SEATS[-1]} players, not {seats}.")
        for name, value in options.items():
            if value not in _OPTIONS.get(name, ()):
                known = "; ".join(f"{option}: {', '.join(values)}" for option, values in _OPTIONS.items())
                raise LocalError(f"{BEYOND.title} has no option {name}={value}. There are {known}.")
        return Position(self.boards[seats], sum(_BITS.get(value, 0) for value in options.values()))

    def rebuild(self, seats: int, line: Json) -> Position:
        """Return the position that one exported state describes; a match goes on from it as from the original."""
        return rebuilding.rebuild(self.boards[seats], line)


def _load(data: bytes, source: str) -> Ruleset:
    found: Components = components.read(data, source)
    boards = {seats: Board.of(found, seats) for seats in SEATS}
    canonical = components.canonical(data)
    return Ruleset(canonical, Words(boards[SEATS[-1]], canonical), boards)


def _own(position: game.Position) -> Position:
    """Return a position of this game as what it is; another game's is a mistake of the caller."""
    if not isinstance(position, Position):
        raise TypeError(f"{type(position).__name__} is no position of {BEYOND.title}")
    return position


BEYOND = Beyond()
