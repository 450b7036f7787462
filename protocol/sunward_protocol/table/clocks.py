"""Who keeps the table waiting, and for how long: readings of this member alone, in no state, head or hash.

Must never count time in which this member itself slept or was cut off.
"""

from collections.abc import Mapping

from sunward_protocol import limits
from sunward_protocol.ids import Place, Step
from sunward_protocol.messages import Kind

POLICY = ("bank", "increment", "frames")
"""What a clock policy names, in seconds: a seat's time to think in the whole match, what each of its turns adds to it,
and the time that the frames may take which its node owes without it."""

THOUGHT = (Kind.ACT, Kind.COMMIT)
"""What takes a player's time; all else is its node's."""


class Clocks:
    """The time that each place has left."""

    __slots__ = ("_increment", "_most", "_owed", "_seen", "frames", "turns")

    def __init__(self, policy: Mapping[str, int], members: int, now: float) -> None:
        """Start the clocks of a table; an empty policy means that they never run."""
        self.turns = [float(policy.get("bank", 0))] * members
        """Seconds that each place has left to think."""
        self.frames = [float(policy.get("frames", 0))] * members
        """Seconds that each place's node has left to send what it owes without its player."""
        self._increment = policy.get("increment", 0)
        self._most = policy.get("frames", 0)
        self._owed: dict[tuple[Place, bool], int] = {}
        self._seen = now

    def look(self, now: float, step: Step, played: int, owed: Mapping[Place, Kind], awake: bool) -> int:
        """Charge whoever owes the same as at the last look; return a bit mask of those whose time is over.

        A turn goes on through beginnings of epochs, so it is told by how many steps of the game were `played`.
        """
        passed, self._seen = now - self._seen, now
        debts = {(place, kind in THOUGHT): played if kind in THOUGHT else step for place, kind in owed.items()}
        for (place, thought), since in debts.items():
            bank = self._bank(thought)
            if self._owed.get((place, thought)) != since:
                bank[place] = bank[place] + self._increment if thought else min(self._most, bank[place] + 1)
            elif awake and 0 < passed <= limits.SLEPT:
                bank[place] -= passed
        turns = {debt: since for debt, since in self._owed.items() if debt[1]}  # one goes on behind what a node owes
        self._owed = turns | debts
        return sum(1 << place for place, thought in debts if self._bank(thought)[place] <= 0)

    def grant(self, place: Place) -> None:
        """Give a place that comes back the time for some turns."""
        self.turns[place] = max(self.turns[place], 4.0 * self._increment, limits.RETURNER)
        self.frames[place] = float(self._most)

    def _bank(self, thought: bool) -> list[float]:
        return self.turns if thought else self.frames
