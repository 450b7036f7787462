"""A line that is no action: how it is known, what it is told of the match, and what it may lead to.

Must never know any command by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sunward_client.choices import Draft
from sunward_client.model import Model
from sunward_client.requests import Request


@dataclass(frozen=True, slots=True)
class Reply:
    """What a line led to: sentences, the draft as it is now, what to ask of the node, and what else changed.

    `muted` are all those no longer heard, None for no change; `invite` is the table that is gone to instead.
    """

    lines: Sequence[str] = ()
    draft: Draft | None = None
    request: Request | None = None
    muted: tuple[str, ...] | None = None
    invite: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    model: Model
    draft: Draft | None
    rest: str
    width: int


def is_always(_: Asked) -> bool:
    return True


def is_begun(asked: Asked) -> bool:
    return asked.model.match is not None


def is_gathering(asked: Asked) -> bool:
    return asked.model.gathering


def has_company(asked: Asked) -> bool:
    return asked.model.company


@dataclass(frozen=True, slots=True)
class Command:
    """A line that is no action: its names, what may follow, what it does, and whether it has a use here and now."""

    names: tuple[str, ...]
    argument: str
    help: str
    answer: Callable[[Asked], Reply] = field(repr=False)
    here: Callable[[Asked], bool] = field(default=is_always, repr=False)
    between: bool = False
    """Whether it is one only while no choice is due, since a game has its word too."""
