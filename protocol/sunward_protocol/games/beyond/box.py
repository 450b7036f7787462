"""What is in the box, as values: one class a kind of component, and all of it together; knows neither file nor rule.

Effects are numbers of nodes of one `Program`, `NO_EFFECT` for none; levels and types are numbers from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sunward_protocol.games.beyond.language import Program

NO_EFFECT: Final = -1


@dataclass(frozen=True, slots=True)
class Technology:
    """A technology; `types` are its left types as numbers, of which it supplies the first; effects are nodes."""

    name: str
    level: int
    types: tuple[int, int]
    immediate: int
    spaces: tuple[int, ...]
    standing: int
    points: int


@dataclass(frozen=True, slots=True)
class Event:
    """An event; `level` as a technology's."""

    name: str
    level: int
    guild: bool
    effect: int


@dataclass(frozen=True, slots=True)
class System:
    """A system card; `deck` is 0 for A and 1 for B, `specialty` a set of disc kinds."""

    name: str
    deck: int
    starting: bool
    power: int
    points: int
    specialty: int
    control: int
    bonus: int


@dataclass(frozen=True, slots=True)
class Achievement:
    """Who has at least `least` of what `counter` counts may claim it; `slots` are what the discs on it are worth."""

    name: str
    kind: str
    counter: int
    least: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """A printed action space."""

    name: str
    effect: int
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Mat:
    """A faction mat: letters and ore numbers as they are uncovered, what it brings, and what it can."""

    faction: str
    advanced: bool
    letters: tuple[int, ...]
    ore: tuple[int, ...]
    start: int
    standing: int
    space: int


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the exploration board; the specialty is a shipyard's, 0 elsewhere."""

    name: str
    kind: str
    specialty: int


@dataclass(frozen=True, slots=True)
class Map:
    """The exploration board for one number of seats; `starting` starting systems are turned up."""

    lines: tuple[tuple[int, int], ...]
    starting: int


@dataclass(frozen=True, slots=True)
class Components:
    """Everything in the box; `joined` and `needed` are by slot of levels II, III, IIII, one after another."""

    program: Program
    columns: tuple[int, ...]
    population: int
    ore: tuple[int, ...]
    discs: int
    discs_a_symbol: int
    ends: tuple[int, ...]
    automation: tuple[int, ...]
    points: tuple[int, ...]
    trade: tuple[int, ...]
    two_players_without: str
    joined: tuple[tuple[int, ...], ...]
    needed: tuple[int, ...]
    boxes: Mapping[int, tuple[Space, ...]]
    places: tuple[Place, ...]
    maps: Mapping[int, Map]
    technologies: tuple[Technology, ...]
    events: tuple[Event, ...]
    systems: tuple[System, ...]
    achievements: tuple[Achievement, ...]
    guilds: tuple[Space, ...]
    mats: tuple[Mat, ...]
