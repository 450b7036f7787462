"""`sunward completion`: what makes a shell complete sunward's command line."""

from typing import Protocol

from sunward.completion import SHELLS
from sunward.exits import Exit


class Options(Protocol):
    """The command's flags."""

    shell: str


def run(options: Options) -> int:
    """Print the script."""
    print(SHELLS[options.shell](), end="")
    return Exit.OK
