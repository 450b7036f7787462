"""Typed actions, as `trip mars back earth 64` or `deed leaf to blue`; judges none of them.

    trip TRACK [at N] [back TRACK [SPACE]]
    deed ROW [at N] [to COLOUR]
    partner COLOUR
    deal cooperate|renege

N is the position of the card from 1 to 3. What is in brackets may be left out where it says nothing new: the position
unless both cards of a row are face up (then the first is meant), the space with one own token on that track, the colour
with one competitor to credit. A name may be cut short as long as only one begins so.
"""

from collections.abc import Sequence

from sunward_protocol.errors import UnreadableAction
from sunward_protocol.games.around.actions import (
    ARGUMENTS,
    CARD,
    CARDS,
    POSITION,
    TO_DEAL,
    TO_PARTNER,
    credits_of,
    legal,
    own_tokens,
    play,
    take_back,
    taken_back,
)
from sunward_protocol.games.around.board import COLOURS
from sunward_protocol.games.around.export import CHOICES
from sunward_protocol.games.around.state import State
from sunward_protocol.games.game import Action, Seat


def write(state: State, seat: Seat, action: Action) -> str:
    """Return the shortest text that `read` turns back into this legal action."""
    argument = action & ARGUMENTS
    if action >= TO_DEAL:
        return f"deal {CHOICES[argument]}"
    if action >= TO_PARTNER:
        return f"partner {COLOURS[argument]}"
    board = state.board
    position, card = action >> POSITION, action >> CARD & CARDS
    at = "" if position == state.display.index(card) else f" at {position + 1}"
    if card >= board.tracks:
        to = f" to {COLOURS[argument - 1]}" if len(credits_of(state, seat, card)) > 1 else ""
        return f"deed {board.names[card]}{at}{to}"
    return f"trip {board.names[card]}{at}{_write_back(state, seat, argument)}"


def _write_back(state: State, seat: Seat, argument: int) -> str:
    if not argument:
        return ""
    track, space = taken_back(argument)
    here = len(_tokens_on(state, seat, track))
    return f" back {state.board.names[track]}" + (f" {space}" if here > 1 else "")


def _tokens_on(state: State, seat: Seat, track: int) -> list[int]:
    return [argument for argument in own_tokens(state, seat) if taken_back(argument)[0] == track]


def complete(state: State, seat: Seat, text: str) -> list[str]:
    """Return the texts of the legal actions that begin with `text`, in the order of `legal`."""
    begun = " ".join(text.lower().split()) + (" " if text.strip() and text[-1].isspace() else "")
    texts = [write(state, seat, action) for action in legal(state, seat)]
    return [text for text in texts if text.startswith(begun)]


def read(state: State, seat: Seat, text: str) -> Action:
    """Parse a typed action; raise `UnreadableAction` saying what could have been meant."""
    verb, *rest = text.lower().split() or [""]
    words = _Words(rest, f"{verb} …")
    board = state.board
    match verb:
        case "trip":
            card = words.one_of(board.names[: board.tracks], "a track")
            position = _read_position(state, card, words)
            argument = _read_back(state, seat, words) if words.skip("back") else 0
            action = play(position, card, argument)
        case "deed":
            card = board.tracks + words.one_of(board.names[board.tracks :], "a good deed")
            position = _read_position(state, card, words)
            if words.skip("to"):
                argument = 1 + words.one_of(COLOURS, "a colour")
            else:
                credited = credits_of(state, seat, card)
                argument = credited[0] if len(credited) == 1 else 0
            action = play(position, card, argument)
        case "partner":
            action = TO_PARTNER | words.one_of(COLOURS, "a colour")
        case "deal":
            words = _Words([word.replace("-", "") for word in rest], f"{verb} …")  # as in co-operate
            action = TO_DEAL | words.one_of(tuple(CHOICES.values())[:2], "a choice")
        case _:
            raise UnreadableAction(f"{verb!r} is no action: begin with trip, deed, partner or deal.")
    words.end()
    return action


def _read_position(state: State, card: int, words: "_Words") -> int:
    if words.skip("at"):
        return words.one_of(("1", "2", "3"), "a position")
    return state.display.index(card) if card in state.display else 0


def _read_back(state: State, seat: Seat, words: "_Words") -> int:
    board = state.board
    track = words.one_of(board.names[: board.tracks], "a track")
    spaces = [1 << exponent for exponent in range(board.last[track].bit_length())]
    if words.more():
        return take_back(track, spaces[words.one_of([str(space) for space in spaces], "a space")])
    here = _tokens_on(state, seat, track)
    if len(here) > 1:
        first, second = (taken_back(argument)[1] for argument in here)
        raise UnreadableAction(f"You have two tokens on {board.names[track]}: add {first} or {second}.")
    return here[0] if here else take_back(track, 1)


class _Words:
    """What is left of a typed line."""

    def __init__(self, words: list[str], said: str) -> None:
        self._words = words
        self._said = said

    def more(self) -> bool:
        return bool(self._words)

    def skip(self, word: str) -> bool:
        """Take the next word if it is this one."""
        if self._words[:1] != [word]:
            return False
        del self._words[0]
        return True

    def one_of(self, choices: Sequence[str], what: str) -> int:
        """Take the next word and return which of `choices` it is, or is the beginning of and of no other."""
        word = self._words.pop(0) if self._words else ""
        meant = [choice for choice in choices if choice == word] or [
            choice for choice in choices if word and choice.startswith(word) and not word.isdecimal()
        ]
        if len(meant) != 1:
            given = f", not {word!r}" if word else ""
            raise UnreadableAction(f"'{self._said}' needs {what}{given}: {', '.join(meant or choices)}.")
        return choices.index(meant[0])

    def end(self) -> None:
        if self._words:
            raise UnreadableAction(f"{' '.join(self._words)!r} is left over: see 'rules action' for what can be typed.")
