"""One public state of the table and its canonical bytes; knows no rule.

Mutable, flat and made of small integers: a search copies it at every step. What is still to be done is a stack of
effects, the next one on top, so a state is whole in the middle of any chain of them. A deck is a queue of multisets:
cards put under it form a new last one, and no order is decided before a card is drawn.
"""

from collections.abc import Sequence
from struct import Struct
from typing import Final, Self, TypeAlias

from sunward_protocol.games.beyond.board import COVERED_AT_FIRST, SLOT_COUNT, Board
from sunward_protocol.games.beyond.components import ACHIEVEMENTS, COLUMNS, PLACES_MOST, SYSTEMS, TECHNOLOGIES
from sunward_protocol.games.beyond.language import NODES_MOST, STEPS, Op
from sunward_protocol.games.game import Action, Seat

Deck: TypeAlias = tuple[tuple[int, ...], ...]

# What belongs to the table, by index in `State.s`
ROUND: Final = 0
FIRST: Final = 1
ACTIVE: Final = 2
LAST: Final = 3
"""The round after which the match is over, 0 while the end is not called (E1)."""
OVER: Final = 4
DIRTY: Final = 5
"""Whether control must be looked at before anything else (J4)."""
GUILDS: Final = 6
"""Bits of the guild spaces that are uncovered."""
COVERED: Final = 7
"""Bits of the slots under an event card."""
TURNED: Final = 8
"""Bits of the events that have been turned up."""
FOUND: Final = 9
"""Bits of the slots that are discovered."""
CHARTED: Final = 10
"""Whether the extra space is on the map."""
OPTIONS: Final = 11
"""Table options: 1 for advanced mats, 2 for factions by choice."""
SLOT: Final = 12
"""By slot: 1 + its technology, 0 for undiscovered."""
CARD: Final = SLOT + SLOT_COUNT
"""By place: 1 + its system card, 0 for none."""
HOLDER: Final = CARD + PLACES_MOST
"""By place: 0, or 1 + the seat that controls it and, from bit 3 on, the kind of its disc (0 for none left)."""
COLONY: Final = HOLDER + PLACES_MOST
"""By system: 0, or 1 + the seat that colonized it and from bits 3 and 5 on the kinds of its two discs."""
AWARD: Final = COLONY + 2 * SYSTEMS
"""The four achievements in play: 1 + its number."""
CLAIMS: Final = AWARD + 4
"""By achievement in play: 1 + seat, three bits a slot from the left."""
PRIVATE: Final = CLAIMS + 4
"""By technology: 1 + the seat that keeps it (R7)."""
TABLE: Final = PRIVATE + sum(TECHNOLOGIES.values())

# What belongs to a seat, by index behind `TABLE + seat * SEAT`
CRYSTAL: Final = 0
PEOPLE: Final = 1
COLUMN: Final = 2
"""Supply cubes by column."""
DISC: Final = COLUMN + len(COLUMNS) - 1
"""Discs that are left, by kind 1 .. 3: food, ore, achievement."""
AUTOMATED: Final = DISC + 3
"""Discs on the automation track, by kind."""
RESEARCHED: Final = AUTOMATED + 4
"""Bits of the slots with an own cube."""
PAWN: Final = RESEARCHED + 1
"""1 + the space where the pawn stands, 0 beside the board."""
EARNED: Final = PAWN + 1
"""Points by events."""
MAT: Final = EARNED + 1
"""1 + the mat."""
ABILITY: Final = MAT + 1
"""Standing abilities; follows from mat and technologies."""
SHIPS: Final = ABILITY + 1
"""By place: five bits a level, how many ships of it."""
SEAT: Final = SHIPS + PLACES_MOST

ACHIEVEMENT: Final = 3
"""The kind of an achievement disc; food and ore are `language.FOOD` and `language.ORE`."""
BASES: Final = tuple(TABLE + SEAT * seat for seat in range(4))
"""Where each seat begins."""

SEAT_BITS: Final = 2
NUMBERS: Final = NODES_MOST - 1
ARGUMENT: Final = NUMBERS.bit_length() + SEAT_BITS
STEP: Final = {op: number for number, op in enumerate(STEPS)}
"""The numbers of the game's own steps; the same in every program."""
NOBODY: Final = -1
assert sum(ACHIEVEMENTS.values()) < 16

_LAYOUTS: Final = tuple(Struct(f">{TABLE + SEAT * seats}I") for seats in range(5))


class State:
    """Everything that is known at the table.

    `s` is described above, `decks` are the technologies II, III, IIII and the systems A, B. An entry of `stack` is
    argument << 12 | node << 2 | seat. What follows from these: `actor`, the seat that has its say or `NOBODY`, its
    `choices`, whether a draw is `due`, and the `spaces` each seat might use.
    """

    __slots__ = ("actor", "board", "choices", "decks", "due", "s", "spaces", "stack")

    def __init__(self, board: Board, options: int) -> None:
        """Make the state before the set-up, all its draws due."""
        self.board = board
        self.s = [0] * (TABLE + SEAT * board.seats)
        self.s[OPTIONS] = options
        self.s[COVERED] = COVERED_AT_FIRST
        technologies = board.components.technologies
        systems = board.components.systems
        self.decks: list[Deck] = [
            *((tuple(n for n, card in enumerate(technologies) if card.level == level),) for level in (1, 2, 3)),
            *((tuple(n for n, card in enumerate(systems) if card.deck == deck),) for deck in (0, 1)),
        ]
        self.stack = [STEP[Op.SET_UP] << SEAT_BITS]
        self.spaces: list[tuple[int, ...]] = [()] * board.seats
        self.choices: Sequence[Action] = ()
        self.actor: Seat = NOBODY
        self.due = True

    def copy(self) -> Self:
        """Return an independent copy."""
        other = object.__new__(type(self))
        other.board = self.board
        other.s = self.s[:]
        other.decks = self.decks[:]
        other.stack = self.stack[:]
        other.spaces = self.spaces[:]
        other.choices = self.choices
        other.actor = self.actor
        other.due = self.due
        return other

    @property
    def seats(self) -> int:
        """How many seats play."""
        return self.board.seats

    @property
    def active(self) -> Seat:
        """The seat whose turn it is, whoever has a say in it."""
        return self.s[ACTIVE]

    def push(self, seat: Seat, number: int, argument: int = 0) -> None:
        """Put an effect on top of what is pending."""
        self.stack.append(argument << ARGUMENT | number << SEAT_BITS | seat)

    def in_turn_order(self, first: Seat) -> list[Seat]:
        """Return all seats, from `first` on."""
        seats = self.board.seats
        return [(first + index) % seats for index in range(seats)]

    def encode(self) -> bytes:
        """Return canonical bytes: the fixed part, then decks and stack with their lengths."""
        parts = [bytes((self.board.seats,)), _LAYOUTS[self.board.seats].pack(*self.s)]
        for deck in self.decks:
            parts.append(bytes((len(deck),)))
            parts += [bytes((len(layer), *layer)) for layer in deck]
        parts.append(Struct(f">{len(self.stack)}Q").pack(*self.stack))
        return b"".join(parts)


def power(ships: int) -> int:
    """Return the power of packed ships: the sum of their levels (J3)."""
    return (ships & 31) + 2 * (ships >> 5 & 31) + 3 * (ships >> 10 & 31) + 4 * (ships >> 15)


def count(ships: int) -> int:
    """Return how many ships are packed."""
    return (ships & 31) + (ships >> 5 & 31) + (ships >> 10 & 31) + (ships >> 15)


def one_ship(level: int) -> int:
    """Return one ship of a level, packed."""
    return 1 << 5 * level - 5
