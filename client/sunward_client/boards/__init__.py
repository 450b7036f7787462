"""The drawing of each game, chosen by the game's name; a drawing is lines of text without colour.

Must never look into a position: a board draws the game's own JSON, whose shape the match export fixes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sunward_client.boards import around
from sunward_client.model import Model, playing
from sunward_client.theme import Look
from sunward_protocol.games.game import Json, Seat


@dataclass(frozen=True, slots=True)
class Board:
    """How one game is drawn, and how its draws are counted up."""

    draw: Callable[[Json, Json, Sequence[str], Seat | None, int, Look], list[str]]
    statistics: Callable[[Sequence[Json], Sequence[str], int], list[str]]


BOARDS: Mapping[str, Board] = {"once-around-the-sun": Board(around.draw, around.statistics)}


def screen(model: Model, width: int, *, recent: int = 0, seat: Seat | None = None) -> list[str]:
    """Return the table `width` columns wide as `seat` (else the model's own) sees it, then `recent` log entries."""
    match, position = playing(model)
    words = match.ruleset.words
    board = BOARDS[match.ruleset.game.name]
    you = match.you if seat is None else seat
    lines = board.draw(words.state_json(position), words.components_json(), match.names, you, width, model.look)
    return lines + [entry.text for entry in model.log[max(0, len(model.log) - recent) :]]


def statistics(model: Model, width: int) -> list[str]:
    """Return what chance decided so far, counted up, in lines of at most `width` columns."""
    match, _ = playing(model)
    return BOARDS[match.ruleset.game.name].statistics(model.draws, match.names, width)


def ending(model: Model) -> list[str]:
    """Return the final scoring line by line, the winner last, and the match file; [] while the match goes on."""
    match, position = playing(model)
    if position.result() is None:
        return []
    lines = match.ruleset.words.tell_result(position, match.names)
    return [*lines, f"Match file: {model.file}"] if model.file else lines
