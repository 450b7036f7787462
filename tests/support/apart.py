"""Tables of pebbles at which one replica is broken: it plays by a rule of its own, or goes through what it holds in
another order, as a set does under another PYTHONHASHSEED.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from sunward_protocol.desync import Bundle, bundle
from sunward_protocol.games.game import Action, Chance, Draw, Json, Position, Seat, Words
from sunward_protocol.ids import Place, Step
from sunward_protocol.table.commands import Command, Tell
from sunward_protocol.table.events import Troubled
from sunward_protocol.table.replica import Replica
from support.pebbles import HIGH, LAY, LOW, PebbleRules, PebbleWords, Table
from support.world import Choose, World

SEED = 1
VERSIONS = {"program": "0.1.0", "python": "3.11.9"}
OTHER_VERSIONS = {**VERSIONS, "program": "0.1.1"}


class GenerousTable(Table):
    """A wrong rule: who lays gets two."""

    def apply(self, seat: Seat, action: Action) -> None:
        Table.apply(self, seat, action)
        if action == LAY:
            self.pebbles[seat] += 1


class SwappedTable(Table):
    """Of two who guess, it takes the second first; so it is the other who gains."""

    def apply(self, seat: Seat, action: Action) -> None:
        Table.apply(self, seat, (LOW + HIGH) - action if action in (LOW, HIGH) and not self.guess else action)


class OtherDiceTable(Table):
    """A rule of another version: its dice begin at nought."""

    def draw(self, chance: Chance) -> list[Draw]:
        rolling = self.phase == "keep"
        drawn = Table.draw(self, chance)
        if rolling:
            self.lying -= 1
        return drawn


class StrictTable(Table):
    """Another wrong rule: nobody may lay."""

    def legal(self, seat: Seat) -> list[Action]:
        return [action for action in Table.legal(self, seat) if action != LAY]


Kind: TypeAlias = type[Table]
Clock: TypeAlias = Mapping[str, int]


class PartedWords(PebbleWords):
    """Says a position in parts."""

    def state_json(self, position: Position) -> Json:
        assert isinstance(position, Table)
        return {
            "turns": position.turns,
            "active": position.active,
            "phase": position.phase,
            "pebbles": list(position.pebbles),
            "table": {"lying": position.lying, "due": position.due, "guess": position.guess},
        }


@dataclass(frozen=True)
class KindRules(PebbleRules):
    """Pebbles on a table of some kind."""

    kind: Kind = Table

    @property
    def words(self) -> Words:
        return PartedWords()

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        return self.kind([0] * seats, self.turns, chance=True)


def always(*actions: Action) -> Choose:
    """Return players who choose the first of these that is legal."""

    def choose(replica: Replica, _: Random) -> tuple[int, ...]:
        tip = replica.steps.tip
        legal = tip.position.legal(tip.seat_of(replica.steps.own.place))
        return (next(action for action in actions if action in legal),)

    return choose


def actor(members: int, choose: Choose, clock: Clock, step: Step) -> Place:
    """Return who makes a step at a table where nobody is broken."""
    world = World(members, choose=choose, random_seed=SEED, clock=clock)
    world.run(until=lambda: world.replica(0).steps.settled.step == step)
    ledger = world.replica(0).steps.settled
    return ledger.place_of[ledger.position.to_act()[0]]


class Apart(World):
    """A world in which one place plays on a table of another kind; what bundles are made is kept, by place and step."""

    def __init__(self, members: int, broken: Place, kind: Kind, choose: Choose, clock: Clock) -> None:
        self.broken = broken
        self.honest = [place for place in range(members) if place != broken]
        self.bundles = dict[tuple[Place, Step], Bundle]()
        self._kind = kind
        super().__init__(members, choose=choose, random_seed=SEED, clock=clock, waiting=True)
        self.begin()

    def start(self, place: Place) -> None:
        self.ruleset = KindRules(int(self.ruleset.components), self._kind if place == self.broken else Table)
        super().start(place)

    def _do(self, place: Place, commands: list[Command]) -> None:
        for command in commands:
            if isinstance(command, Tell) and isinstance(command.notice, Troubled):
                versions = OTHER_VERSIONS if place == self.broken else VERSIONS
                made = bundle(self.replica(place).steps, command.notice, versions)
                if made is not None:
                    self.bundles.setdefault((place, made.step), made)
        super()._do(place, commands)

    def troubles(self, place: Place) -> list[tuple[str, Step, Place]]:
        """What a member was told of that is wrong."""
        return [(trouble.code, trouble.step, trouble.place) for trouble in self.told(place, Troubled)]

    def convicted(self, place: Place) -> tuple[Step, Place] | None:
        """Return after which step the file of a member proves whose replica wrong."""
        report = self.audit(place)
        if report.verdict != "cheat" or report.seat is None:
            return None
        return report.step, self.replica(place).steps.settled.place_of[report.seat]
