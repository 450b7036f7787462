"""Holds replicas to the tables of their states: what each did at an event must be a chain of rows.

A chain spells what the replica wrote meanwhile, in order, and turns to another epoch if the replica did. A start is no
move: it lands wherever the disk shows. Must never ask a replica for more than its state.
"""

from typing import NamedTuple

from sunward_protocol.envelope import open_frame
from sunward_protocol.messages import Kind
from sunward_protocol.table.events import Event, Heard
from sunward_protocol.table.replica import Replica
from sunward_protocol.table.states import CHANGE, STEP, Machine, State, Written, stage, standing


class Seen(NamedTuple):
    """What an event brought, as a chain has to have it."""

    written: tuple[Written, ...]
    """What was written, in order."""
    turned: int
    """1 if the epoch is a later one, -1 if an earlier one."""
    performed: int | None
    """How many steps were performed; None if that cannot be told: some came from others, or are void."""
    heard: Kind | None
    """What was heard; None for no frame, or if it is not asked."""


class Chart:
    """Finds chains of rows in one table."""

    def __init__(self, machine: Machine) -> None:
        self._rows = machine.rows
        self.writes = {row.written for row in machine.rows}
        self._known: dict[tuple[State, State, Seen], bool] = {}

    def leads(self, before: State, after: State, seen: Seen) -> bool:
        """Whether a chain of rows leads from a state to another and is what was seen."""
        asked = (before, after, seen)
        if asked not in self._known:
            self._known[asked] = self._find(*asked)
        return self._known[asked]

    def _find(self, before: State, after: State, seen: Seen) -> bool:
        """Search from the start: where a chain may be, to what epoch it turned, how much it has spelt and performed."""
        counted = seen.performed is not None
        ahead: list[tuple[State, int, int, int]] = [(before, 0, 0, 0)]
        met = set(ahead)
        while ahead:
            state, turned, spelt, performed = ahead.pop()
            for row in self._rows:
                if state not in row.states or not (isinstance(row.event, str) or row.event is seen.heard):
                    continue
                if row.written and row.written not in seen.written[spelt : spelt + 1]:
                    continue
                if row.turns < 0 and turned:
                    continue  # a replica goes back before it begins anything
                reached = (
                    row.after,
                    row.turns or turned,
                    spelt + bool(row.written),
                    performed + (counted and row.performs),
                )
                if reached not in met and reached[3] <= (seen.performed or 0):
                    met.add(reached)
                    ahead.append(reached)
        return (after, seen.turned, len(seen.written), seen.performed or 0) in met


CHARTS = (Chart(STEP), Chart(CHANGE))
_MARKS = {Kind.CLAIM: Written.CLAIM, Kind.VOTE: Written.VOTE, Kind.EPOCH: Written.EPOCH}


class Course:
    """One member's way through the tables, in one life."""

    def __init__(self, replica: Replica) -> None:
        """Stand wherever the disk shows."""
        self._replica = replica
        self._event: Event | None = None
        self._written: list[Written] = []
        self._stirred = False
        self._started = False
        self._look()

    def hears(self, event: Event) -> None:
        """Note what happens next."""
        self._event = event

    def signs(self, kind: Kind) -> None:
        """Note that something of a kind is signed."""
        self._stirred = True
        if kind in _MARKS:
            self._written.append(_MARKS[kind])

    def logs(self, drawn: bool) -> None:
        """Note that an entry is logged, with links or without."""
        self._stirred = True
        self._written.append(Written.DRAW if drawn else Written.ENTRY)

    def rests(self) -> str:
        """Return what was done since the last look and is no chain of rows, "" for nothing.

        It is looked at when it signed, logged or performed something, or parted: any other move shows at the next look.
        """
        steps = self._replica.steps
        if not self._started:  # what it does to set itself going is a part of the start
            self._started, self._stirred = True, False
            self._written.clear()
            self._look()
        if not self._stirred and steps.tip is self._tip and steps.parted is None:
            return ""
        states, before = self._states, self._tip
        written, self._written, self._stirred = self._written, [], False
        self._look()
        turned = (self._tip.epoch > before.epoch) - (self._tip.epoch < before.epoch)
        performed = None if turned or Written.EPOCH in written else self._tip.step - before.step
        for chart, old, new, count in zip(CHARTS, states, self._states, (performed, None), strict=True):
            spelt = tuple([each for each in written if each in chart.writes])
            if old is new and not (spelt or turned or count):
                continue  # nearly always
            seen = Seen(spelt, turned, count, None)
            if not chart.leads(old, new, seen) and not chart.leads(old, new, self._hearing(seen)):
                return f"from {old.value} to {new.value}, {self._hearing(seen)}"
        return ""

    def _hearing(self, seen: Seen) -> Seen:
        """Return what was seen with what was heard; history that came hides how many steps were performed."""
        heard = open_frame(self._event.raw).kind if isinstance(self._event, Heard) else None
        return seen._replace(heard=heard, performed=None if heard is Kind.SYNC else seen.performed)

    def _look(self) -> None:
        self._tip = self._replica.steps.tip
        self._states: tuple[State, State] = (stage(self._replica.steps), standing(self._replica))
