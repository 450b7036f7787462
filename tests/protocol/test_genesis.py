"""The genesis: what all sign is one sequence of bytes, and nobody stands in it who did not agree to."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol.domains import Domain, Purpose, digest
from sunward_protocol.encoding import Value, decode, encode
from sunward_protocol.errors import BadComponents, Forged, LocalError, Malformed, OtherVersion
from sunward_protocol.genesis import Genesis, check_members, check_seals, delegate, parse
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer
from sunward_protocol.messages import Member
from support.pebbles import find_pebbles
from support.vectors import golden
from support.world import seed

SIGNATURES = Ed25519Signatures()
IDENTITIES = [Ed25519Signer(seed("identity", place)) for place in range(4)]


def person(place: int) -> Member:
    identity = IDENTITIES[place]
    return delegate(
        identity, seed("table"), f"member {place}", seed("session", place), seed("curve", place), seed("tip", place), 64
    )


def bot(place: int, owner: int) -> Member:
    member = person(place)
    ownership = IDENTITIES[owner].sign(Purpose.OWNERSHIP, member.identity)
    return member._replace(owner=IDENTITIES[owner].public, ownership=ownership)


GENESIS = Genesis(
    seed("table"), "pebbles", 1, (("chance", "no"),), b"24", (), 64, (), (person(0), person(1), bot(2, owner=0))
)


def seals(genesis: Genesis) -> tuple[bytes, ...]:
    return tuple(IDENTITIES[place].sign(Purpose.SEAL, genesis.body) for place in range(len(genesis.members)))


def test_the_body_is_the_one_it_was() -> None:
    assert GENESIS.body == golden("genesis.json")["body"]
    assert GENESIS.match == digest(Domain.GENESIS, GENESIS.body) == golden("genesis.json")["match"]


def test_a_body_reads_back() -> None:
    assert parse(GENESIS.body) == GENESIS
    check_members(GENESIS, SIGNATURES)
    check_seals(GENESIS, seals(GENESIS), SIGNATURES)
    assert GENESIS.ruleset(find_pebbles).components == b"24"


def changed(place: int, value: Value) -> bytes:
    fields = decode(GENESIS.body)
    assert isinstance(fields, tuple)
    return encode((*fields[:place], value, *fields[place + 1 :]))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (1, bytes(31)),
        (2, "g" * 65),
        (2, b"pebbles"),
        (3, -1),
        (4, (("chance",),)),
        (4, (("chance", "no"),) * 17),
        (4, (("\x1b", "no"),)),
        (5, "24"),
        (6, (("turn", -1),)),
        (7, 2**20 + 1),
        (8, (0, 1)),
        (8, (0, 1, 1)),
        (8, (0, 1, 3)),
        (9, ()),
        (9, (person(0),)),
        (9, (person(0),) * 7),
        (9, (person(0)[:-1], person(1))),
    ],
)
def test_every_wrong_field_is_refused(place: int, value: Value) -> None:
    with pytest.raises(Malformed):
        parse(changed(place, value))


def test_another_version_is_named() -> None:
    with pytest.raises(OtherVersion, match="needs version 3 of the protocol; here is 2"):
        parse(changed(0, 3))
    with pytest.raises(OtherVersion, match="needs version 2 of the rules of Pebbles; here is version 1"):
        replace(GENESIS, rules_version=2).ruleset(find_pebbles)


def test_another_encoding_of_the_same_is_refused() -> None:
    longer = GENESIS.body.replace(b"\xa7pebbles", b"\xd9\x07pebbles")  # its length in two bytes for one
    assert decode(longer) == decode(GENESIS.body)
    with pytest.raises(Malformed, match="canonical"):
        parse(longer)


def test_components_that_the_game_refuses_are_a_clear_error() -> None:
    with pytest.raises(BadComponents, match="the match's components"):
        replace(GENESIS, components=b"none").ruleset(find_pebbles)
    with pytest.raises(LocalError):
        GENESIS.ruleset(find_pebbles).start(7, {})


FORGERIES: dict[str, tuple[Callable[[tuple[Member, ...]], tuple[Member, ...]], str]] = {
    "another session key": (lambda m: (m[0]._replace(session=seed("x")), *m[1:]), "did not sign for the keys"),
    "another curve key": (lambda m: (m[0]._replace(curve=seed("x")), *m[1:]), "did not sign for the keys"),
    "another tip": (lambda m: (m[0]._replace(tip=seed("x")), *m[1:]), "did not sign for the keys"),
    "another identity": (lambda m: (m[0]._replace(identity=m[1].identity), *m[1:]), "did not sign for the keys"),
    "a key of small order": (lambda m: (m[0]._replace(identity=bytes(32), owner=bytes(32)), *m[1:]), "did not sign"),
    "no owner's signature": (lambda m: (*m[:2], m[2]._replace(ownership=bytes(64))), "an owner who did not sign"),
    "another owner": (lambda m: (*m[:2], m[2]._replace(owner=m[1].identity)), "an owner who did not sign"),
    "a person's ownership": (lambda m: (m[0]._replace(ownership=m[2].ownership), *m[1:]), "needs no owner"),
    "one identity twice": (lambda m: (*m, person(0)), "show the same identity"),
    "one session key twice": (
        lambda m: (*m, delegate(IDENTITIES[3], seed("table"), "d", m[0].session, seed("c"), seed("t"), 64)),
        "show the same session",
    ),
    "one curve key twice": (
        lambda m: (*m, delegate(IDENTITIES[3], seed("table"), "d", seed("s"), m[0].curve, seed("t"), 64)),
        "show the same curve",
    ),
    "one tip twice": (
        lambda m: (*m, delegate(IDENTITIES[3], seed("table"), "d", seed("s"), seed("c"), m[0].tip, 64)),
        "show the same tip",
    ),
    "another table's member": (
        lambda m: (*m, delegate(IDENTITIES[3], seed("other"), "d", seed("s"), seed("c"), seed("t"), 64)),
        "did not sign for the keys",
    ),
    "another chain length": (
        lambda m: (*m, delegate(IDENTITIES[3], seed("table"), "d", seed("s"), seed("c"), seed("t"), 65)),
        "did not sign for the keys",
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_every_forged_member_is_refused(forgery: str) -> None:
    change, reason = FORGERIES[forgery]
    with pytest.raises(Forged, match=reason):
        check_members(replace(GENESIS, members=change(GENESIS.members)), SIGNATURES)


def test_seals_must_be_all_there_in_order_and_for_this_body() -> None:
    good = seals(GENESIS)
    for wrong in (good[:2], (*good, good[0]), (good[1], good[0], good[2]), seals(replace(GENESIS, options=()))):
        with pytest.raises(Forged):
            check_seals(GENESIS, wrong, SIGNATURES)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 255), st.integers(0, 3))
def test_a_mutated_body_is_refused_or_another_match(at: int, bits: int, cut: int) -> None:
    body = bytearray(GENESIS.body)
    body[at % len(body)] ^= bits
    mutated = bytes(body[: len(body) - cut])
    with suppress(Malformed, OtherVersion):
        assert parse(mutated).match != GENESIS.match
