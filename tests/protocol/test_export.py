"""The export: its lines written out by hand, and whole matches retold by the naive engine."""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import count
from typing import TypeAlias, cast

import pytest

from sunward_node.bots.arena import play
from sunward_node.bots.random import Random
from sunward_protocol.audit import MatchFile, Turned
from sunward_protocol.draws import DrawStream
from sunward_protocol.export import Player, lines, lines_of_file
from sunward_protocol.games.catalog import find
from sunward_protocol.ledger import Move
from support import naive_around as naive
from support.around_positions import BOARD, BUILTIN, box
from support.match_files import played
from support.pebbles import CHALLENGE, HIGH, KEEP, LAY, LEAVE, LOW, PEBBLES, ROLL
from support.world import seed

Line: TypeAlias = dict[str, object]

COUNTS = [3, 4, 5, 6]


def luck(*wanted: tuple[int, int]) -> bytes:
    """Return randomness that answers so: (n, what `below(n)` is to be), in order."""

    def fits(randomness: bytes) -> bool:
        stream = DrawStream(randomness)
        return all(stream.below(n) == answer for n, answer in wanted)

    return next(randomness for number in count() if fits(randomness := seed(number)))


def parse(text: Sequence[str]) -> list[Line]:
    return [cast("Line", json.loads(line)) for line in text]


def arena_match(seats: int, number: int) -> tuple[Sequence[Turned], list[Line]]:
    turns = list(play(BUILTIN.start(seats, {}), [Random()] * seats, seed("match", seats, number)))
    return turns, parse(list(lines(BUILTIN, {}, [Player(f"p{seat}") for seat in range(seats)], turns)))


def test_a_match_of_pebbles_line_by_line() -> None:
    """Lay; roll a five, which seat 0 might grab and leaves to seat 1, who keeps it; a guess in secret, then the end."""
    turns = [
        Turned(0, (), luck((2, 0))),
        Turned(1, (Move(0, LAY),), None),
        Turned(2, (Move(1, ROLL),), luck((6, 4))),
        Turned(3, (Move(0, LEAVE),), None),
        Turned(4, (Move(1, KEEP),), None),
        Turned(5, (Move(0, CHALLENGE),), None),
        Turned(6, (), None),  # the commitments
        Turned(7, (Move(0, LOW), Move(1, HIGH)), None),
        Turned(8, (), None),  # all sign for the result
    ]
    rules = blake2b(b"\0\0\0\1" + b"3", digest_size=32, person=b"sunward rules").hexdigest()
    ann, bob = f'{{"seat":0,"name":"Ann","key":"{"01" * 32}"}}', f'{{"seat":1,"name":"Bö","key":"{"00" * 32}"}}'
    header = f'{{"format":"sunward-match/1","game":"pebbles","ruleset":"{rules}","players":[{ann},{bob}],'
    # encoded: pebbles by seat, turns left, chance allowed, whose turn, phase, what lies there, draws due, first guess
    assert list(lines(PEBBLES.load(b"3"), {"chance": "yes"}, [Player("Ann", b"\1" * 32), Player("Bö")], turns)) == [
        header + '"options":{"chance":"yes"},"components":{}}',
        line(0, "null", "chance", "null", '[{"drawn":[0]}]', "0,0,3,1,0,0,0,0,0"),
        line(1, "0", "player", '{"type":"lay"}', "[]", "1,0,2,1,1,0,0,0,0"),
        line(2, "1", "player", '{"type":"roll"}', '[{"drawn":[5]}]', "1,0,2,1,1,1,5,0,0"),
        line(3, "0", "player", '{"type":"leave"}', "[]", "1,0,2,1,1,2,5,0,0"),
        line(4, "1", "player", '{"type":"keep"}', "[]", "1,5,1,1,0,0,0,0,0"),
        line(5, "0", "player", '{"type":"challenge"}', "[]", "1,5,1,1,0,3,0,0,0"),
        line(6, "0", "player", '{"type":"low"}', "[]", f"1,5,1,1,0,3,0,0,{LOW}"),
        line(7, "1", "player", '{"type":"high"}', "[]", "1,7,0,1,1,4,0,0,0"),
        '{"result":{"scores":[1,7],"winners":[1]}}',
    ]


def line(step: int, seat: str, by: str, action: str, draws: str, encoded: str) -> str:
    return (
        f'{{"step":{step},"seat":{seat},"by":"{by}","action":{action},"draws":{draws},'
        f'"state":{{"encoded":"{encoded}"}}}}'
    )


