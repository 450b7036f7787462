"""What a client asks of its node, written as lines of JSON.

Must never ask for anything that a person did not type.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sunward_protocol.games.game import Action, Seat


@dataclass(frozen=True, slots=True)
class Act:
    """Play these choices at this step."""

    actions: tuple[Action, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Ready:
    """Have the match begin as far as this seat is concerned, or take that back."""

    ready: bool


@dataclass(frozen=True, slots=True)
class Say:
    """Say something to everybody at the table; at most `events.SAID_MOST` printable characters."""

    text: str


@dataclass(frozen=True, slots=True)
class PutOut:
    """Have the others agree that autopilot plays for these seats."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Have the others agree to take back all from a step on; None: from this seat's own last action on."""

    step: int | None = None


@dataclass(frozen=True, slots=True)
class Adjourn:
    """Have the others agree that the match rests."""


@dataclass(frozen=True, slots=True)
class GoOn:
    """Play again after having been put out, or have the others agree to go on after a rest."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Want nothing of all this any more."""


@dataclass(frozen=True, slots=True)
class LetPlay:
    """Let a bot of the node's play this seat; None: the person does again."""

    bot: str | None


@dataclass(frozen=True, slots=True)
class Invite:
    """Show the way to this match, for somebody who lost their seat's files."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop the node; the match can be resumed."""


@dataclass(frozen=True, slots=True)
class Detach:
    """This client leaves, the node plays on."""


Request: TypeAlias = Act | Ready | Say | PutOut | TakeBack | Adjourn | GoOn | Wait | LetPlay | Invite | Quit | Detach


def encode(request: Request) -> bytes:
    """Return the request as one line of JSON."""
    match request:
        case Act(actions, step):
            message: dict[str, object] = {"do": "act", "actions": actions, "step": step}
        case Ready(ready):
            message = {"do": "ready", "ready": ready}
        case Say(text):
            message = {"do": "say", "text": text}
        case PutOut(seats):
            message = {"do": "putout", "seats": seats}
        case TakeBack(step):
            message = {"do": "takeback", "step": step}
        case LetPlay(None):
            message = {"do": "me"}
        case LetPlay(bot):
            message = {"do": "bot", "name": bot}
        case _:
            message = {"do": _PLAIN[type(request)]}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


_PLAIN: Mapping[type[Request], str] = {
    Adjourn: "adjourn",
    GoOn: "back",
    Wait: "wait",
    Invite: "invite",
    Quit: "quit",
    Detach: "detach",
}
"""What is asked by its name alone."""
