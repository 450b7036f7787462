"""How seats look: a letter and a glyph and a colour for each, always together.

Must never know a game: it finds the badges in finished text and colours them.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeatLook:
    """One seat's colour by name, its letter, its glyph, the glyph's ASCII stand-in, and its style in a terminal."""

    colour: str
    letter: str
    glyph: str
    sign: str
    style: str


NO_BREAK = "\N{NO-BREAK SPACE}"
"""What holds a badge and its name together until a line is broken; shown as a blank."""

CHANGED = "*"
"""What marks a space that changed, beside its badge where there is one."""

SEATS: Sequence[SeatLook] = (
    # Glyphs are one column wide in every locale, East Asian ones included; colours are from the 256-colour palette and
    # keep a contrast of 3 or more against black and against white. Black itself would vanish on one of them.
    SeatLook("red", "R", "▴", "^", "bold #d70000"),
    SeatLook("blue", "B", "◉", "@", "bold #0087ff"),
    SeatLook("orange", "O", "✚", "+", "bold #d75f00"),
    SeatLook("green", "G", "✦", "*", "bold #008700"),
    SeatLook("black", "K", "❖", "#", "bold reverse"),
    SeatLook("pink", "P", "▾", "%", "bold #d75fd7"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """What a terminal gets: ASCII or glyphs, and tables as lists of sentences or as grids."""

    ascii: bool = False
    lists: bool = False

    def badge(self, seat: int) -> str:
        """Return the two characters that stand for a seat, as `R▴` or `R^`."""
        look = SEATS[seat]
        return look.letter + (look.sign if self.ascii else look.glyph)

    def name(self, seat: int, name: str) -> str:
        """Return a player's name with the badge of the seat in front, not to be torn apart."""
        return self.badge(seat) + NO_BREAK + name

    def fold(self, text: str) -> str:
        """Return the text in the characters of this look: as it is, or as near as ASCII comes to it."""
        text = text.replace(NO_BREAK, " ")
        if not self.ascii:
            return text
        parts = unicodedata.normalize("NFKD", text.replace("×", "x"))
        return "".join(char if char.isascii() else "?" for char in parts if not unicodedata.combining(char))

    def tint(self, text: str) -> list[tuple[str, str]]:
        """Return the folded text as (style, text) fragments: badges in their colours, marked ones underlined."""
        text = self.fold(text)
        styles = {self.badge(seat): look.style for seat, look in enumerate(SEATS)}
        mark = re.escape(CHANGED)
        fragments: list[tuple[str, str]] = []
        done = 0
        for found in re.finditer(rf"({mark}\()?({'|'.join(map(re.escape, styles))})({mark})?", text):
            style = styles[found[2]] + (" underline" if found[1] or found[3] else "")
            fragments += [("", text[done : found.start(2)]), (style, found[2])]
            done = found.end(2)
        return [fragment for fragment in (*fragments, ("", text[done:])) if fragment[1]]
