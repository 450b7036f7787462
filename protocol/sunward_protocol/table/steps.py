"""The lockstep: gather a step's bodies, apply them, ACK, lock, reveal, draw, and on.

A step performed here but not locked may still turn out not to be the table's: until the lock nothing of it is told,
logged or revealed. Must never sign two bodies for one slot, nor send what is not in the journal.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from sunward_protocol import limits
from sunward_protocol.commitment import NONCE_SIZE, commit
from sunward_protocol.domains import Domain, digest
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import Frame, is_signed, open_frame, seal
from sunward_protocol.errors import Forged, IllegalAction
from sunward_protocol.games.game import Action
from sunward_protocol.identity import Signatures, Signer
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.ledger import Cheat, Disagreement, Ledger, Move
from sunward_protocol.log import Entry, is_ack
from sunward_protocol.messages import Ack, Act, Commit, Kind, Link, Open, Payload
from sunward_protocol.records import Kept, write_entry, write_kept
from sunward_protocol.table.commands import Command, Keep, Log, Send, Strike, Tell
from sunward_protocol.table.disputes import Disputes
from sunward_protocol.table.events import Applied, Asked, Drawn, Ended, Notice, Refused, TurnCame

Entropy: TypeAlias = Callable[[int], bytes]
"""So many unpredictable bytes."""


@dataclass(frozen=True, slots=True)
class Own:
    """What makes a replica this member's: its place, its session key, its chain and its source of nonces."""

    place: Place
    signer: Signer
    chain: HashChain
    entropy: Entropy


class Address(NamedTuple):
    """A slot within the present epoch."""

    step: Step
    kind: Kind
    place: Place


@dataclass(frozen=True, slots=True)
class Performed:
    """A step that was applied here: what it was made of and the ledger right after it, its draws not yet made.

    `acks` are the ACKs that came for it, by place.
    """

    step: Step
    bodies: tuple[Frame, ...]
    ledger: Ledger
    moves: tuple[Move, ...]
    acks: dict[Place, Frame] = field(default_factory=dict[Place, Frame])


