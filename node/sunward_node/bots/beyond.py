"""What a position of Beyond the Sun is worth to a seat, by plan; the only module of the bots that knows the game.

Must never look ahead at a draw: what is still pending counts for what it usually brings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sunward_node.bots.greedy import Valuation
from sunward_protocol.games import game
from sunward_protocol.games.beyond.board import LEVEL_MASK, Board, children
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.flow import can
from sunward_protocol.games.beyond.language import BY_COLONIES, FOOD, ORE, Op
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
"""Rounds after which most of a match is played: what serves later ones loses its worth towards the last."""
_LAST_TURN: Final = 0.05
_LONG: Final = 2 * _LENGTH
"""Rounds after which a match drags on, and the bots push for its end."""
_LONG_LEFT: Final = 0.4
"""What is left of that worth then: were it next to nothing, nobody would save up for what ends the match."""
_PUSH: Final = 2.0
"""So often an achievement counts then, and still once it is claimed: nothing else ends the match."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seat makes of that which is no point yet, in points; it fades as the end comes near, save a claim."""

    technology: tuple[float, float, float, float] = (0.4, 0.7, 0.9, 1.0)
    """By level: what a technology leads to."""
    ore: float = 0.25
    people: float = 0.26
    first: float = 0.7
    """The first population comes on top: without it nothing is researched."""
    enough: tuple[int, int] = (12, 6)
    """Ore and population beyond which more of it is worth a quarter."""
    power: float = 0.38
    spaces: tuple[float, ...] = (1.1, 0.4, 0.2, 0.1)
    """Of what an action space that is the seat's by a technology, a guild or its mat brings each time, the best first:
    a turn has one action."""
    standing: tuple[float, ...] = (0.7, 0.4, 0.1, 0.6)
    """By standing ability."""
    symbol: float = 0.5
    """Two discs gone from a track, which uncover one."""
    outpost: float = 1.0
    colony: float = 0.65
    """Each point of a held system whose power is reached; less is worth its share."""
    claim: float = 1.8
    """An achievement whose condition is reached; less is worth its share, squared."""


SLACK: Final = 0.3
"""Choices no further apart are as good as each other: no estimate here is truer, and no two matches open alike."""

GREEDY: Final = Plan()
ECONOMY: Final = Plan(technology=(0.5, 0.9, 1.2, 1.4), power=0.33, symbol=0.6, colony=0.55)
FLEET: Final = Plan(technology=(0.3, 0.6, 0.8, 0.9), power=0.44, outpost=1.2, colony=0.85)
_PENDING: Final[Mapping[int, float]] = {
    Op.COLONIZE: 4.2,
    Op.INVADE: 4.2,
    Op.SETTLE: 4.2,
    Op.FOUND_COLONY: 4.8,
    Op.INFILTRATE: 3.0,
    Op.AUTOMATE: 0.8,
    Op.OUTPOST: 0.5,
    Op.KEEP: 2.5,
    Op.COPY: 1.2,
    Op.TRADE: -0.1,
}
"""What an operation that waits for the seat usually brings, if it can be carried out."""
_PENDING_EACH: Final[Mapping[int, float]] = {
    Op.GAIN: 0.2,
    Op.GROW: 0.3,
    Op.BUILD: 0.35,
    Op.ENLIST: 0.33,
    Op.UPGRADE: 0.35,
    Op.REFIT: 0.35,
    Op.JUMP: 0.15,
    Op.WARP: 0.3,
}
"""Likewise, for each one of its number."""
_NOW: Final = {**_PENDING, **_PENDING_EACH}
_EACH_TIME: Final = {**_NOW, Op.COLONIZE: 2.6, Op.GROW: 0.65}
"""Likewise when it is an action of a later turn: the system that it takes counts by then for most of its worth, and
whoever goes there to grow is in want of population."""
_FADED: Final = 0.6
"""What means are good for in the middle of a match; of what is pending, points aside, no more is counted."""
_BY_COLONIES: Final = 3.0
"""Research up to a level that grows with the colonies, as far as it usually goes."""
_OUT_OF_REACH: Final = 0.25
"""The share of it that may yet come about when nothing can be done just now."""


