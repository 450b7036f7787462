"""The encoding: what goes through comes back, and what the protocol has no use for is refused whoever sends it."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunward_protocol.encoding import DEPTH_MOST, Value, decode, encode
from sunward_protocol.errors import Malformed

leaves = st.integers(0, 2**64 - 1) | st.binary(max_size=40) | st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=12)


def nested(depth: int) -> Value:
    value: Value = 7
    for _ in range(depth):
        value = (value,)
    return value


@given(values)
def test_what_is_encoded_comes_back(value: Value) -> None:
    try:
        assert decode(encode(value)) == value
    except Malformed:
        assert depth_of(value) > DEPTH_MOST


def depth_of(value: Value) -> int:
    return 0 if isinstance(value, int | bytes | str) else 1 + max(map(depth_of, value), default=0)


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "nothing"),
        (b"\x01\x02", "two values"),
        (b"\xc0", "nil"),
        (b"\xc2", "false"),
        (b"\xc3", "true"),
        (b"\xca\x3f\x80\x00\x00", "a float of 4 bytes"),
        (b"\xcb" + bytes(8), "a float of 8 bytes"),
        (b"\x80", "an empty map"),
        (b"\x81\x01\x02", "a map"),
        (b"\x91\x81\x01\x02", "a map in an array"),
        (b"\xc7\x00\x05", "an empty extension"),
        (b"\xd4\x05\x00", "an extension"),
        (b"\xd6\xff\x00\x00\x00\x00", "a timestamp"),
        (b"\xc1", "the byte that msgpack never uses"),
        (b"\xa2\xff\xfe", "text that is not UTF-8"),
        (b"\xa3\xed\xa0\x80", "half of a surrogate pair"),
        (b"\x93\x01\x02", "an array cut short"),
        (b"\xc4\x05abc", "bytes cut short"),
        (b"\xdd\xff\xff\xff\xff", "an array of four thousand million items"),
        (b"\xc6\xff\xff\xff\xff", "four thousand million bytes"),
        (b"\xdb\xff\xff\xff\xff", "text of four thousand million bytes"),
        (b"\x91" * 5000, "five thousand arrays inside one another"),
        (b"\x91" * 900 + b"\x01", "nine hundred arrays inside one another"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_value_of_the_protocol_is_refused(raw: bytes, what: str) -> None:
    with pytest.raises(Malformed):
        decode(raw)


def test_arrays_may_be_nested_as_deep_as_is_said_and_no_deeper() -> None:
    assert decode(encode(nested(6))) == nested(6)
    with pytest.raises(Malformed):
        decode(encode(nested(7)))


def test_arrays_may_be_as_long_as_is_said_and_no_longer() -> None:
    assert decode(encode((0,) * 512)) == (0,) * 512
    with pytest.raises(Malformed):
        decode(encode((0,) * 513))


def test_integers_reach_from_the_smallest_to_the_largest_of_64_bits() -> None:
    assert [decode(encode(value)) for value in (0, 127, 2**63 - 1, 2**64 - 1, -1, -(2**63))] == [
        0,
        127,
        2**63 - 1,
        2**64 - 1,
        -1,
        -(2**63),
    ]


def test_a_boolean_is_no_integer() -> None:
    with pytest.raises(Malformed):
        decode(b"\x92\x01\xc3")


def test_a_small_frame_cannot_make_much_room_be_taken() -> None:
    # every array announces what the rest of 64 KiB could hold: room for 1,000 of them would be half a gigabyte
    raw = b"\xdc\xfd\x00" * 1000 + bytes(62_000)
    tracemalloc.start()
    with pytest.raises(Malformed):
        decode(raw)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8 * 1024 * 1024
