"""Every target of the fuzzer, a few hundred inputs a day: its seeds, changed here and there."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.targets import TARGETS

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)
"""What hypothesis says of large seeds."""


@st.composite
def changed(draw: st.DrawFn, seeds: list[bytes], most: int) -> bytes:
    """A seed, or what comes of it when bytes are changed, put in, taken out or repeated."""
    data = bytearray(draw(st.sampled_from(seeds) | st.binary(max_size=min(most, 64))))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 8))
        data[at : at + length] = draw(st.binary(max_size=8) | st.just(bytes(data[at : at + 2 * length])))
    return bytes(data[:most])


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_whatever_comes(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=60 if target.runs < 500_000 else 200, deadline=None, suppress_health_check=SLOW)
    @given(changed(list(target.seeds()), target.most))
    def fuzz(data: bytes) -> None:
        target.run(data)

    fuzz()


@pytest.mark.parametrize("name", TARGETS)
def test_the_seeds_of_a_target_pass(name: str) -> None:
    for seed in TARGETS[name].seeds():
        assert len(seed) <= TARGETS[name].most
        TARGETS[name].run(seed)
