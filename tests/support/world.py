"""A table in one thread: replicas of all members over a network, disks and clocks that a test holds in its hand.

Members may be liars (`Liar`), and whoever watches (`Watch`) is shown all that is heard, done and sent.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import TypeAlias, TypeVar

from sunward_protocol.audit import MatchFile, Report, audit
from sunward_protocol.domains import Purpose
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import Frame, seal
from sunward_protocol.errors import LocalError
from sunward_protocol.games.game import Game
from sunward_protocol.genesis import Genesis, delegate
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer, Signatures, Signed, Signer
from sunward_protocol.ids import NOTHING, Digest, Place, Step
from sunward_protocol.log import Entry
from sunward_protocol.messages import Kind, Payload
from sunward_protocol.records import parse_kept, parse_record, write_opening
from sunward_protocol.table.commands import Command, Keep, Log, Send, Strike
from sunward_protocol.table.events import Asked, Chosen, Connected, Event, Heard, Notice, Woken
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.pebbles import PEBBLES
from support.sim_seams import Clock, Watch


@dataclass(frozen=True, slots=True)
class HashSigner:
    """A signature that is a keyed hash with the public key: no secret at all, but thirty times faster than Ed25519.

    As there, who has the key can make another signature of the same message, that holds as well.
    """

    public: bytes

    def sign(self, purpose: Purpose, message: bytes) -> bytes:
        return blake2b(purpose.value + message, key=self.public, digest_size=64).digest()

    def sign_again(self, purpose: Purpose, message: bytes) -> bytes:
        return self.sign(purpose, b"again" + message)


class HashSignatures:
    """The other side of `HashSigner`."""

    def hold(self, public: bytes, purpose: Purpose, signature: bytes, message: bytes) -> bool:
        signer = HashSigner(public)
        return signature in (signer.sign(purpose, message), signer.sign_again(purpose, message))


def seed(*what: object) -> bytes:
    """32 bytes that stand for a secret in tests."""
    return blake2b(repr(what).encode(), digest_size=32).digest()


@dataclass(slots=True)
class Disk:
    """What one member's node has written."""

    log: list[bytes] = field(default_factory=list[bytes])
    journal: list[bytes] = field(default_factory=list[bytes])


class Liar:
    """A member that may do anything with what its replica hears and wants done; this one is honest.

    A subclass overrides what it lies with. It may use all keys of its own place (`world.signers`, `world.chains`,
    `world.identities`, `world.forge`), send with `world.post`, wake itself with `world.at`, and share an object with
    other liars. Its replica, restarted or not, stays the honest one; a liar who wants another gets it by what it hears.
    """

    world: "World"
    place: Place

    def enter(self, world: "World", place: Place) -> None:
        """Take a place; called once, before any replica starts."""
        self.world, self.place = world, place

    def hears(self, event: Event) -> Iterable[Event]:
        """Return what its replica is told of what happened."""
        return (event,)

    def does(self, command: Command) -> Iterable[Command]:
        """Return what is done instead of what its replica wants done."""
        return (command,)


Choose = Callable[[Replica, Random], tuple[int, ...]]
Told = TypeVar("Told", bound=Notice)
Happening: TypeAlias = Event | Callable[[], None]


def choose_at_random(replica: Replica, chance: Random) -> tuple[int, ...]:
    """Choose uniformly among the legal actions until the seat's say ends."""
    ledger = replica.steps.tip.copy()
    seat = ledger.seat_of(replica.steps.own.place)
    position = ledger.position
    chosen = [chance.choice(position.legal(seat))]
    if not position.secret:
        position.apply(seat, chosen[0])
        while ledger.has_say(seat):
            chosen.append(chance.choice(position.legal(seat)))
            position.apply(seat, chosen[-1])
    return tuple(chosen)


