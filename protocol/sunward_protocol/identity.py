"""Keys and signatures: Ed25519 (RFC 8032), strict where libraries disagree, and the interface it sits behind.

Must never accept a key or signature that another library could judge differently: that would split a table.
"""

from functools import lru_cache
from typing import NamedTuple, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from sunward_protocol.domains import Purpose
from sunward_protocol.errors import Malformed
from sunward_protocol.ids import PublicKey

SIGNATURE_SIZE = 64
UNSIGNED = bytes(SIGNATURE_SIZE)
"""Stands in the signature's place of frames that prove themselves or are proved by their connection."""

_FIELD = 2**255 - 19
# The y coordinates of the eight points of small order (RFC 7748 section 7 warns of them); with either sign bit.
_SMALL_ORDER = frozenset(
    y.to_bytes(32, "little")
    for y in (
        0,
        1,
        _FIELD - 1,
        int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
        int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    )
)


def is_sound_point(encoded: bytes) -> bool:
    """Whether 32 bytes are the canonical encoding of a y coordinate that belongs to no point of small order."""
    y = encoded[:31] + bytes([encoded[31] & 0x7F])
    return y not in _SMALL_ORDER and (encoded[31] & 0x7F != 0x7F or int.from_bytes(y, "little") < _FIELD)


class Signed(NamedTuple):
    """A signature still to be believed, in the order of `Signatures.hold`."""

    public: PublicKey
    purpose: Purpose
    signature: bytes
    message: bytes


class Signer(Protocol):
    """Whoever can sign: holds a secret."""

    @property
    def public(self) -> PublicKey: ...

    def sign(self, purpose: Purpose, message: bytes) -> bytes:
        """Return the 64-byte signature of a message for a purpose."""
        ...


class Signatures(Protocol):
    """Whoever can tell whether a signature holds: holds no secret."""

    def hold(self, public: PublicKey, purpose: Purpose, signature: bytes, message: bytes) -> bool:
        """Whether `signature` over `message` for `purpose` is by `public`; False for any unsound input."""
        ...


class Ed25519Signer:
    """An Ed25519 secret key, from its 32-byte seed."""

    __slots__ = ("_key", "public")

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: PublicKey = self._key.public_key().public_bytes_raw()

    def sign(self, purpose: Purpose, message: bytes) -> bytes:
        return self._key.sign(purpose.value + message)


@lru_cache(maxsize=256)
def _public_key(public: PublicKey) -> Ed25519PublicKey:
    if len(public) != 32 or not is_sound_point(public):
        raise Malformed("An Ed25519 key of small order or in another than its canonical form is refused.")
    return Ed25519PublicKey.from_public_bytes(public)


def verify(public: PublicKey, signature: bytes, message: bytes) -> bool:
    """Whether a signature holds by RFC 8032 section 5.1.7, without the cofactor, key and R being sound points."""
    if len(signature) != SIGNATURE_SIZE or not is_sound_point(signature[:32]):
        return False
    try:
        _public_key(public).verify(signature, message)
    except (InvalidSignature, Malformed, ValueError):
        return False
    return True


class Ed25519Signatures:
    """Ed25519 checked one by one, never in a batch equation: batches accept what single checks refuse."""

    __slots__ = ()

    def hold(self, public: PublicKey, purpose: Purpose, signature: bytes, message: bytes) -> bool:
        return verify(public, signature, purpose.value + message)
