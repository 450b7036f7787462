"""Some hundred tables under faults; `simulation.run` runs as many as one likes, and one alone."""

import pytest

from simulation.run import failures, play
from sunward_protocol.table.events import Applied
from support.world import World

BATCH = 25


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(12))
def test_tables_under_faults_come_to_their_end(batch: int) -> None:
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        world, _ = play(number)
        assert failures(world) == [], f"python tests/simulation/run.py --seed {number}"


def test_a_seed_is_the_same_table_each_time() -> None:
    (one, faults), (other, again) = play(13), play(13)
    assert one.sent == other.sent
    assert faults.deaths == again.deaths > 0
    assert one.notices == other.notices


def test_what_is_not_as_it_must_be_is_found() -> None:
    world = World(2, random_seed=1)
    assert any("not ended" in failure for failure in failures(world))
    world.run()
    assert failures(world) == []
    world.disks[0].log[1], world.disks[0].log[2] = world.disks[0].log[2], world.disks[0].log[1]
    assert any("audit of 0" in failure for failure in failures(world))
    world.notices[1] = [notice for notice in world.notices[1] if isinstance(notice, Applied)]
    assert any("1 was not told of the end" in failure for failure in failures(world))
