"""What a node's lines mean, and that no line of it can hurt a client."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunward_client.events import (
    Applied,
    Back,
    Change,
    Changed,
    Claimed,
    Clock,
    Drawn,
    Event,
    Hello,
    Invite,
    Lobby,
    Member,
    Offer,
    Over,
    Said,
    Stalled,
    StandIn,
    Turn,
    decode,
)
from sunward_protocol.errors import LocalError

HELLO: Mapping[str, object] = {
    "event": "hello",
    "protocol": 1,
    "match": None,
    "game": "once-around-the-sun",
    "components": "{\n}",
    "options": {"a": "b"},
    "names": ["Ann", "Bo"],
    "keys": ["00", "11"],
    "words": ["one two", "three four"],
    "you": None,
}


@pytest.mark.parametrize(
    ("message", "event"),
    [
        (HELLO, Hello(None, "once-around-the-sun", "{\n}", {"a": "b"}, ("Ann", "Bo"), ("one two", "three four"), None)),
        (
            {
                "event": "lobby",
                "text": "Bo came.",
                "members": [{"name": "Bo", "words": "w", "ready": True, "owner": None}],
            },
            Lobby("Bo came.", (Member("Bo", "w", True, None),)),
        ),
        (
            {"event": "lobby", "text": "", "members": [], "you": 0, "seats": 4},
            Lobby("", (), 0, 4),
        ),
        (
            {"event": "said", "name": "Bo", "words": "w", "text": "hi\x1b" + "x" * 300},
            Said("Bo", "w", "hi?" + "x" * 197),
        ),
        ({"event": "offer", "name": "Bo", "invite": "i"}, Offer("Bo", "i")),
        ({"event": "invite", "invite": "i"}, Invite("i")),
        ({"event": "applied", "step": 3, "seat": 1, "actions": [7, 8], "by": "autopilot"}, Applied(3, 1, (7, 8), True)),
        ({"event": "drawn", "step": 0, "randomness": "ab" * 32}, Drawn(0, b"\xab" * 32)),
        ({"event": "turn", "step": 4, "seats": [0, 2], "secret": True}, Turn(4, (0, 2), True)),
        ({"event": "back", "seat": 2}, Back(2)),
        (
            {"event": "changed", "step": 5, "out": [1], "back": [2], "rewind": 3, "adjourned": True},
            Changed(5, Change((1,), (2,), 3, True)),
        ),
        ({"event": "claimed", "seat": 1, "change": None}, Claimed(1, None)),
        (
            {"event": "claimed", "seat": 1, "change": {"out": [], "back": [], "rewind": None, "adjourned": False}},
            Claimed(1, Change((), (), None, False)),
        ),
        ({"event": "stalled", "seats": [1]}, Stalled((1,))),
        ({"event": "clock", "left": [30, 0], "running": [1]}, Clock((30, 0), (1,))),
        ({"event": "stand-in", "bot": "greedy"}, StandIn("greedy")),
        ({"event": "stand-in", "bot": None}, StandIn(None)),
        ({"event": "over", "file": "/m"}, Over("/m")),
        ({"event": "of a later version"}, None),
    ],
)
def test_decoded(message: object, event: Event | None) -> None:
    assert decode(json.dumps(message).encode()) == event


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"not json", "a line that is not JSON"),
        (b"\xff", "a line that is not JSON"),
        (b"[" * 100_000, "a line that is not JSON"),
        (b"[]", "an event that is no object"),
        (b"{}", "no text in 'event'"),
        (b'{"event":"away","seat":true}', "no whole number in 'seat'"),
        (b'{"event":"turn","step":1,"seats":0,"secret":false}', "no list in 'seats'"),
        (b'{"event":"turn","step":1,"seats":[0],"secret":0}', "neither true nor false in 'secret'"),
        (b'{"event":"drawn","step":1,"randomness":"xy"}', "randomness that is not hexadecimal"),
    ],
)
def test_strange_lines_are_named(line: bytes, reason: str) -> None:
    with pytest.raises(LocalError) as caught:
        decode(line)
    assert str(caught.value) == (
        f"The node said something this client does not understand ({reason}). Are both the same version?"
    )


def test_names_cannot_move_the_cursor() -> None:
    event = decode(json.dumps({**HELLO, "names": ["\x1b[2JAnn\n", "B\u202eo"]}).encode())
    assert isinstance(event, Hello)
    assert event.names == ("?[2JAnn?", "B?o")


TEXT = st.text("ab0\x1b", max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.sampled_from(
    sorted({*HELLO, "step", "seat", "actions", "randomness", "seats", "secret", "file", "text", "members", "invite"})
)


@given(
    kind=st.sampled_from(
        ["hello", "lobby", "applied", "drawn", "rewound", "turn", "away", "refused", "trouble", "over", "said", "offer"]
    ),
    fields=st.dictionaries(FIELDS, JSON),
)
def test_any_object_is_an_event_or_a_local_error(kind: str, fields: Mapping[str, object]) -> None:
    try:
        decode(json.dumps({**fields, "event": kind}).encode())
    except LocalError:
        return
