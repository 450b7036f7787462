"""What a machine wants done, in the imperative.

Whoever drives a machine must do all of it, in order, before the next event.
"""

from dataclasses import dataclass
from typing import TypeAlias

from sunward_protocol.ids import Place
from sunward_protocol.table.events import Notice


@dataclass(frozen=True, slots=True)
class Keep:
    """Append to our own journal, whole, before anything that follows: a frame of ours that is about to leave."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Log:
    """Append to the match file: a locked step, or evidence."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Send:
    """Send one frame to each of these places that is connected."""

    places: tuple[Place, ...]
    raw: bytes


@dataclass(frozen=True, slots=True)
class Strike:
    """A peer sent what no honest peer sends: count it."""

    place: Place
    reason: str


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell whoever watches the match."""

    notice: Notice


Command: TypeAlias = Keep | Log | Send | Strike | Tell
