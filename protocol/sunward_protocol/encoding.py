"""Values to bytes and back: msgpack held to integers, byte strings, text and arrays.

Must never re-encode what was received: bytes as they came are what is verified and hashed.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import msgpack

from sunward_protocol.errors import Malformed

Value: TypeAlias = "int | bytes | str | Sequence[Value]"
Decoded: TypeAlias = "int | bytes | str | tuple[Decoded, ...]"

_pack = cast("Callable[..., bytes]", msgpack.packb)  # pyright: ignore[reportUnknownMemberType]  # msgpack has no types
_unpack = cast("Callable[..., object]", msgpack.unpackb)  # pyright: ignore[reportUnknownMemberType]  # msgpack has no types

DEPTH_MOST = 6
"""Arrays inside arrays; the deepest message has four."""

LENGTH_MOST = 512
"""Items of one array; the longest, a SYNC, has fewer than 300. Room is made for an array before its items are read."""


def encode(value: Value) -> bytes:
    """Return the msgpack bytes of a value made of integers, bytes, text and sequences."""
    return _pack(value, use_bin_type=True)


def _refuse(_: object) -> None:
    raise Malformed("A map came where the protocol has only arrays.")


def decode(raw: bytes) -> Decoded:
    """Return the value of `raw`, arrays as tuples; raise `Malformed` for anything the protocol has no use for."""
    try:
        value = _unpack(
            raw, use_list=False, raw=False, object_pairs_hook=_refuse, max_ext_len=0, max_array_len=LENGTH_MOST
        )
    except (ValueError, TypeError, RecursionError) as error:  # all that msgpack raises of itself is a ValueError
        raise Malformed("The bytes are not msgpack of integers, bytes, text and arrays.") from error
    return narrow(value, DEPTH_MOST)


def narrow(value: object, depth: int) -> Decoded:
    """Return `value` as the type it is proved to be; raise `Malformed` for floats, booleans, nil and deep nesting."""
    kind = type(value)
    if kind is int or kind is bytes or kind is str:
        return cast("int | bytes | str", value)
    if kind is tuple and depth:
        for item in cast("tuple[object, ...]", value):
            narrow(item, depth - 1)
        return cast("tuple[Decoded, ...]", value)
    raise Malformed(f"A value of type {kind.__name__} (or nested too deep) is no part of the protocol.")
