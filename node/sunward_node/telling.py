"""What a node tells whoever sits at its local socket: notices of a replica as events by seat, JSON-able.

Must never tell of a step before it is locked: the replica does not either.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TypeAlias, assert_never

from sunward_protocol.envelope import open_frame
from sunward_protocol.games.catalog import GAMES
from sunward_protocol.games.game import Action, Seat
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Digest, Place, PublicKey, Step
from sunward_protocol.ledger import Move
from sunward_protocol.messages import Change, Kind, Lobby
from sunward_protocol.table.events import (
    Applied,
    Asked,
    CameBack,
    Changed,
    Claimed,
    Drawn,
    Ended,
    Invited,
    Moved,
    Notice,
    Refused,
    Said,
    Stalled,
    Troubled,
    TurnCame,
    WentAway,
)
from sunward_protocol.table.lobby import Heard, Void
from sunward_protocol.table.owing import owing
from sunward_protocol.table.replica import Replica

Event: TypeAlias = Mapping[str, object]
Publish: TypeAlias = Callable[[Event], None]
"""Takes an event for all who watch, now and later."""

Words: TypeAlias = Callable[[PublicKey], str]
"""Returns the short words of a key."""

THOUGHT = (Kind.ACT, Kind.COMMIT)
"""What a player owes, and not just a node."""


class LobbyTelling:
    """Turns what happens before a match into events, for the member of one identity."""

    def __init__(self, own: PublicKey, words: Words) -> None:
        self._own = own
        self._words = words
        self._names: Mapping[PublicKey, str] = {}

    def events(self, news: Lobby | Heard | Void) -> Sequence[Event]:
        """Return what a client is told of it."""
        match news:
            case Heard(identity, text):
                name = self._names.get(identity, "somebody")
                return [{"event": "said", "name": name, "words": self._words(identity), "text": text}]
            case Void(_, reason):
                return [{"event": "trouble", "code": "void", "sentence": reason}]
            case Lobby():
                return [self._lobby(news)]
            case _:
                assert_never(news)

    def _lobby(self, lobby: Lobby) -> Event:
        self._names = {identity: name for identity, name, *_ in lobby.members}
        identities = list(self._names)
        return {
            "event": "lobby",
            "text": f"{len(lobby.members)} of {lobby.seats} are at the table{_game_told(lobby)}.{_clocks_told(lobby)}",
            "seats": lobby.seats,
            "you": identities.index(self._own) if self._own in identities else None,
            "members": [
                {
                    "name": name,
                    "words": self._words(identity),
                    "ready": bool(ready),
                    "owner": None if owner == identity else self._names.get(owner, self._words(owner)),
                }
                for identity, name, owner, ready in lobby.members
            ],
        }


def _game_told(lobby: Lobby) -> str:
    """Return what is to be played, with every option of it; of a game that is not known here, those that were given."""
    game = next((game for game in GAMES if game.name == lobby.game), None)
    usual = {} if game is None else {name: values[0] for name, values in game.options.items()}
    options = {**usual, **dict(lobby.options)}
    title = lobby.game if game is None else game.title
    return ", ".join([f": {title}", *(f"{name} {value}" for name, value in options.items())])


def _clocks_told(lobby: Lobby) -> str:
    """Return what the clocks of a table mean for whoever sits down; '' if it has none."""
    clock = dict(lobby.clock)
    if not clock:
        return ""
    bank, increment = clock.get("bank", 0), clock.get("increment", 0)
    return f" It has clocks: {bank} s to think each, and {increment} s more each time one is asked anew."


class Telling:
    """Turns the notices of one match into events, in order; those of a replica at work, or of a match file.

    `own` is the place that is played here, None for whoever only looks; `seating` returns the place of each seat, ()
    while none is drawn.
    """

    def __init__(
        self,
        genesis: Genesis,
        own: Place | None,
        seating: Callable[[], tuple[Place, ...]],
        file: str,
        words: Words,
        publish: Publish,
    ) -> None:
        self._genesis = genesis
        self._own = own
        self._seating = seating
        self._file = file
        self._words = words
        self._publish = publish
        self._out = set[Place]()
        self._told: Step = -1
        self._changed: Step = 0
        self._played = False

    def tell(self, notice: Notice) -> None:
        """Publish what a notice means to a player."""
        for event in self._events(notice):
            self._publish(event)

    def _events(self, notice: Notice) -> Sequence[Event]:
        match notice:
            case Applied(step, moves):
                return [*self._anew(step), *self._applied(step, moves)]
            case Drawn(step, randomness):
                return self._drawn(step, randomness)
            case TurnCame(step, seats, secret):
                asked = [seat for seat in seats if self._place(seat) not in self._out]
                return [{"event": "turn", "step": step, "seats": asked, "secret": secret}] if asked else []
            case WentAway(place) | CameBack(place) if not self._seating():
                return [self._before_seats(place, gone=isinstance(notice, WentAway))]
            case WentAway(place):
                return [{"event": "away", "seat": self._seat(place)}]
            case CameBack(place):
                return [{"event": "back", "seat": self._seat(place)}]
            case Refused(_, ruling, sentence):
                return [{"event": "refused", "ruling": ruling, "sentence": sentence}]
            case Troubled(code, _, place, sentence):
                return [{"event": "trouble", "code": code, "sentence": self._named(place, sentence)}]
            case Ended():
                return [{"event": "over", "file": self._file}]
            case Said(place, text):
                return [{"event": "said", **self._who(place), "text": text}]
            case Invited(place, invite):
                return [{"event": "offer", **self._who(place), "invite": invite}]
            case Changed(step, change):
                return [*self._anew(step), *self._change_made(step, change)]
            case Claimed() | Stalled() if not self._seating():
                return []  # only seats can be named
            case Claimed(place, change):
                wanted = None if change is None else self._change(change)
                return [{"event": "claimed", "seat": self._seat(place), "change": wanted}]
            case Stalled(places):
                return [{"event": "stalled", "seats": [self._seat(place) for place in places]}]
            case Asked() | Moved():
                return []  # the driver's business
            case _:
                assert_never(notice)

    def _anew(self, step: Step) -> Sequence[Event]:
        """A step that was told before is told again where a change of who plays made its draw, and it, anew."""
        again = step <= self._told
        self._told = step
        return [{"event": "rewound", "step": step}] if again else []

    def _applied(self, step: Step, moves: Sequence[Move]) -> Sequence[Event]:
        """One event a seat, in the order of play."""
        self._played = True
        by_seat = dict[Seat, list[Action]]()
        for move in moves:
            by_seat.setdefault(move.seat, []).append(move.action)
        return [
            {"event": "applied", "step": step, "seat": seat, "actions": actions, "by": self._player(seat)}
            for seat, actions in by_seat.items()
        ]

    def _drawn(self, step: Step, randomness: Digest) -> Sequence[Event]:
        """The set-up is drawn in the first step, or in one that changed who plays before that came about."""
        drawn = {"event": "drawn", "step": step, "randomness": randomness.hex()}
        sets_up = not self._played and step in (0, self._changed)
        return [self._hello(), drawn] if sets_up else [drawn]

    def _change_made(self, step: Step, change: Change) -> Sequence[Event]:
        self._changed = step
        out = {place for place in range(len(self._genesis.members)) if change.out >> place & 1}
        self._out = (self._out | out) - {open_frame(raw).place for raw in change.back}
        if out and not self._seating():
            names = " and ".join(self._genesis.members[place].name for place in sorted(out))
            return [{"event": "trouble", "code": "put-out", "sentence": f"{names} played no part and was put out."}]
        return [{"event": "changed", "step": step, **self._change(change)}]

    def _before_seats(self, place: Place, *, gone: bool) -> Event:
        """Who is away or back while nobody has a seat yet."""
        name = self._genesis.members[place].name
        sentence = f"{name} is away; the match begins when they are back." if gone else f"{name} is back."
        return {"event": "trouble", "code": "away" if gone else "back", "sentence": sentence}

    def _change(self, change: Change) -> dict[str, object]:
        """What a change means, in seats: who is put out, who comes back, from which step on it is played anew."""
        out = [self._seat(place) for place in range(len(self._genesis.members)) if change.out >> place & 1]
        back = [self._seat(open_frame(raw).place) for raw in change.back]
        return {"out": out, "back": back, "rewind": change.rewind or None, "adjourned": bool(change.adjourn)}

    def _player(self, seat: Seat) -> str:
        return "autopilot" if self._place(seat) in self._out else "player"

    def _place(self, seat: Seat) -> Place:
        seating = self._seating()
        return seating[seat] if seating else seat

    def _seat(self, place: Place) -> Seat:
        seating = self._seating()
        return seating.index(place) if seating else place

    def _who(self, place: Place) -> Event:
        member = self._genesis.members[place]
        return {"name": member.name, "words": self._words(member.identity)}

    def _named(self, place: Place, sentence: str) -> str:
        name = self._genesis.members[place].name
        return sentence.replace(f"Place {place}", name).replace(f"place {place}", name)

    def _hello(self) -> Event:
        """Who plays what: known once the seats are drawn."""
        genesis = self._genesis
        by_seat = [genesis.members[place] for place in self._seating()]
        return {
            "event": "hello",
            "protocol": 1,
            "match": genesis.match.hex(),
            "game": genesis.game,
            "components": genesis.components.decode(),
            "options": dict(genesis.options),
            "clock": dict(genesis.clock),
            "names": [member.name for member in by_seat],
            "keys": [member.identity.hex() for member in by_seat],
            "words": [self._words(member.identity) for member in by_seat],
            "you": None if self._own is None else self._seat(self._own),
            "out": sorted(self._seat(place) for place in self._out),
        }


def clocks(replica: Replica) -> Event | None:
    """Return how many seconds each seat has left to think, and whose clock runs; None while nobody has a seat."""
    seating = replica.steps.settled.place_of
    if not seating:
        return None
    thinking = [place for place, kind in owing(replica.steps).items() if kind in THOUGHT]
    left = [max(0, ceil(replica.clocks.turns[place])) for place in seating]
    return {"event": "clock", "left": left, "running": sorted(seating.index(place) for place in thinking)}
