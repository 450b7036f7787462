"""What a simulated world is given beside its members: clocks that are not quite right, and watches that look on.

Must never know what is simulated: the world moves them, checks and faults use them.
"""

from sunward_protocol.ids import Place
from sunward_protocol.table.commands import Command
from sunward_protocol.table.events import Event


class Clock:
    """A member's own clock, in seconds: it may run fast or slow, and jump ahead; within one life it never goes back."""

    def __init__(self) -> None:
        self.rate = 1.0
        self.offset = 0.0
        self._latest = float("-inf")

    def read(self, now: float) -> float:
        """Return what the clock shows at the world's `now`."""
        self._latest = max(self._latest, self.offset + self.rate * now)
        return self._latest

    def when(self, shown: float) -> float:
        """Return the world's time at which the clock shows this, unless it jumps before."""
        return (shown - self.offset) / self.rate

    def reach(self, shown: float) -> None:
        """Have the clock show at least this from now on: an alarm is never early, whatever rounding says."""
        self._latest = max(self._latest, shown)

    def restart(self, by: float) -> None:
        """Begin another life, from which the clock may start anywhere."""
        self.offset += by
        self._latest = float("-inf")


class Watch:
    """Sees what goes on, for checks and traces; must never change any of it. This one looks away."""

    def started(self, place: Place) -> None:
        """A member's node stands where its disk ended; it has not said a word in this life yet."""

    def stopped(self, place: Place) -> None:
        """A member's node died."""

    def happens(self, place: Place, event: Event) -> None:
        """A member is about to take in an event."""

    def doing(self, place: Place, command: Command) -> None:
        """A member is about to do what its replica wants done; frames are shown by `posted`."""

    def posted(self, sender: Place, receiver: Place, raw: bytes) -> None:
        """A frame leaves, whether it arrives or not."""

    def rests(self, place: Place) -> None:
        """A member has done all that followed from an event, and is up."""
