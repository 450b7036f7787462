"""Ed25519: what the RFC says holds, and what libraries judge differently is refused."""

import pytest

from sunward_protocol.domains import Purpose
from sunward_protocol.identity import (
    UNSIGNED,
    Ed25519Signatures,
    Ed25519Signer,
    is_sound_point,
    verify,
)
from support.vectors import rows
from support.world import seed

SIGNATURES = Ed25519Signatures()
ORDER = 2**252 + 27742317777372353535851937790883648493


@pytest.mark.parametrize("row", rows("ed25519.json", "rfc8032_section_7_1"))
def test_the_vectors_of_the_rfc_hold(row: dict[str, str]) -> None:
    public, message, signature = (bytes.fromhex(row[name]) for name in ("public", "message", "signature"))
    assert Ed25519Signer(bytes.fromhex(row["secret"])).public == public
    assert verify(public, signature, message)
    assert not verify(public, signature, message + b"\0")


@pytest.mark.parametrize("row", rows("ed25519.json", "taming_the_many_eddsas_table_6c"), ids=lambda row: row["why"])
def test_the_edge_vectors_are_judged_as_we_say(row: dict[str, str]) -> None:
    public, message, signature = (bytes.fromhex(row[name]) for name in ("public", "message", "signature"))
    assert verify(public, signature, message) == (row["holds"] == "yes")


@pytest.mark.parametrize("encoded", rows("ed25519.json", "taming_the_many_eddsas_table_6b"))
def test_points_of_small_order_are_refused_as_keys_and_in_signatures(encoded: str) -> None:
    point = bytes.fromhex(encoded)
    assert not is_sound_point(point)
    assert not verify(point, point + bytes(32), b"")
    assert not verify(Ed25519Signer(seed("key")).public, point + bytes(32), b"")


@pytest.mark.parametrize("above", range(19))
def test_coordinates_beyond_the_field_are_refused(above: int) -> None:
    for sign in (0, 2**255):
        assert not is_sound_point((2**255 - 19 + above + sign).to_bytes(32, "little"))
    assert is_sound_point((2**255 - 21).to_bytes(32, "little"))


def test_a_signature_whose_s_is_not_reduced_is_refused() -> None:
    signer = Ed25519Signer(seed("key"))
    signature = signer.sign(Purpose.FRAME, b"message")
    s = int.from_bytes(signature[32:], "little")
    assert verify(signer.public, signature, Purpose.FRAME + b"message")
    assert not verify(signer.public, signature[:32] + (s + ORDER).to_bytes(32, "little"), Purpose.FRAME + b"message")


def test_a_signature_serves_one_purpose_only() -> None:
    signer = Ed25519Signer(seed("key"))
    for purpose in Purpose:
        signature = signer.sign(purpose, b"message")
        assert [other for other in Purpose if SIGNATURES.hold(signer.public, other, signature, b"message")] == [purpose]


@pytest.mark.parametrize("size", [0, 1, 32, 63, 65, 128])
def test_signatures_and_keys_of_other_sizes_hold_nothing(size: int) -> None:
    signer = Ed25519Signer(seed("key"))
    signature = signer.sign(Purpose.FRAME, b"")
    assert not SIGNATURES.hold(signer.public, Purpose.FRAME, (signature * 2)[:size], b"")
    assert size == 32 or not SIGNATURES.hold((signer.public * 4)[:size], Purpose.FRAME, signature, b"")


def test_any_changed_bit_breaks_a_signature() -> None:
    signer = Ed25519Signer(seed("key"))
    signature = signer.sign(Purpose.FRAME, b"message")
    for bit in range(0, 512, 7):
        changed = (int.from_bytes(signature, "big") ^ 1 << bit).to_bytes(64, "big")
        assert not SIGNATURES.hold(signer.public, Purpose.FRAME, changed, b"message")


def test_no_signature_is_none() -> None:
    assert not SIGNATURES.hold(Ed25519Signer(seed("key")).public, Purpose.FRAME, UNSIGNED, b"")
