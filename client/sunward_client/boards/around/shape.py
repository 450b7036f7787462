"""The export's JSON of this game, as far as it is drawn.

Must never hold more than the shape: what the fields mean, `docs/protocol` says.
"""

from typing import TypedDict

from sunward_protocol.games.game import Seat


class Track(TypedDict):
    """One fame track of the components: `circle` is the number printed on the space with the red circle."""

    name: str
    group: str
    spaces: int
    circle: int


class Components(TypedDict):
    """What of the export's `components` is drawn."""

    tracks: list[Track]


class Milestones(TypedDict):
    """Which firsts of a track have been."""

    eight: bool
    thirty_two: bool
    circle: bool


class Deal(TypedDict):
    """The deal now open."""

    active: Seat
    partner: Seat
    destination: str


class State(TypedDict):
    """The export's `state` of this game."""

    round: int
    order: list[Seat]
    turn: int
    actions_left: int
    phase: str
    display: list[str | None]
    deck: int
    discards: list[str]
    out_of_play: list[str]
    tracks: dict[str, list[list[int]]]
    rows: dict[str, list[list[int]]]
    tokens: list[int]
    scores: list[int]
    inner_bonus: list[bool]
    outer_bonus: list[bool]
    milestones: dict[str, Milestones]
    deal: Deal | None
