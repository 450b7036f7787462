#!/usr/bin/env python3
"""A locked random action of a real match, over real sockets, every node its own process, against its floor.

The floor is the same step with nothing but sockets, signatures and hashes: no engine and no checks.
Both run in turn, in the same run; the ratio of their medians is the figure.

    python tests/bench/locked_draw.py [--nodes 2 3 4 6] [--repeat 3] [--quick] [--json]
"""

import argparse
import asyncio
import hashlib
import json
import multiprocessing
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, cast

import msgpack
import zmq
import zmq.asyncio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.tables import Seated, play

_pack = cast("Callable[[object], bytes]", msgpack.packb)  # pyright: ignore[reportUnknownMemberType]
_unpack = cast("Callable[[bytes], list[Any]]", msgpack.unpackb)  # pyright: ignore[reportUnknownMemberType]


def _plain(socket: zmq.asyncio.Socket) -> "zmq.Socket[bytes]":
    """Return a socket beneath its asyncio face: what is there is read at once, without a future for each message."""
    return cast("zmq.Socket[bytes]", zmq.Socket.shadow(socket.underlying))  # pyright: ignore[reportUnknownMemberType]


def _hash(person: bytes, *parts: bytes) -> bytes:
    return hashlib.blake2b(b"".join(parts), digest_size=32, person=person).digest()


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Bare:
    """One node of the floor: a step is an ACT by one, an ACK by each, a link by each."""

    def __init__(self, me: int, ports: Sequence[int], keys: tuple[bytes, bytes], steps: int) -> None:
        count = len(ports)
        self.me, self.count, self.steps = me, count, steps
        self.signing = Ed25519PrivateKey.from_private_bytes(bytes([me + 1]) * 32)
        self.verifying: list[Ed25519PublicKey] = [
            Ed25519PrivateKey.from_private_bytes(bytes([k + 1]) * 32).public_key() for k in range(count)
        ]
        self.chains, self.tips = list[list[bytes]](), list[bytes]()
        for seat in range(count):  # a real node knows its own chain and the others' tips only
            link, chain = bytes([100 + seat]) * 32, list[bytes]()
            for _ in range(steps + 1):
                chain.append(link)
                link = _hash(b"link", bytes([seat]), link)
            self.chains.append(chain[::-1])
            self.tips.append(link)
        self.log = (Path(tempfile.mkdtemp()) / "log").open("ab", buffering=0)
        self.context = zmq.asyncio.Context()
        public, secret = keys
        router = self.context.socket(zmq.ROUTER)
        router.curve_server, router.curve_secretkey, router.maxmsgsize = True, secret, 65536
        router.bind(f"tcp://127.0.0.1:{ports[me]}")
        self.router = router
        self.receiving: zmq.Socket[bytes] = _plain(router)
        self.sending = list[zmq.Socket[bytes]]()
        self._dealers = list[zmq.asyncio.Socket]()
        for other in range(count):
            if other != me:
                dealer = self.context.socket(zmq.DEALER)
                dealer.curve_serverkey = public
                dealer.curve_publickey, dealer.curve_secretkey = zmq.curve_keypair()
                dealer.connect(f"tcp://127.0.0.1:{ports[other]}")
                self._dealers.append(dealer)
                self.sending.append(_plain(dealer))
        self.inbox: dict[tuple[str, int], dict[int, list[bytes]]] = {}

    def tell(self, kind: str, step: int, *values: bytes) -> None:
        """Send to all, signed unless it is a link, and written before it leaves."""
        if kind == "link":
            frame = _pack([kind, self.me, [step, *values]])
        else:
            raw = _pack([step, *values])
            frame = _pack([kind, self.me, raw, self.signing.sign(raw)])
            self.log.write(frame)
        self.inbox.setdefault((kind, step), {})[self.me] = list(values)
        for one in self.sending:
            one.send(frame, zmq.NOBLOCK)

    async def gather(self, kind: str, step: int, wanted: int) -> dict[int, list[bytes]]:
        """Wait until so many have told a thing of this kind."""
        while len(self.inbox.get((kind, step), ())) < wanted:
            await self.router.poll()
            try:
                while True:
                    told, seat, *rest = _unpack(self.receiving.recv_multipart(zmq.NOBLOCK)[1])
                    if told == "link":
                        at, *values = rest[0]
                    else:
                        self.verifying[int(seat)].verify(rest[1], rest[0])
                        at, *values = _unpack(rest[0])
                    self.inbox.setdefault((told, at), {})[seat] = values
            except zmq.Again:
                pass
        return self.inbox.pop((kind, step))

    async def run(self, barrier: Barrier) -> list[float]:
        """Return the seconds of each step."""
        await asyncio.to_thread(barrier.wait)
        await asyncio.sleep(0.5)
        head, times = bytes(32), list[float]()
        for step in range(self.steps):
            begun = time.perf_counter()
            if step % self.count == self.me:
                self.tell("act", step, head, b"trip venus" * 4)
            ((before, action),) = (await self.gather("act", step, 1)).values()
            assert before == head
            head = _hash(b"head", head, action)
            self.tell("ack", step, head, _hash(b"state", head))
            assert all(ack[0] == head for ack in (await self.gather("ack", step, self.count)).values())
            self.tell("link", step, self.chains[self.me][step])
            links = await self.gather("link", step, self.count)
            for seat, (link,) in links.items():
                assert _hash(b"link", bytes([seat]), link) == self.tips[seat]
                self.tips[seat] = link
            head = _hash(b"draw", head, *(links[seat][0] for seat in range(self.count)))
            times.append(time.perf_counter() - begun)
        await asyncio.sleep(0.5)
        self.context.destroy(0)
        return times


