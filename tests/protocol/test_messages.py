"""Messages: the checks that shapes are made of, each with what it lets through and what it does not."""

import pytest

from sunward_protocol import limits
from sunward_protocol.encoding import LENGTH_MOST
from sunward_protocol.messages import (
    ANYWHERE,
    BODIES,
    CHANGES,
    SHAPES,
    Check,
    Kind,
    Proof,
    blob,
    fields,
    many,
    natural,
    octets,
    text,
)

CHECKS: list[tuple[Check, list[object], list[object]]] = [
    (blob(2), [b"ab"], [b"a", b"abc", "ab", 2, bytearray(b"ab")]),
    (octets(2), [b"", b"ab"], [b"abc", "ab", None]),
    (natural(5), [0, 5], [-1, 6, "5", True, 5.0, None]),
    (natural(), [2**63 - 1], [2**63]),
    (text(3), ["", "abc", "終わり"], ["abcd", b"abc", "a\n", "\x1b", "\u202e", "\u200b", "\x00", "\x7f", None]),
    (many(natural(5), 2), [(), (1, 2)], [(1, 2, 3), (6,), [1, 2], b"\1\2", 1]),
    (many(natural(5), 2, least=1), [(1,)], [()]),
    (fields(natural(5), text(1)), [(1, "a")], [(1,), (1, "a", 2), ("a", 1), [1, "a"], None]),
]


@pytest.mark.parametrize(("check", "right", "wrong"), CHECKS)
def test_a_check_lets_through_what_it_says_and_nothing_else(
    check: Check, right: list[object], wrong: list[object]
) -> None:
    assert all(map(check, right))
    assert not any(map(check, wrong))


def test_what_steps_are_made_of_is_signed_by_sessions_and_starts_from_a_state() -> None:
    assert {kind for kind in Kind if SHAPES[kind].proof is Proof.SESSION} == {*BODIES, Kind.ACK, *CHANGES}
    assert all(SHAPES[kind].payload._fields[0] == "state" for kind in (*BODIES, Kind.ACK, Kind.EPOCH))


def test_numbers_on_the_wire_are_what_they_were() -> None:
    assert {kind.name: kind.value for kind in Kind} == {
        "KNOCK": 1,
        "HELLO": 2,
        "LOBBY": 3,
        "READY": 4,
        "PROPOSAL": 5,
        "SEAL": 6,
        "LEAVE": 7,
        "SAY": 8,
        "OFFER": 9,
        "ACT": 16,
        "ACK": 17,
        "COMMIT": 18,
        "OPEN": 19,
        "LINK": 20,
        "STATUS": 21,
        "SYNC": 22,
        "CLAIM": 23,
        "VOTE": 24,
        "EPOCH": 25,
        "RESUME": 26,
        "EVIDENCE": 27,
    }


def test_the_sizes_fit_into_one_another() -> None:
    assert ANYWHERE > limits.MEMBERS_MOST
    assert limits.CHOICES_MOST <= LENGTH_MOST
    assert limits.GENESIS_MOST <= 64 * limits.PIECE_MOST
    assert (
        limits.PIECE_MOST + limits.MEMBERS_MOST * limits.ENDPOINTS_MOST * (limits.ENDPOINT_MOST + 2) < limits.FRAME_MOST
    )
    largest_entry = (2 * limits.MEMBERS_MOST) * limits.ACT_MOST + limits.MEMBERS_MOST * 34
    assert max(limits.SYNC_FILL, largest_entry) + 1024 < limits.FRAME_MOST, "a SYNC holds one entry at least"
