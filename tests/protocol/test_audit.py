"""The audit: a sound file is complete or unfinished, any other says what is wrong, and only a signature convicts."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol.audit import MatchFile, Report, audit
from sunward_protocol.errors import BadComponents, DamagedFile, OtherVersion
from sunward_protocol.genesis import Genesis
from sunward_protocol.identity import Ed25519Signatures, Signed
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.records import Opening, parse_record, write_entry, write_opening
from support.pebbles import find_pebbles
from support.vectors import golden
from support.world import World


@pytest.fixture(scope="module")
def world() -> World:
    world = World(3, random_seed=8, components=b"12", real=True)
    world.run()
    return world


def verdict(world: World, records: list[bytes], torn: bool = False) -> Report:
    return audit(MatchFile(records, find_pebbles), world.signatures, world.check_all, torn)


def test_a_match_file_of_version_1_verifies_for_ever() -> None:
    stored = golden("match.json")
    records = [raw for name, raw in stored.items() if name.startswith("record")]
    match = MatchFile(records, find_pebbles)
    signatures = Ed25519Signatures()
    report = audit(match, signatures, lambda claims: None if all(signatures.hold(*c) for c in claims) else 0)
    assert (report.verdict, report.reason) == ("complete", "Every step was recomputed.")
    assert (match.ledger.head, match.ledger.state) == (stored["head"], stored["state"])


def test_every_prefix_of_a_sound_file_is_sound(world: World) -> None:
    log = world.disks[0].log
    for length in range(1, len(log)):
        report = verdict(world, log[:length])
        assert (report.verdict, report.step, report.winners) == ("unfinished", length - 1, ())
    report = verdict(world, log)
    result = world.replica(0).steps.settled.position.result()
    assert result is not None
    assert (report.verdict, report.step, report.winners) == ("complete", len(log) - 2, result.winners)
    entries = [record for record in map(parse_record, log) if isinstance(record, Entry)]
    assert report.signatures == 6 + sum(len(entry.bodies) + len(entry.acks) for entry in entries)


def test_an_unfinished_match_says_for_whom_it_waits(world: World) -> None:
    begun = verdict(world, world.disks[0].log[:1])
    assert begun.reason == "The match is not over: the next word is due from everybody."
    match = MatchFile(world.disks[0].log[:2], find_pebbles)
    report = audit(match, world.signatures, world.check_all)
    place = match.ledger.due().places[0]
    assert report.reason == f"The match is not over: the next word is due from member {place}."
    assert report.seat == match.ledger.seat_of(place)


def test_a_torn_file_says_so_and_that_the_rest_is_sound(world: World) -> None:
    report = verdict(world, world.disks[0].log[:5], torn=True)
    assert report.verdict == "unfinished"
    assert "ends inside a record" in report.reason
    assert verdict(world, world.disks[0].log, torn=True).verdict == "complete"


def flip(raw: bytes, where: int) -> bytes:
    where %= len(raw)
    return raw[:where] + bytes([raw[where] ^ 1]) + raw[where + 1 :]


def test_a_forged_signature_anywhere_is_found(world: World) -> None:
    log = world.disks[0].log
    for step, raw in enumerate(world.replica(0).steps.entries):
        entry = parse_entry(raw)
        for index in range(len(entry.bodies) + len(entry.acks)):
            frames = [*entry.bodies, *entry.acks]
            frames[index] = flip(frames[index], 40)
            size = len(entry.bodies)
            forged = entry._replace(bodies=tuple(frames[:size]), acks=tuple(frames[size:]))
            report = verdict(world, [*log[: step + 1], write_entry(forged.encode()), *log[step + 2 :]])
            assert report.verdict == "damaged", (step, index)
            assert "does not hold" in report.reason


def test_records_that_are_missing_or_swapped_are_found_and_doubled_ones_count_once(world: World) -> None:
    log = world.disks[0].log
    for at in range(1, len(log) - 1):
        assert verdict(world, [*log[:at], *log[at + 1 :]]).verdict == "damaged"
        assert verdict(world, [*log[: at + 1], *log[at:]]).verdict == "complete"
        assert verdict(world, [*log[:at], log[at + 1], log[at], *log[at + 2 :]]).verdict in ("damaged", "unfinished")


@pytest.mark.parametrize("place", range(3))
def test_a_forged_seal_is_found(world: World, place: int) -> None:
    seals = [flip(seal, 40) if at == place else seal for at, seal in enumerate(world.seals)]
    report = verdict(world, [write_opening(world.genesis, seals), *world.disks[0].log[1:]])
    assert report.verdict == "damaged"
    assert f"'member {place}' did not seal" in report.reason


NO_FILES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "empty": lambda log: [],
    "no genesis": lambda log: log[1:],
    "garbage": lambda log: [b"garbage", *log],
    "garbage behind": lambda log: [*log, b"garbage"],
}


@pytest.mark.parametrize("what", NO_FILES)
def test_what_is_no_match_file_is_a_clear_error(world: World, what: str) -> None:
    with pytest.raises(DamagedFile):
        MatchFile(NO_FILES[what](list(world.disks[0].log)), find_pebbles)


def other_genesis(world: World, change: Callable[[Genesis], Genesis]) -> list[bytes]:
    opening = parse_record(world.disks[0].log[0])
    assert isinstance(opening, Opening)
    return [write_opening(change(opening.genesis), opening.seals), *world.disks[0].log[1:]]


def test_a_file_for_other_rules_or_with_other_components_is_named_as_such(world: World) -> None:
    with pytest.raises(OtherVersion, match="rules of Pebbles"):
        MatchFile(other_genesis(world, lambda genesis: replace(genesis, rules_version=7)), find_pebbles)
    with pytest.raises(BadComponents):
        MatchFile(other_genesis(world, lambda genesis: replace(genesis, components=b"x")), find_pebbles)
    report = verdict(world, other_genesis(world, lambda genesis: replace(genesis, components=b"13")))
    assert report.verdict == "damaged"


def test_all_signatures_are_handed_over_at_once_so_that_they_can_be_checked_on_every_core(world: World) -> None:
    handed = list[Sequence[Signed]]()

    def check_all(claims: Sequence[Signed]) -> int | None:
        handed.append(claims)
        return None

    report = audit(MatchFile(world.disks[0].log, find_pebbles), world.signatures, check_all)
    assert report.verdict == "complete"
    assert len(handed) == 1
    assert len(handed[0]) == report.signatures - 6, "those of the genesis are checked before"
    assert {claim.public for claim in handed[0]} == {member.session for member in world.genesis.members}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_mutated_file_never_convicts_and_never_raises_but_what_is_said(world: World, data: st.DataObject) -> None:
    log = list(world.disks[0].log)
    at = data.draw(st.integers(0, len(log) - 1))
    record = bytearray(log[at])
    for _ in range(data.draw(st.integers(1, 2))):
        record[data.draw(st.integers(0, len(record) - 1))] ^= data.draw(st.integers(1, 255))
    log[at] = bytes(record)
    try:
        report = verdict(world, log)
    except (DamagedFile, OtherVersion, BadComponents):
        return
    assert report.verdict in ("damaged", "complete"), report
    assert report.verdict == "damaged" or parse_record(log[at]) == parse_record(world.disks[0].log[at])
