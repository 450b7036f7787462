"""What happened, in the past tense: what is fed into the machines, and what they tell whoever watches a match."""

from dataclasses import dataclass
from typing import TypeAlias

from sunward_protocol.games.game import Action, Result, Seat
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.ledger import Move
from sunward_protocol.messages import Change


@dataclass(frozen=True, slots=True)
class Applied:
    """A locked step carried out these moves, in order."""

    step: Step
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Everybody's links are in: this randomness decided the draws of a step."""

    step: Step
    randomness: Digest


@dataclass(frozen=True, slots=True)
class Changed:
    """A locked step changed who plays, or what was played."""

    step: Step
    change: Change


@dataclass(frozen=True, slots=True)
class Claimed:
    """A place wants a change; None: it no longer does."""

    place: Place
    change: Change | None


@dataclass(frozen=True, slots=True)
class Stalled:
    """Too few are here to put anybody out: the match rests until these places are back."""

    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Our own seat may act now, on the position at the tip; everything but the last step is locked."""

    step: Step


@dataclass(frozen=True, slots=True)
class TurnCame:
    """All that went before is locked, and these seats are to act."""

    step: Step
    seats: tuple[Seat, ...]
    secret: bool


@dataclass(frozen=True, slots=True)
class WentAway:
    """Nobody we hear has heard from this place for a while."""

    place: Place


@dataclass(frozen=True, slots=True)
class CameBack:
    """A place that was away is heard again."""

    place: Place


@dataclass(frozen=True, slots=True)
class Moved:
    """A place says that it listens at these addresses now."""

    place: Place
    endpoints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A place said something; our own too."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Invited:
    """A place invites to another match."""

    place: Place
    invite: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Our own seat asked for what cannot be; nothing was signed."""

    step: Step
    ruling: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Troubled:
    """The match cannot go on as it should, and why; `code` is stable."""

    code: str
    step: Step
    place: Place
    sentence: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The last state is locked by all."""

    result: Result


Notice: TypeAlias = (
    Applied
    | Changed
    | Claimed
    | Stalled
    | Drawn
    | Asked
    | TurnCame
    | WentAway
    | CameBack
    | Moved
    | Said
    | Invited
    | Refused
    | Troubled
    | Ended
)


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame came in on the connection of a place."""

    sender: Place
    raw: bytes


@dataclass(frozen=True, slots=True)
class Chosen:
    """Our own player made the choices of a step."""

    step: Step
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Our own player wants these changes: `out` is a bit mask, `rewind` a step, `adjourn` and `back` say to rest and to
    play on; what was wanted before is wanted no longer."""

    out: int = 0
    rewind: Step = 0
    adjourn: bool = False
    back: bool = False


@dataclass(frozen=True, slots=True)
class Spoke:
    """Our own player said something."""

    text: str


@dataclass(frozen=True, slots=True)
class Offered:
    """Our own player invites the others to another match."""

    invite: str


@dataclass(frozen=True, slots=True)
class Connected:
    """There is a connection with a place."""

    place: Place


@dataclass(frozen=True, slots=True)
class Disconnected:
    """There is no connection with a place any more."""

    place: Place


@dataclass(frozen=True, slots=True)
class Woken:
    """The time asked for has come, or any other."""


Event: TypeAlias = Heard | Chosen | Wanted | Spoke | Offered | Connected | Disconnected | Woken
