"""What a node tells a client: of others before and after anybody has a seat, and of changes in who plays."""

from collections.abc import Mapping

from sunward_node.telling import LobbyTelling, Telling, clocks
from sunward_protocol.ids import Place
from sunward_protocol.ledger import Move
from sunward_protocol.messages import Change, Lobby
from sunward_protocol.table.events import (
    Applied,
    CameBack,
    Changed,
    Claimed,
    Drawn,
    Notice,
    Stalled,
    TurnCame,
    WentAway,
)
from support.world import World


def told(world: World, *notices: WentAway | CameBack) -> list[Mapping[str, object]]:
    """Return the events that notices become at member 0's node."""
    events = list[Mapping[str, object]]()
    telling = Telling(world.genesis, 0, lambda: world.replica(0).steps.settled.place_of, "/m", bytes.hex, events.append)
    for notice in notices:
        telling.tell(notice)
    return events


def test_who_is_away_before_the_seats_are_drawn_is_named() -> None:
    world = World(3)
    world.stop(2)
    assert world.replica(0).steps.settled.step == 0
    assert told(world, WentAway(2), CameBack(2)) == [
        {"event": "trouble", "code": "away", "sentence": "member 2 is away; the match begins when they are back."},
        {"event": "trouble", "code": "back", "sentence": "member 2 is back."},
    ]


def test_who_is_away_later_is_told_by_their_seat() -> None:
    world = World(3)
    world.run(until=lambda: world.replica(0).steps.settled.step > 0)
    seat = world.replica(0).steps.settled.seat_of(2)
    assert told(world, WentAway(2), CameBack(2)) == [{"event": "away", "seat": seat}, {"event": "back", "seat": seat}]


OUT = Change(0b100, (), 0, 0)


class Told:
    """What the node of member 0 tells of a match whose seats are drawn as these places."""

    def __init__(self, *places: Place) -> None:
        self.seating = places
        self.events = list[Mapping[str, object]]()
        world = World(3, clock={"bank": 300, "frames": 30, "increment": 5})
        self.telling = Telling(world.genesis, 0, lambda: self.seating, "/m", bytes.hex, self.events.append)

    def of(self, *notices: Notice) -> list[Mapping[str, object]]:
        """Return the events that these notices become."""
        self.events.clear()
        for notice in notices:
            self.telling.tell(notice)
        return self.events


DRAWN = b"\1" * 32


def test_a_change_is_told_by_seat_and_who_is_out_plays_by_autopilot() -> None:
    told = Told(2, 0, 1)
    told.of(Drawn(0, DRAWN), Applied(1, (Move(0, 7),)))
    assert told.of(Changed(2, OUT), Applied(3, (Move(0, 8),)), Applied(4, (Move(1, 9),))) == [
        {"event": "changed", "step": 2, "out": [0], "back": [], "rewind": None, "adjourned": False},
        {"event": "applied", "step": 3, "seat": 0, "actions": [8], "by": "autopilot"},
        {"event": "applied", "step": 4, "seat": 1, "actions": [9], "by": "player"},
    ]
    assert told.of(TurnCame(5, (0,), secret=False)) == [], "nobody is asked"
    assert told.of(TurnCame(5, (0, 2), secret=True)) == [{"event": "turn", "step": 5, "seats": [2], "secret": True}]


def test_wishes_and_what_cannot_be_are_told_by_seat() -> None:
    told = Told(2, 0, 1)
    wish = {"out": [0], "back": [], "rewind": None, "adjourned": False}
    assert told.of(Claimed(1, OUT), Claimed(1, None), Stalled((1, 2))) == [
        {"event": "claimed", "seat": 2, "change": wish},
        {"event": "claimed", "seat": 2, "change": None},
        {"event": "stalled", "seats": [2, 0]},
    ]
    assert Told().of(Claimed(1, OUT), Stalled((1,))) == [], "nobody has a seat yet"


def test_a_step_whose_draw_is_made_anew_is_told_again() -> None:
    told = Told(0, 1, 2)
    told.of(Drawn(0, DRAWN), Applied(1, (Move(0, 7),)), Drawn(1, DRAWN))
    again = told.of(Applied(1, (Move(0, 7),)), Changed(2, OUT), Drawn(2, DRAWN))
    assert [event["event"] for event in again] == ["rewound", "applied", "changed", "drawn"]
    assert again[0] == {"event": "rewound", "step": 1}


def test_a_set_up_that_is_drawn_anew_begins_the_match_anew() -> None:
    told = Told(0, 1, 2)
    first = told.of(Drawn(0, DRAWN))
    assert [event["event"] for event in first] == ["hello", "drawn"]
    assert first[0]["clock"] == {"bank": 300, "frames": 30, "increment": 5}
    assert first[0]["out"] == []
    told.seating = ()
    assert told.of(Changed(1, OUT)) == [
        {"event": "trouble", "code": "put-out", "sentence": "member 2 played no part and was put out."}
    ]
    told.seating = (0, 1, 2)
    again = told.of(Drawn(1, DRAWN))
    assert [event["event"] for event in again] == ["hello", "drawn"]
    assert again[0]["out"] == [2]


def test_a_draw_after_a_change_sets_nothing_up_once_something_was_played() -> None:
    told = Told(0, 1, 2)
    told.of(Drawn(0, DRAWN), Applied(1, (Move(0, 7),)))
    assert [event["event"] for event in told.of(Changed(2, OUT), Drawn(2, DRAWN))] == ["changed", "drawn"]


def test_clocks_are_told_by_seat_once_seats_are_drawn() -> None:
    world = World(3, clock={"bank": 300, "frames": 30, "increment": 5}, choose=lambda _, __: ())
    replica = world.replica(0)
    assert clocks(replica) is None
    world.run(until=lambda: replica.steps.settled.step > 0)
    told = clocks(replica)
    assert told is not None
    assert told["left"] == [300, 300, 300]
    assert told["running"] == list(replica.steps.tip.position.to_act())


def test_a_lobby_says_what_is_played_and_by_which_options_and_clocks() -> None:
    lobby = Lobby(3, "beyond-the-sun", (("mats", "advanced"),), (("bank", 300), ("increment", 30)), ())
    (event,) = LobbyTelling(b"", lambda key: "").events(lobby)
    assert event["text"] == (
        "0 of 3 are at the table: Beyond the Sun, mats advanced, factions drawn."
        " It has clocks: 300 s to think each, and 30 s more each time one is asked anew."
    )
    (event,) = LobbyTelling(b"", lambda key: "").events(lobby._replace(game="chess", options=(), clock=()))
    assert event["text"] == "0 of 3 are at the table: chess."
