"""The match told in sentences: what an action did, what chance decided, how the scoring came out; judges nothing."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from sunward_protocol.games.beyond import actions, engine
from sunward_protocol.games.beyond.actions import OPERAND, VERB
from sunward_protocol.games.beyond.board import SLOT_COUNT, Board
from sunward_protocol.games.beyond.colonies import SYSTEM_DRAWN
from sunward_protocol.games.beyond.components import COLUMNS
from sunward_protocol.games.beyond.counting import automation, counted
from sunward_protocol.games.beyond.language import COUNTERS, TYPES
from sunward_protocol.games.beyond.naming import KINDS, SLOT_NAMES, place_title
from sunward_protocol.games.beyond.research import EVENT_TURNED
from sunward_protocol.games.beyond.scoring import PARTS, result
from sunward_protocol.games.beyond.setup import AWARDED, FACTION_DRAWN, FIRST_DRAWN, LEVEL_ONE
from sunward_protocol.games.beyond.state import (
    AWARD,
    BASES,
    CLAIMS,
    COLONY,
    CRYSTAL,
    GUILDS,
    HOLDER,
    LAST,
    OVER,
    PEOPLE,
    PRIVATE,
    RESEARCHED,
    SLOT,
    State,
)
from sunward_protocol.games.beyond.turn import claimed
from sunward_protocol.games.game import Action, Draw, Seat

_PRODUCED: Final = ("let the population grow", "produced ore", "went trading")
_TRADED: Final = ("traded ore for a population", "traded a population for ore")


def tell(before: State, seat: Seat, action: Action, names: Sequence[str]) -> str:
    """Return one sentence saying what `action` did to `before`."""
    after = before.copy()
    engine.apply(after, seat, action)
    said = f"{names[seat]} {_LEADS[action >> VERB](before, seat, action & OPERAND)}"
    return "; ".join([said, *_consequences(before, after, names)]) + "."


def tell_draw(board: Board, draw: Draw, names: Sequence[str]) -> str:
    """Return one sentence saying what chance decided."""
    components = board.components
    kind, first, *rest = draw
    if kind == FIRST_DRAWN:
        return f"{names[first]} is the first player."
    second = rest[0]
    if kind == LEVEL_ONE:
        return f"{components.technologies[second].name} lies at {SLOT_NAMES[first]}."
    if kind == AWARDED:
        return f"The achievement {components.achievements[second].name} is in play."
    if kind == SYSTEM_DRAWN:
        return f"{components.systems[second].name} was turned up at {components.places[first].name}."
    if kind == EVENT_TURNED:
        event = components.events[second]
        return f"{event.name} was turned up at {SLOT_NAMES[first]}: {board.texts[event.effect]}."
    if kind == FACTION_DRAWN:
        return f"{names[first]} leads the {components.mats[second].faction}."
    return f"{components.technologies[first].name} was turned up{'' if second else ' and put under the deck'}."


def tell_result(state: State, names: Sequence[str]) -> list[str]:
    """Return the final scoring line by line: each part (E2), the totals, and who wins (E3)."""
    found = result(state)
    assert found is not None, "a match is scored when it is over"
    seats = range(state.board.seats)
    lines = [
        f"{part.capitalize()}: {', '.join(f'{names[seat]} {points(state, seat)}' for seat in seats)}."
        for part, points in PARTS.items()
    ]
    lines += [f"{names[seat]}: {found.scores[seat]} in all." for seat in seats]
    (winner,) = found.winners
    tied = found.scores.count(found.scores[winner]) > 1
    return [*lines, f"{names[winner]} wins with {found.scores[winner]}{', after a tie' if tied else ''}."]


# What was done, by verb


def _ship(state: State, operand: int) -> str:
    place, level = actions.of_ship(operand)
    return f"a level-{level} ship at {place_title(state, place)}"


def _traded(state: State, _seat: Seat, operand: int) -> str:
    if operand < actions.TRADE_SHIP:
        return _TRADED[operand]
    return f"turned {_ship(state, operand - actions.TRADE_SHIP)} into population"


def _jumped(state: State, _seat: Seat, operand: int) -> str:
    origin, level, target = actions.of_move(operand)
    return f"jumped with a level-{level} ship from {place_title(state, origin)} to {place_title(state, target)}"


def _claimed(state: State, _seat: Seat, index: int) -> str:
    return f"claimed {state.board.components.achievements[state.s[AWARD + index] - 1].name}"


def _researched(state: State, _seat: Seat, slot: int) -> str:
    card = state.s[SLOT + slot]
    name = state.board.components.technologies[card - 1].name if card else "undiscovered"
    return f"researched {SLOT_NAMES[slot]} ({name})"


_LEADS: Final[tuple[Callable[[State, Seat, int], str], ...]] = (
    lambda state, _seat, space: f"went to {state.board.space_names[space]}",
    lambda state, _seat, space: f"copied {state.board.space_names[space]}",
    lambda _state, _seat, production: _PRODUCED[production],
    _traded,
    _claimed,
    _researched,
    lambda _state, _seat, kind: f"looked for something {TYPES[kind]}",
    lambda state, _seat, card: f"took {state.board.components.technologies[card].name}",
    lambda _state, _seat, branch: f"chose effect {branch + 1}",
    lambda _state, _seat, answer: "agreed" if answer == actions.YES else "declined",
    lambda _state, _seat, way: "paid with ore for one population" if way else "paid with population",
    lambda state, _seat, operand: f"gave up {_ship(state, operand)}",
    lambda state, _seat, place: f"placed a ship at {place_title(state, place)}",
    lambda state, _seat, operand: f"upgraded {_ship(state, operand)}",
    _jumped,
    lambda _state, _seat, kind: f"took a disc: {KINDS[kind]}",
    lambda _state, _seat, column: f"moved a cube to column {COLUMNS[column]}",
    lambda state, _seat, place: f"set out to colonize {place_title(state, place)}",
    lambda _state, _seat, level: f"settled a level-{level} ship",
    lambda state, _seat, mat: f"chose the {state.board.components.mats[mat].faction}",
    lambda _state, _seat, _operand: "was done",
)


# What came of it

_POWER: Final = COUNTERS.index("power")


def _consequences(before: State, after: State, names: Sequence[str]) -> Iterable[str]:
    """Say what else changed, for whom, and what it means for the match."""
    components = before.board.components
    for seat, name in enumerate(names[: before.board.seats]):
        yield from _gains(before, after, seat, name)
    for place in before.board.held:
        holder = after.s[HOLDER + place] & 7
        if holder and holder != before.s[HOLDER + place] & 7:
            yield f"{names[holder - 1]} controls {place_title(after, place)}"
    for card, (was, is_) in enumerate(zip(before.s[COLONY:AWARD], after.s[COLONY:AWARD], strict=True)):
        if is_ and not was:
            yield f"{names[(is_ & 7) - 1]} has colonized {components.systems[card].name}"
    for index, guild in enumerate(components.guilds):
        if (after.s[GUILDS] ^ before.s[GUILDS]) >> index & 1:
            yield f"the {guild.name} is open to all"
    for index in range(PRIVATE - CLAIMS):
        if after.s[CLAIMS + index] != before.s[CLAIMS + index]:
            achievement = components.achievements[after.s[AWARD + index] - 1]
            yield f"{achievement.name} goes to {names[claimed(after, index)[-1]]}"
    if after.s[LAST] and not before.s[LAST]:
        yield "the end is called: this round and one more are played"
    if after.s[OVER]:
        yield "the match is over"


def _gains(before: State, after: State, seat: Seat, name: str) -> Iterable[str]:
    base = BASES[seat]
    for index, what in ((CRYSTAL, "ore"), (PEOPLE, "population")):
        change = after.s[base + index] - before.s[base + index]
        if change:
            yield f"{name} {change:+} {what}"
    researched = after.s[base + RESEARCHED] & ~before.s[base + RESEARCHED]
    for slot in range(SLOT_COUNT):
        if researched >> slot & 1:
            yield f"{name} has a cube on {SLOT_NAMES[slot]}"
    change = counted(after, seat, _POWER) - counted(before, seat, _POWER)
    if change:
        yield f"{name} {change:+} power"
    if automation(after, seat) != automation(before, seat):
        yield f"{name} reaches automation {automation(after, seat)}"
