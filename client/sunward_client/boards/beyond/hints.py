"""What a choice means, to stand beside it in the menu: what a space costs and does, what a card says, what is produced.

Must never decide anything: it words the export's state.
"""

from collections.abc import Callable, Mapping

from sunward_client.boards.beyond.phrases import (
    award_line,
    branches,
    growth_of,
    mat_text,
    ore_of,
    system_text,
    technology_text,
)
from sunward_client.boards.beyond.shape import (
    components_of,
    mat_spaces,
    printed_spaces,
    spaces_of,
    state_of,
    types_of,
)
from sunward_client.boards.board import View
from sunward_protocol.games.beyond.components import slug


def hint(view: View, choice: str) -> str:
    """Return the effect of a space, the text of a card or a system, the income of a production; '' for the rest."""
    verb, _, rest = choice.partition(" ")
    return _HINTS[verb](view, rest) if verb in _HINTS else ""


def _space_hint(view: View, name: str) -> str:
    state, components = state_of(view), components_of(view)
    spaces = [*printed_spaces(components, state)]
    spaces += [space for card in components["technologies"] for space in spaces_of(card)]
    spaces += [space for mat in components["mats"] for space in mat_spaces(mat)]
    exact = [space.effect for space in spaces if space.name == name]
    return " | ".join(exact[:1] or [space.effect for space in spaces if space.name.startswith(f"{name} ")])


def _card_hint(view: View, name: str) -> str:
    card = next(card for card in components_of(view)["technologies"] if slug(card["name"]) == name)
    return f"{types_of(card)}{technology_text(card)}"


def _slot_hint(view: View, name: str) -> str:
    slot = state_of(view)["slots"][name]
    if slot["technology"] is None:
        return "undiscovered, an event first" if slot["event"] else "undiscovered"
    return f"{slot['technology']}: {_card_hint(view, slug(slot['technology']))}"


def _system_hint(view: View, name: str) -> str:
    cards = components_of(view)["systems"]
    return system_text(next(card for card in cards if slug(card["name"]) == name))


def _branch_hint(view: View, number: str) -> str:
    return branches(state_of(view)["pending"][-1]["effect"])[int(number) - 1]


def _production_hint(view: View, what: str) -> str:
    if view.you is None:
        return ""
    income = {"growth": f"columns {growth_of(view, view.you)}", "ore": f"{ore_of(view, view.you)} ore"}
    return income.get(what, "")


def _trade_hint(view: View, what: str) -> str:
    for_supply, for_ship, for_people = components_of(view)["trade"]["value"]
    if what.startswith("ship"):
        return f"{for_ship} ore, ship: 1 population"
    return {"ore": f"{for_supply} ore: grow 1", "population": f"1 pop: gain {for_people}"}[what]


def _award_hint(view: View, name: str) -> str:
    awards = state_of(view)["achievements"]
    return award_line(view, next(award for award in awards if slug(award["achievement"]) == name))


def _mat_hint(view: View, name: str) -> str:
    kind = state_of(view)["options"]["mats"]
    mats = components_of(view)["mats"]
    return mat_text(next(mat for mat in mats if (slug(mat["faction"]), mat["kind"]) == (name, kind)))


_HINTS: Mapping[str, Callable[[View, str], str]] = {
    "go": _space_hint,
    "copy": _space_hint,
    "take": _card_hint,
    "research": _slot_hint,
    "colonize": _system_hint,
    "choose": _branch_hint,
    "produce": _production_hint,
    "claim": _award_hint,
    "trade": _trade_hint,
    "faction": _mat_hint,
}
"""By the first word of a choice."""
