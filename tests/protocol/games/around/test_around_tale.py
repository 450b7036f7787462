"""The match in sentences, and the rulings players can ask for."""

import re
from importlib import resources

import pytest

from sunward_protocol.games.around.actions import TO_DEAL, WITHHELD
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.rulings import RULINGS, TOPICS
from sunward_protocol.games.around.state import OVER
from support.around_positions import BLUE, BUILTIN, act, draw, table, turned
from support.matches import Stream, at_random, play

WORDS = BUILTIN.words
NAMES = ["Ann", "Bob", "Cleo"]


def told(position: Position, text: str) -> str:
    seat = position.to_act()[0]
    before = position.encode()
    (action,) = WORDS.read(position, seat, text)
    sentence = WORDS.tell(position, seat, action, NAMES)
    assert position.encode() == before
    return sentence


def deal() -> Position:
    position = table("venus leaf smiley", deck="pluto", venus="red 1, blue 16")
    act(position, "trip venus")
    draw(position, 0)
    return position


@pytest.mark.parametrize(
    ("position", "text", "sentence"),
    [
        (table("venus leaf smiley"), "trip venus", "Ann travelled to Venus, to space 1."),
        (
            table("venus leaf smiley", venus="red 1, blue 2, red 4", hand=(0, 14, 14)),
            "trip venus back venus 4",
            "Ann took a token back from 4 on Venus and travelled to Venus, to space 8; Venus's 8: Ann +2, Bob +1.",
        ),
        (
            table("venus leaf smiley", venus="blue 128"),
            "trip venus",
            "Ann travelled to Venus, to space 256; Venus is finished.",
        ),
        (
            table("venus leaf smiley", venus="blue 32"),
            "trip venus",
            "Ann travelled to Venus, to space 64; passing the red circle makes the action of Ann free.",
        ),
        (
            table("venus leaf smiley", venus="blue 2, orange 16"),
            "trip venus",
            "Ann travelled to Venus, to space 32; Ann may choose a partner for a deal.",
        ),
        (
            table("venus leaf smiley", venus="blue 16"),
            "trip venus",
            "Ann travelled to Venus, to space 32; Ann makes a deal with Bob on venus.",
        ),
        (
            table("leaf venus smiley", leaf="red 3, blue 2"),
            "deed leaf",
            "Ann moved to 4 on leaf; Bob moved up to 3: Ann +3.",
        ),
        (
            table("leaf venus mars", finished="dollar smiley", leaf="red 6"),
            "deed leaf",
            "Ann moved to 7 on leaf; Leaf is finished; the match is over.",
        ),
        (
            table("leaf venus mars", leaf="red 7, blue 6"),
            "deed leaf",
            "Ann stayed on 7 on leaf; Bob moved up to 7: Ann +7; Leaf is finished.",
        ),
        (
            table("venus leaf smiley", venus="red 1, blue 2, red 8, orange 16", passed="venus:32 venus:circle"),
            "trip venus",
            "Ann travelled to Venus, to space 64; the one on 1 came home.",
        ),
        (
            table("venus leaf smiley", mercury="red 1", earth="red 1", mars="red 1", belt="red 1"),
            "trip venus",
            "Ann travelled to Venus, to space 1; all inner tracks: Ann +5.",
        ),
        (deal(), "deal renege", "Ann reneged."),
    ],
)
def test_an_action_is_told(position: Position, text: str, sentence: str) -> None:
    assert told(position, text) == sentence


def test_a_deal_is_told() -> None:
    position = table("venus leaf smiley", deck="pluto", venus="blue 2, orange 16")
    act(position, "trip venus")
    draw(position, 0)
    assert told(position, "partner blue") == "Ann names Bob; Ann makes a deal with Bob on venus."
    act(position, "partner blue", "deal renege")
    assert told(position, "deal cooperate") == "Bob cooperated; the deal pays Ann 2 and Bob 0."
    assert (
        WORDS.tell(position, BLUE, TO_DEAL | WITHHELD, NAMES)
        == "Bob did not reveal a choice; the deal pays Ann 2 and Bob 0."
    )


