"""Why an action is not legal, in a player's words; `legal` alone decides whether it is."""

from sunward_protocol.errors import IllegalAction
from sunward_protocol.games.around.actions import (
    ARGUMENTS,
    CARD,
    CARDS,
    END,
    POSITION,
    TO_DEAL,
    TO_PARTNER,
    WITHHELD,
    credits_of,
    legal,
    own_tokens,
    taken_back,
    to_act,
)
from sunward_protocol.games.around.board import COLOURS, THIRTY_TWO
from sunward_protocol.games.around.state import DEAL, OVER, PARTNER, State
from sunward_protocol.games.game import Action, Seat


def check(state: State, seat: Seat, action: Action) -> None:
    """Raise `IllegalAction` naming the ruling if `action` is not legal for `seat`, whatever integers they are."""
    if action in legal(state, seat):
        return
    raise _out_of_turn(state, seat) or _refusal(state, seat, action)


def _out_of_turn(state: State, seat: Seat) -> IllegalAction | None:
    """Return why `seat` has no say at all, or None if it has."""
    acting = to_act(state)
    if seat in acting:
        return None
    if not 0 <= seat < state.seats:
        return IllegalAction("T1", f"There is no seat {seat} at this table: the seats are 0 to {state.seats - 1}.")
    if state.due:
        return IllegalAction("M8", "Cards are still being drawn: choose when the display has settled.")
    if state.phase == OVER:
        return IllegalAction("E1", "The match is over: nothing more is played.")
    if state.phase == DEAL:
        if seat in (state.active, state.partner):
            return IllegalAction("D1", "You have made your choice in this deal: wait for the other's.")
        return IllegalAction("D1", f"{_seats(*acting)} have a deal to settle first: you have no part in it.")
    if state.phase == PARTNER:
        return IllegalAction("R8", f"{_seats(*acting)} is choosing a partner for a deal: wait for your turn.")
    return IllegalAction("T1", f"It is not your turn: {_seats(*acting).lower()} is to act.")


def _refusal(state: State, seat: Seat, action: Action) -> IllegalAction:
    """Return why a seat that has its say may not say this."""
    if not 0 <= action < END:
        return IllegalAction("T1", "That is no action of this game.")
    if state.phase == PARTNER:
        return _of_partner(state, seat, action)
    if state.phase == DEAL:
        if action == TO_DEAL | WITHHELD:
            return IllegalAction(
                "D3", "Nobody chooses to withhold: it is what becomes of a choice not revealed in time."
            )
        return IllegalAction("D1", "A deal is open: co-operate or renege.")
    if action >= TO_DEAL:
        return IllegalAction("D1", "No deal is open.")
    if action >= TO_PARTNER:
        return IllegalAction("R8", "No partner is to be named now.")
    return _of_card(state, seat, action >> POSITION, action >> CARD & CARDS, action & ARGUMENTS)


def _of_partner(state: State, seat: Seat, action: Action) -> IllegalAction:
    place = state.board.names[state.used].capitalize()
    partner = action & ARGUMENTS
    if not TO_PARTNER <= action < TO_DEAL:
        return IllegalAction("R8", "Your trip calls for a deal: name your partner first.")
    if action & ~ARGUMENTS != TO_PARTNER or partner >= state.seats:
        return IllegalAction("R8", "There is no such seat to be your partner.")
    if partner == seat:
        return IllegalAction("R8", "You cannot be your own partner: name another player.")
    return IllegalAction("R8", f"{_seats(partner)} has no token on {place}: name one with a token below {THIRTY_TWO}.")


def _of_card(state: State, seat: Seat, position: int, card: int, argument: int) -> IllegalAction:
    board = state.board
    if card >= board.cards:
        return IllegalAction("T1", "There is no such card.")
    name = board.names[card].capitalize()
    if state.finished >> card & 1:
        return IllegalAction("M7", f"{name} is finished: its cards are out of play.")
    if card not in state.display:
        return IllegalAction("T1", f"No {name} card is face up: an action is made with one of the three that are.")
    if position >= len(state.display) or state.display[position] != card:
        return IllegalAction("T1", f"{name} is face up at {state.display.index(card) + 1}, not at {position + 1}.")
    if card < board.tracks:
        return _of_take_back(state, seat, name, argument)
    if not state.hand[seat] and not state.on_row(card)[seat]:
        return IllegalAction("G2", f"You have no token in hand to begin the {name} row with.")
    return _of_credit(state, seat, card, argument)


def _of_take_back(state: State, seat: Seat, name: str, argument: int) -> IllegalAction:
    board = state.board
    if state.hand[seat]:
        return IllegalAction(
            "R1", f"You have {state.hand[seat]} in hand: a token is taken back only when there is none."
        )
    if not argument:
        return IllegalAction(
            "R1", f"You have no token in hand: name one to take back, as in 'trip {name.lower()} back …'."
        )
    track, space = taken_back(argument)
    if track < board.tracks and argument not in own_tokens(state, seat):
        return IllegalAction("R1", f"You have no token on {space} of {board.names[track].capitalize()} to take back.")
    return IllegalAction("R1", "There is no such token to take back.")


def _of_credit(state: State, seat: Seat, row: int, argument: int) -> IllegalAction:
    board = state.board
    options = credits_of(state, seat, row)
    due = " or ".join(COLOURS[option - 1] for option in options if option)
    if not argument:
        return IllegalAction(
            "G3", f"Say whom you credit, as in 'deed {board.names[row]} to {COLOURS[options[0] - 1]}': {due}."
        )
    other = argument - 1
    if other == seat:
        return IllegalAction("G3", "You cannot credit yourself: it is a competitor who moves up.")
    if other >= state.seats or not state.on_row(row)[other]:
        return IllegalAction("G3", f"{_name(state, other)} has no token on the {board.names[row]} row to move up.")
    if not due:
        return IllegalAction("G3", "The last place among the others is on the last space: nobody moves up.")
    return IllegalAction("G3", f"{_seats(other)} is not in last place among the others: credit {due}.")


def _name(state: State, seat: Seat) -> str:
    return _seats(seat) if seat < state.seats else f"Seat {seat}"


def _seats(*seats: Seat) -> str:
    return " and ".join(COLOURS[seat] for seat in seats).capitalize()
