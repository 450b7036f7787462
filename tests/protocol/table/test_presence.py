"""Who is there: told to people, and used to pass frames on to whoever cannot hear their origin."""

import pytest

from sunward_protocol import limits
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.messages import Kind, Say, Status
from sunward_protocol.table.commands import Tell
from sunward_protocol.table.events import (
    CameBack,
    Disconnected,
    Ended,
    Heard,
    Invited,
    Moved,
    Offered,
    Said,
    Spoke,
    Troubled,
    WentAway,
)
from sunward_protocol.table.presence import Presence
from support.world import World


def test_a_place_that_is_not_heard_goes_away_once_and_comes_back_once() -> None:
    presence = Presence(3, 0, 10.0)
    assert presence.look(10.0 + limits.AWAY_AFTER - 0.1) == []
    presence.hear(2, 13.0)
    assert presence.look(10.0 + limits.AWAY_AFTER) == [Tell(WentAway(1))]
    assert presence.look(14.0) == []
    assert presence.hear(1, 15.0) == [Tell(CameBack(1))]
    assert presence.hear(1, 15.1) == []


def test_a_place_that_somebody_hears_is_not_away() -> None:
    presence = Presence(4, 0, 0.0)
    presence.hear(1, 5.0)
    presence.learn(1, 0b1000)
    assert presence.look(5.0) == [Tell(WentAway(2))], "place 1 hears place 3"
    assert presence.learn(1, 0b1100) == [Tell(CameBack(2))]
    assert presence.look(5.0 + limits.AWAY_AFTER) == [Tell(WentAway(1)), Tell(WentAway(2)), Tell(WentAway(3))], (
        "whom an absent place heard is no more known to be there"
    )


def test_a_lost_connection_is_noticed_at_the_next_look() -> None:
    presence = Presence(2, 0, 0.0)
    presence.hear(1, 0.0)
    presence.lose(1)
    assert presence.linked == 0
    assert presence.look(0.0) == [Tell(WentAway(1))]


def test_frames_are_passed_on_to_those_who_say_that_they_cannot_hear_the_origin() -> None:
    presence = Presence(4, 0, 0.0)
    for place in (1, 2, 3):
        presence.hear(place, 0.0)
    assert presence.cut_off(1, 1) == (), "nobody has said yet whom they hear"
    presence.learn(1, 0b1101)
    presence.learn(2, 0b1001)
    presence.learn(3, 0b0111)
    assert presence.cut_off(1, 1) == (2,)
    assert presence.cut_off(2, 2) == (), "place 1 and place 3 both hear place 2"
    assert presence.cut_off(1, 2) == (), "never back to where it came from"
    assert presence.cut_off(3, 3) == ()
    presence.lose(2)
    assert presence.cut_off(1, 1) == (), "whom we have lost we cannot pass anything on to"


@pytest.mark.parametrize("hub", [0, 2])
@pytest.mark.parametrize("members", [3, 4, 6])
def test_one_member_that_reaches_all_is_enough(members: int, hub: int) -> None:
    world = World(members, random_seed=hub, components=b"8")
    world.delay = lambda sender, receiver: 0.001 if hub in (sender, receiver) else None
    world.run(30)
    assert world.ended()
    assert world.now < 8, "frames are passed on as they come, not by STATUS alone"
    assert len(world.heads()) == 1
    assert world.strikes == []
    for place in range(members):
        assert world.told(place, Troubled) == []
        assert world.told(place, WentAway) == [], "whom the hub hears is there"


def test_a_chain_of_members_that_each_reach_two_is_enough() -> None:
    world = World(4, random_seed=1, components=b"8")
    world.delay = lambda sender, receiver: 0.001 if abs(sender - receiver) == 1 else None
    world.run(200)
    assert world.ended()
    assert all(len(world.told(place, Ended)) == 1 for place in range(4))


