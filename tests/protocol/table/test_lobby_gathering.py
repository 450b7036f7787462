"""The lobby before a start: who is there and ready, who is shown that, and who goes."""

from collections.abc import Callable

import pytest

from sunward_protocol import limits
from sunward_protocol.messages import Kind, Knock, Leave, Ready
from sunward_protocol.table.lobby import NEVER, Closed, LobbyChanged, Phase
from support.lounge import Lounge, curve, of_version_3, posted, said, sealing, showing, sits, welcomed
from support.world import seed


@pytest.mark.parametrize("who", [0, 1])
def test_everybody_is_shown_each_lobby(who: int) -> None:
    lounge = Lounge(4)
    lounge.enter(1)
    lounge.enter(2)
    lounge.do(2, lounge.sides[2].close("I must go"))
    shown = [answer.lobby for answer in lounge.answers[who] if isinstance(answer, LobbyChanged)]
    assert [[ready for *_, ready in lobby.members] for lobby in shown] == [[0, 0], [0, 1], [0, 1, 0], [0, 1, 1], [0, 1]]
    assert shown[-1] == lounge.host.lobby


def test_the_clocks_of_a_table_are_shown_before_they_are_sealed() -> None:
    clock = (("bank", 300), ("frames", 30), ("increment", 5))
    lounge = Lounge(2, clock=clock)
    lounge.enter(1)
    assert [answer.lobby.clock for answer in lounge.answers[1] if isinstance(answer, LobbyChanged)] == [clock] * 2


@pytest.mark.parametrize("wish", [False, True])
@pytest.mark.parametrize("shown", [False, True])
def test_a_visitor_says_whether_it_is_ready_if_it_is_shown_otherwise(wish: bool, shown: bool) -> None:
    lounge = welcomed(ready=wish)
    answers = lounge.say(0, 1, Kind.LOBBY, showing(1, int(shown)))
    assert [frame.payload for frame in posted(answers)] == ([] if wish is shown else [Ready(int(wish))])


def test_a_visitor_that_is_not_shown_knocks_on_and_does_not_say_that_it_is_ready() -> None:
    lounge = welcomed()
    assert lounge.say(0, 1, Kind.LOBBY, showing(1)) == [LobbyChanged(showing(1))]
    assert [frame.kind for frame in posted(lounge.sides[1].look(limits.KNOCK_EVERY))] == [Kind.KNOCK]


def test_saying_again_that_one_is_ready_tells_nobody_anything() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    before = len(lounge.answers[0])
    for _ in range(9):
        lounge.say(1, 0, Kind.READY, Ready(1))
    assert len(lounge.answers[0]) == before


def test_a_visitor_knocks_no_sooner_than_it_is_time() -> None:
    lounge = Lounge(2)
    del lounge.sides[0]
    visitor = lounge.enter(1)
    assert visitor.look(limits.KNOCK_EVERY - 0.1) == []
    assert [frame.kind for frame in posted(visitor.look(limits.KNOCK_EVERY))] == [Kind.KNOCK]


def test_two_versions_part_after_a_word_and_the_visitor_is_told_which_it_needs() -> None:
    lounge = Lounge(2)
    lounge.pipe = lambda sender, receiver, raw: of_version_3(raw)
    lounge.enter(1)
    assert "version 3 of the protocol" in lounge.reason(1)
    assert len(lounge.frames(0)) == 1
    assert len(lounge.frames(1)) <= 2


# Who goes


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


def test_a_host_that_gives_no_reason_has_closed_the_table() -> None:
    lounge = welcomed()
    assert lounge.say(0, 1, Kind.LEAVE, Leave("")) == [Closed("The host closed the table.")]


def closed_host() -> Lounge:
    lounge = Lounge(2)
    lounge.do(0, lounge.host.close("Good night."))
    return lounge


def left() -> Lounge:
    lounge = welcomed()
    lounge.do(1, lounge.sides[1].close("Good night."))
    return lounge


def turned_away() -> Lounge:
    lounge = welcomed()
    lounge.say(0, 1, Kind.LEAVE, Leave("The table is full."))
    return lounge


def of_another_version() -> Lounge:
    lounge = welcomed()
    lounge.hear(1, 0, of_version_3(said(0, Kind.LOBBY, showing(1, 1))))
    return lounge


WORDS = {
    "KNOCK": said(1, Kind.KNOCK, Knock(seed("nonce"))),
    "LOBBY": said(0, Kind.LOBBY, showing(1, 1)),
    "LEAVE": said(0, Kind.LEAVE, Leave("I go.")),
    "another version": of_version_3(said(0, Kind.LEAVE, Leave("I go."))),
    "no frame": b"?",
}


@pytest.mark.parametrize("raw", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("make", [closed_host, left, turned_away, of_another_version])
def test_who_has_no_table_any_more_hears_nothing_and_does_nothing(make: Callable[[], Lounge], raw: bytes) -> None:
    [(who, side)] = make().sides.items()
    assert side.phase is Phase.CLOSED
    assert side.wake == NEVER
    assert side.hear(curve(1 - who), raw, 9) == []
    assert side.look(9) == []
