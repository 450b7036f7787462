"""Other programs, asked what they know; must never wait long, nor mind that there is no such program."""

import subprocess
from contextlib import suppress

_PATIENCE = 2.0  # seconds


def ask(*command: str) -> str:
    """Return what a command prints; nothing if it is not there, fails or takes long."""
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False).stdout  # noqa: S603  (commands of ours)
    return ""
