"""Chance made by all members together: hash chains, the result of a draw, uniform integers.

A member publishes the tip of a chain before the first draw and reveals one link a draw (Lamport 1981): no link can be
chosen any more, and none is known to others before it is shown.
Must never be fed a link before the step that it decides is locked.
"""

from collections.abc import Sequence

from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.ids import Digest, Epoch, Place, PublicKey, Step


def follow(link: Digest, session: PublicKey) -> Digest:
    """Return what a member's `link` must hash to: the link shown before it, or the tip."""
    return digest(Domain.LINK, session, link)


class HashChain:
    """One member's links, made from a 32-byte secret seed; `links[0]` is shown first and hashes to `tip`."""

    __slots__ = ("links", "tip")

    def __init__(self, seed: bytes, session: PublicKey, length: int) -> None:
        link, links = seed, list[Digest]()
        for _ in range(length):
            links.append(link)
            link = follow(link, session)
        self.tip: Digest = link
        self.links = links[::-1]


def randomness(match: Digest, epoch: Epoch, step: Step, head: Digest, links: Sequence[Digest]) -> Digest:
    """Return what a draw is made from, given the locked head and every live member's link in order of place."""
    return digest(Domain.RANDOM, match, numbers(epoch, step), head, *links)


class DrawStream:
    """Uniform integers out of one draw's randomness: the n-th is a function of the randomness and n alone."""

    __slots__ = ("_count", "_domain", "_randomness")

    def __init__(self, randomness: Digest, domain: Domain = Domain.STREAM) -> None:
        self._randomness = randomness
        self._domain = domain
        self._count = 0

    def below(self, n: int) -> int:
        """Return a uniform integer in 0 .. n-1, for 1 ≤ n ≤ 2**32: 64 bits a try, the uneven rest rejected."""
        most = 2**64 - 2**64 % n
        while True:
            block = digest(self._domain, self._randomness, numbers(self._count))
            self._count += 1
            value = int.from_bytes(block[:8], "big")
            if value < most:
                return value % n


def seating(randomness: Digest, members: int) -> tuple[Place, ...]:
    """Return the place of each seat, by Fisher and Yates, from a stream of its own."""
    stream = DrawStream(randomness, Domain.SEATING)
    places = list(range(members))
    for last in range(members - 1, 0, -1):
        chosen = stream.below(last + 1)
        places[last], places[chosen] = places[chosen], places[last]
    return tuple(places)
