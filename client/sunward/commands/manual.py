"""`sunward manual`: the manual page, as troff for `man -l -`."""

from importlib.metadata import version

from sunward.exits import Exit
from sunward.manual import manual


def run(_: object) -> int:
    """Print the page."""
    print(manual(version("sunward")), end="")
    return Exit.OK
