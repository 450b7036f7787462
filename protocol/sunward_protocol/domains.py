"""The one hash and every domain it is used in, so that no hash or signature of one purpose serves another."""

from enum import Enum
from hashlib import blake2b

from sunward_protocol.ids import Digest


class Domain(bytes, Enum):
    """Person strings of BLAKE2b (RFC 7693 section 2.5), 16 bytes at most each."""

    BODY = b"sunward body"
    GENESIS = b"sunward genesis"
    HEAD = b"sunward head"
    DRAWN = b"sunward drawn"
    STATE = b"sunward state"
    LINK = b"sunward link"
    RANDOM = b"sunward random"
    STREAM = b"sunward stream"
    SEATING = b"sunward seating"
    COMMIT = b"sunward commit"
    RULESET = b"sunward rules"
    WORDS = b"sunward words"


class Purpose(bytes, Enum):
    """What is put before a message that is signed with Ed25519."""

    FRAME = b"sunward 1 frame\0"
    HELLO = b"sunward 1 hello\0"
    SEAL = b"sunward 1 seal\0"
    DELEGATION = b"sunward 1 delegation\0"
    OWNERSHIP = b"sunward 1 ownership\0"


for _domain in Domain:
    assert len(_domain.value) <= 16, f"{_domain.name} is longer than BLAKE2b's person field"


def digest(domain: Domain, *fields: bytes) -> Digest:
    """Return the 32-byte BLAKE2b of the fields, each behind its length in 4 bytes, in a domain."""
    parts = [part for field in fields for part in (len(field).to_bytes(4, "big"), field)]
    return blake2b(b"".join(parts), digest_size=32, person=domain.value).digest()


def numbers(*values: int) -> bytes:
    """Return non-negative integers as 8 bytes each, to be one field of a digest."""
    return b"".join([value.to_bytes(8, "big") for value in values])
