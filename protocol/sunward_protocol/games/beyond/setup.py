"""The set-up (S2 to S8): everything that chance decides before the first turn, and the choice of factions."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.beyond import actions, turn
from sunward_protocol.games.beyond.board import SLOTS_AT
from sunward_protocol.games.beyond.box import NO_EFFECT
from sunward_protocol.games.beyond.colonies import draw_system
from sunward_protocol.games.beyond.language import Node, Op
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.research import refresh
from sunward_protocol.games.beyond.state import (
    ACHIEVEMENT,
    ACTIVE,
    AWARD,
    BASES,
    COLUMN,
    CRYSTAL,
    DISC,
    FIRST,
    FOUND,
    MAT,
    OPTIONS,
    PEOPLE,
    ROUND,
    SHIPS,
    SLOT,
    STEP,
    State,
    one_ship,
)
from sunward_protocol.games.game import Action, Chance, Draw, Seat

FIRST_DRAWN: Final = 0
LEVEL_ONE: Final = 1
AWARDED: Final = 2
FACTION_DRAWN: Final = 6
"""Kinds of draws: (FIRST_DRAWN, seat), (LEVEL_ONE, slot, technology), (AWARDED, index, achievement),
(FACTION_DRAWN, seat, mat)."""

ADVANCED: Final = 1
BY_CHOICE: Final = 2
"""Bits of the table options (S8)."""
_SYSTEM_DECK: Final = 3


def free_mats(state: State) -> list[int]:
    """Return the mats that may still be taken at this table (S8, S9), ascending."""
    s, board = state.s, state.board
    taken = {s[base + MAT] - 1 for base in BASES[: board.seats]}
    without = board.components.two_players_without if board.seats == 2 else ""
    advanced = bool(s[OPTIONS] & ADVANCED)
    mats = enumerate(board.components.mats)
    return [n for n, mat in mats if mat.advanced == advanced and mat.faction != without and n not in taken]


def _set_up(state: State, _seat: Seat, _node: Node, _argument: int, chance: Chance) -> list[Draw]:
    s, board = state.s, state.board
    components = board.components
    s[FIRST] = s[ACTIVE] = chance.below(board.seats)
    draws: list[Draw] = [(FIRST_DRAWN, s[FIRST])]
    left = [n for n, card in enumerate(components.technologies) if not card.level]
    for slot in SLOTS_AT[0]:  # S2
        card = left.pop(chance.below(len(left)))
        s[SLOT + slot] = 1 + card
        s[FOUND] |= 1 << slot
        draws.append((LEVEL_ONE, slot, card))
    draws += _systems(state, chance)
    for kind in ("basic", "A", "B"):  # S6
        cards = [n for n, award in enumerate(components.achievements) if award.kind == kind]
        if kind == "basic":
            s[AWARD], s[AWARD + 1] = (1 + card for card in cards)
        else:
            index = 2 if kind == "A" else 3
            card = cards[chance.below(len(cards))]
            s[AWARD + index] = 1 + card
            draws.append((AWARDED, index, card))
    for place, other in enumerate(state.in_turn_order(s[FIRST])):
        _equip_alike(state, other, components.ore[place])
    s[ROUND] = 1
    turn.begin(state)
    for other in reversed(state.in_turn_order(s[FIRST])):
        state.push(other, STEP[Op.EQUIP])
    for other in state.in_turn_order(s[FIRST]):
        if s[OPTIONS] & BY_CHOICE:
            state.push(other, STEP[Op.FACTION])  # the last in turn order ends on top
        else:
            mats = free_mats(state)
            mat = mats[chance.below(len(mats))]
            _take_mat(state, other, mat)
            draws.append((FACTION_DRAWN, other, mat))
    return draws


def _systems(state: State, chance: Chance) -> list[Draw]:
    """S5: some starting cards of deck A are turned up, the others return to it; then the spaces left are filled."""
    board = state.board
    systems = board.components.systems
    (deck,) = state.decks[_SYSTEM_DECK]
    starting = tuple(card for card in deck if systems[card].starting)
    others = tuple(card for card in deck if not systems[card].starting)
    state.decks[_SYSTEM_DECK] = (starting,)
    count = board.components.maps[board.seats].starting
    draws = [draw_system(state, place, 0, chance) for place in board.systems[0][:count]]
    (left,) = state.decks[_SYSTEM_DECK]
    state.decks[_SYSTEM_DECK] = (tuple(sorted((*left, *others))),)
    draws += [draw_system(state, place, 0, chance) for place in board.systems[0][count:]]
    return draws + [draw_system(state, place, 1, chance) for place in board.systems[1]]


def _equip_alike(state: State, seat: Seat, ore: int) -> None:
    """S7, as far as it is the same for all."""
    s, base = state.s, BASES[seat]
    components = state.board.components
    s[base + CRYSTAL] = ore
    s[base + PEOPLE] = components.population
    s[base + COLUMN : base + COLUMN + len(components.columns)] = components.columns
    for kind in range(1, ACHIEVEMENT + 1):
        s[base + DISC + kind] = components.discs
    s[base + SHIPS + state.board.sol] = one_ship(1)


def _faction_options(state: State, _seat: Seat, _node: Node, _argument: int) -> Sequence[Action]:
    return [actions.FACTION | mat for mat in free_mats(state)]


def _faction(state: State, seat: Seat, _node: Node, _argument: int, action: Action) -> None:
    _take_mat(state, seat, action & actions.OPERAND)


def _take_mat(state: State, seat: Seat, mat: int) -> None:
    state.s[BASES[seat] + MAT] = 1 + mat
    refresh(state, seat)


def _equip(state: State, seat: Seat, _node: Node, _argument: int) -> None:
    """S7: the mat's own extras."""
    start = state.board.components.mats[state.s[BASES[seat] + MAT] - 1].start
    if start != NO_EFFECT:
        state.push(seat, start)


OPERATIONS: Final = {
    Op.SET_UP: Operation(draw=_set_up),
    Op.FACTION: Operation(options=_faction_options, take=_faction),
    Op.EQUIP: Operation(do=_equip),
}
