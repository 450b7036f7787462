"""What stands in a match's two files: the log, which anyone may read, and the journal, which is its seat's alone.

Must never put a secret into the log.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple, TypeAlias, cast

from sunward_protocol import limits
from sunward_protocol.encoding import decode, encode
from sunward_protocol.errors import Malformed
from sunward_protocol.genesis import Genesis, parse
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.messages import SIGNATURE, fields, many, natural, octets

LOG_MAGIC = b"sunward match"
JOURNAL_MAGIC = b"sunward signed"
"""What the two files begin with; at most 14 bytes, the version follows."""


class Tag(IntEnum):
    """What a record of the log is."""

    GENESIS = 0
    ENTRY = 1
    EVIDENCE = 2


class Opening(NamedTuple):
    """The first record: the genesis and every member's seal on it."""

    genesis: Genesis
    seals: tuple[bytes, ...]


class Evidence(NamedTuple):
    """Frames that convict who signed one of them: two for one slot; the bodies of a step that breaks the rules; or the
    bodies of a step, if it was not locked, and a signature for another state than they lead to."""

    frames: tuple[bytes, ...]


Record: TypeAlias = Opening | Entry | Evidence

_SHAPES = {
    Tag.GENESIS: fields(natural(), octets(limits.GENESIS_MOST), many(SIGNATURE, limits.MEMBERS_MOST)),
    Tag.ENTRY: fields(natural(), octets(limits.FRAME_MOST)),
    Tag.EVIDENCE: fields(natural(), many(octets(limits.FRAME_MOST), limits.MEMBERS_MOST + 1, least=1)),
}
_SECRET = fields(octets(limits.FRAME_MOST), octets(32), natural())


def write_opening(genesis: Genesis, seals: Sequence[bytes]) -> bytes:
    return encode((Tag.GENESIS.value, genesis.body, tuple(seals)))


def write_entry(encoded: bytes) -> bytes:
    """Return the record of an entry that is encoded already."""
    return encode((Tag.ENTRY.value, encoded))


def write_evidence(frames: Sequence[bytes]) -> bytes:
    return encode((Tag.EVIDENCE.value, tuple(frames)))


def parse_record(raw: bytes) -> Record:
    """Return a record of the log; raise `Malformed` or, for another version's genesis, `OtherVersion`."""
    value = decode(raw)
    try:
        tag = Tag(cast("tuple[int]", value)[0])
    except (ValueError, TypeError, IndexError) as error:
        raise Malformed("A record of the match file is of no known kind.") from error
    if not _SHAPES[tag](value):
        raise Malformed("A record of the match file has other fields than its kind says.")
    if tag is Tag.GENESIS:
        _, body, seals = cast("tuple[int, bytes, tuple[bytes, ...]]", value)
        return Opening(parse(body), seals)
    if tag is Tag.ENTRY:
        return parse_entry(cast("tuple[int, bytes]", value)[1])
    return Evidence(cast("tuple[int, tuple[bytes, ...]]", value)[1])


class Kept(NamedTuple):
    """A record of the journal: a frame of ours and, for a COMMIT, what it hides."""

    frame: bytes
    nonce: bytes
    choice: int


def write_kept(kept: Kept) -> bytes:
    return encode(kept)


def parse_kept(raw: bytes) -> Kept:
    """Return a record of the journal; raise `Malformed`."""
    value = decode(raw)
    if not _SECRET(value):
        raise Malformed("A record of the journal has other fields than it should.")
    return Kept(*cast("tuple[bytes, bytes, int]", value))
