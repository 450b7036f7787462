"""One member's replica of a running match: events and the time go in, commands come out."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, is_signed, open_frame, seal
from sunward_protocol.errors import Forged, RemoteError, Unsigned
from sunward_protocol.evidence import contradiction
from sunward_protocol.games.game import Ruleset
from sunward_protocol.genesis import Genesis
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import BODIES, CHANGES, Conviction, Kind, Offer, Payload, Resume, Say, Status, Sync
from sunward_protocol.records import Kept
from sunward_protocol.table.changes import Changes
from sunward_protocol.table.clocks import Clocks
from sunward_protocol.table.commands import Command, Log, Send, Strike, Tell
from sunward_protocol.table.events import (
    Chosen,
    Connected,
    Disconnected,
    Event,
    Heard,
    Invited,
    Moved,
    Offered,
    Said,
    Spoke,
    Wanted,
    Woken,
)
from sunward_protocol.table.forks import find, undecided
from sunward_protocol.table.journal import Own
from sunward_protocol.table.presence import Presence
from sunward_protocol.table.repair import absorb, begin_again, begins, history, missing, parting, report
from sunward_protocol.table.steps import Steps
from sunward_protocol.table.talk import Talk

_WOKEN = Woken()
_UNASKED_MOST = 3
"""Answers to an earlier STATUS that may be on their way when we ask for older history."""
_STEP_KINDS = (*BODIES, Kind.ACK, Kind.LINK)


class _Sending(NamedTuple):
    """What history was sent to a place last: from which step, up to which, and until when it may be on its way."""

    step: Step
    end: Step
    until: float


class _Asking(NamedTuple):
    """Of how many steps we ask for older history, and how many answers came that did not go back so far."""

    back: int
    unasked: int = 0


class Replica:
    """The steps, the repair and the presence of one match, behind one `handle`.

    `wake` is the time, in the driver's seconds, at which `Woken` is wanted.
    """

    def __init__(
        self,
        genesis: Genesis,
        ruleset: Ruleset,
        own: Own,
        signatures: Signatures,
        *,
        entries: Sequence[bytes] = (),
        kept: Sequence[Kept] = (),
        endpoints: tuple[str, ...] = (),
        listening: Mapping[Place, tuple[str, ...]] | None = None,
        now: float = 0.0,
    ) -> None:
        """Stand where the log and the journal of this seat ended; raise `RemoteError` if the log does not hold.

        `endpoints` are where we listen, `listening` where the others did when they were heard last.
        """
        self.steps = Steps(Ledger(genesis, ruleset), own, signatures)
        self.presence = Presence(len(genesis.members), own.place, now)
        self.wake = now
        self._signatures = signatures
        self._listening = {**(listening or {}), own.place: endpoints}
        self._talk = Talk[Place]()
        self._reached: dict[Place, Step] = dict.fromkeys(self.steps.others, 0)
        self._sent: dict[Place, _Sending] = {}
        self._answered: dict[Place, float] = {}
        self._back: dict[Place, _Asking] = {}
        """What we ask of whoever seems to have another history."""
        self._said_closed = False
        self._shown = 0
        self._status_at = now
        self._held: Step | None = None
        self._held_until = now
        if entries:
            absorb(self.steps, entries, signatures, own=True)
            self.steps.commands = [command for command in self.steps.commands if not isinstance(command, Log)]
        self._lent = self.steps.restore(kept)
        member = genesis.members[own.place]
        resume = own.resume or Resume(member.session, member.curve, member.tip, member.delegation, endpoints)
        self.changes = Changes(self.steps, signatures, resume)
        self.clocks = Clocks(dict(genesis.clock), len(genesis.members), now)

    def handle(self, event: Event, now: float) -> list[Command]:
        """Take in what happened at `now`; return what to do about it, in order."""
        if isinstance(event, Heard):
            self._hear(event, now)
        elif isinstance(event, Chosen):
            self.steps.choose(event.step, event.actions)
        elif isinstance(event, Wanted):
            self.changes.want(event, now)
        elif isinstance(event, Spoke):
            self._say(event.text)
        elif isinstance(event, Offered):
            self._do(Send(self.steps.others, self._frame(Kind.OFFER, Offer(event.invite)).raw))
        elif isinstance(event, Connected):
            self._sent.pop(event.place, None)
            self._report((event.place,))
        elif isinstance(event, Disconnected):
            self.presence.lose(event.place)
        else:
            self._wake(now)
        if self._shown != self.steps.disputes.convicted:
            self._show()
        if self.steps.over and not self._said_closed:
            self._said_closed = True
            self._report(self.steps.others)
        commands, self.steps.commands = self.steps.commands, []
        if self.steps.holding_ack != self._held:
            self._held, self._held_until = self.steps.holding_ack, now + limits.ACK_PATIENCE
        self.wake = self._status_at if self._held is None else min(self._status_at, self._held_until)
        return commands

    def move(self, endpoints: tuple[str, ...]) -> None:
        """Note that we listen elsewhere now; the next STATUS says so."""
        self._listening[self.steps.own.place] = endpoints

    @property
    def finished(self) -> bool:
        """Whether the match is over and every place has said that it knows: nobody needs this replica any more."""
        settled = self.steps.settled
        return self.steps.over and all(step >= settled.step for step in self._reached.values())

    def begin(self, now: float) -> list[Command]:
        """Set the replica going: what it can do by itself, and its STATUS."""
        self.steps.advance()
        with suppress(RemoteError):  # what does not hold is none; the others have it too
            begin_again(self.steps, self._lent, self._signatures)
        self._lent.clear()
        return self.handle(_WOKEN, now)

    def _hear(self, event: Heard, now: float) -> None:
        try:
            frame = open_frame(event.raw)
            if back := self.presence.hear(event.sender, now):
                self._notices(back)
                self._report(self.steps.others)  # what it plays may go on to others before they hear it themselves
            if frame.match != self.steps.settled.match:
                return
            if frame.kind in _STEP_KINDS:
                self._step(frame, event.sender)
            elif isinstance(frame.payload, Status):
                self._status(frame, frame.payload, event.sender, now)
            elif isinstance(frame.payload, Sync):
                self._sync(frame.payload, event.sender, now)
            elif isinstance(frame.payload, Conviction):
                self._judge(frame, frame.payload, event.sender, now)
            elif frame.kind in CHANGES and frame.place < self.steps.settled.members:
                self._change(frame, event.sender, now)
            elif isinstance(frame.payload, Say | Offer) and self._talk.may_say(event.sender, now):
                self._hear_say(frame.payload, event.sender)
        except RemoteError as error:
            self._do(Strike(event.sender, str(error)))

    def _hear_say(self, said: Say | Offer, sender: Place) -> None:
        if isinstance(said, Offer):
            self._do(Tell(Invited(sender, said.invite)))
        elif said.speaker == self.steps.settled.genesis.members[sender].identity:
            self._do(Tell(Said(sender, said.text)))

    def _say(self, text: str) -> None:
        me = self.steps.own.place
        said = Say(self.steps.settled.genesis.members[me].identity, text)
        self._do(Send(self.steps.others, self._frame(Kind.SAY, said).raw))
        self._do(Tell(Said(me, text)))

    def _frame(self, kind: Kind, payload: Payload, step: Step = 0) -> Frame:
        return seal(kind, payload, self.steps.settled.match, step=step, place=self.steps.own.place)

    def _step(self, frame: Frame, sender: Place) -> None:
        steps = self.steps
        ahead = frame.step - steps.settled.step
        if frame.epoch != steps.tip.epoch or not 0 <= ahead <= limits.LEAD:
            return  # if we are behind, our STATUS says so, and entries will come
        if steps.receive(frame, sender):
            onward = self.presence.cut_off(frame.place, sender)
            if onward:
                self._do(Send(onward, frame.raw))
            steps.advance()

    def _change(self, frame: Frame, sender: Place, now: float) -> None:
        if self.changes.receive(frame, sender):
            onward = self.presence.cut_off(frame.place, sender)
            if onward:
                self._do(Send(onward, frame.raw))
            self._agree(now)

    def _judge(self, frame: Frame, shown: Conviction, sender: Place, now: float) -> None:
        """Believe what two signatures of one place prove; what a step of ours proves, we find ourselves.

        Who shows what holds here has another replica than ours, and `frame.step` says where they stopped.
        """
        frames, keys = list(map(open_frame, shown.frames)), self.steps.tip.keys
        ours = all(frame.match == self.steps.settled.match and frame.place < len(keys) for frame in frames)
        cheat = contradiction(frames) if ours else None
        if cheat and all(is_signed(frame, keys[frame.place].session, self._signatures) for frame in frames):
            self.steps.disputes.convict(cheat, frames)
            self._agree(now)
            return
        close = ours and frame.step in (frames[0].step - 1, frames[0].step)
        if close and all(map(self.steps.unlocked.holds, frames)):
            self.steps.disputes.object(frame.step, sender, frames)

    def _agree(self, now: float) -> None:
        """Carry on what is to change; who is behind in it is told so."""
        epoch, live = self.steps.tip.epoch, self.steps.tip.live
        self.changes.advance(now)
        if self.steps.tip.epoch > epoch:
            for place in set(self.steps.tip.live) - set(live):
                self.clocks.grant(place)
            self._report(self.steps.others)

    def _sync(self, sync: Sync, sender: Place, now: float) -> None:
        """Take in history; frames of steps that it does not yet prove to be locked are taken like any others."""
        before = self.steps.settled.step
        self.changes.confront(sync.entries)
        try:
            frames = absorb(self.steps, sync.entries, self._signatures)
        except RemoteError as error:
            if isinstance(error, Unsigned) or not self._compare(sync.entries, sender):
                raise
            return
        for frame in frames:
            self.steps.receive(frame, sender)
        self.steps.advance()
        if self.steps.settled.step > before:
            self._back.pop(sender, None)
            self._agree(now)
            self._report((sender,))
        else:
            self._compare(sync.entries, sender)

    def _compare(self, entries: Sequence[bytes], sender: Place) -> bool:
        """Look for a fork where history does not follow from ours; return whether it may be one, or raise.

        If the entries begin after it, our next STATUS asks for older ones, twice as far back each time. Who found it
        shows both histories to all, and does no more.
        """
        steps, first = self.steps, parse_entry(entries[0])
        if steps.parted is not None:
            return True
        if first.step and parting(steps, [first]) == 0:
            back, unasked = self._back.get(sender, _Asking(0))
            if first.step > steps.settled.step - back:
                self._back[sender] = _Asking(back, unasked + 1)
                return unasked < _UNASKED_MOST
            self._back[sender] = _Asking(2 * (back or limits.LEAD), unasked)
            return True
        self._back.pop(sender, None)
        fork = find(steps, entries, self._signatures)
        if fork is None:
            return undecided(steps, entries)
        before = steps.disputes.convicted
        for cheat, frames in fork.cheats:
            steps.disputes.convict(cheat, frames)
        if not fork.final and steps.disputes.convicted == before and not begins(parse_entry(steps.entries[fork.step])):
            raise Forged("Another history came that may still be undone: to look at it is work for nothing.")
        if not fork.final:
            return True
        steps.part(fork.step)
        for raw in (self._frame(Kind.SYNC, Sync(tuple(entries))).raw, *history(steps, max(0, fork.step - 1))[0]):
            self._do(Send(steps.others, raw))
        return True

    def _status(self, frame: Frame, status: Status, sender: Place, now: float) -> None:
        step = frame.step
        self._reached[sender] = step
        self._notices(self.presence.learn(sender, status.linked))
        self._learn_addresses(status.listening, sender)
        behind = frame.epoch < self.steps.tip.epoch and bool(self.steps.opening())
        if step < self.steps.settled.step or behind:
            self._catch_up(sender, step, now)
        if now >= self._answered.get(sender, 0) and (frames := missing(self.steps, self.changes.frames, frame, status)):
            self._answered[sender] = now + limits.STATUS_EVERY / 4  # who asks all the time is not answered each time
            self._send(sender, frames)
        if step > self.steps.settled.step:
            self._report((sender,))
        elif (step, self.steps.parted) == (self.steps.settled.step, None) and frame.head != self.steps.settled.head:
            self._back.setdefault(sender, _Asking(limits.LEAD))

    def _learn_addresses(self, listening: tuple[tuple[str, ...], ...], sender: Place) -> None:
        """Believe a place's own addresses; of a place that we have lost, try what others know too."""
        for place, endpoints in enumerate(listening[: self.steps.settled.members]):
            known = self._listening.get(place, ())
            if place == sender:
                now_at = endpoints
            elif place == self.steps.own.place or self.presence.linked >> place & 1:
                continue
            else:
                now_at = (*known, *(each for each in endpoints if each not in known))[: limits.ENDPOINTS_MOST]
            if now_at and now_at != known:
                self._listening[place] = now_at
                self._do(Tell(Moved(place, now_at)))

    def _catch_up(self, place: Place, step: Step, now: float) -> None:
        """Send history to a place that stands at `step`, unless what was sent before may still be on its way."""
        sent = self._sent.get(place)
        further = sent is not None and step > sent.step and step >= sent.end - limits.LEAD
        if sent is None or further or now >= sent.until:  # what was sent last is locked by what comes after it
            frames, end = history(self.steps, max(0, step - 1))  # if an epoch began with it, another may have instead
            self._sent[place] = _Sending(step, end, now + limits.STATUS_EVERY / 2)
            self._send(place, frames)

    def _send(self, place: Place, frames: Sequence[bytes]) -> None:
        for raw in frames:
            self._do(Send((place,), raw))

    def _wake(self, now: float) -> None:
        if self.steps.holding_ack is not None and now >= self._held_until:
            self.steps.acknowledge()
            self.steps.advance()
        if now >= self._status_at:
            self._status_at = now + limits.STATUS_EVERY
            self._look(now)
            gone = self.presence.look(now)
            if not self.steps.over:  # after the end everybody may leave
                self._notices(gone)
            self._report(self.steps.others)

    def _look(self, now: float) -> None:
        """Look at the clocks, and see whether anything is to change."""
        self.changes.heard = self.presence.linked
        self._show()
        if self.steps.settled.genesis.clock:
            owing = self.changes.owing(now)
            heard = self.presence.linked.bit_count() + 1
            awake = 2 * heard > self.steps.settled.members
            self.changes.late = self.clocks.look(now, self.steps.tip.step, self.steps.tip.played, owing, awake)
        self._agree(now)

    def _show(self) -> None:
        """Show what convicts somebody who still plays."""
        self._shown = self.steps.disputes.convicted
        for place, (step, frames) in self.steps.disputes.refused.items():
            if place in self.steps.tip.live:
                proof = self._frame(Kind.EVIDENCE, Conviction(frames), step).raw
                for raw in (proof,) if len(proof) <= limits.FRAME_MOST else frames:  # two large votes go one by one
                    self._do(Send(self.steps.others, raw))

    def _report(self, places: tuple[Place, ...]) -> None:
        listening = tuple(self._listening.get(place, ()) for place in range(self.steps.settled.members))
        tell = partial(report, self.steps, self.changes.frames, self.presence.linked, listening)
        self._do(Send(tuple(place for place in places if place not in self._back), tell().raw))
        for place in sorted(self._back.keys() & places):
            self._do(Send((place,), tell(self._back[place].back).raw))

    def _notices(self, notices: Sequence[Tell]) -> None:
        self.steps.commands += notices

    def _do(self, command: Command) -> None:
        self.steps.commands.append(command)
