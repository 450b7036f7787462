"""Frames: golden bytes of every kind, and a refusal for every single thing that can be wrong with one."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol import limits
from sunward_protocol.domains import Domain, digest
from sunward_protocol.encoding import Value, decode, encode
from sunward_protocol.envelope import Frame, Slot, is_signed, open_frame, seal
from sunward_protocol.errors import Malformed, OtherVersion
from sunward_protocol.genesis import delegate
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer
from sunward_protocol.messages import (
    NO_CHANGE,
    SHAPES,
    Ack,
    Act,
    Change,
    Claim,
    Commit,
    Conviction,
    EpochBody,
    Hello,
    Kind,
    Knock,
    Leave,
    Link,
    Lobby,
    Offer,
    Open,
    Payload,
    Proof,
    Proposal,
    Ready,
    Resume,
    Say,
    Seal,
    Status,
    Sync,
    Vote,
)
from support.vectors import golden
from support.world import seed

SIGNER = Ed25519Signer(seed("signer"))
SIGNED = [kind for kind in Kind if SHAPES[kind].proof in (Proof.SESSION, Proof.IDENTITY)]
MEMBER = delegate(SIGNER, seed("table"), "Ann", seed("session"), seed("curve"), seed("tip"), 64)
PAYLOADS: dict[Kind, Payload] = {
    Kind.KNOCK: Knock(seed(1)),
    Kind.HELLO: Hello(seed(1), seed(2), b"token", MEMBER, ("tcp://127.0.0.1:1",)),
    Kind.LOBBY: Lobby(
        3, "pebbles", (("chance", "no"),), (("bank", 60),), ((seed(1), "Ann", seed(1), 1), (seed(2), "Bo", seed(1), 0))
    ),
    Kind.READY: Ready(1),
    Kind.PROPOSAL: Proposal(0, 2, b"piece", (("tcp://127.0.0.1:1",), ())),
    Kind.SEAL: Seal(bytes(64)),
    Kind.LEAVE: Leave("Good night."),
    Kind.SAY: Say(seed(1), "Well played."),
    Kind.OFFER: Offer("sunward1-another"),
    Kind.ACT: Act(seed(1), (1, 2**63 - 1), seed(2)),
    Kind.ACK: Ack(seed(1)),
    Kind.COMMIT: Commit(seed(1), seed(2)),
    Kind.OPEN: Open(seed(1), seed(2), 9),
    Kind.LINK: Link(7, seed(1)),
    Kind.STATUS: Status(((3, 16, 5), (3, 17, 1)), 6, (("tcp://127.0.0.1:1",), ())),
    Kind.SYNC: Sync((b"entry", b"other")),
    Kind.CLAIM: Claim((Change(4, (b"resume",), 3, 1),)),
    Kind.VOTE: Vote(1, NO_CHANGE, 9, 5, (b"entry", b"other")),
    Kind.EPOCH: EpochBody(seed(1), 1, Change(4, (b"resume",), 3, 1), 6),
    Kind.RESUME: Resume(seed(1), seed(2), seed(3), bytes(64), ("tcp://127.0.0.1:1",)),
    Kind.EVIDENCE: Conviction((b"one", b"other")),
}


def frame_of(kind: Kind) -> Frame:
    return seal(kind, PAYLOADS[kind], seed("match"), SIGNER, epoch=1, step=3, place=2, head=seed("head"))


@pytest.mark.parametrize("kind", Kind)
def test_a_frame_of_every_kind_has_the_bytes_that_it_had(kind: Kind) -> None:
    raw = golden("frames.json")[kind.name]
    assert frame_of(kind).raw == raw
    assert open_frame(raw) == frame_of(kind)


@pytest.mark.parametrize("kind", Kind)
def test_a_frame_comes_back_as_it_was_sealed(kind: Kind) -> None:
    frame = open_frame(frame_of(kind).raw)
    step = 0 if kind in (Kind.VOTE, Kind.EPOCH) else 3  # of these a place signs one in an epoch
    assert frame.payload == PAYLOADS[kind]
    assert type(frame.payload) is type(PAYLOADS[kind])
    assert (frame.match, frame.head, frame.slot) == (seed("match"), seed("head"), Slot(1, step, kind, 2))
    assert frame.raw == frame.signature + frame.body
    assert frame.digest == digest(Domain.BODY, frame.body)


@pytest.mark.parametrize("kind", Kind)
def test_a_frame_is_signed_where_its_kind_asks_for_it_and_nowhere_else(kind: Kind) -> None:
    frame = frame_of(kind)
    if kind in SIGNED:
        assert is_signed(frame, SIGNER.public, Ed25519Signatures())
        assert not is_signed(frame, Ed25519Signer(seed("other")).public, Ed25519Signatures())
        with pytest.raises(AssertionError, match="signed by"):
            seal(kind, PAYLOADS[kind], seed("match"))
    else:
        assert frame.signature == bytes(64)
        with pytest.raises(Malformed, match="carries no signature"):
            open_frame(b"\1" + frame.raw[1:])


def test_the_address_is_signed_with_the_payload() -> None:
    frame = frame_of(Kind.ACK)
    for at in range(len(frame.body)):
        body = frame.body[:at] + bytes([frame.body[at] ^ 1]) + frame.body[at + 1 :]
        changed = frame._replace(raw=frame.signature + body)
        assert not is_signed(changed, SIGNER.public, Ed25519Signatures())


def changed(kind: Kind, place: int, value: Value) -> bytes:
    """Return a frame with one of its eight fields changed, its signature whatever it was."""
    frame = frame_of(kind)
    fields = decode(frame.body)
    assert isinstance(fields, tuple)
    return frame.signature + encode((*fields[:place], value, *fields[place + 1 :]))


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (1, 15, "no message of kind 15"),
        (1, -1, "no message of kind -1"),
        (1, "ACK", "no message of kind"),
        (1, (17,), "no message of kind"),
        (2, seed("match")[:31], "other types or sizes"),
        (2, "m" * 32, "other types or sizes"),
        (3, -1, "other types or sizes"),
        (3, 2**63, "other types or sizes"),
        (4, -1, "other types or sizes"),
        (4, b"", "other types or sizes"),
        (5, 256, "other types or sizes"),
        (5, -1, "other types or sizes"),
        (6, bytes(33), "other types or sizes"),
        (7, seed(1), "other types or sizes"),
        (7, (), "other types or sizes"),
        (7, (seed(1), seed(1)), "other types or sizes"),
    ],
)
def test_every_wrong_field_of_the_head_is_refused(place: int, value: Value, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        open_frame(changed(Kind.ACK, place, value))


@pytest.mark.parametrize("version", [0, 1, 3, 2**40, "1", b"1", ()])
def test_another_version_is_named_and_is_no_forgery(version: Value) -> None:
    with pytest.raises(OtherVersion, match="this node needs 2"):
        open_frame(changed(Kind.ACK, 0, version))


WRONG: list[tuple[Kind, str, Value]] = [
    (Kind.KNOCK, "nonce", bytes(31)),
    (Kind.HELLO, "token", bytes(33)),
    (Kind.HELLO, "endpoints", ("a",) * 9),
    (Kind.HELLO, "endpoints", ("a" * 129,)),
    (Kind.HELLO, "endpoints", (b"a",)),
    (Kind.HELLO, "member", MEMBER[:-1]),
    (Kind.HELLO, "member", MEMBER._replace(name="n" * 33)),
    (Kind.HELLO, "member", MEMBER._replace(name="\x1b[2J")),
    (Kind.HELLO, "member", MEMBER._replace(name="\u202e")),
    (Kind.HELLO, "member", MEMBER._replace(delegation=bytes(63))),
    (Kind.LOBBY, "seats", 7),
    (Kind.LOBBY, "members", ((seed(1), "Ann", seed(1), 1),) * 7),
    (Kind.LOBBY, "members", ((seed(1), "Ann", seed(1), 2),)),
    (Kind.READY, "ready", 2),
    (Kind.PROPOSAL, "total", 65),
    (Kind.PROPOSAL, "piece", bytes(limits.PIECE_MOST + 1)),
    (Kind.PROPOSAL, "endpoints", ((),) * 7),
    (Kind.SEAL, "signature", bytes(65)),
    (Kind.LEAVE, "reason", "r" * 201),
    (Kind.LEAVE, "reason", "a\nb"),
    (Kind.ACT, "choices", ()),
    (Kind.ACT, "choices", (1,) * 257),
    (Kind.ACT, "choices", (-1,)),
    (Kind.ACT, "choices", (2**63,)),
    (Kind.ACT, "outcome", b""),
    (Kind.ACK, "state", bytes(31)),
    (Kind.COMMIT, "commitment", bytes(31)),
    (Kind.OPEN, "nonce", bytes(31)),
    (Kind.OPEN, "choice", -1),
    (Kind.LINK, "attempt", limits.CHAIN_LENGTH + 1),
    (Kind.LINK, "link", bytes(31)),
    (Kind.STATUS, "holds", ((1, 2, 3),) * 97),
    (Kind.STATUS, "holds", ((1, 256, 3),)),
    (Kind.STATUS, "linked", 256),
    (Kind.STATUS, "listening", ((),) * 7),
    (Kind.STATUS, "listening", (("a" * 129,),)),
    (Kind.SAY, "text", "t" * 201),
    (Kind.SAY, "text", "\x1b[2J"),
    (Kind.SAY, "speaker", b"Ann"),
    (Kind.OFFER, "invite", "i" * 1025),
    (Kind.SYNC, "entries", ()),
    (Kind.SYNC, "entries", ("entry",)),
]


@pytest.mark.parametrize(("kind", "field", "value"), WRONG)
def test_every_wrong_field_of_a_payload_is_refused(kind: Kind, field: str, value: Value) -> None:
    payload = PAYLOADS[kind]
    at = payload._fields.index(field)
    assert open_frame(changed(kind, 7, (*payload[:at], payload[at], *payload[at + 1 :]))), "this is how it is right"
    with pytest.raises(Malformed, match=f"fields of a {kind.name} frame"):
        open_frame(changed(kind, 7, (*payload[:at], value, *payload[at + 1 :])))


@pytest.mark.parametrize("kind", Kind)
def test_a_frame_over_the_cap_of_its_kind_is_refused(kind: Kind) -> None:
    most = SHAPES[kind].most
    with pytest.raises(Malformed, match=f"has at most {most} bytes"):
        open_frame(changed(kind, 7, bytes(most)))


def test_every_kind_has_a_shape_and_no_frame_is_larger_than_the_largest() -> None:
    assert set(SHAPES) == set(Kind)
    assert max(shape.most for shape in SHAPES.values()) == limits.FRAME_MOST


def test_the_longest_act_fits_its_cap_and_the_evidence_of_a_whole_step_fits_a_frame() -> None:
    act = Act(seed(1), (2**63 - 1,) * limits.CHOICES_MOST, seed(2))
    frame = seal(Kind.ACT, act, seed("match"), SIGNER, epoch=2**63 - 1, step=2**63 - 1, place=255)
    assert open_frame(frame.raw).payload == act
    assert limits.ACT_MOST * (limits.MEMBERS_MOST + 1) < limits.FRAME_MOST


@pytest.mark.parametrize("raw", [b"", bytes(63), bytes(64), bytes(65), bytes(64) + b"\x90", bytes(64) + b"\x01"])
def test_what_is_too_short_or_no_array_is_refused(raw: bytes) -> None:
    with pytest.raises(Malformed):
        open_frame(raw)


def test_what_follows_a_frame_is_refused() -> None:
    with pytest.raises(Malformed):
        open_frame(frame_of(Kind.ACK).raw + b"\0")


RAW: Sequence[bytes] = [frame_of(kind).raw for kind in Kind]


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_mutated_and_random_bytes_are_refused_or_a_frame_and_nothing_else(data: st.DataObject) -> None:
    raw = bytearray(data.draw(st.sampled_from(RAW) | st.binary(max_size=200)))
    for _ in range(data.draw(st.integers(0, 3))):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        frame = open_frame(bytes(raw))
    except (Malformed, OtherVersion):
        return
    assert frame.raw == bytes(raw)
