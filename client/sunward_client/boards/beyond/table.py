"""The table of Beyond the Sun as text: technologies, action spaces, map, mats, achievements, and whose turn it is.

Must never decide anything: it shows the export's state and knows no rule but how many discs uncover a symbol.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from sunward_client.boards.beyond.shape import (
    Award,
    Here,
    Own,
    Slot,
    before_of,
    components_of,
    mat_of,
    own_spaces,
    printed_spaces,
    state_of,
    technology,
    types_of,
)
from sunward_client.boards.board import View
from sunward_client.columns import fit, pad
from sunward_client.theme import CHANGED, NO_BREAK, SEATS
from sunward_protocol.games.beyond.components import slug
from sunward_protocol.games.game import Seat

_HALF = 40
"""Columns of a cell of two side by side."""
_LABEL = 12
_NARROWEST_SEAT = 17
_WIDEST_SEAT = 24
_CLOSED_WITH = 3
"""Players with whom the second slot of an A achievement is closed."""


def draw(view: View) -> list[str]:
    """Return the table: grids where the width holds them and the look does not ask for sentences, else lists."""
    lists = view.look.lists or view.width < 2 * _HALF
    cell = (view.width - _LABEL) // len(view.names)
    seats = _seat_list if lists or cell < _NARROWEST_SEAT else _seat_grid
    arrange = _listed if lists else _columns
    lines = [
        *arrange(view, list(_slots(view, lists))),
        *_space_lines(view, lists),
        *_covered(view),
        *_places(view, lists),
        *seats(view),
        *arrange(view, list(_awards(view))),
        _turn(view),
    ]
    return [part for line in lines for part in fit(line, view.width)]


def _columns(view: View, cells: Sequence[str]) -> Iterable[str]:
    """Lay cells out in as many columns as there is room for, downwards first."""
    count = view.width // _HALF
    rows = -(-len(cells) // count)
    for row in range(rows):
        yield "".join(pad(cell, _HALF) for cell in cells[row::rows]).rstrip()


def _listed(_view: View, cells: Sequence[str]) -> Iterable[str]:
    return cells


# The tree


def slot_line(view: View, name: str, slot: Slot) -> str:
    """Return one slot as a sentence."""
    card = slot["technology"]
    if card is None:
        hidden = ", an event first" if slot["event"] else ""
        return f"{name}: undiscovered{hidden}; needs {leads_to(view, name)}"
    types = types_of(technology(components_of(view), card))
    return f"{name}: {card} ({types}): {' '.join(_cubes(view, name)) or 'nobody'}"


def leads_to(view: View, name: str) -> str:
    """Return the slots joined to a slot from the left, as `II1+II2`, or `2 of III1 III2 III3`; '' for level I."""
    level = name.rstrip("0123456789")
    tree = components_of(view)["tree"]
    if level not in tree:
        return ""
    number = int(name.removeprefix(level)) - 1
    joined, needed = tree[level]["joined"][number], tree[level]["needed"][number]
    names = [f"{level[1:]}{before}" for before in joined]
    return "+".join(names) if needed == len(names) else f"{needed} of {' '.join(names)}"


def _cubes(view: View, name: str) -> list[str]:
    before = before_of(view)
    return [
        view.look.badge(seat) + CHANGED * (before is not None and seat not in before["slots"][name]["researched"])
        for seat in state_of(view)["slots"][name]["researched"]
    ]


def _slots(view: View, lists: bool) -> Iterable[str]:
    state = state_of(view)
    if lists:
        yield from (slot_line(view, name, slot) for name, slot in state["slots"].items() if slot["technology"])
        for level, names in groupby(
            (name for name, slot in state["slots"].items() if not slot["technology"]), lambda n: n.rstrip("0123456789")
        ):
            yield f"undiscovered {level}: {', '.join(f'{name} after {leads_to(view, name)}' for name in names)}"
        return
    for name, slot in state["slots"].items():
        card = slot["technology"]
        if card is None:
            yield f"{name:<5} {'event' if slot['event'] else '-'}, after {leads_to(view, name)}"
        else:
            types = "".join(dict.fromkeys(kind[0] for kind in technology(components_of(view), card)["types"]))
            cubes = "".join(_cubes(view, name))
            room = _HALF - 1 - len(f"{name:<5}  {types:<2} ") - len(cubes)
            yield f"{name:<5} {types:<2} {card[:room]} {cubes}"


# Action spaces


def _spaces(view: View) -> Iterable[str]:
    """Yield the spaces that are open to all, those of whoever looks, and any other with a pawn on it."""
    state, components = state_of(view), components_of(view)
    pawns = {own["space"]: seat for seat, own in enumerate(state["seats"]) if own["space"] is not None}
    found = [space for space in printed_spaces(components, state) if space.open]
    found += own_spaces(components, state, view.you) if view.you is not None else []
    everything = [space for seat in range(len(view.names)) for space in own_spaces(components, state, seat)]
    found += [space for space in everything if space.name in pawns]
    for space in dict.fromkeys(found):
        pawn = f"{view.look.badge(pawns[space.name])} " if space.name in pawns else ""
        yield f"{pawn}{space.name}: {space.effect}"


def _space_lines(view: View, lists: bool) -> Iterable[str]:
    """Lay out the spaces two in a line, a long one together with the next that still fits beside it."""
    left = list(_spaces(view))
    while left:
        first = left.pop(0)
        tab = max(_HALF, len(first) + 2)
        second = next((space for space in left if tab + len(space) <= view.width and not lists), "")
        if second:
            left.remove(second)
        yield f"{first:<{tab}}{second}".rstrip()


def _covered(view: View) -> Iterable[str]:
    names = [space.name for space in printed_spaces(components_of(view), state_of(view)) if not space.open]
    yield from [f"covered guilds: {', '.join(names)}"] if names else []


# The map


def neighbours(view: View, place: str) -> list[str]:
    """Return the names of the places that a line joins to a place, as typed."""
    state = state_of(view)
    lines = components_of(view)["boards"][str(len(view.names))]["lines"]
    ends = [line.split("-") for line in lines]
    found = [other for one, two in ends for here, other in ((one, two), (two, one)) if here == place]
    return [place_name(state["places"][name], name) for name in found if _is_open(view, name)]


def place_name(here: Here, name: str) -> str:
    """Return a place as typed: by the system that lies there, else by its own name."""
    return slug(here["system"]) if here["system"] is not None else name


def _is_open(view: View, name: str) -> bool:
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


def _places(view: View, lists: bool) -> Iterable[str]:
    state, components = state_of(view), components_of(view)
    cards = {card["name"]: card for card in components["systems"]}
    kinds = {place["name"]: place for place in components["places"]}
    for name, here in state["places"].items():
        if not _is_open(view, name):
            continue
        card = cards[here["system"]] if here["system"] is not None else None
        yard = f"{kinds[name]['kind']} {kinds[name]['specialty']}" if kinds[name]["specialty"] else ""
        worth = yard if card is None else f"{card['power']}/{card['points']} {card['specialty']}"
        title = place_name(here, name)
        held, ships = outpost(view, name, short=not lists), " ".join(fleets(view, name))
        near = " ".join(neighbours(view, name))
        if lists:
            parts = (worth, held and f"held by {held}", ships and f"ships {ships}", f"next to {near}")
            yield f"{title}: {'; '.join(filter(None, parts))}"
        else:
            yield f"{title:<12}{worth:<14}{held:<7}{near:<26} {ships}".rstrip()


# The mats


def _rows(view: View) -> Iterable[tuple[str, list[str]]]:
    """Yield the rows of the seat table: a label, then one value a seat."""
    state = state_of(view)
    seats = range(len(view.names))
    mats = [mat_of(components_of(view), state, seat) for seat in seats]

    def by_seat(value: Callable[[Seat], str]) -> list[str]:
        return [value(seat) for seat in seats]

    own = state["seats"]
    yield "if over now", list(map(str, view.totals))
    yield "ore", by_seat(lambda seat: f"{own[seat]['ore']} (+{ore_of(view, seat) if mats[seat] else 0})")
    yield "population", by_seat(lambda seat: f"{own[seat]['population']} (+{growth_of(view, seat) or '-'})")
    yield "supply", by_seat(lambda seat: " ".join(f"{letter}{n}" for letter, n in own[seat]["supply"].items()))
    if state["colonies"]:
        yield "colonies", by_seat(lambda seat: str(sum(colony["seat"] == seat for colony in state["colonies"])))
    yield "automation", by_seat(lambda seat: f"{sum(own[seat]['automation'].values())} ({_discs(own[seat])})")


def _discs(own: Own) -> str:
    """Return how many discs are left, by the first letters of their tracks."""
    return " ".join(f"{track[0]}{count}" for track, count in own["discs"].items())


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


def _seat_grid(view: View) -> Iterable[str]:
    cell = min(_WIDEST_SEAT, (view.width - _LABEL) // len(view.names))
    short = [name if len(name) < cell else name.replace(NO_BREAK, "", 1) for name in view.names]
    names = [f"{view.look.badge(seat)} you" if seat == view.you else short[seat] for seat in range(len(short))]
    for label, values in (("seat", names), *_rows(view)):
        yield (label.ljust(_LABEL) + "".join(pad(value, cell) for value in values)).rstrip()


def _seat_list(view: View) -> Iterable[str]:
    rows = list(_rows(view))
    for seat, name in enumerate(view.names):
        values = ", ".join(f"{label} {values[seat]}" for label, values in rows)
        yield f"{name} ({SEATS[seat].colour}{', you' if seat == view.you else ''}): {values}"


# Achievements and the turn


def award_line(view: View, award: Award) -> str:
    """Return an achievement: what it takes, and its slots from the left, each with its claimer or its worth."""
    card = next(card for card in components_of(view)["achievements"] if card["name"] == award["achievement"])
    before = before_of(view)
    earlier = {} if before is None else {old["achievement"]: old["claims"] for old in before["achievements"]}
    claims = [
        view.look.badge(seat) + CHANGED * (before is not None and seat not in earlier.get(card["name"], []))
        for seat in award["claims"]
    ]
    slots = slots_of(card["kind"], card["slots"]["value"], len(view.names))
    left = [str(worth) for worth in slots[len(claims) :]]
    return f"{card['name']} ({card['counter']} {card['least']}): {' '.join((*claims, *left))}"


def slots_of(kind: str, worth: Sequence[int], seats: int) -> Sequence[int]:
    """Return what the slots in play are worth: with 3 players the second of an A achievement is closed (S9)."""
    return worth[: 1 if kind == "A" and seats == _CLOSED_WITH else seats]


def _awards(view: View) -> Iterable[str]:
    return (award_line(view, award) for award in state_of(view)["achievements"])


def _turn(view: View) -> str:
    state = state_of(view)
    if state["over"]:
        return f"The match ended in round {state['round']}."
    if not state["round"]:
        return "The table is being set."
    active = state["active"]
    badges = [view.look.badge(seat) for seat in range(len(view.names))]
    badges[active] = f"[{badges[active]}]"
    last = f" of {state['last_round']}" if state["last_round"] is not None else ""
    asked = state["pending"][-1]["seat"] if state["pending"] else active
    also = f", {view.names[asked]} is asked" if asked != active else ""
    return f"round {state['round']}{last}: {' '.join(badges)}, {view.names[active]} has the turn{also}"
