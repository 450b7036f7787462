"""Names for the numbers and byte strings that must not be mixed up; holds no behaviour."""

from typing import TypeAlias

Place: TypeAlias = int
"""A member's index in the genesis: what frames are numbered by. The seat in the game is drawn after it."""

Step: TypeAlias = int
"""A step's number in the match: 0 is the set-up."""

Epoch: TypeAlias = int
"""The number of an agreement on who plays: each has a greater one, and those that fail are left out."""

Digest: TypeAlias = bytes
"""32 bytes of BLAKE2b."""

PublicKey: TypeAlias = bytes
"""32 bytes: an Ed25519 public key."""

CurveKey: TypeAlias = bytes
"""32 bytes: the Curve25519 key that a node is known by on its connections."""

NOTHING: Digest = bytes(32)
"""Stands where a hash has no meaning yet."""
