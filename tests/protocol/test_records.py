"""Records: what the two files of a match are made of reads back, and nothing else is read."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol import limits
from sunward_protocol.encoding import Value, encode
from sunward_protocol.errors import Malformed, OtherVersion
from sunward_protocol.log import Entry
from sunward_protocol.records import (
    Evidence,
    Kept,
    Opening,
    parse_kept,
    parse_record,
    write_entry,
    write_evidence,
    write_kept,
    write_opening,
)
from support.world import World

WORLD = World(2, random_seed=1)
ENTRY = Entry(0, 3, (b"body",), (b"ack", b"ack"), (bytes(32),))
RECORDS = [write_opening(WORLD.genesis, WORLD.seals), write_entry(ENTRY.encode()), write_evidence([b"one", b"other"])]


def test_records_read_back() -> None:
    assert [parse_record(raw) for raw in RECORDS] == [
        Opening(WORLD.genesis, WORLD.seals),
        ENTRY,
        Evidence((b"one", b"other")),
    ]
    kept = Kept(b"frame", bytes(32), 9)
    assert parse_kept(write_kept(kept)) == kept


def test_the_evidence_of_a_whole_secret_step_fits() -> None:
    frames = (bytes(limits.ACT_MOST),) * (limits.MEMBERS_MOST + 1)
    assert parse_record(write_evidence(frames)) == Evidence(frames)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        encode(()),
        encode(1),
        encode(b"\1"),
        encode("1"),
        encode((3, b"")),
        encode((-1, b"")),
        encode(((0,), b"")),
        encode((0,)),
        encode((0, b"", ())),
        encode((0, WORLD.genesis.body, (bytes(63),))),
        encode((0, WORLD.genesis.body, (bytes(64),) * 7)),
        encode((0, WORLD.genesis.body[:-1], WORLD.seals)),
        encode((1, ENTRY)),
        encode((1, ENTRY.encode()[:-1])),
        encode((1, encode((0, 3, (), (), (), ())))),
        encode((1, encode((0, -3, (), (), ())))),
        encode((1, encode((0, 3, (b"",) * 7, (), ())))),
        encode((1, encode((0, 3, (), (), (bytes(31),))))),
        encode((2, ())),
        encode((2, (b"",) * 8)),
        encode((2, (bytes(limits.FRAME_MOST + 1),))),
    ],
)
def test_what_is_no_record_is_refused(raw: bytes) -> None:
    with pytest.raises(Malformed):
        parse_record(raw)


@pytest.mark.parametrize("value", [(), (b"", bytes(33), 0), (b"", b"", -1), (b"", b""), ("", b"", 0), 7])
def test_what_is_no_record_of_a_journal_is_refused(value: Value) -> None:
    with pytest.raises(Malformed):
        parse_kept(encode(value))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(RECORDS), st.data())
def test_mutated_and_random_bytes_are_refused_or_a_record_and_nothing_else(record: bytes, data: st.DataObject) -> None:
    raw = bytearray(data.draw(st.just(record) | st.binary(max_size=100)))
    for _ in range(data.draw(st.integers(0, 3))):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    for parse in (parse_record, parse_kept):
        with suppress(Malformed, OtherVersion):
            parse(bytes(raw))
