"""Tables at which some lie, watched by the checks of the simulation, and what the honest and their files say of it.

Must never be told who lies but by whoever seats them: what is asserted of liars comes from honest files and replicas.
"""

from collections.abc import Callable, Mapping

from sunward_protocol.ids import Place, Step
from sunward_protocol.messages import Kind
from sunward_protocol.table.owing import owing
from support.sim_checks import Checks
from support.sim_play import CHAIN, CLOCK
from support.world import Liar, World

TURNS = b"12"
"""Pebbles of so many turns: two dozen steps, of all sorts."""


class LiarTable:
    """A table of pebbles with clocks; the checks raise the moment that an honest member is harmed."""

    def __init__(
        self,
        members: int,
        liars: Mapping[Place, Liar],
        *,
        gone: Place | None = None,
        turns: bytes = TURNS,
        random_seed: int = 1,
        checked: bool = True,
    ) -> None:
        """Seat the members; whoever is `gone` dies soon after the match began."""
        self.world = World(
            members,
            components=turns,
            random_seed=random_seed,
            chain_length=4 * CHAIN["pebbles"],
            clock=CLOCK,
            liars=liars,
            waiting=True,
        )
        self.honest = [place for place in range(members) if place not in liars and place != gone]
        self.checks = Checks(self.world)
        self.world.watches = [self.checks] if checked else []
        self.world.delay = lambda sender, receiver: 0.005
        self._gone = () if gone is None else (gone,)
        if gone is not None:
            self.world.at(0.02, lambda: self.world.stop(gone))

    def play(self, seconds: float = 150.0) -> None:
        """Play until all who are honest have come to the end, or for so long; look at all that was left."""
        self.world.begin()
        self.world.run(seconds, until=self.ended)
        if self.world.watches:
            self.checks.finish(False, self._gone)

    def ended(self) -> bool:
        """Whether all who are honest have come to the end, of one history."""
        return all(self.world.replica(place).steps.over for place in self.honest)

    def heads(self) -> set[bytes]:
        """The heads of the honest logs."""
        return {self.world.replica(place).steps.settled.head for place in self.honest}

    def live(self) -> set[tuple[Place, ...]]:
        """Who still plays, as far as each of the honest has it locked."""
        return {self.world.replica(place).steps.settled.live for place in self.honest}

    def convicted(self, place: Place) -> tuple[Place, Step] | None:
        """Return whom the file of a member proves a cheat first, and at which step."""
        report = self.world.audit(place)
        if report.verdict != "cheat" or report.seat is None:
            return None
        return self.world.replica(place).steps.settled.place_of[report.seat], report.step

    def owed(self, place: Place) -> dict[Place, Kind]:
        """Return who keeps the table waiting, and by what, as a member sees it."""
        return owing(self.world.replica(place).steps)

    def struck(self) -> set[Place]:
        """Who was struck for what they sent."""
        return {strike.place for strike in self.world.strikes}

    def delay_between(self, apart: Callable[[Place, Place], bool], until: float, delay: float = 0.005) -> None:
        """Let nothing through between those who are apart, from soon after the beginning on."""
        self.world.delay = lambda sender, receiver: (
            None if 0.05 <= self.world.now < until and apart(sender, receiver) else delay
        )
