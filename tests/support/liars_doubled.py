"""Scripted liars who play one seat twice: again after what they have seen, or on two nodes at once.

Must never reach into an honest replica, as all liars.
"""

from collections.abc import Iterable

from sunward_protocol.games.game import Action
from sunward_protocol.ids import Place, Step
from sunward_protocol.messages import (
    Kind,
)
from sunward_protocol.table.commands import Command, Send, Tell
from sunward_protocol.table.events import Asked, Chosen, Connected, Disconnected, Event, Heard, Woken
from sunward_protocol.table.replica import Replica
from support.liars import Attacker, other_choices

# One seat at two places


class Reloader(Attacker):
    """Starts again from before its action, once it is sent or once it has shown what it led to, and acts anew."""

    def __init__(self, seen: bool) -> None:
        super().__init__()
        self._trigger = Kind.LINK if seen else Kind.ACT
        self._first: tuple[Step, tuple[Action, ...]] = (0, ())

    def hears(self, event: Event) -> Iterable[Event]:
        if isinstance(event, Chosen) and self.tip.step == event.step and not self.tip.position.secret:
            if self.lied and event.step == self.lied[-1]:
                return (Chosen(event.step, other_choices(self.tip, self.place, self._first[1]) or event.actions),)
            self._first = (event.step, event.actions)
        return (event,)

    def does(self, command: Command) -> Iterable[Command]:
        frame, step = self.own(command), self._first[0]
        if frame is not None and (frame.kind, frame.step) == (self._trigger, step) and step and step not in self.lied:
            self.lied.append(step)
            patience = 1.0 if self._trigger is Kind.LINK else 0.0
            self.world.at(self.world.now + patience, lambda: self._reload(step))
        return (command,)

    def _reload(self, step: Step) -> None:
        disk = self.world.disks[self.place]
        self.world.stop(self.place)
        del disk.log[step + 1 :]  # its first record is the genesis
        disk.journal.clear()
        self.world.start(self.place)


class Janus(Attacker):
    """Plays one seat on two nodes, each of which is all that some of the others ever hear."""

    def __init__(self, *behind: Place) -> None:
        super().__init__()
        self._behind = behind
        self._twin: Replica | None = None

    def hears(self, event: Event) -> Iterable[Event]:
        if self.world.replicas[self.place] is None:
            return ()
        if self._twin is None:
            world, own = self.world, self.world.replica(self.place).steps.own
            self._twin = Replica(world.genesis, world.ruleset, own, world.signatures, now=self._now())
            self._follow(self._twin.begin(self._now()))
            self._tick()
        if isinstance(event, Heard | Connected | Disconnected):
            place = event.sender if isinstance(event, Heard) else event.place
            if place in self._behind:
                self._follow(self._twin.handle(event, self._now()))
                return ()
        return (event,)

    def does(self, command: Command) -> Iterable[Command]:
        if not isinstance(command, Send):
            return (command,)
        return (Send(tuple(place for place in command.places if place not in self._behind), command.raw),)

    def _now(self) -> float:
        return self.world.clocks[self.place].read(self.world.now)

    def _tick(self) -> None:
        assert self._twin is not None
        self._follow(self._twin.handle(Woken(), self._now()))
        if not self._twin.steps.over:
            self.world.at(self.world.now + 0.1, self._tick)

    def _follow(self, commands: Iterable[Command]) -> None:
        """Do what the other node wants done; it acts otherwise where it can."""
        assert self._twin is not None
        for command in commands:
            if isinstance(command, Send):
                self.tell(command.raw, [place for place in command.places if place in self._behind])
            elif isinstance(command, Tell) and isinstance(command.notice, Asked):
                tip = self._twin.steps.tip
                secret = tuple(tip.position.legal(tip.seat_of(self.place))[-1:]) if tip.position.secret else ()
                actions = secret or other_choices(tip, self.place, ())
                self.lied.append(command.notice.step)
                self._follow(self._twin.handle(Chosen(command.notice.step, actions), self._now()))