def valuation(plan: Plan) -> Valuation:
    """Return the valuation of a plan: the points that the seat has by now, and what the plan makes of the rest."""
    kept: list[tuple[Board, list[float], list[float]]] = []  # of the last board: what its effects bring now, and later

    def value(position: game.Position, seat: Seat) -> float:
        assert isinstance(position, Position)
        board = position.board
        if not kept or kept[0][0] is not board:
            effects = range(len(board.nodes))
            now = [_of_effect(board, number, plan, _NOW, _FADED) for number in effects]
            later = [_of_effect(board, number, plan, _EACH_TIME, 1.0) for number in effects]
            kept[:] = [(board, now, later)]
        _, now, later = kept[0]
        points = float(sum(part(position, seat) for part in PARTS.values()))
        if position.s[OVER]:
            return points
        means = _left(position, seat) * _of_means(position, seat, plan, later)
        return points + means + _of_claims(position, seat, plan) + _pending(position, seat, now)

    return value


def _left(position: Position, seat: Seat) -> float:
    """Return what means are still good for: ever less until a match drags on, little in the last turn.

    It goes by the turns that the seat has begun: were it by the round, the last of a round would never end its turn.
    """
    begun = _begun(position, seat)
    if begun == position.s[LAST]:
        return _LAST_TURN
    return 1.0 / (1.0 + (begun / _LENGTH) ** 2) if begun <= _LONG else _LONG_LEFT


def _begun(position: Position, seat: Seat) -> int:
    """Return the turns that a seat has begun."""
    s, seats = position.s, position.seats
    return s[ROUND] - ((seat - s[FIRST]) % seats > (s[ACTIVE] - s[FIRST]) % seats)


def _of_means(position: Position, seat: Seat, plan: Plan, brings: Sequence[float]) -> float:
    s, board, base = position.s, position.board, BASES[seat]
    own = s[base + RESEARCHED]
    worth = sum(each * (own & mask).bit_count() for each, mask in zip(plan.technology, LEVEL_MASK, strict=True))
    stocks = (s[base + CRYSTAL], s[base + PEOPLE])
    for held, each, enough in zip(stocks, (plan.ore, plan.people), plan.enough, strict=True):
        worth += each * (min(held, enough) + max(0, held - enough) / 4)
    worth += plan.first * (s[base + PEOPLE] > 0)
    spaces = [brings[board.spaces[space]] for space in position.spaces[seat] if space >= board.guilds]
    best = sorted(spaces, reverse=True)
    worth += sum(share * each for share, each in zip(plan.spaces, best, strict=False))
    if s[base + ABILITY]:
        worth += sum(each for bit, each in enumerate(plan.standing) if s[base + ABILITY] >> bit & 1)
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
                system = board.components.systems[s[CARD + place] - 1]
                worth += plan.colony * system.points * min(here, system.power) / system.power
    return worth


def _of_claims(position: Position, seat: Seat, plan: Plan) -> float:
    s, board = position.s, position.board
    late = _begun(position, seat) > _LONG
    claim = plan.claim * (_PUSH if late else 1.0)
    worth = 0.0
    for index, number in enumerate(s[AWARD:CLAIMS]):
        card = board.components.achievements[number - 1]
        taken = claimed(position, index)
        if seat in taken:
            worth += claim if late else 0.0
        elif len(taken) < len(board.awards[number - 1]):
            worth += claim * (min(counted(position, seat, card.counter), card.least) / card.least) ** 2
    return worth


def _pending(position: Position, seat: Seat, brings: Sequence[float]) -> float:
    """Return what is still to come of the seat's own doing."""
    nodes = position.board.nodes
    worth = 0.0
    for number in (entry >> SEAT_BITS & NUMBERS for entry in position.stack if entry & 3 == seat):
        vain = nodes[number][0] in (Op.COLONIZE, Op.RESEARCH) and not can(position, seat, number)
        worth += brings[number] * (_OUT_OF_REACH if vain else 1.0)
    return worth


def _of_effect(board: Board, number: int, plan: Plan, usual: Mapping[int, float], fade: float) -> float:
    """Return what an effect usually brings, less its costs."""
    op, *operands = board.nodes[number]
    parts = [_of_effect(board, child, plan, usual, fade) for child in children(op, operands)]
    match op:
        case Op.SEQUENCE | Op.ALL:
            return sum(parts)
        case Op.PAY:
            return parts[0] - fade * (operands[0] * plan.ore + operands[1] * plan.people)
        case Op.MAY | Op.CHOOSE:
            return max(0.0, *parts)
        case Op.TIMES:
            return operands[0] * parts[0]
        case Op.PER:
            _, _, most, _ = operands
            return max(1.0, most / 2) * parts[0]
        case Op.RESEARCH:
            levels, flags = operands
            return _BY_COLONIES if flags & BY_COLONIES else float(levels.bit_length())
        case _:
            worth = usual.get(op, 0.0)
            return fade * worth * operands[0] if op in _PENDING_EACH else worth
