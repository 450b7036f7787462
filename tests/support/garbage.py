"""Bytes that mean nothing, the same for the same seed; must never be needed to be any particular bytes."""

from collections.abc import Iterator
from random import Random


def random_frames(seed: int, count: int, largest: int = 512) -> Iterator[bytes]:
    """Yield `count` frames of 1 .. largest random bytes."""
    random = Random(seed)
    for _ in range(count):
        yield random.randbytes(random.randint(1, largest))


def random_chunks(seed: int, total: int, chunk: int = 64 * 1024) -> Iterator[bytes]:
    """Yield `total` bytes in pieces of `chunk`; eight different pieces, in random order, for speed."""
    random = Random(seed)
    pieces = [random.randbytes(chunk) for _ in range(8)]
    for _ in range(total // chunk):
        yield random.choice(pieces)
