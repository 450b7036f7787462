"""A lobby in one thread: a host and visitors through a pipe, or one of them with whom a test speaks for the others."""

from collections.abc import Callable, Mapping, Sequence

from sunward_protocol.draws import HashChain
from sunward_protocol.encoding import decode, encode
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.errors import RemoteError
from sunward_protocol.genesis import check_seals, delegate, parse
from sunward_protocol.messages import ANYWHERE, Hello, Kind, Knock, Lobby, Payload
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Answer, Closed, Founded, Heard, Myself, Phase, Post, Prepare, Table
from sunward_protocol.table.states import HOST, VISITOR
from sunward_protocol.table.visitor import Visitor
from support.pebbles import PEBBLES, find_pebbles
from support.world import HashSignatures, HashSigner, seed

TABLE, TOKEN, LENGTH = seed("table"), b"token", 64
SIGNATURES = HashSignatures()


def curve(who: int) -> bytes:
    return seed("curve", who)


def myself(who: int, host_like: int | None = None) -> Myself:
    """Return a person; `host_like` names another person whose identity they use."""
    identity = HashSigner(seed("identity", who if host_like is None else host_like))
    session = seed("session", who)
    tip = HashChain(seed("chain", who), session, LENGTH).tip
    member = delegate(identity, TABLE, f"member {who}", session, curve(who), tip, LENGTH)
    return Myself(identity, member, (f"tcp://{who}:1",))


def said(who: int, kind: Kind, payload: Payload, place: int = ANYWHERE) -> bytes:
    """Return a frame in which somebody says whatever they like."""
    return seal(kind, payload, TABLE, HashSigner(seed("identity", who)), place=place).raw


def of_version_3(raw: bytes) -> bytes:
    value = decode(raw[64:])
    assert isinstance(value, tuple)
    return raw[:64] + encode((3, *value[1:]))


def posted(answers: Sequence[Answer]) -> list[Frame]:
    return [open_frame(answer.raw) for answer in answers if isinstance(answer, Post)]


def may_move(side: Host | Visitor, before: Phase, after: Phase, heard: Kind | None) -> bool:
    """Whether a side's table has a row for a move, made at a frame of the kind that was `heard` or without any."""
    machine, of_its_own = (HOST, "closes") if isinstance(side, Host) else (VISITOR, "leaves")
    return any(
        before in row.states
        and row.after is after
        and (row.event is heard if isinstance(row.event, Kind) else not (heard and row.event == of_its_own))
        for row in machine.rows
    )


