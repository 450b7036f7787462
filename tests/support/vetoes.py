"""Seats given up on purpose: each keeps its link back from one draw that it has foreseen, and is put out for it.

The draw is then made anew from the next links of all who are left, in a new epoch. With v seats to give up, a value of
probability p comes with 1 - (1 - p) ** (v + 1): v + 1 independent tries. To use the same links again would be broken:
the coalition would know beforehand what each of the 2 ** v sets of seats to give up leads to.
"""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from random import Random

from sunward_protocol.draws import DrawStream, HashChain, randomness
from sunward_protocol.ids import Place
from support.world import seed

SESSIONS = [seed("session", place) for place in range(6)]
HONEST = 0


class Draw:
    """One draw of `below` values at a table of which more than half stays when `vetoes` seats are given up."""

    def __init__(self, chance: Random, below: int, vetoes: int) -> None:
        self.below = below
        self.vetoes = vetoes
        self.match, self.head = chance.randbytes(32), chance.randbytes(32)
        self.places = range(max(2, 2 * vetoes + 1))
        self.chains = [HashChain(chance.randbytes(32), SESSIONS[place], vetoes + 1) for place in self.places]

    def value(self, out: Sequence[Place], attempt: int, honest_attempt: int | None = None) -> int:
        """Return what is drawn in an attempt with some places out; `honest_attempt` makes it a guess."""
        links = [self.chains[place].links[attempt] for place in self.places if place not in out]
        if honest_attempt is not None:
            links[HONEST] = self.chains[HONEST].links[honest_attempt]
        return DrawStream(randomness(self.match, len(out), 1, self.head, links)).below(self.below)

    def wished(self) -> bool:
        """Whether the coalition gets a 0: it vetoes as long as it can, and gives up who seems best to give up next."""
        out = list[Place]()
        for attempt in range(self.vetoes + 1):
            if self.value(out, attempt) == 0:
                return True
            if attempt < self.vetoes:
                left = [place for place in self.places if place != HONEST and place not in out]
                out.append(next((place for place in left if self._seems(out, place, attempt)), left[0]))
        return False

    def _seems(self, out: Sequence[Place], place: Place, attempt: int) -> bool:
        """Whether giving up a place would bring a 0, were the honest member's next link the one it just showed."""
        return self.value([*out, place], attempt + 1, attempt) == 0

    def wished_if_links_are_used_again(self) -> bool:
        """Whether the coalition gets a 0 by giving up any of its `vetoes` seats, all attempts using the first links."""
        mine = [place for place in self.places if place != HONEST][: self.vetoes]
        return any(self.value(out, 0) == 0 for size in range(len(mine) + 1) for out in combinations(mine, size))


def formula(p: float, vetoes: int) -> float:
    """Return the probability that `vetoes` seats given up get a value of probability `p`."""
    return 1 - (1 - p) ** (vetoes + 1)


def sigmas(hits: int, trials: int, expected: float) -> float:
    """Return by how many standard deviations `hits` differ from what a probability makes expected."""
    return (hits - trials * expected) / sqrt(trials * expected * (1 - expected))
