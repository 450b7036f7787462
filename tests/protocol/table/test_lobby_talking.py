"""The lobby's talk: who hears what, under whose name, and how much of it."""

import pytest

from sunward_protocol import limits
from sunward_protocol.messages import Kind, Say
from sunward_protocol.table.talk import Talk
from support.lounge import Lounge, posted, showing, welcomed
from support.world import seed


def test_each_may_say_five_things_in_ten_seconds() -> None:
    assert (limits.SAYINGS_MOST, limits.SAYINGS_IN) == (5, 10)
    talk = Talk[str]()
    assert [talk.may_say("Ann", now) for now in (0, 1, 2, 3, 4, 5, 9.9)] == [True] * 5 + [False] * 2
    assert talk.may_say("Bob", 9.9)
    assert [talk.may_say("Ann", now) for now in (10, 10.9, 11, 11.9)] == [True, False, True, False], "none counts twice"


@pytest.mark.parametrize("who", [0, 1])
def test_who_says_something_hears_it_too(who: int) -> None:
    lounge = Lounge(3)
    for each in (1, 2):
        lounge.enter(each)
    lounge.do(who, lounge.sides[who].say("Hello."))
    assert [lounge.heard(each) for each in range(3)] == [["Hello."]] * 3


def test_a_host_hears_and_passes_on_no_more_than_a_guest_may_say() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.enter(2)
    words = [Say(seed("identity", 1), f"blah {number}") for number in range(9)]
    answers = [answer for word in words for answer in lounge.say(1, 0, Kind.SAY, word)]
    assert [frame.payload for frame in posted(answers)] == words[:5]
    assert lounge.heard(0) == [word.text for word in words[:5]]


def test_a_visitor_hears_no_more_than_each_may_say_and_nothing_under_its_own_name() -> None:
    lounge = welcomed()
    lounge.say(0, 1, Kind.LOBBY, showing(1, 1, 1))
    for number in range(9):
        for who in (0, 1, 2, 3):
            lounge.say(0, 1, Kind.SAY, Say(seed("identity", who), f"{who}{number}"))
    assert lounge.heard(1) == ["00", "20", "01", "21", "02", "22", "03", "23", "04", "24"], "3 is not at the table"


def test_nothing_is_heard_of_people_who_are_not_at_the_table() -> None:
    lounge = Lounge(3)
    lounge.enter(1)
    lounge.say(0, 1, Kind.SAY, Say(seed("identity", 7), "boo"))
    lounge.say(1, 0, Kind.SAY, Say(seed("identity", 0), "said in the host's name"))
    assert lounge.heard(1) == []
    assert lounge.heard(0) == []
