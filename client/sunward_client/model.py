"""What a client knows of its match: one frozen value, and what can be read from it.

Must never print, ask, wait or send.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sunward_client.agreeing import (
    Company,
    clocked,
)
from sunward_client.events import (
    Change,
    Clock,
    Lobby,
    Member,
    Offer,
    Turn,
)
from sunward_client.theme import SEATS, Look
from sunward_protocol.errors import LocalError
from sunward_protocol.games.game import Action, Json, Position, Ruleset, Seat


@dataclass(frozen=True, slots=True)
class Match:
    """What never changes once a match has begun: its rules, its id, and who sits where."""

    ruleset: Ruleset
    id: str
    names: tuple[str, ...]
    words: tuple[str, ...]
    you: Seat | None
    timed: bool = False

    @property
    def company(self) -> Company:
        """Who is at the table."""
        return Company(self.names, self.you, self.timed)


@dataclass(frozen=True, slots=True)
class Entry:
    """One sentence of the log and the step it belongs to."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class Played:
    """One action that was carried out, between the positions before and after it."""

    step: int
    seat: Seat
    action: Action
    before: Position
    after: Position


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a step began: what `Rewound` goes back to."""

    step: int
    position: Position
    logged: int
    drawn: int
    played: int


@dataclass(frozen=True, slots=True)
class Model:
    """The whole of it; `news` are the sentences that the latest event brought, `muted` the words of keys not heard.

    `outside` is whether this client's person would come back to a match and is not let in yet.
    """

    look: Look
    match: Match | None = None
    position: Position | None = None
    moments: tuple[Moment, ...] = ()
    log: tuple[Entry, ...] = ()
    draws: tuple[Json, ...] = ()
    played: tuple[Played, ...] = ()
    turn: Turn | None = None
    away: tuple[Seat, ...] = ()
    out: tuple[Seat, ...] = ()
    claims: tuple[tuple[Seat, Change], ...] = ()
    stalled: tuple[Seat, ...] = ()
    resting: bool = False
    clock: Clock | None = None
    stand_in: str | None = None
    file: str | None = None
    lobby: Lobby | None = None
    offer: Offer | None = None
    outside: bool = False
    muted: tuple[str, ...] = ()
    news: tuple[str, ...] = ()

    @property
    def step(self) -> int:
        """The latest step of which something is known, -1 before the set-up."""
        return self.moments[-1].step if self.moments else -1

    @property
    def mine(self) -> bool:
        """Whether this client's own seat is asked for a choice."""
        asked = self.match is not None and self.turn is not None and self.match.you in self.turn.seats
        return asked and self.stand_in is None

    @property
    def gathering(self) -> bool:
        """Whether this is a table that has not begun."""
        return self.match is None and self.lobby is not None

    @property
    def company(self) -> bool:
        """Whether anybody is there but this client's own bots; where nothing is known of a lobby, there may be."""
        return any(strangers(self.lobby)) if self.lobby is not None else not self.outside

    @property
    def halted(self) -> bool:
        """Whether nothing is asked of this client's person for now: put out, at rest, too few left, or a bot plays."""
        stands = self.resting or bool(self.stalled) or self.stand_in is not None
        return self.match is not None and (stands or self.match.you in self.out)

    @property
    def missed(self) -> tuple[Seat, ...]:
        """Who is away and waited for: not whoever plays on autopilot."""
        return tuple(seat for seat in self.away if seat not in self.out)

    @property
    def asked(self) -> Change | None:
        """What another seat wants now, and this client's own does not want yet; None for nothing."""
        you = self.match.you if self.match is not None else None
        own = [change for seat, change in self.claims if seat == you]
        others = [
            change
            for seat, change in self.claims
            if not (seat == you or you in change.out or change.back or (change.goes_on and not self.resting))
        ]
        return next((change for change in reversed(others) if change not in own), None)

    @property
    def left(self) -> tuple[int, Position | None]:
        """What had been played, and where things stood, when this client's seat last had acted; None for nobody."""
        if self.match is None or self.match.you is None or not self.moments:
            return 0, None
        own = [index for index, played in enumerate(self.played) if played.seat == self.match.you]
        if not own:
            return 0, self.moments[0].position
        return own[-1] + 1, self.played[own[-1]].after

    @property
    def over(self) -> bool:
        """Whether the node has written the finished match."""
        return self.file is not None


def playing(model: Model) -> tuple[Match, Position]:
    """Return the match and its position; raise `LocalError` before there is one."""
    if model.match is None or model.position is None:
        raise LocalError("The match has not begun yet.")
    return model.match, model.position


def seat_named(match: Match, word: str) -> Seat | None:
    """Return the seat of this colour, letter, name or the beginning of one only; None if none is meant."""
    word = word.lower()
    looks = SEATS[: len(match.names)]
    exact = [seat for seat, look in enumerate(looks) if word in (look.colour, look.letter.lower())]
    begun = [
        seat
        for seat, look in enumerate(looks)
        if word and (look.colour.startswith(word) or match.names[seat][3:].lower().startswith(word))
    ]
    found = exact or begun
    return found[0] if len(found) == 1 else None


def waiting(model: Model, away: Mapping[Seat, str] | None = None) -> str:
    """Return who or what the match is waiting for, as the middle of a sentence; `away` says how long somebody is."""
    if model.match is None:
        if model.outside:
            return "waiting to be let in"
        if model.lobby is None:
            return "joining the table"
        return f"{len(model.lobby.members)} of {model.lobby.seats or '?'} at the table"
    if model.over:
        return "the match is over"
    if model.resting:
        return "the match rests: back asks the others to go on"
    if model.missed:
        since = away or {}
        missing = [
            f"{model.match.names[seat]} (away{' ' * (seat in since)}{since.get(seat, '')})" for seat in model.missed
        ]
        return "waiting for " + " and ".join(missing)
    if model.match.you in model.out:
        return "autopilot plays for you: back to play again"
    if model.turn is None:
        return "waiting for the table"
    others = [named(model, seat) for seat in model.turn.seats if seat != model.match.you]
    return "waiting for " + (" and ".join(others) or model.stand_in or "the table")


def named(model: Model, seat: Seat) -> str:
    """Return a seat's name, and how long it has left to think where its clock runs."""
    clock = model.clock
    left = f" ({clocked(clock.left[seat])} left)" if clock is not None and seat in clock.running else ""
    return name_of(model, seat) + left


def strangers(lobby: Lobby) -> Iterator[Member]:
    """Yield the members that are neither this client's own nor a bot of its own; without `you`, all but one person."""
    people = [member for member in lobby.members if member.owner is None]
    if lobby.you is not None and lobby.you < len(lobby.members):
        mine = lobby.members[lobby.you]
    elif people:
        mine = people[0]
    else:
        return
    for member in lobby.members:
        if member.words != mine.words and member.owner != mine.name:
            yield member


def name_of(model: Model, seat: Seat) -> str:
    """Return what a seat is called."""
    names: Sequence[str] = model.match.names if model.match else ()
    return names[seat] if seat < len(names) else f"Seat {seat}"
