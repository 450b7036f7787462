"""Text laid out in terminal columns.

Must never look at what the text says.
"""

import textwrap

from prompt_toolkit.utils import get_cwidth

NARROWEST = 10
"""Columns that text is laid out for even in a window with fewer."""


def pad(text: str, width: int) -> str:
    """Return the text cut and padded to `width` columns, at least one of them blank; wide characters count as two."""
    while get_cwidth(text) > width - 1:
        text = text[:-1]
    return text + " " * (width - get_cwidth(text))


def fit(line: str, width: int) -> list[str]:
    """Return the line as it is where it fits, else broken between words, each further part set in by two columns."""
    width = max(width, NARROWEST)
    return [line] if len(line) <= width else textwrap.wrap(line, width, subsequent_indent="  ")
