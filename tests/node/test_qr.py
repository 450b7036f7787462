"""The QR code of an invite, read back from the characters that draw it."""

from hashlib import sha256

import segno

from sunward_node.invites import read_invite, write_invite
from sunward_node.order import Invite
from sunward_node.qr import qr_lines

KEYS = [sha256(name).hexdigest() for name in (b"table", b"host", b"identity")]
ENDPOINTS = ("tcp://192.168.1.20:4242", "tcp://[2001:db8::7]:4242")
LINE = write_invite(Invite(KEYS[0], KEYS[0][:32], KEYS[1], KEYS[2], ENDPOINTS), "around")
HALVES = {" ": (False, False), "▀": (True, False), "▄": (False, True), "█": (True, True)}


def modules(lines: list[str]) -> list[list[bool]]:
    """Return which modules are drawn, the row that fills up the last line included."""
    return [[HALVES[character][half] for character in line] for line in lines for half in (0, 1)]


def test_an_invite_fits_into_80_columns() -> None:
    lines = qr_lines(LINE, 80)
    assert lines is not None
    # version 8 holds 279 characters of its alphabet at level L (ISO/IEC 18004, table 7): 49 modules and 4 on each side
    assert 224 < len(LINE.replace("-", "")) <= 279
    assert [len(line) for line in lines] == [57] * 29


def test_what_is_drawn_is_the_code_with_its_margin() -> None:
    lines = qr_lines(LINE, 57)
    assert lines is not None
    drawn = modules(lines)
    code = segno.make_qr(LINE.replace("-", "").upper(), error="l")
    wanted = [[not module for module in row] for row in code.matrix_iter(border=4)]
    assert drawn[:57] == wanted
    assert code.mode == "alphanumeric"
    assert read_invite(LINE.replace("-", "").upper())[1] == "around"
    dark = qr_lines(LINE, 57, light_on_dark=False)
    assert dark is not None
    assert modules(dark)[:57] == [[not module for module in row] for row in wanted]


def test_ascii_is_twice_as_wide_and_a_narrow_window_gets_none() -> None:
    assert qr_lines(LINE, 56) is None
    assert qr_lines(LINE, 113, ascii_only=True) is None
    lines = qr_lines(LINE, 114, ascii_only=True)
    assert lines is not None
    assert len(lines) == 57
    assert set("".join(lines)) == {"#", " "}
    assert lines[0] == "#" * 114
