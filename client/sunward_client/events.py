"""What a node tells its client, read from its lines of JSON.

Must never act on an event: it only turns bytes into values.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from sunward_protocol.errors import LocalError
from sunward_protocol.games.game import Action, Seat

SAID_MOST = 200
"""Characters of one line of chat."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who this node is and what is played; `match` is None and nothing is known by seat before the match begins."""

    match: str | None
    game: str
    components: str
    options: Mapping[str, str]
    names: tuple[str, ...]
    words: tuple[str, ...]
    you: Seat | None
    clock: Mapping[str, int] = field(default_factory=dict[str, int])
    """Seconds: `bank` to think, and `increment` more each time one is asked anew; nothing at a table without clocks."""
    out: tuple[Seat, ...] = ()
    """The seats that play on autopilot."""


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody at a table that has not begun; `owner` is None for a person."""

    name: str
    words: str
    ready: bool
    owner: str | None


@dataclass(frozen=True, slots=True)
class Lobby:
    """Something happened before the match; `you` is this node's own place among the members."""

    text: str
    members: tuple[Member, ...]
    you: int | None = None
    seats: int | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """A seat's choices up to the next draw were carried out; of a secret choice, one event a seat, lower first."""

    step: int
    seat: Seat
    actions: tuple[Action, ...]
    autopilot: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """Chance decided; `randomness` is the 32 bytes that all seats made together."""

    step: int
    randomness: bytes


@dataclass(frozen=True, slots=True)
class Rewound:
    """Everything from this step on never happened."""

    step: int


@dataclass(frozen=True, slots=True)
class Change:
    """What may change in who plays: `rewind` is the step that is taken back with all after it."""

    out: tuple[Seat, ...]
    back: tuple[Seat, ...]
    rewind: int | None
    adjourned: bool

    @property
    def goes_on(self) -> bool:
        """Whether nothing else is meant than to play on."""
        return not (self.out or self.back or self.rewind or self.adjourned)


@dataclass(frozen=True, slots=True)
class Changed:
    """This step changed who plays, or what was played; what is not adjourned by it goes on."""

    step: int
    change: Change


@dataclass(frozen=True, slots=True)
class Claimed:
    """A seat wants a change; None: it no longer does."""

    seat: Seat
    change: Change | None


@dataclass(frozen=True, slots=True)
class Stalled:
    """Too few are here to put these seats out."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Clock:
    """How many seconds each seat has left to think, and whose clocks run."""

    left: tuple[int, ...]
    running: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class StandIn:
    """A bot plays for this node's person from now on; None: they do themselves."""

    bot: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose say it is now."""

    step: int
    seats: tuple[Seat, ...]
    secret: bool


@dataclass(frozen=True, slots=True)
class Away:
    """A seat's node cannot be heard."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Back:
    """A seat's node is heard again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Refused:
    """The node did not take this client's action."""

    ruling: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """The node cannot go on as it should; the sentence says why and what to do."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Over:
    """The match is finished and lies in `file`."""

    file: str


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody at the table said something; `words` are the short words of their key."""

    name: str
    words: str
    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Somebody invites to another match."""

    name: str
    invite: str


@dataclass(frozen=True, slots=True)
class Invite:
    """The way to this match, for somebody who lost their seat's files."""

    invite: str


Event: TypeAlias = (
    Hello
    | Lobby
    | Applied
    | Drawn
    | Rewound
    | Changed
    | Claimed
    | Stalled
    | Clock
    | StandIn
    | Turn
    | Away
    | Back
    | Refused
    | Trouble
    | Over
    | Said
    | Offer
    | Invite
)


