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
    """Which of the two character sets a terminal gets."""

    ascii: bool = False

    def badge(self, seat: int) -> str:
        """Return the two characters that stand for a seat, as `R▴` or `R^`."""
        look = SEATS[seat]
        return look.letter + (look.sign if self.ascii else look.glyph)

    def fold(self, text: str) -> str:
        """Return the text in the characters of this look: as it is, or as near as ASCII comes to it."""
        if not self.ascii:
            return text
        parts = unicodedata.normalize("NFKD", text.replace("×", "x"))
        return "".join(char if char.isascii() else "?" for char in parts if not unicodedata.combining(char))

    def tint(self, text: str) -> list[tuple[str, str]]:
        """Return the folded text as (style, text) fragments, every badge in its seat's colour."""
        badges = {self.badge(seat): look.style for seat, look in enumerate(SEATS)}
        parts = re.split("(" + "|".join(map(re.escape, badges)) + ")", self.fold(text))
        return [(badges.get(part, ""), part) for part in parts if part]
