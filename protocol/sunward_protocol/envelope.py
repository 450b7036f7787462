"""The frame around every message: a signature of 64 bytes, then a msgpack array with a fixed head.

Must never hash or verify anything but the bytes as they were received.
"""

from typing import NamedTuple

from sunward_protocol.domains import Domain, Purpose, digest
from sunward_protocol.encoding import Value, decode, encode
from sunward_protocol.errors import Malformed, OtherVersion
from sunward_protocol.identity import SIGNATURE_SIZE, UNSIGNED, Signatures, Signed, Signer
from sunward_protocol.ids import NOTHING, Digest, Epoch, Place, PublicKey, Step
from sunward_protocol.limits import PROTOCOL_VERSION
from sunward_protocol.messages import (
    ANYWHERE,
    HASH,
    SHAPES,
    Change,
    Claim,
    EpochBody,
    Hello,
    Kind,
    Member,
    Payload,
    Proof,
    Vote,
    fields,
    natural,
)

_PURPOSE = {Proof.SESSION: Purpose.FRAME, Proof.IDENTITY: Purpose.HELLO}
_FIELD_COUNT = 8
_ADDRESS = fields(HASH, natural(), natural(), natural(255), HASH)


class Slot(NamedTuple):
    """Where a place may sign one body only; two different ones are equivocation."""

    epoch: Epoch
    step: Step
    kind: Kind
    place: Place


class Frame(NamedTuple):
    """A message with its address; `raw` is the whole frame as it travels."""

    kind: Kind
    match: Digest
    epoch: Epoch
    step: Step
    place: Place
    head: Digest
    payload: Payload
    raw: bytes

    @property
    def slot(self) -> Slot:
        step = 0 if self.kind in (Kind.VOTE, Kind.EPOCH) else self.step  # one of each in a whole epoch
        return Slot(self.epoch, step, self.kind, self.place)

    @property
    def signature(self) -> bytes:
        return self.raw[:SIGNATURE_SIZE]

    @property
    def body(self) -> bytes:
        """The bytes that are signed and hashed."""
        return self.raw[SIGNATURE_SIZE:]

    @property
    def digest(self) -> Digest:
        """The identity of the message: the hash of its signed body."""
        return digest(Domain.BODY, self.raw[SIGNATURE_SIZE:])


def seal(
    kind: Kind,
    payload: Payload,
    match: Digest,
    signer: Signer | None = None,
    *,
    epoch: Epoch = 0,
    step: Step = 0,
    place: Place = ANYWHERE,
    head: Digest = NOTHING,
) -> Frame:
    """Return a frame of ours, signed where its kind asks for it."""
    value: Value = (PROTOCOL_VERSION, kind.value, match, epoch, step, place, head, payload)
    body = encode(value)
    proof = SHAPES[kind].proof
    signature = UNSIGNED
    if proof in _PURPOSE:
        assert signer is not None, f"{kind.name} is {proof.value}"
        signature = signer.sign(_PURPOSE[proof], body)
    return Frame(kind, match, epoch, step, place, head, payload, signature + body)


def open_frame(raw: bytes) -> Frame:
    """Return the frame in `raw`, its shape checked, its signature not yet.

    Raises `OtherVersion` for a frame of another protocol version, `Malformed` for everything else that is wrong.
    """
    value = decode(raw[SIGNATURE_SIZE:])
    if not isinstance(value, tuple) or len(value) != _FIELD_COUNT:
        raise Malformed("A frame is an array of eight fields behind a signature of 64 bytes.")
    version, number, match, epoch, step, place, head, payload = value
    if version != PROTOCOL_VERSION:
        raise OtherVersion(
            f"The peer speaks version {version!r:.20} of the protocol; this node needs {PROTOCOL_VERSION}."
        )
    try:
        kind = Kind(number)  # type: ignore[arg-type]  # whatever it is, Kind refuses what is no kind
    except ValueError as error:
        raise Malformed(f"There is no message of kind {number!r:.20}.") from error
    if encode(value) != raw[SIGNATURE_SIZE:]:  # else one could sign the same words twice, and nobody could tell
        raise Malformed(f"A {kind.name} frame is not written in the shortest way.")
    shape = SHAPES[kind]
    if len(raw) > shape.most or type(number) is not int:
        raise Malformed(f"A {kind.name} frame has at most {shape.most} bytes; this one has {len(raw)}.")
    if not _ADDRESS((match, epoch, step, place, head)) or not shape.check(payload):
        raise Malformed(f"The fields of a {kind.name} frame have other types or sizes than the protocol says.")
    if shape.proof not in _PURPOSE and raw[:SIGNATURE_SIZE] != UNSIGNED:
        raise Malformed(f"A {kind.name} frame carries no signature; its place holds zeros.")
    message = shape.payload(*payload)  # type: ignore[misc]  # the check compared every field
    if isinstance(message, Hello):
        message = message._replace(member=Member(*message.member))
    elif isinstance(message, Claim):
        message = Claim(tuple(Change(*change) for change in message.changes))
    elif isinstance(message, Vote | EpochBody):
        message = message._replace(change=Change(*message.change))
    return Frame(kind, match, epoch, step, place, head, message, raw)  # type: ignore[arg-type]  # checked


def is_signed(frame: Frame, public: PublicKey, signatures: Signatures) -> bool:
    """Whether `public` signed a frame whose kind asks for a signature."""
    return signatures.hold(*signed_by(frame, public))


def signed_by(frame: Frame, public: PublicKey) -> Signed:
    """Return the claim that `public` signed a frame; raise `Malformed` if its kind asks for no signature."""
    purpose = _PURPOSE.get(SHAPES[frame.kind].proof)
    if purpose is None:
        raise Malformed(f"A {frame.kind.name} frame stands where one that is signed belongs.")
    return Signed(public, purpose, frame.signature, frame.body)
