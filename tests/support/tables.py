"""Whole matches over real sockets, every node its own process, with keys that a test knows and no lobby before them."""

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from sunward_node.bots.bot import say
from sunward_node.bots.random import Random
from sunward_node.driver import Driver
from sunward_node.sockets import CurveKeys
from sunward_node.transport import Transport
from sunward_protocol.draws import DrawStream, HashChain
from sunward_protocol.games.catalog import find
from sunward_protocol.games.game import Action, Game, Position, Seat
from sunward_protocol.genesis import Genesis, delegate
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.limits import CHAIN_LENGTH
from sunward_protocol.table.events import Applied, Drawn, Notice
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.pebbles import PEBBLES
from support.world import seed


@dataclass(frozen=True, slots=True)
class Plan:
    """What all processes of a table know beforehand."""

    members: int
    game: str
    components: bytes | None
    options: tuple[tuple[str, str], ...]
    seed: int
    curves: tuple[CurveKeys, ...]
    ports: tuple[int, ...]

    def the_game(self) -> Game:
        return PEBBLES if self.game == "pebbles" else find(self.game)

    def signer(self, what: str, place: Place) -> Ed25519Signer:
        return Ed25519Signer(seed(what, place, self.seed))

    def chain(self, place: Place) -> HashChain:
        return HashChain(seed("chain", place, self.seed), self.signer("session", place).public, CHAIN_LENGTH)

    def genesis(self) -> Genesis:
        table, game = seed("table", self.seed), self.the_game()
        members = tuple(
            delegate(
                self.signer("identity", place),
                table,
                f"member {place}",
                self.signer("session", place).public,
                self.curves[place].public,
                self.chain(place).tip,
                CHAIN_LENGTH,
            )
            for place in range(self.members)
        )
        components = game.load(game.builtin() if self.components is None else self.components).components
        return Genesis(table, game.name, game.rules_version, self.options, components, (), CHAIN_LENGTH, (), members)


@dataclass(frozen=True, slots=True)
class Seated:
    """What one node saw: the time each step ended and whether it drew, and its last head."""

    ends: list[tuple[float, bool]]
    head: bytes


class PlainFile:
    """An append-only file without record marks: one write a record."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def append(self, payload: bytes) -> None:
        self._file.write(payload)


def stay(_place: Place, _endpoints: Sequence[str]) -> None:
    """Take no notice of where others listen: nobody moves here."""


async def _node(plan: Plan, me: Place, barrier: Barrier) -> Seated:
    genesis, game = plan.genesis(), plan.the_game()
    curves = [member.curve for member in genesis.members]
    chance = DrawStream(blake2b(b"%d %d" % (me, plan.seed), digest_size=32).digest())
    bot, ends = Random(), list[tuple[float, bool]]()

    def player(position: Position, seat: Seat) -> tuple[Action, ...]:
        return say(bot, position, seat, chance)

    def watch(notice: Notice) -> None:
        if isinstance(notice, Applied):
            ends.append((time.perf_counter(), False))
        elif isinstance(notice, Drawn):
            if notice.step:
                ends.pop()
            ends.append((time.perf_counter(), True))

    replica = Replica(
        genesis,
        game.load(genesis.components),
        Own(me, plan.signer("session", me), plan.chain(me), lambda size: chance_bytes(chance, size)),
        Ed25519Signatures(),
        now=asyncio.get_running_loop().time(),
    )
    folder = Path(tempfile.mkdtemp())
    driver: Driver | None = None

    def deliver(batch: list[tuple[CurveKey, bytes]]) -> None:
        if driver is not None:
            driver.deliver(batch)

    def linked(key: CurveKey, connected: bool) -> None:
        if driver is not None:
            driver.linked(key, connected)

    transport = Transport(plan.curves[me], set(curves).__contains__, deliver, linked)
    transport.listen(f"tcp://127.0.0.1:{plan.ports[me]}")
    await asyncio.to_thread(barrier.wait)
    for place, key in enumerate(curves):
        if place != me:
            transport.dial(key, f"tcp://127.0.0.1:{plan.ports[place]}")
    await asyncio.sleep(0.5)
    log, journal = PlainFile(folder / "log"), PlainFile(folder / "journal")
    driver = Driver(replica, transport, log, journal, watch, stay, player)
    driver.begin()
    async with asyncio.timeout(90):
        await driver.ended
        await driver.known
    await asyncio.sleep(0.2)
    await transport.close()
    return Seated(ends, replica.steps.settled.head)


def chance_bytes(chance: DrawStream, size: int) -> bytes:
    """So many bytes from a stream: nonces that a test can repeat."""
    return bytes(chance.below(256) for _ in range(size))


def _process(plan: Plan, me: Place, barrier: Barrier, out: "Queue[Seated]") -> None:
    out.put(asyncio.run(_node(plan, me, barrier)))


def play(
    members: int,
    game: str,
    *,
    seed: int = 0,
    components: bytes | None = None,
    options: tuple[tuple[str, str], ...] = (),
) -> list[Seated]:
    """Play a match between random bots to its end; return what each node saw."""
    import socket

    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(members)]
    ports = tuple(one.getsockname()[1] for one in held)
    for one in held:
        one.close()
    plan = Plan(members, game, components, options, seed, tuple(CurveKeys.generate() for _ in range(members)), ports)
    start = multiprocessing.get_context("spawn")
    barrier, out = start.Barrier(members), start.Queue()
    nodes = [start.Process(target=_process, args=(plan, me, barrier, out)) for me in range(members)]
    for node in nodes:
        node.start()
    seen = [out.get(timeout=100) for _ in nodes]
    for node in nodes:
        node.join()
    assert len({one.head for one in seen}) == 1, "the nodes ended with different histories"
    return seen
