"""Every message of the protocol: its fields, their bounds and what proves it, in one table.

Must never do anything with a message but check its shape.
"""

from collections.abc import Callable
from enum import Enum, IntEnum
from typing import NamedTuple, TypeAlias, cast

from sunward_protocol import limits
from sunward_protocol.ids import CurveKey, Digest, Epoch, Place, PublicKey, Step


class Kind(IntEnum):
    """The number of a message on the wire."""

    KNOCK = 1
    HELLO = 2
    LOBBY = 3
    READY = 4
    PROPOSAL = 5
    SEAL = 6
    LEAVE = 7
    SAY = 8
    OFFER = 9
    ACT = 16
    ACK = 17
    COMMIT = 18
    OPEN = 19
    LINK = 20
    STATUS = 21
    SYNC = 22
    CLAIM = 23
    VOTE = 24
    EPOCH = 25
    RESUME = 26
    EVIDENCE = 27


class Proof(Enum):
    """What makes a frame believed."""

    SESSION = "signed by the session key of its place"
    IDENTITY = "signed by the identity that it names"
    ITSELF = "a hash chain, a log or another signature inside it proves it, so that anyone may forward it"
    CONNECTION = "said by the peer on the other end about itself, never forwarded"


class Member(NamedTuple):
    """One seat's keys as they stand in the genesis."""

    identity: PublicKey
    name: str
    session: PublicKey
    curve: CurveKey
    tip: Digest
    delegation: bytes  # the identity's signature over table, session, curve, tip and chain length
    owner: PublicKey  # the person behind a bot; the identity itself for a person
    ownership: bytes  # the owner's signature over a bot's identity; zeros for a person


class Knock(NamedTuple):
    """A guest asks to be challenged."""

    nonce: bytes


class Hello(NamedTuple):
    """Who somebody is, proved afresh: `answer` is the other side's nonce, `ask` is one for it to answer."""

    answer: bytes
    ask: bytes
    token: bytes
    member: Member
    endpoints: tuple[str, ...]


class Lobby(NamedTuple):
    """The host's view of the table: who is there, and whether they are ready."""

    seats: int
    game: str
    options: tuple[tuple[str, str], ...]
    clock: tuple[tuple[str, int], ...]
    members: tuple[tuple[PublicKey, str, PublicKey, int], ...]  # identity, name, owner, ready


class Ready(NamedTuple):
    """A guest is ready to begin (1), or no longer (0)."""

    ready: int


class Proposal(NamedTuple):
    """A piece of a genesis body, and where its members listen, place by place."""

    number: int
    total: int
    piece: bytes
    endpoints: tuple[tuple[str, ...], ...]


class Seal(NamedTuple):
    """A member's identity signs the genesis."""

    signature: bytes


class Leave(NamedTuple):
    """Somebody leaves the lobby, or the host closes it or turns a guest away."""

    reason: str


class Say(NamedTuple):
    """Somebody says something; in a lobby the host passes it on."""

    speaker: PublicKey  # the identity
    text: str


class Offer(NamedTuple):
    """Somebody invites to another match."""

    invite: str


class Act(NamedTuple):
    """A seat's choices up to the next draw or the next player's say, the state before them and the one after."""

    state: Digest
    choices: tuple[int, ...]
    outcome: Digest


class Ack(NamedTuple):
    """A place has applied the step: the frame's head is the one after its bodies."""

    state: Digest


class Commit(NamedTuple):
    """A secret choice, fixed."""

    state: Digest
    commitment: Digest


class Open(NamedTuple):
    """A secret choice, shown."""

    state: Digest
    nonce: bytes
    choice: int


class Link(NamedTuple):
    """The next link of a place's hash chain, shown for the draw of a locked step."""

    attempt: int
    link: Digest


class Status(NamedTuple):
    """How far a node is and what it holds beyond: whoever has more sends it.

    The frame's step is the first one that is not on its disk yet. What it says of its own addresses is so; what it says
    of others' is a hint for who has lost them.
    """

    holds: tuple[tuple[Step, int, int], ...]  # step, kind, bit mask of places
    linked: int  # bit mask of the places it has a connection with
    listening: tuple[tuple[str, ...], ...]  # place by place


class Sync(NamedTuple):
    """Encoded log entries, in order."""

    entries: tuple[bytes, ...]


