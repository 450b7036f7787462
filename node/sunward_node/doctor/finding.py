"""What a check found; must never be without its cure, unless all is well."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    """Something works less well, or may not work."""
    FAILED = "failed"
    """Nobody can play like this."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The check's name, how bad, and a sentence: what is the case and, if that is not well, what to do."""

    check: str
    level: Level
    sentence: str
