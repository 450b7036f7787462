"""The export's JSON for actions, draws, components and states (`lines` has the shape of a state's).

Must leave nothing out that `State` holds but what follows from the rest: `rebuilding` is the proof.
"""

import json
from collections.abc import Mapping
from typing import Final, cast

from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.actions import OPERAND, VERB
from sunward_protocol.games.beyond.board import Board
from sunward_protocol.games.beyond.colonies import SYSTEM_DRAWN
from sunward_protocol.games.beyond.components import COLUMNS
from sunward_protocol.games.beyond.language import TYPES
from sunward_protocol.games.beyond.lines import PlaceLine, SeatLine, StateLine
from sunward_protocol.games.beyond.naming import ANSWERS, KINDS, PAYMENTS, PRODUCTIONS, SLOT_NAMES, TRADES
from sunward_protocol.games.beyond.research import EVENT_TURNED, TECHNOLOGY_TURNED
from sunward_protocol.games.beyond.setup import ADVANCED, AWARDED, BY_CHOICE, FACTION_DRAWN, FIRST_DRAWN, LEVEL_ONE
from sunward_protocol.games.beyond.state import (
    ACTIVE,
    ARGUMENT,
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
    GUILDS,
    HOLDER,
    LAST,
    MAT,
    NUMBERS,
    OPTIONS,
    OVER,
    PAWN,
    PEOPLE,
    PRIVATE,
    RESEARCHED,
    ROUND,
    SEAT_BITS,
    SHIPS,
    SLOT,
    TURNED,
    State,
)
from sunward_protocol.games.beyond.turn import claimed
from sunward_protocol.games.game import Action, Draw, Json, Seat

DECKS: Final = ("II", "III", "IIII", "A", "B")
_VERBS: Final = (
    *("space", "copy", "produce", "trade", "claim", "research", "type", "technology", "branch", "answer", "payment"),
    *("lose", "build", "upgrade", "jump", "disc", "shift", "colonize", "settle", "faction", "done"),
)


def action_json(state: State, action: Action) -> Json:
    """Return what a seat chose, by the names that are printed."""
    board = state.board
    components = board.components
    operand = action & OPERAND
    verb = _VERBS[action >> VERB]
    said: dict[str, Json] = {"type": verb}
    match action & ~OPERAND:
        case actions.SPACE | actions.COPY:
            said["space"] = board.space_names[operand]
        case actions.PRODUCE:
            said["production"] = PRODUCTIONS[operand]
        case actions.TRADE if operand < actions.TRADE_SHIP:
            said["trade"] = TRADES[operand]
        case actions.TRADE:
            said |= {"trade": "ship", **_ship(board, operand - actions.TRADE_SHIP)}
        case actions.CLAIM:
            said["achievement"] = components.achievements[state.s[AWARD + operand] - 1].name
        case actions.RESEARCH:
            said["slot"] = SLOT_NAMES[operand]
        case actions.TYPE:
            said["kind"] = TYPES[operand]
        case actions.CARD:
            said["technology"] = components.technologies[operand].name
        case actions.BRANCH:
            said["branch"] = operand + 1
        case actions.ANSWER:
            said["answer"] = ANSWERS[operand]
        case actions.PAYMENT:
            said["payment"] = PAYMENTS[operand]
        case actions.LOSE | actions.UPGRADE:
            said |= _ship(board, operand)
        case actions.BUILD | actions.COLONIZE:
            said["place"] = components.places[operand].name
        case actions.JUMP:
            origin, level, target = actions.of_move(operand)
            said |= {"level": level, "from": components.places[origin].name, "to": components.places[target].name}
        case actions.DISC:
            said["disc"] = KINDS[operand]
        case actions.SHIFT:
            said["column"] = COLUMNS[operand]
        case actions.SETTLE:
            said["level"] = operand
        case actions.FACTION:
            said["faction"] = components.mats[operand].faction
        case _:
            pass
    return said


def _ship(board: Board, operand: int) -> Mapping[str, Json]:
    place, level = actions.of_ship(operand)
    return {"level": level, "place": board.components.places[place].name}


def draw_json(board: Board, draw: Draw) -> Json:
    """Return one thing that chance decided."""
    components = board.components
    kind, first, *rest = draw
    if kind == FIRST_DRAWN:
        return {"first": first}
    second = rest[0]
    if kind == LEVEL_ONE:
        return {"slot": SLOT_NAMES[first], "technology": components.technologies[second].name}
    if kind == AWARDED:
        return {"achievement": components.achievements[second].name}
    if kind == SYSTEM_DRAWN:
        return {"place": components.places[first].name, "system": components.systems[second].name}
    if kind == EVENT_TURNED:
        return {"slot": SLOT_NAMES[first], "event": components.events[second].name}
    if kind == FACTION_DRAWN:
        return {"seat": first, "faction": components.mats[second].faction}
    assert kind == TECHNOLOGY_TURNED
    return {"technology": components.technologies[first].name, "matches": bool(second)}