class Change(NamedTuple):
    """What may change in who plays: proposed by a CLAIM, agreed to by a VOTE, done by an EPOCH."""

    out: int  # bit mask of the places that are put out
    back: tuple[bytes, ...]  # the RESUME frames of the places that come back
    rewind: Step  # the step that is taken back with all after it, 0 for none
    adjourn: int  # 1: the match rests until the next change


class Claim(NamedTuple):
    """The change that a place wants, () for none any more; the frame's step counts its claims. Binds nobody."""

    changes: tuple[Change, ...]


class Vote(NamedTuple):
    """A place has stopped signing in the epochs below the frame's, and shows all that it knows beyond its log.

    The head of the frame is the one that `entries` lead up to.
    """

    since: Epoch  # the epoch that the voter is in
    change: Change
    step: Step  # the first that `entries` do not tell of
    spent: int  # how many links of its chain the voter has shown
    entries: tuple[bytes, ...]  # of steps that may not be locked yet, as in a log, their ACKs perhaps missing


class EpochBody(NamedTuple):
    """A place that voted goes on from the frame's head with the change made; all such bodies of an epoch are a step."""

    state: Digest
    since: Epoch
    change: Change
    attempts: int  # the number of the next draw


class Resume(NamedTuple):
    """A place that was put out wants to play again, with the keys and at the addresses that it names.

    Signed with the session key named here. The frame's epoch is the one that is to be changed: in another it means
    nothing.
    """

    session: PublicKey
    curve: CurveKey
    tip: Digest
    delegation: bytes  # as of a Member: the identity stands behind these keys
    endpoints: tuple[str, ...]


class Conviction(NamedTuple):
    """Frames that prove a cheat, as they stand in an evidence record."""

    frames: tuple[bytes, ...]


Payload: TypeAlias = (
    Knock
    | Hello
    | Lobby
    | Ready
    | Proposal
    | Seal
    | Leave
    | Say
    | Offer
    | Act
    | Ack
    | Commit
    | Open
    | Link
    | Status
    | Sync
    | Claim
    | Vote
    | EpochBody
    | Resume
    | Conviction
)
Check: TypeAlias = Callable[[object], bool]


def blob(size: int) -> Check:
    """Exactly so many bytes."""
    return lambda value: type(value) is bytes and len(value) == size


def octets(most: int) -> Check:
    """At most so many bytes."""
    return lambda value: type(value) is bytes and len(value) <= most


def natural(most: int = 2**63 - 1) -> Check:
    """An integer in 0 .. most."""
    return lambda value: type(value) is int and 0 <= value <= most


def text(most: int) -> Check:
    """At most so many printable characters: nothing that could steer a terminal."""
    return lambda value: type(value) is str and len(value) <= most and value.isprintable()


def address(most: int) -> Check:
    """At most so many printable ASCII characters."""
    is_text = text(most)
    return lambda value: is_text(value) and cast("str", value).isascii()


def _array(value: object) -> tuple[object, ...] | None:
    return cast("tuple[object, ...]", value) if type(value) is tuple else None


def many(check: Check, most: int, least: int = 0) -> Check:
    """An array of like values."""
    return lambda value: (array := _array(value)) is not None and least <= len(array) <= most and all(map(check, array))


def fields(*checks: Check) -> Check:
    """An array of fixed length."""
    return lambda value: (
        (array := _array(value)) is not None
        and len(array) == len(checks)
        and all(check(item) for check, item in zip(checks, array, strict=True))
    )


HASH = blob(32)
SIGNATURE = blob(64)
_NAME = text(limits.NAME_MOST)
_ENDPOINTS = many(address(limits.ENDPOINT_MOST), limits.ENDPOINTS_MOST)
_OPTIONS = many(fields(text(32), text(32)), 16)
CLOCK = many(fields(text(32), natural()), 8)
MEMBER = fields(HASH, _NAME, HASH, HASH, HASH, SIGNATURE, HASH, SIGNATURE)
_PLACES = limits.MEMBERS_MOST
_MASK = natural(2**_PLACES - 1)
_CHANGE = fields(_MASK, many(octets(limits.RESUME_MOST), _PLACES), natural(), natural(1))


class Shape(NamedTuple):
    """How a kind of message looks."""

    payload: type[Payload]
    proof: Proof
    most: int  # bytes of the whole frame
    check: Check


