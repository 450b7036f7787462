"""What an operation is to the interpreter: the functions it is made of; no operation stands here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sunward_protocol.games.beyond.language import Node
from sunward_protocol.games.beyond.state import State
from sunward_protocol.games.game import Action, Chance, Draw, Seat

Can: TypeAlias = Callable[[State, Seat, Node], bool]
"""Whether it could do anything just now (A3)."""
Options: TypeAlias = Callable[[State, Seat, Node, int], Sequence[Action]]
"""What there is to choose, ascending: with nothing it is passed over, with one choice it is made at once."""
Take: TypeAlias = Callable[[State, Seat, Node, int, Action], None]
Do: TypeAlias = Callable[[State, Seat, Node, int], None]
Drawing: TypeAlias = Callable[[State, Seat, Node, int, Chance], list[Draw]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One of three kinds: it just happens (`do`), it asks (`options` and `take`), or it draws (`draw`).

    Each has been taken off the stack when it is carried out, and may put others on it. `can` is asked only of what
    component files can write.
    """

    can: Can | None = None
    options: Options | None = None
    take: Take | None = None
    do: Do | None = None
    draw: Drawing | None = None
    insists: bool = False
    """Whether it asks even when there is but one answer: a turn is never made for a player."""
