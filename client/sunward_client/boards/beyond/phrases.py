"""Single things of the table put into words, the same in the drawing and in answers.

Must never decide anything: it words the export's state and knows no rule but how many discs uncover a symbol, and which
slot of an achievement is closed.
"""

from itertools import groupby

from sunward_client.boards.beyond.shape import (
    Mat,
    System,
    Technology,
    before_of,
    components_of,
    mat_of,
    spaces_of,
    state_of,
    technology,
    types_of,
)
from sunward_client.boards.board import View
from sunward_client.theme import CHANGED, NO_BREAK
from sunward_protocol.games.beyond.components import slug
from sunward_protocol.games.beyond.lines import AwardLine, PlaceLine, SlotLine
from sunward_protocol.games.game import Seat

_CLOSED_WITH = 3
"""Players with whom the second slot of an A achievement is closed (S9)."""


def slot_line(view: View, name: str, slot: SlotLine) -> str:
    """Return one slot as a sentence."""
    card = slot["technology"]
    if card is None:
        hidden = ", an event first" if slot["event"] else ""
        return f"{name}: undiscovered{hidden}; needs {leads_to(view, name)}"
    types = types_of(technology(components_of(view), card))
    return f"{name}: {card} ({types}): {' '.join(cubes_on(view, name)) or 'nobody'}"


def level_of(slot: str) -> str:
    """Return the level of a slot by its name."""
    return slot.rstrip("0123456789")


def leads_to(view: View, name: str) -> str:
    """Return the slots joined to a slot from the left, as `II1+II2`, or `2 of III1 III2 III3`; '' for level I."""
    level = level_of(name)
    tree = components_of(view)["tree"]
    if level not in tree:
        return ""
    number = int(name.removeprefix(level)) - 1
    joined, needed = tree[level]["joined"][number], tree[level]["needed"][number]
    names = [f"{level[1:]}{before}" for before in joined]
    return "+".join(names) if needed == len(names) else f"{needed} of {' '.join(names)}"


def cubes_on(view: View, name: str) -> list[str]:
    """Return the badges of those who researched a slot, marked where they had not before."""
    before = before_of(view)
    return [
        view.look.badge(seat) + CHANGED * (before is not None and seat not in before["slots"][name]["researched"])
        for seat in state_of(view)["slots"][name]["researched"]
    ]


def neighbours(view: View, place: str) -> list[str]:
    """Return the names of the places that a line joins to a place, as typed."""
    state = state_of(view)
    lines = components_of(view)["boards"][str(len(view.names))]["lines"]
    ends = [line.split("-") for line in lines]
    found = [other for one, two in ends for here, other in ((one, two), (two, one)) if here == place]
    return [place_name(state["places"][name], name) for name in found if is_open(view, name)]


def place_name(here: PlaceLine, name: str) -> str:
    """Return a place as typed: by the system that lies there, else by its own name."""
    return slug(here["system"]) if here["system"] is not None else name


def is_open(view: View, name: str) -> bool:
    """Whether a place is in play: the extra one only once a system was laid there."""
    kinds = {place["name"]: place["kind"] for place in components_of(view)["places"]}
    return kinds[name] != "extra" or state_of(view)["extra_system"]


def outpost(view: View, name: str, *, short: bool = False) -> str:
    """Return who controls a place and with which disc, '' for nobody, marked if it was not so before."""
    here = state_of(view)["places"][name]
    if here["holder"] is None:
        return ""
    before = before_of(view)
    mark = CHANGED * (before is not None and before["places"][name]["holder"] != here["holder"])
    disc = here["disc"] or "no disc"
    return f"{view.look.badge(here['holder'])}{mark} {disc[0] if short else disc}"


def fleets(view: View, name: str) -> list[str]:
    """Return the ships at a place by seat, as `R▴ 1+1+4`."""
    ships = state_of(view)["places"][name]["ships"]
    return [
        f"{view.look.badge(seat)}{NO_BREAK}{'+'.join(str(level) for _, level, count in own for _ in range(count))}"
        for seat, own in groupby(ships, lambda ship: ship[0])
    ]


def growth_of(view: View, seat: Seat) -> str:
    """Return the letters of the columns that growth takes a cube from, as `ABC`, filled or not."""
    mat = mat_of(components_of(view), state_of(view), seat)
    return "" if mat is None else mat["letters"][: _uncovered(view, seat, "food")]


def ore_of(view: View, seat: Seat) -> int:
    """Return what producing ore would bring."""
    mat = mat_of(components_of(view), state_of(view), seat)
    return 0 if mat is None else sum(mat["ore"][: _uncovered(view, seat, "ore")])


def _uncovered(view: View, seat: Seat, track: str) -> int:
    components = components_of(view)
    gone = components["discs"]["value"] - state_of(view)["seats"][seat]["discs"][track]
    return 1 + gone // components["discs_a_symbol"]["value"]


def award_line(view: View, award: AwardLine) -> str:
    """Return an achievement: what it takes, and its slots from the left, each with its claimer or its worth."""
    card = next(card for card in components_of(view)["achievements"] if card["name"] == award["achievement"])
    before = before_of(view)
    earlier = {} if before is None else {old["achievement"]: old["claims"] for old in before["achievements"]}
    claims = [
        view.look.badge(seat) + CHANGED * (before is not None and seat not in earlier.get(card["name"], []))
        for seat in award["claims"]
    ]
    slots = 1 if card["kind"] == "A" and len(view.names) == _CLOSED_WITH else len(view.names)
    left = [str(worth) for worth in card["slots"]["value"][len(claims) : slots]]
    return f"{card['name']} ({card['counter']} {card['least']}): {' '.join((*claims, *left))}"


def technology_text(card: Technology) -> str:
    """Return what a technology brings and offers, to be put behind its name."""
    parts = (
        f"IMMEDIATE {card['immediate']}" if card["immediate"] else "",
        *(f"space {space.effect}" for space in spaces_of(card)),
        f"ability {card['standing']}" if card["standing"] else "",
    )
    return "".join(f" | {part}" for part in parts if part)


def system_text(card: System) -> str:
    """Return what it takes to colonize a system, and what it brings."""
    parts = (
        f"power {card['power']}, {card['points']} points, {card['specialty']}",
        f"control {card['control']}" if card["control"] else "",
        f"colonized {card['bonus']}" if card["bonus"] else "",
    )
    return " | ".join(filter(None, parts))


def mat_text(mat: Mat) -> str:
    """Return what a faction grows and mines as its tracks are uncovered, and what is its alone."""
    parts = (
        f"growth {' '.join(mat['letters'])}",
        f"ore {' '.join(map(str, mat['ore']))}",
        f"at the start {mat['start']}" if mat["start"] else "",
        f"space {mat['space']}" if mat["space"] else "",
        f"ability {mat['standing']}" if mat["standing"] else "",
    )
    return " | ".join(filter(None, parts))


def branches(effect: str) -> list[str]:
    """Return what stands in the outermost brackets of an effect, as those of `choose 1 of [..] [..]`."""
    found: list[str] = []
    depth, begun = 0, 0
    for index, sign in enumerate(effect):
        if sign == "[":
            begun = begun if depth else index + 1
            depth += 1
        elif sign == "]":
            depth -= 1
            if not depth:
                found.append(effect[begun:index])
    return found