def components_json(canonical: bytes) -> Json:
    """Return the component file itself: it is written with printed names already."""
    found: Json = json.loads(canonical)
    return found


# States


def state_json(state: State) -> Json:
    """Return the whole public state; `pending` is what is still to be done, the next last."""
    s, board = state.s, state.board
    components = board.components
    technologies, systems = components.technologies, components.systems
    seats = range(board.seats)
    decks = [
        [[_card(board, deck, card) for card in layer] for layer in cards] for deck, cards in enumerate(state.decks)
    ]
    line: StateLine = {
        "options": options_of(s[OPTIONS]),
        "round": s[ROUND],
        "first": s[FIRST],
        "active": s[ACTIVE],
        "last_round": s[LAST] or None,
        "over": bool(s[OVER]),
        "guilds": [guild.name for index, guild in enumerate(components.guilds) if s[GUILDS] >> index & 1],
        "events": [event.name for number, event in enumerate(components.events) if s[TURNED] >> number & 1],
        "extra_system": bool(s[CHARTED]),
        "slots": {
            name: {
                "technology": technologies[s[SLOT + slot] - 1].name if s[SLOT + slot] else None,
                "event": bool(s[COVERED] >> slot & 1),
                "researched": [seat for seat in seats if s[BASES[seat] + RESEARCHED] >> slot & 1],
            }
            for slot, name in enumerate(SLOT_NAMES)
        },
        "places": {components.places[place].name: _place(state, place) for place in board.places},
        "colonies": [
            {
                "system": systems[card].name,
                "seat": (colony & 7) - 1,
                "discs": [KINDS[kind] or None for kind in (colony >> 3 & 3, colony >> 5)],
            }
            for card, colony in enumerate(s[COLONY:AWARD])
            if colony
        ],
        "achievements": [
            {"achievement": components.achievements[number - 1].name, "claims": claimed(state, index)}
            for index, number in enumerate(s[AWARD:CLAIMS])
            if number
        ],
        "private": [
            {"technology": card.name, "seat": s[PRIVATE + number] - 1}
            for number, card in enumerate(technologies)
            if s[PRIVATE + number]
        ],
        "seats": [_seat(state, seat) for seat in seats],
        "decks": dict(zip(DECKS, decks, strict=True)),
        "pending": [
            {"seat": e & 3, "effect": board.texts[e >> SEAT_BITS & NUMBERS], "argument": e >> ARGUMENT}
            for e in state.stack
        ],
    }
    return cast("Json", line)


def options_of(packed: int) -> dict[str, str]:
    """Return the table options by name."""
    return {
        "mats": "advanced" if packed & ADVANCED else "basic",
        "factions": "chosen" if packed & BY_CHOICE else "drawn",
    }


def _card(board: Board, deck: int, card: int) -> str:
    cards = board.components.technologies if deck < DECKS.index("A") else board.components.systems
    return cards[card].name


def _place(state: State, place: int) -> PlaceLine:
    s, components = state.s, state.board.components
    card, held = s[CARD + place], s[HOLDER + place]
    ships = [s[base + SHIPS + place] for base in BASES[: state.board.seats]]
    return {
        "system": components.systems[card - 1].name if card else None,
        "holder": (held & 7) - 1 if held else None,
        "disc": KINDS[held >> 3] or None,
        "ships": [
            [seat, level, packed >> 5 * level - 5 & 31]
            for seat, packed in enumerate(ships)
            for level in range(1, 5)
            if packed >> 5 * level - 5 & 31
        ],
    }


def _seat(state: State, seat: Seat) -> SeatLine:
    s, base, board = state.s, BASES[seat], state.board
    pawn, mat = s[base + PAWN], s[base + MAT]
    return {
        "faction": board.components.mats[mat - 1].faction if mat else None,
        "ore": s[base + CRYSTAL],
        "population": s[base + PEOPLE],
        "supply": {letter: s[base + COLUMN + column] for column, letter in enumerate(COLUMNS)},
        "discs": {name: s[base + DISC + kind] for kind, name in enumerate(KINDS) if kind},
        "automation": {name: s[base + AUTOMATED + kind] for kind, name in enumerate(KINDS) if kind},
        "space": board.space_names[pawn - 1] if pawn else None,
        "points": s[base + EARNED],
    }
