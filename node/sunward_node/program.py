"""How a person here types a command of this program, for sentences that tell them what to do next.

Must never be used of what somebody else is to type: they started theirs in a way of their own.
"""

import os


def program() -> str:
    """Return the name by which the program was started, as `run` says it; without that, the one on the PATH."""
    return os.environ.get("SUNWARD_PROGRAM", "sunward")


def typed(command: str) -> str:
    """Return a command, as `doctor`, with what is typed before it."""
    return f"{program()} {command}"