class Lounge:
    """A host (0) and visitors (1 ..), every frame of whom passes through `pipe`, which may drop or change it.

    Whoever is not in `sides` is not there: what is said to them is lost, and a test may speak for them.
    """

    def __init__(
        self,
        seats: int,
        options: Mapping[str, str] | None = None,
        seating: Sequence[int] = (),
        clock: tuple[tuple[str, int], ...] = (),
    ) -> None:
        self.now = 0.0
        asked = tuple(seed("identity", who) for who in seating)
        self.table = Table(TABLE, TOKEN, PEBBLES.load(b"24"), options or {}, seats, LENGTH, asked, clock)
        self.pipe: Callable[[int, int, bytes], bytes | None] = lambda sender, receiver, raw: raw
        self.answers: dict[int, list[Answer]] = {0: []}
        self.sides: dict[int, Host | Visitor] = {}
        self._count = 0
        self.host = Host(myself(0), self.table, SIGNATURES, self.entropy)
        self._phases = {0: self.host.phase}
        self.sides[0] = self.host
        self._queue: list[tuple[int, int, bytes]] = []

    def entropy(self, size: int) -> bytes:
        self._count += 1
        return (seed("entropy", self._count) * 2)[:size]

    def enter(self, who: int, token: bytes = TOKEN, ready: bool = True, me: Myself | None = None) -> Visitor:
        """Let a visitor come to the table and say whether they are ready."""
        visitor = Visitor(
            me or myself(who),
            TABLE,
            token,
            curve(0),
            find_pebbles,
            SIGNATURES,
            self.entropy,
            seed("identity", 0),
            LENGTH,
        )
        self.sides[who] = visitor
        self._phases[who] = visitor.phase
        self.answers[who] = []
        self.do(who, visitor.look(self.now))
        if ready:
            self.do(who, visitor.set_ready(True, self.now))
        return visitor

    def hear(self, who: int, sender: int, raw: bytes) -> list[Answer]:
        """Let a side hear a frame, and carry out what follows; return what the side answered."""
        answers = self.sides[who].hear(curve(sender), raw, self.now)
        try:
            heard = open_frame(raw).kind
        except RemoteError:
            heard = None
        self.do(who, answers, heard)
        return answers

    def do(self, who: int, answers: list[Answer], heard: Kind | None = None) -> None:
        """Carry out what a side answered, and all that follows; see that it made no move but one of its table."""
        before, after = self._phases[who], self.sides[who].phase
        assert before is after or may_move(self.sides[who], before, after, heard)
        self._phases[who] = after
        self.answers[who] += answers
        for answer in answers:
            if isinstance(answer, Post):
                receiver = next(other for other in range(20) if curve(other) == answer.peer)
                self._queue.append((who, receiver, answer.raw))
        while self._queue:
            sender, receiver, raw = self._queue.pop(0)
            passed = self.pipe(sender, receiver, raw)
            if passed is not None and receiver in self.sides:
                self.hear(receiver, sender, passed)

    def say(self, who: int, to: int, kind: Kind, payload: Payload, place: int = ANYWHERE) -> list[Answer]:
        """Let somebody say whatever they like; return what was answered."""
        return self.hear(to, who, said(who, kind, payload, place))

    def knock(self, who: int) -> Hello:
        """Let somebody who is not there knock; return the HELLO with which the host would let them in."""
        [asked] = posted(self.say(who, 0, Kind.KNOCK, Knock(seed("nonce"))))
        assert isinstance(asked.payload, Hello)
        me = myself(who)
        return Hello(asked.payload.ask, seed("nonce"), TOKEN, me.member, me.endpoints)

    def ready(self) -> None:
        self.do(0, self.host.set_ready(True, self.now))

    def part(self, who: int) -> None:
        """End the connection between the host and a visitor."""
        self.do(0, self.host.part(curve(who), self.now))
        self.do(who, self.sides[who].part(curve(0), self.now))

    def wait(self, seconds: float) -> None:
        """Let time pass; sides are looked at as often as they wish."""
        end = self.now + seconds
        while True:
            wake, who = min((side.wake, who) for who, side in self.sides.items())
            if wake > end:
                break
            self.now = max(self.now, wake)
            self.do(who, self.sides[who].look(self.now))
        self.now = end

    def reason(self, who: int) -> str:
        """Return why there is no table any more for somebody."""
        return next(answer.reason for answer in self.answers[who] if isinstance(answer, Closed))

    def frames(self, who: int) -> list[Frame]:
        return posted(self.answers[who])

    def heard(self, who: int) -> list[str]:
        """Return what somebody heard of the others and of themselves, in order."""
        return [answer.text for answer in self.answers[who] if isinstance(answer, Heard)]

    def founded(self) -> list[Founded]:
        return [answer for who in self.sides for answer in self.answers[who] if isinstance(answer, Founded)]

    def names(self) -> list[str]:
        return [name for _, name, *_ in self.host.lobby.members]


def sits(lounge: Lounge) -> None:
    """Fail unless all are founded upon the same genesis, each in their own place, each prepared before."""
    founded = lounge.founded()
    assert len(founded) == len(lounge.sides)
    assert len({answer.genesis.match for answer in founded}) == 1
    assert sorted(answer.place for answer in founded) == list(range(len(founded)))
    for who, side in lounge.sides.items():
        answer = next(answer for answer in lounge.answers[who] if isinstance(answer, Founded))
        assert side.phase is Phase.FOUNDED
        assert answer.genesis.members[answer.place] == side.me.member
        assert answer.endpoints[answer.place] == side.me.endpoints
        assert Prepare(answer.genesis, answer.place, answer.endpoints) in lounge.answers[who]
        assert parse(answer.genesis.body) == answer.genesis
        check_seals(answer.genesis, answer.seals, SIGNATURES)


def sealing() -> Lounge:
    """Return a lounge in which member 2 never seals."""
    lounge = Lounge(3)
    lounge.pipe = lambda sender, receiver, raw: None if sender == 2 and open_frame(raw).kind is Kind.SEAL else raw
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    assert {side.phase for side in lounge.sides.values()} == {Phase.SEALING}
    return lounge


def start() -> Founded:
    """Return the start of a match of two, as the host has it."""
    lounge = Lounge(2)
    lounge.enter(1)
    lounge.ready()
    return lounge.founded()[0]


def showing(*ready: int) -> Lobby:
    """Return what the host of a table of two shows of members 0 .. who are so ready."""
    people = [(seed("identity", who), f"member {who}") for who in range(len(ready))]
    members = tuple((identity, name, identity, each) for (identity, name), each in zip(people, ready, strict=True))
    return Lobby(2, PEBBLES.name, (), (), members)


def welcomed(ready: bool = True) -> Lounge:
    """Return a lounge without its host, for whom the test speaks; member 1 was shown to be at the table of two."""
    lounge = Lounge(2)
    del lounge.sides[0]
    lounge.enter(1, ready=ready)
    lounge.say(0, 1, Kind.LOBBY, showing(1, int(ready)))
    return lounge
