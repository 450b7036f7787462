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
    """What an event brought, as a chain has to have it.

    What was written, in order; whether the epoch is another; what was heard, None for no frame or if it is not asked.
    """

    written: tuple[Written, ...]
    turned: bool
    heard: Kind | None


class Chart:
    """Finds chains of rows in one table."""

    def __init__(self, machine: Machine) -> None:
        self._rows = machine.rows
        self.writes = {row.written for row in machine.rows}
        self._known: dict[tuple[State, State, Seen], bool] = {}

    def leads(self, before: State, after: State, seen: Seen) -> bool:
        """Whether a chain of one row or more leads from a state to another and is what was seen."""
        asked = (before, after, seen)
        if asked not in self._known:
            self._known[asked] = self._find(*asked)
        return self._known[asked]

    def _find(self, before: State, after: State, seen: Seen) -> bool:
        met, ahead = set[tuple[State, bool, int]](), [(before, False, 0)]
        while ahead:
            state, turned, spelt = ahead.pop()
            for row in self._rows:
                if state not in row.states or not (isinstance(row.event, str) or row.event is seen.heard):
                    continue
                if row.written and row.written not in seen.written[spelt : spelt + 1]:
                    continue
                place = (row.after, turned or row.turns, spelt + bool(row.written))
                if place not in met:
                    met.add(place)
                    ahead.append(place)
        return (after, seen.turned, len(seen.written)) in met


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

        It is looked at whenever something was signed, logged or performed: any other move shows at the next look.
        """
        if not self._stirred and self._replica.steps.tip is self._tip:
            return ""
        states, tip, settled = self._states, self._tip, self._settled
        written, self._written, self._stirred = self._written, [], False
        self._look()
        turned, still = self._tip.epoch != tip.epoch, self._tip is tip and self._settled is settled
        for chart, before, after, quiet in zip(CHARTS, states, self._states, (still, True), strict=True):
            seen = Seen(tuple(each for each in written if each in chart.writes), turned, None)
            if before is after and quiet and not turned and not seen.written:
                continue
            if not chart.leads(before, after, seen) and not chart.leads(before, after, self._hearing(seen)):
                return f"from {before.value} to {after.value}, {self._hearing(seen)}"
        return ""

    def _hearing(self, seen: Seen) -> Seen:
        """Return what was seen with what was heard."""
        return seen._replace(heard=open_frame(self._event.raw).kind if isinstance(self._event, Heard) else None)

    def _look(self) -> None:
        self._tip, self._settled = self._replica.steps.tip, self._replica.steps.settled
        self._states: tuple[State, State] = (stage(self._replica.steps), standing(self._replica))
