"""Typed actions: what they look like, that they come back as they were, and what is said of what cannot be read."""

import pytest

from sunward_protocol.errors import UnreadableAction
from sunward_protocol.games.around.actions import TO_DEAL, play
from support.around_positions import BLUE, BUILTIN, RED, act, card, draw, options, table
from support.matches import Stream, at_random
from support.matches import play as matches

WORDS = BUILTIN.words


def test_actions_are_written_as_short_as_they_can_be_read() -> None:
    position = table("venus leaf leaf", seats=4, leaf="blue 2, green 2")
    assert options(position) == [
        "trip venus",
        "deed leaf to blue",
        "deed leaf to green",
        "deed leaf at 3 to blue",
        "deed leaf at 3 to green",
    ]
    position = table("venus leaf leaf", seats=4, leaf="blue 2", hand=(0, 9, 9, 9), mars="red 1, red 4", earth="red 8")
    assert options(position) == ["trip venus back earth", "trip venus back mars 1", "trip venus back mars 4"]


def test_what_may_be_left_out_may_be_said() -> None:
    position = table("leaf venus smiley", leaf="blue 2")
    for text in ("deed leaf", "DEED  Leaf at 1", " deed leaf to blue ", "deed leaf at 1 to blue"):
        assert WORDS.read(position, RED, text) == (play(0, card("leaf"), 1 + BLUE),)


def test_every_legal_action_of_random_matches_comes_back_as_it_was() -> None:
    for seats in (3, 4, 6):
        stream = Stream(seats)
        for step in matches(BUILTIN.start(seats, {}), stream, at_random(stream)):
            position = step.after
            for seat in position.to_act():
                legal = position.legal(seat)
                texts = [WORDS.write(position, seat, action) for action in legal]
                assert [WORDS.read(position, seat, text) for text in texts] == [(action,) for action in legal]
                assert WORDS.complete(position, seat, "") == texts


def test_completion_keeps_to_legal_actions() -> None:
    position = table("venus leaf smiley", seats=4, leaf="blue 2, green 2")
    assert WORDS.complete(position, RED, "DEED  l") == ["deed leaf to blue", "deed leaf to green"]
    assert WORDS.complete(position, RED, "deed ") == ["deed leaf to blue", "deed leaf to green", "deed smiley"]
    assert WORDS.complete(position, RED, "trip m") == []
    assert WORDS.complete(position, BLUE, "") == []


def test_what_is_not_legal_can_be_read() -> None:
    position = table("venus leaf smiley")
    assert WORDS.read(position, RED, "trip pluto") == (play(0, card("pluto")),)
    assert WORDS.read(position, BLUE, "deal renege") == (TO_DEAL | 1,)


def test_names_may_be_cut_short_while_only_one_begins_so() -> None:
    position = table("venus leaf smiley", leaf="blue 2")
    assert WORDS.read(position, RED, "trip ju") == (play(0, card("jupiter")),)
    assert WORDS.read(position, RED, "deed l to blu") == (play(1, card("leaf"), 1 + BLUE),)
    assert WORDS.read(position, RED, "deal co-operate") == WORDS.read(position, RED, "deal c") == (TO_DEAL,)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("trip m", "'trip …' needs a track, not 'm': mercury, mars."),
        ("", "'' is no action: begin with trip, deed, partner or deal."),
        ("fly venus", "'fly' is no action: begin with trip, deed, partner or deal."),
        ("deed", "'deed …' needs a good deed: dollar, smiley, leaf."),
        ("deed venus", "'deed …' needs a good deed, not 'venus': dollar, smiley, leaf."),
        ("trip venus at 4", "'trip …' needs a position, not '4': 1, 2, 3."),
        ("trip venus back earth 3", "'trip …' needs a space, not '3': 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024."),
        ("trip venus back mars", "You have two tokens on mars: add 1 or 4."),
        ("partner white", "'partner …' needs a colour, not 'white': red, blue, orange, green, black, pink."),
        ("deal withheld", "'deal …' needs a choice, not 'withheld': cooperate, renege."),
        ("deal renege now", "'now' is left over: see 'rules action' for what can be typed."),
    ],
)
def test_what_cannot_be_read_is_answered_with_what_can(text: str, sentence: str) -> None:
    position = table("venus leaf smiley", hand=(0, 14, 14), mars="red 1, red 4")
    with pytest.raises(UnreadableAction) as caught:
        WORDS.read(position, RED, text)
    assert str(caught.value) == sentence


def test_a_partner_and_a_deal_are_written() -> None:
    position = table("venus leaf smiley", deck="pluto", venus="blue 2, orange 16")
    act(position, "trip venus")
    draw(position, 0)
    assert options(position) == ["partner blue", "partner orange"]
    act(position, "partner blue")
    assert options(position) == ["deal cooperate", "deal renege"]
