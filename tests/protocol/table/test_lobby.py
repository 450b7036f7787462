"""The lobby: host and visitors through pipes, until all hold the same sealed genesis or know why not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol import limits
from sunward_protocol.draws import HashChain
from sunward_protocol.encoding import decode, encode
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.errors import RemoteError
from sunward_protocol.genesis import Genesis, check_seals, delegate, parse
from sunward_protocol.identity import UNSIGNED
from sunward_protocol.messages import Hello, Kind, Knock, Leave, Lobby, Member, Payload, Proposal, Ready, Say, Seal
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import (
    Answer,
    Blame,
    Closed,
    Founded,
    Heard,
    LobbyChanged,
    Myself,
    Phase,
    Post,
    Prepare,
    Table,
    Void,
)
from sunward_protocol.table.states import HOST, VISITOR
from sunward_protocol.table.visitor import Visitor
from support.pebbles import PEBBLES, find_pebbles
from support.world import HashSignatures, HashSigner, seed

TABLE, TOKEN, LENGTH = seed("table"), b"token", 64
SIGNATURES = HashSignatures()


def curve(who: int) -> bytes:
    return seed("curve", who)


def myself(who: int, name: str = "", host_like: int | None = None) -> Myself:
    """Return a person; `host_like` names another person whose identity they use."""
    identity = HashSigner(seed("identity", who if host_like is None else host_like))
    session = seed("session", who)
    tip = HashChain(seed("chain", who), session, LENGTH).tip
    member = delegate(identity, TABLE, name or f"member {who}", session, curve(who), tip, LENGTH)
    return Myself(identity, member, (f"tcp://{who}:1",))


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
    """A host (0) and visitors (1 ..), every frame of whom passes through `pipe`, which may drop or change it."""

    def __init__(
        self,
        seats: int,
        components: bytes = b"24",
        options: Mapping[str, str] | None = None,
        seating: Sequence[int] = (),
        clock: tuple[tuple[str, int], ...] = (),
    ) -> None:
        self.now = 0.0
        asked = tuple(seed("identity", who) for who in seating)
        self.table = Table(TABLE, TOKEN, PEBBLES.load(components), options or {}, seats, LENGTH, asked, clock)
        self.pipe: Callable[[int, int, bytes], bytes | None] = lambda sender, receiver, raw: raw
        self.answers: dict[int, list[Answer]] = {0: []}
        self.sides: dict[int, Host | Visitor] = {}
        self._count = 0
        self.host = Host(myself(0), self.table, SIGNATURES, self._entropy)
        self._phases = {0: self.host.phase}
        self.sides[0] = self.host
        self._queue: list[tuple[int, int, bytes]] = []

    def _entropy(self, size: int) -> bytes:
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
            self._entropy,
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

    def hear(self, who: int, sender: int, raw: bytes) -> None:
        """Let a side hear a frame, and carry out what follows."""
        answers = self.sides[who].hear(curve(sender), raw, self.now)
        try:
            heard = open_frame(raw).kind
        except RemoteError:
            heard = None
        self.do(who, answers, heard)

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

    def say(self, who: int, to: int, kind: Kind, payload: Payload, place: int = 255) -> None:
        """Let somebody say whatever they like."""
        frame = seal(kind, payload, TABLE, HashSigner(seed("identity", who)), place=place)
        self.hear(to, who, frame.raw)

    def ready(self) -> None:
        self.do(0, self.host.set_ready(True, self.now))

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
        return [open_frame(answer.raw) for answer in self.answers[who] if isinstance(answer, Post)]

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


@pytest.mark.parametrize("seats", range(2, 7))
def test_a_full_table_of_ready_members_is_founded(seats: int) -> None:
    lounge = Lounge(seats)
    for who in range(1, seats):
        lounge.enter(who)
    assert lounge.founded() == []
    lounge.ready()
    sits(lounge)
    genesis = lounge.founded()[0].genesis
    assert [member.name for member in genesis.members] == [f"member {who}" for who in range(seats)]
    assert (genesis.game, genesis.components, genesis.chain_length) == ("pebbles", b"24", LENGTH)


@pytest.mark.parametrize(("name", "row"), [("HOST", 0), ("HOST", 2), ("VISITOR", 0), ("VISITOR", 3)])
def test_a_side_that_makes_a_move_of_no_table_is_found(name: str, row: int, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = {"HOST": HOST, "VISITOR": VISITOR}[name]
    monkeypatch.setitem(globals(), name, machine._replace(rows=machine.rows[:row] + machine.rows[row + 1 :]))
    lounge = Lounge(2)
    lounge.enter(1)
    with pytest.raises(AssertionError):
        lounge.ready()


def test_the_last_to_be_ready_may_be_a_visitor() -> None:
    lounge = Lounge(3, options={"chance": "no"})
    lounge.ready()
    lounge.enter(1)
    visitor = lounge.enter(2, ready=False)
    assert lounge.founded() == []
    lounge.do(2, visitor.set_ready(True, 0))
    sits(lounge)
    assert lounge.founded()[0].genesis.options == (("chance", "no"),)


def test_a_genesis_of_many_pieces_is_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PIECE_MOST", 100)
    lounge = Lounge(2)
    lounge.enter(1)
    lounge.ready()
    assert sum(frame.kind is Kind.PROPOSAL for frame in lounge.frames(0)) > 5
    sits(lounge)


# Who is let in


def test_a_wrong_token_is_turned_away_and_told_what_to_do() -> None:
    lounge = Lounge(2)
    lounge.enter(1, token=b"other")
    assert lounge.reason(1) == "The invite is not, or no more, for this table: ask for a new one."
    assert lounge.names() == ["member 0"]


def test_a_full_table_is_said_to_be_full() -> None:
    lounge = Lounge(2)
    lounge.enter(1)
    lounge.enter(2)
    assert lounge.reason(2) == "The table is full."
    assert lounge.names() == ["member 0", "member 1"]


def test_a_table_whose_match_has_begun_is_said_to_have_begun() -> None:
    lounge = Lounge(2)
    lounge.enter(1)
    lounge.ready()
    lounge.enter(2)
    assert lounge.reason(2) == "The match at this table has begun."


def test_the_host_cannot_sit_down_twice() -> None:
    lounge = Lounge(3)
    lounge.enter(1, me=myself(1, host_like=0))
    assert lounge.reason(1) == "Somebody at this table has the same identity: it holds one seat."


def test_an_identity_that_comes_again_on_another_connection_takes_its_seat_again() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.enter(2, me=myself(2, host_like=1))
    assert lounge.names() == ["member 0", "member 2"]
    assert lounge.reason(1) == "You sat down at this table again elsewhere: an identity holds one seat."


def test_a_tip_or_session_that_somebody_shows_already_is_refused_and_nobody_loses_a_seat() -> None:
    lounge = Lounge(4)
    lounge.enter(1)
    lounge.enter(2)
    theirs = myself(1).member
    thief = HashSigner(seed("identity", 2))
    member = delegate(thief, TABLE, "thief", seed("session", 2), curve(2), theirs.tip, LENGTH)
    lounge.enter(2, me=Myself(thief, member, ()))
    assert "same identity" in lounge.reason(2)
    assert lounge.names() == ["member 0", "member 1", "member 2"]


# Forged and replayed words


def test_a_hello_that_is_replayed_is_refused() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    hello = next(frame for frame in lounge.frames(1) if frame.kind is Kind.HELLO)
    lounge.do(0, lounge.host.part(curve(1), 0))
    assert lounge.names() == ["member 0"]
    lounge.hear(0, 1, hello.raw)
    assert lounge.names() == ["member 0"]
    lounge.say(1, 0, Kind.KNOCK, Knock(seed("nonce")))
    lounge.hear(0, 1, hello.raw)
    assert lounge.names() == ["member 0"]
    assert isinstance(lounge.answers[0][-1], Blame)
    assert "another nonce" in lounge.answers[0][-1].reason


HELLOS: list[tuple[Callable[[Hello], Hello], str]] = [
    (lambda hello: hello._replace(member=myself(2).member), "speaks for another connection"),
    (lambda hello: hello._replace(member=hello.member._replace(identity=seed("x"))), "is not signed by"),
    (lambda hello: hello._replace(member=hello.member._replace(tip=seed("x"))), "did not sign for the keys"),
    (lambda hello: hello._replace(member=hello.member._replace(session=seed("x"))), "did not sign for the keys"),
    (lambda hello: hello._replace(member=hello.member._replace(owner=seed("x"))), "an owner who did not sign"),
    (lambda hello: hello._replace(member=hello.member._replace(ownership=bytes(63) + b"1")), "needs no owner"),
    (lambda hello: hello._replace(answer=seed("x")), "answers another nonce"),
]


@pytest.mark.parametrize(("change", "reason"), HELLOS)
def test_a_hello_that_does_not_hold_is_blamed(change: Callable[[Hello], Hello], reason: str) -> None:
    lounge = Lounge(3)
    lounge.answers[1] = []
    lounge.say(1, 0, Kind.KNOCK, Knock(seed("nonce")))
    asked = lounge.frames(0)[-1].payload
    assert isinstance(asked, Hello)
    me = myself(1)
    lounge.say(1, 0, Kind.HELLO, change(Hello(asked.ask, seed("nonce"), TOKEN, me.member, me.endpoints)))
    blame = lounge.answers[0][-1]
    assert isinstance(blame, Blame)
    assert reason in blame.reason
    assert lounge.names() == ["member 0"]


def test_a_host_that_is_not_the_one_of_the_invite_learns_no_token() -> None:
    lounge = Lounge(2)
    impostor = Host(myself(0, host_like=7), lounge.table, SIGNATURES, lounge._entropy)  # pyright: ignore[reportPrivateUsage]
    lounge.host = lounge.sides[0] = impostor
    lounge.enter(1)
    assert any(isinstance(answer, Blame) for answer in lounge.answers[1])
    assert not any(frame.kind is Kind.HELLO for frame in lounge.frames(1))


def of_version_3(raw: bytes) -> bytes:
    value = decode(raw[64:])
    assert isinstance(value, tuple)
    return raw[:64] + encode((3, *value[1:]))


def test_two_versions_part_after_a_word_and_the_visitor_is_told_which_it_needs() -> None:
    lounge = Lounge(2)
    lounge.pipe = lambda sender, receiver, raw: of_version_3(raw)
    lounge.enter(1)
    assert "version 3 of the protocol" in lounge.reason(1)
    assert len(lounge.frames(0)) == 1
    assert len(lounge.frames(1)) <= 2


# The proposal


def proposing(change: Callable[[Proposal], Proposal]) -> Lounge:
    """Return a lounge after a host proposed something that was changed on its way to member 1."""
    lounge = Lounge(3)

    def pipe(sender: int, receiver: int, raw: bytes) -> bytes:
        frame = open_frame(raw)
        if isinstance(frame.payload, Proposal) and receiver == 1:
            return seal(Kind.PROPOSAL, change(frame.payload), TABLE, place=1).raw
        return raw

    lounge.pipe = pipe
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    return lounge


def rewritten(change: Callable[[Genesis], Genesis]) -> Callable[[Proposal], Proposal]:
    """Return a change of a proposal by a change of its genesis."""
    return lambda proposal: proposal._replace(piece=change(parse(proposal.piece)).body)


def membered(*members: Member) -> Callable[[Proposal], Proposal]:
    return rewritten(lambda genesis: replace(genesis, members=members))


ANN, BOB, CLEO = (myself(who).member for who in range(3))
PROPOSALS: list[tuple[Callable[[Proposal], Proposal], str]] = [
    (rewritten(lambda genesis: replace(genesis, table=seed("other"))), "for another table"),
    (rewritten(lambda genesis: replace(genesis, chain_length=65)), "for another table"),
    (rewritten(lambda genesis: replace(genesis, options=(("chance", "no"),))), "not what the lobby showed"),
    (rewritten(lambda genesis: replace(genesis, game="chess")), "not what the lobby showed"),
    (rewritten(lambda genesis: replace(genesis, clock=(("bank", 1),))), "not what the lobby showed"),
    (membered(ANN, BOB), "for another table"),
    (membered(ANN, CLEO, BOB), "not what the lobby showed"),
    (membered(ANN, BOB._replace(tip=seed("theirs")), CLEO), "no seat for the keys of this node"),
    (membered(ANN, BOB, CLEO._replace(tip=seed("theirs"))), "did not sign for the keys"),
    (rewritten(lambda genesis: replace(genesis, rules_version=2)), "needs version 2 of the rules"),
    (rewritten(lambda genesis: replace(genesis, components=b"many")), "pebbles is given a number of turns"),
    (lambda proposal: proposal._replace(piece=proposal.piece[:-1]), "not msgpack"),
    (lambda proposal: proposal._replace(piece=b""), "not msgpack"),
    (lambda proposal: proposal._replace(endpoints=()), "for another table"),
]


@pytest.mark.parametrize(("change", "reason"), PROPOSALS)
def test_a_proposal_that_is_not_right_is_not_sealed(change: Callable[[Proposal], Proposal], reason: str) -> None:
    lounge = proposing(change)
    assert reason in lounge.reason(1)
    assert not any(frame.kind is Kind.SEAL for frame in lounge.frames(1))
    assert lounge.founded() == []
    assert lounge.host.phase is Phase.GATHERING
    assert lounge.names() == ["member 0", "member 2"], "who refuses has left"
    voids = [answer.reason for answer in lounge.answers[0] if isinstance(answer, Void)]
    assert len(voids) == 1
    assert "member 1 left, and says: " in voids[0]
    assert reason in voids[0], "the host learns why"


def test_a_match_of_fewer_seats_than_the_lobby_showed_is_not_sealed() -> None:
    lounge = Lounge(2)

    def pipe(sender: int, receiver: int, raw: bytes) -> bytes:
        shown = open_frame(raw).payload
        return seal(Kind.LOBBY, shown._replace(seats=3), TABLE).raw if isinstance(shown, Lobby) else raw

    lounge.pipe = pipe
    lounge.enter(1)
    lounge.ready()
    assert "not what the lobby showed" in lounge.reason(1)
    assert not any(frame.kind is Kind.SEAL for frame in lounge.frames(1))


def test_nobody_seals_who_did_not_say_that_they_are_ready() -> None:
    lounge = Lounge(2)
    visitor = lounge.enter(1, ready=False)
    genesis_of = Lounge(2)
    genesis_of.enter(1)
    genesis_of.ready()
    body = genesis_of.founded()[0].genesis.body
    lounge.say(0, 1, Kind.PROPOSAL, Proposal(0, 1, body, ((), ())), 1)
    assert visitor.phase is Phase.GATHERING
    assert not any(frame.kind is Kind.SEAL for frame in lounge.frames(1))


@pytest.mark.parametrize("kind", [Kind.PROPOSAL, Kind.SEAL, Kind.READY, Kind.LOBBY, Kind.HELLO, Kind.KNOCK])
@pytest.mark.parametrize("lost", [1, 2, 3])
def test_what_is_lost_is_made_up_for(kind: Kind, lost: int) -> None:
    lounge = Lounge(3)
    left = lost

    def pipe(sender: int, receiver: int, raw: bytes) -> bytes | None:
        nonlocal left
        if open_frame(raw).kind is kind and left:
            left -= 1
            return None
        return raw

    lounge.pipe = pipe
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    lounge.wait(12)
    if kind in (Kind.READY, Kind.LOBBY):  # these have no repair of their own: the connection carries them or breaks
        for who in (1, 2):
            lounge.do(0, lounge.host.part(curve(who), lounge.now))
            lounge.do(who, lounge.sides[who].part(curve(0), lounge.now))
        lounge.wait(5)
    sits(lounge)


# Leaving


def sealing(components: bytes = b"24") -> Lounge:
    """Return a lounge in which member 2 never seals."""
    lounge = Lounge(3, components)
    lounge.pipe = lambda sender, receiver, raw: None if sender == 2 and open_frame(raw).kind is Kind.SEAL else raw
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    assert {side.phase for side in lounge.sides.values()} == {Phase.SEALING}
    return lounge


def test_one_who_leaves_while_all_seal_takes_all_back_to_the_lobby_and_is_named() -> None:
    lounge = sealing()
    lounge.do(2, lounge.sides[2].close("I must go"))
    assert [answer.reason for answer in lounge.answers[0] if isinstance(answer, Void)] == [
        "The start came to nothing: member 2 left, and says: I must go."
    ]
    assert lounge.sides[1].phase is Phase.GATHERING
    assert [answer for answer in lounge.answers[1] if isinstance(answer, Void)]
    lounge.pipe = lambda sender, receiver, raw: raw
    del lounge.sides[2]
    lounge.enter(3)
    sits(lounge)


def test_one_who_does_not_seal_in_time_voids_the_start_and_is_named() -> None:
    lounge = sealing()
    lounge.wait(limits.SEAL_PATIENCE - 0.1)
    assert lounge.host.phase is Phase.SEALING
    lounge.wait(0.2)
    assert [answer.reason for answer in lounge.answers[0] if isinstance(answer, Void)] == [
        "The start came to nothing: member 2 did not sign the start in time."
    ]
    lounge.pipe = lambda sender, receiver, raw: raw
    lounge.wait(limits.SEAL_PATIENCE)
    sits(lounge)


def test_a_host_who_is_not_ready_any_more_voids_the_start() -> None:
    lounge = sealing()
    lounge.do(0, lounge.host.set_ready(False, lounge.now))
    assert lounge.host.phase is Phase.GATHERING
    lounge.wait(1)
    assert {side.phase for side in lounge.sides.values()} == {Phase.GATHERING}


def test_being_ready_once_more_neither_proposes_nor_founds_twice() -> None:
    lounge = sealing()
    proposals = sum(frame.kind is Kind.PROPOSAL for frame in lounge.frames(0))
    lounge.ready()
    assert sum(frame.kind is Kind.PROPOSAL for frame in lounge.frames(0)) == proposals
    lounge.pipe = lambda sender, receiver, raw: raw
    lounge.wait(3)
    sits(lounge)
    lounge.ready()
    lounge.do(0, lounge.host.set_ready(False, lounge.now))
    sits(lounge)


def test_a_visitor_that_loses_its_connection_while_sealing_comes_back() -> None:
    lounge = sealing()
    lounge.do(0, lounge.host.part(curve(2), lounge.now))
    lounge.do(2, lounge.sides[2].part(curve(0), lounge.now))
    assert lounge.names() == ["member 0", "member 1"]
    lounge.pipe = lambda sender, receiver, raw: raw
    lounge.wait(5)
    sits(lounge)


def test_a_visitor_that_loses_its_connection_at_the_last_word_still_gets_it() -> None:
    lounge = Lounge(3)
    lounge.pipe = lambda sender, receiver, raw: None if receiver == 2 and open_frame(raw).kind is Kind.SEAL else raw
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    assert len(lounge.founded()) == 2
    lounge.do(0, lounge.host.part(curve(2), lounge.now))
    lounge.do(2, lounge.sides[2].part(curve(0), lounge.now))
    lounge.pipe = lambda sender, receiver, raw: raw
    lounge.wait(2)
    sits(lounge)


def test_a_visitor_that_leaves_and_comes_back_before_the_start_sits_down_again() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.enter(2)
    lounge.do(1, lounge.sides[1].close("back in a minute"))
    assert lounge.names() == ["member 0", "member 2"]
    lounge.enter(1)
    lounge.ready()
    sits(lounge)


def test_a_host_that_closes_tells_all_and_nothing_comes_of_late_seals() -> None:
    lounge = sealing()
    seals = [frame for frame in lounge.frames(2) if frame.kind is Kind.SEAL]
    lounge.do(0, lounge.host.close("Good night."))
    assert [lounge.reason(who) for who in (0, 1, 2)] == ["Good night."] * 3
    before = len(lounge.answers[0])
    for frame in seals:
        lounge.hear(0, 2, frame.raw)
    lounge.do(0, lounge.host.part(curve(1), lounge.now))
    lounge.wait(60)
    assert len(lounge.answers[0]) == before
    assert lounge.founded() == []


def test_a_reason_in_any_script_and_of_any_length_arrives() -> None:
    lounge = Lounge(2)
    lounge.enter(1)
    lounge.do(0, lounge.host.close("終\n" * 300))
    assert lounge.reason(1) == "終" * limits.REASON_MOST


def test_what_others_say_to_a_visitor_is_not_heard() -> None:
    lounge = Lounge(2)
    visitor = lounge.enter(1)
    stranger = seal(Kind.LEAVE, Leave("go away"), TABLE)
    assert visitor.hear(curve(9), stranger.raw, 0) == []
    assert visitor.phase is Phase.GATHERING


def test_a_forged_seal_founds_nothing() -> None:
    lounge = sealing()
    lounge.say(2, 0, Kind.SEAL, Seal(bytes(64)), 2)
    lounge.say(1, 0, Kind.SEAL, Seal(bytes(64)), 2)
    assert lounge.founded() == []
    for place in range(3):
        lounge.say(0, 1, Kind.SEAL, Seal(UNSIGNED), place)
    assert lounge.founded() == []
    assert lounge.sides[1].phase is Phase.SEALING
    lounge.pipe = lambda sender, receiver, raw: raw
    lounge.wait(3)
    sits(lounge)


def test_strangers_are_no_guests() -> None:
    lounge = Lounge(2)
    lounge.answers[5] = []
    lounge.say(5, 0, Kind.READY, Ready(1))
    lounge.say(5, 0, Kind.SEAL, Seal(bytes(64)), 1)
    lounge.say(5, 0, Kind.LOBBY, Lobby(2, "pebbles", (), (), ()))
    assert lounge.answers[0] == []


def test_who_sit_as_they_were_asked_to_have_the_places_of_their_seats() -> None:
    lounge = Lounge(3, seating=(2, 0, 1))
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    sits(lounge)
    assert {answer.genesis.seating for answer in lounge.founded()} == {(2, 0, 1)}, "seat 0 is that of place 2"


def test_seats_are_drawn_if_others_came_than_were_asked() -> None:
    lounge = Lounge(3, seating=(2, 0, 1))
    lounge.enter(1)
    lounge.enter(3)
    lounge.ready()
    sits(lounge)
    assert {answer.genesis.seating for answer in lounge.founded()} == {()}


def test_pieces_of_a_start_that_came_to_nothing_are_forgotten_with_it() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.say(0, 1, Kind.PROPOSAL, Proposal(1, 2, b"of another start", ((), (), ())))
    lounge.enter(2)  # of which the host's LOBBY tells
    lounge.ready()
    sits(lounge)


def test_a_guest_is_shown_each_lobby() -> None:
    lounge = Lounge(4)
    lounge.enter(1)
    lounge.enter(2)
    shown = [len(answer.lobby.members) for answer in lounge.answers[1] if isinstance(answer, LobbyChanged)]
    assert sorted(set(shown)) == [2, 3]
    assert shown[-1] == len(lounge.host.lobby.members)


# Talk


def heard(lounge: Lounge, who: int) -> list[str]:
    """Return what somebody heard of the others and of themselves, in order."""
    return [answer.text for answer in lounge.answers[who] if isinstance(answer, Heard)]


def test_who_talks_too_much_silences_nobody_else() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.enter(2)
    for number in range(9):
        lounge.do(1, lounge.sides[1].say(f"blah {number}"))
    lounge.do(0, lounge.host.say("Please stop."))
    assert heard(lounge, 2) == ["blah 0", "blah 1", "blah 2", "blah 3", "blah 4", "Please stop."]


def test_nothing_is_heard_of_people_who_are_not_at_the_table() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.say(0, 1, Kind.SAY, Say(seed("identity", 7), "boo"))
    lounge.say(1, 0, Kind.SAY, Say(seed("identity", 0), "said in the host's name"))
    assert heard(lounge, 1) == []
    assert heard(lounge, 0) == []


def test_saying_again_that_one_is_ready_tells_nobody_anything() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    before = len(lounge.answers[0])
    for _ in range(9):
        lounge.say(1, 0, Kind.READY, Ready(1))
    assert len(lounge.answers[0]) == before


def spoken() -> list[bytes]:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    return sorted({answer.raw for who in range(3) for answer in lounge.answers[who] if isinstance(answer, Post)})


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whatever_is_said_raises_nothing_and_founds_nothing(data: st.DataObject) -> None:
    frames = spoken()
    lounge = Lounge(3)
    lounge.enter(1)
    for _ in range(10):
        raw = bytearray(data.draw(st.sampled_from(frames)))
        raw[data.draw(st.integers(64, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
        to = data.draw(st.integers(0, 1))
        lounge.hear(to, 1 - to, bytes(raw))
    assert lounge.founded() == []


def test_the_clocks_of_a_table_are_shown_before_they_are_sealed() -> None:
    clock = (("bank", 300), ("frames", 30), ("increment", 5))
    lounge = Lounge(2, clock=clock)
    lounge.enter(1)
    assert lounge.host.lobby.clock == clock
