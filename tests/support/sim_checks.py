"""What must hold at a table after every event, seen from outside: in frames, on disks and by `History`.

Only honest members are held to anything. Must never be kinder because a member crashed: what it knew is gone then.
"""

from sunward_protocol import limits
from sunward_protocol.audit import MatchFile, audit
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.ids import Place, Step
from sunward_protocol.ledger import Cheat
from sunward_protocol.log import Entry
from sunward_protocol.messages import BODIES, Act, Kind, Link
from sunward_protocol.records import Evidence, parse_kept, parse_record
from sunward_protocol.table.commands import Command, Keep, Log, Strike, Tell
from sunward_protocol.table.events import Ended, Event, Heard, Troubled
from support.sim_history import History, Node
from support.sim_knowledge import SIGNED, Knowledge, Reader
from support.sim_seams import Watch
from support.sim_weight import weigh
from support.world import World

WEIGH_EVERY = 97
"""Events between two looks at how much a replica holds: a prime, so that it meets all kinds of moments."""
THINGS_MOST = 4
"""Things that a replica may hold for each member and step that may be under way; up to 2.2 were seen."""
EVIDENCE_MOST = 4
"""Pieces of evidence that a file may hold against one member and step: a slot each for what it can sign there."""


class Violation(Exception):
    """A promise was broken; `code` says which."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code


class Checks(Watch):
    """Raises `Violation` the moment that a promise is broken; `finish` looks at what can only be seen at the end."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.members = range(len(world.replicas))
        self.honest = [place for place in self.members if place not in world.liars]
        self.history = History(world.genesis, world.ruleset, [chain.links for chain in world.chains])
        self._reader = Reader(world)
        self._known = [Knowledge(self.history) for _ in self.members]
        self._all = Knowledge(self.history)
        self._top: Node | None = None
        self._final: dict[Step, Node] = {}
        self._slots: dict[tuple[int, ...], bytes] = {}
        self._kept: list[set[bytes]] = [set() for _ in self.members]
        self._shown: list[int] = [0] * len(self.members)
        self._said: set[tuple[Place, bytes]] = set()
        self._logged: list[list[Node]] = [[] for _ in self.members]
        self._events = 0

    @property
    def steps(self) -> int:
        """How many steps are final."""
        return len(self._final)

    # What is seen

    def started(self, place: Place) -> None:
        """A member knows what is on its disk and no more; all that it ever locked is there."""
        disk = self.world.disks[place]
        known = self._known[place] = Knowledge(self.history)
        for raw in disk.log:
            record = parse_record(raw)
            if isinstance(record, Entry):
                known.take(self._reader.all((*record.bodies, *record.acks)))
        known.take(self._reader.all(parse_kept(raw).frame for raw in disk.journal))
        self._stands(place)

    def happens(self, place: Place, event: Event) -> None:
        if isinstance(event, Heard) and place in self.honest:
            self._known[place].take(self._reader.signatures(event.raw))

    def doing(self, place: Place, command: Command) -> None:
        if place not in self.honest:
            return
        if isinstance(command, Keep):
            kept = open_frame(parse_kept(command.record).frame)
            if kept.place == place:  # bodies of others are kept before they are signed for
                self._signs(place, kept)
        elif isinstance(command, Log):
            record = parse_record(command.record)
            if isinstance(record, Entry):
                self._logs(place, record)
            elif not self.world.liars:
                raise Violation("convicted", f"{place} logs evidence, and nobody lied")
        elif isinstance(command, Strike) and command.place in self.honest:
            raise Violation("convicted", f"{place} strikes the honest {command.place}: {command.reason}")
        elif isinstance(command, Tell) and isinstance(command.notice, Troubled):
            trouble = command.notice
            if not self.world.liars or (trouble.code == Cheat.code and trouble.place in self.honest):
                raise Violation("convicted", f"{place} is told {trouble}")

    def posted(self, sender: Place, receiver: Place, raw: bytes) -> None:
        if (sender, raw) in self._said:
            return
        self._said.add((sender, raw))
        for frame in self._reader.signatures(raw):
            self.history.learn(frame)
            node = self._all.add(frame)
            if node is not None:
                self._locks(node)
        if sender in self.honest:
            self._says(sender, raw)

    def rests(self, place: Place) -> None:
        if place not in self.honest:
            return
        self._stands(place)
        self._events += 1
        if self._events % WEIGH_EVERY == 0:
            self._weigh(place)

    # What must hold

    def _signs(self, place: Place, frame: Frame) -> None:
        """One body a slot, and none for what the rules forbid."""
        if frame.kind not in (*BODIES, Kind.ACK):
            self._kept[place].add(frame.raw)
            return
        self.history.learn(frame)
        if self._slots.setdefault(frame.slot, frame.body) != frame.body:
            raise Violation("twice", f"{place} signs {frame.slot} a second time, and otherwise")
        self._kept[place].add(frame.raw)
        self._known[place].add(frame)
        node = self.history.nodes.get(frame.head)
        if node is None or node.position is None or node.state != frame.payload[0]:
            raise Violation("illegal", f"{place} signs {frame.slot} for what nobody could come to by the rules")
        if isinstance(frame.payload, Act):
            after = self.history.nodes.get(self.history.outcome(frame.head, frame.step, [frame.digest]))
            if after is None or after.position is None:
                raise Violation("illegal", f"{place} signs an illegal action at step {frame.step}")

    def _says(self, place: Place, raw: bytes) -> None:
        """Nothing leaves that is not in the journal; no link and no opening before its lock."""
        frame = self._reader.open(raw)
        if frame is None:
            raise Violation("unkept", f"{place} sends what is no frame")
        if frame.place == place and frame.kind in SIGNED and raw not in self._kept[place]:
            raise Violation("unkept", f"{place} sends {frame.slot}, which is not in its journal")
        if frame.place == place and frame.kind is Kind.OPEN and not self._known[place].locked(frame.head):
            raise Violation("early", f"{place} opens its choice at step {frame.step} before all commitments are locked")
        hidden = self.world.chains[place].links[self._shown[place] :][:2]
        if not any(link in raw for link in hidden):
            return
        node = self.history.nodes.get(frame.head)
        proper = isinstance(frame.payload, Link) and frame.payload.link == hidden[0] and node is not None
        if not proper or node is None or node.drawn is None or node.attempts != self._shown[place]:
            raise Violation("early", f"{place} shows a link in a {frame.kind.name} where nothing is drawn by it")
        if not self._known[place].locked(frame.head):
            raise Violation("early", f"{place} shows its link for step {frame.step} before it holds the step's lock")
        self._shown[place] += 1

    def _locks(self, node: Node) -> None:
        """Of what all signed for there is one history."""
        locked = next((each for each in node.lineage() if self._all.locked(each.head)), None)
        if locked is None:
            return
        if self._top is None or self._top in locked.lineage():
            self._top = locked
        elif locked not in self._top.lineage():
            raise Violation("fork", f"two histories are locked: {locked.step} does not follow from {self._top.step}")

    def _logs(self, place: Place, entry: Entry) -> None:
        """What is final is locked, the same for all, in order, and by the rules."""
        logged = self._logged[place]
        step = len(logged)
        if entry.step != step:
            raise Violation("lost", f"{place} logs step {entry.step} after {step - 1}")
        before = logged[-1].head if logged else self.history.first
        head = self.history.outcome(before, step, [frame.digest for frame in map(open_frame, entry.bodies)])
        node = self.history.nodes.get(head)
        if node is None or node.position is None:
            raise Violation("illegal", f"{place} logs a step {step} that nobody could come to by the rules")
        if self._final.setdefault(step, node) is not node:
            raise Violation("fork", f"{place} logs another step {step} than another honest member")
        if not self._known[place].locked(head):
            raise Violation("unlocked", f"{place} logs step {step} and does not hold everybody's signature for it")
        drawn = tuple(chain.links[node.attempts] for chain in self.world.chains) if node.drawn else ()
        if entry.links != drawn:
            raise Violation("illegal", f"{place} logs other links at step {step} than the chains have")
        logged.append(node.drawn or node)

    def _stands(self, place: Place) -> None:
        """A replica stands where its log ends."""
        settled = self.world.replica(place).steps.settled
        logged = self._logged[place]
        if place in self.honest and settled.step != len(logged):
            raise Violation("lost", f"{place} stands at step {settled.step}, its log has {len(logged)}")
        if place in self.honest and logged and (settled.head, settled.state) != (logged[-1].head, logged[-1].state):
            raise Violation("fork", f"{place} stands at another head or state than its log leads to")

    def _weigh(self, place: Place) -> None:
        """What a replica holds is bounded, beside its log; the disk by the steps of the match."""
        members, disk = len(self.members), self.world.disks[place]
        most = THINGS_MOST * (limits.LEAD + 2) * members
        held = weigh(self.world.replica(place))
        if held > most:
            raise Violation("memory", f"{place} holds {held} things, not {most} at most")
        evidence = len(disk.log) - 1 - len(self._logged[place])
        if evidence > EVIDENCE_MOST * len(self.world.liars) * (len(self._logged[place]) + limits.LEAD + 1):
            raise Violation("memory", f"{place} has logged {evidence} pieces of evidence")
        signed = 2 * (len(self._logged[place]) + limits.LEAD + 1)  # a body and an ACK a step
        if len(disk.journal) > signed:
            raise Violation("memory", f"{place} has signed {len(disk.journal)} times, not {signed} at most")

    def finish(self, ended: bool = True) -> None:
        """Look at the end: everybody has all of it (if the match should have `ended`), and the files say so."""
        for place in self.honest:
            if ended:
                self._ends(place)
            self._weigh(place)
            disk = self.world.disks[place]
            opening = [raw for raw in disk.log if not isinstance(parse_record(raw), Evidence)]
            for proof in [(), *([raw] for raw in disk.log if isinstance(parse_record(raw), Evidence))]:
                file = MatchFile([*opening, *proof], lambda name: self.world.ruleset.game)
                report = audit(file, self.world.signatures, self.world.check_all)
                cheat = None if report.seat is None else file.ledger.place_of[report.seat]
                if report.verdict == "cheat" and cheat in self.honest:
                    raise Violation("convicted", f"the file of {place} convicts the honest {cheat}: {report.reason}")
                if report.verdict == "damaged" or (ended and report.verdict == "unfinished"):
                    raise Violation("audit", f"the file of {place}: {report}")

    def _ends(self, place: Place) -> None:
        replica = self.world.replicas[place]
        if replica is None or not replica.steps.settled.closed:
            at = [each and each.steps.settled.step for each in self.world.replicas]
            raise Violation("stuck", f"{place} has not come to the end; all stand at {at}")
        if not self.world.told(place, Ended):
            raise Violation("stuck", f"{place} was not told of the end")
        if len(self._logged[place]) != len(self._final):
            raise Violation("lost", f"{place} has {len(self._logged[place])} of {len(self._final)} locked steps")
