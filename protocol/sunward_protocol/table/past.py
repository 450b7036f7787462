"""What is locked, as one member's log has it, and the ledgers along its end from which an epoch may still begin."""

from sunward_protocol import limits
from sunward_protocol.ids import Epoch, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry


class Past:
    """A member's log from the first step on."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        """The ledger after the last step that is locked, drawn and logged."""
        self.entries: list[bytes] = []
        """Every logged entry, encoded, by step."""
        self.torn = False
        """Whether our disk ends with a step whose lock it lacks: it was to follow when this node was stopped."""
        self.firm: tuple[Epoch, Step] = (0, 0)
        """The last step that does not begin an epoch: later ones can be undone."""
        self._turns: list[Ledger | None] = []
        """The ledgers before the last step that begins no epoch, and before each that does so after it."""

    def add(self, ledger: Ledger, entry: Entry, encoded: bytes) -> None:
        """Log a step and what it led to, in the place of what was logged for it, and after it, before."""
        before = self.before(entry.step)
        self._cut(entry.step)
        self.entries.append(encoded)
        if ledger.changed is None:
            self.firm = entry.epoch, entry.step
            self._turns.clear()
        self._turns.append(before)
        self.ledger, self.torn = ledger, False

    def turn_back(self, ledger: Ledger) -> None:
        """Go back to the ledger before a step of the log: the steps from there on are done otherwise."""
        self._cut(ledger.step)
        self.ledger = ledger

    def _cut(self, step: Step) -> None:
        """Drop the end of the log, from a step on."""
        del self._turns[max(0, len(self._turns) - len(self.entries) + step) :]
        del self.entries[step:]

    def before(self, step: Step) -> Ledger | None:
        """Return the ledger before a step of the log, if an epoch may still begin there; or before the next step."""
        if step == len(self.entries):
            return self.ledger
        number = len(self._turns) - len(self.entries) + step
        return self._turns[number] if 0 <= number < len(self._turns) else None

    def end(self) -> list[bytes]:
        """Return the last entries, as many as a vote may carry."""
        size, count = 0, 0
        for entry in reversed(self.entries[-limits.LEAD :]):
            size += len(entry)
            if size > limits.VOTE_FILL:
                break
            count += 1
        return self.entries[len(self.entries) - count :]
