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
    mat_text,
    neighbours,
    ore_of,
    outpost,
    place_name,
    slot_line,
    system_text,
    technology_text,
)
from sunward_client.boards.beyond.shape import (
    components_of,
    held_by,
    mat_of,
    own_spaces,
    printed_spaces,
    state_of,
    system,
    technology,
    types_of,
)
from sunward_client.boards.board import Step, View
from sunward_client.columns import fit
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games import game
from sunward_protocol.games.beyond.language import FORMS, STANDING
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
    "trade": "trade as often as wanted, or be done",
    "achieve": "claim one of several achievements",
    "type": "name the type of technology to look for",
    "any-type": "name a type that the deck still holds",
    "pick": "take one of the technologies turned up",
    "pick-own": "keep one of the technologies turned up",
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
    "choose": "choose an effect",
    "may": "say whether to have the effect in brackets",
}
"""What a seat is to do, by the first word of the effect that is next; what is not here is for chance to do."""

_COST = "say how the cost is paid: ore may stand for one of the population lost"
_QUIET = ("turn", "produce")
"""What is asked in every turn, and needs no words after the first."""
_SPENDING = ("trade", "may", "choose", "copy", "research", "enlist")
"""What is weighed against what one has, as costs are."""


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
    own = state["seats"][asked["seat"]]
    have = f" You have {own['ore']} ore and {own['population']} population."
    return f"{who} to {todo}{printed}." + have * (asked["seat"] == view.you and (todo == _COST or first in _SPENDING))


def pressing(view: View) -> bool:
    """Whether more is asked than what every turn asks."""
    pending = state_of(view)["pending"]
    return bool(pending) and pending[-1]["effect"] not in _QUIET


# What stands where


def known(view: View) -> Iterable[tuple[str, str]]:
    """Yield everything that has a name, and all that is known of it."""
    for part in (_words, _slots, _technologies, _places, _systems, _spaces, _events, _achievements, _mats):
        yield from part(view)


def _words(_view: View) -> Iterable[tuple[str, str]]:
    """Yield the words of the cards: each effect, by the word that it begins with, and each ability."""
    for form in FORMS.values():
        word = form.written.split()[0]
        if word.islower() and word.isalpha():
            yield word, f"{form.written}: {form.meaning}"
    for name, meaning in STANDING.items():
        yield name, f"ability {name}: {meaning}"


def _slots(view: View) -> Iterable[tuple[str, str]]:
    for name, slot in state_of(view)["slots"].items():
        line = slot_line(view, name, slot)
        if slot["technology"] is not None:
            needs = f" | after {leads_to(view, name)}" * bool(leads_to(view, name))
            line = f"{line}{needs}{technology_text(technology(components_of(view), slot['technology']))}"
            yield slot["technology"], line
        yield name, line


def _technologies(view: View) -> Iterable[tuple[str, str]]:
    state = state_of(view)
    lying = [slot["technology"] for slot in state["slots"].values()]
    keepers = {kept["technology"]: f", kept by {view.names[kept['seat']]}" for kept in state["private"]}
    for card in components_of(view)["technologies"]:
        if card["name"] not in lying:
            about = f"level {card['level']}, {types_of(card)}{keepers.get(card['name'], '')}"
            yield card["name"], f"{card['name']} ({about}){technology_text(card)}"


def _places(view: View) -> Iterable[tuple[str, str]]:
    for name, here in state_of(view)["places"].items():
        line = _place_line(view, name)
        yield name, line
        if here["system"] is not None:
            yield here["system"], line


def _systems(view: View) -> Iterable[tuple[str, str]]:
    state = state_of(view)
    shown = [here["system"] for here in state["places"].values()]
    owners = {colony["system"]: f" | colony of {view.names[colony['seat']]}" for colony in state["colonies"]}
    for card in components_of(view)["systems"]:
        if card["name"] not in shown:
            yield card["name"], f"{card['name']}: {system_text(card)}{owners.get(card['name'], '')}"


def _spaces(view: View) -> Iterable[tuple[str, str]]:
    yield "spaces", f"spaces open to you: {' | '.join(_open_spaces(view))}"
    for space in printed_spaces(components_of(view), state_of(view)):
        yield space.name, f"{space.name}: {space.effect}{'' if space.open else ' (covered)'}"


def _events(view: View) -> Iterable[tuple[str, str]]:
    for event in components_of(view)["events"]:
        turned = ", turned up" * (event["name"] in state_of(view)["events"])
        yield event["name"], f"{event['name']} (event of level {event['level']}{turned}): {event['effect']}"


def _achievements(view: View) -> Iterable[tuple[str, str]]:
    for card in components_of(view)["achievements"]:
        yield card["name"], f"{card['name']} ({card['counter']} {card['least']}): not in play"
    for award in state_of(view)["achievements"]:
        yield award["achievement"], award_line(view, award)


def _mats(view: View) -> Iterable[tuple[str, str]]:
    for mat in components_of(view)["mats"]:
        if mat["kind"] == state_of(view)["options"]["mats"]:
            yield mat["faction"], f"{mat['faction']}: {mat_text(mat)}"


def _open_spaces(view: View) -> Iterable[str]:
    state, components = state_of(view), components_of(view)
    own = own_spaces(components, state, view.you) if view.you is not None else []
    return (f"{space.name} ({space.effect})" for space in (*printed_spaces(components, state), *own) if space.open)


def _place_line(view: View, name: str) -> str:
    here = state_of(view)["places"][name]
    held = outpost(view, name)
    parts = (
        f"{here['system']}: {system_text(system(components_of(view), here['system']))}"
        if here["system"] is not None
        else name,
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
