"""The pages for players say what the program does."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from sunward.exits import Exit
from sunward_client.prompt import COMMANDS
from sunward_client.theme import SEATS
from sunward_protocol.games.catalog import find

PLAY = Path(__file__).parents[2] / "docs" / "play"
RULEBOOK = (PLAY / "once-around-the-sun.md").read_text(encoding="utf-8")
TERMINAL = (PLAY / "terminal.md").read_text(encoding="utf-8")


def rows(page: str) -> Iterable[Sequence[str]]:
    """Return the cells of every table row of a page, without the marks of code."""
    for line in page.splitlines():
        if line.startswith("|"):
            yield [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]


def test_rulebook_has_the_built_in_components() -> None:
    game = find("around")
    components = cast("dict[str, object]", game.load(game.builtin()).words.components_json())
    tracks = cast("list[dict[str, object]]", components["tracks"])
    table = {row[0]: row[1:] for row in rows(RULEBOOK) if len(row) == 6}
    for track in tracks:
        group, spaces, last, circle, cards = table[str(track["name"])]
        assert (group, int(spaces), int(circle)) == (track["group"], track["spaces"], track["circle"])
        assert int(last) == 2 ** (int(spaces) - 1)
        assert int(cards[0]) == track["cards"]
    assert components["row_spaces"] == 7
    assert components["places"] == [5, 3, 1]


def test_rulebook_has_every_ruling() -> None:
    game = find("around")
    words = game.load(game.builtin()).words
    named = set(re.findall(r"\[([A-Z]\d+)\]", RULEBOOK))
    asked = [f"{letter}{number}" for letter in "CSMTRDGE" for number in range(1, 20)]
    assert named == {ruling for ruling in asked if words.rules(ruling).startswith(f"{ruling}: ")}


def test_terminal_page_has_every_badge_command_and_exit_code() -> None:
    table = [row[:3] for row in rows(TERMINAL)]
    for seat in SEATS:
        assert [seat.colour, seat.letter + seat.glyph, seat.letter + seat.sign] in table
    firsts = " ".join(row[0] for row in table)
    assert all(command.names[0] in firsts.replace(",", " ").split() for command in COMMANDS)
    assert [int(row[0]) for row in table if row[0].isdecimal()] == sorted(Exit)
