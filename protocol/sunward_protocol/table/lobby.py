"""Before the match: a host and visitors agree on a genesis and all sign it; here is what both sides share.

Must never believe a HELLO that answers another nonce or speaks for another connection.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, is_signed, open_frame, seal
from sunward_protocol.errors import Forged, OtherVersion, RemoteError
from sunward_protocol.games.game import Ruleset
from sunward_protocol.genesis import Genesis, check_member
from sunward_protocol.identity import Signatures, Signer
from sunward_protocol.ids import CurveKey, Digest, Place, PublicKey
from sunward_protocol.messages import ANYWHERE, Hello, Kind, Leave, Lobby, Member, Payload
from sunward_protocol.table.journal import Entropy
from sunward_protocol.table.talk import Talk

NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Post:
    """Send a frame to the peer with this key."""

    peer: CurveKey
    raw: bytes


@dataclass(frozen=True, slots=True)
class Blame:
    """The peer with this key sent what no honest peer sends: count it."""

    peer: CurveKey
    reason: str


@dataclass(frozen=True, slots=True)
class LobbyChanged:
    """Who is at the table now."""

    lobby: Lobby


@dataclass(frozen=True, slots=True)
class Heard:
    """A member of the lobby said something."""

    identity: PublicKey
    text: str


@dataclass(frozen=True, slots=True)
class Prepare:
    """We are about to seal this genesis: the keys of our seat must be on disk before anything that follows."""

    genesis: Genesis
    place: Place
    endpoints: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Founded:
    """Everybody sealed: the match begins. `endpoints` are where each place listens."""

    genesis: Genesis
    seals: tuple[bytes, ...]
    place: Place
    endpoints: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Void:
    """A genesis was proposed and came to nothing; the lobby goes on."""

    match: Digest
    reason: str


@dataclass(frozen=True, slots=True)
class Closed:
    """There is no table for us any more, and why."""

    reason: str


Answer: TypeAlias = Post | Blame | LobbyChanged | Heard | Prepare | Founded | Void | Closed


@dataclass(frozen=True, slots=True)
class Table:
    """What a table is before its genesis: its random id, the token that lets in, and what is to be played."""

    table: Digest
    token: bytes
    ruleset: Ruleset
    options: Mapping[str, str]
    seats: int
    chain_length: int = limits.CHAIN_LENGTH
    seating: tuple[PublicKey, ...] = ()
    """The identities in the order of their seats, as after an earlier match; () if seats are to be drawn."""
    clock: tuple[tuple[str, int], ...] = ()
    """Seconds by what they are for, sorted, as `clocks.POLICY` names them; () for no clocks."""


@dataclass(frozen=True, slots=True)
class Myself:
    """Who we are at this table and where we listen."""

    identity: Signer
    member: Member
    endpoints: tuple[str, ...]


class Phase(Enum):
    """Where a lobby stands."""

    GATHERING = "gathering"
    SEALING = "sealing"
    FOUNDED = "founded"
    CLOSED = "closed"


class Side(ABC):
    """What both sides share: the way in for frames, and the list of answers."""

    def __init__(self, me: Myself, table: Digest, signatures: Signatures, entropy: Entropy) -> None:
        self.me = me
        self.phase = Phase.GATHERING
        self.wake = NEVER
        self._table = table
        self._signatures = signatures
        self._entropy = entropy
        self._answers: list[Answer] = []
        self._talk = Talk[PublicKey]()
        self._handlers: dict[Kind, Callable[[CurveKey, Frame, float], None]] = {}

    def hear(self, peer: CurveKey, raw: bytes, now: float) -> list[Answer]:
        """Take in a frame from the connection of `peer`, unless we closed; return what to do about it, in order."""
        if self.phase is Phase.CLOSED:
            return []
        try:
            frame = open_frame(raw)
            handler = self._handlers.get(frame.kind)
            if handler is not None and frame.match == self._table:
                handler(peer, frame, now)
        except OtherVersion as error:
            self._on_other_version(peer, error)
        except RemoteError as error:
            self._answers.append(Blame(peer, str(error)))
        return self._flush()

    @abstractmethod
    def _on_other_version(self, peer: CurveKey, error: OtherVersion) -> None:
        """Deal with a peer that speaks another version; answer at most one side of the two."""

    def _may_say(self, speaker: PublicKey, now: float) -> bool:
        return self._talk.may_say(speaker, now)

    def _flush(self) -> list[Answer]:
        answers, self._answers = self._answers, []
        return answers

    def _post(self, peer: CurveKey, kind: Kind, payload: Payload, place: Place = ANYWHERE) -> None:
        frame = seal(kind, payload, self._table, self.me.identity, place=place)
        self._answers.append(Post(peer, frame.raw))

    def _leave(self, peer: CurveKey, reason: str) -> None:
        """Say that we go, or that they have to."""
        printable = "".join(filter(str.isprintable, reason))
        self._post(peer, Kind.LEAVE, Leave(printable[: limits.REASON_MOST]))

    def _believe(self, peer: CurveKey, frame: Frame, nonce: bytes, chain_length: int) -> Hello:
        """Return a HELLO that is fresh, signed by the identity it names, and about this very connection."""
        hello = frame.payload
        assert isinstance(hello, Hello)
        member = hello.member
        if hello.answer != nonce:
            raise Forged("A HELLO answers another nonce than the one it was asked with.")
        if member.curve != peer:
            raise Forged("A HELLO speaks for another connection than the one it came on.")
        if not is_signed(frame, member.identity, self._signatures):
            raise Forged("A HELLO is not signed by the identity that it names.")
        check_member(member, self._table, chain_length, self._signatures)
        return hello
