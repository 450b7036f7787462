"""Why an action is not legal, in a player's words; `legal` alone decides whether it is."""

from collections.abc import Callable, Mapping
from typing import Final

from sunward_protocol.errors import IllegalAction
from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.actions import END, OPERAND
from sunward_protocol.games.beyond.board import LEVEL_OF, SLOT_COUNT
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.language import COUNTERS, LEVELS, TYPES, Op
from sunward_protocol.games.beyond.naming import KINDS, SLOT_NAMES, place_title
from sunward_protocol.games.beyond.ships import levels
from sunward_protocol.games.beyond.state import (
    AWARD,
    BASES,
    CARD,
    HOLDER,
    NUMBERS,
    OVER,
    PAWN,
    PEOPLE,
    RESEARCHED,
    SEAT_BITS,
    SHIPS,
    SLOT,
    State,
    power,
)
from sunward_protocol.games.beyond.turn import claimed
from sunward_protocol.games.game import Action, Seat

_ASKED: Final[Mapping[int, tuple[int, str, str]]] = {
    Op.TURN: (actions.SPACE, "A1", "move your pawn to an action space"),
    Op.PRODUCE: (actions.PRODUCE, "P1", "choose what to produce: growth, ore or trade"),
    Op.TRADE: (actions.TRADE, "P4", "trade, or be done with it"),
    Op.ACHIEVE: (actions.CLAIM, "Q1", "claim one of the achievements you qualify for"),
    Op.RESEARCH: (actions.RESEARCH, "R1", "choose the slot to research"),
    Op.TYPE: (actions.TYPE, "R4", "name the type of the new technology"),
    Op.ANY_TYPE: (actions.TYPE, "R5", "name a type that the deck still holds"),
    Op.PICK: (actions.CARD, "R4", "take one of the technologies turned up"),
    Op.PICK_OWN: (actions.CARD, "R7", "keep one of the technologies turned up"),
    Op.COPY: (actions.COPY, "A3", "choose the research action to copy"),
    Op.PAY: (actions.PAYMENT, "A3", "choose how to pay: population, or ore for one of it"),
    Op.PAY_SHIP: (actions.LOSE, "A3", "choose the ship to lose"),
    Op.MAY: (actions.ANSWER, "A3", "say yes or no"),
    Op.CHOOSE: (actions.BRANCH, "A3", "choose one of the effects"),
    Op.BUILD: (actions.BUILD, "J1", "choose where to build the ship"),
    Op.ENLIST: (actions.BUILD, "J1", "choose where to place the ship"),
    Op.UPGRADE: (actions.UPGRADE, "J1", "choose a ship to upgrade"),
    Op.REFIT: (actions.UPGRADE, "J1", "choose another ship to upgrade, or be done with it"),
    Op.JUMP: (actions.JUMP, "J2", "jump with a ship, or be done with it"),
    Op.WARP: (actions.JUMP, "J2", "jump with a ship, or be done with it"),
    Op.AUTOMATE: (actions.DISC, "U1", "choose the disc to automate"),
    Op.OUTPOST: (actions.DISC, "J4", "choose the disc for your outpost"),
    Op.SECOND_DISC: (actions.DISC, "C3", "choose the second disc for your system"),
    Op.SHIFT: (actions.SHIFT, "P5", "choose the column for the rightmost cube"),
    Op.COLONIZE: (actions.COLONIZE, "C1", "choose the system to colonize"),
    Op.INVADE: (actions.COLONIZE, "C1", "choose the system to colonize"),
    Op.SETTLE: (actions.SETTLE, "C2", "return ships, the strongest first, or be done once they suffice"),
    Op.FACTION: (actions.FACTION, "S8", "choose a faction"),
}
"""By what is asked: the verb of an answer, the ruling, and what to do."""


def check(state: State, seat: Seat, action: Action) -> None:
    """Raise `IllegalAction` naming the ruling if `action` is not legal for `seat`, whatever integers they are."""
    if seat == state.actor and action in state.choices:
        return
    raise _out_of_turn(state, seat) or _refusal(state, seat, action)


def _out_of_turn(state: State, seat: Seat) -> IllegalAction | None:
    """Return why `seat` has no say at all, or None if it has."""
    seats = state.board.seats
    if not 0 <= seat < seats:
        return IllegalAction("S8", f"There is no seat {seat} at this table: the seats are 0 to {seats - 1}.")
    if state.due:
        return IllegalAction("R4", "Cards are still being drawn: choose when they lie open.")
    if state.s[OVER]:
        return IllegalAction("E1", "The match is over: nothing more is played.")
    if seat != state.actor:
        asked = _ASKED[_pending(state)]
        return IllegalAction(asked[1], f"It is not your say: seat {state.actor} is to {asked[2]}.")
    return None


