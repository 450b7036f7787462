"""The time before a match: drives one side of a lobby over the transport until everybody sealed a genesis.

Must never go on after our own disk failed: a seal would then stand for a seat that has no keys.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence

from sunward_node.transport import Transport
from sunward_protocol.errors import RemoteError
from sunward_protocol.ids import CurveKey
from sunward_protocol.messages import Lobby
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import NEVER, Answer, Blame, Closed, Founded, Heard, LobbyChanged, Post, Prepare, Void
from sunward_protocol.table.visitor import Visitor

_LOG = logging.getLogger(__name__)


class TurnedAway(RemoteError):
    """There is no seat for us at this table; the text is what its host, or the start, said."""

    code = "turned-away"


class Gathering:
    """Drives a lobby; `founded` resolves with the start of the match, or fails with why there will be none.

    `prepare` must have the seat's keys on disk when it returns, or raise the `SunwardError` that `founded` then fails
    with; `show` is told who is at the table, and of a start that came to nothing.
    """

    def __init__(
        self,
        side: Host | Visitor,
        transport: Transport,
        prepare: Callable[[Prepare], None],
        show: Callable[[Lobby | Heard | Void], None],
    ) -> None:
        self.side = side
        self._loop = asyncio.get_running_loop()
        self.founded: asyncio.Future[Founded] = self._loop.create_future()
        self._transport = transport
        self._prepare = prepare
        self._show = show
        self._timer: asyncio.TimerHandle | None = None
        self._do(side.look(self._loop.time()))

    def deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        """Take in what came from peers; the host's side answers even when the match has begun."""
        for key, raw in batch:
            self._do(self.side.hear(key, raw, self._loop.time()))

    def linked(self, key: CurveKey, connected: bool) -> None:
        """Take in that a connection began or ended."""
        self._do(self.side.look(self._loop.time()) if connected else self.side.part(key, self._loop.time()))

    def set_ready(self, ready: bool) -> None:
        """Say whether our player is ready to begin."""
        self._do(self.side.set_ready(ready, self._loop.time()))

    def say(self, text: str) -> None:
        """Say something to everybody at the table."""
        self._do(self.side.say(text))

    def leave(self, reason: str) -> None:
        """Leave, or close, a table whose match has not begun."""
        self._do(self.side.close(reason))

    def close(self) -> None:
        """Do nothing any more by itself."""
        if self._timer is not None:
            self._timer.cancel()
        self.founded.cancel()

    def _do(self, answers: Sequence[Answer]) -> None:
        try:
            for answer in answers:
                self._one(answer)
        except Exception as error:  # noqa: BLE001 - `prepare` failed, however it did: we must not seal without keys
            self._give_up(error)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.side.wake != NEVER:
            self._timer = self._loop.call_at(max(self.side.wake, self._loop.time()), self._wake)

    def _give_up(self, error: Exception) -> None:
        if not self.founded.done():
            self.founded.set_exception(error)
        for answer in self.side.close(f"{self.side.me.member.name} cannot keep a seat's keys on their machine."):
            self._one(answer)

    def _wake(self) -> None:
        self._do(self.side.look(self._loop.time()))

    def _one(self, answer: Answer) -> None:
        match answer:
            case Post(peer, raw):
                self._transport.send([peer], raw)
            case Blame(peer, reason):
                _LOG.warning("A strike for %s: %s", peer.hex()[:8], reason)
                self._transport.strike(peer)
            case LobbyChanged(lobby):
                self._show(lobby)
            case Void() | Heard():
                self._show(answer)
            case Prepare():
                self._prepare(answer)
            case Founded():
                if not self.founded.done():
                    self.founded.set_result(answer)
            case Closed(reason):
                if not self.founded.done():
                    self.founded.set_exception(TurnedAway(reason))
