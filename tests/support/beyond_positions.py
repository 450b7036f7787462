"""Tables of Beyond the Sun set up in a few readable words.

    table(techs={"II1": "Mass Cloning"}, researched={0: "I1 I2 II1"}, ships={0: "sol 1, a1 2"}, ore=[5])

Unless said otherwise it is seat 0's turn to act in round 1, all have what the set-up gives them, the four level I
technologies lie in the file's order, the first starting systems at a1 and a2, Vega at b1 and Altair at b2, and no event
was turned up. Cubes on technologies and ships come out of the supply, so that twenty are always there.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from sunward_protocol.errors import IllegalAction
from sunward_protocol.games.beyond import BEYOND, engine
from sunward_protocol.games.beyond.board import Board
from sunward_protocol.games.beyond.components import COLUMNS
from sunward_protocol.games.beyond.flow import can
from sunward_protocol.games.beyond.language import Op
from sunward_protocol.games.beyond.naming import KINDS, SLOT_NAMES
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.research import refresh
from sunward_protocol.games.beyond.state import (
    AUTOMATED,
    AWARD,
    BASES,
    CARD,
    COLONY,
    COLUMN,
    CRYSTAL,
    DISC,
    FOUND,
    GUILDS,
    HOLDER,
    MAT,
    PAWN,
    PEOPLE,
    PRIVATE,
    RESEARCHED,
    ROUND,
    SHIPS,
    SLOT,
    one_ship,
)
from sunward_protocol.games.beyond.supply import take_cube
from sunward_protocol.games.beyond.turn import begin
from sunward_protocol.games.game import Draw, Seat
from support.matches import Script

BUILTIN = BEYOND.load(BEYOND.builtin())
BOX = BUILTIN.boards[4].components
TECHNOLOGIES = {card.name: number for number, card in enumerate(BOX.technologies)}
EVENTS = {card.name: number for number, card in enumerate(BOX.events)}
SYSTEMS = {card.name: number for number, card in enumerate(BOX.systems)}
AWARDS = {card.name: number for number, card in enumerate(BOX.achievements)}
PLACES = {place.name: number for number, place in enumerate(BOX.places)}
LEVEL_ONE = ("Deep Field Telescope", "Closed-Loop Farming", "Fusion Torches", "Freight Charters")
NOTHING: Mapping[str, str] = {}
NO_SEATS: Mapping[int, str] = {}


def table(
    *,
    seats: int = 4,
    techs: Mapping[str, str] = NOTHING,
    researched: Mapping[int, str] = NO_SEATS,
    private: Mapping[str, Seat] | None = None,
    ships: Mapping[int, str] = NO_SEATS,
    systems: Mapping[str, str] = NOTHING,
    holders: Mapping[str, str] = NOTHING,
    colonies: Mapping[str, Seat] | None = None,
    ore: Sequence[int] = (),
    population: Sequence[int] = (),
    supply: Mapping[int, str] = NO_SEATS,
    awards: Sequence[str] = ("Transcendence", "Empire", "Armada", "Metropolis"),
    guilds: int = 0,
    mats: Sequence[int] = (0, 1, 2, 3),
) -> Position:
    """Return a table at the beginning of seat 0's turn; `holders` are as {"a1": "0 food"}, `supply` as "A2 C1"."""
    position = BUILTIN.start(seats, {})
    s = position.s
    s[ROUND] = 1
    s[GUILDS] = guilds
    for slot, name in zip(("I1", "I2", "I3", "I4"), LEVEL_ONE, strict=True):
        _lay(position, slot, name)
    for slot, name in techs.items():
        _lay(position, slot, name)
    for place, name in {"a1": "Proxima", "a2": "Barnard", "b1": "Vega", "b2": "Altair", **systems}.items():
        s[CARD + PLACES[place]] = 1 + SYSTEMS[name]
        _take(position, 3 + BOX.systems[SYSTEMS[name]].deck, SYSTEMS[name])
    for seat, base in enumerate(BASES[:seats]):
        s[base + CRYSTAL] = ore[seat] if seat < len(ore) else BOX.ore[seat]
        s[base + MAT] = 1 + mats[seat]
        s[base + COLUMN : base + COLUMN + len(COLUMNS)] = BOX.columns
        for kind in (1, 2, 3):
            s[base + DISC + kind] = BOX.discs
        people = population[seat] if seat < len(population) else BOX.population
        names = researched.get(seat, "").split()
        s[base + RESEARCHED] = sum(1 << SLOT_NAMES.index(slot) for slot in names)
        own = [ship.split() for ship in ships.get(seat, "sol 1").split(", ") if ship]
        for place, level in own:
            s[base + SHIPS + PLACES[place]] += one_ship(int(level))
        for _ in range(max(0, people + len(names) + len(own) - 3)):
            take_cube(s, base)
        s[base + PEOPLE] = people
        if seat in supply:
            s[base + COLUMN : base + COLUMN + len(COLUMNS)] = columns(supply[seat])
    for place, said in holders.items():
        holder, disc = int(said.split()[0]), KINDS.index(said.split()[1])
        s[HOLDER + PLACES[place]] = 1 + holder | disc << 3
        s[BASES[holder] + DISC + disc] -= 1
    for name, owner in (colonies or {}).items():
        s[COLONY + SYSTEMS[name]] = 1 + owner | 1 << 3 | 2 << 5
        s[BASES[owner] + DISC + 1] -= 1
        s[BASES[owner] + DISC + 2] -= 1
        _take(position, 3 + BOX.systems[SYSTEMS[name]].deck, SYSTEMS[name])
    for name, owner in (private or {}).items():
        s[PRIVATE + TECHNOLOGIES[name]] = 1 + owner
        _take(position, BOX.technologies[TECHNOLOGIES[name]].level - 1, TECHNOLOGIES[name])
    s[AWARD : AWARD + 4] = [1 + AWARDS[name] for name in awards]
    for seat in range(seats):
        refresh(position, seat)
    position.stack = []
    begin(position)
    engine.run(position)
    return position


