"""Commit and reveal: a secret choice is fixed before anybody shows theirs."""

from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.ids import Digest, Place, Step

NONCE_SIZE = 32
"""Bytes of entropy that hide a choice of few values."""


def commit(match: Digest, step: Step, place: Place, nonce: bytes, choice: int) -> Digest:
    """Return the commitment of a place to a choice in a step; binding by BLAKE2b, hiding by the nonce."""
    return digest(Domain.COMMIT, match, numbers(step, place), nonce, numbers(choice))
