"""All members of a table but one against chance: what they may choose, each time after all that they may see by then.

They drive the protocol's own ledger, frames, chains and draws, and know each other's secrets. What they are not shown
before they have chosen is the honest member's next link: a `Scheme` works with a guess at it. The schemes marked as
broken need a table that is not ours; they prove that the measurement sees what it is there to see.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Final

from sunward_protocol.commitment import commit
from sunward_protocol.domains import Domain, digest
from sunward_protocol.draws import DrawStream, HashChain, randomness
from sunward_protocol.envelope import Frame, seal
from sunward_protocol.games.game import Action, Chance, Draw, Position, Seat
from sunward_protocol.genesis import Genesis, check_members, delegate
from sunward_protocol.ids import NOTHING, Digest, Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.limits import CHAIN_LENGTH
from sunward_protocol.messages import Act, Commit, Kind, Open, Payload
from support.pebbles import PebbleRules, Table
from support.world import HashSignatures, HashSigner, seed

FACES: Final = 6
TRIES: Final = 256
"""How many actions, nonces or seeds there are to choose from for one draw: one of so many always seems to help."""


class Dice(Table):
    """A die is rolled after every action, whatever it was; in the phase `guess` after secret ones of seats 0 and 1."""

    __slots__ = ()

    def to_act(self) -> tuple[Seat, ...]:
        return () if self.due else (0, 1) if self.secret else (0,)

    def legal(self, seat: Seat) -> list[Action]:
        return list(range(TRIES)) if seat in self.to_act() else []

    def apply(self, seat: Seat, action: Action) -> None:
        self.due = int(not self.secret or seat == 1)

    def draw(self, chance: Chance) -> list[Draw]:
        self.lying, self.due = chance.below(FACES), 0
        return [(self.lying,)]


@dataclass(frozen=True, slots=True)
class DiceRules(PebbleRules):
    """The component data mean nothing."""

    secret: bool = False

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        return Dice([0] * seats, self.turns, chance=True, phase="guess" if self.secret else "turn")


class Deaf(Ledger):
    """Broken: the link of the last seat, which is the honest one's, does not count."""

    def reveal(self, links: Sequence[Digest]) -> Digest:
        heard = list(links)
        heard[self.genesis.seating[-1]] = NOTHING
        return super().reveal(heard)

    def check_link(self, place: Place, link: Digest) -> None:
        if link != NOTHING:
            super().check_link(place, link)


class Gullible(Ledger):
    """Broken: any link is taken, whether or not it belongs to its chain."""

    def check_link(self, place: Place, link: Digest) -> None:
        pass


class Coalition:
    """Everybody but the member at the place `honest`; the seats that choose are theirs."""

    def __init__(self, members: int, honest: Place, number: int, kind: type[Ledger] = Ledger) -> None:
        self.honest = honest
        self.others = [place for place in range(members) if place != honest]
        self.chance = Random(number)
        self.kind = kind
        self.signers = [HashSigner(seed("session", place)) for place in range(members)]
        self.identities = [HashSigner(seed("identity", place)) for place in range(members)]
        self.chains: list[HashChain] = []

    def chain(self, place: Place, length: int) -> HashChain:
        """Return a new chain of a member, its seed drawn at random."""
        return HashChain(self.chance.randbytes(32), self.signers[place].public, length)

    def begin(self, *, secret: bool = False) -> Ledger:
        """Return the ledger of a new match with the present chains, when step 0 is locked and nothing drawn yet."""
        table, length = seed("table"), len(self.chains[0].links)
        members = tuple(
            delegate(identity, table, "member", signer.public, seed("curve", signer.public), chain.tip, length)
            for identity, signer, chain in zip(self.identities, self.signers, self.chains, strict=True)
        )
        genesis = Genesis(table, "dice", 1, (), b"", (), length, (*self.others, self.honest), members)
        check_members(genesis, HashSignatures())
        ledger = self.kind(genesis, DiceRules(1, secret))
        ledger.perform([])
        return ledger

    def links(self, ledger: Ledger) -> list[Digest]:
        """Return everybody's next link."""
        return [chain.links[ledger.attempts] for chain in self.chains]

    def foresee(self, ledger: Ledger, link: Digest) -> int:
        """Return what the die would show if `link` were the honest member's next."""
        links = self.links(ledger)
        links[self.honest] = link
        return DrawStream(randomness(ledger.match, ledger.epoch, ledger.step - 1, ledger.head, links)).below(FACES)

    def frame(self, ledger: Ledger, kind: Kind, payload: Payload, place: Place) -> Frame:
        """Return a frame for the next step."""
        return seal(kind, payload, ledger.match, self.signers[place], step=ledger.step, place=place, head=ledger.head)


