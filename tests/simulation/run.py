"""Whole tables under a faulty network, with crashes at any command, each from one seed.

python tests/simulation/run.py --seeds 1000      run many, print the first that fails
python tests/simulation/run.py --seed 7          run one again, and say what went on
"""

import argparse
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward_protocol.envelope import open_frame
from sunward_protocol.ids import Place
from sunward_protocol.messages import BODIES, Kind
from sunward_protocol.table.commands import Command
from sunward_protocol.table.events import Ended, Troubled
from support.world import World

FAULTS_END = 12.0
"""Seconds of the table's own time after which nothing is lost and nobody dies any more."""
PATIENCE = 60.0
"""Seconds within which a table without faults must come to its end."""
SLOTTED = (*BODIES, Kind.ACK, Kind.LINK)


class Faults:
    """What goes wrong at one table: how often frames are lost, how late they are, who cannot hear whom, who dies."""

    def __init__(self, world: World, chance: Random) -> None:
        self.world = world
        self.chance = chance
        self.loss = chance.choice((0.0, 0.05, 0.3))
        self.late = chance.choice((0.0, 0.002, 0.05, 1.5))
        self.deadly = chance.choice((0.0, 0.001, 0.01))
        self.deaf = set[tuple[Place, Place]]()
        self.deaths = 0
        world.delay = self.delay
        world.fuse = self.fuse

    def delay(self, sender: Place, receiver: Place) -> float | None:
        """Return how long a frame takes; late frames overtake one another."""
        if (sender, receiver) in self.deaf or self.chance.random() < self.loss:
            return None
        return 0.0005 + self.late * self.chance.random()

    def fuse(self, place: Place, command: Command) -> bool:
        """Whether a member dies before its next command."""
        dies = self.chance.random() < self.deadly
        self.deaths += dies
        return dies

    def change(self) -> None:
        """Cut some members from some others, in one direction or both, and raise some of the dead."""
        members = range(len(self.world.replicas))
        pairs = [(one, other) for one in members for other in members if one != other]
        self.deaf = {pair for pair in pairs if self.chance.random() < 0.15}
        for place in members:
            if self.world.replicas[place] is None and self.chance.random() < 0.5:
                self.world.start(place)

    def stop(self) -> None:
        """Let nothing go wrong any more, and raise all of the dead."""
        self.loss = self.late = self.deadly = 0.0
        self.deaf.clear()
        for place, replica in enumerate(self.world.replicas):
            if replica is None:
                self.world.start(place)


def play(number: int) -> tuple[World, Faults]:
    """Play the match of a seed to its end, first with faults, then without."""
    chance = Random(number)
    world = World(chance.randrange(2, 7), random_seed=number, components=b"%d" % chance.choice((3, 6, 12)))
    faults = Faults(world, chance)
    while world.now < FAULTS_END and not (world.ended() and all(world.replicas)):
        world.run(0.5)
        faults.change()
    faults.stop()
    world.run(PATIENCE)
    return world, faults


def failures(world: World) -> list[str]:
    """Return what is not as it must be after a match between honest members."""
    found = list[str]()
    if not world.ended():
        found.append(f"not ended: {[replica and replica.steps.settled.step for replica in world.replicas]}")
    if len(world.heads()) != 1:
        found.append("different heads")
    found += [f"strike: {strike}" for strike in world.strikes]
    for place in range(len(world.replicas)):
        found += [f"trouble told to {place}: {trouble}" for trouble in world.told(place, Troubled)]
        report = world.audit(place)
        if report.verdict != "complete":
            found.append(f"audit of {place}: {report}")
        if not world.told(place, Ended):
            found.append(f"{place} was not told of the end")
    signed = dict[tuple[int, ...], bytes]()
    for place, own, raw in world.trace:
        frame = open_frame(raw)
        if own and frame.place == place and frame.kind in SLOTTED and signed.setdefault(frame.slot, raw) != raw:
            found.append(f"two bodies for {frame.slot}")
    return found


def main() -> int:
    """Run seeds; return 1 with the first that fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=300, help="how many seeds to run")
    parser.add_argument("--start", type=int, default=0, help="the first of them")
    parser.add_argument("--seed", type=int, help="run this one alone and print what was told at each member")
    asked = parser.parse_args()
    if asked.seed is not None:
        world, faults = play(asked.seed)
        for place, notices in enumerate(world.notices):
            print(f"member {place}:", *notices, sep="\n  ")
        print(f"{len(world.replicas)} members, loss {faults.loss}, late {faults.late}, {faults.deaths} deaths")
        print(*failures(world) or ["all is well"], sep="\n")
        return bool(failures(world))
    start, frames, deaths = time.perf_counter(), 0, 0
    for number in range(asked.start, asked.start + asked.seeds):
        world, faults = play(number)
        frames, deaths = frames + len(world.sent), deaths + faults.deaths
        if failures(world):
            print(f"seed {number}:", *failures(world), sep="\n  ")
            return 1
    seconds = time.perf_counter() - start
    print(f"{asked.seeds} tables, {frames} frames, {deaths} deaths, {seconds:.1f} s: all is well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
