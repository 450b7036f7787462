"""Nodes of ours in processes of their own: started with an order on their standard input, and kept on it.

A node stops when its standard input ends, so none outlives whoever started it, however that died. One that was told
to stay does; one that follows stays only as long as a node that does not: of both, the leash tells, a pipe into which
nothing is ever written.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Self, cast

from sunward_node.order import Order
from sunward_node.places import Places, private_folder
from sunward_protocol.errors import DamagedFile, LocalError, OtherVersion, RemoteError, SunwardError

_PATIENCE = 30.0
"""Seconds until a node that says nothing counts as failed: a slow machine starts one in three."""
_PARTING = 5.0
"""Seconds that a node has to write, tell the others and end."""


STAY = b"stay"
"""What a node reads on its standard input when it shall outlive whoever started it; after a blank, which descriptor it
then heeds instead: it stops when that ends."""


class NodeError(LocalError):
    """A node of ours could not go on; the text is what it said."""

    code = "node"


_KINDS: Mapping[str, type[SunwardError]] = {kind.code: kind for kind in (DamagedFile, OtherVersion, RemoteError)}
"""What a node may die of that ends a command otherwise than the rest."""


class NodeProcess:
    """One node, and what it announced: `socket`, `invite`, `match`, `folder`, `file`, `over`; `leash` if it follows."""

    def __init__(self, process: asyncio.subprocess.Process, leash: int | None) -> None:
        self._process = process
        self._leash = leash
        self._told: dict[str, object] = {}
        self._news = asyncio.Condition()
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def start(cls, order: Order, places: Places, *, held: Sequence[int] = (), leash: int | None = None) -> Self:
        """Start a node, with the descriptors that it holds or follows, and give it its order."""
        log = private_folder(places.state) / "node.log"
        with log.open("ab") as talk:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "sunward",
                "node",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=talk,
                pass_fds=(*held, *([] if leash is None else [leash])),
                start_new_session=True,  # Ctrl-C in the terminal is for the client: it then stops its nodes in order
            )
        assert process.stdin is not None
        process.stdin.write(order.to_json().encode() + b"\n")
        return cls(process, leash)

    async def announced(self, name: str, patience: float | None = _PATIENCE) -> object:
        """Wait until the node announced something of this name and return it, or raise what it died of first."""
        try:
            async with asyncio.timeout(patience), self._news:
                await self._news.wait_for(lambda: name in self._told or "error" in self._told)
        except TimeoutError as error:
            raise NodeError("A node of ours does not answer; what it said last is in node.log.") from error
        if name not in self._told:
            raise _KINDS.get(str(self._told.get("code")), NodeError)(str(self._told["error"]))
        return self._told[name]

    async def release(self) -> None:
        """Let the node play on by itself, or with those that it follows, when we are gone."""
        assert self._process.stdin is not None
        self._process.stdin.write(STAY + (b"\n" if self._leash is None else b" %d\n" % self._leash))
        await self._process.stdin.drain()
        self._reading.cancel()

    async def kill(self) -> None:
        """End the node as a crash does: no goodbye, no last write."""
        self._process.kill()
        await self._process.wait()

    async def stop(self) -> None:
        """Let the node end in order; a node that does not is killed: what it wrote is whole all the same."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_PARTING):
                await self._process.wait()
        except TimeoutError:
            await self.kill()
        await self._reading

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            async with self._news:
                self._told |= cast("Mapping[str, object]", json.loads(line))
                self._news.notify_all()
        async with self._news:
            if "over" not in self._told:
                self._told.setdefault("error", "A node of ours ended without a word; what it said last is in node.log.")
            self._news.notify_all()


class Party:
    """All the nodes that one command starts; they are stopped when the block is left."""

    def __init__(self) -> None:
        self.places = Places.find(os.environ)
        self._nodes: list[NodeProcess] = []
        self._leash, self._held = os.pipe()

    async def start(self, order: Order, *, follows: bool = False) -> NodeProcess:
        """Start one more node; one that follows ends with those that do not, when it is released: a person's bots."""
        if follows:
            node = await NodeProcess.start(order, self.places, leash=self._leash)
        else:
            node = await NodeProcess.start(order, self.places, held=(self._held,))
        self._nodes.append(node)
        return node

    async def failed(self) -> None:
        """Return never; raise what the first node that cannot go on died of."""
        waiting = [asyncio.ensure_future(node.announced("never", None)) for node in self._nodes]
        try:
            for first in asyncio.as_completed(waiting):
                await first
        finally:
            for each in waiting:
                each.cancel()

    async def finish(self) -> None:
        """Let every node have the end of its match on disk: the first to know it may be a moment ahead."""
        await asyncio.gather(*(node.announced("over", _PARTING) for node in self._nodes), return_exceptions=True)

    async def release(self) -> None:
        """Let all nodes play on when the block is left."""
        await asyncio.gather(*(node.release() for node in self._nodes))
        self._nodes.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*(node.stop() for node in self._nodes))
        os.close(self._leash)
        os.close(self._held)
