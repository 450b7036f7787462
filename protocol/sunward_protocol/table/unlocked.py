"""The steps that are performed here and not in the log yet, and how far each place signed for them.

Must never count a word that signs for another head or state than a step led to here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sunward_protocol.envelope import Frame
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.ledger import Disagreement, Ledger, Move
from sunward_protocol.log import Entry, is_ack
from sunward_protocol.messages import Kind
from sunward_protocol.table.disputes import Disputes


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

    def entry(self, links: tuple[Digest, ...] = ()) -> Entry:
        """Return the step as it is logged."""
        acks = tuple(self.acks[place].raw for place in sorted(self.acks))
        return Entry(self.ledger.epoch, self.step, tuple(body.raw for body in self.bodies), acks, links)


class Unlocked:
    """What is under way, the oldest first; whoever signed for something else is named in `disputes`."""

    __slots__ = ("_covered", "_disputes", "steps")

    def __init__(self, ledger: Ledger, disputes: Disputes) -> None:
        self.steps: list[Performed] = []
        self._disputes = disputes
        self._covered = ledger.signed.copy()
        """The last step that each place signed for."""

    def clear(self, ledger: Ledger) -> None:
        """Begin anew where a ledger stands."""
        self.steps.clear()
        self._covered = ledger.signed.copy()

    def add(self, performed: Performed, frames: Iterable[Frame]) -> None:
        """Go on by a step; `frames` are those that may sign for it."""
        self.steps.append(performed)
        for frame in frames:
            self._count(frame, performed)
        for place in performed.ledger.vouched:
            self._covered[place] = max(self._covered[place], performed.step)

    def count(self, frame: Frame) -> None:
        """Take a frame as its place's word on whatever it may sign for."""
        for performed in self.steps:
            self._count(frame, performed)

    def _count(self, frame: Frame, performed: Performed) -> None:
        """A body of the next step is as good as an ACK, but not where nothing may follow before the lock."""
        ledger, step = performed.ledger, performed.step
        if frame.epoch != ledger.epoch or not is_ack(frame, step) or (ledger.gated and frame.kind is not Kind.ACK):
            return
        if ledger.vouches(frame):
            self._covered[frame.place] = max(self._covered[frame.place], step)
            if frame.kind is Kind.ACK:
                performed.acks[frame.place] = frame
        else:
            what = "state hash" if frame.head == ledger.head else "head"
            self._disputes.disagree(Disagreement(frame.place, step, what), frame, performed.bodies)

    def lacks(self, performed: Performed) -> list[Place]:
        """Return the live places that have not signed for what a step led to, nor for what came of it later."""
        return [place for place in performed.ledger.live if self._covered[place] < performed.step]

    def is_locked(self, performed: Performed) -> bool:
        """Whether every live place signed for what a step led to, or for what came of it later."""
        return not self.lacks(performed)

    @property
    def opening(self) -> Performed | None:
        """The step that begins an epoch; nothing is performed behind it, and its lock locks all before it."""
        last = self.steps[-1] if self.steps else None
        return last if last and last.ledger.changed is not None else None

    def entries(self) -> tuple[bytes, ...]:
        """Return the steps as entries that may not be locked."""
        return tuple(each.entry().encode() for each in self.steps)

    def heads(self) -> list[tuple[Step, Digest]]:
        """Return the steps and the head after each, its draws not yet made."""
        return [(each.step, each.ledger.outcome[0]) for each in self.steps]

    def holds(self, frame: Frame) -> bool:
        """Whether what a frame says made one of the steps, or signed for one."""
        return any(frame.body == held.body for each in self.steps for held in (*each.bodies, *each.acks.values()))
