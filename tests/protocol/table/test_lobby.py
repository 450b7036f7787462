"""The lobby: who is let in and whose word counts; what nobody in it, nor the host, can do to the others."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol import limits
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.genesis import Genesis, delegate, parse
from sunward_protocol.messages import Hello, Kind, Knock, Leave, Lobby, Member, Payload, Proposal, Ready, Say, Seal
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Blame, Myself, Phase, Post, Void
from support.lounge import LENGTH, SIGNATURES, TABLE, Lounge, curve, myself, sealing
from support.world import HashSigner, seed

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


def test_nobody_is_let_in_or_turned_away_while_all_seal() -> None:
    lounge = sealing()
    assert lounge.say(5, 0, Kind.HELLO, lounge.knock(5)) == []


def test_too_many_who_knock_are_forgotten_from_the_first_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KNOCKING_MOST", 2)
    lounge = Lounge(4)
    hellos = {who: lounge.knock(who) for who in (1, 2, 3)}
    for who, hello in hellos.items():
        lounge.say(who, 0, Kind.HELLO, hello)
    assert lounge.names() == ["member 0", "member 2", "member 3"]


WORDS_OF_A_STRANGER: list[tuple[Kind, Payload]] = [
    (Kind.HELLO, Hello(seed("nonce"), seed("nonce"), b"", myself(5).member, ())),
    (Kind.READY, Ready(1)),
    (Kind.SEAL, Seal(bytes(64))),
    (Kind.LEAVE, Leave("I go.")),
    (Kind.SAY, Say(seed("identity", 5), "boo")),
    (Kind.LOBBY, Lobby(2, "pebbles", (), (), ())),
]


@pytest.mark.parametrize("make", [lambda: Lounge(2), sealing], ids=["gathering", "sealing"])
@pytest.mark.parametrize(("kind", "payload"), WORDS_OF_A_STRANGER)
def test_strangers_are_no_guests(make: Callable[[], Lounge], kind: Kind, payload: Payload) -> None:
    lounge = make()
    assert lounge.say(5, 0, kind, payload) == []


def test_nothing_comes_of_a_strangers_connection_that_ends() -> None:
    assert Lounge(2).host.part(curve(5), 0) == []


def test_what_is_said_at_another_table_is_not_heard() -> None:
    assert Lounge(2).host.hear(curve(1), seal(Kind.KNOCK, Knock(seed("nonce")), seed("other")).raw, 0) == []


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
    [blame] = lounge.say(1, 0, Kind.HELLO, change(lounge.knock(1)))
    assert isinstance(blame, Blame)
    assert reason in blame.reason
    assert lounge.names() == ["member 0"]


def test_a_hello_of_before_the_connection_broke_lets_nobody_in() -> None:
    lounge = Lounge(2)
    hello = lounge.knock(1)
    lounge.do(0, lounge.host.part(curve(1), 0))
    assert lounge.say(1, 0, Kind.HELLO, hello) == []
    assert lounge.names() == ["member 0"]


def test_a_visitor_believes_no_hello_of_before_its_connection_broke() -> None:
    lounge = Lounge(2)
    del lounge.sides[0]
    visitor = lounge.enter(1)
    asked = lounge.frames(1)[0].payload
    assert isinstance(asked, Knock)
    lounge.do(1, visitor.part(curve(0), 0))
    host = myself(0)
    [blame] = lounge.say(0, 1, Kind.HELLO, Hello(asked.nonce, seed("ask"), b"", host.member, host.endpoints))
    assert isinstance(blame, Blame)
    assert "another nonce" in blame.reason


def test_a_host_that_is_not_the_one_of_the_invite_learns_no_token() -> None:
    lounge = Lounge(2)
    impostor = Host(myself(0, host_like=7), lounge.table, SIGNATURES, lounge.entropy)
    lounge.host = lounge.sides[0] = impostor
    lounge.enter(1)
    assert any(isinstance(answer, Blame) for answer in lounge.answers[1])
    assert not any(frame.kind is Kind.HELLO for frame in lounge.frames(1))


def test_what_others_say_to_a_visitor_is_not_heard() -> None:
    lounge = Lounge(2)
    visitor = lounge.enter(1)
    stranger = seal(Kind.LEAVE, Leave("go away"), TABLE)
    assert visitor.hear(curve(9), stranger.raw, 0) == []
    assert visitor.phase is Phase.GATHERING


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


# Talk


def test_who_talks_too_much_silences_nobody_else() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.enter(2)
    for number in range(9):
        lounge.do(1, lounge.sides[1].say(f"blah {number}"))
    lounge.do(0, lounge.host.say("Please stop."))
    assert lounge.heard(2) == ["blah 0", "blah 1", "blah 2", "blah 3", "blah 4", "Please stop."]


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
