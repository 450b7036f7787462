"""What this member signed, and what of others its word rests on: kept before it is sent, sent again as it was.

Must never sign two bodies for one slot, nor send what is not kept.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import Frame, Slot, open_frame, seal
from sunward_protocol.games.game import Action
from sunward_protocol.identity import Signer
from sunward_protocol.ids import Digest, Epoch, Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry
from sunward_protocol.messages import BODIES, CHANGES, EpochBody, Kind, Link, Payload, Resume
from sunward_protocol.records import Kept, write_kept
from sunward_protocol.table.commands import Command, Keep, Send

_BEFORE = (Kind.COMMIT, Kind.OPEN)
"""Bodies that sign for the step before theirs only: what theirs comes to, others have a part in."""

Entropy: TypeAlias = Callable[[int], bytes]
"""So many unpredictable bytes."""


@dataclass(frozen=True, slots=True)
class Own:
    """What makes a replica this member's: its place, its session key, its chain and its source of nonces."""

    place: Place
    signer: Signer
    chain: HashChain
    entropy: Entropy
    resume: Resume | None = None
    """New keys to come back with, if those of the genesis were lost."""
    lost_at: int = 0
    """When they were lost, in milliseconds since 1970: of several RESUMEs of one place the last counts."""


class Journal:
    """The journal of one member's seat, as far as it may be needed again; `do` takes what is to be kept and sent."""

    def __init__(self, own: Own, ledger: Ledger, do: Callable[[Command], None]) -> None:
        self.promised: Epoch = 0
        """The epoch that this member voted for last: in those before it nothing is signed any more."""
        self.sworn: Epoch = 0
        """The last epoch that this member signed the beginning of."""
        self.leaves: Epoch = 0
        """The epoch that it was to follow: none between the two is begun any more."""
        self.spent = 0
        """How many links of our chain were shown."""
        self.spent_in: Epoch = 0
        """The epoch in which the last of them was."""
        self._own = own
        self._match = ledger.match
        self._others = tuple(place for place in range(ledger.members) if place != own.place)
        self._do = do
        self._signed: dict[Slot, Kept] = {}
        self._lent: dict[bytes, tuple[Epoch, Step]] = {}
        """The frames of others that are in our journal and not yet in our log, and where they belong."""

    def restore(self, kept: Iterable[Kept]) -> list[Frame]:
        """Take up again what was kept before this member was stopped; return what is of others."""
        lent = list[Frame]()
        for record in kept:
            frame = open_frame(record.frame)
            if frame.place != self._own.place:
                lent.append(frame)
                self._lent[frame.raw] = frame.epoch, frame.step
                continue
            self._signed[frame.slot] = record
            if frame.kind is Kind.VOTE:
                self.promised = max(self.promised, frame.epoch)
            elif isinstance(frame.payload, EpochBody) and frame.epoch > self.sworn:
                self.sworn, self.leaves = frame.epoch, frame.payload.since
            elif isinstance(frame.payload, Link) and frame.payload.attempt >= self.spent:
                self.spent, self.spent_in = frame.payload.attempt + 1, frame.epoch
        return lent

    def __contains__(self, slot: Slot) -> bool:
        """Whether we signed a body for a slot, or showed a link for it."""
        return slot in self._signed

    def secret(self, slot: Slot) -> Kept | None:
        """Return what we signed for a slot, with what it hides; None if that was nothing, or is lost."""
        return self._signed.get(slot)

    def of_steps(self, epoch: Epoch, step: Step) -> Mapping[Slot, Frame]:
        """Return what we said of the steps of an epoch, from a step on."""
        return {
            slot: open_frame(record.frame)
            for slot, record in self._signed.items()
            if slot.epoch == epoch and slot.step >= step and slot.kind not in CHANGES
        }

    def of_changes(self) -> list[Frame]:
        """Return what we said about changes."""
        return [open_frame(record.frame) for slot, record in self._signed.items() if slot.kind in CHANGES]

    def sworn_for(self) -> list[EpochBody]:
        """Return the beginnings of epochs that we signed."""
        return [frame.payload for frame in self.of_changes() if isinstance(frame.payload, EpochBody)]

    def stands_behind(self, tip: Ledger) -> bool:
        """Whether a ledger stands behind everything that we signed in its epoch: after a crash that may take a while.

        Where we signed no more in a later one than its beginning, nothing came of that.
        """
        return all(
            slot.epoch < tip.epoch or (slot.epoch == tip.epoch and slot.step < tip.step + (slot.kind in _BEFORE))
            for slot in self._signed
            if slot.kind in BODIES or (slot.kind is Kind.ACK and slot.epoch == tip.epoch)
        )

    def showed_in(self, tip: Ledger) -> bool:
        """Whether our link for the draw under way in an epoch was shown in that epoch."""
        return self.spent > tip.attempts and self.spent_in == tip.epoch

    def acked_after(self, epoch: Epoch) -> bool:
        """Whether we signed for what came of a later epoch, and so for its beginning at least."""
        return any(slot.epoch > epoch for slot in self._signed if slot.kind is Kind.ACK)

    def seal(
        self,
        kind: Kind,
        payload: Payload,
        epoch: Epoch,
        step: Step,
        head: Digest,
        nonce: bytes = b"",
        choice: Action = 0,
    ) -> Frame:
        """Return our frame for a slot, kept and sent; what was signed for the slot before is sent again instead."""
        me, signer = self._own.place, self._own.signer
        frame = seal(kind, payload, self._match, signer, epoch=epoch, step=step, place=me, head=head)
        kept = self._signed.get(frame.slot)
        if kept is None:
            self._signed[frame.slot] = kept = Kept(frame.raw, nonce, choice)
            self._do(Keep(write_kept(kept)))
        else:
            frame = open_frame(kept.frame)
        self._do(Send(self._others, frame.raw))
        return frame

    def lend(self, frames: Iterable[Frame]) -> None:
        """Keep frames of others: what we send next rests on them."""
        for frame in frames:
            if frame.place != self._own.place and frame.raw not in self._lent:
                self._lent[frame.raw] = frame.epoch, frame.step
                self._do(Keep(write_kept(Kept(frame.raw, b"", 0))))

    def logged(self, entry: Entry) -> None:
        """Note that an entry is in the log, and so what it is made of."""
        for raw in (*entry.bodies, *entry.acks):
            self._lent.pop(raw, None)

    def forget(self, settled: Ledger, since: tuple[Epoch, Step]) -> None:
        """Drop what was signed before a step of an epoch; but a COMMIT is needed until it is opened."""
        if settled.commitments is not None:
            since = min(since, settled.committed)
        for raw in [raw for raw, where in self._lent.items() if where < since]:
            del self._lent[raw]
        for slot in list(self._signed):
            if slot.epoch < since[0] if slot.kind in CHANGES else (slot.epoch, slot.step) < since:
                del self._signed[slot]
