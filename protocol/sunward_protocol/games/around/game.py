"""Once Around The Sun behind the interface of `games.game`: its names, its rulesets and their words; holds no rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sunward_protocol.errors import LocalError
from sunward_protocol.games import game
from sunward_protocol.games.around import components, export, notation, rulings, tale
from sunward_protocol.games.around.board import SEATS, Board
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.game import Action, Draw, Json, Seat


@dataclass(frozen=True, slots=True)
class Around:
    """The game; it has no options."""

    name: str = "once-around-the-sun"
    key: str = "around"
    title: str = "Once Around The Sun"
    rules_version: int = 1
    seat_counts: range = SEATS
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

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

    def write(self, position: game.Position, seat: Seat, action: Action) -> str:
        """Return the text form of a legal action."""
        return notation.write(_own(position), seat, action)

    def read(self, position: game.Position, seat: Seat, text: str) -> tuple[Action, ...]:
        """Parse a typed action; raise `UnreadableAction`."""
        return (notation.read(_own(position), seat, text),)

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
        return export.action_json(_own(before).board, action)

    def draw_json(self, draw: Draw) -> Json:
        """Return a draw as the export writes it."""
        return export.draw_json(self.board, draw)

    def state_json(self, position: game.Position) -> Json:
        """Return a state as the export writes it."""
        return export.state_json(_own(position))

    def components_json(self) -> Json:
        """Return the components as the export writes them."""
        return export.components_json(self.board)


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The game with checked components; two are equal when their canonical bytes are."""

    components: bytes
    words: Words = field(compare=False, repr=False)

    @property
    def game(self) -> Around:
        """The game."""
        return AROUND

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """Return the position before the set-up; raise `LocalError` for another seat count or any option."""
        if seats not in SEATS:
            raise LocalError(f"{AROUND.title} is for {SEATS[0]} to {SEATS[-1]} players, not {seats}.")
        if options:
            raise LocalError(f"{AROUND.title} has no options: leave out {', '.join(options)}.")
        return Position(self.words.board, seats)


def _load(data: bytes, source: str) -> Ruleset:
    board = Board.of(components.read(data, source))
    return Ruleset(components.canonical(data), Words(board))


def _own(position: game.Position) -> Position:
    """Return a position of this game as what it is; another game's is a mistake of the caller."""
    if not isinstance(position, Position):
        raise TypeError(f"{type(position).__name__} is no position of {AROUND.title}")
    return position


AROUND = Around()
