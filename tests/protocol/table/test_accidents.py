"""Accidents that once did harm without any liar: a net that is cut here and there, and members that are all honest."""

from collections.abc import Callable, Iterable

import pytest

from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.ids import Place
from sunward_protocol.messages import Kind
from sunward_protocol.table.events import Chosen, Wanted
from sunward_protocol.table.steps import Steps
from support.pebbles import CHALLENGE, LOW, ROLL
from support.quiet import actor, finish, table

CLOCK = {"bank": 600, "increment": 2, "frames": 60}


class Net:
    """A table whose net carries only what the test lets through; nobody acts but whom it has act."""

    def __init__(self, members: int, clock: dict[str, int] | None = None) -> None:
        self.world = table(members, clock)

    def steps(self, place: Place) -> Steps:
        return self.world.replica(place).steps

    def carries(self, rule: Callable[[Place, Place, Frame], bool]) -> None:
        """Let through from now on what a rule of sender, receiver and frame says."""

        def delay(sender: Place, receiver: Place) -> float | None:
            return 0.001 if rule(sender, receiver, open_frame(self.world.sent[-1][2])) else None

        self.world.delay = delay

    def mend(self) -> None:
        self.carries(lambda sender, receiver, frame: True)

    def acts(self, place: Place, choice: int) -> None:
        self.world.feed(place, Chosen(self.steps(place).tip.step, (choice,)))
        self.world.run(0.1, until=lambda: False)

    def want_out(self, places: Iterable[Place], *out: Place) -> None:
        for place in places:
            self.world.feed(place, Wanted(out=sum(1 << each for each in out)))

    def reaches(self, what: Callable[[], bool]) -> None:
        self.world.run(40, until=what)
        assert what()


def test_what_only_an_epoch_locked_that_came_to_nothing_is_logged_again_with_its_own_lock() -> None:
    net = Net(5)
    world, one, other = net.world, actor(net.world), actor(net.world, 1)
    two = (one, other)
    three = tuple(place for place in range(5) if place not in two)
    alone, *rest = three
    four = (*two, *rest)
    net.acts(one, CHALLENGE)
    step = net.steps(alone).tip.step
    net.carries(lambda sender, receiver, frame: receiver in two or sender in three or frame.kind is Kind.COMMIT)
    for place in two:
        net.acts(place, LOW)
    assert [net.steps(place).tip.step - step for place in (*two, *three)] == [2, 2, 1, 1, 1], "only they show them"

    def to_alone_only(sender: Place, receiver: Place, frame: Frame) -> bool:
        acked = frame.kind is Kind.ACK and frame.epoch == 1
        return {sender, receiver} <= {*three} and frame.kind is not Kind.SYNC and (not acked or receiver == alone)

    net.carries(to_alone_only)
    net.want_out(three, *two)
    net.reaches(lambda: net.steps(alone).settled.epoch == 1)
    net.carries(lambda sender, receiver, frame: {sender, receiver} <= {*four})
    world.run(10, until=lambda: False)
    assert {net.steps(place).tip.epoch for place in rest} == {0}, "for them nothing came of it"
    net.want_out(four, alone)
    net.reaches(lambda: all(net.steps(place).settled.live == tuple(sorted(four)) for place in four))
    net.mend()
    lengths = set[int]()

    def all_agree() -> bool:
        lengths.add(len(net.steps(alone).entries))
        return len(world.heads()) == 1

    net.reaches(all_agree)
    assert min(lengths) > step, "what is locked stays in the log"
    assert [world.audit(place).verdict for place in range(5)] == ["unfinished"] * 5
    assert world.strikes == []
    world.stop(alone)
    world.start(alone)
    assert len(net.steps(alone).entries) == net.steps(alone).settled.step


@pytest.mark.parametrize("clock", [None, CLOCK])
def test_a_draw_under_way_that_some_left_for_an_epoch_can_be_made_or_be_made_anew(clock: dict[str, int] | None) -> None:
    net = Net(4, clock)
    world, one = net.world, actor(net.world)
    saw, other, deaf = (place for place in range(4) if place != one)
    three = (one, other, deaf)
    net.carries(lambda sender, receiver, frame: sender != saw)
    net.acts(one, ROLL)
    assert [net.steps(place).journal.spent for place in (saw, *three)] == [2, 1, 1, 1], "it alone saw the lock"

    def not_to_deaf(sender: Place, receiver: Place, frame: Frame) -> bool:
        begins = frame.kind is Kind.EPOCH or (frame.kind is Kind.ACK and frame.epoch == 1)
        return {sender, receiver} <= {*three} and frame.kind is not Kind.SYNC and not (receiver == deaf and begins)

    net.carries(not_to_deaf)
    net.want_out(three, saw)
    net.reaches(lambda: net.steps(one).tip.epoch == net.steps(other).tip.epoch == net.steps(deaf).journal.sworn == 1)
    net.carries(lambda sender, receiver, frame: {sender, receiver} == {saw, deaf})
    net.reaches(lambda: net.steps(deaf).journal.promised > 1)
    world.run(40, until=lambda: False)
    assert net.steps(one).tip.epoch == net.steps(other).tip.epoch == 0, "they gave it up"
    assert net.steps(deaf).journal.spent == 1, "for those two it may have begun: they show no link here any more"
    net.mend()
    if clock is None:
        net.want_out(three, saw)
        net.reaches(lambda: not net.steps(one).tip.drawing)
    finish(world)
