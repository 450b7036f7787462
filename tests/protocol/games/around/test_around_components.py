"""The component file: what is refused and how, canonical bytes, and that no figure of it stands in code."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from sunward_protocol.errors import BadComponents, LocalError
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.around.board import Board
from sunward_protocol.games.around.components import read
from support.around_positions import other_components
from support.matches import random_match

Document = dict[str, Any]
Change = Callable[[Document], object]


def builtin() -> Document:
    document: Document = json.loads(AROUND.builtin())
    return document


def refusal(data: bytes) -> str:
    with pytest.raises(BadComponents) as caught:
        AROUND.load(data, "box.json")
    return str(caught.value)


REFUSALS: list[tuple[Change, str]] = [
    (lambda d: d.pop("tokens"), "the file lacks 'tokens'"),
    (lambda d: d.update(moons=3), "the file has 'moons', which means nothing here"),
    (lambda d: d.update(tokens=16), "tokens must be an object with value, source"),
    (lambda d: d["tokens"].update(value="16"), "tokens must be a whole number"),
    (lambda d: d["tokens"].update(value=True), "tokens must be a whole number"),
    (lambda d: d["tokens"].update(value=16.0), "tokens must be a whole number"),
    (lambda d: d["tokens"].update(value=5), "tokens must be 6 to 64, not 5"),
    (lambda d: d["tokens"].update(source="guess"), "tokens.source must be one of fact, own"),
    (lambda d: d["tokens"].pop("source"), "tokens lacks 'source'"),
    (lambda d: d["row_cards"].update(value=1), "row_cards must be 2, not 1: every good deed has two cards"),
    (lambda d: d["row_spaces"].update(value=16), "row_spaces must be 2 to 15, not 16"),
    (lambda d: d["rows"].update(value=[]), "rows must be a list of 1 to 6 names"),
    (lambda d: d["rows"].update(value=["a b"]), "rows[0] must be a word of 1 to 12 letters a to z"),
    (lambda d: d["rows"].update(value=["leaf", "leaf"]), "tracks must not use the name 'leaf' twice"),
    (lambda d: d["places"].update(value=5), "places must be a list of 1 to 6 scores"),
    (lambda d: d["places"].update(value=[5, "3"]), "places[1] must be a whole number"),
    (lambda d: d["places"].update(value=[3, 5, 1]), "places must not pay a later place more than an earlier one"),
    (lambda d: d.update(tracks={}), "tracks must be a list of 2 to 16 tracks"),
    (lambda d: d.update(tracks=d["tracks"][:1]), "tracks must be a list of 2 to 16 tracks"),
    (lambda d: d.update(tracks=d["tracks"][:5]), "tracks must hold at least one outer track: R10 pays"),
    (lambda d: d["tracks"][3].pop("circle"), "tracks[3] lacks 'circle'"),
    (lambda d: d["tracks"][3].update(hidden=True), "tracks[3] has 'hidden', which means nothing here"),
    (lambda d: d["tracks"][3].update(name="Mars!"), "tracks[3].name must be a word of 1 to 12 letters a to z"),
    (lambda d: d["tracks"][3].update(name=["mars"]), "tracks[3].name must be a word of 1 to 12 letters a to z"),
    (lambda d: d["tracks"][3].update(name="venus"), "tracks must not use the name 'venus' twice"),
    (lambda d: d["tracks"][3].update(name="leaf"), "tracks must not use the name 'leaf' twice"),
    (lambda d: d["tracks"][3].update(group="middle"), "tracks[3] (mars).group must be one of inner, outer"),
    (lambda d: d["tracks"][3]["cards"].update(value=3), "tracks[3] (mars).cards must be 1 to 2, not 3: two cards make"),
    (lambda d: d["tracks"][3]["spaces"].update(value=17), "tracks[3] (mars).spaces must be 2 to 16, not 17"),
    (lambda d: d["tracks"][3]["circle"].update(value=100), "tracks[3] (mars).circle must be a space of the track"),
    (lambda d: d["tracks"][3]["circle"].update(value=1024), "tracks[3] (mars).circle must be 1 to 512, not 1024"),
    (lambda d: d["tracks"].append(7), "tracks[10] must be an object with name, group, cards, spaces, circle"),
]


@pytest.mark.parametrize(("change", "reason"), REFUSALS, ids=[reason for _, reason in REFUSALS])
def test_every_mistake_is_refused_with_file_entry_and_reason(change: Change, reason: str) -> None:
    document = builtin()
    change(document)
    assert refusal(json.dumps(document).encode()).startswith(f"box.json: {reason}")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "line 1 column 1 is not JSON"),
        (b'{"tokens": }', "line 1 column 12 is not JSON"),
        (b"[]", "the file must be an object with tokens"),
        (b"\xff", "byte 0 is not UTF-8"),
        (b'{"tokens": 1, "tokens": 2}', "the file gives 'tokens' twice in one object"),
        (b"[" * 100_000, "the file is nested too deeply"),
    ],
)
def test_what_is_no_component_file_at_all_is_refused(data: bytes, reason: str) -> None:
    assert refusal(data).startswith(f"box.json: {reason}")


def test_the_canonical_bytes_give_an_equal_ruleset_however_the_file_is_spelt() -> None:
    ruleset = AROUND.load(AROUND.builtin())
    assert AROUND.load(ruleset.components) == ruleset
    respelt = json.dumps(builtin(), indent=7, sort_keys=True).encode()
    assert AROUND.load(respelt) == ruleset
    assert AROUND.load(other_components()) != ruleset


def test_the_order_of_tracks_and_the_provenance_belong_to_the_components() -> None:
    document = builtin()
    document["tracks"].reverse()
    reordered = AROUND.load(json.dumps(document).encode())
    assert reordered != AROUND.load(AROUND.builtin())


def test_the_built_in_figures_are_those_of_the_rules_page() -> None:
    components = read(AROUND.builtin(), "builtin")
    assert [(track.name, track.group[0], track.cards, track.spaces, track.circle) for track in components.tracks] == [
        ("mercury", "i", 1, 7, 16),
        ("venus", "i", 1, 9, 64),
        ("earth", "i", 2, 11, 256),
        ("mars", "i", 2, 10, 128),
        ("belt", "i", 2, 11, 256),
        ("jupiter", "o", 1, 10, 128),
        ("saturn", "o", 1, 9, 64),
        ("uranus", "o", 1, 8, 32),
        ("neptune", "o", 1, 8, 32),
        ("pluto", "o", 1, 7, 16),
    ]
    assert (components.tokens, components.row_spaces, components.places) == (16, 7, (5, 3, 1))


def test_other_components_play_to_the_end() -> None:
    ruleset = AROUND.load(other_components())
    for seed in range(20):
        result = random_match(ruleset, 6, seed).result()
        assert result is not None
        assert len(result.scores) == 6


def test_a_long_file_of_every_limit_plays_too() -> None:
    document = builtin()
    longest = document["tracks"][2]
    document["tracks"] = [deepcopy(longest) for _ in range(16)]
    for index, track in enumerate(document["tracks"]):
        track.update(name="abcdefghijklmnop"[index], group=("inner", "outer")[index % 2])
        track["spaces"]["value"] = 16
        track["circle"]["value"] = 1 << index
    document["row_spaces"]["value"] = 15
    board = Board.of(read(json.dumps(document).encode(), "long"))
    assert board.last[0] == 1 << 15
    position = random_match(AROUND.load(json.dumps(document).encode()), 6, 1)
    assert position.result() is not None
    assert position.encode()


def test_seat_counts_and_options_the_game_does_not_have_are_refused() -> None:
    ruleset = AROUND.load(AROUND.builtin())
    for seats in (2, 7):
        with pytest.raises(LocalError, match=f"3 to 6 players, not {seats}"):
            ruleset.start(seats, {})
    with pytest.raises(LocalError, match="leave out tempo"):
        ruleset.start(3, {"tempo": "fast"})