SHAPES: dict[Kind, Shape] = {
    Kind.KNOCK: Shape(Knock, Proof.CONNECTION, limits.SMALL_MOST, fields(HASH)),
    Kind.HELLO: Shape(Hello, Proof.IDENTITY, limits.ACT_MOST, fields(HASH, HASH, octets(32), MEMBER, _ENDPOINTS)),
    Kind.LOBBY: Shape(
        Lobby,
        Proof.CONNECTION,
        limits.ACT_MOST,
        fields(natural(_PLACES), text(64), _OPTIONS, CLOCK, many(fields(HASH, _NAME, HASH, natural(1)), _PLACES)),
    ),
    Kind.READY: Shape(Ready, Proof.CONNECTION, limits.SMALL_MOST, fields(natural(1))),
    Kind.PROPOSAL: Shape(
        Proposal,
        Proof.CONNECTION,
        limits.FRAME_MOST,
        fields(natural(64), natural(64), octets(limits.PIECE_MOST), many(_ENDPOINTS, _PLACES)),
    ),
    Kind.SEAL: Shape(Seal, Proof.ITSELF, limits.SMALL_MOST, fields(SIGNATURE)),
    Kind.LEAVE: Shape(Leave, Proof.CONNECTION, limits.ACT_MOST, fields(text(limits.REASON_MOST))),
    Kind.SAY: Shape(Say, Proof.CONNECTION, 2 * limits.SMALL_MOST, fields(HASH, text(limits.SAYING_MOST))),
    Kind.OFFER: Shape(Offer, Proof.CONNECTION, limits.ACT_MOST, fields(text(limits.INVITE_MOST))),
    Kind.ACT: Shape(
        Act,
        Proof.SESSION,
        limits.ACT_MOST,
        fields(HASH, many(natural(), limits.CHOICES_MOST, least=1), HASH),
    ),
    Kind.ACK: Shape(Ack, Proof.SESSION, limits.SMALL_MOST, fields(HASH)),
    Kind.COMMIT: Shape(Commit, Proof.SESSION, limits.SMALL_MOST, fields(HASH, HASH)),
    Kind.OPEN: Shape(Open, Proof.SESSION, limits.SMALL_MOST, fields(HASH, HASH, natural())),
    Kind.LINK: Shape(Link, Proof.ITSELF, limits.SMALL_MOST, fields(natural(limits.CHAIN_LENGTH), HASH)),
    Kind.STATUS: Shape(
        Status,
        Proof.CONNECTION,
        2 * limits.ACT_MOST,
        fields(
            many(fields(natural(), natural(255), natural(255)), 96), natural(255), many(_ENDPOINTS, limits.MEMBERS_MOST)
        ),
    ),
    Kind.SYNC: Shape(Sync, Proof.ITSELF, limits.FRAME_MOST, fields(many(octets(limits.FRAME_MOST), 512, least=1))),
    Kind.CLAIM: Shape(Claim, Proof.SESSION, limits.CHANGE_MOST, fields(many(_CHANGE, 1))),
    Kind.VOTE: Shape(
        Vote,
        Proof.SESSION,
        limits.FRAME_MOST,
        fields(natural(), _CHANGE, natural(), natural(), many(octets(limits.FRAME_MOST), 2 * limits.LEAD)),
    ),
    Kind.EPOCH: Shape(
        EpochBody, Proof.SESSION, limits.CHANGE_MOST, fields(HASH, natural(), _CHANGE, natural(limits.CHAIN_LENGTH))
    ),
    Kind.RESUME: Shape(Resume, Proof.SESSION, limits.RESUME_MOST, fields(HASH, HASH, HASH, SIGNATURE, _ENDPOINTS)),
    Kind.EVIDENCE: Shape(
        Conviction,
        Proof.ITSELF,
        limits.FRAME_MOST,
        fields(many(octets(limits.FRAME_MOST), limits.MEMBERS_MOST + 1, least=1)),
    ),
}

BODIES = (Kind.ACT, Kind.COMMIT, Kind.OPEN)
"""The kinds that the steps of a game are made of."""

CHANGES = (Kind.CLAIM, Kind.VOTE, Kind.EPOCH, Kind.RESUME)
"""The kinds by which it is agreed who plays."""

NO_CHANGE = Change(0, (), 0, 0)

ANYWHERE: Place = 255
"""Stands as the place of frames sent before there are places."""
