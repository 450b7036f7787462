"""What a seat's node wants of the table by itself: a bot agrees to what is asked, and who was away comes back.

Must never agree for a person to anything: nobody else knows what they want.
"""

from collections.abc import Callable

from sunward_protocol.ids import Place
from sunward_protocol.messages import NO_CHANGE, Change
from sunward_protocol.table.events import Applied, CameBack, Changed, Claimed, Notice, Wanted, WentAway
from sunward_protocol.table.replica import Replica


class Wishes:
    """Heeds the notices of one seat's match. `want` may be called while a replica is at work: it must only note."""

    def __init__(self, replica: Replica, want: Callable[[Wanted], None], *, bot: bool, returning: bool) -> None:
        self.bot = bot
        """Whether a bot plays: it takes everybody for honest, and whoever is not heard for gone."""
        self.attended = bot
        """Whether anybody would play if we came back."""
        self._replica = replica
        self._want = want
        self._returning = returning
        self._away = set[Place]()
        self._claims = dict[Place, Change]()
        self._last = Wanted()

    def heed(self, notice: Notice) -> None:
        """Take in what happened."""
        match notice:
            case Claimed(place, change) if place != self._replica.steps.own.place:
                self._claims.pop(place, None)
                if change is not None:
                    self._claims[place] = change
            case WentAway(place):
                self._away.add(place)
            case CameBack(place):
                self._away.discard(place)
            case Changed():
                self._claims.clear()
                self._last = Wanted()
            case Applied(_, moves) if self._returning:
                steps = self._replica.steps
                own, live = steps.tip.seat_of(steps.own.place), steps.own.place in steps.tip.live
                self._returning = not (live and own in [move.seat for move in moves])  # else we are in play again
            case _:
                return
        self.look()

    def look(self) -> None:
        """Want what is to be wanted now, unless that was wanted last."""
        wanted = self._wanted()
        if wanted != self._last and (self.bot or wanted.back):
            self._last = wanted
            self._want(wanted)

    def _wanted(self) -> Wanted:
        steps = self._replica.steps
        home = self.attended and (self.bot or self._returning)
        if steps.own.place not in steps.tip.live:
            return Wanted(back=home)
        if steps.tip.resting:
            asked = self.bot and NO_CHANGE in self._claims.values()
            return Wanted(back=asked or (self.attended and self._returning))
        claims = self._claims.values()
        gone = sum(1 << place for place in self._away)
        out = 0
        for claim in claims:
            out |= claim.out & gone
        rewind = max((claim.rewind for claim in claims), default=0)
        return Wanted(out, rewind, any(claim.adjourn for claim in claims))
