"""A table of players who start their nodes again whenever they end too early, in one thread, and what must be so then.

Must never help a node: it is given its files, its order and its luck, and nothing that another one knows.
"""

import asyncio
import secrets
import shutil
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sunward_node import founding
from sunward_node import node as node_module
from sunward_node.node import Node
from sunward_node.order import Invite, Opening, Order, parse_invite
from sunward_node.places import Places
from sunward_node.seat import JOURNAL_FILE, JOURNAL_NAME, MATCH_FILE, MATCH_NAME, START_NAME
from sunward_node.sockets import CurveKeys
from sunward_node.store import read_records
from sunward_protocol.audit import MatchFile, audit
from sunward_protocol.draws import DrawStream
from sunward_protocol.envelope import Slot, open_frame
from sunward_protocol.errors import LocalError, SunwardError
from sunward_protocol.games import catalog
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer, Signed
from sunward_protocol.messages import BODIES, Kind
from sunward_protocol.records import parse_kept
from support.faults import LIFE, Died, Fault, Life, counted_disk
from support.one_thread import Network, StillLoop, Wire
from support.pebbles import find_pebbles
from support.world import seed

SEATS = 3
TURNS = b"4"
"""Enough for a match with a roll, a secret choice and turns without chance."""
AWAY = 0.05
"""Seconds until a node that ended is started again."""
LONG_AWAY = 9.0
"""The same if its disk was lost: it is out by then."""
PATIENCE = 110.0
"""Seconds of the match's own time, of which an undisturbed one takes six."""


class Luck:
    """Random bytes that are the same in every run; a stream of its own for each life, so that none repeats another."""

    def __init__(self) -> None:
        self._streams: dict[Life | None, DrawStream] = {}

    def bytes(self, size: int | None = None) -> bytes:
        stream = self._streams.setdefault(LIFE.get(), DrawStream(seed("luck", len(self._streams))))
        return bytes(stream.below(256) for _ in range(size or 32))


class Player:
    """Somebody with a machine of their own, on which a bot plays; `faults` are those of its lives, in order."""

    def __init__(self, number: int, home: Path, table: "Table") -> None:
        self.name = f"bot-{number}"
        self.home = home
        self.places = Places.find({"SUNWARD_HOME": str(home)})
        self.faults: list[Fault] = []
        self.lives: list[Life] = []
        self.ended: list[BaseException] = []
        """What lives ended of before the match did."""
        self.before: list[bytes] = []
        """The log when the last life began."""
        self.loses = 0
        """How many lives, from the first on, end with the loss of all matches, but not of the identity."""
        self._table = table
        self._over = False
        home.mkdir()
        self.places.keys.mkdir(parents=True, mode=0o700)
        for name, secret in (("identity", seed("owner", number)), (f"bot-{self.name}", seed("bot", number))):
            key = Ed25519PrivateKey.from_private_bytes(secret)
            path = self.places.keys / f"{name}.pem"
            path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            path.chmod(0o600)
        self._folder_name = Ed25519Signer(seed("bot", number)).public.hex()[:16]

    def folders(self) -> list[Path]:
        """The folders of seats that were at least begun."""
        return sorted(self.places.matches.glob(f"*/{self._folder_name}"))

    @property
    def folder(self) -> Path:
        """The seat's folder in the match that came about."""
        return next(folder for folder in self.folders() if self._table.began(folder.parent.name))

    def log(self) -> list[bytes]:
        """The whole records of the match file, if there is one."""
        files = [folder / MATCH_NAME for folder in self.folders() if self._table.began(folder.parent.name)]
        return [record for file in files if file.exists() for record in read_records(file, MATCH_FILE).records]

    def journal(self) -> list[bytes]:
        """The frames that this seat signed."""
        records = read_records(self.folder / JOURNAL_NAME, JOURNAL_FILE).records
        return [parse_kept(record).frame for record in records]

    async def play(self) -> None:
        """Play to the end, through however many lives."""
        while not self._over:
            order = await self._order()
            number = len(self.lives)
            life = Life(self.home, self.faults[number] if number < len(self.faults) else None)
            self.lives.append(life)
            LIFE.set(life)
            node = asyncio.create_task(Node(order, self.places, self._announced).run())
            LIFE.set(None)
            life.buried = partial(self._bury, life, node)
            await asyncio.wait([node])
            life.reap()
            if number < self.loses:
                shutil.rmtree(self.places.data)
            if not node.cancelled() and (error := node.exception()) is not None:
                assert isinstance(error, Died | SunwardError), f"{error!r} is no error of ours"
                assert not isinstance(error, LocalError) or life.full or life.broken, f"{error!r} is nobody's fault"
                self.ended.append(error)
            if not self._over:
                await asyncio.sleep(LONG_AWAY if number < self.loses else AWAY)

    def _bury(self, life: Life, node: "asyncio.Task[None]") -> None:
        if (wire := self._table.wires.get(life)) is not None:
            wire.cut()
        node.cancel()

    def _announced(self, news: Mapping[str, object]) -> None:
        if "invite" in news:
            self._table.invited(parse_invite(news["invite"]))
        self._over = self._over or "over" in news

    async def _order(self) -> Order:
        """Resume the match if there is one, or may be; else sit down again, or open a table anew."""
        self.before = self.log()
        for folder in self.folders():
            if self._table.began(folder.parent.name) or self._table.may_begin(folder.parent.name):
                return Order(resume=str(folder), pause=self._table.pause)
        pause = self._table.pause
        if self is self._table.players[0]:
            self._table.invite = asyncio.get_running_loop().create_future()
            opening = Opening("pebbles", SEATS, {}, str(self._table.components), clock=self._table.clock)
            return Order(self.name, "random", open=opening, pause=pause)
        invite = await asyncio.shield(self._table.invite)
        if self.loses and self.lives:
            return Order(self.name, "random", rejoin=invite, pause=pause)
        return Order(self.name, "random", join=invite, pause=pause)


