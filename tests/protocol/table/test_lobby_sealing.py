"""The lobby from a proposal to the seals of all: a start that is founded, or comes to nothing and is told so."""

import pytest

from sunward_protocol import limits
from sunward_protocol.envelope import open_frame
from sunward_protocol.identity import UNSIGNED
from sunward_protocol.messages import Kind, Leave, Payload, Proposal, Ready, Say, Seal
from sunward_protocol.table.lobby import Founded, Phase, Prepare, Void
from sunward_protocol.table.states import HOST, VISITOR
from support.lounge import LENGTH, Lounge, curve, of_version_3, posted, said, sealing, showing, sits, start, welcomed
from support.world import seed


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
    monkeypatch.setattr(f"support.lounge.{name}", machine._replace(rows=machine.rows[:row] + machine.rows[row + 1 :]))
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


# Proposing


def test_a_genesis_of_many_pieces_is_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PIECE_MOST", 100)
    lounge = Lounge(2)
    lounge.enter(1)
    lounge.ready()
    assert sum(frame.kind is Kind.PROPOSAL for frame in lounge.frames(0)) > 5
    sits(lounge)


def test_each_guest_is_proposed_its_own_place() -> None:
    lounge = sealing()
    assert [frame.place for frame in lounge.frames(0) if frame.kind is Kind.PROPOSAL] == [1, 2]


def test_only_who_did_not_seal_is_proposed_to_again_and_no_sooner_than_it_is_time() -> None:
    host = sealing().host
    assert host.look(limits.PROPOSE_EVERY - 0.1) == []
    assert [(frame.kind, frame.place) for frame in posted(host.look(limits.PROPOSE_EVERY))] == [(Kind.PROPOSAL, 2)]


def proposal() -> Proposal:
    """Return the start of a match of two in one piece."""
    return Proposal(0, 1, start().genesis.body, start().endpoints)


def test_a_visitor_has_the_keys_of_its_seat_kept_before_it_seals() -> None:
    prepare, post = welcomed().say(0, 1, Kind.PROPOSAL, proposal())
    assert prepare == Prepare(start().genesis, 1, start().endpoints)
    assert [(frame.kind, frame.place) for frame in posted([post])] == [(Kind.SEAL, 1)]


def test_nobody_seals_who_did_not_say_that_they_are_ready() -> None:
    assert welcomed(ready=False).say(0, 1, Kind.PROPOSAL, proposal()) == []


def test_nobody_seals_who_was_not_shown_a_lobby() -> None:
    lounge = Lounge(2)
    del lounge.sides[0]
    lounge.enter(1)
    lounge.say(0, 1, Kind.PROPOSAL, proposal())
    assert "not what the lobby showed" in lounge.reason(1)
    assert not any(frame.kind is Kind.SEAL for frame in lounge.frames(1))


@pytest.mark.parametrize("again", [proposal(), Proposal(0, 1, b"another", ((), ()))])
def test_who_has_sealed_a_start_is_proposed_no_other_until_that_is_void(again: Proposal) -> None:
    lounge = welcomed()
    lounge.say(0, 1, Kind.PROPOSAL, proposal())
    assert lounge.say(0, 1, Kind.PROPOSAL, again) == []
    assert isinstance(lounge.say(0, 1, Kind.LOBBY, showing(1, 1))[0], Void)
    assert lounge.say(0, 1, Kind.PROPOSAL, again) != []


def test_pieces_beyond_the_last_are_not_taken() -> None:
    lounge, body = welcomed(), start().genesis.body
    pieces = {2: b"beyond", 0: body[:99], 64: b"far beyond", 1: body[99:]}
    for number, piece in pieces.items():
        assert (number == 1) is bool(lounge.say(0, 1, Kind.PROPOSAL, Proposal(number, 2, piece, start().endpoints)))
    assert lounge.sides[1].phase is Phase.SEALING


