"""Scripted liars whom nothing that they sign convicts: what they do is refused, and what they owe is counted.

Must never reach into an honest replica, as all liars.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.ids import Place
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.messages import (
    NO_CHANGE,
    SHAPES,
    Ack,
    Act,
    Claim,
    Kind,
    Link,
    Proof,
    Say,
    Status,
    Sync,
    Vote,
)
from sunward_protocol.table.commands import Command, Send
from sunward_protocol.table.events import Event, Heard, Wanted, Woken
from support.liars import ELSEWHERE, Attacker, Twister
from support.world import seed

# What they do is refused


class Impostor(Attacker):
    """Says in the name of every other seat what it says itself."""

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own(command)
        forged = []
        if frame is not None and SHAPES[frame.kind].proof is Proof.SESSION and isinstance(command, Send):
            signer, match = self.world.signers[self.place], self.world.genesis.match
            forged = [
                Send(
                    command.places,
                    seal(
                        frame.kind,
                        frame.payload,
                        match,
                        signer,
                        epoch=frame.epoch,
                        step=frame.step,
                        place=place,
                        head=frame.head,
                    ).raw,
                )
                for place in self.others
            ]
        return (*forged, command)


class Replayer(Attacker):
    """Sends again all that it ever heard, and the same as if it were of another match."""

    LATEST = 8
    """Frames of which it sends each again, beside the first that it heard."""

    def __init__(self) -> None:
        super().__init__()
        self._heard: list[bytes] = []

    def hears(self, event: Event) -> Iterable[Event]:
        if isinstance(event, Heard):
            self._heard.append(event.raw)
        return (event,)

    def does(self, command: Command) -> Iterable[Command]:
        if not isinstance(command, Send):
            return (command,)
        old = [*self._heard[:1], *self._heard[-self.LATEST :: 3]]
        return (command, *(Send(command.places, raw) for each in old for raw in (each, self._foreign(each))))

    def _foreign(self, raw: bytes) -> bytes:
        match = self.world.genesis.match
        return raw.replace(match, digest(Domain.GENESIS, match))


class ForgingHistorian(Attacker):
    """Answers whoever says how far they are with history that was never played."""

    FORGERIES: ClassVar[Sequence[Callable[["ForgingHistorian", bytes], bytes]]] = (
        lambda self, raw: parse_entry(raw)._replace(acks=()).encode(),
        lambda self, raw: parse_entry(raw)._replace(links=(seed("link"),) * len(self.world.replicas)).encode(),
        lambda self, raw: parse_entry(raw)._replace(bodies=self._rewritten(parse_entry(raw).bodies)).encode(),
        lambda self, raw: parse_entry(raw)._replace(epoch=7).encode(),
        lambda self, raw: raw[:-1] + b"\0",
    )

    def hears(self, event: Event) -> Iterable[Event]:
        status = open_frame(event.raw) if isinstance(event, Heard) else None
        replica = self.world.replicas[self.place]
        if status is not None and isinstance(status.payload, Status) and isinstance(event, Heard) and replica:
            for number, forge in enumerate(self.FORGERIES):
                entries = replica.steps.entries[max(0, status.step - number) :]
                if entries:
                    self._tell(event.sender, [forge(self, entries[0]), *entries[1:8]])
        return (event,)

    def _tell(self, place: Place, entries: Sequence[bytes]) -> None:
        self.tell(self.seal(Kind.SYNC, Sync(tuple(entries)), 0, 0).raw, (place,))

    def _rewritten(self, bodies: Sequence[bytes]) -> tuple[bytes, ...]:
        """Return bodies that its own key signs for something else, whosever they are."""
        frames = [open_frame(raw) for raw in bodies]
        return tuple(
            self.sign(frame, Act(ELSEWHERE, (0,), ELSEWHERE)).raw if frame.kind is Kind.ACT else frame.raw
            for frame in frames
        )


class LinkForger(Twister):
    """Shows other links than those of its chain, and no log, which would show the right ones."""

    kinds = (Kind.LINK,)

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own(command)
        return () if frame is not None and frame.kind is Kind.SYNC else super().does(command)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Link)
        return self.sign(frame, frame.payload._replace(link=seed("link", frame.step)))


class Flooder(Attacker):
    """Whenever it says how far it is, sends junk of every sort, made to cost its receivers as much as may be."""

    EACH = 12
    """Frames of each sort; so many sorts, and one a second, are what the bucket of a connection lets through."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own(command)
        if frame is None or frame.kind is not Kind.STATUS or not isinstance(command, Send):
            return (command,)
        junk = [raw for _ in range(self.EACH) for raw in self._junk()]
        return (command, *(Send(command.places, raw) for raw in junk))

    def _junk(self) -> Iterable[bytes]:
        self._count += 1
        tip, count, match = self.tip, self._count, self.world.genesis.match
        ahead = tip.step + 2 + count % 16
        status = Status(((ahead, Kind.ACT.value, 0),) * 64, 255, ())
        identity = self.world.genesis.members[self.place].identity
        yield seed("junk", count) * 8
        yield bytes(64) + b"\x91" * 40 + b"\x90"
        yield self.seal(Kind.ACT, Act(ELSEWHERE, (0,), ELSEWHERE), tip.epoch, ahead + 1, ELSEWHERE).raw
        yield self.seal(Kind.ACK, Ack(ELSEWHERE), tip.epoch, ahead, ELSEWHERE).raw
        yield self.seal(Kind.ACK, Ack(ELSEWHERE), tip.epoch, 2**40 + count).raw
        yield self.seal(Kind.CLAIM, Claim(()), tip.epoch, 2**20 + count).raw
        yield self.seal(Kind.SAY, Say(identity, "?" * 200), 0, 0).raw
        yield self.seal(Kind.STATUS, status, tip.epoch, 0).raw
        yield self.seal(Kind.SYNC, Sync((Entry(0, ahead, (), (), ()).encode(),)), 0, 0).raw
        yield seal(Kind.LINK, Link(count, seed(count)), match, step=ahead, place=self.place).raw
        yield self.seal(Kind.VOTE, Vote(tip.epoch, NO_CHANGE, tip.step, 0, ()), tip.epoch + count, 0, tip.head).raw


