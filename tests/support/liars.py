"""Scripted liars, one class an attack, each the honest node of a member but for what it lies with: those whose
signatures convict them. Others are in `liars_unproved` and `liars_doubled`.

Must never reach into an honest replica: a liar has its own, its own keys, and what it is sent.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.games.game import Action
from sunward_protocol.ids import NOTHING, Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.messages import (
    NO_CHANGE,
    Ack,
    Act,
    Commit,
    EpochBody,
    Kind,
    Open,
    Payload,
    Vote,
)
from sunward_protocol.table.commands import Command, Send
from sunward_protocol.table.events import Chosen, Event, Heard
from support.world import Liar

ELSEWHERE = digest(Domain.STATE, b"somewhere else")
"""A state, a head and a commitment that nobody came to."""
NO_ACTION = 99
"""What is legal in no position of pebbles."""


def other_choices(before: Ledger, place: Place, first: Sequence[Action]) -> tuple[Action, ...]:
    """Return a whole say of a place that begins otherwise than `first`; () if there is none."""
    ledger, choices = before.copy(), list[Action]()
    seat = ledger.seat_of(place)
    while ledger.has_say(seat):
        legal = [each for each in ledger.position.legal(seat) if choices or each not in first[:1]]
        if not legal:
            return ()
        choices.append(legal[-1])
        ledger.position.apply(seat, legal[-1])
    return tuple(choices)


class Attacker(Liar):
    """What liars share: who the others are, what their own replica is about to say, and at which steps they lied."""

    def __init__(self) -> None:
        self.lied: list[Step] = []

    @property
    def others(self) -> tuple[Place, ...]:
        return tuple(place for place in range(len(self.world.replicas)) if place != self.place)

    @property
    def honest(self) -> tuple[Place, ...]:
        return tuple(place for place in self.others if place not in self.world.liars)

    @property
    def tip(self) -> Ledger:
        """Where the liar's own replica stands."""
        return self.world.replica(self.place).steps.tip

    def own(self, command: Command) -> Frame | None:
        """Return the frame that the liar's replica is about to send in its own name."""
        frame = open_frame(command.raw) if isinstance(command, Send) else None
        return frame if frame is not None and frame.place == self.place else None

    def sign(self, like: Frame, payload: Payload) -> Frame:
        """Return a frame for the same slot that says something else."""
        return self.seal(like.kind, payload, like.epoch, like.step, like.head)

    def seal(self, kind: Kind, payload: Payload, epoch: int, step: Step, head: bytes = NOTHING) -> Frame:
        """Return a frame of the liar's own place, signed where its kind is."""
        signer, match = self.world.signers[self.place], self.world.genesis.match
        return seal(kind, payload, match, signer, epoch=epoch, step=step, place=self.place, head=head)

    def tell(self, raw: bytes, places: Iterable[Place] | None = None) -> None:
        """Send something that the liar's replica knows nothing of."""
        for place in self.others if places is None else places:
            self.world.post(self.place, place, raw)


class Twister(Attacker):
    """Says something else than its replica does, in frames of some kinds; what is sent again is said again."""

    kinds: ClassVar[tuple[Kind, ...]]

    def __init__(self) -> None:
        super().__init__()
        self._twisted: dict[tuple[bytes, Place], Frame] = {}
        self._before: dict[Step, Ledger] = {}

    def hears(self, event: Event) -> Iterable[Event]:
        if isinstance(event, Chosen):
            self._before[event.step] = self.tip.copy()
        return (event,)

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own(command)
        if frame is None or frame.kind not in self.kinds or not isinstance(command, Send):
            return (command,)
        return [Send((place,), self._face(frame, place).raw) for place in command.places]

    def _face(self, frame: Frame, receiver: Place) -> Frame:
        key = (frame.raw, receiver)
        if key not in self._twisted:
            twisted = self.twist(frame, receiver)
            if twisted.raw != frame.raw:
                self.lied.append(frame.step)
            self._twisted[key] = twisted
        return self._twisted[key]

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        """Return what a receiver is told instead."""
        raise NotImplementedError

    def is_told_otherwise(self, receiver: Place) -> bool:
        """Whether a receiver is the one that is told the other of two things: the last of the others."""
        return receiver == self.others[-1]

    def otherwise(self, frame: Frame) -> Frame:
        """Return another legal action for the step of an ACT; the same one if there is none."""
        before = self._before.get(frame.step)
        assert isinstance(frame.payload, Act)
        if before is None or before.head != frame.head:
            return frame
        choices = other_choices(before, self.place, frame.payload.choices)
        if not choices:
            return frame
        position = before.position.copy()
        for choice in choices:
            position.apply(before.seat_of(self.place), choice)
        return self.sign(frame, Act(before.state, choices, digest(Domain.STATE, position.encode())))


