"""What a node is told to do when it starts, as JSON on its standard input: secrets never stand in flags.

Must never do any of it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import cast

from sunward_protocol.errors import LocalError

LOOPBACK = "tcp://127.0.0.1:*"
"""Listens for nodes of this machine only, at any port."""


@dataclass(frozen=True, slots=True)
class Invite:
    """The way to a table: its id, the token that lets in, who hosts it and where. Byte strings as hex."""

    table: str
    token: str
    host: str
    """The host's CURVE key."""
    identity: str
    endpoints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """A table to open; without `components`, the game's own."""

    game: str
    seats: int
    options: Mapping[str, str]
    components: str | None = None
    seating: tuple[str, ...] = ()
    """The identities in the order of their seats, as hex; seats are drawn without it, or if others come."""
    clock: Mapping[str, int] = field(default_factory=dict[str, int])
    """Seconds by what they are for, as `sunward_protocol.table.clocks.POLICY` says; without any, nobody is timed."""


@dataclass(frozen=True, slots=True)
class Order:
    """One of `open`, `join`, `resume` (a seat's folder) and `rejoin` (where a node of the match listens) is given."""

    name: str = ""
    """What the others see; a bot's key goes by it too."""
    bot: str | None = None
    """The bot that plays; without one a person does, at the local socket."""
    open: Opening | None = None
    join: Invite | None = None
    resume: str | None = None
    rejoin: Invite | None = None
    listen: str = LOOPBACK
    at: str | None = None
    """Where one of the others listens now, if all addresses known from before may be wrong."""
    ready: bool = True
    """Whether the seat is ready to begin without being asked."""
    public: bool = False
    """Whether an opened table is announced on the local network while it has seats free."""
    pause: float = 0.0
    """Seconds that a bot lets pass before it acts, so that people can follow."""

    def to_json(self) -> str:
        """Return the order as one line."""
        return json.dumps(asdict(self))


def parse_order(line: str) -> Order:
    """Return the order in a line of JSON; raise `LocalError` if it is none."""
    try:
        value = cast("dict[str, object]", json.loads(line))
        for name, make in _PARTS.items():
            if value.get(name) is not None:
                value[name] = make(cast("dict[str, str]", value[name]))
        return cast("Callable[..., Order]", Order)(**value)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise LocalError(
            f"A node is started with an order on its standard input, and this is none: {error}."
        ) from error


def parse_invite(value: object) -> Invite:
    """Return the invite in the JSON of an order or of a hosting node's announcement."""
    texts = cast("Mapping[str, str]", value)
    endpoints = tuple(cast("Mapping[str, list[str]]", value)["endpoints"])
    return Invite(texts["table"], texts["token"], texts["host"], texts["identity"], endpoints)


_PARTS: Mapping[str, Callable[[Mapping[str, str]], object]] = {
    "open": lambda value: cast("Callable[..., Opening]", Opening)(**{**value, "seating": tuple(value["seating"])}),
    "join": parse_invite,
    "rejoin": parse_invite,
}
