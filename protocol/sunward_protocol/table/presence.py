"""Who is there: heard by us, or by somebody we hear. A hint for people and for forwarding; decides nothing."""

from sunward_protocol import limits
from sunward_protocol.ids import Place
from sunward_protocol.table.commands import Tell
from sunward_protocol.table.events import CameBack, WentAway


class Presence:
    """When each place was last heard, and whom each says it is connected with."""

    __slots__ = ("_away", "_heard", "_linked", "_links")

    def __init__(self, members: int, me: Place, now: float) -> None:
        self._heard = {place: now for place in range(members) if place != me}
        self._links = dict.fromkeys(self._heard, 0)
        self._away = set[Place]()
        self._linked = 0

    @property
    def linked(self) -> int:
        """A bit mask of the places we heard lately."""
        return self._linked

    def hear(self, place: Place, now: float) -> list[Tell]:
        """Note that a frame came from a place."""
        self._heard[place] = now
        self._linked |= 1 << place
        return self._return(place)

    def lose(self, place: Place) -> None:
        """Note that the connection with a place ended: unless somebody else hears it, the next look finds it away."""
        self._heard[place] = -limits.AWAY_AFTER
        self._linked &= ~(1 << place)

    def learn(self, place: Place, linked: int) -> list[Tell]:
        """Note whom a place is connected with."""
        self._links[place] = linked
        back = [other for other in sorted(self._away) if linked >> other & 1]
        return [tell for other in back for tell in self._return(other)]

    def look(self, now: float) -> list[Tell]:
        """Return who is newly away at `now`."""
        self._linked = sum(1 << place for place, heard in self._heard.items() if now - heard < limits.AWAY_AFTER)
        reached = self._linked
        for place, linked in self._links.items():
            if self._linked >> place & 1:
                reached |= linked
        gone = [place for place in self._heard if not reached >> place & 1 and place not in self._away]
        self._away.update(gone)
        return [Tell(WentAway(place)) for place in gone]

    def cut_off(self, origin: Place, sender: Place) -> tuple[Place, ...]:
        """Return the places we hear that are not connected with `origin`: they need its frames from us."""
        return tuple(
            place
            for place, linked in self._links.items()
            if place not in (origin, sender) and linked and not linked >> origin & 1 and self._linked >> place & 1
        )

    def _return(self, place: Place) -> list[Tell]:
        if place not in self._away:
            return []
        self._away.discard(place)
        return [Tell(CameBack(place))]