def _bare(
    me: int, ports: list[int], keys: tuple[bytes, bytes], steps: int, barrier: Barrier, out: "Queue[list[float]]"
) -> None:
    async def main() -> list[float]:
        return await Bare(me, ports, keys, steps).run(barrier)

    out.put(asyncio.run(main()))


def floor(count: int, steps: int) -> list[float]:
    """Return the seconds of each step of each bare node."""
    start = multiprocessing.get_context("spawn")
    barrier, out = start.Barrier(count), start.Queue()
    keys, ports = zmq.curve_keypair(), _free_ports(count)
    nodes = [start.Process(target=_bare, args=(me, ports, keys, steps, barrier, out)) for me in range(count)]
    for node in nodes:
        node.start()
    times = [each for _ in nodes for each in out.get(timeout=120)]
    for node in nodes:
        node.join()
    return times


def product(count: int, matches: int) -> list[float]:
    """Return the seconds of each drawing step of whole matches between random bots, at every node."""
    game = "around" if count >= 3 else "pebbles"
    times = list[float]()
    for match in range(matches):
        told = play(count, game, seed=match)
        times += [each for node in told for each in drawn_steps(node)]
    return times


def drawn_steps(node: Seated) -> list[float]:
    """Return the seconds between a step's end and the end of the next, for the steps that drew."""
    ends = node.ends
    return [after - before for (before, _), (after, drawn) in pairwise(ends) if drawn]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[2, 3, 4, 6])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one short run of 3 nodes: does it work at all?")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    counts, repeat, steps = ([3], 1, 50) if options.quick else (options.nodes, options.repeat, 300)
    table = dict[int, dict[str, float]]()
    for count in counts:
        ratios, ours, floors = list[float](), list[float](), list[float]()
        for _ in range(repeat):
            floors.append(statistics.median(floor(count, steps)) * 1e3)
            ours.append(statistics.median(product(count, 1 if options.quick else 3)) * 1e3)
            ratios.append(ours[-1] / floors[-1])
        table[count] = {
            "floor_ms": round(statistics.median(floors), 2),
            "match_ms": round(statistics.median(ours), 2),
            "ratio": round(statistics.median(ratios), 2),
        }
        if not options.json:
            print(f"{count} nodes: {table[count]}", flush=True)
    if options.json:
        print(json.dumps({"locked_draw": table, "cores": os.cpu_count()}))


if __name__ == "__main__":
    main()
