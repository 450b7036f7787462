"""The way back from one exported state to a position with which the match goes on; decides nothing by itself."""

from collections.abc import Sequence
from typing import cast

from sunward_protocol.games.beyond import engine
from sunward_protocol.games.beyond.board import SLOT_COUNT, Board
from sunward_protocol.games.beyond.components import COLUMNS
from sunward_protocol.games.beyond.export import DECKS
from sunward_protocol.games.beyond.lines import SeatLine, StateLine
from sunward_protocol.games.beyond.naming import KINDS, SLOT_NAMES
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.research import refresh
from sunward_protocol.games.beyond.setup import ADVANCED, BY_CHOICE
from sunward_protocol.games.beyond.state import (
    ACTIVE,
    AUTOMATED,
    AWARD,
    BASES,
    CARD,
    CHARTED,
    CLAIMS,
    COLONY,
    COLUMN,
    COVERED,
    CRYSTAL,
    DISC,
    EARNED,
    FIRST,
    FOUND,
    GUILDS,
    HOLDER,
    LAST,
    MAT,
    OVER,
    PAWN,
    PEOPLE,
    PRIVATE,
    RESEARCHED,
    ROUND,
    SHIPS,
    SLOT,
    TURNED,
)
from sunward_protocol.games.game import Json, Seat


def rebuild(board: Board, line: Json) -> Position:
    """Return the position that `state_json` described; the board must be of the same components and seats."""
    state = cast("StateLine", line)
    components = board.components
    numbers = {card.name: number for number, card in enumerate(components.technologies)}
    systems = {card.name: number for number, card in enumerate(components.systems)}
    places = {place.name: number for number, place in enumerate(components.places)}
    awards = {card.name: number for number, card in enumerate(components.achievements)}
    advanced = state["options"]["mats"] == "advanced"
    chosen = state["options"]["factions"] == "chosen"
    position = Position(board, ADVANCED * advanced | BY_CHOICE * chosen)
    s = position.s
    s[ROUND], s[FIRST], s[ACTIVE] = state["round"], state["first"], state["active"]
    s[LAST] = state["last_round"] or 0
    s[OVER], s[CHARTED] = int(state["over"]), int(state["extra_system"])
    s[GUILDS] = _bits([guild.name in state["guilds"] for guild in components.guilds])
    s[TURNED] = _bits([event.name in state["events"] for event in components.events])
    slots = [state["slots"][name] for name in SLOT_NAMES]
    s[COVERED] = _bits([slot["event"] for slot in slots])
    s[FOUND] = _bits([slot["technology"] is not None for slot in slots])
    s[SLOT : SLOT + SLOT_COUNT] = [0 if (name := slot["technology"]) is None else 1 + numbers[name] for slot in slots]
    for name, place in state["places"].items():
        at = places[name]
        s[CARD + at] = 0 if place["system"] is None else 1 + systems[place["system"]]
        if place["holder"] is not None:
            s[HOLDER + at] = 1 + place["holder"] | _kind(place["disc"]) << 3
        for seat, level, count in place["ships"]:
            s[BASES[seat] + SHIPS + at] += count << 5 * level - 5
    for colony in state["colonies"]:
        first, second = map(_kind, colony["discs"])
        s[COLONY + systems[colony["system"]]] = 1 + colony["seat"] | first << 3 | second << 5
    for index, award in enumerate(state["achievements"]):
        s[AWARD + index] = 1 + awards[award["achievement"]]
        s[CLAIMS + index] = sum(1 + seat << 3 * slot for slot, seat in enumerate(award["claims"]))
    for kept in state["private"]:
        s[PRIVATE + numbers[kept["technology"]]] = 1 + kept["seat"]
    for seat, own in enumerate(state["seats"]):
        _rebuild_seat(board, s, seat, own, advanced)
        s[BASES[seat] + RESEARCHED] = _bits([seat in slot["researched"] for slot in slots])
    position.decks = [
        tuple(
            tuple((numbers if deck < DECKS.index("A") else systems)[card] for card in layer)
            for layer in state["decks"][name]
        )
        for deck, name in enumerate(DECKS)
    ]
    position.stack = []
    for entry in state["pending"]:
        position.push(entry["seat"], board.texts.index(entry["effect"]), entry["argument"])
    for seat, own in enumerate(state["seats"]):
        if own["faction"] is not None:
            refresh(position, seat)
    engine.run(position)
    return position


def _rebuild_seat(board: Board, s: list[int], seat: Seat, own: SeatLine, advanced: bool) -> None:
    base = BASES[seat]
    s[base + CRYSTAL], s[base + PEOPLE], s[base + EARNED] = own["ore"], own["population"], own["points"]
    s[base + COLUMN : base + COLUMN + len(COLUMNS)] = [own["supply"][letter] for letter in COLUMNS]
    for kind, name in enumerate(KINDS[1:], 1):
        s[base + DISC + kind] = own["discs"][name]
        s[base + AUTOMATED + kind] = own["automation"][name]
    if own["space"] is not None:
        s[base + PAWN] = 1 + board.space_names.index(own["space"])
    for number, mat in enumerate(board.components.mats):
        if mat.faction == own["faction"] and mat.advanced == advanced:
            s[base + MAT] = 1 + number


def _bits(flags: Sequence[bool]) -> int:
    return sum(1 << index for index, flag in enumerate(flags) if flag)


def _kind(name: str | None) -> int:
    return KINDS.index(name or "")