def _lay(position: Position, slot: str, name: str) -> None:
    index = SLOT_NAMES.index(slot)
    card = TECHNOLOGIES[name]
    position.s[SLOT + index] = 1 + card
    position.s[FOUND] |= 1 << index
    level = BOX.technologies[card].level
    if level:
        _take(position, level - 1, card)


def _take(position: Position, deck: int, card: int) -> None:
    (cards,) = position.decks[deck]
    position.decks[deck] = (tuple(other for other in cards if other != card),)


def columns(text: str) -> list[int]:
    """Return supply columns given as 'A2 C1'."""
    found = [0] * len(COLUMNS)
    for word in text.split():
        found[COLUMNS.index(word[0])] = int(word[1:])
    return found


@cache
def board_with(text: str, seats: int) -> Board:
    """Return the built-in board, one more effect written in a guild's place."""
    components = json.loads(BEYOND.builtin())
    components["guilds"][0]["effect"] = text
    return BEYOND.load(json.dumps(components).encode()).boards[seats]


def effect(position: Position, text: str, seat: Seat = 0) -> Position:
    """Put an effect of the language on a table in place of the turn, and begin it."""
    position.board = board_with(text, position.seats)
    position.stack = []
    position.push(seat, position.board.components.guilds[0].effect)
    engine.run(position)
    return position


def able(position: Position, text: str, seat: Seat = 0) -> bool:
    """Whether an effect could do anything just now."""
    position.board = board_with(text, position.seats)
    return can(position, seat, position.board.components.guilds[0].effect)


def immediate(position: Position, name: str, seat: Seat = 0) -> Position:
    """Gain a technology's IMMEDIATE."""
    position.stack = []
    position.push(seat, BOX.technologies[TECHNOLOGIES[name]].immediate)
    engine.run(position)
    return position


def act(position: Position, *texts: str) -> Position:
    """Carry out typed actions one after another, each by the seat that has its say; they must be legal."""
    for text in texts:
        (seat,) = position.to_act()
        for action in BUILTIN.words.read(position, seat, text):
            position.check(seat, action)
            position.apply(seat, action)
    return position


