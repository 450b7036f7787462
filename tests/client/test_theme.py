"""Every owner is told apart by letter, by glyph and by colour, on any terminal."""

import unicodedata

import pytest
from wcwidth import wcwidth

from sunward_client.theme import SEATS, Look, SeatLook

COLOURED = [seat for seat in SEATS if "#" in seat.style]


@pytest.mark.parametrize("mark", ["colour", "letter", "glyph", "sign", "style"])
def test_no_two_seats_share_a_mark(mark: str) -> None:
    assert len({getattr(seat, mark) for seat in SEATS}) == len(SEATS) == 6


@pytest.mark.parametrize("seat", SEATS, ids=lambda seat: seat.colour)
def test_glyphs_are_one_column_wide_in_every_locale(seat: SeatLook) -> None:
    assert wcwidth(seat.glyph) == 1
    assert unicodedata.east_asian_width(seat.glyph) == "N"  # "A" would be two columns in an East Asian locale


def luminance(style: str) -> float:
    """Return the relative luminance of a style's colour, as WCAG 2.1 defines it."""
    number = style.partition("#")[2]
    channels = [int(number[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("seat", COLOURED, ids=lambda seat: seat.colour)
def test_colours_are_readable_on_black_and_on_white(seat: SeatLook) -> None:
    light = luminance(seat.style) + 0.05
    assert light / 0.05 >= 3
    assert 1.05 / light >= 3


def test_badges_are_tinted_wherever_they_stand() -> None:
    assert Look().tint("R▴ Ann met B◉.") == [
        ("bold #d70000", "R▴"),
        ("", " Ann met "),
        ("bold #0087ff", "B◉"),
        ("", "."),
    ]


@pytest.mark.parametrize("ascii_only", [False, True], ids=["glyphs", "ascii"])
@pytest.mark.parametrize("seat", range(6))
def test_marked_badges_are_underlined(seat: int, ascii_only: bool) -> None:
    look = Look(ascii_only)
    badge, style = look.badge(seat), SEATS[seat].style
    assert look.tint(f"{badge} {badge}* *({badge})") == [
        (style, badge),
        ("", " "),
        (style + " underline", badge),
        ("", "* *("),
        (style + " underline", badge),
        ("", ")"),
    ]


def test_a_name_stays_with_its_badge_until_it_is_shown() -> None:
    named = Look().name(0, "Ann")
    assert " " not in named
    assert Look().fold(named) == "R▴ Ann"


def test_ascii_look_keeps_letters_and_drops_accents() -> None:
    assert Look(ascii=True).fold("Zoë: 7 × 3 = 21, 漢") == "Zoe: 7 x 3 = 21, ?"
    assert Look().fold("Zoë × 漢") == "Zoë × 漢"
