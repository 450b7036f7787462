"""The table of Beyond the Sun as text: technologies, action spaces, map, mats, achievements, and whose turn it is.

Must never decide anything: it shows the export's state.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from sunward_client.boards.beyond.phrases import (
    award_line,
    cubes_on,
    fleets,
    growth_of,
    is_open,
    leads_to,
    level_of,
    neighbours,
    ore_of,
    outpost,
    place_name,
    slot_line,
)
from sunward_client.boards.beyond.shape import (
    Place,
    System,
    components_of,
    own_spaces,
    printed_spaces,
    state_of,
    technology,
)
from sunward_client.boards.board import View
from sunward_client.columns import fit, pad
from sunward_client.theme import NO_BREAK, SEATS
from sunward_protocol.games.beyond.lines import StateLine
from sunward_protocol.games.game import Seat

_HALF = 40
"""Columns of a cell of two side by side."""
_LABEL = 12
_NARROWEST_SEAT = 17
_WIDEST_SEAT = 24


def draw(view: View) -> list[str]:
    """Return the table: grids where the width holds them and the look does not ask for sentences, else lists."""
    lines = _lists(view) if view.look.lists or view.width < 2 * _HALF else _grids(view)
    return [part for line in (*lines, _turn(view)) for part in fit(line, view.width)]


def _grids(view: View) -> Iterable[str]:
    yield from _columns(view, list(_slot_cells(view)))
    yield from _space_lines(view)
    yield from _covered(view)
    yield from _place_grid(view)
    cell = (view.width - _LABEL) // len(view.names)
    yield from _seat_grid(view, cell) if cell >= _NARROWEST_SEAT else _seat_list(view)
    yield from _columns(view, list(_awards(view)))


def _lists(view: View) -> Iterable[str]:
    yield from _slot_list(view)
    yield from _spaces(view)
    yield from _covered(view)
    yield from _place_list(view)
    yield from _seat_list(view)
    yield from _awards(view)


def _columns(view: View, cells: Sequence[str]) -> Iterable[str]:
    """Lay cells out in as many columns as there is room for, downwards first."""
    count = view.width // _HALF
    rows = -(-len(cells) // count)
    for row in range(rows):
        yield "".join(pad(cell, _HALF) for cell in cells[row::rows]).rstrip()


# The tree


def _slot_cells(view: View) -> Iterable[str]:
    for name, slot in state_of(view)["slots"].items():
        card = slot["technology"]
        if card is None:
            before = leads_to(view, name)
            yield f"{name:<5} {'event' if slot['event'] else '-'}" + f", after {before}" * bool(before)
        else:
            types = "".join(dict.fromkeys(kind[0] for kind in technology(components_of(view), card)["types"]))
            cubes = "".join(cubes_on(view, name))
            room = _HALF - 1 - len(f"{name:<5} {types:<2}  {cubes}")
            yield f"{name:<5} {types:<2} {card[:room]} {cubes}"


def _slot_list(view: View) -> Iterable[str]:
    slots = state_of(view)["slots"]
    yield from (slot_line(view, name, slot) for name, slot in slots.items() if slot["technology"] is not None)
    hidden = (name for name, slot in slots.items() if slot["technology"] is None)
    for level, names in groupby(hidden, level_of):
        yield f"undiscovered {level}: {', '.join(f'{name} after {leads_to(view, name)}' for name in names)}"


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


def _space_lines(view: View) -> Iterable[str]:
    """Lay out the spaces two in a line, a long one together with the next that still fits beside it."""
    left = list(_spaces(view))
    while left:
        first = left.pop(0)
        tab = max(_HALF, len(first) + 2)
        second = next((space for space in left if tab + len(space) <= view.width), "")
        if second:
            left.remove(second)
        yield f"{first:<{tab}}{second}".rstrip()


def _covered(view: View) -> Iterable[str]:
    names = [space.name for space in printed_spaces(components_of(view), state_of(view)) if not space.open]
    yield from [f"covered guilds: {', '.join(names)}"] if names else []


# The map


def _places(view: View) -> Iterable[tuple[str, Place, System | None]]:
    """Yield the places in play: as typed, as printed, and the system that lies there."""
    state, components = state_of(view), components_of(view)
    cards = {card["name"]: card for card in components["systems"]}
    for place in components["places"]:
        here = state["places"].get(place["name"])
        if here is not None and is_open(view, place["name"]):
            card = cards[here["system"]] if here["system"] is not None else None
            yield place_name(here, place["name"]), place, card


def _place_grid(view: View) -> Iterable[str]:
    for title, place, card in _places(view):
        worth = _yard(place) if card is None else f"{card['power']}/{card['points']} {card['specialty']}"
        held = outpost(view, place["name"], short=True)
        near, ships = " ".join(neighbours(view, place["name"])), " ".join(fleets(view, place["name"]))
        yield f"{title:<12}{worth:<14}{held:<7}{near:<26} {ships}".rstrip()


def _place_list(view: View) -> Iterable[str]:
    for title, place, card in _places(view):
        held, ships = outpost(view, place["name"]), " ".join(fleets(view, place["name"]))
        parts = (
            _yard(place) if card is None else f"power {card['power']}, {card['points']} points, {card['specialty']}",
            held and f"held by {held}",
            ships and f"ships {ships}",
            f"next to {', '.join(neighbours(view, place['name']))}",
        )
        yield f"{title}: {'; '.join(filter(None, parts))}"


def _yard(place: Place) -> str:
    return f"{place['kind']} {place['specialty']}" if place["specialty"] else ""


# The mats


def _seat_grid(view: View, cell: int) -> Iterable[str]:
    cell = min(_WIDEST_SEAT, cell)
    short = [name if len(name) < cell else name.replace(NO_BREAK, "", 1) for name in view.names]
    names = [f"{view.look.badge(seat)} you" if seat == view.you else short[seat] for seat in range(len(short))]
    for label, values in (("seat", names), *_rows(view)):
        yield (label.ljust(_LABEL) + "".join(pad(value, cell) for value in values)).rstrip()


def _rows(view: View) -> Iterable[tuple[str, list[str]]]:
    """Yield the rows of the seat table: a label, then one value a seat."""
    state = state_of(view)
    seats = list(enumerate(state["seats"]))
    yield "if over now", list(map(str, view.totals))
    yield "ore", [f"{own['ore']} (+{ore_of(view, seat)})" for seat, own in seats]
    yield "population", [f"{own['population']} (+{growth_of(view, seat) or '-'})" for seat, own in seats]
    yield "supply", [" ".join(f"{letter}{count}" for letter, count in own["supply"].items()) for _, own in seats]
    if state["colonies"]:
        yield "colonies", [str(_colonies(state, seat)) for seat, _ in seats]
    discs = [" ".join(f"{track[0]}{count}" for track, count in own["discs"].items()) for _, own in seats]
    yield "automation", [f"{sum(own['automation'].values())} ({discs[seat]})" for seat, own in seats]


def _seat_list(view: View) -> Iterable[str]:
    state = state_of(view)
    for seat, (name, own) in enumerate(zip(view.names, state["seats"], strict=True)):
        parts = (
            f"{view.totals[seat]} points if over now",
            f"{own['ore']} ore (produces {ore_of(view, seat)})",
            f"{own['population']} population (grows {growth_of(view, seat) or 'nothing'})",
            f"supply {_counts(own['supply'])}",
            f"{_colonies(state, seat)} colonies",
            f"automation {sum(own['automation'].values())}",
            f"discs left {_counts(own['discs'])}",
        )
        yield f"{name} ({SEATS[seat].colour}{', you' if seat == view.you else ''}): {', '.join(parts)}"


def _counts(counted: Mapping[str, int]) -> str:
    return " ".join(f"{name} {count}" for name, count in counted.items())


def _colonies(state: StateLine, seat: Seat) -> int:
    return sum(colony["seat"] == seat for colony in state["colonies"])


# Achievements and the turn


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
