"""The export's JSON of this game as it is drawn: the components' shape, and what is looked up in them and in a state.

Must never look into a position: the shape of a state is the export's own.
"""

from typing import NamedTuple, TypedDict, cast

from sunward_client.boards.board import View
from sunward_protocol.games.beyond.components import slug
from sunward_protocol.games.beyond.lines import StateLine
from sunward_protocol.games.game import Seat


class Technology(TypedDict):
    """A technology of the components; effects are text."""

    name: str
    level: str
    types: list[str]
    immediate: str
    spaces: list[str]
    standing: str


class Event(TypedDict):
    """An event of the components."""

    name: str
    level: str
    effect: str


class System(TypedDict):
    """A system card of the components; `control` and `bonus` are what gaining control and colonizing bring."""

    name: str
    power: int
    points: int
    specialty: str
    control: str
    bonus: str


class Numbers(TypedDict):
    """Several numbers of the components."""

    value: list[int]


class Achievement(TypedDict):
    """An achievement of the components: who has `least` of what `counter` counts claims it."""

    name: str
    kind: str
    counter: str
    least: int
    slots: Numbers


class Printed(TypedDict):
    """A guild or a space of the basic box."""

    name: str
    effect: str


class Box(TypedDict):
    """The basic box for one number of seats."""

    spaces: list[Printed]


class Mat(TypedDict):
    """A faction's mat: letters and ore numbers in the order in which they are uncovered."""

    faction: str
    kind: str
    letters: str
    ore: list[int]
    start: str
    standing: str
    space: str


class Place(TypedDict):
    """A place of the map; the specialty is a shipyard's."""

    name: str
    kind: str
    specialty: str


class Chart(TypedDict):
    """The map for one number of seats; a line is as `sol-a1`."""

    lines: list[str]


class Joined(TypedDict):
    """The slots of one level: the numbers of those joined to each from the left, and how many of them are needed."""

    joined: list[list[int]]
    needed: list[int]


class Whole(TypedDict):
    """A single number of the components."""

    value: int


class Components(TypedDict):
    """What of the export's `components` is drawn."""

    discs: Whole
    discs_a_symbol: Whole
    trade: Numbers
    tree: dict[str, Joined]
    boxes: dict[str, Box]
    places: list[Place]
    boards: dict[str, Chart]
    technologies: list[Technology]
    events: list[Event]
    systems: list[System]
    achievements: list[Achievement]
    guilds: list[Printed]
    mats: list[Mat]


class Space(NamedTuple):
    """An action space: as typed, what it costs and does, and whether it is usable at all."""

    name: str
    effect: str
    open: bool


def state_of(view: View) -> StateLine:
    """Return the view's state."""
    return cast("StateLine", view.state)


def before_of(view: View) -> StateLine | None:
    """Return the state that changes are marked against, None to mark none."""
    return cast("StateLine | None", view.before)


def components_of(view: View) -> Components:
    """Return the view's components."""
    return cast("Components", view.components)


def technology(components: Components, name: str) -> Technology:
    """Return a technology by its name."""
    return next(card for card in components["technologies"] if card["name"] == name)


def system(components: Components, name: str) -> System:
    """Return a system by its name."""
    return next(card for card in components["systems"] if card["name"] == name)


def types_of(card: Technology) -> str:
    """Return the types of a technology as words."""
    left, right = card["types"]
    return left if left == right else f"{left} and {right}, supplies {left}"


def mat_of(components: Components, state: StateLine, seat: Seat) -> Mat | None:
    """Return the mat of a seat; None before it has one."""
    owned = (state["seats"][seat]["faction"], state["options"]["mats"])
    return next((mat for mat in components["mats"] if (mat["faction"], mat["kind"]) == owned), None)


def held_by(state: StateLine, seat: Seat) -> list[str]:
    """Return the technologies with a seat's cube, then its private ones."""
    slots = [slot["technology"] for slot in state["slots"].values() if seat in slot["researched"]]
    kept = [card["technology"] for card in state["private"] if card["seat"] == seat]
    return [name for name in (*slots, *kept) if name is not None]


def printed_spaces(components: Components, state: StateLine) -> list[Space]:
    """Return the spaces that are everybody's: the basic box, then the guilds."""
    box = components["boxes"][str(len(state["seats"]))]["spaces"]
    return [
        *(Space(slug(space["name"]), space["effect"], open=True) for space in box),
        *(Space(slug(it["name"]), it["effect"], open=it["name"] in state["guilds"]) for it in components["guilds"]),
    ]


def spaces_of(card: Technology) -> list[Space]:
    """Return the spaces of a technology, numbered where it has two."""
    name = slug(card["name"])
    numbered = len(card["spaces"]) > 1
    return [
        Space(f"{name} {number}" if numbered else name, effect, open=True)
        for number, effect in enumerate(card["spaces"], 1)
    ]


def own_spaces(components: Components, state: StateLine, seat: Seat) -> list[Space]:
    """Return the spaces that a seat has of its own: those of its technologies and of its mat."""
    cards = [space for name in held_by(state, seat) for space in spaces_of(technology(components, name))]
    mat = mat_of(components, state, seat)
    return cards + (mat_spaces(mat) if mat is not None else [])


def mat_spaces(mat: Mat) -> list[Space]:
    """Return the space of a mat, if it has one."""
    return [Space(slug(mat["faction"]), mat["space"], open=True)] if mat["space"] else []
