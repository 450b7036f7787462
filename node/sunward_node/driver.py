"""The one place where a replica meets the world: its commands become writes, frames and events for watchers.

Must never send what is not written, nor go on after a write failed: then it stops with what the disk said.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from sunward_node.transport import Transport
from sunward_protocol.games.game import Action, Position, Seat
from sunward_protocol.ids import CurveKey, Place, Step
from sunward_protocol.table.commands import Command, Keep, Log, Send, Strike, Tell
from sunward_protocol.table.events import (
    Asked,
    Chosen,
    Connected,
    Disconnected,
    Ended,
    Event,
    Heard,
    Moved,
    Notice,
    Woken,
)
from sunward_protocol.table.replica import Replica

Player: TypeAlias = Callable[[Position, Seat], tuple[Action, ...]]
"""A program in the place of a person: makes all the choices that a seat has at once."""

_LOG = logging.getLogger(__name__)
_WOKEN = Woken()


class Records(Protocol):
    """An append-only file of records."""

    def append(self, payload: bytes) -> None:
        """Write a whole record before returning; raise `LocalError` if the disk does not take it."""
        ...


class Driver:
    """Drives one replica until its match is over or something of ours fails; `ended` says which.

    `watch` takes every notice for people, in order, and `moved` where a place listens now.
    """

    def __init__(
        self,
        replica: Replica,
        transport: Transport,
        log: Records,
        journal: Records,
        watch: Callable[[Notice], None],
        moved: Callable[[Place, Sequence[str]], None],
        player: Player | None = None,
        pause: float = 0.0,
    ) -> None:
        self.replica = replica
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        """Resolved once the last state is locked; fails with the `SunwardError` that stopped us."""
        self.known: asyncio.Future[None] = self._loop.create_future()
        """Resolved once everybody has said that they know the end."""
        self._transport = transport
        self._peers = [keys.curve for keys in replica.steps.tip.keys]
        self._epoch = replica.steps.tip.epoch
        self._listening: dict[Place, Sequence[str]] = {}
        self._log = log
        self._journal = journal
        self._watch = watch
        self._moved = moved
        self._player = player
        self._pause = pause
        self._timer: asyncio.TimerHandle | None = None
        self._asked: Step | None = None
        self._stopped = False
        self._doing: dict[type[Command], Callable[..., None]] = {
            Keep: self._keep,
            Log: self._write,
            Send: self._send,
            Strike: self._strike,
            Tell: self._tell,
        }

    def begin(self) -> None:
        """Set the replica going."""
        self._guarded(lambda: self._do(self.replica.begin(self._loop.time())))

    def deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        """Take in what came from peers; frames of strangers are dropped."""
        for key, raw in batch:
            place = self.place_of(key)
            if place is not None:
                self.feed(Heard(place, raw))

    def linked(self, key: CurveKey, connected: bool) -> None:
        """Take in that a connection began or ended."""
        place = self.place_of(key)
        if place is not None:
            self.feed(Connected(place) if connected else Disconnected(place))

    @property
    def peers(self) -> Sequence[CurveKey]:
        """The keys of everybody's connections, by place; our own among them."""
        return self._peers

    def place_of(self, key: CurveKey) -> Place | None:
        """Return who is at the other end of this key's connection; None for a stranger."""
        return self._peers.index(key) if key in self._peers else None

    def meet(self, place: Place, key: CurveKey) -> None:
        """Take a place to be at the other end of this key's connection from now on."""
        if key == self._peers[place]:
            return
        self._transport.hang_up(self._peers[place])
        self._peers[place] = key
        self._transport.dial(key, *self._listening.get(place, ()))
        if key in self._transport.peers():
            self.feed(Connected(place))

    def feed(self, event: Event) -> None:
        """Let the replica take in an event, and do what it wants done."""
        self._guarded(lambda: self._do(self.replica.handle(event, self._loop.time())))

    def seat(self, player: Player | None) -> None:
        """Let a program play from now on, or, without one, whoever sends `Chosen`."""
        self._player = player
        self._guarded(self._play)

    def close(self) -> None:
        """Do nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._stopped = True

    def _guarded(self, work: Callable[[], None]) -> None:
        if self._stopped:
            return
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a full disk, or a mistake of ours: nothing may be signed after either
            self._stopped = True
            if not self.ended.done():
                self.ended.set_exception(error)
            _LOG.error("The node stops: %s", error)
            return
        self._set_timer()
        self._meet_again()
        if self.replica.finished and not self.known.done():
            self.known.set_result(None)

    def _meet_again(self) -> None:
        """Look for whoever an epoch brought back where their keys are now."""
        tip = self.replica.steps.tip
        if tip.epoch != self._epoch:
            self._epoch = tip.epoch
            for place in tip.live:
                if place != self.replica.steps.own.place:
                    self.meet(place, tip.keys[place].curve)

    def _do(self, commands: Sequence[Command]) -> None:
        for command in commands:
            self._doing[type(command)](command)
        if not self._pause:
            self._play()

    def _play(self) -> None:
        """Let the program choose for its seat, as often as it is asked; once a call if it pauses."""
        while self._asked is not None and self._player is not None:
            step, self._asked = self._asked, None
            ledger = self.replica.steps.tip
            if step == ledger.step:
                actions = self._player(ledger.position, ledger.seat_of(self.replica.steps.own.place))
                for command in self.replica.handle(Chosen(step, actions), self._loop.time()):
                    self._doing[type(command)](command)
            if self._pause:
                return

    def _keep(self, command: Keep) -> None:
        self._journal.append(command.record)

    def _write(self, command: Log) -> None:
        self._log.append(command.record)

    def _send(self, command: Send) -> None:
        self._transport.send([self._peers[place] for place in command.places], command.raw)

    def _strike(self, command: Strike) -> None:
        _LOG.warning("A strike for place %d: %s", command.place, command.reason)
        self._transport.strike(self._peers[command.place])

    def _tell(self, command: Tell) -> None:
        notice = command.notice
        if isinstance(notice, Asked):
            self._asked = notice.step
            if self._pause:
                self._loop.call_later(self._pause, self._guarded, self._play)
        elif isinstance(notice, Moved):
            self._listening[notice.place] = notice.endpoints
            self._transport.dial(self._peers[notice.place], *notice.endpoints)
            self._moved(notice.place, notice.endpoints)
        else:
            self._watch(notice)
            if isinstance(notice, Ended) and not self.ended.done():
                self.ended.set_result(None)

    def _set_timer(self) -> None:
        """Have the replica woken when it wants; a timer that is too early only looks and sets the next."""
        wake = self.replica.wake
        if self._timer is None or self._timer.cancelled() or wake < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(wake, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if self._loop.time() >= self.replica.wake:
            self.feed(_WOKEN)
        else:
            self._set_timer()