class _Fields:
    """One JSON object, read by type; anything of another type is an error that names the field."""

    def __init__(self, value: object) -> None:
        if not isinstance(value, dict):
            raise _strange("an event that is no object")
        self._fields: Mapping[object, object] = value

    def raw(self, name: str) -> object:
        return self._fields.get(name)

    def has(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def source(self, name: str) -> str:
        value = self.raw(name)
        if not isinstance(value, str):
            raise _strange(f"no text in {name!r}")
        return value

    def text(self, name: str) -> str:
        """Text for a screen: whatever a peer put into it, no character moves the cursor."""
        return _printable(self.source(name))

    def integer(self, name: str) -> int:
        return _integer(self.raw(name), name)

    def flag(self, name: str) -> bool:
        value = self.raw(name)
        if not isinstance(value, bool):
            raise _strange(f"neither true nor false in {name!r}")
        return value

    def items(self, name: str) -> list[object]:
        value = self.raw(name)
        if not isinstance(value, list | tuple):
            raise _strange(f"no list in {name!r}")
        return list(cast("Sequence[object]", value))

    def integers(self, name: str) -> tuple[int, ...]:
        return tuple(_integer(item, name) for item in self.items(name))

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(_printable(str(item)) for item in self.items(name))

    def mapping(self, name: str) -> dict[str, str]:
        return {key: str(item) for key, item in self._object(name).items()}

    def numbers(self, name: str) -> dict[str, int]:
        return {key: _integer(item, name) for key, item in self._object(name).items()}

    def _object(self, name: str) -> dict[str, object]:
        value = self.raw(name)
        if not isinstance(value, dict):
            raise _strange(f"no object in {name!r}")
        return {str(key): item for key, item in cast("dict[object, object]", value).items()}


def _integer(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _strange(f"no whole number in {name!r}")
    return value


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _strange(what: str) -> LocalError:
    return LocalError(f"The node said something this client does not understand ({what}). Are both the same version?")


def _hello(fields: _Fields) -> Hello:
    return Hello(
        match=fields.text("match") if fields.has("match") else None,
        game=fields.text("game"),
        components=fields.source("components"),
        options=fields.mapping("options"),
        names=fields.texts("names"),
        words=fields.texts("words"),
        you=fields.integer("you") if fields.has("you") else None,
        clock=fields.numbers("clock") if fields.has("clock") else {},
        out=fields.integers("out") if fields.has("out") else (),
    )


def _change(fields: _Fields) -> Change:
    rewind = fields.integer("rewind") if fields.has("rewind") else None
    return Change(fields.integers("out"), fields.integers("back"), rewind, fields.flag("adjourned"))


def _member(value: object) -> Member:
    fields = _Fields(value)
    owner = fields.text("owner") if fields.has("owner") else None
    return Member(fields.text("name"), fields.text("words"), fields.flag("ready"), owner)


def _lobby(fields: _Fields) -> Lobby:
    return Lobby(
        text=fields.text("text"),
        members=tuple(_member(item) for item in fields.items("members")),
        you=fields.integer("you") if fields.has("you") else None,
        seats=fields.integer("seats") if fields.has("seats") else None,
    )


def _drawn(fields: _Fields) -> Drawn:
    try:
        return Drawn(fields.integer("step"), bytes.fromhex(fields.source("randomness")))
    except ValueError as error:
        raise _strange("randomness that is not hexadecimal") from error


_DECODERS: Mapping[str, Callable[[_Fields], Event]] = {
    "hello": _hello,
    "lobby": _lobby,
    "applied": lambda f: Applied(
        f.integer("step"), f.integer("seat"), f.integers("actions"), f.text("by") == "autopilot"
    ),
    "drawn": _drawn,
    "rewound": lambda f: Rewound(f.integer("step")),
    "changed": lambda f: Changed(f.integer("step"), _change(f)),
    "claimed": lambda f: Claimed(f.integer("seat"), _change(_Fields(f.raw("change"))) if f.has("change") else None),
    "stalled": lambda f: Stalled(f.integers("seats")),
    "clock": lambda f: Clock(f.integers("left"), f.integers("running")),
    "stand-in": lambda f: StandIn(f.text("bot") if f.has("bot") else None),
    "turn": lambda f: Turn(f.integer("step"), f.integers("seats"), f.flag("secret")),
    "away": lambda f: Away(f.integer("seat")),
    "back": lambda f: Back(f.integer("seat")),
    "refused": lambda f: Refused(f.text("ruling"), f.text("sentence")),
    "trouble": lambda f: Trouble(f.text("code"), f.text("sentence")),
    "over": lambda f: Over(f.text("file")),
    "said": lambda f: Said(f.text("name"), f.text("words"), f.text("text")[:SAID_MOST]),
    "offer": lambda f: Offer(f.text("name"), f.text("invite")),
    "invite": lambda f: Invite(f.text("invite")),
}


def read(message: object) -> Event | None:
    """Return the event that a parsed JSON value is, None for a kind this client does not know; raise `LocalError`."""
    fields = _Fields(message)
    decoder = _DECODERS.get(fields.source("event"))
    return decoder(fields) if decoder else None


def decode(line: bytes) -> Event | None:
    """Return the event of one line of JSON, as `read` does."""
    try:
        message: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _strange("a line that is not JSON") from error
    return read(message)
