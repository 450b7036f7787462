"""Values to bytes and back: msgpack held to integers, byte strings, text and arrays.

Must never re-encode what was received: bytes as they came are what is verified and hashed.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgpack

from sunward_protocol.errors import Malformed

Value: TypeAlias = "int | bytes | str | Sequence[Value]"
Decoded: TypeAlias = "int | bytes | str | tuple[Decoded, ...]"

DEPTH_MOST = 6
"""Arrays inside arrays; the deepest message has four."""


def encode(value: Value) -> bytes:
    """Return the msgpack bytes of a value made of integers, bytes, text and sequences."""
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def _refuse(_: object) -> None:
    raise Malformed("A map came where the protocol has only arrays.")


def decode(raw: bytes) -> Decoded:
    """Return the value of `raw`, arrays as tuples; raise `Malformed` for anything the protocol has no use for."""
    try:
        value: object = msgpack.unpackb(raw, use_list=False, raw=False, object_pairs_hook=_refuse, max_ext_len=0)
    except (ValueError, TypeError, RecursionError) as error:  # all that msgpack raises of itself is a ValueError
        raise Malformed("The bytes are not msgpack of integers, bytes, text and arrays.") from error
    return narrow(value, DEPTH_MOST)


def narrow(value: object, depth: int) -> Decoded:
    """Return `value` as the type it is proved to be; raise `Malformed` for floats, booleans, nil and deep nesting."""
    kind = type(value)
    if kind is int or kind is bytes or kind is str:
        return value  # type: ignore[return-value]  # the three types were just compared
    if kind is tuple and depth:
        for item in value:  # type: ignore[attr-defined]  # it is a tuple
            narrow(item, depth - 1)
        return value  # type: ignore[return-value]  # every item was narrowed
    raise Malformed(f"A value of type {kind.__name__} (or nested too deep) is no part of the protocol.")