def options(position: Position) -> list[str]:
    """Return the legal actions of the seat that has its say, as typed."""
    (seat,) = position.to_act()
    return [BUILTIN.words.write(position, seat, action) for action in position.legal(seat)]


def refusal(position: Position, text: str, seat: Seat | None = None) -> IllegalAction:
    """Return why a typed action is refused."""
    who = position.to_act()[0] if seat is None else seat
    with pytest.raises(IllegalAction) as caught:
        position.check(who, *BUILTIN.words.read(position, who, text))
    return caught.value


def draw(position: Position, *answers: int) -> list[Draw]:
    """Make the draws now due, chance answering exactly this."""
    script = Script(list(answers))
    draws = position.draw(script)
    assert script.spent()
    return draws


def turn_up(position: Position, *names: str) -> list[Draw]:
    """Make the draws now due, the cards of the first multiset of their deck coming in this order."""
    script = _Named(position, names)
    draws = position.draw(script)
    assert script.spent()
    return draws


class _Named:
    """A chance that turns up technologies or systems by name."""

    def __init__(self, position: Position, names: Sequence[str]) -> None:
        self._position = position
        self._names = list(names)
        self._gone: list[int] = []

    def below(self, n: int) -> int:
        name = self._names.pop(0)
        if name in TECHNOLOGIES:
            card, deck = TECHNOLOGIES[name], BOX.technologies[TECHNOLOGIES[name]].level - 1
        else:
            card, deck = SYSTEMS[name], 3 + BOX.systems[SYSTEMS[name]].deck
        left = [other for other in self._position.decks[deck][0] if other not in self._gone]
        self._gone.append(card)
        assert len(left) == n
        return left.index(card)

    def spent(self) -> bool:
        return not self._names


def own(position: Position, seat: Seat = 0) -> dict[str, int]:
    """Return what a seat has: ore, population, supply, and discs left on the tracks."""
    s, base = position.s, BASES[seat]
    return {
        "ore": s[base + CRYSTAL],
        "population": s[base + PEOPLE],
        "supply": sum(s[base + COLUMN : base + COLUMN + len(COLUMNS)]),
        "food": s[base + DISC + 1],
        "ore discs": s[base + DISC + 2],
        "achievement discs": s[base + DISC + 3],
        "automation": sum(s[base + AUTOMATED + kind] for kind in (1, 2, 3)),
    }


def supply_of(position: Position, seat: Seat = 0) -> str:
    """Return the filled supply columns as 'A2 C1'."""
    base = BASES[seat] + COLUMN
    return " ".join(f"{letter}{position.s[base + c]}" for c, letter in enumerate(COLUMNS) if position.s[base + c])


def ships_of(position: Position, seat: Seat = 0) -> str:
    """Return a seat's ships as `table` takes them."""
    found: list[str] = []
    for place, name in enumerate(PLACES):
        packed = position.s[BASES[seat] + SHIPS + place]
        for level in (1, 2, 3, 4):
            found += [f"{name} {level}"] * (packed >> 5 * level - 5 & 31)
    return ", ".join(found)


def holder_of(position: Position, place: str) -> str:
    """Return who controls a place and with which disc, as `table` takes it; '' for nobody."""
    held = position.s[HOLDER + PLACES[place]]
    return f"{(held & 7) - 1} {KINDS[held >> 3] or '-'}" if held else ""


def researched_by(position: Position, seat: Seat = 0) -> str:
    """Return the slots with a seat's cubes."""
    own_ = position.s[BASES[seat] + RESEARCHED]
    return " ".join(name for slot, name in enumerate(SLOT_NAMES) if own_ >> slot & 1)


def pending(position: Position) -> str:
    """Return the operation on top of the stack by name."""
    return Op(position.board.nodes[position.stack[-1] >> 2 & 1023][0]).name


def stand_on(position: Position, seat: Seat, space: str) -> None:
    """Put a pawn on a space, and look anew at what may be done."""
    position.s[BASES[seat] + PAWN] = 1 + position.board.space_names.index(space)
    engine.run(position)