Candidates = Iterator[Ledger]
"""What the coalition could do for the next draw: each when locked, with the chains as they are at that time."""


def by_action(coalition: Coalition, ledger: Ledger) -> Candidates:
    """Take any of the legal actions."""
    position = ledger.position.copy()
    position.apply(0, 0)
    outcome = digest(Domain.STATE, position.encode())
    for choice in range(TRIES):
        twin = ledger.copy()
        act = Act(ledger.state, (choice,), outcome)
        twin.perform([coalition.frame(twin, Kind.ACT, act, coalition.others[0])])
        yield twin


def by_nonce(coalition: Coalition, ledger: Ledger) -> Candidates:
    """Commit two secret choices with any nonce, which nobody can tell from a random one."""
    for number in range(TRIES):
        twin, nonce = ledger.copy(), seed("nonce", number)
        for kind in (Kind.COMMIT, Kind.OPEN):
            bodies = list[Frame]()
            for place in coalition.others[:2]:
                fixed = Commit(twin.state, commit(twin.match, twin.step, place, nonce, 0))
                payload = fixed if kind is Kind.COMMIT else Open(twin.state, nonce, 0)
                bodies.append(coalition.frame(twin, kind, payload, place))
            twin.perform(bodies)
        yield twin


def by_seed(coalition: Coalition, ledger: Ledger) -> Candidates:
    """Come to a new table last, when the honest tip is known, with any seed for the own chains; draw at the set-up."""
    honest = coalition.chain(coalition.honest, 1)
    for _ in range(TRIES):
        coalition.chains = [
            honest if place == coalition.honest else coalition.chain(place, 1)
            for place in range(len(coalition.signers))
        ]
        yield coalition.begin()


def by_link(coalition: Coalition, ledger: Ledger) -> Candidates:
    """Show any link at all, after everybody else's."""
    (twin,) = islice(by_action(coalition, ledger), 1)
    for _ in range(TRIES):
        coalition.chains[coalition.others[0]].links[twin.attempts] = coalition.chance.randbytes(32)
        yield twin


def guess(coalition: Coalition, ledger: Ledger) -> Digest:
    """The link that the honest member showed last, or its tip: known to all, and as good as any other guess."""
    return ledger.tips[coalition.honest]


def shown(coalition: Coalition, ledger: Ledger) -> Digest:
    """The honest member's very next link."""
    return coalition.links(ledger)[coalition.honest]


def seldom_shown(coalition: Coalition, ledger: Ledger) -> Digest:
    """That link once in a hundred draws, and else a guess."""
    return (guess if ledger.attempts % 100 else shown)(coalition, ledger)


def nothing(coalition: Coalition, ledger: Ledger) -> Digest:
    """What stands in the place of a link that does not count."""
    return NOTHING


@dataclass(frozen=True, slots=True)
class Scheme:
    """What the coalition chooses among, and what it reckons with as the honest link; broken if the table must be."""

    candidates: Callable[[Coalition, Ledger], Candidates]
    link: Callable[[Coalition, Ledger], Digest] = guess
    kind: type[Ledger] = Ledger
    secret: bool = False


SCHEMES: Final[Mapping[str, Scheme]] = {
    "choose among 256 actions": Scheme(by_action),
    "choose nonces of secret choices": Scheme(by_nonce, secret=True),
    "choose chain seeds, knowing the honest tip": Scheme(by_seed),
}

BROKEN: Final[Mapping[str, Scheme]] = {
    "links shown before the lock": Scheme(by_action, shown),
    "the honest link does not count": Scheme(by_action, nothing, Deaf),
    "any link is taken, the last one chosen": Scheme(by_link, shown, Gullible),
}

HARDLY_BROKEN: Final = Scheme(by_action, seldom_shown)
"""Gains less than one hundredth: what takes 100,000 draws to be seen."""


def rolls(coalition: Coalition, scheme: Scheme, draws: int, length: int = CHAIN_LENGTH) -> Iterator[int]:
    """Yield by how much (modulo `FACES`) each of so many draws missed the value that the coalition wanted for it."""
    ledger: Ledger | None = None
    for number in range(draws):
        wanted = number % FACES
        if ledger is None or ledger.attempts == length:
            coalition.chains = [coalition.chain(place, length) for place in range(len(coalition.signers))]
            ledger = coalition.begin(secret=scheme.secret)
            ledger.reveal(coalition.links(ledger))
        for candidate in scheme.candidates(coalition, ledger):
            ledger = candidate
            if coalition.foresee(ledger, scheme.link(coalition, ledger)) == wanted:
                break
        ledger.reveal(coalition.links(ledger))
        assert isinstance(ledger.position, Dice)
        yield (ledger.position.lying - wanted) % FACES
