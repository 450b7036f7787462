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
    before_of,
    components_of,
    own_spaces,
    printed_spaces,
    state_of,
    technology,
)
from sunward_client.boards.board import View
from sunward_client.columns import fit, flow, pad
from sunward_client.theme import NO_BREAK, SEATS
from sunward_protocol.games.beyond.lines import StateLine
from sunward_protocol.games.game import Seat

_HALF = 40
"""Columns of a cell of two side by side."""
_TALLEST = 34
"""Lines of the table where it is drawn as grids."""
_NARROWEST_NAME = 8
_PAWN = 15
"""Columns that a name leaves to the place of the pawn."""


def draw(view: View) -> list[str]:
    """Return the table: grids where the width holds them and the look does not ask for sentences, else lists."""
    return _fitting(view, _lists(view) if view.look.lists or view.width < _HALF else _grids(view))


def _grids(view: View) -> Iterable[str]:
    """Yield the table, 80 columns wide in at most `_TALLEST` lines: spaces and events take up what the rest leaves."""
    above = _fitting(view, _tree(view))
    below = _fitting(view, [*_place_grid(view), *_seat_grid(view), *flow(_awards(view), view.width, _HALF)])
    turn = _fitting(view, [_turn(view)])
    room = max(_TALLEST - len(above) - len(below) - len(turn), 2)
    events = _fitting(view, _events(view))[: room - 1]
    spaces = _fitting(view, [*flow(_spaces(view), view.width, _HALF), *_covered(view)])
    if len(spaces) > room - len(events):
        spaces = [*spaces[: room - len(events) - 1], "more: who spaces"]
    yield from (*above, *spaces, *below, *events, *turn)


def _fitting(view: View, lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in fit(line, view.width)]


def _lists(view: View) -> Iterable[str]:
    yield from _slot_list(view)
    yield from _spaces(view)
    yield from _covered(view)
    yield from _place_list(view)
    yield from _seat_list(view)
    yield from _awards(view)
    yield from _events(view)
    yield _turn(view)


def _columns(view: View, cells: Sequence[str]) -> Iterable[str]:
    """Lay cells out in as many columns as there is room for, downwards first."""
    count = view.width // _HALF
    rows = -(-len(cells) // count)
    for row in range(rows):
        yield "".join(pad(cell, _HALF) for cell in cells[row::rows]).rstrip()


# The tree


def _tree(view: View) -> Iterable[str]:
    """Yield the slots in columns; in a narrow window those that hold nothing yet by level."""
    if view.width >= 2 * _HALF:
        yield from _columns(view, list(_slot_cells(view)))
    else:
        slots = state_of(view)["slots"].values()
        cells = zip(slots, _slot_cells(view), strict=True)
        yield from (cell for slot, cell in cells if slot["technology"] is not None)
        yield from _undiscovered(view)


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
    yield from _undiscovered(view)


def _undiscovered(view: View) -> Iterable[str]:
    hidden = (name for name, slot in state_of(view)["slots"].items() if slot["technology"] is None)
    for level, names in groupby(hidden, level_of):
        yield f"undiscovered {level}: {', '.join(f'{name} after {leads_to(view, name)}' for name in names)}"


# Action spaces


def _spaces(view: View) -> list[str]:
    """Return the spaces open to all and those of whoever looks, save those that the menu offers; short ones first."""
    state, components = state_of(view), components_of(view)
    pawns = {own["space"]: f"{view.look.badge(seat)} " for seat, own in enumerate(state["seats"])}
    found = [space for space in printed_spaces(components, state) if space.open]
    found += own_spaces(components, state, view.you) if view.you is not None else []
    lines = [
        f"{pawns.get(space.name, '')}{space.name}: {space.effect}"
        for space in found
        if f"go {space.name}" not in view.offered
    ]
    return sorted(lines, key=lambda line: len(line) > _HALF - 2)


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


def _seat_grid(view: View) -> Iterable[str]:
    """Yield a line a seat under one of headings, the columns as wide as what they hold; names get what is left."""
    columns = [(name, *values) for name, values in _seat_columns(view)]
    pawns = [own["space"] or "" for own in state_of(view)["seats"]]
    room = view.width - sum(2 + max(map(len, column)) for column in columns)
    if room >= _NARROWEST_NAME + _PAWN:
        room -= _PAWN
        columns.append(("pawn", *pawns))
    if room < _NARROWEST_NAME:
        yield from _seat_list(view)
        return
    first = min(room, 2 + max(map(len, view.names)))
    names = ["", *(_short_name(view, seat, first) for seat in range(len(view.names)))]
    widths = [2 + max(map(len, column)) for column in columns]
    for row in zip(names, *columns, strict=True):
        cells = "".join(cell.ljust(width) for cell, width in zip(row[1:], widths, strict=True))
        yield (pad(row[0], first) + cells)[: view.width].rstrip()
    if columns[-1][0] != "pawn" and any(pawns):
        yield "pawns: " + ", ".join(f"{view.look.badge(seat)} {space}" for seat, space in enumerate(pawns) if space)


def _short_name(view: View, seat: Seat, width: int) -> str:
    """Return what a seat is called where there is little room: as much of its name as there is, or that it is you."""
    if seat == view.you:
        return f"{view.look.badge(seat)} you"
    name = view.names[seat]
    return name if len(name) < width else name.replace(NO_BREAK, "", 1)


def _seat_columns(view: View) -> Iterable[tuple[str, list[str]]]:
    """Yield the columns of the seat table: a heading, then one value a seat."""
    state = state_of(view)
    seats = list(enumerate(state["seats"]))
    yield "pts", list(map(str, view.totals))
    yield "ore", [f"{own['ore']}+{ore_of(view, seat)}" for seat, own in seats]
    yield "pop", [f"{own['population']}+{growth_of(view, seat) or '-'}" for seat, own in seats]
    yield " ".join(state["seats"][0]["supply"]), [" ".join(map(str, own["supply"].values())) for _, own in seats]
    yield "col", [str(_colonies(state, seat)) for seat, _ in seats]
    yield "auto", [str(sum(own["automation"].values())) for _, own in seats]
    yield (
        " ".join(track[0] for track in state["seats"][0]["discs"]),
        [" ".join(map(str, own["discs"].values())) for _, own in seats],
    )


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
            f"pawn at {own['space']}" if own["space"] is not None else "",
        )
        yield f"{name} ({SEATS[seat].colour}{', you' if seat == view.you else ''}): {', '.join(filter(None, parts))}"


def _counts(counted: Mapping[str, int]) -> str:
    return " ".join(f"{name} {count}" for name, count in counted.items())


def _colonies(state: StateLine, seat: Seat) -> int:
    return sum(colony["seat"] == seat for colony in state["colonies"])


# Achievements, events and the turn


def _awards(view: View) -> Iterable[str]:
    return (award_line(view, award) for award in state_of(view)["achievements"])


def _events(view: View) -> Iterable[str]:
    """Yield the events that were turned up since `before`, or all where sentences are asked for."""
    state, before = state_of(view), before_of(view)
    for event in components_of(view)["events"]:
        known = event["name"] not in state["events"] or (before is not None and event["name"] in before["events"])
        if not known and (before is not None or view.look.lists):
            yield f"event: {event['name']}: {event['effect']}"


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
