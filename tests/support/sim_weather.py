"""Makes a scenario's faults happen to a world. Must never touch a replica: only wires, disks, clocks and who is up."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random

from sunward_node.seat import JOURNAL_FILE, MATCH_FILE
from sunward_node.store import Kind, RecordFile
from sunward_protocol.envelope import open_frame
from sunward_protocol.ids import Place, Step
from sunward_protocol.table.clocks import THOUGHT
from sunward_protocol.table.commands import Command, Keep, Log, Send
from sunward_protocol.table.events import Connected, Disconnected, Wanted
from support.sim_faults import Blackout, Crash, Cut, Doubling, Drift, Gone, Jump, Lateness, Loss, Scenario, Sieve, Wish
from support.world import World

INSIST_EVERY = 5.0
"""Seconds between two times that a player says what it wants: what was wanted is void when an epoch begins."""


class Weather:
    """The faults of one world, from its first event to `clear`."""

    def __init__(self, world: World, scenario: Scenario) -> None:
        self.world = world
        self.deaths = 0
        self._scenario = scenario
        self._over = False
        self._links: dict[tuple[Place, Place], Random] = {}
        self._done = Counter[Place]()
        faults = scenario.faults
        self._losses = [fault for fault in faults if isinstance(fault, Loss)]
        self._lateness = [fault for fault in faults if isinstance(fault, Lateness)]
        self._doublings = [fault for fault in faults if isinstance(fault, Doubling)]
        self._cuts = [fault for fault in faults if isinstance(fault, Cut)]
        self._sieves = [fault for fault in faults if isinstance(fault, Sieve)]
        self._blackouts = {fault.first: fault.downs for fault in faults if isinstance(fault, Blackout)}
        crashes = [*self._blackouts, *(fault for fault in faults if isinstance(fault, Crash))]
        self._crashes = {(fault.place, fault.number): fault for fault in crashes}
        self._ends = {(fault.place, fault.number) for fault in faults if isinstance(fault, Gone)}
        self.gone: set[Place] = set()
        """The members that stopped for ever."""
        self._clocks: dict[Place, float] = {}
        self._owed: dict[Place, tuple[Step, set[Place]]] = {}
        world.route = self._route
        world.fuse = self._fuse
        for fault in faults:
            if isinstance(fault, Drift):
                world.clocks[fault.place].rate = fault.rate
            elif isinstance(fault, Wish):
                world.at(fault.time, partial(self._wish, fault))
            elif isinstance(fault, Jump):
                world.at(fault.time, self._jump(fault))
            elif isinstance(fault, Cut) and fault.noticed:
                world.at(fault.start, self._tell(fault, Disconnected))
                world.at(fault.end, self._tell(fault, Connected))

    def clear(self) -> None:
        """Let nothing go wrong any more, connect all, raise the dead, and let all want that it goes on."""
        self._over = True
        for place, replica in enumerate(self.world.replicas):
            if replica is None:
                self._raise(place)
        for place in range(len(self.world.replicas)):
            for other in range(len(self.world.replicas)):
                if other != place and other not in self.gone:
                    self.world.feed(place, Connected(other))
        self._insist()

    def _route(self, sender: Place, receiver: Place) -> Iterable[float]:
        """Return after how long each copy of a frame arrives."""
        latency = self._scenario.latency
        if self._over:
            return (latency,)
        chance = self._links.get((sender, receiver))
        if chance is None:
            chance = self._links[sender, receiver] = Random(f"{self._scenario.seed} {sender} {receiver}")
        now, pair = self.world.now, (sender, receiver)
        lost, late, twice = chance.random(), chance.random(), chance.random()
        if any(cut.start <= now < cut.end and pair in cut.pairs for cut in self._cuts):
            return ()
        sieves = [sieve for sieve in self._sieves if sieve.start <= now < sieve.end and pair in sieve.pairs]
        if sieves and any(open_frame(self.world.sent[-1][2]).kind in sieve.kinds for sieve in sieves):
            return ()
        if any(loss.start <= now < loss.end and lost < loss.share for loss in self._losses):
            return ()
        delay = latency + late * sum(each.most for each in self._lateness if each.start <= now < each.end)
        if any(each.start <= now < each.end and twice < each.share for each in self._doublings):
            return (delay, 2 * delay)
        return (delay,)

    def _fuse(self, place: Place, command: Command) -> bool:
        number = self._done[place]
        self._done[place] += 1
        if (place, number) in self._ends and not self._over:
            self.deaths += 1
            self.gone.add(place)
            return True
        crash = self._crashes.get((place, number))
        if crash is None or self._over:
            return False
        self._half(crash, command)
        for other, down in enumerate(self._blackouts.get(crash, ())):
            if other != place and self.world.replicas[other] is not None:
                self.world.stop(other)
                self._die(other, down, crash.clock)
        self._die(place, crash.down, crash.clock)
        return True

    def _die(self, place: Place, down: float, clock: float) -> None:
        """Have a member that dies now start again later."""
        self.deaths += 1
        self._clocks[place] = clock
        self.world.at(self.world.now + down, lambda: self._raise(place))

    def _half(self, crash: Crash, command: Command) -> None:
        """Do a part of what the member was about to do."""
        disk = self.world.disks[crash.place]
        if isinstance(command, Keep):
            disk.journal[:] = tear(disk.journal, command.record, crash.part, JOURNAL_FILE)
        elif isinstance(command, Log):
            disk.log[:] = tear(disk.log, command.record, crash.part, MATCH_FILE)
        elif isinstance(command, Send):
            for receiver in command.places[: int(len(command.places) * crash.part)]:
                self.world.post(crash.place, receiver, command.raw)

    def _raise(self, place: Place) -> None:
        if self.world.replicas[place] is None and place not in self.gone:
            self.world.clocks[place].restart(self._clocks.get(place, 0.0))
            self.world.start(place)

    def _wish(self, wish: Wish) -> None:
        for place in wish.places:
            replica = self.world.replicas[place]
            if replica is not None and not self._over:
                steps = [step for step, _ in replica.steps.tip.undo]
                rewind = steps[wish.rewind - 1] if 0 < wish.rewind <= len(steps) else 0
                self.world.feed(place, Wanted(wish.out, rewind, wish.adjourn, wish.back))

    def _insist(self) -> None:
        """Have everybody want again and again that who stopped for ever is out, who was put out back, and a rest over.

        Without clocks, too, that those are out whose nodes owed the same the last time. With clocks nobody has to want
        anybody out.
        """
        for place, replica in enumerate(self.world.replicas):
            if replica is not None:
                now = self.world.clocks[place].read(self.world.now)
                owing = replica.changes.owing(now).items()
                owed = {other for other, kind in owing if other != place and kind not in THOUGHT}
                last, self._owed[place] = self._owed.get(place), (replica.steps.tip.step, owed)
                keep_back = owed if last == self._owed[place] else set[Place]()
                out = 0 if self._scenario.clocks else sum(1 << other for other in self.gone | keep_back)
                self.world.feed(place, Wanted(out=out, back=True))
        self.world.at(self.world.now + INSIST_EVERY, self._insist)

    def _jump(self, fault: Jump) -> Callable[[], None]:
        def act() -> None:
            self.world.clocks[fault.place].offset += fault.by

        return act

    def _tell(self, cut: Cut, change: type[Connected | Disconnected]) -> Callable[[], None]:
        def act() -> None:
            for sender, receiver in cut.pairs:
                if not self._over:
                    self.world.feed(receiver, change(sender))
                    self.world.feed(sender, change(receiver))

        return act


def tear(records: Sequence[bytes], record: bytes, part: float, kind: Kind) -> list[bytes]:
    """Return what is found in a file after a crash in the middle of writing a record, written and read by the store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "torn"
        with RecordFile.open(path, kind) as file:
            file.append(records)
            before = path.stat().st_size
            file.append(record)
        with path.open("r+b") as torn:
            torn.truncate(before + int((path.stat().st_size - before) * part))
        with RecordFile.open(path, kind) as file:
            return file.read()
