"""How even the draws of a match came out: Pearson's chi-square over the integers that chance was asked for.

Must never accuse: whether a draw was made as it must be, `audit` proves; this only says how rare such a match is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import erfc, exp, lgamma, log, sqrt
from textwrap import wrap
from typing import Final, NamedTuple

from sunward_protocol.audit import MatchFile
from sunward_protocol.draws import DrawStream
from sunward_protocol.games.game import Position
from sunward_protocol.ids import Digest

EXPECTED_LEAST: Final = 5
"""Times that each value must be expected before chi-square may be asked (Cochran 1954)."""

SHOWN_MOST: Final = 4
"""Ranges that `panel` names one by one, those with most integers: as many as two lines of 80 columns hold."""

CENTILE: Final = 0.01
"""Below this a probability is told to four places instead of two."""


class Integer(NamedTuple):
    """One integer that chance decided: `value` is in 0 .. `below`-1."""

    below: int
    value: int


@dataclass(frozen=True, slots=True)
class Evenness:
    """How even some integers are: chi-square, its degrees of freedom, and how often fair chance has as much or more."""

    integers: int
    chi_square: float
    freedom: int
    p: float


@dataclass(frozen=True, slots=True)
class Fairness:
    """The statistics of a match's draws; `total` is None where there are too few integers to say anything.

    Each range (integers below the same number) with enough of them stands in `by_range`. The others are put together:
    what is counted is whether each was in the `low` or the `high` half of its range; a middle value is in neither.
    """

    draws: int
    integers: int
    open: int
    """Integers with more than one possible value."""
    by_range: dict[int, Evenness]
    few: tuple[int, ...]
    low: int
    high: int
    halves: Evenness | None
    total: Evenness | None


class _Noting:
    """A chance that remembers what it was asked and what it said."""

    def __init__(self, randomness: Digest) -> None:
        self._stream = DrawStream(randomness)
        self.said: list[Integer] = []

    def below(self, n: int) -> int:
        value = self._stream.below(n)
        self.said.append(Integer(n, value))
        return value


def integers(position: Position, randomness: Digest) -> list[Integer]:
    """Return what the draws due in `position`, which is left as it is, take from their randomness."""
    noting = _Noting(randomness)
    if position.chance_due():
        position.copy().draw(noting)
    return noting.said


def drawn(match: MatchFile) -> Iterator[list[Integer]]:
    """Yield the integers of each of a match's draws; raise what `MatchFile.replay` raises once it no longer follows."""
    position = match.ruleset.start(len(match.genesis.members), dict(match.genesis.options))
    for turned in match.replay():
        if turned.randomness is not None:
            for seat, action in turned.moves:
                position.apply(seat, action)
            yield integers(position, turned.randomness)
        position = match.ledger.position.copy()


def weigh(draws: Iterable[Sequence[Integer]]) -> Fairness:
    """Return the statistics of the integers of some draws."""
    found = list(draws)
    asked = [integer for said in found for integer in said]
    ranges = dict[int, list[int]]()
    for below, value in sorted(asked):
        ranges.setdefault(below, []).append(value)
    ranges.pop(1, None)  # nothing was open
    by_range = {
        below: chi_square([values.count(value) for value in range(below)])
        for below, values in ranges.items()
        if len(values) >= EXPECTED_LEAST * below
    }
    few = tuple(below for below in ranges if below not in by_range)
    halves = Counter(2 * value + 1 > below for below in few for value in ranges[below] if 2 * value + 1 != below)
    low, high = halves[False], halves[True]
    pooled = chi_square([low, high]) if low + high >= 2 * EXPECTED_LEAST else None
    parts = [*by_range.values(), *([pooled] if pooled else [])]
    open_ = sum(map(len, ranges.values()))
    return Fairness(len(found), len(asked), open_, by_range, few, low, high, pooled, _together(parts))


def chi_square(counts: Sequence[int]) -> Evenness:
    """Return how even the counts of values are that should come equally often (Pearson 1900)."""
    number, freedom = sum(counts), len(counts) - 1
    expected = number / len(counts)
    statistic = sum((count - expected) ** 2 for count in counts) / expected
    return Evenness(number, statistic, freedom, survival(statistic, freedom))


def _together(parts: Sequence[Evenness]) -> Evenness | None:
    """Return the sum of independent chi-squares, which is one with the sum of their freedoms; None for none."""
    if not parts:
        return None
    statistic, freedom = sum(part.chi_square for part in parts), sum(part.freedom for part in parts)
    return Evenness(sum(part.integers for part in parts), statistic, freedom, survival(statistic, freedom))


def survival(statistic: float, freedom: int) -> float:
    """Return the probability that chi-square of `freedom` ≥ 1 is `statistic` ≥ 0 or more.

    The regularised upper incomplete gamma function of freedom/2 and statistic/2, which for whole freedoms is a sum of
    positive terms (Abramowitz and Stegun 26.4.4 and 26.4.5): nothing cancels.
    """
    half = statistic / 2
    if not half:
        return 1.0
    odd = freedom % 2
    start = erfc(sqrt(half)) if odd else 0.0
    powers = [odd / 2 + index for index in range(freedom // 2)]
    return min(1.0, start + sum(exp(power * log(half) - half - lgamma(power + 1)) for power in powers))


def panel(fairness: Fairness, width: int = 80) -> list[str]:
    """Return the statistics in words for players: at most six lines where `width` is 80."""
    total, halves = fairness.total, fairness.halves
    said = [f"Draws: {fairness.draws}. Integers drawn with more than one possible value: {fairness.open}."]
    most = sorted(fairness.by_range, key=lambda below: -fairness.by_range[below].integers)[:SHOWN_MOST]
    ranges = [f"of {below} values {_found(fairness.by_range[below])}" for below in sorted(most)]
    left = len(fairness.by_range) - len(most)
    if ranges:
        said.append(f"Even? Out {', '.join(ranges)}{f'; others: {left}' if left else ''}.")
    if fairness.few:
        pooled = f"; low half {fairness.low}, high half {fairness.high}, {_found(halves)}" if halves else ""
        said.append(f"Ranges with too few: {len(fairness.few)}{pooled}.")
    if total is not None:
        often = f"{total.p * 100:.0f}" if total.p >= CENTILE else "less than 1"
        said.append(f"All p {_rounded(total.p)}: {often} of 100 fair matches would be at least as uneven.")
        said.append("This accuses nobody: of 100 fair matches, about one has p below 0.01.")
    else:
        said.append("Too few to say how even they are.")
    return [line for sentence in said for line in wrap(sentence, width, subsequent_indent="  ")]


def _found(evenness: Evenness) -> str:
    return f"p {_rounded(evenness.p)} ({evenness.integers})"


def _rounded(p: float) -> str:
    return "<0.0001" if p < CENTILE**2 else f"{p:.2f}" if p >= CENTILE else f"{p:.4f}"
