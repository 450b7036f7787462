"""An invite as a QR code in a terminal's characters.

Must never be the only way shown: a code that a window has no room for is left out, and the line can always be copied.
"""

_QUIET = 4  # modules of margin that a scanner expects (ISO/IEC 18004, section 6.3.8)
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def qr_lines(invite: str, columns: int, *, ascii_only: bool = False, light_on_dark: bool = True) -> list[str] | None:
    """Return the lines of the code, or None if they need more columns than there are.

    What a terminal draws is taken for light, as on a dark background; scanners read the other way round as well, if
    less readily. ASCII takes two characters a module, and so twice the width and height.
    """
    import segno  # late: most runs show none

    # Capitals without hyphens fit into the code's own alphabet, which saves a third of its area.
    code = segno.make(invite.replace("-", "").upper(), mode="alphanumeric", error="l", micro=False)
    drawn = [[bool(module) is not light_on_dark for module in row] for row in code.matrix_iter(border=_QUIET)]
    if ascii_only:
        lines = ["".join("##" if module else "  " for module in row) for row in drawn]
    else:
        blank = [light_on_dark] * len(drawn[0])
        drawn += [blank] * (len(drawn) % 2)
        pairs = zip(drawn[::2], drawn[1::2], strict=True)
        lines = ["".join(_HALVES[pair] for pair in zip(upper, lower, strict=True)) for upper, lower in pairs]
    return lines if len(lines[0]) <= columns else None
