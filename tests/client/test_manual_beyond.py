"""The rulebook of Beyond the Sun has every card, as the component file has it.

`python tests/client/test_manual_beyond.py` writes the tables anew between their marks.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from sunward_client.boards.beyond.shape import Components, Technology
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.beyond.language import STANDING

RULEBOOK = Path(__file__).parents[2] / "docs" / "play" / "beyond-the-sun.md"
WORDS = BEYOND.load(BEYOND.builtin()).words
BOX = cast("Components", WORDS.components_json())
MARKED = re.compile(r"(<!-- table: ([\w -]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def table(heads: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return a table as the page has it."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n" + "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines) + "\n"


def effects(*texts: str) -> str:
    return "<br>".join(f"`{text}`" for text in texts if text) or "–"


def technologies(level: str) -> str:
    def row(card: Technology) -> Sequence[str]:
        ability = f"<br>ability: {card['standing']}" if card["standing"] else ""
        return [card["name"], ", ".join(card["types"]), effects(card["immediate"]), effects(*card["spaces"]) + ability]

    heads = ("technology", "types, supplied first", "IMMEDIATE", "action spaces")
    return table(heads, (row(card) for card in BOX["technologies"] if card["level"] == level))


def highest() -> str:
    cards = cast("list[dict[str, object]]", [card for card in BOX["technologies"] if card["level"] == "IIII"])
    rows = (
        (
            str(card["name"]),
            ", ".join(cast("list[str]", card["types"])),
            effects(str(card["immediate"])),
            str(card["points"]),
        )
        for card in cards
    )
    return table(("technology", "types", "IMMEDIATE", "points"), rows)


def events(level: str) -> str:
    rows = ((event["name"], effects(event["effect"])) for event in BOX["events"] if event["level"] == level)
    return table(("event", "effect"), rows)


def systems(deck: str) -> str:
    cards = cast("list[dict[str, object]]", BOX["systems"])
    rows = (
        (
            f"{card['name']}{', starting' if card['starting'] else ''}",
            str(card["power"]),
            str(card["points"]),
            str(card["specialty"]),
            effects(str(card["control"])),
            effects(str(card["bonus"])),
        )
        for card in cards
        if card["deck"] == deck
    )
    return table(("system", "power", "points", "disc", "on control", "when colonized"), rows)


def achievements() -> str:
    rows = (
        (card["name"], card["kind"], f"{card['counter']}: {card['least']}", " ".join(map(str, card["slots"]["value"])))
        for card in BOX["achievements"]
    )
    return table(("achievement", "kind", "at least", "slots"), rows)


def guilds() -> str:
    openers = {
        int(found[1]): event["name"]
        for event in BOX["events"]
        if (found := re.search(r"guild (\d)", event["effect"])) is not None
    }
    rows = ((guild["name"], effects(guild["effect"]), openers[n]) for n, guild in enumerate(BOX["guilds"], 1))
    return table(("guild", "action space", "opened by"), rows)


def boxes() -> str:
    largest_first = reversed(BOX["boxes"].values())
    names = {space["name"]: space["effect"] for box in largest_first for space in box["spaces"]}
    rows = (
        (
            f"`{name}`",
            effects(effect),
            ", ".join(
                seats for seats, box in BOX["boxes"].items() if name in [space["name"] for space in box["spaces"]]
            ),
        )
        for name, effect in names.items()
    )
    return table(("space", "cost and effect", "players"), rows)


def maps() -> str:
    rows = ((seats, ", ".join(chart["lines"])) for seats, chart in BOX["boards"].items())
    return table(("players", "lines"), rows)


def tree() -> str:
    rows = (
        (
            f"{level}{number}",
            " ".join(f"{level[1:]}{before}" for before in joined),
            "all" if needed == len(joined) else f"any {needed}",
        )
        for level, slots in BOX["tree"].items()
        if level in ("II", "III", "IIII")
        for number, (joined, needed) in enumerate(zip(slots["joined"], slots["needed"], strict=True), 1)
    )
    return table(("slot", "joined to", "needed"), rows)


def mats() -> str:
    rows = (
        (
            mat["faction"],
            mat["kind"],
            " ".join(mat["letters"]),
            " ".join(map(str, mat["ore"])),
            effects(mat["start"]),
            effects(mat["space"]),
            mat["standing"] or "–",
        )
        for mat in BOX["mats"]
    )
    return table(("faction", "mat", "letters", "ore numbers", "at the start", "own space", "ability"), rows)


def automation() -> str:
    points = cast("dict[str, dict[str, list[int]]]", WORDS.components_json())["automation"]["value"]
    return table(("level", *map(str, range(1, 1 + len(points)))), [("points", *points)])


TABLES: Mapping[str, Callable[[], str]] = {
    **{f"technologies {level}": partial(technologies, level) for level in ("I", "II", "III")},
    "technologies IIII": highest,
    **{f"events {level}": partial(events, level) for level in ("II", "III")},
    **{f"systems {deck}": partial(systems, deck) for deck in ("A", "B")},
    "achievements": achievements,
    "guilds": guilds,
    "basic box": boxes,
    "maps": maps,
    "tree": tree,
    "mats": mats,
    "automation": automation,
}
"""Every table of the page that is made from the component file, by its mark."""


def page() -> str:
    return RULEBOOK.read_text(encoding="utf-8")


def written_anew(text: str) -> str:
    return MARKED.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


@pytest.mark.parametrize("name", TABLES)
def test_rulebook_has_each_table_as_the_components_have_it(name: str) -> None:
    found = {mark[2]: mark[0] for mark in MARKED.finditer(page())}
    made = f"<!-- table: {name} -->\n{TABLES[name]()}<!-- end -->\n"
    assert found[name] == made, "The components changed: run python tests/client/test_manual_beyond.py"


def test_rulebook_has_every_ruling() -> None:
    named = set(re.findall(r"\[([A-Z]\d+)\]", page()))
    asked = [f"{letter}{number}" for letter in "SAPQRJCUE" for number in range(1, 20)]
    assert named == {ruling for ruling in asked if WORDS.rules(ruling).startswith(f"{ruling}: ")}


def test_rulebook_explains_every_word_of_an_effect() -> None:
    key = page().partition("## The words of the cards")[2]
    explained = set(re.findall(r"^\| `(\w+)", key, re.MULTILINE))
    texts = re.findall(r"`([^`\n]+)`<?", "".join(made() for name, made in TABLES.items() if name != "basic box"))
    used = {word for text in texts for word in re.findall(r"(?:^|[:;\[] ?)([a-z]+)", text)}
    assert {"research", "grow", "jump", "may"} <= used <= explained
    assert set(STANDING) <= explained


if __name__ == "__main__":
    RULEBOOK.write_text(written_anew(page()), encoding="utf-8")
