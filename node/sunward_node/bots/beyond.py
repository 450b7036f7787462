"""What a position of Beyond the Sun is worth to a seat, by plan; the only module of the bots that knows the game.

Must never look ahead at a draw: what is still pending counts for what it usually brings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sunward_node.bots.greedy import Valuation
from sunward_protocol.games import game
from sunward_protocol.games.beyond.board import LEVEL_MASK, children
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.flow import can
from sunward_protocol.games.beyond.language import FOOD, ORE, Op
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.scoring import PARTS
from sunward_protocol.games.beyond.state import (
    ABILITY,
    ACTIVE,
    AWARD,
    BASES,
    CARD,
    CLAIMS,
    CRYSTAL,
    DISC,
    FIRST,
    HOLDER,
    LAST,
    NUMBERS,
    OVER,
    PEOPLE,
    RESEARCHED,
    ROUND,
    SEAT_BITS,
    SHIPS,
    power,
)
from sunward_protocol.games.beyond.turn import claimed
from sunward_protocol.games.game import Seat

_LENGTH: Final = 15
_LAST_TURN: Final = 0.05
"""Rounds that a match usually takes: what serves later ones loses its worth towards the last."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seat makes of that which is no point yet, in points; it fades as the end comes near, save a claim."""

    technology: tuple[float, float, float, float] = (0.4, 0.7, 0.9, 1.0)
    """By level: what a technology leads to."""
    ore: float = 0.22
    people: float = 0.38
    first: float = 0.7
    """The first population comes on top: without it nothing is researched."""
    enough: tuple[int, int] = (12, 6)
    """Ore and population beyond which more of it is worth a quarter."""
    power: float = 0.38
    space: float = 0.1
    """Of what an action space that is the seat's by a technology, a guild or its mat brings each time."""
    standing: float = 1.0
    """A standing ability."""
    symbol: float = 0.65
    """Two discs gone from a track, which uncover one."""
    outpost: float = 1.0
    colony: float = 2.4
    """A held system whose power is reached; less is worth its share."""
    claim: float = 2.4
    """An achievement whose condition is reached; less is worth its share, squared."""


GREEDY: Final = Plan()
ECONOMY: Final = Plan(technology=(0.5, 0.9, 1.2, 1.4), power=0.33, symbol=0.8, colony=2.1)
FLEET: Final = Plan(technology=(0.3, 0.6, 0.8, 0.9), power=0.44, outpost=1.2, colony=3.0)
_PENDING: Final[Mapping[int, float]] = {
    Op.COLONIZE: 4.2,
    Op.INVADE: 4.2,
    Op.SETTLE: 4.2,
    Op.FOUND_COLONY: 4.8,
    Op.INFILTRATE: 3.0,
    Op.AUTOMATE: 0.9,
    Op.OUTPOST: 0.5,
    Op.KEEP: 2.5,
    Op.TRADE: -0.1,
}
"""What an operation that waits for the seat usually brings, if it can be carried out."""
_PENDING_EACH: Final[Mapping[int, float]] = {
    Op.GAIN: 0.2,
    Op.GROW: 0.45,
    Op.BUILD: 0.35,
    Op.ENLIST: 0.25,
    Op.UPGRADE: 0.35,
    Op.REFIT: 0.35,
    Op.JUMP: 0.15,
    Op.WARP: 0.3,
}
"""Likewise, for each one of its number."""
_OUT_OF_REACH: Final = 0.25
"""The share of it that may yet come about when nothing can be done just now."""


def valuation(plan: Plan) -> Valuation:
    """Return the valuation of a plan: the points that the seat has by now, and what the plan makes of the rest."""

    def value(position: game.Position, seat: Seat) -> float:
        assert isinstance(position, Position)
        points = float(sum(part(position, seat) for part in PARTS.values()))
        if position.s[OVER]:
            return points
        means = _left(position, seat) * _of_means(position, seat, plan)
        return points + means + _of_claims(position, seat, plan) + _pending(position, seat)

    return value


