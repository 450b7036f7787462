"""Every illegal action names the ruling that forbids it; `check` refuses exactly what `legal` does not list."""

import pytest

from sunward_protocol.errors import IllegalAction
from sunward_protocol.games.around.actions import END, TO_DEAL, TO_PARTNER, WITHHELD, play, take_back
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.state import OVER
from support.around_positions import BLUE, BUILTIN, GREEN, ORANGE, RED, act, card, draw, refusal, table
from support.matches import Stream, at_random
from support.matches import play as matches


def refused(position: Position, seat: int, action: int) -> str:
    with pytest.raises(IllegalAction) as caught:
        position.check(seat, action)
    return str(caught.value)


def partners_turn() -> Position:
    position = table("venus leaf smiley", seats=4, deck="pluto", venus="blue 2, orange 16")
    act(position, "trip venus")
    draw(position, 0)
    return position


def deal() -> Position:
    position = partners_turn()
    act(position, "partner orange")
    return position


def finished() -> Position:
    position = table("venus leaf smiley")
    position.phase = OVER
    return position


def drawing() -> Position:
    position = table("venus leaf smiley")
    act(position, "trip venus")
    return position


@pytest.mark.parametrize(
    ("position", "seat", "ruling", "sentence"),
    [
        (table("venus leaf smiley"), BLUE, "T1", "It is not your turn: red is to act."),
        (table("venus leaf smiley"), 3, "T1", "There is no seat 3 at this table: the seats are 0 to 2."),
        (table("venus leaf smiley"), -1, "T1", "There is no seat -1 at this table: the seats are 0 to 2."),
        (drawing(), RED, "M8", "Cards are still being drawn: choose when the display has settled."),
        (finished(), RED, "E1", "The match is over: nothing more is played."),
        (partners_turn(), BLUE, "R8", "Red is choosing a partner for a deal: wait for your turn."),
        (deal(), BLUE, "D1", "Red and orange have a deal to settle first: you have no part in it."),
    ],
)
def test_a_seat_without_a_say(position: Position, seat: int, ruling: str, sentence: str) -> None:
    assert refused(position, seat, play(0, card("venus"))) == f"{sentence} ({ruling})"


def test_a_choice_made_in_a_deal_stands() -> None:
    position = deal()
    act(position, "deal renege")
    assert refusal(position, RED, "deal cooperate").sentence.startswith("You have made your choice in this deal")


@pytest.mark.parametrize(
    ("text", "ruling", "sentence"),
    [
        ("trip mars", "T1", "No Mars card is face up: an action is made with one of the three that are."),
        ("trip venus at 2", "T1", "Venus is face up at 1, not at 2."),
        ("trip pluto", "M7", "Pluto is finished: its cards are out of play."),
        ("trip venus back earth", "R1", "You have 12 in hand: a token is taken back only when there is none."),
        ("deed leaf", "G3", "Say whom you credit, as in 'deed leaf to blue': blue or green."),
        ("deed leaf to red", "G3", "You cannot credit yourself: it is a competitor who moves up."),
        ("deed leaf to orange", "G3", "Orange is not in last place among the others: credit blue or green."),
        ("deed leaf to pink", "G3", "Seat 5 has no token on the leaf row to move up."),
        ("deed smiley to blue", "G3", "The last place among the others is on the last space: nobody moves up."),
        ("deed smiley to orange", "G3", "Orange has no token on the smiley row to move up."),
        ("deed dollar", "T1", "No Dollar card is face up: an action is made with one of the three that are."),
        ("partner blue", "R8", "No partner is to be named now."),
        ("deal renege", "D1", "No deal is open."),
    ],
)
def test_an_action_with_a_token_in_hand(text: str, ruling: str, sentence: str) -> None:
    position = table(
        "venus leaf smiley",
        seats=4,
        pluto="blue 64",
        earth="red 4",
        leaf="red 1, blue 2, green 2, orange 3",
        smiley="blue 7",
    )
    found = refusal(position, RED, text)
    assert (found.ruling, found.sentence) == (ruling, sentence)


@pytest.mark.parametrize(
    ("text", "ruling", "sentence"),
    [
        ("trip venus", "R1", "You have no token in hand: name one to take back, as in 'trip venus back …'."),
        ("trip venus back mars", "R1", "You have no token on 1 of Mars to take back."),
        ("trip venus back earth 8", "R1", "You have no token on 8 of Earth to take back."),
        ("deed leaf", "G2", "You have no token in hand to begin the Leaf row with."),
    ],
)
def test_an_action_without_a_token_in_hand(text: str, ruling: str, sentence: str) -> None:
    position = table("venus leaf smiley", hand=(0, 14, 14), earth="red 4")
    found = refusal(position, RED, text)
    assert (found.ruling, found.sentence) == (ruling, sentence)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (TO_PARTNER | RED, "You cannot be your own partner: name another player. (R8)"),
        (TO_PARTNER | GREEN, "Green has no token on Venus: name one with a token below 32. (R8)"),
        (TO_PARTNER | 5, "There is no such seat to be your partner. (R8)"),
        (TO_PARTNER | 1 << 10 | BLUE, "There is no such seat to be your partner. (R8)"),
        (play(0, card("venus")), "Your trip calls for a deal: name your partner first. (R8)"),
        (TO_DEAL, "Your trip calls for a deal: name your partner first. (R8)"),
    ],
)
def test_a_partner(action: int, sentence: str) -> None:
    assert refused(partners_turn(), RED, action) == sentence


@pytest.mark.parametrize(
    ("action", "ruling"),
    [(TO_DEAL | WITHHELD, "D3"), (TO_DEAL | 3, "D1"), (TO_PARTNER | BLUE, "D1"), (play(0, card("venus")), "D1")],
)
def test_a_deal(action: int, ruling: str) -> None:
    assert refused(deal(), ORANGE, action).endswith(f"({ruling})")


@pytest.mark.parametrize("action", [-1, END, 1 << 63, -(1 << 70), play(3, card("venus")), play(0, 31)])
def test_integers_that_mean_nothing(action: int) -> None:
    assert refused(table("venus leaf smiley"), RED, action).endswith("(T1)")


def test_a_token_that_cannot_be_named() -> None:
    position = table("venus leaf smiley", hand=(0, 14, 14), earth="red 4")
    for argument in (take_back(12, 4), 1000):
        assert refused(position, RED, play(0, card("venus"), argument)) == "There is no such token to take back. (R1)"


def test_check_refuses_exactly_what_is_not_legal() -> None:
    for seats in (3, 6):
        stream = Stream(seats)
        for step in matches(BUILTIN.start(seats, {}), stream, at_random(stream)):
            position = step.after
            assert isinstance(position, Position)
            if stream.below(8):
                continue
            for seat in range(seats):
                legal = position.legal(seat)
                near = [action + change for action in legal for change in (-1, 1, 1 << 10, 1 << 15, 1 << 17)]
                for action in {*legal, *near, *(stream.below(END) for _ in range(40))}:
                    if action in legal:
                        position.check(seat, action)
                    else:
                        refused(position, seat, action)