def test_the_first_lines_of_once_around_the_sun() -> None:
    """Venus (the second of the thirteen that are no Hidden Agenda) is turned up first, then dollar and pluto.

    Seat 1 begins and travels to Venus, whose place Mercury takes. Of the sorted deck those are the indices given.
    """
    set_up = luck((13, 1), (18, 12), (17, 11), (3, 1), (2, 0))
    turns = [Turned(0, (), set_up), Turned(1, (Move(1, 1 << 10),), luck((16, 0)))]
    header, first, second = parse(list(lines(BUILTIN, {}, [Player(name) for name in "abc"], turns)))
    assert list(header) == ["format", "game", "ruleset", "players", "options", "components"]
    assert (header["game"], header["options"]) == ("once-around-the-sun", {})
    nothing = {"eight": False, "thirty_two": False, "circle": False}
    empty: Mapping[str, list[list[int]]] = {name: [] for name in BOARD.names[: BOARD.tracks]}
    state: Line = {
        "round": 1,
        "order": [1, 0, 2],
        "turn": 0,
        "actions_left": 2,
        "phase": "action",
        "display": ["venus", "dollar", "pluto"],
        "deck": 16,
        "discards": [],
        "out_of_play": [],
        "tracks": empty,
        "rows": {"dollar": [], "smiley": [], "leaf": []},
        "tokens": [14, 14, 14],
        "scores": [0, 0, 0],
        "inner_bonus": [False] * 3,
        "outer_bonus": [False] * 3,
        "milestones": dict.fromkeys(empty, nothing),
        "deal": None,
    }
    turned = [("venus", 0), ("dollar", 1), ("pluto", 2)]
    draws: list[Mapping[str, object]] = [
        {"card": card, "position": position, "taken_away": False} for card, position in turned
    ]
    assert first == {
        "step": 0,
        "seat": None,
        "by": "chance",
        "action": None,
        "draws": [*draws, {"order": [1, 0, 2]}],
        "state": state,
    }
    assert list(first) == ["step", "seat", "by", "action", "draws", "state"]
    state |= {
        "actions_left": 1,
        "display": ["mercury", "dollar", "pluto"],
        "deck": 15,
        "discards": ["venus"],
        "tracks": {**empty, "venus": [[1, 1]]},
        "tokens": [14, 13, 14],
    }
    trip = {"type": "trip", "destination": "venus", "position": 0, "take_back": None, "take_back_space": None}
    drawn = [{"card": "mercury", "position": 0, "taken_away": False}]
    assert second == {"step": 1, "seat": 1, "by": "player", "action": trip, "draws": drawn, "state": state}


@pytest.mark.parametrize("seats", COUNTS)
def test_steps_are_counted_and_the_first_half_of_a_deal_changes_nothing(seats: int) -> None:
    _, (_, *steps, last) = arena_match(seats, 0)
    assert [step["step"] for step in steps] == list(range(len(steps)))
    assert [step["by"] for step in steps] == ["chance"] + ["player"] * (len(steps) - 1)
    assert list(last) == ["result"]
    halves = [
        (before, step, after)
        for before, step, after in zip(steps, steps[1:], steps[2:], strict=False)
        if all("choice" in cast("Line", line["action"]) for line in (step, after))
    ]
    assert halves
    for before, step, after in halves:
        assert (step["state"], step["draws"]) == (before["state"], [])
        assert step["seat"] < after["seat"]  # type: ignore[operator]  # seats of players are numbers


def test_a_seat_s_draws_stand_behind_the_last_of_its_choices() -> None:
    """With an empty deck a trip draws nothing, and the partner is named in the same turn."""
    matches = (arena_match(4, number) for number in count())
    turns, steps = next((turns, steps) for turns, steps in matches if any(map(has_two_choices, turns)))
    numbers = count(1)
    by_turn = [(turn, [steps[next(numbers) + 1] for _ in turn.moves]) for turn in turns]
    together = [told for turn, told in by_turn if has_two_choices(turn)]
    assert together
    for first, second in together:
        assert first["draws"] == []
        assert cast("Line", second["action"])["type"] == "partner"


def has_two_choices(turn: Turned) -> bool:
    return len(turn.moves) == 2 and turn.moves[0].seat == turn.moves[1].seat


class Told:
    """A fate that repeats what the export says chance decided."""

    def __init__(self, draws: object) -> None:
        self.left = [draw for draw in cast("list[Line]", draws) if "reshuffle" not in draw]

    def card(self, deck: list[str]) -> str:
        card = cast("str", self.left.pop(0)["card"])
        assert card in deck
        return card

    def order(self, seats: int) -> list[int]:
        return cast("list[int]", self.left.pop(0)["order"])


@pytest.mark.parametrize("seats", COUNTS)
def test_the_naive_engine_retells_exported_matches(seats: int) -> None:
    for number in range(10):
        retell(seats, arena_match(seats, number)[1])


def test_the_naive_engine_retells_a_match_file() -> None:
    retell(3, parse(list(lines_of_file(MatchFile(played(), find)))))


def retell(seats: int, exported: Sequence[Line]) -> None:
    _, set_up, *steps, last = exported
    fate = Told(set_up["draws"])
    table = naive.start(box(BOARD), seats, fate)
    assert (table.state(), table.draws) == (set_up["state"], set_up["draws"])
    for step in steps:
        fate = Told(step["draws"])
        table = naive.step(table, cast("int", step["seat"]), cast("naive.Record", step["action"]), fate)
        assert not fate.left
        assert (table.state(), table.draws) == (step["state"], step["draws"])
    scores = table.final_scores()
    winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
    assert last == {"result": {"scores": scores, "winners": winners}}


def test_a_match_file_names_players_by_seat() -> None:
    match = MatchFile(played(), find)
    header, *_, last = parse(list(lines_of_file(match)))
    members = [match.genesis.members[place] for place in match.ledger.place_of]
    assert [member.name for member in members] != [member.name for member in match.genesis.members]
    assert header["players"] == [
        {"seat": seat, "name": member.name, "key": member.identity.hex()} for seat, member in enumerate(members)
    ]
    assert "result" in last


@pytest.mark.parametrize("records", [1, 2, 30])
def test_an_unfinished_match_ends_without_a_result(records: int) -> None:
    """Of the opening alone there is but a header; the set-up's entry is the first step."""
    found = parse(list(lines_of_file(MatchFile(played()[:records], find))))
    assert "result" not in found[-1]
    assert [line["step"] for line in found[1:]] == list(range(len(found) - 1))
    assert (len(found) == 1) == (records == 1)
