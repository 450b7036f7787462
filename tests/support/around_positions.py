"""Tables of Once Around The Sun set up in a readable line or two.

    table("venus leaf smiley", venus="red 1, red 8, orange 16", leaf="blue 3")

Whatever is not said is as it would be: milestones and finished tracks follow from the tokens, hands hold what is not on
the board, and every card not named elsewhere is in the deck.
"""

import json
from collections.abc import Mapping, Sequence

import pytest

from sunward_protocol.errors import IllegalAction
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.around.board import COLOURS, EIGHT, THIRTY_TWO, Board
from sunward_protocol.games.around.cards import TURNED
from sunward_protocol.games.around.components import read
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.rules import CIRCLE_SPENT, EIGHT_SPENT, THIRTY_TWO_SPENT
from sunward_protocol.games.around.state import EMPTY
from sunward_protocol.games.game import Draw, Seat
from support import naive_around as naive
from support.matches import Script

BUILTIN = AROUND.load(AROUND.builtin())
BOARD = Board.of(read(AROUND.builtin(), "builtin"))

RED, BLUE, ORANGE, GREEN = range(4)
NOTHING: Mapping[str, str] = {}


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
    tokens: Mapping[str, str] = NOTHING,
    **more_tokens: str,
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
    for name, held in {**tokens, **more_tokens}.items():
        _place(position, card(name), held)
    position.hand = list(hand) or position.hand
    for word in passed.split():
        name, what = word.split(":")
        position.reached |= {"8": EIGHT_SPENT, "32": THIRTY_TWO_SPENT, "circle": CIRCLE_SPENT}[what] << 3 * card(name)
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
            spent = EIGHT_SPENT * (space >= EIGHT) | THIRTY_TWO_SPENT * (space >= THIRTY_TWO)
            spent |= CIRCLE_SPENT * (space >= board.circle[card])
            position.reached |= spent << 3 * card
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


def act(position: Position, *texts: str) -> None:
    """Carry out typed actions one after another, each by the first seat that has its say; they must be legal."""
    for text in texts:
        seat = position.to_act()[0]
        (action,) = BUILTIN.words.read(position, seat, text)
        position.check(seat, action)
        position.apply(seat, action)


def options(position: Position) -> list[str]:
    """Return the legal actions of the first seat that has its say, as typed."""
    seat = position.to_act()[0]
    return [BUILTIN.words.write(position, seat, action) for action in position.legal(seat)]


def refusal(position: Position, seat: Seat, text: str) -> IllegalAction:
    """Return why a typed action is refused."""
    with pytest.raises(IllegalAction) as caught:
        position.check(seat, *BUILTIN.words.read(position, seat, text))
    return caught.value


def on(position: Position, name: str) -> str:
    """Return the tokens on a track by space or on a row by seat, as `table` takes them."""
    number = card(name)
    board = position.board
    if number >= board.tracks:
        return ", ".join(f"{COLOURS[seat]} {space}" for seat, space in enumerate(position.on_row(number)) if space)
    found = [
        (1 << bit, seat) for seat, held in enumerate(position.on_track(number)) for bit in range(16) if held >> bit & 1
    ]
    return ", ".join(f"{COLOURS[seat]} {space}" for space, seat in sorted(found))


def names(numbers: Sequence[int]) -> str:
    """Return cards as one string; the display's, the deck's."""
    return " ".join("-" if number == EMPTY else BOARD.names[number] for number in numbers)


def discards(position: Position) -> str:
    """Return the discards as one string."""
    return names([number for number in range(BOARD.cards) for _ in range(position.discards >> 2 * number & 3)])


def turned(name: str, position: int, *, out: bool = False) -> Draw:
    """Return the draw of a card that was turned over."""
    return (TURNED, card(name), position, int(out))


def box(board: Board) -> naive.Box:
    """Return the components as the naive engine takes them."""
    components = board.components
    return naive.Box(
        tracks=[naive.TrackData(t.name, t.group, t.spaces, t.circle, t.cards) for t in components.tracks],
        row_spaces=components.row_spaces,
        places=list(components.places),
        hand=board.usable,
    )
