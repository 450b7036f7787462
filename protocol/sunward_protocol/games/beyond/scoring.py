"""The final scoring (E2, E3); changes nothing."""

from collections.abc import Callable, Mapping
from typing import Final

from sunward_protocol.games.beyond.counting import automation, technologies
from sunward_protocol.games.beyond.language import FOOD, LEVELS, ORE
from sunward_protocol.games.beyond.state import (
    AWARD,
    BASES,
    CLAIMS,
    COLONY,
    CRYSTAL,
    DISC,
    EARNED,
    FIRST,
    HOLDER,
    OVER,
    PRIVATE,
    SHIPS,
    State,
    power,
)
from sunward_protocol.games.beyond.turn import claimed
from sunward_protocol.games.game import Result, Seat

_HIGHEST: Final = len(LEVELS) - 1


def of_technologies(state: State, seat: Seat) -> int:
    """Return the points for technologies: by level, IIII as printed."""
    components = state.board.components
    cards = [components.technologies[card] for card in technologies(state, seat)]
    return sum(card.points if card.level == _HIGHEST else components.points[card.level] for card in cards)


def of_automation(state: State, seat: Seat) -> int:
    """Return the points shown up to the level reached; each level past the last printed one is worth 1 (U2)."""
    printed = state.board.components.automation
    level = automation(state, seat)
    return sum(printed[:level]) + max(0, level - len(printed))


def of_colonies(state: State, seat: Seat) -> int:
    """Return the points printed on colonized systems."""
    systems = state.board.components.systems
    colonies = state.s[COLONY:AWARD]
    return sum(systems[card].points for card, colony in enumerate(colonies) if colony & 7 == seat + 1)


def of_outposts(state: State, seat: Seat) -> int:
    """Return 1 for each outpost disc on an uncolonized system or shipyard; control without a disc counts nothing."""
    return sum(held & 7 == seat + 1 and held >> 3 > 0 for held in state.s[HOLDER:COLONY])


def of_fleets(state: State, seat: Seat) -> int:
    """Return 1 for Sol and 1 for Deep Space with the most power there; ties all, some power needed."""
    s, board = state.s, state.board
    points = 0
    for place in (board.sol, board.deep):
        powers = [power(s[base + SHIPS + place]) for base in BASES[: board.seats]]
        points += 0 < powers[seat] == max(powers)
    return points


def of_events(state: State, seat: Seat) -> int:
    """Return the points that events brought."""
    return state.s[BASES[seat] + EARNED]


def of_achievements(state: State, seat: Seat) -> int:
    """Return the worth of the slots with an own disc."""
    s, board = state.s, state.board
    points = 0
    for index in range(PRIVATE - CLAIMS):
        seats = claimed(state, index)
        if seat in seats:
            points += board.awards[s[AWARD + index] - 1][seats.index(seat)]
    return points


PARTS: Final[Mapping[str, Callable[[State, Seat], int]]] = {
    "technologies": of_technologies,
    "automation": of_automation,
    "colonized systems": of_colonies,
    "outposts": of_outposts,
    "fleets": of_fleets,
    "events": of_events,
    "achievements": of_achievements,
}


def standings(state: State) -> list[int]:
    """Return by seat what the final scoring would pay if the match ended now."""
    return [sum(part(state, seat) for part in PARTS.values()) for seat in range(state.board.seats)]


def _tie_break(state: State, seat: Seat, score: int) -> tuple[int, ...]:
    """E3: fewest discs left on food and ore, most ore, most achievements, later in turn order."""
    s, base, seats = state.s, BASES[seat], state.board.seats
    achievements = sum(seat in claimed(state, index) for index in range(PRIVATE - CLAIMS))
    left = s[base + DISC + FOOD] + s[base + DISC + ORE]
    return (score, -left, s[base + CRYSTAL], achievements, (seat - s[FIRST]) % seats)


def result(state: State) -> Result | None:
    """Return the final scores and the one winner once the match is over."""
    if not state.s[OVER]:
        return None
    totals = standings(state)
    winner = max(range(len(totals)), key=lambda seat: _tie_break(state, seat, totals[seat]))
    return Result(tuple(totals), (winner,))
