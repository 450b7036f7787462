"""One public state of the table and its canonical bytes; knows no rule.

Mutable, flat and made of small integers: a search copies it at every step. A deck is what is left in it, as a sorted
list of cards; its order is not decided before a card is drawn.
"""

from typing import Final, Self

from sunward_protocol.games.around.board import Board
from sunward_protocol.games.game import Seat

ACTION: Final = 0
PARTNER: Final = 1
DEAL: Final = 2
OVER: Final = 3
"""The phases: what the table waits for once no draw is due."""

SET_UP: Final = 1
REPLACE: Final = 2
ORDER: Final = 4
SETTLE: Final = 8
"""The draws that may be due, in this order: the first three cards (S1), M6, T2, M1."""

EMPTY: Final = -1
"""No card: in the display, or as the card in use."""

ACTIONS_A_TURN: Final = 2
"""T1."""


class State:
    """Everything that is known at the table.

    `held[track * (seats + 1) + seat]` is the set of spaces a seat has on a track; after the last seat's come the spaces
    taken by anybody. `rows[row - tracks]` has four bits a seat: its space or 0. `reached` keeps three bits a track:
    whether R7, R8, R9 have been spent; `bonuses` two a seat: inner, outer (R10). `finished` is a set of cards (M7),
    `discards` a multiset, two bits a card. `used` is the card in use while its replacement or its deal is open,
    `vacant` the position it left; `partner` and `choice` (1 + the lower seat's, 0 for none yet) belong to a deal.
    """

    __slots__ = (
        "actions_left",
        "board",
        "bonuses",
        "choice",
        "deck",
        "discards",
        "display",
        "due",
        "finished",
        "fresh",
        "hand",
        "held",
        "order",
        "partner",
        "phase",
        "reached",
        "round",
        "rows",
        "scores",
        "seats",
        "turn",
        "used",
        "vacant",
    )

    def __init__(self, board: Board, seats: int) -> None:
        """Make the state before the set-up: everything in the box, all draws of section 2 due."""
        self.board = board
        self.seats = seats
        self.round = 0
        self.order = tuple(range(seats))
        self.turn = 0
        self.actions_left = ACTIONS_A_TURN
        self.phase = ACTION
        self.due = SET_UP | ORDER | SETTLE
        self.display = [EMPTY, EMPTY, EMPTY]
        self.deck: list[int] = []
        self.fresh = False
        self.discards = board.deck
        self.finished = 0
        self.held = [0] * ((seats + 1) * board.tracks)
        self.rows = [0] * (board.cards - board.tracks)
        self.hand = [board.usable] * seats
        self.scores = [0] * seats
        self.reached = 0
        self.bonuses = 0
        self.used = EMPTY
        self.vacant = 0
        self.partner = 0
        self.choice = 0

    def copy(self) -> Self:
        """Return an independent copy."""
        other = object.__new__(type(self))
        other.board = self.board
        other.seats = self.seats
        other.round = self.round
        other.order = self.order
        other.turn = self.turn
        other.actions_left = self.actions_left
        other.phase = self.phase
        other.due = self.due
        other.display = self.display[:]
        other.deck = self.deck[:]
        other.fresh = self.fresh
        other.discards = self.discards
        other.finished = self.finished
        other.held = self.held[:]
        other.rows = self.rows[:]
        other.hand = self.hand[:]
        other.scores = self.scores[:]
        other.reached = self.reached
        other.bonuses = self.bonuses
        other.used = self.used
        other.vacant = self.vacant
        other.partner = self.partner
        other.choice = self.choice
        return other

    @property
    def active(self) -> Seat:
        """The seat whose turn it is, also while its draws are due."""
        return self.order[self.turn]

    def on_track(self, track: int) -> list[int]:
        """Return by seat the set of its spaces on a track."""
        first = track * (self.seats + 1)
        return self.held[first : first + self.seats]

    def on_row(self, row: int) -> list[int]:
        """Return by seat its space on a row, 0 for none."""
        packed = self.rows[row - self.board.tracks]
        return [packed >> shift & 15 for shift in range(0, 4 * self.seats, 4)]

    def encode(self) -> bytes:
        """Return canonical bytes: fixed fields first, then the deck, which takes the rest."""
        return self.board.layouts[self.seats].pack(
            self.seats,
            self.round,
            *self.order,
            self.turn,
            self.actions_left,
            self.phase,
            self.due,
            self.fresh,
            self.vacant,
            self.partner,
            self.choice,
            self.used,
            *self.display,
            self.discards,
            self.finished,
            self.reached,
            self.bonuses,
            *self.held,
            *self.rows,
            *self.hand,
            *self.scores,
        ) + bytes(self.deck)
