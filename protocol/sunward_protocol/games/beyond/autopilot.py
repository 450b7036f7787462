"""What a seat without a player does; never by chance, never by looking at a deck.

Every replica computes it, so it is a function of the position alone, in whole numbers. One choice ahead: of the legal
actions, the one after which `worth` is greatest for the seat, the first of several equal ones. What is still pending
for the seat counts for what it usually brings, so that an action is worth something before its choices are made.

Two of them may go round in circles when few people play. So in a match that is long over its time, every other round
takes any action, as a sum over the state has it: that has ended every match.
"""

from collections.abc import Mapping
from typing import Final

from sunward_protocol.games.beyond import engine
from sunward_protocol.games.beyond.board import LEVEL_MASK
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.language import FOOD, ORE, Op
from sunward_protocol.games.beyond.scoring import of_achievements, of_automation, of_colonies, of_events, of_fleets
from sunward_protocol.games.beyond.state import (
    AWARD,
    BASES,
    CARD,
    CLAIMS,
    CRYSTAL,
    DISC,
    HOLDER,
    NUMBERS,
    PEOPLE,
    RESEARCHED,
    ROUND,
    SEAT_BITS,
    SHIPS,
    STEP,
    State,
    power,
)
from sunward_protocol.games.game import Action, Seat

_PATIENCE: Final = 40
"""Rounds: twice what a match takes."""
POINT: Final = 100
"""All worths are in hundredths of a point."""
_TECHNOLOGY: Final = (130, 250, 370, 650)
"""By level."""
_ORE: Final = 18
_ORE_ENOUGH: Final = 12
_PEOPLE: Final = 42
_PEOPLE_ENOUGH: Final = 6
_LITTLE: Final = 4
"""Each of as much again beyond what is enough; still more is worth nothing."""
_POWER: Final = 34
_OUTPOST: Final = 170
_ABOUT_TO_HOLD: Final = 120
_SYMBOL: Final = 90
"""Each disc gone from a track brings half of this a symbol."""
_TOWARDS_COLONY: Final = 140
"""A system whose power is reached; less is worth its share."""
_TOWARDS_CLAIM: Final = 220
"""An achievement whose condition is reached; less is worth its share, squared."""
_TRADING: Final = (-10, 30)
"""Trading, as a rule, and with more ore than is worth anything and population wanting."""
_PENDING: Final[Mapping[int, int]] = {
    Op.COLONIZE: 420,
    Op.SETTLE: 420,
    Op.FOUND_COLONY: 480,
    Op.INFILTRATE: 300,
    Op.GROW: 42,
    Op.BUILD: 60,
    Op.ENLIST: 40,
    Op.UPGRADE: 34,
    Op.REFIT: 34,
    Op.JUMP: 25,
    Op.WARP: 60,
    Op.AUTOMATE: 80,
    Op.KEEP: 250,
}
"""What an operation that waits for the seat usually brings; of a number in it nothing is made."""


def autopilot(state: State, seat: Seat) -> Action:
    """Return the action of a seat whose say it is."""
    s = state.s
    if s[ROUND] > _PATIENCE and s[ROUND] & 1:
        return state.choices[sum(s) % len(state.choices)]
    return max(state.choices, key=lambda action: _worth_after(state, seat, action))


def _worth_after(state: State, seat: Seat, action: Action) -> int:
    after = state.copy()
    engine.apply(after, seat, action)
    return worth(after, seat)


def worth(state: State, seat: Seat) -> int:
    """Return what a position is worth to a seat, in hundredths of a point."""
    s, base = state.s, BASES[seat]
    found = POINT * (
        of_automation(state, seat)
        + of_colonies(state, seat)
        + of_fleets(state, seat)
        + of_events(state, seat)
        + of_achievements(state, seat)
    )
    own = s[base + RESEARCHED]
    for level, each in enumerate(_TECHNOLOGY):
        found += each * (own & LEVEL_MASK[level]).bit_count()
    found += _stock(s[base + CRYSTAL], _ORE, _ORE_ENOUGH) + _stock(s[base + PEOPLE], _PEOPLE, _PEOPLE_ENOUGH)
    tracks = 2 * state.board.components.discs - s[base + DISC + FOOD] - s[base + DISC + ORE]
    found += tracks * _SYMBOL // 2
    found += _of_places(state, seat) + _of_claims(state, seat)
    for entry in state.stack:
        if entry & 3 == seat:
            found += _pending(state, entry)
            if entry >> SEAT_BITS & NUMBERS == STEP[Op.TRADE]:
                found += _TRADING[s[base + CRYSTAL] >= 2 * _ORE_ENOUGH and s[base + PEOPLE] < _PEOPLE_ENOUGH]
    return found


def _stock(held: int, each: int, enough: int) -> int:
    return each * min(held, enough) + _LITTLE * min(max(0, held - enough), enough)


def _of_places(state: State, seat: Seat) -> int:
    """Value ships, outposts, and systems on the way to being held or colonized."""
    s, board = state.s, state.board
    bases = BASES[: board.seats]
    own = BASES[seat] + SHIPS
    found = 0
    for place in board.places:
        here = power(s[own + place])
        found += _POWER * here
        card = s[CARD + place]
        if place not in board.held or not (card or place in board.yards):
            continue
        if s[HOLDER + place] & 7 == seat + 1:
            found += _OUTPOST
        elif here and here > max(power(s[base + SHIPS + place]) for base in bases if base + SHIPS != own):
            found += _ABOUT_TO_HOLD
        else:
            continue
        if card:
            needed = board.components.systems[card - 1].power
            found += _TOWARDS_COLONY * min(here, needed) // needed
    return found


def _of_claims(state: State, seat: Seat) -> int:
    """Value achievements that are still open to the seat by how near they are."""
    s, board = state.s, state.board
    found = 0
    for index in range(4):
        claims = s[CLAIMS + index]
        taken = [(claims >> shift & 7) - 1 for shift in range(0, claims.bit_length(), 3)]
        card = board.components.achievements[s[AWARD + index] - 1]
        if seat not in taken and len(taken) < len(board.awards[s[AWARD + index] - 1]):
            near = min(counted(state, seat, card.counter), card.least)
            found += _TOWARDS_CLAIM * near * near // (card.least * card.least)
    return found


def _pending(state: State, entry: int) -> int:
    node = state.board.nodes[entry >> SEAT_BITS & NUMBERS]
    op = node[0]
    if op == Op.RESEARCH:
        return _TECHNOLOGY[node[1].bit_length() - 1] - _PEOPLE
    if op in (Op.SEQUENCE, Op.MAY, Op.TIMES, Op.PAY):
        return 0
    return _PENDING.get(op, 0)
