"""Tables whose members are far from each other: real replicas, drivers and sockets, and proxies between all of them.

Must never know what a link is about to do to the match.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Self

from sunward_node.bots.bot import say
from sunward_node.bots.random import Random
from sunward_node.driver import Driver
from sunward_node.seat import JOURNAL_FILE, MATCH_FILE
from sunward_node.sockets import CurveKeys
from sunward_node.store import RecordFile
from sunward_node.transport import Transport
from sunward_protocol.draws import DrawStream
from sunward_protocol.games.game import Action, Position, Seat
from sunward_protocol.identity import Ed25519Signatures
from sunward_protocol.ids import CurveKey, Place, Step
from sunward_protocol.table.events import Drawn, Notice, Troubled
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.proxy import Proxy, Way
from support.sockets import LOOPBACK
from support.tables import Plan, chance_bytes, stay
from support.world import seed


class FarTable(AsyncExitStack):
    """Begins a match between random bots when it is entered; `delay` is seconds each way.

    Each member dials each other through `links[dialer, dialed]`.
    """

    def __init__(self, members: int, game: str, delay: float, components: bytes | None = None, number: int = 0) -> None:
        super().__init__()
        curves = tuple(CurveKeys.generate() for _ in range(members))
        self.plan = Plan(members, game, components, (), number, curves, ())
        self.links: dict[tuple[Place, Place], Proxy] = {}
        self.drivers: list[Driver] = []
        self.transports: list[Transport] = []
        self.acted: dict[Step, float] = {}
        """When somebody acted in each step, in seconds of one clock for all."""
        self.drawn: list[tuple[Step, float]] = []
        """When each member knew what a step drew."""
        self.troubles: list[Troubled] = []
        self._changed = asyncio.Event()
        self._delay = delay

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._folder = Path(self.enter_context(tempfile.TemporaryDirectory()))
        places = range(self.plan.members)
        curves = [keys.public for keys in self.plan.curves]
        ports = list[int]()
        for me in places:
            transport = Transport(
                self.plan.curves[me],
                set(curves).__contains__,
                partial(self._deliver, me),
                partial(self._linked, me),
            )
            self.push_async_callback(transport.close)
            self.transports.append(transport)
            ports.append(int(transport.listen(LOOPBACK).rpartition(":")[2]))
        for me, other in permutations(places, 2):
            link = self.links[me, other] = await Proxy.start(ports[other], self._delay)
            self.push_async_callback(link.close)
            self.transports[me].dial(curves[other], f"tcp://127.0.0.1:{link.port}")
        await self.until(self.is_linked)
        for me in places:
            self.drivers.append(self._driver(me))
            self.callback(self.drivers[me].close)
        for driver in self.drivers:
            driver.begin()
        return self

    def _driver(self, me: Place) -> Driver:
        plan, genesis = self.plan, self.plan.genesis()
        chance, bot = DrawStream(seed("chance", me, plan.seed)), Random()

        def player(position: Position, seat: Seat) -> tuple[Action, ...]:
            self.acted[replica.steps.tip.step] = time.perf_counter()
            return say(bot, position, seat, chance)

        replica = Replica(
            genesis,
            plan.the_game().load(genesis.components),
            Own(me, plan.signer("session", me), plan.chain(me), partial(chance_bytes, chance)),
            Ed25519Signatures(),
            now=asyncio.get_running_loop().time(),
        )
        log = self.enter_context(RecordFile.open(self._folder / f"log {me}", MATCH_FILE))
        journal = self.enter_context(RecordFile.open(self._folder / f"journal {me}", JOURNAL_FILE))
        return Driver(replica, self.transports[me], log, journal, self._watch, stay, player)

    def between(self, one: Place, other: Place) -> Mapping[Proxy, Way]:
        """Return both links of a pair, and which way on each the one's bytes go to the other."""
        return {self.links[one, other]: Way.OUT, self.links[other, one]: Way.BACK}

    def is_linked(self, one: Place | None = None, other: Place | None = None) -> bool:
        """Whether two members know of a connection with each other; without any named, all members with all."""
        pairs = (
            permutations(range(self.plan.members), 2) if one is None or other is None else [(one, other), (other, one)]
        )
        return all(self.plan.curves[b].public in self.transports[a].peers() for a, b in pairs)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds on what was heard, connected or lost."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    def flow(self) -> None:
        """Let everything flow again."""
        for link in self.links.values():
            link.flow()

    async def reach(self, step: int) -> None:
        """Wait until everybody has settled a step."""
        await self.until(lambda: min(driver.replica.steps.settled.step for driver in self.drivers) > step)

    async def end(self) -> None:
        """Wait for the end; assert that it is the same for all and that nobody was accused of anything."""
        await asyncio.gather(*(driver.ended for driver in self.drivers))
        assert len({driver.replica.steps.settled.head for driver in self.drivers}) == 1
        assert self.troubles == []

    def _watch(self, notice: Notice) -> None:
        if isinstance(notice, Drawn) and notice.step:
            self.drawn.append((notice.step, time.perf_counter()))
        elif isinstance(notice, Troubled):
            self.troubles.append(notice)

    def _deliver(self, me: Place, batch: list[tuple[CurveKey, bytes]]) -> None:
        if len(self.drivers) > me:
            self.drivers[me].deliver(batch)
        self._changed.set()

    def _linked(self, me: Place, key: CurveKey, connected: bool) -> None:
        if len(self.drivers) > me:
            self.drivers[me].linked(key, connected)
        self._changed.set()