def _left(position: Position, seat: Seat) -> float:
    """Return what means are still good for: half at the usual length, ever less after it, little in the last turn.

    It goes by the turns that the seat has begun: were it by the round, the last of a round would never end its turn.
    """
    s, seats = position.s, position.seats
    begun = s[ROUND] - ((seat - s[FIRST]) % seats > (s[ACTIVE] - s[FIRST]) % seats)
    if begun == s[LAST]:
        return _LAST_TURN
    return 1.0 / (1.0 + (begun / _LENGTH) ** 2)


def _of_means(position: Position, seat: Seat, plan: Plan) -> float:
    s, board, base = position.s, position.board, BASES[seat]
    own = s[base + RESEARCHED]
    worth = sum(each * (own & mask).bit_count() for each, mask in zip(plan.technology, LEVEL_MASK, strict=True))
    stocks = (s[base + CRYSTAL], s[base + PEOPLE])
    for held, each, enough in zip(stocks, (plan.ore, plan.people), plan.enough, strict=True):
        worth += each * (min(held, enough) + max(0, held - enough) / 4)
    worth += plan.first * (s[base + PEOPLE] > 0)
    spaces = [board.spaces[space] for space in position.spaces[seat] if space >= board.guilds]
    worth += plan.space * sum(_of_effect(position, effect) for effect in spaces)
    worth += plan.standing * s[base + ABILITY].bit_count()
    gone = 2 * board.components.discs - s[base + DISC + FOOD] - s[base + DISC + ORE]
    worth += plan.symbol * gone / board.components.discs_a_symbol
    own_ships = base + SHIPS
    others = [other + SHIPS for other in BASES[: board.seats] if other != base]
    for place in board.places:
        here = power(s[own_ships + place])
        worth += plan.power * here
        if not here or place not in board.held or not (s[CARD + place] or place in board.yards):
            continue
        if s[HOLDER + place] & 7 == seat + 1 or here > max(power(s[ships + place]) for ships in others):
            worth += plan.outpost
            if s[CARD + place]:
                needed = board.components.systems[s[CARD + place] - 1].power
                worth += plan.colony * min(here, needed) / needed
    return worth


def _of_claims(position: Position, seat: Seat, plan: Plan) -> float:
    s, board = position.s, position.board
    worth = 0.0
    for index, number in enumerate(s[AWARD:CLAIMS]):
        card = board.components.achievements[number - 1]
        taken = claimed(position, index)
        if seat not in taken and len(taken) < len(board.awards[number - 1]):
            worth += plan.claim * (min(counted(position, seat, card.counter), card.least) / card.least) ** 2
    return worth


def _pending(position: Position, seat: Seat) -> float:
    """Return what is still to come of the seat's own doing."""
    nodes = position.board.nodes
    worth = 0.0
    for number in (entry >> SEAT_BITS & NUMBERS for entry in position.stack if entry & 3 == seat):
        vain = nodes[number][0] in (Op.COLONIZE, Op.RESEARCH) and not can(position, seat, number)
        worth += _of_effect(position, number) * (_OUT_OF_REACH if vain else 1.0)
    return worth


def _of_effect(position: Position, number: int) -> float:
    """Return what an effect usually brings, its costs aside."""
    op, *operands = position.board.nodes[number]
    match op:
        case Op.SEQUENCE | Op.MAY | Op.PAY | Op.ALL:
            return sum(_of_effect(position, child) for child in children(op, operands))
        case Op.CHOOSE:
            return max(_of_effect(position, child) for child in children(op, operands))
        case Op.TIMES:
            return operands[0] * _of_effect(position, operands[1])
        case Op.RESEARCH:
            return float(operands[0].bit_length())
        case _:
            each = _PENDING_EACH.get(op)
            return _PENDING.get(op, 0.0) if each is None else each * operands[0]