def test_pieces_of_a_start_that_came_to_nothing_are_forgotten_with_it() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.say(0, 1, Kind.PROPOSAL, Proposal(1, 2, b"of another start", ((), (), ())))
    lounge.enter(2)  # of which the host's LOBBY tells
    lounge.ready()
    sits(lounge)


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
            lounge.part(who)
        lounge.wait(5)
    sits(lounge)


# Sealing


def test_a_seal_is_shown_again_until_all_are_there_but_no_sooner_than_it_is_time() -> None:
    lounge = welcomed()
    lounge.say(0, 1, Kind.PROPOSAL, proposal())
    visitor = lounge.sides[1]
    assert visitor.look(limits.KNOCK_EVERY - 0.1) == []
    assert posted(visitor.look(limits.KNOCK_EVERY)) == [lounge.frames(1)[-1]]


def test_seals_of_what_was_not_proposed_found_nothing() -> None:
    lounge = welcomed()
    for place, signature in enumerate(start().seals):
        assert lounge.say(0, 1, Kind.SEAL, Seal(signature), place) == []


def test_seals_of_places_that_no_member_has_are_not_counted() -> None:
    lounge = welcomed()
    lounge.say(0, 1, Kind.PROPOSAL, proposal())
    seals = {2: UNSIGNED, 0: start().seals[0], 255: UNSIGNED, 1: start().seals[1]}
    answers = [lounge.say(0, 1, Kind.SEAL, Seal(signature), place) for place, signature in seals.items()]
    assert answers == [[], [], [], [Founded(start().genesis, start().seals, 1, start().endpoints)]]


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


def test_a_guest_that_shows_its_seal_once_more_is_handed_all_of_them() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.enter(2)
    lounge.ready()
    founded = lounge.founded()[0]
    answers = posted(lounge.say(2, 0, Kind.SEAL, Seal(founded.seals[2]), 2))
    assert [(frame.place, frame.payload) for frame in answers] == list(enumerate(map(Seal, founded.seals)))


WORDS: list[tuple[Kind, Payload]] = [
    (Kind.LOBBY, showing(1, 0)),
    (Kind.PROPOSAL, proposal()),
    (Kind.SEAL, Seal(UNSIGNED)),
    (Kind.LEAVE, Leave("The table is closed.")),
    (Kind.SAY, Say(seed("identity", 0), "boo")),
]


def test_a_visitor_whose_match_has_begun_hears_nothing_of_the_lobby_any_more() -> None:
    lounge = Lounge(2)
    visitor = lounge.enter(1)
    lounge.ready()
    for kind, payload in WORDS:
        raw = said(0, kind, payload, 0)
        assert visitor.hear(curve(0), raw, 9) == visitor.hear(curve(0), of_version_3(raw), 9) == []
    assert visitor.look(9) == []
    sits(lounge)


# What comes to nothing


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


def test_after_a_start_that_came_to_nothing_guests_count_as_ready_once_they_say_so_again() -> None:
    lounge = sealing()
    lounge.pipe = lambda sender, receiver, raw: None if sender == 2 else raw
    lounge.wait(limits.SEAL_PATIENCE)
    assert [ready for *_, ready in lounge.host.lobby.members] == [1, 1, 0]
    assert lounge.host.phase is Phase.GATHERING


def test_a_host_who_is_not_ready_any_more_voids_the_start() -> None:
    lounge = sealing()
    lounge.do(0, lounge.host.set_ready(False, lounge.now))
    assert lounge.host.phase is Phase.GATHERING
    lounge.wait(1)
    assert {side.phase for side in lounge.sides.values()} == {Phase.GATHERING}


def test_a_guest_who_has_sealed_cannot_be_unready_any_more() -> None:
    assert sealing().say(1, 0, Kind.READY, Ready(0)) == []


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
    lounge.part(2)
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
    lounge.part(2)
    lounge.pipe = lambda sender, receiver, raw: raw
    lounge.wait(2)
    sits(lounge)