class Outlaw(Twister):
    """Acts against the rules."""

    kinds = (Kind.ACT,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Act)
        return self.sign(frame, frame.payload._replace(choices=(NO_ACTION,)))


class MisCounter(Twister):
    """Signs for another state than its action leads to."""

    kinds = (Kind.ACT,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Act)
        return self.sign(frame, frame.payload._replace(outcome=ELSEWHERE))


class StateForger(Twister):
    """Signs, in its ACKs, for another state than the steps lead to."""

    kinds = (Kind.ACK,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        return self.sign(frame, Ack(ELSEWHERE)) if frame.step else frame  # a table that never began has no seats yet


class Equivocator(Twister):
    """Tells one member of another action than the rest."""

    kinds = (Kind.ACT,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        return self.otherwise(frame) if self.is_told_otherwise(receiver) else frame


class DoubleCommitter(Twister):
    """Fixes one secret choice for one member and another one for the rest."""

    kinds = (Kind.COMMIT,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Commit)
        return self.sign(frame, Commit(frame.payload.state, ELSEWHERE)) if self.is_told_otherwise(receiver) else frame


class FalseOpener(Twister):
    """Shows something else than it had fixed."""

    kinds = (Kind.OPEN,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Open)
        legal = self.tip.position.legal(self.tip.seat_of(self.place))
        other = next((choice for choice in legal if choice != frame.payload.choice), NO_ACTION)
        return self.sign(frame, frame.payload._replace(choice=other))


class TwoVoter(Twister):
    """Votes for one change at one member and for another at the rest."""

    kinds = (Kind.VOTE,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Vote)
        change = NO_CHANGE if frame.payload.change.out else NO_CHANGE._replace(adjourn=1)
        return self.sign(frame, frame.payload._replace(change=change)) if self.is_told_otherwise(receiver) else frame


class Concealer(Twister):
    """Votes as if it had signed for nothing after the set-up."""

    kinds = (Kind.VOTE,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Vote)
        return self.sign(frame, frame.payload._replace(step=1, entries=()))


class TwoEpochs(Twister):
    """Signs for another beginning of an epoch at one member than at the rest."""

    kinds = (Kind.EPOCH,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, EpochBody)
        other = frame.payload._replace(attempts=frame.payload.attempts + 1)
        return self.sign(frame, other) if self.is_told_otherwise(receiver) else frame


class EpochChanger(TwoEpochs):
    """The same, but says afterwards at that member, too, what it says at the rest."""

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own(command)
        told = tuple(super().does(command))
        return (*told, command) if frame is not None and frame.kind in self.kinds else told


class CopyCat(Attacker):
    """Waits for its partner's secret choice, fixes the same without knowing it, and shows what the partner shows."""

    def hears(self, event: Event) -> Iterable[Event]:
        if self.world.replicas[self.place] is None:
            return ()
        if isinstance(event, Chosen) and self.tip.position.secret and self._partner() in self.honest:
            return [heard for frame in self._seen(Kind.COMMIT) for heard in self._copy(frame)]
        return (event, *self._copies(event))

    def _partner(self) -> Place:
        ledger = self.tip
        return next(
            place for place in map(ledger.place_of.__getitem__, ledger.position.to_act()) if place != self.place
        )

    def _seen(self, kind: Kind) -> list[Frame]:
        tip = self.tip
        slots = self.world.replica(self.place).steps.slots.values()
        return [frame for frame in slots if (frame.kind, frame.step) == (kind, tip.step)]

    def _copies(self, event: Event) -> Iterable[Event]:
        frame = open_frame(event.raw) if isinstance(event, Heard) else None
        due = frame is not None and frame.kind in (Kind.COMMIT, Kind.OPEN) and frame.step == self.tip.step
        return self._copy(frame) if due and frame is not None and frame.place in self.honest else ()

    def _copy(self, frame: Frame) -> Iterable[Event]:
        """Say the same as another, in the own name, and have the own replica believe that it said so."""
        if self.tip.position.secret and self.place in self.tip.due().places:
            copied = self.sign(frame, frame.payload)
            self.lied.append(frame.step)
            self.tell(copied.raw)
            yield Heard(frame.place, copied.raw)