def test_a_member_that_is_cut_off_is_said_to_be_away_everywhere_and_to_be_back() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(2)
    world.delay = lambda sender, receiver: None if 1 in (sender, receiver) else 0.001
    world.run(8)
    assert world.told(0, WentAway) == world.told(2, WentAway) == [WentAway(1)]
    assert world.told(1, WentAway) == [WentAway(0), WentAway(2)]
    world.delay = lambda sender, receiver: 0.001
    world.run(2)
    assert world.told(0, CameBack) == world.told(2, CameBack) == [CameBack(1)]
    assert sorted(back.place for back in world.told(1, CameBack)) == [0, 2]


def test_a_member_whose_connection_breaks_is_away_before_its_silence_says_so() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(2.5)
    world.delay = lambda sender, receiver: None if 1 in (sender, receiver) else 0.001
    for place in (0, 2):
        world.feed(place, Disconnected(1))
    world.run(2.2)
    assert world.told(0, WentAway) == [WentAway(1)]


def test_new_addresses_are_told_once() -> None:
    world = World(2, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    for endpoints in (("tcp://a:1",), ("tcp://a:1",), ("tcp://b:2",), ()):
        frame = seal(Kind.STATUS, Status((), 0, ((), endpoints)), world.genesis.match, step=1, place=1)
        world.feed(0, Heard(1, frame.raw))
    assert world.told(0, Moved) == [Moved(1, ("tcp://a:1",)), Moved(1, ("tcp://b:2",))]


def test_what_a_liar_says_about_whom_it_hears_costs_one_frame_each_at_most() -> None:
    world = World(3, random_seed=1, components=b"8")
    world.run(0.001)
    deaf = seal(Kind.STATUS, Status((), 0b001, ()), world.genesis.match, step=0, place=1)
    world.feed(0, Heard(1, deaf.raw))
    world.run()
    assert world.ended()
    passed_on = [
        raw for sender, receiver, raw in world.sent if (sender, receiver) == (0, 1) if open_frame(raw).place == 2
    ]
    assert len(passed_on) == len(set(passed_on))


def test_of_whom_is_lost_others_addresses_are_tried_and_of_nobody_else() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    hints = ((), ("tcp://a:1",), ("tcp://b:2",))
    raw = seal(Kind.STATUS, Status((), 0, hints), world.genesis.match, step=1, place=1).raw
    world.feed(0, Heard(1, raw))
    assert world.told(0, Moved) == [Moved(1, ("tcp://a:1",))], "place 2 is there: it speaks for itself"
    world.feed(0, Disconnected(2))
    world.feed(0, Heard(1, raw))
    assert world.told(0, Moved)[1:] == [Moved(2, ("tcp://b:2",))]


def test_what_is_said_is_heard_by_all_under_its_speakers_name_only_and_not_too_much_of_it() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    world.feed(0, Spoke("Hello."))
    world.run(0.1)
    for place in range(3):
        assert world.told(place, Said) == [Said(0, "Hello.")]
    forged = seal(Kind.SAY, Say(world.genesis.members[2].identity, "I resign."), world.genesis.match, place=1).raw
    world.feed(0, Heard(1, forged))
    assert world.told(0, Said) == [Said(0, "Hello.")]
    for _ in range(20):
        world.feed(1, Spoke("!"))
    world.run(0.1)
    assert len(world.told(2, Said)) == 1 + limits.SAYINGS_MOST


def test_an_invite_to_another_match_reaches_the_others() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(1)
    world.feed(2, Offered("sunward1-another"))
    world.run(0.1)
    assert [world.told(place, Invited) for place in range(3)] == [[Invited(2, "sunward1-another")]] * 2 + [[]]


def test_whoever_hears_a_member_that_was_away_says_so_at_once() -> None:
    world = World(3, random_seed=1, choose=lambda replica, chance: ())
    world.run(2)
    world.delay = lambda sender, receiver: None if 1 in (sender, receiver) else 0.001
    world.run(8)
    world.delay = lambda sender, receiver: None if {sender, receiver} == {0, 1} else 0.001
    world.run(2, until=lambda: bool(world.told(2, CameBack)))
    world.run(0.01)
    assert world.told(0, CameBack) == [CameBack(1)], "before anything that it plays comes through place 2"