def _pending(state: State) -> int:
    return state.board.nodes[state.stack[-1] >> SEAT_BITS & NUMBERS][0]


def _refusal(state: State, seat: Seat, action: Action) -> IllegalAction:
    """Return why a seat that has its say may not say this."""
    verb, ruling, wanted = _ASKED[_pending(state)]
    if not 0 <= action < END:
        return IllegalAction(ruling, f"That is no action of this game: {wanted}.")
    if action & ~OPERAND != verb:
        return IllegalAction(ruling, f"That is not what is asked now: {wanted}.")
    reason = _REASONS.get(verb)
    return reason(state, seat, action & OPERAND) if reason else IllegalAction(ruling, f"That is not offered: {wanted}.")


def _of_space(state: State, seat: Seat, space: int) -> IllegalAction:
    s, board = state.s, state.board
    if space >= len(board.spaces):
        return IllegalAction("A1", "There is no such action space.")
    name = board.space_names[space]
    if space not in state.spaces[seat]:
        if board.guilds <= space < board.guilds + len(board.components.guilds):
            return IllegalAction("A2", f"{name} is still covered: its event must be turned up first.")
        return IllegalAction("A2", f"{name} is not open to you: you need your cube on its technology.")
    if s[BASES[seat] + PAWN] == 1 + space:
        return IllegalAction("A1", f"Your pawn stands on {name}: it must move to another space.")
    for other in range(board.seats):
        if s[BASES[other] + PAWN] == 1 + space:
            return IllegalAction("A1", f"{name} is taken by the pawn of seat {other}.")
    text = board.texts[board.spaces[space]]
    return IllegalAction("A3", f"{name} ({text}) cannot be paid for, or could do nothing for you now.")


def _of_slot(state: State, seat: Seat, slot: int) -> IllegalAction:
    s, base = state.s, BASES[seat]
    if slot >= SLOT_COUNT:
        return IllegalAction("R1", "There is no such slot.")
    name = SLOT_NAMES[slot]
    offered = {LEVEL_OF[action & OPERAND] for action in state.choices}
    if s[base + RESEARCHED] >> slot & 1:
        return IllegalAction("R1", f"You have researched {name} already.")
    if not s[base + PEOPLE]:
        return IllegalAction("R2", "You have no population cube to place.")
    if not s[SLOT + slot] and LEVEL_OF[slot] and not state.decks[LEVEL_OF[slot] - 1]:
        return IllegalAction("R5", f"{name} is undiscovered, and the deck of its level is empty.")
    joined, needed = state.board.before[slot]
    held = (s[base + RESEARCHED] & joined).bit_count()
    if held < needed:
        before = ", ".join(SLOT_NAMES[other] for other in range(SLOT_COUNT) if joined >> other & 1)
        return IllegalAction("R1", f"{name} needs {needed} of {before}; you have {held}.")
    levels = ", ".join(LEVELS[level] for level in sorted(offered))
    return IllegalAction("R1", f"This research is not for {name}: it offers slots of level {levels}.")


def _of_type(state: State, _seat: Seat, _kind: int) -> IllegalAction:
    offered = ", ".join(TYPES[action & OPERAND] for action in state.choices)
    return IllegalAction("R4", f"That type is not to be had: your technologies there allow {offered}.")


def _of_card(state: State, _seat: Seat, _card: int) -> IllegalAction:
    cards = state.board.components.technologies
    offered = " and ".join(cards[action & OPERAND].name for action in state.choices)
    return IllegalAction("R4", f"That card is not among those turned up: {offered}.")


def _of_ship(state: State, seat: Seat, operand: int) -> IllegalAction | None:
    """Return why there is no such ship, or None if there is."""
    place, level = actions.of_ship(operand)
    if place not in state.board.places:
        return IllegalAction("J2", "There is no such place on this map.")
    if level not in levels(state.s[BASES[seat] + SHIPS + place]):
        return IllegalAction("J2", f"You have no ship of level {level} at {place_title(state, place)}.")
    return None


