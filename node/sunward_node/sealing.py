"""A genesis that was sealed by us but not yet, as far as we know, by all: how a node that was killed then comes back.

Whoever has all seals answers a seal with all of them. Must never take a seal for good that its member did not make.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sunward_node.driver import Driver
from sunward_node.transport import Transport
from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.errors import RemoteError
from sunward_protocol.genesis import Genesis
from sunward_protocol.identity import Signatures, Signer
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.limits import KNOCK_EVERY
from sunward_protocol.messages import Kind, Seal
from sunward_protocol.records import Kept


def seal_frames(genesis: Genesis, seals: dict[Place, bytes]) -> list[bytes]:
    """Return the frames that tell these seals."""
    return [seal(Kind.SEAL, Seal(each), genesis.table, place=place).raw for place, each in sorted(seals.items())]


def read_seal(genesis: Genesis, raw: bytes, signatures: Signatures) -> tuple[Place, bytes] | None:
    """Return whose seal on this genesis a frame holds, and the seal; None for any other frame."""
    try:
        frame = open_frame(raw)
    except RemoteError:
        return None
    if not isinstance(frame.payload, Seal) or frame.match != genesis.table or frame.place >= len(genesis.members):
        return None
    signature = frame.payload.signature
    if not signatures.hold(genesis.members[frame.place].identity, Purpose.SEAL, signature, genesis.body):
        return None
    return frame.place, signature


class Sealing:
    """Asks the other members for their seals until `sealed` resolves with all of them, in order of place."""

    def __init__(
        self, genesis: Genesis, place: Place, identity: Signer, transport: Transport, signatures: Signatures
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.sealed: asyncio.Future[tuple[bytes, ...]] = self._loop.create_future()
        self._genesis = genesis
        self._transport = transport
        self._signatures = signatures
        self._seals = {place: identity.sign(Purpose.SEAL, genesis.body)}
        self._peers = [member.curve for other, member in enumerate(genesis.members) if other != place]
        self._timer = self._loop.call_soon(self._ask)

    def deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        """Take in seals; what else comes is for later."""
        for _, raw in batch:
            read = read_seal(self._genesis, raw, self._signatures)
            if read is not None and not self.sealed.done():
                self._seals[read[0]] = read[1]
                if len(self._seals) == len(self._genesis.members):
                    self.sealed.set_result(tuple(self._seals[place] for place in sorted(self._seals)))

    def linked(self, key: CurveKey, connected: bool) -> None:
        """Take in that a connection began: its other end may have what we lack."""
        if connected:
            self._answer(key)

    def close(self) -> None:
        """Do nothing any more."""
        self._timer.cancel()
        self.sealed.cancel()

    def _ask(self) -> None:
        for key in self._peers:
            self._answer(key)
        self._timer = self._loop.call_later(KNOCK_EVERY, self._ask)

    def _answer(self, key: CurveKey) -> None:
        for raw in seal_frames(self._genesis, self._seals):
            self._transport.send([key], raw)


@dataclass(frozen=True, slots=True)
class Begun:
    """A match as far as our files tell it."""

    genesis: Genesis
    seals: tuple[bytes, ...]
    entries: Sequence[bytes] = ()
    kept: Sequence[Kept] = ()


class Reminding:
    """A driver, and an answer for a member who was killed before it heard that everybody had sealed."""

    def __init__(self, driver: Driver, begun: Begun, transport: Transport, signatures: Signatures) -> None:
        self.driver = driver
        self._genesis = begun.genesis
        self._seals = seal_frames(begun.genesis, dict(enumerate(begun.seals)))
        self._transport = transport
        self._signatures = signatures
        self.close = driver.close

    def deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        """Take in what came from peers. Once the set-up is locked everybody has begun, and nobody needs a reminder."""
        if self.driver.replica.steps.settled.step == 0:
            for key, raw in batch:
                if read_seal(self._genesis, raw, self._signatures) is not None:
                    for each in self._seals:
                        self._transport.send([key], each)
        self.driver.deliver(batch)

    def linked(self, key: CurveKey, connected: bool) -> None:
        """Take in that a connection began or ended."""
        self.driver.linked(key, connected)
