"""How many round trips a locked random action needs, counted where nothing but the network takes time."""

import pytest

from sunward_protocol.envelope import open_frame
from sunward_protocol.ids import Step
from sunward_protocol.messages import Kind
from sunward_protocol.table.events import Drawn
from support.world import World

ONE_WAY = 0.05
ROUND_TRIP = 2 * ONE_WAY


class Watched(World):
    """A table that is watched: when each action was sent, and when each member had its draws."""

    def __init__(self, members: int) -> None:
        self.sent_at: dict[Step, float] = {}
        self.drawn_at: list[tuple[Step, float]] = []
        super().__init__(members, random_seed=members)
        self.delay = lambda sender, receiver: ONE_WAY
        self._seen = [0] * members

    def post(self, sender: int, receiver: int, raw: bytes) -> None:
        frame = open_frame(raw)
        if frame.kind is Kind.ACT:
            self.sent_at.setdefault(frame.step, self.now)
        super().post(sender, receiver, raw)

    def watch(self) -> bool:
        """Note what the members were told meanwhile."""
        for place, told in enumerate(self.notices):
            new = told[self._seen[place] :]
            self.drawn_at += [(each.step, self.now) for each in new if isinstance(each, Drawn) and each.step]
            self._seen[place] = len(told)
        return self.ended()


@pytest.mark.parametrize("members", [3, 4, 6])
def test_a_random_action_takes_one_and_a_half_round_trips_at_everybodys(members: int) -> None:
    """Half of one for the action, half for everybody's ACK, half for everybody's link."""
    world = Watched(members)
    world.run(600.0, world.watch)
    assert world.ended()
    taken = {round((drawn - world.sent_at[step]) / ROUND_TRIP, 3) for step, drawn in world.drawn_at}
    assert len(world.drawn_at) >= 5 * members
    assert taken == {1.5}


def test_between_two_the_one_who_acts_knows_half_a_round_trip_earlier() -> None:
    """The other has everybody's word as soon as it has its own: its ACK and its link come together."""
    world = Watched(2)
    world.run(600.0, world.watch)
    taken = {round((drawn - world.sent_at[step]) / ROUND_TRIP, 3) for step, drawn in world.drawn_at}
    assert taken == {1.0, 1.5}
