"""The lockstep: gather a step's bodies, apply them, ACK, lock, reveal, draw, and on.

A step performed here but not locked may still turn out not to be the table's: until the lock nothing of it is told,
logged or revealed. Must never sign two bodies for one slot, nor send what is not in the journal.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sunward_protocol import limits
from sunward_protocol.commitment import NONCE_SIZE, commit
from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import Frame, Slot, is_signed
from sunward_protocol.errors import Forged, IllegalAction
from sunward_protocol.evidence import contradiction
from sunward_protocol.games.game import Action
from sunward_protocol.identity import Signatures, Signed
from sunward_protocol.ids import Digest, Epoch, Place, Step
from sunward_protocol.ledger import Cheat, Disagreement, Ledger, Move
from sunward_protocol.log import Entry
from sunward_protocol.messages import Ack, Act, Commit, Kind, Link, Open, Payload
from sunward_protocol.records import Kept, write_entry
from sunward_protocol.table.commands import Command, Log, Strike, Tell
from sunward_protocol.table.disputes import Disputes
from sunward_protocol.table.events import Applied, Asked, Changed, Drawn, Ended, Notice, Refused, TurnCame
from sunward_protocol.table.journal import Journal, Own
from sunward_protocol.table.past import Past
from sunward_protocol.table.unlocked import Performed, Unlocked


class News(NamedTuple):
    """What one entry brought."""

    before: Ledger
    ledger: Ledger
    entry: Entry
    moves: tuple[Move, ...]
    drawn: Digest | None
    frames: list[Frame]
    signed: list[Signed]


class Steps:
    """One member's view of the steps that are under way, and of everything locked before them."""

    def __init__(self, ledger: Ledger, own: Own, signatures: Signatures) -> None:
        self.own = own
        self.others = tuple(place for place in range(ledger.members) if place != own.place)
        self.past = Past(ledger)
        self.tip = ledger
        """The ledger after the last step performed."""
        self.slots: dict[Slot, Frame] = {}
        """Verified frames of this epoch's steps from `settled` on."""
        self._left: list[Performed] = []
        """What we had signed for where the beginning of our epoch leaves it: we go back to it if that is given up."""
        self._abandoned: Epoch = 0
        """The last epoch whose beginning we gave up waiting for."""
        self.parted: Step | None = None
        """The first step of which there are two locked histories: from then on we do nothing."""
        self.commands: list[Command] = []
        self.holding_ack: Step | None = None
        """The step whose ACK waits for an action of ours to carry it."""
        self._signatures = signatures
        self._asked: Step = -1
        self._told: Step = -1
        self.disputes = Disputes(lambda command: self.commands.append(command))
        self.unlocked = Unlocked(ledger, self.disputes)
        self.journal = Journal(own, ledger, lambda command: self.commands.append(command))

    @property
    def settled(self) -> Ledger:
        """The ledger after the last step that is locked, drawn and logged."""
        return self.past.ledger

    @property
    def entries(self) -> list[bytes]:
        """Every logged entry, encoded, by step."""
        return self.past.entries

    # What comes in

    def receive(self, frame: Frame, sender: Place) -> bool:
        """Take in a frame of a step; return whether it was new and good, so that it may be forwarded."""
        known = self.slots.get(frame.slot)
        if frame.place not in self.tip.live or (known and (known.body == frame.body or frame.kind is Kind.LINK)):
            return False
        if frame.kind is Kind.LINK:
            if not self._is_next_link(frame):
                return False
        elif not is_signed(frame, self.tip.keys[frame.place].session, self._signatures):
            self.commands.append(Strike(sender, f"a {frame.kind.name} frame whose signature does not hold"))
            return False
        cheat = contradiction([known, frame]) if known else None
        if known and cheat:
            self.disputes.convict(cheat, [known, frame])
            return False
        self._take(frame)
        return True

    def _take(self, frame: Frame) -> None:
        """Put a verified frame into its slot, and see whether it signs for a performed step."""
        self.slots[frame.slot] = frame
        self.unlocked.count(frame)

    def _is_next_link(self, frame: Frame) -> bool:
        """Whether a link is the next of its chain, for the draw under way: for another it is of no use."""
        shown, tip = frame.payload, self.tip
        assert isinstance(shown, Link)
        if not tip.drawing or (frame.step, shown.attempt) != (tip.step - 1, tip.attempts):
            return False
        try:
            tip.check_link(frame.place, shown.link)
        except Forged:
            return False
        return True

    def restore(self, kept: Iterable[Kept]) -> list[Frame]:
        """Take up again what this member signed before it was stopped: it is sent as it was, never signed anew.

        Returns what is of others, of whatever epoch.
        """
        lent = self.journal.restore(kept)
        for frame in lent:
            self.slots.setdefault(frame.slot, frame)  # of two ways we signed for the one that was kept first
        self._forget()
        self._say_again()
        return lent

    def _say_again(self) -> None:
        """Put what we said of the steps under way into their slots; a link, too: we saw the lock before we kept it."""
        self.slots.update(self.journal.of_steps(self.tip.epoch, self.settled.step))

    def _forget(self) -> None:
        """Drop frames that nobody needs any more."""
        for slot in [slot for slot in self.slots if slot.epoch != self.tip.epoch or slot.step < self.settled.step]:
            del self.slots[slot]
        self.journal.forget(self.settled, self.past.firm)

    def choose(self, step: Step, actions: tuple[Action, ...]) -> None:
        """Sign what our player chose for a step, or refuse it and say why."""
        refusal = self._refusal(step, actions)
        if refusal is not None:
            self._tell(refusal)
            return
        tip, seat = self.tip, self.tip.seat_of(self.own.place)
        if tip.position.secret:
            nonce = self.own.entropy(NONCE_SIZE)
            fixed = commit(tip.match, step, self.own.place, nonce, actions[0])
            self._sign(Kind.COMMIT, Commit(tip.state, fixed), tip, nonce, actions[0])
        else:
            position = tip.position.copy()
            for action in actions:
                position.apply(seat, action)
            outcome = digest(Domain.STATE, position.encode())
            self._sign(Kind.ACT, Act(tip.state, actions, outcome), tip)
            self.holding_ack = None  # this action signs for the step before it
        self.advance()

    def _refusal(self, step: Step, actions: tuple[Action, ...]) -> Refused | None:
        tip, me = self.tip, self.own.place
        if self.parted is not None:
            return Refused(step, "turn", "This match has two histories; nothing is signed in it any more.")
        if self.silent:
            return Refused(step, "turn", "The table is agreeing on who plays; nothing can be signed meanwhile.")
        if not self._may_sign_next() or step != tip.step or me not in tip.due().places:
            return Refused(step, "turn", "It is not your turn to act just now.")
        kind = tip.due().kind
        if kind is Kind.OPEN or any(
            Slot(tip.epoch, step, taken, me) in self.slots for taken in (Kind.ACT, Kind.COMMIT)
        ):
            return Refused(step, "turn", "You have acted already; what was sent cannot be changed.")
        if len(actions) > limits.CHOICES_MOST:
            return Refused(step, "turn", f"A turn of more than {limits.CHOICES_MOST} choices cannot be sent at once.")
        seat, trial = tip.seat_of(me), tip.copy()
        try:
            for action in actions:
                if kind is Kind.ACT and not trial.has_say(seat):
                    return Refused(step, "turn", f"Only the first choices are yours now; {len(actions)} are too many.")
                trial.position.check(seat, action)
                if kind is Kind.ACT:
                    trial.position.apply(seat, action)
        except IllegalAction as error:
            return Refused(step, error.ruling, error.sentence)
        whole = len(actions) == 1 if kind is Kind.COMMIT else bool(actions) and not trial.has_say(seat)
        return None if whole else Refused(step, "turn", "Choose all of what is yours to choose before the next draw.")

    # How it moves on

    def advance(self) -> None:
        """Carry every step as far as the frames at hand allow."""
        if self.parted is not None:
            return
        while self._lock() or self._reveal() or self._perform():
            pass
        self._ask()

    def _lock(self) -> bool:
        """Settle the oldest performed step if it is locked and draws nothing; what begins an epoch locks all before."""
        waiting = self.unlocked.steps
        if not waiting:
            return False
        proof = self.unlocked.opening or waiting[0]
        if proof.ledger.drawing or not self.unlocked.is_locked(proof):
            return False
        self._settle(())
        return True

    @property
    def revealing(self) -> bool:
        """Whether a step that draws is locked: what is awaited now are links."""
        waiting = self.unlocked.steps
        return self.tip.drawing and bool(waiting) and self.unlocked.is_locked(waiting[-1])

    def _reveal(self) -> bool:
        """Show our link once the drawing step is locked, and draw once all links are in."""
        if not self.revealing:
            return False
        step, tip, me = self.tip.step - 1, self.tip, self.own.place
        if tip.attempts >= len(self.own.chain.links):
            self.disputes.trouble("chain-spent", step, me, "All draws that were prepared for this match are used up.")
            return False
        linking = tip.linking
        slots = [Slot(tip.epoch, step, Kind.LINK, place) for place in linking]
        mine = Slot(tip.epoch, step, Kind.LINK, me)
        if me in linking and mine not in self.slots and self._may_show(slots):
            self.journal.lend(self.unlocked.steps[-1].acks.values())  # or nobody is ever shown the lock
            link = Link(tip.attempts, self.own.chain.links[tip.attempts])
            self.journal.spent, self.journal.spent_in = tip.attempts + 1, tip.epoch
            self._take(self.journal.seal(Kind.LINK, link, tip.epoch, step, tip.head))
        frames = [self.slots.get(slot) for slot in slots]
        links = [frame.payload.link for frame in frames if frame is not None and isinstance(frame.payload, Link)]
        if len(links) < len(linking):
            return False
        drawn = tip.reveal(links)
        while len(self.unlocked.steps) > 1:  # what the beginning of an epoch locks
            self._settle(())
        self._settle(tuple(links), drawn)
        return True

    def _may_show(self, slots: Iterable[Slot]) -> bool:
        """Whether our link may be shown now.

        If we voted to leave this epoch, only to complete a draw for which others showed theirs, since they let no draw
        be made anew that might be known; and only while no epoch can begin that would do so: until we sign for it, and
        after that if somebody who has to sign for it, too, showed theirs here instead. Else it may have begun for some.
        """
        if self.journal.promised <= self.tip.epoch:
            return True
        if self.journal.acked_after(self.tip.epoch):  # others may have seen that locked, and shown their links there
            return False
        showed = {slot.place for slot in slots if slot in self.slots}
        sworn = [body.change for body in self.journal.sworn_for() if body.since >= self.tip.epoch]
        never_begin = all(showed & set(self.tip.voters(change)) for change in sworn)
        return self.journal.sworn < self.journal.promised and bool(showed) and never_begin

    def _settle(self, links: tuple[Digest, ...], drawn: Digest | None = None) -> None:
        """Settle the oldest step that is not locked."""
        performed = self.unlocked.steps.pop(0)
        for place in performed.acks:
            performed.ledger.signed[place] = max(performed.ledger.signed[place], performed.step)
        self.settle(performed.ledger, performed.entry(links), performed.moves, drawn)

    @property
    def over(self) -> bool:
        """Whether the last state is locked by all, and our log shows it."""
        return self.settled.closed and not self.unlocked.steps and not self.past.torn

    def settle(
        self,
        ledger: Ledger,
        entry: Entry,
        moves: tuple[Move, ...] = (),
        drawn: Digest | None = None,
    ) -> None:
        """Log a locked step, forget its frames and tell of it.

        If it was settled before, with a draw that a change of who plays makes anew, it takes its former entry's place.
        """
        step, encoded = entry.step, entry.encode()
        if ledger.changed is not None:
            self._left = []
        if not ledger.gated:  # of a gate counts what the log proves: what locks it may be an epoch that is undone again
            for place in ledger.live:
                ledger.signed[place] = max(ledger.signed[place], step)
        self.past.add(ledger, entry, encoded)
        self.journal.logged(entry)
        self.commands.append(Log(write_entry(encoded)))
        self._forget()
        if moves:
            self._tell(Applied(step, moves))
        if ledger.changed is not None:
            self._tell(Changed(step, ledger.changed))
        if drawn is not None:
            self._tell(Drawn(step, drawn))
        result = ledger.position.result()
        if ledger.closed and result is not None and ledger.changed is None:
            self._tell(Ended(result))

    def adopt(self, ledger: Ledger) -> None:
        """Go on from a ledger that was settled from entries: what was under way is done again from its frames."""
        if ledger.epoch != self.tip.epoch:  # steps of the former epoch that died are asked for anew
            self._asked = self._told = -1
        self.tip = ledger
        self.unlocked.clear(ledger)
        self._left = []
        self.holding_ack = None
        self._forget()
        self._say_again()

    # How an epoch begins

    @property
    def silent(self) -> bool:
        """Whether we sign nothing in this epoch: we voted to leave it, or were put out, or the match has forked."""
        left = self.journal.promised > self.tip.epoch or self.parted is not None
        return left or self.own.place not in self.tip.live

    def lately(self) -> tuple[bytes, ...]:
        """Return the end of our log, too: that a step without a gate was locked, only what is signed later proves."""
        return (*self.past.end(), *self.unlocked.entries())

    def rebase(self, news: Sequence[News]) -> None:
        """Stand where entries beyond the log lead: we are about to sign for them, so they are kept first.

        An entry with links was locked for somebody else: none is shown before, and `extend` found all ACKs in it.
        """
        drawn = max([number for number, each in enumerate(news, 1) if each.entry.links], default=0)
        for each in news[:drawn]:
            self.settle(each.ledger, each.entry, each.moves, each.drawn)
        left = self._left
        self.adopt(self.settled)
        if left and left[0].step >= self.settled.step:  # one beginning on another, and neither is locked
            self._left = left
        for each in news[drawn:]:
            for frame in each.frames:
                self.slots.setdefault(frame.slot, frame)
            self._go_on(each.frames[: len(each.entry.bodies)], each.ledger)

    def _go_on(self, bodies: Sequence[Frame], ledger: Ledger) -> None:
        """Go on to what bodies led to; those of others are kept before anything is signed for them."""
        self.tip = ledger
        self.journal.lend(bodies)
        self.unlocked.add(Performed(ledger.step - 1, tuple(bodies), ledger, ledger.moves), self.slots.values())

    def begin_epoch(self, news: Sequence[News], before: Ledger, bodies: Sequence[Frame]) -> None:
        """Perform the bodies of a new epoch `before` which `news` lead; once that is locked, so is all before it."""
        if news and news[0].entry.step <= self.past.firm[1] and not news[0].ledger.drawing:  # logged with fewer ACKs
            self.settle(news[0].ledger, news[0].entry, news[0].moves)
            news = news[1:]
        turning = news[0].before if news else before
        ours, other = self.unlocked.steps.copy(), dict(self.unlocked.heads())
        if turning.step < self.settled.step:  # the end of the log is done otherwise, and ours hung on it
            self.past.turn_back(turning)
            ours, self._left = [], []
        heads = [(each.entry.step, each.ledger.outcome[0]) for each in news]
        self.rebase(news)
        if not self._left and any(other.get(step, head) != head for step, head in heads):
            self._left = ours
        ledger = self.tip.copy()
        ledger.perform(bodies)
        if ledger.epoch != self.tip.epoch:
            self._asked = self._told = -1
        self.tip = ledger
        self.journal.lend(bodies)
        self._forget()
        self._say_again()
        self.unlocked.add(Performed(ledger.step - 1, tuple(bodies), ledger, ledger.moves), self.slots.values())
        self.acknowledge()
        self.advance()

    def opening(self) -> tuple[bytes, ...]:
        """Return what is not locked up to the beginning of our epoch: who has not begun it yet needs it."""
        return self.unlocked.entries() if self.unlocked.opening else ()

    def may_begin(self, ledger: Ledger) -> bool:
        """Whether we did not sign to go past the epoch that a ledger begins, nor showed the link that its draw takes.

        We showed it if we voted anew for a later epoch, and helped to end a draw before this one began after all.
        """
        journal, locked = self.journal, ledger.locked >= ledger.step - 1
        if ledger.epoch <= self._abandoned and not locked:  # the others would take us back to it for ever
            return False
        shown = self.own.place in ledger.linking and ledger.attempts < journal.spent and journal.spent_in < ledger.epoch
        return ledger.epoch > self.tip.epoch and not journal.leaves < ledger.epoch < journal.sworn and not shown

    def step_back(self) -> None:
        """Return to where our epoch began: it does not get locked, and the others may be on their way to another."""
        before, self._abandoned = self._left or self.unlocked.steps[:-1], max(self._abandoned, self.tip.epoch)
        self.adopt(self.settled)
        for performed in before:
            self.tip = performed.ledger
            self.unlocked.add(performed, (*performed.bodies, *performed.acks.values(), *self.slots.values()))

    def part(self, step: Step) -> None:
        """Do nothing any more: another history than ours is locked from a step on. What both have ends before it."""
        self.parted = step
        shared = f"the last step that both have is {step - 1}" if step else "they have no step in common"
        sentence = f"This match has two histories, both signed by all who played on: {shared}. Nothing more is signed."
        self.disputes.trouble("fork", step, self.own.place, sentence)

    def _may_sign_next(self) -> bool:
        """Whether the next step may be signed and performed: a round of them may be unlocked, none behind a gate."""
        waiting, tip = len(self.unlocked.steps), self.tip
        if tip.closed or tip.resting or tip.drawing:
            return False
        return waiting < tip.members and not tip.gated if waiting else not tip.unlocked_gate

    def _perform(self) -> bool:
        """Apply the next step once all its bodies are here, on a copy, and ACK it."""
        if not self._may_sign_next():
            return False
        step, due = self.tip.step, self.tip.due()
        if due.kind is Kind.OPEN and self.own.place in due.places:
            self._open()
        epoch = self.tip.epoch
        bodies = [
            frame for place in due.places if due.kind and (frame := self.slots.get(Slot(epoch, step, due.kind, place)))
        ]
        if len(bodies) < len(due.places):
            return False
        ledger = self.tip.copy()
        try:
            ledger.perform(bodies)
        except Disagreement as error:
            before = self.unlocked.steps[-1].bodies if self.unlocked.steps else ()
            self.disputes.disagree(error, next(body for body in bodies if body.place == error.place), before)
            return False
        except Cheat as error:
            self.disputes.convict(error, bodies)
            return False
        self._go_on(bodies, ledger)
        if ledger.gated or len(self.unlocked.steps) == ledger.members:
            self.acknowledge()
        elif self.own.place not in ledger.vouched and self.holding_ack is None:
            self.holding_ack = step
        return True

    def acknowledge(self) -> None:
        """Sign for what the last performed step led to, and so for all before it, unless its body did."""
        self.holding_ack = None
        if self.unlocked.steps and self.own.place not in self.tip.vouched:
            self._sign(Kind.ACK, Ack(self.tip.state), self.tip, step=self.tip.step - 1)

    def _open(self) -> None:
        """Show what our COMMIT hid, now that all commitments are locked."""
        step, me = self.tip.step, self.own.place
        kept = self.journal.secret(Slot(*self.tip.committed, Kind.COMMIT, me))
        if kept is None:
            self.disputes.trouble("lost-secret", step, me, "The journal of this seat lost what its commitment hid.")
        elif Slot(self.tip.epoch, step, Kind.OPEN, me) not in self.slots:
            self._sign(Kind.OPEN, Open(self.tip.state, kept.nonce, kept.choice), self.tip)

    # What goes out

    def _sign(
        self,
        kind: Kind,
        payload: Payload,
        ledger: Ledger,
        nonce: bytes = b"",
        choice: Action = 0,
        step: Step | None = None,
    ) -> None:
        """Sign, keep and send a body for a slot; what was signed for it before is sent again instead."""
        if self.silent:
            return
        at = ledger.step if step is None else step
        self._take(self.journal.seal(kind, payload, ledger.epoch, at, ledger.head, nonce, choice))

    def _ask(self) -> None:
        """Say once whose say it is: to our own player early, to the watchers when all before it is locked."""
        tip = self.tip
        if tip.step == 0 or self.silent or not self._may_sign_next():
            return
        due = tip.due()
        if due.kind is None or due.kind is Kind.OPEN:
            return
        mine = Slot(tip.epoch, tip.step, due.kind, self.own.place)
        if self._told < tip.step and not self.unlocked.steps:
            self._told = tip.step
            self._tell(TurnCame(tip.step, tip.position.to_act(), tip.position.secret))
        if self._asked < tip.step and self.own.place in due.places and mine not in self.slots:
            self._asked = tip.step
            self._tell(Asked(tip.step))

    def _tell(self, notice: Notice) -> None:
        self.commands.append(Tell(notice))
