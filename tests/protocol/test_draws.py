"""Draws: chains that only their owner can go down, uniform integers, and the same ones everywhere."""

from collections import Counter

import pytest

from sunward_protocol import draws
from sunward_protocol.commitment import commit
from sunward_protocol.domains import Domain
from sunward_protocol.draws import DrawStream, HashChain, follow, randomness, seating
from support.vectors import golden
from support.world import seed

SESSION = seed("session")


def test_each_link_leads_to_the_one_shown_before_it_and_the_first_to_the_tip() -> None:
    chain = HashChain(seed("chain"), SESSION, 100)
    before = chain.tip
    for link in chain.links:
        assert follow(link, SESSION) == before
        before = link
    assert len(set(chain.links)) == 100
    assert chain.links[-1] == seed("chain")


def test_a_chain_is_of_no_use_under_another_session_key() -> None:
    chain = HashChain(seed("chain"), SESSION, 2)
    assert follow(chain.links[0], seed("other")) != chain.tip


def test_every_part_decides_the_randomness() -> None:
    base = (seed("match"), 0, 1, seed("head"), [seed("a"), seed("b")])
    ways = [
        base,
        (seed("other"), *base[1:]),
        (base[0], 1, *base[2:]),
        (*base[:2], 2, *base[3:]),
        (*base[:3], seed("other"), base[4]),
        (*base[:4], [seed("b"), seed("a")]),
        (*base[:4], [seed("a"), seed("c")]),
        (*base[:4], [seed("a")]),
    ]
    assert len({randomness(*way) for way in ways}) == len(ways)


def test_the_stream_is_the_one_it_was() -> None:
    wanted = golden("draws.json")
    assert randomness(seed("match"), 1, 2, seed("head"), [seed("a"), seed("b")]) == wanted["randomness"]
    stream = DrawStream(seed("randomness"))
    assert bytes(stream.below(256) for _ in range(32)) == wanted["bytes"]
    assert b"".join(stream.below(2**32).to_bytes(4, "big") for _ in range(8)) == wanted["words"]
    assert b"".join(bytes(seating(seed("seats", n), n)) for n in range(2, 7)) == wanted["seatings"]
    assert commit(seed("match"), 3, 2, seed("nonce"), 9) == wanted["commitment"]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 52, 1000, 2**32 - 1, 2**32])
def test_integers_are_below_what_was_asked(n: int) -> None:
    stream = DrawStream(seed("below", n))
    assert all(0 <= stream.below(n) < n for _ in range(200))


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def test_integers_are_uniform() -> None:
    stream = DrawStream(seed("uniform"))
    counts = Counter(stream.below(7) for _ in range(70_000))
    assert 0.38 < chi_square([counts[k] for k in range(7)]) < 22.46, "6 degrees of freedom: p from 0.001 to 0.999"


def test_the_uneven_rest_is_rejected() -> None:
    class Top(DrawStream):
        """Counts how many blocks an integer takes."""

        @property
        def blocks(self) -> int:
            return self._count

    # 2**64 mod n is nearly n here: about every 6th block would favour small results, were it not rejected
    n = 3 * 2**61 + 1
    stream = Top(seed("rest"))
    for _ in range(600):
        assert stream.below(n) < n
    assert stream.blocks > 700


@pytest.mark.parametrize(("n", "rest", "drawn"), [(7, 2, 6), (10, 6, 9), (2**32 - 1, 1, 2**32 - 2), (8, 0, 7)])
def test_the_rest_begins_where_equal_shares_end(n: int, rest: int, drawn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """2**64 is 2 more than a multiple of 7, 6 more than one of 10, 1 more than one of 2**32-1, and one of 8."""
    tops = [2**64 - 1 - top for top in range(rest + 1)]
    blocks = iter([top.to_bytes(8, "big") for top in tops])

    def digest(*_: object) -> bytes:
        return next(blocks)

    monkeypatch.setattr(draws, "digest", digest)
    assert DrawStream(bytes(32)).below(n) == drawn
    assert next(blocks, None) is None, "all but the last are rejected"


def test_seats_are_uniform() -> None:
    counts = Counter(seating(seed("seating", k), 3) for k in range(6000))
    assert len(counts) == 6
    assert 0.21 < chi_square(list(counts.values())) < 20.52, "5 degrees of freedom: p from 0.001 to 0.999"


def test_seats_and_draws_come_from_different_streams() -> None:
    one, other = DrawStream(seed("r")), DrawStream(seed("r"), Domain.SEATING)
    assert [one.below(2**32) for _ in range(4)] != [other.below(2**32) for _ in range(4)]


def test_every_part_decides_a_commitment() -> None:
    ways = {
        commit(seed("match"), 3, 2, seed("nonce"), 9),
        commit(seed("other"), 3, 2, seed("nonce"), 9),
        commit(seed("match"), 4, 2, seed("nonce"), 9),
        commit(seed("match"), 3, 1, seed("nonce"), 9),
        commit(seed("match"), 3, 2, seed("other"), 9),
        commit(seed("match"), 3, 2, seed("nonce"), 8),
    }
    assert len(ways) == 6
