"""The export's JSON (sunward-match/1) for actions, draws, states and components; adds nothing, leaves nothing out."""

from sunward_protocol.games.around.actions import (
    ARGUMENTS,
    CARD,
    CARDS,
    COOPERATE,
    POSITION,
    RENEGE,
    TO_DEAL,
    TO_PARTNER,
    WITHHELD,
    taken_back,
)
from sunward_protocol.games.around.board import Board
from sunward_protocol.games.around.cards import ORDERED, TURNED
from sunward_protocol.games.around.rules import CIRCLE_SPENT, EIGHT_SPENT, THIRTY_TWO_SPENT
from sunward_protocol.games.around.state import ACTION, DEAL, EMPTY, OVER, PARTNER, State
from sunward_protocol.games.game import Action, Draw, Json

PHASES = {ACTION: "action", PARTNER: "partner", DEAL: "deal", OVER: "over"}
CHOICES = {COOPERATE: "cooperate", RENEGE: "renege", WITHHELD: "withheld"}


def action_json(board: Board, action: Action) -> Json:
    """Return what a seat chose; a packed action says all of it."""
    argument = action & ARGUMENTS
    if action >= TO_DEAL:
        return {"type": "deal", "choice": CHOICES[argument]}
    if action >= TO_PARTNER:
        return {"type": "partner", "seat": argument}
    card = action >> CARD & CARDS
    position = action >> POSITION
    if card >= board.tracks:
        credit = argument - 1 if argument else None
        return {"type": "deed", "row": board.names[card], "position": position, "credit": credit}
    track, space = taken_back(argument) if argument else (EMPTY, None)
    return {
        "type": "trip",
        "destination": board.names[card],
        "position": position,
        "take_back": board.names[track] if argument else None,
        "take_back_space": space,
    }


def draw_json(board: Board, draw: Draw) -> Json:
    """Return one thing that chance decided."""
    kind, *values = draw
    if kind == TURNED:
        card, position, out = values
        return {"card": board.names[card], "position": position, "taken_away": bool(out)}
    return {"order": values} if kind == ORDERED else {"reshuffle": values[0]}


def state_json(state: State) -> Json:
    """Return the whole public state; the first choice in a deal is not public before the second."""
    board = state.board
    names = board.names
    tracks = range(board.tracks)
    discards = [card for card in range(board.cards) for _ in range(state.discards >> 2 * card & 3)]
    return {
        "round": state.round,
        "order": list(state.order),
        "turn": state.turn,
        "actions_left": state.actions_left,
        "phase": PHASES[state.phase],
        "display": [None if card == EMPTY else names[card] for card in state.display],
        "deck": len(state.deck),
        "discards": sorted(names[card] for card in discards),
        "out_of_play": sorted(names[card] for card in range(board.cards) if state.finished >> card & 1),
        "tracks": {names[track]: _on_track(state, track) for track in tracks},
        "rows": {names[row]: _on_row(state, row) for row in range(board.tracks, board.cards)},
        "tokens": list(state.hand),
        "scores": list(state.scores),
        "inner_bonus": [bool(state.bonuses >> 2 * seat & 1) for seat in range(state.seats)],
        "outer_bonus": [bool(state.bonuses >> 2 * seat & 2) for seat in range(state.seats)],
        "milestones": {names[track]: _milestones(state.reached >> 3 * track) for track in tracks},
        "deal": _deal(state) if state.phase == DEAL else None,
    }


def components_json(board: Board) -> Json:
    """Return the components under the export's own names."""
    components = board.components
    return {
        "tracks": [
            {"name": t.name, "group": t.group, "spaces": t.spaces, "circle": t.circle, "cards": t.cards}
            for t in components.tracks
        ],
        "row_spaces": components.row_spaces,
        "places": list(components.places),
    }


def _on_track(state: State, track: int) -> list[list[int]]:
    held = enumerate(state.on_track(track))
    return sorted([1 << bit, seat] for seat, spaces in held for bit in range(spaces.bit_length()) if spaces >> bit & 1)


def _on_row(state: State, row: int) -> list[list[int]]:
    return [[space, seat] for seat, space in enumerate(state.on_row(row)) if space]


def _milestones(reached: int) -> Json:
    return {
        "eight": bool(reached & EIGHT_SPENT),
        "thirty_two": bool(reached & THIRTY_TWO_SPENT),
        "circle": bool(reached & CIRCLE_SPENT),
    }


def _deal(state: State) -> Json:
    return {"active": state.active, "partner": state.partner, "destination": state.board.names[state.used]}
