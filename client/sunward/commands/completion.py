"""`sunward completion`: what makes a shell complete sunward's command line.

Must never be needed again at the Tab key: the script is made once, and Python would be too slow there.
"""

import argparse
from typing import Protocol

from sunward.cli import parser
from sunward.exits import Exit
from sunward.manual import actions_of, commands_of

_PATHS = {"FILE": "FILE", "MATCH": "FILE", "SOCKET": "FILE", "DIR": "DIRECTORY"}
"""What stands in help for a value that is a path, and what shtab calls such values."""


class Options(Protocol):
    """The command's flags."""

    shell: str


def run(options: Options) -> int:
    """Print the script."""
    print(script(options.shell))
    return Exit.OK


def script(shell: str) -> str:
    """Return the script for bash, zsh or fish."""
    import shtab  # late: the parser's other users do without

    top = parser()
    _mark_paths(top)
    return shtab.complete(top, shell)


def _mark_paths(of: argparse.ArgumentParser) -> None:
    """Tell shtab which values are paths, by the attribute that it looks for."""
    import shtab

    for action in actions_of(of):
        if action.metavar in _PATHS:
            vars(action)["complete"] = getattr(shtab, _PATHS[action.metavar])
        for command in commands_of(action).values():
            _mark_paths(command)
