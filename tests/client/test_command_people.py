"""`sunward people`: who was met, what they are called here, and keys that are named by their words."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import pytest

from sunward.__main__ import main
from sunward.exits import Exit
from sunward_node.places import Places
from sunward_node.seat import MATCH_FILE, MATCH_NAME, folder_name
from sunward_node.store import RecordFile
from sunward_node.words import short_words
from sunward_protocol.domains import Purpose
from sunward_protocol.genesis import Genesis, delegate
from sunward_protocol.messages import Member
from sunward_protocol.records import write_opening
from support.world import HashSigner, seed

ME, ANN, BOB, BOT = (seed("person", number) for number in range(4))
TWIN, OTHER_TWIN = (number.to_bytes(32, "big") for number in (146987, 149154))
"""Two keys with the same four words, found by trying 150,000."""


class Told(TypedDict):
    """One person as --json tells of them."""

    key: str
    words: str
    known: str | None
    names: list[str]
    matches: list[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    return tmp_path


def member(key: bytes, name: str) -> Member:
    return delegate(HashSigner(key), seed("table"), name, key, key, key, 64)


def meet(home: Path, number: int, *others: Member) -> str:
    """Leave the file of a match of mine with these others, and return the match's id."""
    members = (member(ME, "me"), *others)
    genesis = Genesis(seed("table", number), "pebbles", 1, (), b"6", (), 64, (), members)
    folder = Places.find({"SUNWARD_HOME": str(home)}).match(genesis.match) / folder_name(members[0].identity)
    folder.mkdir(parents=True)
    with RecordFile.open(folder / MATCH_NAME, MATCH_FILE) as file:
        file.append([write_opening(genesis, [HashSigner(each.identity).sign(Purpose.SEAL, b"") for each in members])])
    return genesis.match.hex()


def people(capsys: pytest.CaptureFixture[str], *arguments: str) -> Sequence[Told]:
    assert main(["people", *arguments, "--json"]) == Exit.OK
    told: list[Told] = json.loads(capsys.readouterr().out)
    return told


def test_those_met_are_listed_and_neither_bots_nor_oneself(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = owned(member(BOT, "greedy"), ANN)
    match = meet(home, 1, member(ANN, "annie"), bot)
    assert people(capsys) == [
        {"key": ANN.hex(), "words": short_words(ANN), "known": None, "names": ["annie"], "matches": [match]}
    ]
    assert main(["people"]) == Exit.OK
    assert capsys.readouterr().out.split() == ["-", short_words(ANN), "annie", "in", match[:12]]


def owned(bot: Member, owner: bytes) -> Member:
    return bot._replace(owner=owner, ownership=HashSigner(owner).sign(Purpose.OWNERSHIP, bot.identity))


def test_one_person_in_two_matches_stands_there_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    matches = {meet(home, 1, member(ANN, "annie")), meet(home, 2, member(ANN, "queen"), member(BOB, "bob"))}
    told = {person["key"]: person for person in people(capsys, "list")}
    assert set(told) == {ANN.hex(), BOB.hex()}
    assert sorted(told[ANN.hex()]["names"]) == ["annie", "queen"]
    assert set(told[ANN.hex()]["matches"]) == matches


def test_a_name_is_given_by_the_words_changed_and_forgotten(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    meet(home, 1, member(ANN, "annie"))
    assert [person["known"] for person in people(capsys, "name", "Ann", short_words(ANN).upper())] == ["Ann"]
    assert [person["known"] for person in people(capsys, "rename", "ann", "Ann B.")] == ["Ann B."]
    assert main(["people"]) == Exit.OK
    assert capsys.readouterr().out.startswith("Ann B.  ")
    assert people(capsys, "forget", "Ann B.") == []
    assert [person["known"] for person in people(capsys)] == [None]


def test_whoever_was_not_met_is_named_by_the_key(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people(capsys, "name", "Bob", BOB.hex())
    assert main(["people"]) == Exit.OK
    assert capsys.readouterr().out.split() == ["Bob", short_words(BOB), "in", "no", "match", "here"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("name", "Ann", "no-such-words-here"), "Nobody whom you met in a match here has the words"),
        (("name", "Ann", short_words(TWIN)), "2 keys have the words"),
        (("name", "Ann"), "It is `sunward people name NAME WORDS-or-KEY`, with quotes"),
        (("list", "Ann"), "It is `sunward people list`, with quotes"),
        (("rename", "Ann", "Bob"), "There is no 'Ann' in your address book"),
        (("forget", "Ann"), "There is no 'Ann' in your address book"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    arguments: Sequence[str], said: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meet(home, 1, member(TWIN, "annie"), member(OTHER_TWIN, "annie"))
    assert main(["people", *arguments]) == (Exit.USAGE if said.startswith("It is ") else Exit.LOCAL)
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert not (home / "config" / "people.toml").exists()


def test_a_damaged_file_hides_nobody_of_the_other_matches(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = meet(home, 1, member(ANN, "annie"))
    meet(home, 2, member(BOB, "bob"))
    next((home / "data" / "matches" / broken).glob(f"*/{MATCH_NAME}")).write_bytes(b"no match at all")
    assert [person["key"] for person in people(capsys)] == [BOB.hex()]