def test_a_free_action_belongs_to_whoever_made_the_trip() -> None:
    position = table(
        "mercury leaf smiley", seats=3, order=(1, 0, 2), deck="pluto", mercury="red 16", passed="mercury:8"
    )
    position.reached &= ~(4 << 3 * 0)  # as if a token had come and gone below the circle: it is still to come
    act(position, "trip mercury")
    draw(position, 0)
    act(position, "deal renege")
    assert told(position, "deal renege") == (
        "Bob reneged; the deal pays Ann 0 and Bob 0; passing the red circle makes the action of Bob free."
    )


def test_draws_are_told() -> None:
    assert WORDS.tell_draw(turned("venus", 1), NAMES) == "Venus was turned up at 2."
    assert WORDS.tell_draw(turned("leaf", 0, out=True), NAMES) == "Leaf was turned up, out of play, and left."
    assert WORDS.tell_draw((1, 7), NAMES) == "The discards were shuffled into a new deck of 7."
    assert WORDS.tell_draw((2, 2, 0, 1), NAMES) == "The turn order is Cleo, Ann, Bob."


def test_the_result_is_told_line_by_line() -> None:
    position = table("mars venus pluto", venus="red 1, red 4, blue 2", leaf="red 3, blue 5", dollar="blue 1")
    position.phase = OVER
    lines = WORDS.tell_result(position, NAMES)
    assert lines[1] == "Venus: Ann 10, Bob 3."
    assert lines[2] == "Earth: nobody."
    assert lines[10:] == [
        "Good deeds of Ann: 3 × 1 = 3.",
        "Good deeds of Bob: 5 × 2 = 10.",
        "Good deeds of Cleo: 0 × 0 = 0.",
        "Ann: 13 in all.",
        "Bob: 13 in all.",
        "Cleo: 0 in all.",
        "Ann and Bob share the win with 13.",
    ]


def said_to_gain(sentence: str, name: str) -> int:
    """Return the points that a sentence names for somebody."""
    deal = re.findall(rf"(?:pays|and) {name} (\d)", sentence)
    return sum(map(int, re.findall(rf"{name} \+(\d)", sentence) + deal))


def test_sentences_of_random_matches_name_every_point_and_end_with_a_full_stop() -> None:
    stream = Stream(5)
    position = BUILTIN.start(3, {})
    pick = at_random(stream)

    def choose(position: object, seat: int) -> int:
        assert isinstance(position, Position)
        action = pick(position, seat)
        sentence = WORDS.tell(position, seat, action, NAMES)
        assert re.fullmatch(r"(Ann|Bob|Cleo) [^.]*\.", sentence)
        after = position.copy()
        after.apply(seat, action)
        gains = [new - old for old, new in zip(position.scores, after.scores, strict=True)]
        assert [said_to_gain(sentence, name) for name in NAMES] == gains
        return action

    for step in play(position, stream, choose):
        for made in step.draws:
            assert WORDS.tell_draw(made, NAMES).endswith(".")


@pytest.mark.parametrize("topic", ["", *TOPICS, "R8", "d3"])
def test_every_topic_and_every_ruling_has_its_words(topic: str) -> None:
    assert re.match(r"[A-Z]\d+: ", WORDS.rules(topic))


def test_what_the_rules_do_not_know_is_said() -> None:
    assert WORDS.rules("dragons").startswith("There is nothing about 'dragons'. Ask for action, partner, deal")


def test_the_rulings_are_all_there_and_every_refusal_names_one() -> None:
    counts = {"C": 1, "S": 3, "M": 8, "T": 3, "R": 12, "D": 3, "G": 4, "E": 4}
    assert list(RULINGS) == [f"{letter}{number + 1}" for letter, count in counts.items() for number in range(count)]
    refusals = resources.files("sunward_protocol.games.around").joinpath("refusals.py").read_text("utf-8")
    assert {*re.findall(r'IllegalAction\("(\w+)"', refusals)} <= {*RULINGS}
