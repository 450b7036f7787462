"""A table in one thread: replicas of all members over a network, disks and a clock that a test holds in its hand."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import TypeVar

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
from sunward_protocol.table.replica import Replica
from sunward_protocol.table.steps import Own
from support.pebbles import PEBBLES


@dataclass(frozen=True, slots=True)
class HashSigner:
    """A signature that is a keyed hash with the public key: no secret at all, but thirty times faster than Ed25519."""

    public: bytes

    def sign(self, purpose: Purpose, message: bytes) -> bytes:
        return blake2b(purpose.value + message, key=self.public, digest_size=64).digest()


class HashSignatures:
    """The other side of `HashSigner`."""

    def hold(self, public: bytes, purpose: Purpose, signature: bytes, message: bytes) -> bool:
        return HashSigner(public).sign(purpose, message) == signature


def seed(*what: object) -> bytes:
    """32 bytes that stand for a secret in tests."""
    return blake2b(repr(what).encode(), digest_size=32).digest()


@dataclass(slots=True)
class Disk:
    """What one member's node has written."""

    log: list[bytes] = field(default_factory=list[bytes])
    journal: list[bytes] = field(default_factory=list[bytes])


Choose = Callable[[Replica, Random], tuple[int, ...]]
Told = TypeVar("Told", bound=Notice)


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
    ) -> None:
        self.chance = Random(random_seed)
        self.now = 0.0
        self.delay: Callable[[Place, Place], float | None] = lambda sender, receiver: 0.001
        """Seconds that a frame takes from one member to another, None to lose it."""
        self.fuse: Callable[[Place, Command], bool] = lambda place, command: False
        """Whether a member's node dies just before it does this."""
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
        self._queue: list[tuple[float, int, Place, Event]] = []
        self._count = 0
        for place in range(members):
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
            now=self.now,
        )
        self.replicas[place] = replica
        self._do(place, replica.begin(self.now))
        for other in range(len(self.replicas)):
            if other != place:
                self.feed(other, Connected(place))

    def stop(self, place: Place) -> None:
        """Kill a member's node: what it did not write is gone, what it sent is on its way."""
        self.replicas[place] = None

    def feed(self, place: Place, event: Event) -> None:
        """Let something happen to a member now."""
        replica = self.replicas[place]
        if replica is not None:
            if isinstance(event, Heard):
                self.trace.append((place, False, event.raw))
            self._do(place, replica.handle(event, self.now))

    def _do(self, place: Place, commands: list[Command]) -> None:
        asked = None
        for command in commands:
            if self.fuse(place, command):
                self.stop(place)
                return
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
        if asked is not None:
            self._answer(place, asked)

    def _answer(self, place: Place, asked: Asked) -> None:
        actions = self.choose(self.replica(place), self.chance)
        if actions:
            self.feed(place, Chosen(asked.step, actions))

    def post(self, sender: Place, receiver: Place, raw: bytes) -> None:
        """Put a frame on its way, on the connection of `sender`."""
        self.sent.append((sender, receiver, raw))
        delay = self.delay(sender, receiver)
        if delay is not None:
            self._count += 1
            heapq.heappush(self._queue, (self.now + delay, self._count, receiver, Heard(sender, raw)))

    def forge(self, kind: Kind, payload: Payload, place: Place, step: Step, head: Digest = NOTHING) -> Frame:
        """Return a frame that a member's own key signs, whatever it says: what a liar is made of."""
        return seal(kind, payload, self.genesis.match, self.signers[place], step=step, place=place, head=head)

    def run(self, seconds: float = 60.0, until: Callable[[], bool] | None = None) -> None:
        """Let time pass until `until` holds (asked after every event), everybody has ended, or the seconds are over."""
        end = self.now + seconds
        while not (until or self.ended)():
            wakes = [(replica.wake, place) for place, replica in enumerate(self.replicas) if replica is not None]
            wake, sleeper = min(wakes, default=(end, 0))
            if self._queue and self._queue[0][0] <= wake:
                time, _, place, event = heapq.heappop(self._queue)
            else:
                time, place, event = wake, sleeper, Woken()
            if time > end:
                self.now = end
                return
            self.now = max(self.now, time)
            self.feed(place, event)

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
