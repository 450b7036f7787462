"""What chance does: the display, the deck and the turn order (S1, S2, M1 to M8, T2); never what a player does.

`rules.apply` carries an action out first and leaves its draws due. M6 draws the replacement before the trip or deed is
resolved, so to that one draw a track or row finished by this very action is still in play: its twin is laid down, and
then leaves by M7 like any face-up card.
"""

from typing import Final

from sunward_protocol.games.around.state import EMPTY, ORDER, OVER, REPLACE, SET_UP, SETTLE, State
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
    state.due = 0
    if due & REPLACE:  # M6, as long as the deck lasts
        position = state.vacant
        deck = state.deck
        while deck:
            card = _first(state, chance) if state.fresh else deck.pop(chance.below(len(deck)))
            if not state.finished >> card & 1:
                state.display[position] = card
                draws.append((TURNED, card, position, 0))
                break
            if card == state.used:
                draws.append((TURNED, card, position, 0))
                break
            draws.append((TURNED, card, position, 1))
        state.vacant = 0
        if not state.phase or state.phase == OVER:
            state.used = EMPTY
    elif due & SET_UP:
        for position in POSITIONS:
            _fill(state, chance, position, draws)
    if due & ORDER:
        _order(state, chance, draws)
    if due & SETTLE and unsettled(state):
        _settle(state, chance, draws)
    return draws


def unsettled(state: State) -> bool:
    """Whether M1 would change the display; whatever is face up is in play (M7)."""
    first, second, third = state.display
    if first == second or second == third or third == first:
        return EMPTY in state.display or bool(_misfits(state))
    tracks = state.board.tracks
    return EMPTY in state.display or (first >= tracks and second >= tracks and third >= tracks)


def _misfits(state: State) -> list[int]:
    """Return the positions of a full display to discard: three good deeds (M1c), or both cards of one track (M1d)."""
    tracks = state.board.tracks
    display = state.display
    if min(display) >= tracks:
        return [0, 1, 2]
    return [position for position, card in enumerate(display) if card < tracks and display.count(card) > 1]


def _settle(state: State, chance: Chance, draws: list[Draw]) -> None:
    """M1. It ends: an unfinished track and an unfinished row have three cards in play at least, and not all misfit."""
    display = state.display
    while True:
        for position in POSITIONS:
            if display[position] == EMPTY:
                _fill(state, chance, position, draws)
        misfits = _misfits(state)
        if not misfits:
            return
        for position in misfits:
            state.discards += 1 << 2 * display[position]
            display[position] = EMPTY


def _fill(state: State, chance: Chance, position: int, draws: list[Draw]) -> None:
    """Turn cards over until one stays at `position` (M7); an empty deck is made anew from the discards (M2)."""
    while True:
        if not state.deck:
            _shuffle(state)
            if state.round:  # the first shuffle of a match is its set-up, not a reshuffle
                draws.append((SHUFFLED, len(state.deck)))
        card = _first(state, chance) if state.fresh else state.deck.pop(chance.below(len(state.deck)))
        out = state.finished >> card & 1
        draws.append((TURNED, card, position, out))
        if not out:
            state.display[position] = card
            return


def _shuffle(state: State) -> None:
    """Make the discards the new deck."""
    discards = state.discards
    card = 0
    while discards:
        state.deck += [card] * (discards & 3)
        discards >>= 2
        card += 1
    state.discards = 0
    state.fresh = True


def _first(state: State, chance: Chance) -> int:
    """Take the first card off a new deck: no Hidden Agenda if there is anything else in it (M5)."""
    state.fresh = False
    deck = state.deck
    hidden = state.board.hidden
    tops = [index for index, card in enumerate(deck) if not hidden[card]] or range(len(deck))
    return deck.pop(tops[chance.below(len(tops))])


def _order(state: State, chance: Chance, draws: list[Draw]) -> None:
    """S2, T2: take the seats out of the cup one by one."""
    cup = list(range(state.seats))
    state.order = tuple([cup.pop(chance.below(left)) for left in range(state.seats, 0, -1)])
    state.round += 1
    state.turn = 0
    draws.append((ORDERED, *state.order))
