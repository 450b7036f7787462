"""The log: a match as a sequence of entries, each one step with what proves that it was locked.

Must never accept an entry that does not follow from the ones before it; signatures are returned, not checked.
"""

from typing import NamedTuple, cast

from sunward_protocol import limits
from sunward_protocol.encoding import decode, encode
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.errors import Forged, Malformed
from sunward_protocol.ids import Digest, Epoch, Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.messages import BODIES, HASH, Kind, fields, many, natural, octets

_FRAMES = many(octets(limits.ACT_MOST), limits.MEMBERS_MOST)
_SHAPE = fields(natural(), natural(), _FRAMES, _FRAMES, many(HASH, limits.MEMBERS_MOST))


class Entry(NamedTuple):
    """One locked step: its bodies in order of place, the ACKs that came for it, the links of its draw by place.

    A step that nothing may follow before its lock (it draws, commits, sets up or closes) has the ACK of every place but
    one whose body already signs for the outcome. Another needs none: what a place signs later covers it.
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


def is_ack(frame: Frame, step: Step) -> bool:
    """Whether a frame may sign for the outcome of a step: its ACK, or a body of the step after it."""
    return (frame.kind is Kind.ACK and frame.step == step) or (frame.kind in BODIES and frame.step == step + 1)


def extend(ledger: Ledger, entry: Entry) -> list[Frame]:
    """Move `ledger` on by one entry and return the frames whose signatures the caller must still believe.

    Raises `Cheat` or `Disagreement` for what a place signed wrongly, `Forged` or `Malformed` for an entry that is none.
    """
    if ledger.closed or entry.epoch != ledger.epoch or entry.step != ledger.step:
        raise Forged(f"The log has an entry for step {entry.step} where step {ledger.step} is due.")
    bodies = [_open(raw, ledger, entry) for raw in entry.bodies]
    ledger.perform(bodies)
    acks = [_open(raw, ledger, entry) for raw in entry.acks]
    for ack in acks:
        if (ack.kind, ack.step) != (Kind.ACK, entry.step) or not ledger.vouches(ack):
            raise Forged(f"An ACK in the entry for step {entry.step} is for another step, head or state.")
        ledger.signed[ack.place] = entry.step
    if ledger.gated and ledger.locked < entry.step:
        owing = [place for place, step in enumerate(ledger.signed) if step < entry.step]
        raise Forged(f"The entry for step {entry.step} was never locked: ACKs of places {owing} are missing.")
    if ledger.drawing:
        if len(entry.links) != ledger.members:
            raise Forged(f"The entry for step {entry.step} lacks links of its draw.")
        ledger.reveal(entry.links)
    elif entry.links:
        raise Forged(f"The entry for step {entry.step} has links where nothing is drawn.")
    return bodies + acks


def _open(raw: bytes, ledger: Ledger, entry: Entry) -> Frame:
    frame = open_frame(raw)
    if frame.match != ledger.match or frame.epoch != entry.epoch or not 0 <= frame.place < ledger.members:
        raise Forged(f"The entry for step {entry.step} holds a frame of another match, epoch or table.")
    return frame


def last_of_each(frames: list[Frame]) -> dict[Place, Frame]:
    """Return each place's last frame: since it signs for a head, it covers all that the place signed before it."""
    return {frame.place: frame for frame in frames}
