"""What chance does: the display, the deck and the turn order (S1, S2, M1 to M8, T2); never what a player does.

`rules.apply` carries an action out first and leaves its draws due. M6 draws the replacement before the trip or deed is
resolved, so to that one draw a track or row finished by this very action is still in play: its twin is laid down, and
then leaves by M7 like any face-up card.
"""

from typing import Final

from sunward_protocol.games.around.board import Board
from sunward_protocol.games.around.state import ACTION, EMPTY, ORDER, OVER, REPLACE, SET_UP, SETTLE, State
from sunward_protocol.games.game import Chance, Draw

TURNED: Final = 0
SHUFFLED: Final = 1
ORDERED: Final = 2
"""Kinds of draws: (TURNED, card, position, whether it left at once), (SHUFFLED, cards), (ORDERED, seat, seat, …)."""

POSITIONS: Final = (0, 1, 2)


def draw(state: State, chance: Chance) -> list[Draw]:
    """Make every draw now due, in the order of M8."""
    draws: list[Draw] = []
    due = state.due
    if due & REPLACE:
        _replace(state, chance, draws)
        if state.phase == ACTION or state.phase == OVER:
            state.used = EMPTY
        state.vacant = 0
    if due & SET_UP:
        for position in POSITIONS:
            _fill(state, chance, position, draws)
    if due & ORDER:
        _order(state, chance, draws)
    if due & SETTLE:
        _settle(state, chance, draws)
    state.due = 0
    return draws


def unsettled(board: Board, display: list[int]) -> bool:
    """Whether M1 would change this display; whatever is face up is taken to be in play (M7)."""
    return EMPTY in display or bool(_misfits(board, display))


def _misfits(board: Board, display: list[int]) -> tuple[int, ...]:
    """Return the positions of a full display that M1c or M1d discards: three good deeds, or both cards of one track."""
    tracks = board.tracks
    a, b, c = display
    if a >= tracks and b >= tracks and c >= tracks:
        return POSITIONS
    if a == b and a < tracks:
        return (0, 1)
    if a == c and a < tracks:
        return (0, 2)
    if b == c and b < tracks:
        return (1, 2)
    return ()


def _settle(state: State, chance: Chance, draws: list[Draw]) -> None:
    """M1. It ends: an unfinished track and an unfinished row have three cards in play at least, and not all misfit."""
    display = state.display
    while True:
        for position in POSITIONS:
            if display[position] == EMPTY:
                _fill(state, chance, position, draws)
        misfits = _misfits(state.board, display)
        if not misfits:
            return
        for position in misfits:
            state.discards += 1 << 2 * display[position]
            display[position] = EMPTY


def _fill(state: State, chance: Chance, position: int, draws: list[Draw]) -> None:
    """Turn cards over until one stays at `position` (M7); an empty deck is made anew from the discards (M2)."""
    while True:
        if not state.deck:
            discards = state.discards
            state.deck = [card for card in range(state.board.cards) for _ in range(discards >> 2 * card & 3)]
            state.discards = 0
            state.fresh = True
            # The first shuffle of a match is its set-up, not a reshuffle.
            if not state.due & SET_UP:
                draws.append((SHUFFLED, len(state.deck)))
        card = _take(state, chance)
        out = state.finished >> card & 1
        draws.append((TURNED, card, position, out))
        if not out:
            state.display[position] = card
            return


def _replace(state: State, chance: Chance, draws: list[Draw]) -> None:
    """M6, as long as the deck lasts."""
    while state.deck:
        card = _take(state, chance)
        out = state.finished >> card & 1
        if out and card != state.used:
            draws.append((TURNED, card, state.vacant, 1))
            continue
        draws.append((TURNED, card, state.vacant, 0))
        if not out:
            state.display[state.vacant] = card
        return


def _take(state: State, chance: Chance) -> int:
    """Take one card off the deck; the first of a new deck is no Hidden Agenda if there is anything else (M5)."""
    deck = state.deck
    if state.fresh:
        state.fresh = False
        hidden = state.board.hidden
        tops = [index for index, card in enumerate(deck) if not hidden[card]]
        if tops:
            return deck.pop(tops[chance.below(len(tops))])
    return deck.pop(chance.below(len(deck)))


def _order(state: State, chance: Chance, draws: list[Draw]) -> None:
    """S2, T2: take the seats out of the cup one by one."""
    cup = list(range(state.seats))
    state.order = tuple([cup.pop(chance.below(left)) for left in range(state.seats, 0, -1)])
    state.round += 1
    state.turn = 0
    draws.append((ORDERED, *state.order))
