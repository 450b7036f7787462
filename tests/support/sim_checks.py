"""What must hold at a table after every event, seen from outside: in frames, on disks and by `History`.

Only honest members are held to anything. Must never be kinder because a member crashed: what it knew is gone then.
"""

from collections import Counter
from collections.abc import Collection

from sunward_protocol.audit import MatchFile, audit
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.ledger import Cheat
from sunward_protocol.log import Entry
from sunward_protocol.messages import Act, EpochBody, Kind, Link, Vote
from sunward_protocol.records import Evidence, parse_kept, parse_record
from sunward_protocol.table.commands import Command, Keep, Log, Strike, Tell
from sunward_protocol.table.events import Ended, Event, Heard, Troubled
from support.sim_history import History, Node, firm
from support.sim_knowledge import SIGNED, Knowledge, Reader
from support.sim_seams import Watch
from support.sim_states import Course
from support.sim_weight import OTHERS, too_much
from support.world import World

WEIGH_EVERY = 97
"""Events between two looks at how much a replica holds: a prime, so that it meets all kinds of moments."""
LINKS_AHEAD = 5
"""How many of a member's links that were not shown yet are looked for in what it says."""


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
        self._before: list[set[bytes]] = [set() for _ in self.members]
        """What each kept before it was started last: it was right then, and may be said again."""
        self._shown = [0] * len(self.members)
        self._draws: dict[tuple[Place, int], Digest] = {}
        self._seen = [0] * len(self.members)
        self._counts = [Counter[str]() for _ in self.members]
        self._voted = [0] * len(self.members)
        self._signed: list[Node | None] = [None] * len(self.members)
        self._said: set[tuple[Place, bytes]] = set()
        self._logged: list[list[Node]] = [[] for _ in self.members]
        self._courses: dict[Place, Course] = {}
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
        kept = [parse_kept(raw).frame for raw in disk.journal]
        known.take(self._reader.all(kept))
        self._before[place] = set(kept)
        self._courses[place] = Course(self.world.replica(place))
        self._stands(place)

    def happens(self, place: Place, event: Event) -> None:
        self._courses[place].hears(event)
        if isinstance(event, Heard) and place in self.honest:
            self._known[place].take(self._reader.signatures(event.raw))

    def doing(self, place: Place, command: Command) -> None:
        if place not in self.honest:
            return
        if isinstance(command, Keep):
            frame = open_frame(parse_kept(command.record).frame)
            if frame.place == place:
                self._signs(place, frame)
            self._counts[place][OTHERS] += frame.place != place
        elif isinstance(command, Log):
            record = parse_record(command.record)
            if isinstance(record, Entry):
                self._logs(place, record)
            self._counts[place][Evidence.__name__] += isinstance(record, Evidence)
            if isinstance(record, Evidence) and not self.world.liars:
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
        shown = self._reader.open(raw)
        if shown is not None and isinstance(shown.payload, Link) and shown.place in self.members:
            self._seen[shown.place] = max(self._seen[shown.place], shown.payload.attempt + 1)
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
        if wrong := self._courses[place].rests():
            raise Violation("course", f"{place} makes a move that stands in no table: {wrong}")
        self._events += 1
        if self._events % WEIGH_EVERY == 0:
            self._weigh(place)

    # What must hold

    def _signs(self, place: Place, frame: Frame) -> None:
        """One body a slot, none for what the rules forbid, and nothing more in an epoch that was voted to be left."""
        self.history.learn(frame)
        if frame.kind is not Kind.RESUME and self._slots.setdefault(frame.slot, frame.body) != frame.body:
            raise Violation("twice", f"{place} signs {frame.slot} a second time, and otherwise")
        self._kept[place].add(frame.raw)
        self._counts[place][frame.kind.name] += 1
        self._shows(place, frame)
        self._courses[place].signs(frame.kind)
        if isinstance(frame.payload, Link):
            self._links_once(place, frame, frame.payload)
        if isinstance(frame.payload, Vote):
            self._votes(place, frame, frame.payload)
        if frame.kind not in SIGNED:
            return
        self._known[place].add(frame)
        node = self.history.nodes.get(frame.head)
        if node is None or node.position is None or node.state != frame.payload[0]:
            raise Violation("illegal", f"{place} signs {frame.slot} for what nobody could come to by the rules")
        if frame.epoch < self._voted[place] or (frame.kind is Kind.EPOCH and frame.epoch != self._voted[place]):
            raise Violation("voted", f"{place} signs {frame.slot} after its vote for epoch {self._voted[place]}")
        if isinstance(frame.payload, EpochBody):
            self._opens_epoch(place, frame, frame.payload, node)
        elif isinstance(frame.payload, Act):
            node = self.history.nodes.get(self._outcome(frame))
            if node is None or node.position is None:
                raise Violation("illegal", f"{place} signs an illegal action at step {frame.step}")
        if not self._follows(place, node):
            raise Violation("fork", f"{place} signs {frame.slot} for another history than it has logged")
        self._signed[place] = node

    def _follows(self, place: Place, node: Node) -> bool:
        """Whether a step follows from the last that a member logged, or from before it if that may still die."""
        last = self._logged[place][-1] if self._logged[place] else self.history.first
        return any(each is last or (last.provisional and each is last.parent) for each in node.lineage())

    def _votes(self, place: Place, frame: Frame, vote: Vote) -> None:
        """A vote tells of all that its voter may have signed for in the epoch that it leaves."""
        self._voted[place] = frame.epoch
        node, told = self._signed[place], self.history.nodes.get(frame.head)
        if node is not None and node.epoch == vote.since and (told is None or node not in told.lineage()):
            raise Violation(
                "voted", f"{place} votes for epoch {frame.epoch} and hides that it signed for step {node.step}"
            )

    def _opens_epoch(self, place: Place, frame: Frame, body: EpochBody, node: Node) -> None:
        """An epoch is possible by the rules; it draws nothing anew that somebody who stays may know and dislike."""
        if not self.history.may_begin(node, frame.epoch, body):
            raise Violation(
                "illegal", f"{place} signs for an epoch {frame.epoch} that cannot begin after step {node.step}"
            )
        if node.drawing and self._shown[place] > node.attempts:
            unseen = [at for at in node.linking if self._seen[at] <= node.attempts and not body.change.out >> at & 1]
            if unseen:
                raise Violation("reroll", f"{place} has a draw made anew for which {unseen} kept back their links")

    def _outcome(self, frame: Frame) -> Digest:
        return self.history.outcome(frame.head, frame.epoch, frame.step, [frame.digest])

    def _says(self, place: Place, raw: bytes) -> None:
        """Nothing leaves that is not in the journal; no link and no opening before its lock."""
        frame = self._reader.open(raw)
        if frame is None:
            raise Violation("unkept", f"{place} sends what is no frame")
        if frame.place == place and frame.kind in SIGNED and raw not in self._kept[place]:
            raise Violation("unkept", f"{place} sends {frame.slot}, which is not in its journal")
        if frame.place == place and frame.kind is Kind.OPEN and not self._committed(place, frame):
            raise Violation("early", f"{place} opens its choice at step {frame.step} before all commitments are locked")
        if raw not in self._kept[place]:  # else it was looked at when it was kept
            self._shows(place, frame)

    def _committed(self, place: Place, frame: Frame) -> bool:
        """Whether a member holds the lock of what its OPEN stands on; of a draw there, what was drawn for."""
        node = self.history.nodes.get(frame.head)
        drawn = node is not None and node.parent is not None and node.parent.drawn is node
        before = node.parent if drawn and node else node
        return before is not None and self._known[place].locked(before.head)

    def _shows(self, place: Place, frame: Frame) -> None:
        """A link is shown for the draw that it belongs to, and only by who holds the lock of its step."""
        links, first = self.world.chains[place].links, self._shown[place]
        shown = [number for number in range(first, min(first + LINKS_AHEAD, len(links))) if links[number] in frame.raw]
        if not shown:
            return
        node, number = self.history.nodes.get(frame.head), max(shown)
        proper = isinstance(frame.payload, Link) and node is not None and node.drawing and node.attempts == number
        if not proper:
            raise Violation("early", f"{place} shows a link in a {frame.kind.name} where nothing is drawn by it")
        if not self._known[place].locked(frame.head) and frame.raw not in self._before[place]:
            raise Violation("early", f"{place} shows its link for step {frame.step} before it holds the step's lock")
        self._shown[place] = number + 1

    def _links_once(self, place: Place, frame: Frame, shown: Link) -> None:
        """A link makes one draw: what was shown for another is known to all before this one is locked."""
        if self._draws.setdefault((place, shown.attempt), frame.head) != frame.head:
            raise Violation("stale", f"{place} shows link {shown.attempt} for a second draw, at step {frame.step}")

    def _locks(self, node: Node) -> None:
        """Of what all signed for there is one history; only the beginning of an epoch may still die."""
        locked, top = next((each for each in node.lineage() if self._all.locked(each.head)), None), self._top
        if locked is None:
            return
        if top is None or top in locked.lineage() or (not locked.begins and firm(top) in locked.lineage()):
            self._top = locked
        elif firm(locked) not in top.lineage():
            raise Violation("fork", f"two histories are locked: {locked.step} does not follow from {top.step}")

    def _logs(self, place: Place, entry: Entry) -> None:
        """What is final is locked, the same for all, in order, and by the rules."""
        logged, step = self._logged[place], entry.step
        self._courses[place].logs(bool(entry.links))
        before = logged[step - 1].head if 0 < step <= len(logged) else self.history.first.head
        bodies = [frame.digest for frame in map(open_frame, entry.bodies)]
        node = self.history.nodes.get(self.history.outcome(before, entry.epoch, step, bodies))
        dies = logged[step:]  # but the same step may be logged again, with more ACKs
        may_die = all(each.provisional or each is node for each in dies[:1]) and all(each.begins for each in dies[1:])
        if step > len(logged) or not may_die:
            raise Violation("lost", f"{place} logs step {step} after {len(logged) - 1}")
        del logged[step:]
        if node is None or node.position is None:
            raise Violation("illegal", f"{place} logs a step {step} that nobody could come to by the rules")
        if not node.begins and self._final.setdefault(step, node) is not node:
            raise Violation("fork", f"{place} logs another step {step} than another honest member")
        if not self._known[place].locked(node.head):
            raise Violation("unlocked", f"{place} logs step {step} and does not hold everybody's signature for it")
        if entry.links and (node.drawn is None or entry.links != self.history.links(node)):
            raise Violation("illegal", f"{place} logs other links at step {step} than the chains have")
        logged.append(node.drawn if entry.links and node.drawn else node)

    def _stands(self, place: Place) -> None:
        """A replica stands where its log ends; or one step back, if that step is about to be replaced."""
        if place not in self.honest:
            return
        steps, logged = self.world.replica(place).steps, [self.history.first, *self._logged[place]]
        settled = steps.settled
        if len(steps.entries) != settled.step:
            raise Violation("lost", f"{place} stands at step {settled.step} and holds {len(steps.entries)} entries")
        places = logged[-2:] if logged[-1].provisional else logged[-1:]
        if not any(
            node and (settled.step, settled.head, settled.state) == (node.step + 1, node.head, node.state)
            for node in places
        ):
            raise Violation("lost", f"{place} stands at step {settled.step}, its log ends before {len(logged) - 1}")

    def _weigh(self, place: Place) -> None:
        """What a replica holds is bounded, beside its log; the disk by the steps of the match."""
        heavy = too_much(
            self.world.replica(place),
            steps=len(self._logged[place]),
            epochs=sum(node.begins for node in self._logged[place]),
            liars=len(self.world.liars),
            kept=self._counts[place],
        )
        if heavy:
            raise Violation("memory", f"{place} {heavy}")

    def finish(self, ended: bool = True, gone: Collection[Place] = ()) -> None:
        """Look at the end: everybody has all of it (if the match should have `ended`), and the files say so.

        Of those who are `gone` only the files are looked at, as far as they go.
        """
        for place in self.honest:
            ends = ended and place not in gone
            if ends:
                self._ends(place, gone)
            if place not in gone:
                self._weigh(place)
            disk = self.world.disks[place]
            opening = [raw for raw in disk.log if not isinstance(parse_record(raw), Evidence)]
            for proof in [(), *([raw] for raw in disk.log if isinstance(parse_record(raw), Evidence))]:
                file = MatchFile([*opening, *proof], lambda name: self.world.ruleset.game)
                report = audit(file, self.world.signatures, self.world.check_all)
                places = file.ledger.place_of or self.members  # before seats are drawn, a place counts as its seat
                cheat = None if report.seat is None else places[report.seat]
                if report.verdict == "cheat" and cheat in self.honest:
                    raise Violation("convicted", f"the file of {place} convicts the honest {cheat}: {report.reason}")
                if report.verdict == "damaged" or (ends and report.verdict == "unfinished"):
                    raise Violation("audit", f"the file of {place}: {report}")

    def _ends(self, place: Place, gone: Collection[Place]) -> None:
        replica = self.world.replicas[place]
        if replica is None or not replica.steps.over:
            at = [each and each.steps.settled.step for each in self.world.replicas]
            raise Violation("stuck", f"{place} has not come to the end; all stand at {at}")
        if not self.world.told(place, Ended):
            raise Violation("stuck", f"{place} was not told of the end")
        logs = [logged for at, logged in enumerate(self._logged) if at in self.honest and at not in gone]
        end = min(map(len, logs))  # who has not seen the last lock may have put somebody out after the end
        lasts = {logged[end - 1].head for logged in logs}
        if len(lasts) > 1:
            raise Violation("fork", f"the histories end in {len(lasts)} ways")