# What they owe is counted


class Withholder(Attacker):
    """Keeps back all frames of some kinds, from one member or from all."""

    def __init__(self, *kinds: Kind, only: Place | None = None) -> None:
        super().__init__()
        self._kinds = kinds
        self._only = only

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own(command)
        if frame is None or frame.kind not in (*self._kinds, Kind.SYNC) or not isinstance(command, Send):
            return (command,)  # its log holds what it keeps back
        if frame.kind in self._kinds:
            self.lied.append(frame.step)
        heard = () if self._only is None else tuple(place for place in command.places if place != self._only)
        return (Send(heard, command.raw),) if heard else ()


class BlindAcker(Twister):
    """Signs for what it has never seen instead of for the step."""

    kinds = (Kind.ACK,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        return self.seal(Kind.ACK, frame.payload, frame.epoch, frame.step, ELSEWHERE)


class JunkVoter(Twister):
    """Votes with a report that leads nowhere, so that nobody can tell where the new epoch is to begin."""

    kinds = (Kind.VOTE,)

    def twist(self, frame: Frame, receiver: Place) -> Frame:
        assert isinstance(frame.payload, Vote)
        return self.sign(frame, frame.payload._replace(step=frame.payload.step + 1000, entries=()))


class Bridge(Attacker):
    """Stands between others who have no connection with each other, and passes nothing on."""

    def does(self, command: Command) -> Iterable[Command]:
        frame = open_frame(command.raw) if isinstance(command, Send) else None
        passes_on = frame is not None and (frame.place in self.others or frame.kind is Kind.SYNC)
        return () if passes_on else (command,)


class Vetoer(Attacker):
    """Keeps back its link in every draw of the game, is put out for it, and wants to be back each time."""

    def hears(self, event: Event) -> Iterable[Event]:
        out = isinstance(event, Woken) and self.place not in self.tip.live
        return (event, Wanted(back=True)) if out else (event,)

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own(command)
        if frame is None or frame.kind not in (Kind.LINK, Kind.SYNC) or (frame.kind is Kind.LINK and not frame.step):
            return (command,)
        if frame.kind is Kind.LINK:
            self.lied.append(frame.step)
        return ()


class FalseClaimer(Attacker):
    """Claims that somebody is to be put out who owes nothing."""

    def __init__(self, victim: Place) -> None:
        super().__init__()
        self._victim = victim

    def hears(self, event: Event) -> Iterable[Event]:
        return (event, Wanted(out=1 << self._victim)) if isinstance(event, Woken) else (event,)


class Restless(Attacker):
    """Votes, for no change at all, to leave every epoch as soon as it has begun."""

    def hears(self, event: Event) -> Iterable[Event]:
        yield event
        replica = self.world.replicas[self.place]
        if replica is None or not isinstance(event, Heard | Woken):
            return
        steps, tip = replica.steps, replica.steps.tip
        if tip.step > 2 and not (steps.over or steps.silent or steps.opening()):
            steps.journal.promised = tip.epoch + 1
            self.lied.append(tip.step)
            vote = Vote(tip.epoch, NO_CHANGE, tip.step, steps.journal.spent, steps.lately())
            frame = self.seal(Kind.VOTE, vote, steps.journal.promised, 0, tip.head)
            self.tell(frame.raw)
            yield Heard(self.others[0], frame.raw)
