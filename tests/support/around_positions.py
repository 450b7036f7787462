"""Tables of Once Around The Sun set up in a readable line or two.

    table("venus leaf smiley", venus="red 1, red 8, orange 16", leaf="blue 3")

Whatever is not said is as it would be: milestones and finished tracks follow from the tokens, hands hold what is not on
the board, and every card not named elsewhere is in the deck.
"""

import json
from collections.abc import Sequence

from sunward_protocol.games.around import AROUND
from sunward_protocol.games.around.board import COLOURS, EIGHT, THIRTY_TWO, Board
from sunward_protocol.games.around.components import read
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.rules import ATE, CIRCLED, DEALT
from sunward_protocol.games.around.state import EMPTY
from sunward_protocol.games.game import Draw, Seat
from support import naive_around as naive
from support.matches import Script

BUILTIN = AROUND.load(AROUND.builtin())
BOARD = Board.of(read(AROUND.builtin(), "builtin"))

RED, BLUE, ORANGE, GREEN = range(4)


def other_components() -> bytes:
    """Return a file unlike the built-in one in every figure that may differ: short tracks, low circles, two places."""
    figure = {"source": "own"}
    lengths = [("alpha", "inner", 2, 4, 2), ("beta", "outer", 1, 6, 1), ("gamma", "inner", 1, 8, 128)]
    lengths += [("delta", "outer", 2, 12, 64)]
    return json.dumps(
        {
            "tokens": {"value": 9, **figure},
            "rows": {"value": ["dollar", "smiley", "leaf"], **figure},
            "row_cards": {"value": 2, **figure},
            "row_spaces": {"value": 4, **figure},
            "places": {"value": [7, 2], **figure},
            "tracks": [
                {
                    "name": name,
                    "group": group,
                    "cards": {"value": cards, **figure},
                    "spaces": {"value": spaces, **figure},
                    "circle": {"value": circle, **figure},
                }
                for name, group, cards, spaces, circle in lengths
            ],
        }
    ).encode()


def card(name: str) -> int:
    """Return the number of a card; `-` is none."""
    return EMPTY if name == "-" else BOARD.names.index(name)


def cards(names: str) -> list[int]:
    """Return the numbers of cards named in one string."""
    return [card(name) for name in names.split()]


def table(
    display: str,
    *,
    seats: int = 3,
    order: Sequence[Seat] = (),
    turn: int = 0,
    actions_left: int = 2,
    deck: str | None = None,
    discards: str = "",
    finished: str = "",
    passed: str = "",
    hand: Sequence[int] = (),
    **places: str,
) -> Position:
    """Return a table waiting for an action; `passed` names milestones spent though no token shows it, as 'venus:32'."""
    position = BUILTIN.start(seats, {})
    position.due = 0
    position.round = 1
    position.order = tuple(order) or tuple(range(seats))
    position.turn = turn
    position.actions_left = actions_left
    position.display = cards(display)
    position.finished = sum(1 << card for card in cards(finished))
    for name, tokens in places.items():
        _place(position, card(name), tokens)
    position.hand = list(hand) or position.hand
    for word in passed.split():
        name, what = word.split(":")
        position.reached |= {"8": ATE, "32": DEALT, "circle": CIRCLED}[what] << 3 * card(name)
    position.discards = sum(1 << 2 * card for card in cards(discards))
    position.deck = _rest(position) if deck is None else sorted(cards(deck))
    return position


def _place(position: Position, card: int, tokens: str) -> None:
    board = position.board
    for token in filter(None, tokens.split(", ")):
        colour, number = token.split()
        seat, space = COLOURS.index(colour), int(number)
        position.hand[seat] -= 1
        if card >= board.tracks:
            position.rows[card - board.tracks] += space << 4 * seat
        else:
            for line in (seat, position.seats):
                position.held[card * (position.seats + 1) + line] += space
            spent = [ATE * (space >= EIGHT), DEALT * (space >= THIRTY_TWO), CIRCLED * (space >= board.circle[card])]
            for bit in spent:
                position.reached |= bit << 3 * card
            if space == board.last[card]:
                position.finished |= 1 << card


def _rest(position: Position) -> list[int]:
    """Return every card in play that lies nowhere else."""
    deck: list[int] = []
    for card in range(position.board.cards):
        count = position.board.deck >> 2 * card & 3
        elsewhere = position.display.count(card) + (position.discards >> 2 * card & 3)
        deck += [card] * (0 if position.finished >> card & 1 else count - elsewhere)
    return deck


def draw(position: Position, *answers: int) -> list[Draw]:
    """Make the draws now due, chance answering exactly this: each card as its index in the sorted deck."""
    script = Script(list(answers))
    draws = position.draw(script)
    assert script.spent()
    return draws


def box(board: Board) -> naive.Box:
    """Return the components as the naive engine takes them."""
    components = board.components
    return naive.Box(
        tracks=[naive.TrackData(t.name, t.group, t.spaces, t.circle, t.cards) for t in components.tracks],
        row_spaces=components.row_spaces,
        places=list(components.places),
        hand=board.usable,
    )
