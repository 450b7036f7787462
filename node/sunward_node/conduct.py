"""How one peer behaves: a token bucket for what it sends, and what follows when it misbehaves.

Must never cost more than the frame it judges: it runs before anything of the frame is looked at.
"""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What is borne from one peer. Frames and bytes have a token bucket each: a second's refill, the most saved up.

    A strike brings the next of the pauses (seconds unheard); after the last, the peer is barred (seconds disconnected).
    Strikes are forgiven after a time (seconds) without one; longer than being barred, or that would be a pardon.
    """

    frames: float
    frames_saved: float
    bytes: float
    bytes_saved: float
    pauses: tuple[float, ...]
    barred_for: float
    forgiven_after: float


TOLERANCE = Tolerance(
    frames=10_000.0,  # three frames a step at a thousand steps a second is the fastest table seen; three times that
    frames_saved=20_000.0,  # two seconds of it, for whoever slept while a fast table went on
    bytes=8.0 * 2**20,  # a log of 2,000 steps, some 6 MB, resyncs in a second
    bytes_saved=16.0 * 2**20,  # and such a log may come at once
    pauses=(0.5, 5.0, 30.0),  # a hiccup costs nothing, a habit does
    barred_for=120.0,  # a seat is never lost by it: its person has time to restart, and the table to wait
    forgiven_after=300.0,
)


class Conduct:
    """What one key may send, and how often it was struck. Times are the event loop's, in seconds."""

    __slots__ = (
        "_bytes",
        "_filled_at",
        "_frames",
        "_strikes",
        "_struck_at",
        "_tolerance",
        "barred_until",
        "deaf_until",
    )

    def __init__(self, tolerance: Tolerance, now: float) -> None:
        self._tolerance = tolerance
        self._frames = tolerance.frames_saved
        self._bytes = tolerance.bytes_saved
        self._filled_at = now
        self._strikes = 0
        self._struck_at = -inf
        self.deaf_until = -inf
        self.barred_until = -inf

    def take(self, size: int, now: float) -> bool:
        """Pay for a frame of `size` bytes; False, and a strike, if the bucket cannot."""
        bucket = self._tolerance
        elapsed = now - self._filled_at
        if elapsed > 0.0:
            self._filled_at = now
            self._frames = min(bucket.frames_saved, self._frames + elapsed * bucket.frames)
            self._bytes = min(bucket.bytes_saved, self._bytes + elapsed * bucket.bytes)
        if self._frames < 1.0 or self._bytes < size:
            self.strike(now)
            return False
        self._frames -= 1.0
        self._bytes -= size
        return True

    def strike(self, now: float) -> None:
        """Pause this peer, longer each time, and bar it once all pauses are used up."""
        if now - self._struck_at > self._tolerance.forgiven_after:
            self._strikes = 0
        self._struck_at = now
        if self._strikes < len(self._tolerance.pauses):
            self.pause(self._tolerance.pauses[self._strikes], now)
        else:
            self.barred_until = now + self._tolerance.barred_for
            self.pause(self._tolerance.barred_for, now)
        self._strikes += 1

    def pause(self, seconds: float, now: float) -> None:
        """Hear nothing from this peer for a while."""
        self.deaf_until = max(self.deaf_until, now + seconds)

    def forgettable(self, now: float) -> bool:
        """Whether nothing would be lost by starting afresh."""
        return now >= self.deaf_until and now - self._struck_at > self._tolerance.forgiven_after
