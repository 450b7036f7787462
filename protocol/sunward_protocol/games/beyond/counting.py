"""What can be counted for a seat: for `per`, for achievements; changes nothing."""

from collections.abc import Callable
from typing import Final

from sunward_protocol.games.beyond.board import LEVEL_MASK, SLOT_COUNT
from sunward_protocol.games.beyond.language import COUNTERS, LEVELS, TYPES
from sunward_protocol.games.beyond.research import colonies
from sunward_protocol.games.beyond.state import (
    AUTOMATED,
    BASES,
    COLONY,
    CRYSTAL,
    HOLDER,
    PEOPLE,
    PRIVATE,
    RESEARCHED,
    SHIPS,
    SLOT,
    TABLE,
    State,
    count,
    power,
)
from sunward_protocol.games.game import Seat


def counted(state: State, seat: Seat, counter: int) -> int:
    """Return how many of a counter's things a seat has."""
    return _COUNTS[counter](state, seat)


def technologies(state: State, seat: Seat) -> list[int]:
    """Return the technologies of a seat, private ones included (R7)."""
    s = state.s
    own = s[BASES[seat] + RESEARCHED]
    found = [s[SLOT + slot] - 1 for slot in range(SLOT_COUNT) if own >> slot & 1 and s[SLOT + slot]]
    return found + [card for card, keeper in enumerate(s[PRIVATE:TABLE]) if keeper == seat + 1]


def automation(state: State, seat: Seat) -> int:
    """Return the level that the automation track has reached (U2)."""
    base = BASES[seat] + AUTOMATED
    return sum(state.s[base + 1 : base + 4])


def _controlled(state: State, seat: Seat) -> int:
    """Count controlled systems and shipyards."""
    return len([held for held in state.s[HOLDER:COLONY] if held & 7 == seat + 1])


def _colonized(state: State, seat: Seat) -> int:
    return colonies(state.s, seat)


def _population(state: State, seat: Seat) -> int:
    return state.s[BASES[seat] + PEOPLE]


def _ore(state: State, seat: Seat) -> int:
    return state.s[BASES[seat] + CRYSTAL]


def _ships_of(state: State, seat: Seat) -> list[int]:
    base = BASES[seat] + SHIPS
    return state.s[base : base + len(state.board.components.places)]


def _ships(state: State, seat: Seat) -> int:
    return sum(map(count, _ships_of(state, seat)))


def _power(state: State, seat: Seat) -> int:
    return sum(map(power, _ships_of(state, seat)))


def _stronghold(state: State, seat: Seat) -> int:
    """Count the power at the place where it is greatest."""
    return max(map(power, _ships_of(state, seat)))


def _technologies(state: State, seat: Seat) -> int:
    return len(technologies(state, seat))


def _of_level(level: int) -> Callable[[State, Seat], int]:
    def found(state: State, seat: Seat) -> int:
        own = (state.s[BASES[seat] + RESEARCHED] & LEVEL_MASK[level]).bit_count()
        kept = state.s[PRIVATE:TABLE]
        if not any(kept):
            return own
        cards = state.board.components.technologies
        return own + sum(owner == seat + 1 and cards[card].level == level for card, owner in enumerate(kept))

    return found


def _of_type(kind: int) -> Callable[[State, Seat], int]:
    def found(state: State, seat: Seat) -> int:
        cards = state.board.components.technologies
        return sum(cards[card].types[0] == kind for card in technologies(state, seat))

    return found


_COUNTS: Final[tuple[Callable[[State, Seat], int], ...]] = (
    _controlled,
    _colonized,
    automation,
    _population,
    _ore,
    _ships,
    _power,
    _stronghold,
    _technologies,
    *(_of_level(level) for level in range(len(LEVELS))),
    *(_of_type(kind) for kind in range(len(TYPES))),
)
assert len(_COUNTS) == len(COUNTERS)
