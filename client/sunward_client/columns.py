"""Text laid out in terminal columns.

Must never look at what the text says.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator

from prompt_toolkit.utils import get_cwidth

NARROWEST = 10
"""Columns that text is laid out for even in a window with fewer."""

LONGEST_WORD = 100
"""Columns of the longest line of one word that is not an invite."""

_FIRST_COLUMN = re.compile(r" *\S+(?: \S+)* {2,}| *")
"""What a line's further parts are set in by: its first column where two blanks end one, else its own indent."""


def pad(text: str, width: int) -> str:
    """Return the text cut and padded to `width` columns, at least one of them blank; wide characters count as two."""
    while get_cwidth(text) > width - 1:
        text = text[:-1]
    return text + " " * (width - get_cwidth(text))


def flow(cells: Iterable[str], width: int, tab: int) -> Iterator[str]:
    """Lay cells out one after another at tab stops, as many on a line as there is room for."""
    line = ""
    for cell in cells:
        start = -(-(get_cwidth(line) + 2) // tab) * tab if line else 0
        if line and start + get_cwidth(cell) > width:
            yield line
            line, start = "", 0
        line += " " * (start - get_cwidth(line)) + cell
    if line:
        yield line


def fit(line: str, width: int) -> list[str]:
    """Return the line as it is where it fits, else broken between words, each further part under the second column.

    A line without columns has its further parts set in by two more than itself. A no-break space holds words together.
    An invite on a line of its own is left to the terminal to break: so it can be copied from there.
    """
    width = max(width, NARROWEST)
    if len(line) <= width or (" " not in line and len(line) > LONGEST_WORD):
        return [line]
    found = _FIRST_COLUMN.match(line)
    first = found.group() if found else ""
    indent = len(first) if first.strip() and len(first) <= width // 3 else len(line) - len(line.lstrip(" ")) + 2
    return textwrap.wrap(line, width, subsequent_indent=" " * min(indent, width // 2), break_on_hyphens=False)
