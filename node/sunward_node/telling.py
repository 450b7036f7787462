"""What a node tells whoever sits at its local socket: notices of a replica as events by seat, JSON-able.

Must never tell of a step before it is locked: the replica does not either.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Place, PublicKey
from sunward_protocol.messages import Lobby
from sunward_protocol.table.events import (
    Applied,
    CameBack,
    Drawn,
    Ended,
    Notice,
    Refused,
    Troubled,
    TurnCame,
    WentAway,
)
from sunward_protocol.table.replica import Replica

Publish: TypeAlias = Callable[[Mapping[str, object]], None]
"""Takes an event for all who watch, now and later."""

Words: TypeAlias = Callable[[PublicKey], str]
"""Returns the short words of a key."""


def lobby_event(lobby: Lobby, words: Words) -> dict[str, object]:
    """Return the event of a table that has not begun."""
    names = {identity: name for identity, name, *_ in lobby.members}
    return {
        "event": "lobby",
        "text": f"{len(lobby.members)} of {lobby.seats} are at the table.",
        "members": [
            {
                "name": name,
                "words": words(identity),
                "ready": bool(ready),
                "owner": None if owner == identity else names.get(owner, words(owner)),
            }
            for identity, name, owner, ready in lobby.members
        ],
    }


class Telling:
    """Turns the notices of one match into events, in order."""

    def __init__(self, genesis: Genesis, place: Place, file: str, words: Words, publish: Publish) -> None:
        self._genesis = genesis
        self._place = place
        self._file = file
        self._words = words
        self._publish = publish
        self._replica: Replica | None = None
        self._kinds: Mapping[type[Notice], Callable[..., Sequence[Mapping[str, object]]]] = {
            Applied: self._applied,
            Drawn: self._drawn,
            TurnCame: lambda n: [{"event": "turn", "step": n.step, "seats": list(n.seats), "secret": n.secret}],
            WentAway: lambda n: [{"event": "away", "seat": self._seat(n.place)}],
            CameBack: lambda n: [{"event": "back", "seat": self._seat(n.place)}],
            Refused: lambda n: [{"event": "refused", "ruling": n.ruling, "sentence": n.sentence}],
            Troubled: lambda n: [{"event": "trouble", "code": n.code, "sentence": self._named(n)}],
            Ended: lambda _: [{"event": "over", "file": self._file}],
        }

    def watch(self, replica: Replica) -> None:
        """Tell of this replica from now on."""
        self._replica = replica

    def tell(self, notice: Notice) -> None:
        """Publish what a notice means to a player."""
        for event in self._kinds[type(notice)](notice):
            self._publish(event)

    def _seat(self, place: Place) -> int:
        return place if self._replica is None else self._replica.steps.settled.seat_of(place)

    def _named(self, trouble: Troubled) -> str:
        name = self._genesis.members[trouble.place].name
        return trouble.sentence.replace(f"Place {trouble.place}", name).replace(f"place {trouble.place}", name)

    def _applied(self, notice: Applied) -> list[Mapping[str, object]]:
        """One event a seat, in the order of play."""
        by_seat = dict[int, list[int]]()
        for move in notice.moves:
            by_seat.setdefault(move.seat, []).append(move.action)
        return [
            {"event": "applied", "step": notice.step, "seat": seat, "actions": actions, "by": "player"}
            for seat, actions in by_seat.items()
        ]

    def _drawn(self, notice: Drawn) -> list[Mapping[str, object]]:
        drawn = {"event": "drawn", "step": notice.step, "randomness": notice.randomness.hex()}
        return [self._hello(), drawn] if notice.step == 0 else [drawn]

    def _hello(self) -> Mapping[str, object]:
        """Who plays what: known once the seats are drawn."""
        genesis = self._genesis
        assert self._replica is not None
        by_seat = [genesis.members[place] for place in self._replica.steps.settled.place_of]
        return {
            "event": "hello",
            "protocol": 1,
            "match": genesis.match.hex(),
            "game": genesis.game,
            "components": genesis.components.decode(),
            "options": dict(genesis.options),
            "names": [member.name for member in by_seat],
            "keys": [member.identity.hex() for member in by_seat],
            "words": [self._words(member.identity) for member in by_seat],
            "you": self._seat(self._place),
        }
