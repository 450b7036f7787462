"""The shape of one exported state: which keys there are and what stands under them; the guide says what it means.

Never holds anything but types, so that writer and reader cannot drift apart.
"""

from typing import TypedDict

from sunward_protocol.games.game import Seat


class SlotLine(TypedDict):
    technology: str | None
    event: bool
    researched: list[Seat]


class PlaceLine(TypedDict):
    system: str | None
    holder: Seat | None
    disc: str | None
    ships: list[list[int]]


class ColonyLine(TypedDict):
    system: str
    seat: Seat
    discs: list[str | None]


class AwardLine(TypedDict):
    achievement: str
    claims: list[Seat]


class PrivateLine(TypedDict):
    technology: str
    seat: Seat


class SeatLine(TypedDict):
    faction: str | None
    ore: int
    population: int
    supply: dict[str, int]
    discs: dict[str, int]
    automation: dict[str, int]
    space: str | None
    points: int


class PendingLine(TypedDict):
    seat: Seat
    effect: str
    argument: int


class StateLine(TypedDict):
    """The `state` of one exported line."""

    options: dict[str, str]
    round: int
    first: Seat
    active: Seat
    last_round: int | None
    over: bool
    guilds: list[str]
    events: list[str]
    extra_system: bool
    slots: dict[str, SlotLine]
    places: dict[str, PlaceLine]
    colonies: list[ColonyLine]
    achievements: list[AwardLine]
    private: list[PrivateLine]
    seats: list[SeatLine]
    decks: dict[str, list[list[str]]]
    pending: list[PendingLine]
