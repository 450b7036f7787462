"""Actions as integers: `verb | operand`, and nothing of what they do.

Each is one choice. The verbs are in the order in which `legal` lists them; `DONE` ends what may be gone on with.
"""

from typing import Final

VERB: Final = 24
OPERAND: Final = (1 << VERB) - 1

# fmt: off
(SPACE, COPY, PRODUCE, TRADE, CLAIM, RESEARCH, TYPE, CARD, BRANCH, ANSWER, PAYMENT, LOSE, BUILD, UPGRADE, JUMP, DISC,
 SHIFT, COLONIZE, SETTLE, FACTION, DONE) = (verb << VERB for verb in range(21))
# fmt: on
"""What the operand is: a space, a space, one of the productions, a trade, an achievement by its place among those in
play, a slot, a type, a technology, the number of a branch, YES or NO, a payment, a ship, a place, a ship, a move, a
kind of disc, a column, a place, a level, a mat, nothing."""
END: Final = 21 << VERB

GROWTH, ORE, TRADING = range(3)
"""Productions (P1)."""

TRADE_ORE: Final = 0
TRADE_PEOPLE: Final = 1
TRADE_SHIP: Final = 2
"""Trades (P4): ore for a population, a population for ore, or from 2 on, 2 + a ship."""

YES, NO = range(2)
PEOPLE, REPLACED = range(2)
"""Payments: the population asked for, or one less and 1 ore more."""


def ship(place: int, level: int) -> int:
    """Return the operand of one ship."""
    return place << 2 | level - 1


def of_ship(operand: int) -> tuple[int, int]:
    """Return place and level of a ship."""
    return operand >> 2, (operand & 3) + 1


def move(origin: int, level: int, target: int) -> int:
    """Return the operand of one move of one ship."""
    return origin << 6 | level - 1 << 4 | target


def of_move(operand: int) -> tuple[int, int, int]:
    """Return origin, level and target of a move."""
    return operand >> 6, (operand >> 4 & 3) + 1, operand & 15