class Steps:
    """One member's view of the steps that are under way, and of everything locked before them."""

    def __init__(self, ledger: Ledger, own: Own, signatures: Signatures) -> None:
        self.own = own
        self.others = tuple(place for place in range(ledger.members) if place != own.place)
        self.settled = ledger
        """The ledger after the last step that is locked, drawn and logged."""
        self.tip = ledger
        """The ledger after the last step performed."""
        self.entries: list[bytes] = []
        """Every logged entry, encoded, by step."""
        self.slots: dict[Address, Frame] = {}
        """Verified frames of the steps from `settled` on."""
        self.commands: list[Command] = []
        self._covered = ledger.signed.copy()
        self.holding_ack: Step | None = None
        """The step whose ACK waits for an action of ours to carry it."""
        self._signatures = signatures
        self._performed: list[Performed] = []
        self._signed: dict[Address, Kept] = {}
        self._asked: Step = -1
        self._told: Step = -1
        self.disputes = Disputes(lambda command: self.commands.append(command))

    # What comes in

    def receive(self, frame: Frame, sender: Place) -> bool:
        """Take in a frame of a step; return whether it was new and good, so that it may be forwarded."""
        address = Address(frame.step, frame.kind, frame.place)
        known = self.slots.get(address)
        if known is not None and (known.body == frame.body or frame.kind is Kind.LINK):
            return False
        if frame.kind is Kind.LINK:
            if not self._is_next_link(frame):
                return False
        elif not is_signed(frame, self.settled.genesis.members[frame.place].session, self._signatures):
            self.commands.append(Strike(sender, f"a {frame.kind.name} frame whose signature does not hold"))
            return False
        if known is not None:
            twice = Cheat(frame.place, frame.step, "signed two different messages for one slot")
            self.disputes.convict(twice, [known, frame])
            return False
        self._take(frame)
        return True

    def _take(self, frame: Frame) -> None:
        """Put a verified frame into its slot, and see whether it signs for a performed step."""
        self.slots[Address(frame.step, frame.kind, frame.place)] = frame
        for performed in self._performed:
            self._count(frame, performed)

    def _count(self, frame: Frame, performed: Performed) -> None:
        """Take a frame as its place's word on a performed step; whoever signed for something else is named.

        A body of the next step is as good as an ACK, but not where nothing may follow before the lock.
        """
        ledger, step = performed.ledger, performed.step
        if not is_ack(frame, step) or (ledger.gated and frame.kind is not Kind.ACK):
            return
        if ledger.vouches(frame):
            self._covered[frame.place] = max(self._covered[frame.place], step)
            if frame.kind is Kind.ACK:
                performed.acks[frame.place] = frame
        else:
            what = "state hash" if frame.head == ledger.head else "head"
            self.disputes.disagree(Disagreement(frame.place, step, what), frame, performed.bodies)

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

    def restore(self, kept: Iterable[Kept]) -> None:
        """Take up again what this member signed before it was stopped: it is sent as it was, never signed anew."""
        for record in kept:
            frame = open_frame(record.frame)
            address = Address(frame.step, frame.kind, frame.place)
            if frame.step >= self.settled.step - 1:
                self._signed[address] = record
            if frame.step >= self.settled.step:
                self.slots[address] = frame

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
            self._sign(Kind.ACT, Act(tip.state, actions, (), outcome), tip)
            self.holding_ack = None  # this action signs for the step before it
        self.advance()

    def _refusal(self, step: Step, actions: tuple[Action, ...]) -> Refused | None:
        tip, me = self.tip, self.own.place
        if not self._may_sign_next() or step != tip.step or me not in tip.due().places:
            return Refused(step, "turn", "It is not your turn to act just now.")
        kind = tip.due().kind
        if kind is Kind.OPEN or any(Address(step, taken, me) in self.slots for taken in (Kind.ACT, Kind.COMMIT)):
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
        while self._lock() or self._reveal() or self._perform():
            pass
        self._ask()

    def _lock(self) -> bool:
        """Settle the oldest performed step if it is locked and draws nothing."""
        if not self._performed or self._performed[0].ledger.drawing or not self._is_locked(self._performed[0]):
            return False
        self._settle(self._performed[0], ())
        return True

    def _is_locked(self, performed: Performed) -> bool:
        """Whether every place signed for what the step led to, or for what came of it later."""
        return min(self._covered) >= performed.step

    def _reveal(self) -> bool:
        """Show our link once the drawing step is locked, and draw once all links are in."""
        if not self.tip.drawing or not self._is_locked(self._performed[-1]):
            return False
        step, tip, me = self.tip.step - 1, self.tip, self.own.place
        if tip.attempts == len(self.own.chain.links):
            self.disputes.trouble("chain-spent", step, me, "All draws that were prepared for this match are used up.")
            return False
        if Address(step, Kind.LINK, me) not in self.slots:
            link = Link(tip.attempts, self.own.chain.links[tip.attempts])
            self._send(seal(Kind.LINK, link, tip.match, epoch=tip.epoch, step=step, place=me, head=tip.head))
        frames = [self.slots.get(Address(step, Kind.LINK, place)) for place in range(tip.members)]
        links = [frame.payload.link for frame in frames if frame is not None and isinstance(frame.payload, Link)]
        if len(links) < tip.members:
            return False
        drawn = tip.reveal(links)
        self._settle(self._performed[0], tuple(links), drawn)
        return True

    def _settle(self, performed: Performed, links: tuple[Digest, ...], drawn: Digest | None = None) -> None:
        ledger, step = performed.ledger, performed.step
        acks = tuple(performed.acks[place].raw for place in sorted(performed.acks))
        entry = Entry(ledger.epoch, step, tuple(body.raw for body in performed.bodies), acks, links)
        del self._performed[0]
        self.settle(ledger, entry.encode(), performed.moves, drawn)

    def settle(self, ledger: Ledger, encoded: bytes, moves: tuple[Move, ...], drawn: Digest | None) -> None:
        """Log a locked step, forget its frames and tell of it."""
        step = ledger.step - 1
        self.settled = ledger
        ledger.signed = [max(before, step) for before in ledger.signed]
        self.entries.append(encoded)
        self.commands.append(Log(write_entry(encoded)))
        for address in [address for address in self.slots if address.step <= step]:
            del self.slots[address]
        for address in [address for address in self._signed if address.step < step]:  # a COMMIT is needed one step on
            del self._signed[address]
        if moves:
            self._tell(Applied(step, moves))
        if drawn is not None:
            self._tell(Drawn(step, drawn))
        result = ledger.position.result()
        if ledger.closed and result is not None:
            self._tell(Ended(result))

    def adopt(self, ledger: Ledger) -> None:
        """Go on from a ledger that was settled from entries: what was under way is done again from its frames."""
        self.tip = ledger
        self._covered = ledger.signed.copy()
        self._performed.clear()
        self.holding_ack = None

    def _may_sign_next(self) -> bool:
        """Whether the next step may be signed and performed: a round of them may be unlocked, none behind a gate."""
        waiting = len(self._performed)
        return not self.tip.closed and (waiting == 0 or (waiting < self.tip.members and not self.tip.gated))

    def _perform(self) -> bool:
        """Apply the next step once all its bodies are here, on a copy, and ACK it."""
        if not self._may_sign_next():
            return False
        step, due = self.tip.step, self.tip.due()
        if due.kind is Kind.OPEN and self.own.place in due.places:
            self._open()
        bodies = [
            frame for place in due.places if due.kind and (frame := self.slots.get(Address(step, due.kind, place)))
        ]
        if len(bodies) < len(due.places):
            return False
        ledger = self.tip.copy()
        try:
            ledger.perform(bodies)
        except Disagreement as error:
            before = self._performed[-1].bodies if self._performed else ()
            self.disputes.disagree(error, next(body for body in bodies if body.place == error.place), before)
            return False
        except Cheat as error:
            self.disputes.convict(error, bodies)
            return False
        self.tip = ledger
        performed = Performed(step, tuple(bodies), ledger, ledger.moves)
        for frame in list(self.slots.values()):
            self._count(frame, performed)
        self._performed.append(performed)
        for place in ledger.vouched:
            self._covered[place] = step
        if ledger.gated or len(self._performed) == ledger.members:
            self.acknowledge()
        elif self.own.place not in ledger.vouched and self.holding_ack is None:
            self.holding_ack = step
        return True

    def acknowledge(self) -> None:
        """Sign for what the last performed step led to, and so for all before it, unless its body did."""
        self.holding_ack = None
        if self._performed and self.own.place not in self.tip.vouched:
            self._sign(Kind.ACK, Ack(self.tip.state), self.tip, step=self.tip.step - 1)

    def _open(self) -> None:
        """Show what our COMMIT hid, now that all commitments are locked."""
        step, me = self.tip.step, self.own.place
        kept = self._signed.get(Address(step - 1, Kind.COMMIT, me))
        if kept is None:
            self.disputes.trouble("lost-secret", step, me, "The journal of this seat lost what its commitment hid.")
        elif Address(step, Kind.OPEN, me) not in self.slots:
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
        address = Address(ledger.step if step is None else step, kind, self.own.place)
        kept = self._signed.get(address)
        if kept is None:
            frame = seal(
                kind,
                payload,
                ledger.match,
                self.own.signer,
                epoch=ledger.epoch,
                step=address.step,
                place=self.own.place,
                head=ledger.head,
            )
            kept = self._signed[address] = Kept(frame.raw, nonce, choice)
            self.commands.append(Keep(write_kept(kept)))
        else:
            frame = open_frame(kept.frame)
        self._send(frame)

    def _send(self, frame: Frame) -> None:
        self._take(frame)
        self.commands.append(Send(self.others, frame.raw))

    def _ask(self) -> None:
        """Say once whose say it is: to our own player early, to the watchers when all before it is locked."""
        tip = self.tip
        if tip.closed or tip.drawing or tip.step == 0 or not self._may_sign_next():
            return
        due = tip.due()
        if due.kind is None or due.kind is Kind.OPEN:
            return
        mine = Address(tip.step, due.kind, self.own.place)
        if self._told < tip.step and not self._performed:
            self._told = tip.step
            self._tell(TurnCame(tip.step, tip.position.to_act(), tip.position.secret))
        if self._asked < tip.step and self.own.place in due.places and mine not in self.slots:
            self._asked = tip.step
            self._tell(Asked(tip.step))

    def _tell(self, notice: Notice) -> None:
        self.commands.append(Tell(notice))