def _of_jump(state: State, seat: Seat, operand: int) -> IllegalAction:
    origin, level, target = actions.of_move(operand)
    missing = _of_ship(state, seat, actions.ship(origin, level))
    if missing:
        return missing
    if target not in state.board.places:
        return IllegalAction("J2", "There is no such place on this map.")
    names = f"{place_title(state, origin)} to {place_title(state, target)}"
    return IllegalAction("J2", f"No line leads from {names}: one point moves one ship along one line.")


def _of_upgrade(state: State, seat: Seat, operand: int) -> IllegalAction:
    missing = _of_ship(state, seat, operand)
    return missing or IllegalAction("J1", "That ship cannot rise now: level 4 is the highest, and each rises once.")


def _of_loss(state: State, seat: Seat, operand: int) -> IllegalAction:
    missing = _of_ship(state, seat, operand)
    return missing or IllegalAction("A3", "Without that ship the effect could do nothing.")


def _of_build(_state: State, _seat: Seat, _place: int) -> IllegalAction:
    return IllegalAction("J1", "Ships are placed at Sol or at a shipyard you control, or where the card says.")


def _of_colony(state: State, seat: Seat, place: int) -> IllegalAction:
    s = state.s
    card = s[CARD + place] if place in state.board.places else 0
    if not card:
        return IllegalAction("C1", "There is no system to colonize there.")
    system = state.board.components.systems[card - 1]
    if _pending(state) == Op.COLONIZE and s[HOLDER + place] & 7 != seat + 1:
        return IllegalAction("C1", f"You do not control {system.name}.")
    here = power(s[BASES[seat] + SHIPS + place])
    if here < system.power:
        return IllegalAction("C1", f"{system.name} needs a power of {system.power}; you have {here} there.")
    return IllegalAction("C2", f"{system.name} is not open to you: its ships must find room in your supply.")


def _of_settling(_state: State, _seat: Seat, _level: int) -> IllegalAction:
    return IllegalAction("C2", "Return ships that are there, the strongest first, so that the power can be reached.")


def _of_trade(state: State, seat: Seat, operand: int) -> IllegalAction:
    if operand >= actions.TRADE_SHIP:
        missing = _of_ship(state, seat, operand - actions.TRADE_SHIP)
        return missing or IllegalAction("P4", "You lack the ore to turn that ship into population.")
    if operand == actions.TRADE_ORE:
        return IllegalAction("P4", "You lack the ore, or a supply cube, for another population.")
    return IllegalAction("P4", "You have no population to give, or no room for it in the supply.")


def _of_claim(state: State, seat: Seat, index: int) -> IllegalAction:
    s, board = state.s, state.board
    if not 0 <= index < 4:
        return IllegalAction("Q1", "That achievement is not in play.")
    number = s[AWARD + index] - 1
    card = board.components.achievements[number]
    if seat in claimed(state, index):
        return IllegalAction("Q2", f"You have claimed {card.name} already.")
    if len(claimed(state, index)) >= len(board.awards[number]):
        return IllegalAction("Q2", f"{card.name} has no open slot left.")
    have = counted(state, seat, card.counter)
    return IllegalAction("Q1", f"{card.name} needs {card.least} ({COUNTERS[card.counter]}); you have {have}.")


def _of_disc(state: State, _seat: Seat, _kind: int) -> IllegalAction:
    offered = " or ".join(KINDS[action & OPERAND] for action in state.choices)
    return IllegalAction("U1", f"That disc cannot be taken now: {offered} can.")


def _of_column(_state: State, _seat: Seat, _column: int) -> IllegalAction:
    return IllegalAction("P5", "That column has no room.")


def _of_faction(_state: State, _seat: Seat, _mat: int) -> IllegalAction:
    return IllegalAction("S8", "That faction is taken, or its mat is not in play.")


_REASONS: Final[Mapping[int, Callable[[State, Seat, int], IllegalAction]]] = {
    actions.SPACE: _of_space,
    actions.RESEARCH: _of_slot,
    actions.TYPE: _of_type,
    actions.CARD: _of_card,
    actions.JUMP: _of_jump,
    actions.UPGRADE: _of_upgrade,
    actions.LOSE: _of_loss,
    actions.BUILD: _of_build,
    actions.COLONIZE: _of_colony,
    actions.SETTLE: _of_settling,
    actions.TRADE: _of_trade,
    actions.CLAIM: _of_claim,
    actions.DISC: _of_disc,
    actions.SHIFT: _of_column,
    actions.FACTION: _of_faction,
}
"""By verb; for the others the question says it all."""
