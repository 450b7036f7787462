"""The log: a match as a sequence of entries, each one step with what proves that it was locked.

Must never accept an entry that does not follow from the ones before it; signatures are returned, not checked.
"""

from collections.abc import Iterable
from typing import NamedTuple, cast

from sunward_protocol import limits
from sunward_protocol.domains import Purpose
from sunward_protocol.encoding import decode, encode
from sunward_protocol.envelope import Frame, open_frame, signed_by
from sunward_protocol.errors import Forged, Malformed
from sunward_protocol.genesis import delegated
from sunward_protocol.identity import Signed
from sunward_protocol.ids import Digest, Epoch, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.messages import BODIES, HASH, EpochBody, Kind, Resume, fields, many, natural, octets

_SHAPE = fields(
    natural(),
    natural(),
    many(octets(limits.CHANGE_MOST), limits.MEMBERS_MOST),
    many(octets(limits.SMALL_MOST), limits.MEMBERS_MOST),
    many(HASH, limits.MEMBERS_MOST),
)


class Entry(NamedTuple):
    """One locked step: its bodies in order of place, the ACKs that came for it, the links of its draw by place.

    A step that nothing may follow before its lock (it draws, commits, sets up, closes or begins an epoch) has the ACK
    of every live place but one whose body already signs for the outcome; unless the next step begins an epoch, which
    locks it, and makes its draw anew if links were missing. Another step needs no ACK: what a place signs later covers
    it.
    """

    epoch: Epoch
    step: Step
    bodies: tuple[bytes, ...]
    acks: tuple[bytes, ...]
    links: tuple[Digest, ...]

    def encode(self) -> bytes:
        return encode(self)


def parse_entry(raw: bytes) -> Entry:
    """Return the entry in `raw`, its shape checked; raise `Malformed`."""
    value = decode(raw)
    if not _SHAPE(value):
        raise Malformed("A log entry has other fields, types or sizes than the protocol says.")
    return Entry(*cast("tuple[int, int, tuple[bytes, ...], tuple[bytes, ...], tuple[bytes, ...]]", value))


def standing(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that stand: one that was written again replaces the first of its step and all after that."""
    stand = list[Entry]()
    for entry in entries:
        while stand and stand[-1].step >= entry.step:
            stand.pop()
        stand.append(entry)
    return stand


def is_ack(frame: Frame, step: Step) -> bool:
    """Whether a frame may sign for the outcome of a step: its ACK, or a body of the step after it."""
    return (frame.kind is Kind.ACK and frame.step == step) or (frame.kind in BODIES and frame.step == step + 1)


class Extension(NamedTuple):
    """What an entry brought: its frames, and the signatures that must still be believed."""

    frames: list[Frame]
    signed: list[Signed]


def extend(ledger: Ledger, entry: Entry) -> Extension:
    """Move `ledger` on by one entry.

    Raises `Cheat` or `Disagreement` for what a place signed wrongly, `Forged` or `Malformed` for an entry that is none.
    """
    if entry.step != ledger.step:
        raise Forged(f"The log has an entry for step {entry.step} where step {ledger.step} is due.")
    bodies = [_open(raw, ledger, entry) for raw in entry.bodies]
    begins = bool(bodies) and bodies[0].kind is Kind.EPOCH
    if not begins and (entry.epoch != ledger.epoch or ledger.unlocked_gate):
        raise Forged(f"The step before {entry.step} was never locked, or belongs to another epoch.")
    signed = [signed_by(body, ledger.keys[body.place].session) for body in bodies]
    ledger.perform(bodies)
    if begins:
        signed += resumed(ledger, bodies[0])
    acks = [_open(raw, ledger, entry) for raw in entry.acks]
    for ack in acks:
        if (ack.kind, ack.step) != (Kind.ACK, entry.step) or not ledger.vouches(ack):
            raise Forged(f"An ACK in the entry for step {entry.step} is for another step, head or state.")
        ledger.signed[ack.place] = entry.step
    signed += [signed_by(ack, ledger.keys[ack.place].session) for ack in acks]
    if entry.links:
        if not ledger.drawing or len(entry.links) != len(ledger.linking) or ledger.locked < entry.step:
            raise Forged(f"The entry for step {entry.step} has links where nothing is drawn, or too few, or too early.")
        ledger.reveal(entry.links)
    return Extension(bodies + acks, signed)


def resumed(ledger: Ledger, body: Frame) -> list[Signed]:
    """Return the words by which the places come back that a body of a new epoch names."""
    assert isinstance(body.payload, EpochBody)
    signed = list[Signed]()
    for raw in body.payload.change.back:
        frame = open_frame(raw)
        assert isinstance(frame.payload, Resume)
        signed += [signed_by(frame, frame.payload.session), delegated(ledger.genesis, frame.place, frame.payload)]
    return signed


def _open(raw: bytes, ledger: Ledger, entry: Entry) -> Frame:
    frame = open_frame(raw)
    if frame.match != ledger.match or frame.epoch != entry.epoch or frame.place >= ledger.members:
        raise Forged(f"The entry for step {entry.step} holds a frame of another match, epoch or table.")
    return frame


def last_of_each(signed: list[Signed]) -> list[Signed]:
    """Return what each key signed last: since it signs for a head, it covers all that the key signed before it.

    What is no frame covers nothing else.
    """
    return list({each.public if each.purpose is Purpose.FRAME else each.message: each for each in signed}.values())
