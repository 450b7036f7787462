"""Beyond the Sun in words for whoever asks: what was played, what is waited for, what a card does, who has what.

Must never decide anything: it words the export's state, and its sums are the engine's own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from sunward_client.boards.beyond.phrases import (
    award_line,
    fleets,
    growth_of,
    leads_to,
    neighbours,
    ore_of,
    outpost,
    place_name,
    slot_line,
)
from sunward_client.boards.beyond.shape import (
    Technology,
    components_of,
    held_by,
    mat_of,
    printed_spaces,
    spaces_of,
    state_of,
    technology,
    types_of,
)
from sunward_client.boards.board import Step, View
from sunward_client.columns import fit
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games import game
from sunward_protocol.games.beyond.components import slug
from sunward_protocol.games.beyond.lines import StateLine
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.scoring import PARTS, standings
from sunward_protocol.games.game import Json, Seat

_LABELS = ("tech", "auto", "world", "post", "fleet", "event", "award")
"""The parts of the final scoring, short enough for eight columns of a screen."""


def statistics(draws: Sequence[Json], names: Sequence[str], width: int) -> list[str]:
    """Return who began, how many cards were turned up and how often a type was met, and which events and systems."""
    lines: list[str] = []
    turned, matching = 0, 0
    events: list[str] = []
    systems: list[str] = []
    for drawn in cast("Sequence[dict[str, object]]", draws):
        match drawn:
            case {"first": int(seat)}:
                lines.append(f"First player: {names[seat]}.")
            case {"matches": bool(matches)}:
                turned, matching = turned + 1, matching + matches
            case {"event": str(event)}:
                events.append(event)
            case {"system": str(system)}:
                systems.append(system)
            case _:
                pass
    lines.append(f"Technologies turned up: {turned}, of which {matching} had the type that was looked for.")
    lines.append(f"Events: {'; '.join(events) or 'none'}.")
    lines.append(f"Systems: {', '.join(systems) or 'none'}.")
    return [part for line in lines for part in fit(line, width)]


_BRIEF: Mapping[str, Callable[[Mapping[str, Json], StateLine], str]] = {
    "space": lambda action, _: f"{action['space']}",
    "copy": lambda action, _: f"copies {action['space']}",
    "produce": lambda action, _: f"{action['production']}",
    "claim": lambda action, _: f"claims {action['achievement']}",
    "research": lambda action, _: f"{action['slot']}",
    "technology": lambda action, _: f"{action['technology']}",
    "jump": lambda action, state: f"to {_place(state, str(action['to']))}",
    "colonize": lambda action, state: f"colonizes {_place(state, str(action['place']))}",
    "faction": lambda action, _: f"{action['faction']}",
}
"""What is worth a word of an action, by its type; the others are parts of these."""


def brief(step: Step, _look: Look) -> str:
    """Return what an action was, and what it took from whoever is told; '' for a mere part of another."""
    before, after = cast("StateLine", step.before), cast("StateLine", step.after)
    action = cast("dict[str, Json]", step.action)
    word = _BRIEF.get(str(action["type"]))
    said = "" if word is None else word(action, before)
    lost = [
        place_name(here, name)
        for name, here in before["places"].items()
        if step.you is not None
        and here["holder"] == step.you
        and after["places"][name]["holder"] not in (step.you, None)
        and after["places"][name]["system"] == here["system"]
    ]
    parts = [said, f"takes {' and '.join(lost)} from you" if lost else ""]
    return ": ".join(filter(None, parts)).replace(" ", NO_BREAK)


def _place(state: StateLine, name: str) -> str:
    return place_name(state["places"][name], name)


# What is waited for

_ASKED: Mapping[str, str] = {
    "faction": "choose a faction",
    "turn": "take an action: the pawn goes to a free space, its cost is paid, its effect carried out",
    "produce": "produce: growth, ore or trade",
    "trade": "trade as often as wanted: ore for a supply cube, a ship and ore for its cube, a population for ore",
    "achieve": "claim one of several achievements",
    "type": "name the type of technology to look for",
    "any-type": "name a type that the deck still holds",
    "pick": "take one of the technologies turned up ('who NAME' tells what it does)",
    "pick-own": "keep one of the technologies turned up ('who NAME' tells what it does)",
    "outpost": "say from which track the disc comes that marks the outpost",
    "second-disc": "say from which track the second disc of the colony comes",
    "settle": "return ships to the supply until their power is that of the system",
    "build": "place a ship made of a supply cube",
    "enlist": "place a ship made of a population cube",
    "upgrade": "raise a ship by a level",
    "refit": "raise ships by a level, each once, or be done",
    "jump": "move ships, or be done: the number says how many moves along a line are left",
    "warp": "send ships to any place, or be done: the number says how many",
    "automate": "say which disc goes to the automation track",
    "research": "research: a cube of the population goes on a slot",
    "colonize": "colonize a controlled system",
    "infiltrate": "colonize a system that nobody controlled",
    "shift": "move a supply cube to another column",
    "copy": "copy a research action, at its cost",
    "choose": "choose an effect, the first in brackets being 1",
    "may": "say whether to have the effect in brackets",
}
"""What a seat is to do, by the first word of the effect that is next; what is not here is for chance to do."""

_COST = "say how the cost is paid: ore may stand for one of the population lost"
_QUIET = ("turn", "produce")
"""What is asked in every turn, and needs no words after the first."""


def situation(view: View) -> str:
    """Return what the table waits for, and what that means."""
    state = state_of(view)
    if state["over"]:
        return "The match is over."
    if not state["pending"]:
        return "The table is being set."
    asked = state["pending"][-1]
    effect = asked["effect"]
    first = effect.split()[0]
    todo = _COST if first.isdecimal() else _ASKED.get(first)
    if todo is None:
        return "Cards are being drawn."
    who = "You are" if asked["seat"] == view.you else f"{view.names[asked['seat']]} is"
    printed = f" ({effect})" if first != effect else ""
    return f"{who} to {todo}{printed}."


def pressing(view: View) -> bool:
    """Whether more is asked than what every turn asks."""
    pending = state_of(view)["pending"]
    return bool(pending) and pending[-1]["effect"] not in _QUIET


# What stands where


def about(view: View, topic: str) -> list[str]:
    """Return what is known of the slots, technologies, places, spaces, events or achievements that begin so."""
    asked = slug(topic)
    exact = [lines for name, lines in _known(view) if slug(name) == asked]
    begun = [lines for name, lines in _known(view) if slug(name).startswith(asked)] if asked else []
    return [part for line in (exact or begun[:1]) for part in fit(line, view.width)]


def _known(view: View) -> Iterable[tuple[str, str]]:
    """Yield everything that has a name, and what is known of it."""
    state, components = state_of(view), components_of(view)
    for name, slot in state["slots"].items():
        line = slot_line(view, name, slot)
        if slot["technology"] is None:
            yield name, line
        else:
            needs = f" | after {leads_to(view, name)}" * bool(leads_to(view, name))
            line = f"{line}{needs}{_technology_text(technology(components, slot['technology']))}"
            yield from ((name, line), (slot["technology"], line))
    lying = [slot["technology"] for slot in state["slots"].values()]
    for card in components["technologies"]:
        if card["name"] not in lying:
            yield card["name"], f"{card['name']} (level {card['level']}, {types_of(card)}){_technology_text(card)}"
    for name, here in state["places"].items():
        line = _place_line(view, name)
        yield name, line
        if here["system"] is not None:
            yield here["system"], line
    shown = [here["system"] for here in state["places"].values()]
    for system in components["systems"]:
        if system["name"] not in shown:
            yield system["name"], f"{system['name']}: {_system_text(view, system['name'])}"
    for space in printed_spaces(components, state):
        yield space.name, f"{space.name}: {space.effect}{'' if space.open else ' (covered)'}"
    for event in components["events"]:
        yield event["name"], f"{event['name']} (event of level {event['level']}): {event['effect']}"
    for award in state["achievements"]:
        yield award["achievement"], award_line(view, award)


def _technology_text(card: Technology) -> str:
    """Return what a technology brings and offers, to be put behind its name."""
    parts = (
        f"IMMEDIATE {card['immediate']}" if card["immediate"] else "",
        *(f"space {space.effect}" for space in spaces_of(card)),
        f"ability {card['standing']}" if card["standing"] else "",
    )
    return "".join(f" | {part}" for part in parts if part)


def _system_text(view: View, name: str) -> str:
    card = next(card for card in components_of(view)["systems"] if card["name"] == name)
    parts = (
        f"power {card['power']}, {card['points']} points, {card['specialty']}",
        f"control {card['control']}" if card["control"] else "",
        f"colonized {card['bonus']}" if card["bonus"] else "",
    )
    return " | ".join(filter(None, parts))


def _place_line(view: View, name: str) -> str:
    here = state_of(view)["places"][name]
    held = outpost(view, name)
    parts = (
        f"{here['system']}: {_system_text(view, here['system'])}" if here["system"] is not None else name,
        f"held by {held}" if held else "held by nobody",
        f"ships {' '.join(fleets(view, name)) or 'none'}",
        f"next to {', '.join(neighbours(view, name))}",
    )
    return " | ".join(parts)


def holding(view: View, seat: Seat) -> str:
    """Return what a seat has, in one sentence."""
    state, components = state_of(view), components_of(view)
    own, mat = state["seats"][seat], mat_of(components, state, seat)
    ships = [
        f"{' '.join(found)} at {_place(state, name)}"
        for name in state["places"]
        if (found := _own_fleet(view, name, seat))
    ]
    posts = [_place(state, name) for name, here in state["places"].items() if here["holder"] == seat]
    colonies = [colony["system"] for colony in state["colonies"] if colony["seat"] == seat]
    ability = f" ({mat['standing']})" if mat is not None and mat["standing"] else ""
    parts = (
        f"{own['faction'] or 'no faction yet'}{ability}",
        f"{own['ore']} ore (produces {ore_of(view, seat)})",
        f"{own['population']} population (grows {growth_of(view, seat) or 'nothing'})",
        f"pawn at {own['space']}" if own["space"] is not None else "",
        f"technologies {', '.join(held_by(state, seat)) or 'none'}",
        f"ships {', '.join(ships) or 'none'}",
        f"outposts {', '.join(posts) or 'none'}",
        f"colonies {', '.join(colonies) or 'none'}",
        f"automation {sum(own['automation'].values())}",
        f"{view.totals[seat]} points if over now",
    )
    return f"{view.names[seat]}: {'; '.join(filter(None, parts))}."


def _own_fleet(view: View, name: str, seat: Seat) -> list[str]:
    return [fleet for fleet in fleets(view, name) if fleet.startswith(view.look.badge(seat))]


def reckoning(position: game.Position) -> list[tuple[str, Sequence[int]]]:
    """Return what the final scoring would make of a position now (E2): each part by seat, the total last."""
    if not isinstance(position, Position):
        raise TypeError(f"{type(position).__name__} is no position of this game")
    seats = range(position.seats)
    parts = [
        (label, [part(position, seat) for seat in seats]) for label, part in zip(_LABELS, PARTS.values(), strict=True)
    ]
    return [*parts, ("total", standings(position))]
