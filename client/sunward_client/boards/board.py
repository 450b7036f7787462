"""What a game's drawing is given, and what it answers: the face of `boards` towards each of them.

Must never know a game.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sunward_client.theme import Look
from sunward_protocol.games.game import Json, Position, Seat


@dataclass(frozen=True, slots=True)
class View:
    """A table as one seat sees it; `before` is the state that changes are marked against, None to mark none.

    `offered` are the choices that `you` may make now, as they are typed; what the menu says need not be said twice.
    """

    state: Json
    before: Json
    components: Json
    totals: Sequence[int]
    names: Sequence[str]
    you: Seat | None
    width: int
    look: Look
    offered: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a seat, with the states before and after it, and what it was, in the export's JSON.

    `you` is the seat of whoever is told of it.
    """

    seat: Seat
    you: Seat | None
    action: Json
    before: Json
    after: Json


@dataclass(frozen=True, slots=True)
class Board:
    """How one game is shown."""

    draw: Callable[[View], list[str]]
    """The table, in lines of at most the view's width."""

    statistics: Callable[[Sequence[Json], Sequence[str], int], list[str]]
    """What chance decided (draws, names, width), counted up."""

    brief: Callable[[Step, Look], str]
    """An action in a few words, as `venus 8 (+2)`; '' for one that is only a part of another."""

    situation: Callable[[View], str]
    """What the table waits for, and what that means for whoever looks: one sentence or two."""

    pressing: Callable[[View], bool]
    """Whether the situation is one that explains itself above the choices, unasked."""

    known: Callable[[View], Iterable[tuple[str, str]]]
    """Everything on the table and in the box that has a name, and what is known of it."""

    hint: Callable[[View, str], str]
    """What a choice, as it is typed, would bring or cost; '' where its words say it all."""

    holding: Callable[[View, Seat], str]
    """Where a seat stands, in one sentence."""

    reckoning: Callable[[Position], Sequence[tuple[str, Sequence[int]]]]
    """What the final scoring would add up now: each part and its points by seat, the total last."""

    opening: str
    """What a newcomer has to know about a turn, as the beginning of a sentence."""

    legend: Sequence[str]
    """What the signs of the drawing mean."""