class World:
    """Members 0 .. n-1 and everything between them. Time moves only in `run`."""

    def __init__(
        self,
        members: int,
        *,
        game: Game = PEBBLES,
        components: bytes | None = None,
        options: Mapping[str, str] | None = None,
        random_seed: int = 0,
        real: bool = False,
        chain_length: int = 600,
        choose: Choose = choose_at_random,
        signatures: Signatures | None = None,
        clock: Mapping[str, int] | None = None,
        liars: Mapping[Place, Liar] | None = None,
        waiting: bool = False,
    ) -> None:
        self.chance = Random(random_seed)
        self.now = 0.0
        self.delay: Callable[[Place, Place], float | None] = lambda sender, receiver: 0.001
        """Seconds that a frame takes from one member to another, None to lose it."""
        self.fuse: Callable[[Place, Command], bool] = lambda place, command: False
        """Whether a member's node dies just before it does this."""
        self.route: Callable[[Place, Place], Iterable[float]] = self._delays
        """Seconds after which each copy of a frame arrives; by default one copy, by `delay`."""
        self.clocks = [Clock() for _ in range(members)]
        self.watches: list[Watch] = []
        self.liars = dict(liars or {})
        self.choose = choose
        self.signatures = signatures or (Ed25519Signatures() if real else HashSignatures())
        self.signers: list[Signer] = [self._signer(real, "session", place) for place in range(members)]
        self.chains = [
            HashChain(seed("chain", place), self.signers[place].public, chain_length) for place in range(members)
        ]
        self.identities = identities = [self._signer(real, "identity", place) for place in range(members)]
        table = seed("table", random_seed)
        ruleset = game.load(game.builtin() if components is None else components)
        self.genesis = Genesis(
            table,
            game.name,
            game.rules_version,
            tuple(sorted((options or {}).items())),
            ruleset.components,
            tuple(sorted((clock or {}).items())),
            chain_length,
            (),
            tuple(
                delegate(
                    identities[place],
                    table,
                    f"member {place}",
                    self.signers[place].public,
                    seed("curve", place),
                    self.chains[place].tip,
                    chain_length,
                )
                for place in range(members)
            ),
        )
        self.ruleset = ruleset
        self.seals = tuple(identity.sign(Purpose.SEAL, self.genesis.body) for identity in identities)
        self.disks = [Disk([write_opening(self.genesis, self.seals)]) for _ in range(members)]
        self.notices: list[list[Notice]] = [[] for _ in range(members)]
        self.strikes: list[Strike] = []
        self.sent: list[tuple[Place, Place, bytes]] = []
        """Sender, receiver and bytes of every frame that was put on its way."""
        self.trace: list[tuple[Place, bool, bytes]] = []
        """Each member's frames as it said (True) or heard (False) them."""
        self.replicas: list[Replica | None] = [None] * members
        self._queue: list[tuple[float, int, Place, Happening]] = []
        self._count = 0
        for place, liar in self.liars.items():
            liar.enter(self, place)
        if not waiting:
            self.begin()

    def begin(self) -> None:
        """Start every member's node for the first time; a world that is `waiting` leaves this to who made it."""
        for place in range(len(self.replicas)):
            self.start(place)

    @staticmethod
    def _signer(real: bool, what: str, place: Place) -> Signer:
        return Ed25519Signer(seed(what, place)) if real else HashSigner(seed(what, place))

    def replica(self, place: Place) -> Replica:
        """Return a member's replica; fail if it is down."""
        replica = self.replicas[place]
        if replica is None:
            raise LocalError(f"Member {place} is down.")
        return replica

    def start(self, place: Place) -> None:
        """Start, or start again, a member's node from what is on its disk."""
        disk = self.disks[place]
        entries = [record.encode() for record in map(parse_record, disk.log) if isinstance(record, Entry)]
        replica = Replica(
            self.genesis,
            self.ruleset,
            Own(place, self.signers[place], self.chains[place], self.chance.randbytes),
            self.signatures,
            entries=entries,
            kept=[parse_kept(raw) for raw in disk.journal],
            now=self.clocks[place].read(self.now),
        )
        self.replicas[place] = replica
        for watch in self.watches:
            watch.started(place)
        self._do(place, replica.begin(self.clocks[place].read(self.now)))
        for other in range(len(self.replicas)):
            if other != place:
                self.feed(other, Connected(place))

    def stop(self, place: Place) -> None:
        """Kill a member's node: what it did not write is gone, what it sent is on its way."""
        self.replicas[place] = None
        for watch in self.watches:
            watch.stopped(place)

    def feed(self, place: Place, event: Event) -> None:
        """Let something happen to a member now."""
        heard = self.liars[place].hears(event) if place in self.liars else (event,)
        for each in heard:
            replica = self.replicas[place]
            if replica is None:
                return
            if isinstance(each, Heard):
                self.trace.append((place, False, each.raw))
            for watch in self.watches:
                watch.happens(place, each)
            self._do(place, replica.handle(each, self.clocks[place].read(self.now)))

    def _do(self, place: Place, commands: list[Command]) -> None:
        asked, liar = None, self.liars.get(place)
        if liar is not None:
            commands = [each for command in commands for each in liar.does(command)]
        for command in commands:
            if self.fuse(place, command):
                self.stop(place)
                return
            for watch in self.watches:
                watch.doing(place, command)
            if isinstance(command, Keep):
                self.disks[place].journal.append(command.record)
            elif isinstance(command, Log):
                self.disks[place].log.append(command.record)
            elif isinstance(command, Send):
                self.trace.append((place, True, command.raw))
                for receiver in command.places:
                    self.post(place, receiver, command.raw)
            elif isinstance(command, Strike):
                self.strikes.append(command)
            else:
                self.notices[place].append(command.notice)
                if isinstance(command.notice, Asked):
                    asked = command.notice
        for watch in self.watches:
            watch.rests(place)
        if asked is not None:
            self._answer(place, asked)

    def _answer(self, place: Place, asked: Asked) -> None:
        actions = self.choose(self.replica(place), self.chance)
        if actions:
            self.feed(place, Chosen(asked.step, actions))

    def post(self, sender: Place, receiver: Place, raw: bytes) -> None:
        """Put a frame on its way, on the connection of `sender`."""
        self.sent.append((sender, receiver, raw))
        for watch in self.watches:
            watch.posted(sender, receiver, raw)
        for delay in self.route(sender, receiver):
            self._put(self.now + delay, receiver, Heard(sender, raw))

    def at(self, time: float, act: Callable[[], None]) -> None:
        """Have something done at a time of the world's own."""
        self._put(time, 0, act)

    def _put(self, time: float, place: Place, happening: Happening) -> None:
        self._count += 1
        heapq.heappush(self._queue, (time, self._count, place, happening))

    def _delays(self, sender: Place, receiver: Place) -> Iterable[float]:
        delay = self.delay(sender, receiver)
        return () if delay is None else (delay,)

    def forge(self, kind: Kind, payload: Payload, place: Place, step: Step, head: Digest = NOTHING) -> Frame:
        """Return a frame that a member's own key signs, whatever it says: what a liar is made of."""
        return seal(kind, payload, self.genesis.match, self.signers[place], step=step, place=place, head=head)

    def run(self, seconds: float = 60.0, until: Callable[[], bool] | None = None) -> None:
        """Let time pass until `until` holds (asked after every event), everybody has ended, or the seconds are over."""
        end = self.now + seconds
        while not (until or self.ended)():
            wakes = [
                (self.clocks[place].when(replica.wake), place)
                for place, replica in enumerate(self.replicas)
                if replica is not None
            ]
            time, place = min(wakes, default=(end, 0))
            queued = bool(self._queue) and self._queue[0][0] <= time
            if queued:
                time = self._queue[0][0]
            if time > end or not (queued or wakes):
                self.now = end
                return
            self.now = max(self.now, time)
            if queued:
                _, _, place, happening = heapq.heappop(self._queue)
                if callable(happening):
                    happening()
                else:
                    self.feed(place, happening)
            else:
                self.clocks[place].reach(self.replica(place).wake)
                self.feed(place, Woken())

    def ended(self) -> bool:
        """Whether every member that is up has settled the closing step."""
        return all(replica is None or replica.steps.over for replica in self.replicas)

    def heads(self) -> set[bytes]:
        """The settled heads of all that are up."""
        return {replica.steps.settled.head for replica in self.replicas if replica is not None}

    def told(self, place: Place, kind: type[Told]) -> list[Told]:
        """What of one kind a member's watchers were told."""
        return [notice for notice in self.notices[place] if isinstance(notice, kind)]

    def audit(self, place: Place) -> Report:
        """Verify the match file on a member's disk."""
        return audit(MatchFile(self.disks[place].log, lambda name: self.ruleset.game), self.signatures, self.check_all)

    def check_all(self, claims: Sequence[Signed]) -> int | None:
        """Check signatures one after the other."""
        return next((number for number, claim in enumerate(claims) if not self.signatures.hold(*claim)), None)
