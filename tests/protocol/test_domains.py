"""Domains: every purpose has its own hash, and fields cannot flow into one another."""

from hashlib import blake2b
from itertools import combinations

import pytest

from sunward_protocol.domains import Domain, Purpose, digest, numbers
from support.vectors import golden


@pytest.mark.parametrize("domain", Domain)
def test_every_domain_is_the_hash_that_it_was(domain: Domain) -> None:
    assert digest(domain, b"one", b"") == golden("domains.json")[domain.name]


def test_a_digest_is_blake2b_over_fields_behind_their_lengths() -> None:
    plain = blake2b(b"\0\0\0\3one\0\0\0\0", digest_size=32, person=b"sunward head").digest()
    assert digest(Domain.HEAD, b"one", b"") == plain


def test_fields_do_not_flow_into_one_another() -> None:
    ways = [(b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"abc", b""), (b"", b"abc"), ()]
    assert len({digest(Domain.BODY, *fields) for fields in ways}) == len(ways)


def test_purposes_are_told_apart_by_what_a_message_begins_with() -> None:
    assert all(
        not one.value.startswith(other.value) and not other.value.startswith(one.value)
        for one, other in combinations(Purpose, 2)
    )


def test_numbers_are_eight_bytes_each() -> None:
    assert numbers(1, 2**63 - 1) == bytes(7) + b"\1\x7f" + b"\xff" * 7
    with pytest.raises(OverflowError):
        numbers(-1)