class Table:
    """The players, and what can be said of their match from outside; the first is the host."""

    invite: "asyncio.Future[Invite]"

    def __init__(self, root: Path, turns: bytes, clock: Mapping[str, int], pause: float) -> None:
        self.clock, self.pause = clock, pause
        self.network = Network()
        self.wires: dict[Life, Wire] = {}
        self.components = root / "components"
        self.components.write_bytes(turns)
        self.players = [Player(number, root / str(number), self) for number in range(SEATS)]

    def invited(self, invite: Invite) -> None:
        """Take what the host hands out."""
        if not self.invite.done():
            self.invite.set_result(invite)

    def began(self, match: str) -> bool:
        """Whether anybody knows that all have sealed a match."""
        return any(read_records(path, MATCH_FILE).records for path in self._files(match, MATCH_NAME))

    def may_begin(self, match: str) -> bool:
        """Whether a match was put to the others by a host who has not given it up, and one of them has it."""
        whole = [path for path in self._files(match, START_NAME) if read_records(path, MATCH_FILE).records]
        return len(whole) > 1 and whole[0].is_relative_to(self.players[0].home)

    def _files(self, match: str, name: str) -> list[Path]:
        return [path for player in self.players for path in player.places.matches.glob(f"{match}/*/{name}")]

    def wire(self, *arguments: object) -> Wire:
        """Return what the nodes take for a `Transport`."""
        life = LIFE.get()
        assert life is not None
        self.wires[life] = Wire(self.network, *arguments)  # type: ignore[arg-type]  # made as a Transport is
        return self.wires[life]

    def check(self) -> None:
        """Assert that the match ended alike and verified at every seat, with nothing lost and nothing signed twice."""
        heads = set[bytes]()
        for player in self.players:
            match = MatchFile(player.log(), find_pebbles)
            report = audit(match, Ed25519Signatures(), _check_all)
            assert (report.verdict, report.reason) == ("complete", "Every step was recomputed.")
            assert match.evidence == []
            assert player.log()[: len(player.before)] == player.before, "a locked step was lost"
            heads.add(match.ledger.head)
        assert len(heads) == 1
        assert self.network.strikes == []
        said = dict[tuple[bytes, Slot], bytes]()
        for raw in [*self.network.sent, *(raw for player in self.players for raw in player.journal())]:
            frame = open_frame(raw)
            if frame.kind in (*BODIES, Kind.ACK):
                assert said.setdefault((frame.match, frame.slot), frame.body) == frame.body, f"signed twice: {frame}"


Beside: TypeAlias = Callable[[Table], Coroutine[None, None, None]]
"""Something that happens while a match is played."""


def _check_all(claims: Sequence[Signed]) -> int | None:
    return next((number for number, claim in enumerate(claims) if not Ed25519Signatures().hold(*claim)), None)


@contextmanager
def _seated(table: Table) -> Generator[None]:
    """Seat players whose nodes have this network, these files and this luck."""
    with pytest.MonkeyPatch.context() as patch, counted_disk():
        luck = Luck()
        patch.setattr(node_module, "Transport", table.wire)
        patch.setattr(catalog, "find", find_pebbles)
        patch.setattr(secrets, "token_bytes", luck.bytes)
        patch.setattr(founding, "_entropy", luck.bytes)
        patch.setattr(CurveKeys, "generate", lambda: CurveKeys(luck.bytes(), luck.bytes()))
        yield


def play(root: Path, victim: int = 0, *faults: Fault) -> Table:
    """Play a match in which somebody's lives have these faults, and check what came of it."""
    return _play(lambda: Table(root, TURNS, {}, 0.0), root, victim, *faults)


def play_on_lost_disk(
    root: Path,
    victim: int,
    *faults: Fault,
    times: int = 1,
    other: Sequence[Fault] = (),
    beside: Beside | None = None,
) -> Table:
    """Play a match with clocks, in which somebody's first life, or so many, end with the loss of what is on their disk.

    `other` are the host's faults; `beside` is done meanwhile.
    """

    def table() -> Table:
        made = Table(root, b"36", {"bank": 2, "increment": 0, "frames": 2}, 0.5)
        made.players[victim].loses = times
        made.players[0].faults = list(other)
        return made

    return _play(table, root, victim, *faults, beside=beside)


def _play(make: Callable[[], Table], root: Path, victim: int, *faults: Fault, beside: Beside | None = None) -> Table:
    unseen: list[object] = []

    def note(_: object, context: Mapping[str, object]) -> None:
        if not isinstance(context.get("exception"), Died):
            unseen.append(context)

    async def match(table: Table) -> None:
        asyncio.get_running_loop().set_exception_handler(note)
        async with asyncio.timeout(PATIENCE):
            playing = [player.play() for player in table.players]
            await asyncio.gather(*playing, *([beside(table)] if beside else []))

    root.mkdir()
    try:
        table = make()
        with _seated(table):
            table.players[victim].faults = list(faults)
            with asyncio.Runner(loop_factory=StillLoop) as runner:
                runner.run(match(table))
        assert unseen == []
        table.check()
    except BaseException as error:
        error.add_note(f"Player {victim} had {faults}; the files are in {root}.")
        raise
    return table
