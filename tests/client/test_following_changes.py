"""A client's table and the replica's are the same through every change of who plays, told at once or from a file."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from sunward.commands.replay import events
from sunward_client.events import Applied, Event, read
from sunward_client.following import update
from sunward_client.model import Model, playing
from sunward_client.replay import Reel
from sunward_client.theme import Look
from sunward_node.telling import Telling
from sunward_protocol.audit import MatchFile
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.catalog import find
from sunward_protocol.games.game import Game
from sunward_protocol.table.events import Chosen, Wanted
from sunward_protocol.table.replica import Replica
from support.world import World, choose_at_random

CLOCK = {"bank": 4, "frames": 4, "increment": 1}


class Watcher:
    """A client of one member's node, which was attached from the start."""

    def __init__(self, world: World, place: int) -> None:
        self.world, self.place = world, place
        self.model = Model(Look())
        self.told = list[Event]()
        self._heard = 0
        steps = world.replica(place).steps
        self._telling = Telling(world.genesis, place, lambda: steps.settled.place_of, "/m", bytes.hex, self._take)

    def _take(self, message: Mapping[str, object]) -> None:
        event = read(message)
        assert event is not None
        self.told.append(event)
        self.model = update(self.model, event)

    def catch_up(self) -> None:
        notices = self.world.notices[self.place]
        for notice in notices[self._heard :]:
            self._telling.tell(notice)
        self._heard = len(notices)

    def sees_the_table(self) -> bool:
        return playing(self.model)[1].encode() == self.world.replica(self.place).steps.settled.position.encode()


@pytest.mark.parametrize("game", [AROUND, BEYOND], ids=["around", "beyond"])
@pytest.mark.parametrize("seed", range(6))
def test_whoever_is_put_out_and_comes_back_is_followed(game: Game, seed: int) -> None:
    world = World(4 if seed % 2 else 3, game=game, clock=CLOCK, random_seed=seed)
    last = len(world.replicas) - 1
    watcher = Watcher(world, 0)
    world.run(until=lambda: world.replica(0).steps.settled.step >= 9 + seed)
    world.stop(last)
    world.run(until=lambda: last not in world.replica(0).steps.settled.live, seconds=100)
    watcher.catch_up()
    assert watcher.model.out == (world.replica(0).steps.settled.seat_of(last),)
    assert watcher.sees_the_table()
    world.run(until=lambda: world.replica(0).steps.settled.step >= 26 + seed, seconds=20)
    world.start(last)
    world.feed(last, Wanted(back=True))
    world.run(until=lambda: last in world.replica(0).steps.settled.live, seconds=100)
    watcher.catch_up()
    assert not watcher.model.out
    assert watcher.sees_the_table()
    world.run(seconds=2000)
    watcher.catch_up()
    assert watcher.model.over
    assert watcher.sees_the_table()
    assert any(isinstance(event, Applied) and event.autopilot for event in watcher.told)
    match = MatchFile(world.disks[1].log, find)
    reel = Reel.load(Model(Look()), events(match, Path("/m")))
    assert playing(reel.frames[-1])[1].encode() == match.ledger.position.encode()
    steered = [(entry.step, entry.text) for entry in reel.frames[-1].log if "(autopilot)" in entry.text]
    assert steered == [(entry.step, entry.text) for entry in watcher.model.log if "(autopilot)" in entry.text]


def nobody(_: Replica, __: Random) -> tuple[int, ...]:
    return ()


def play_on(world: World) -> None:
    """Let whoever is asked choose again."""
    world.choose = choose_at_random
    for place in range(len(world.replicas)):
        steps = world.replica(place).steps
        if place in steps.tip.due().places:
            world.feed(place, Chosen(steps.tip.step, choose_at_random(world.replica(place), world.chance)))


def test_what_is_taken_back_is_followed() -> None:
    world = World(3, game=BEYOND)
    watcher = Watcher(world, 0)
    steps = world.replica(0).steps
    world.run(until=lambda: steps.tip.step > 20)
    while not steps.tip.undo:
        play_on(world)
        world.run(until=lambda: bool(steps.tip.undo))
        world.choose = nobody  # else something would be drawn before all have agreed
        world.run(1)
    rewind = steps.tip.undo[0][0]
    for place in range(3):
        world.feed(place, Wanted(rewind=rewind))
    world.run(until=lambda: steps.settled.changed is not None, seconds=20)
    watcher.catch_up()
    told = f"All agreed: what was played from step {rewind} on is taken back."
    assert watcher.model.log[-1].text == told
    assert watcher.sees_the_table()
    world.run(1)
    play_on(world)
    world.run(seconds=2000)
    watcher.catch_up()
    assert watcher.model.over
    assert watcher.sees_the_table()
