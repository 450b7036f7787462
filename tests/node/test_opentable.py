"""A table's record on the network: what is announced is read back, and anything else is no table."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunward_node.opentable import OpenTable, parse_table, table_fields
from sunward_node.order import Invite

TABLE = OpenTable(
    Invite("11" * 32, "22" * 16, "33" * 32, "44" * 32, ("tcp://192.168.1.20:4242",)), "around", "Ada", 4, 2
)
ADDRESSES = ("192.168.1.20",)


def record(table: OpenTable = TABLE) -> dict[bytes, bytes | None]:
    """Return a table's record as it arrives: all in bytes."""
    return {_bytes(name): None if value is None else _bytes(value) for name, value in table_fields(table).items()}


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def test_what_is_announced_is_read_back() -> None:
    assert parse_table(record(), ADDRESSES, 4242) == TABLE
    # an entry of a TXT record has a byte for its length (RFC 6763, section 6.1)
    assert all(len(name) + 1 + len(value or b"") <= 255 for name, value in record().items())


@pytest.mark.parametrize(
    "field",
    [
        {b"table": b"short"},
        {b"token": bytes(17)},
        {b"identity": None},
        {b"game": b""},
        {b"game": b"../../x"},
        {b"game": "\u00e9".encode()},
        {b"seats": b"1"},
        {b"seats": b"7"},
        {b"seats": b"0004"},
        {b"seats": b"-4"},
        {b"seats": b"four"},
        {b"taken": b"5"},
        {b"taken": None},
        {b"version": b"9999"},
    ],
)
def test_a_field_out_of_its_bounds_is_no_table(field: Mapping[bytes, bytes | None]) -> None:
    assert parse_table({**record(), **field}, ADDRESSES, 4242) is None


def test_names_are_cleaned_and_cut() -> None:
    hostile = parse_table({**record(), b"name": b"\x1b[2J A\xffda\r\n\xe2\x80\xae" + b"x" * 200}, ADDRESSES, 4242)
    assert hostile is not None
    assert hostile.name == "[2J A\ufffdda" + "x" * 24
    assert len(hostile.name) == 32


def test_another_version_is_shown_as_what_it_is() -> None:
    later = parse_table(record(replace(TABLE, version=2)), ADDRESSES, 4242)
    assert later is not None
    assert later.version == 2


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "0.0.0.0", "::", "224.0.0.251", "ff02::fb%2", "::ffff:127.0.0.1", "fe80::1", "fe80::1%a;b"],
)
def test_nobody_is_sent_where_no_other_can_be(address: str) -> None:
    assert parse_table(record(), (address,), 4242) is None


def test_addresses_are_kept_in_order_once_and_not_too_many() -> None:
    many = ("10.0.0.1", "10.0.0.1", "fe80::1%2", *(f"10.0.1.{last}" for last in range(1, 20)))
    found = parse_table(record(), many, 4242)
    assert found is not None
    assert found.invite.endpoints[:3] == ("tcp://10.0.0.1:4242", "tcp://[fe80::1%2]:4242", "tcp://10.0.1.1:4242")
    assert len(found.invite.endpoints) == 8
    assert parse_table(record(), ADDRESSES, 0) is None
    assert parse_table(record(), (), 4242) is None


FIELDS = st.sampled_from(sorted(record()))


@given(st.dictionaries(FIELDS, st.none() | st.binary(max_size=255)), st.integers(0, 65535))
def test_any_record_is_a_table_within_bounds_or_none(changed: Mapping[bytes, bytes | None], port: int) -> None:
    found = parse_table({**record(), **changed}, ADDRESSES, port)
    if found is not None:
        assert 0 <= found.taken <= found.seats <= 6
        assert len(found.name) <= 32
        assert (found.game + found.name).isprintable()
        assert port > 0
