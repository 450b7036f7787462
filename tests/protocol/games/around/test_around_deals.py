"""D1 to D3: what a deal pays, when it is settled, and that withholding never pays."""

import pytest

from sunward_protocol.games.around.actions import COOPERATE, RENEGE, TO_DEAL, WITHHELD
from sunward_protocol.games.around.position import Position
from support.around_positions import BLUE, BUILTIN, ORANGE, RED, act, draw, options, refusal, table

JSON = BUILTIN.words.state_json


def open_deal(actions_left: int = 2) -> Position:
    """Red has gone from 32 to 64 on venus, which is the circle, and blue, on 2, is partner."""
    position = table("venus leaf smiley", deck="pluto", actions_left=actions_left, venus="red 1, blue 16")
    act(position, "trip venus")
    draw(position, 0)
    return position


@pytest.mark.parametrize(
    ("red", "blue", "scores"),
    [
        ("cooperate", "cooperate", [1, 1, 0]),
        ("renege", "cooperate", [2, 0, 0]),
        ("cooperate", "renege", [0, 2, 0]),
        ("renege", "renege", [0, 0, 0]),
    ],
)
def test_d1_payoffs(red: str, blue: str, scores: list[int]) -> None:
    position = open_deal()
    act(position, f"deal {red}", f"deal {blue}")
    assert position.scores == scores


def test_d1_both_choose_at_the_same_moment_and_the_lower_seat_is_applied_first() -> None:
    position = open_deal()
    before = JSON(position)
    assert position.secret
    assert position.to_act() == (RED, BLUE)
    assert position.legal(ORANGE) == []
    act(position, "deal renege")
    assert position.to_act() == (BLUE,)
    assert JSON(position) == before
    assert position.encode() != open_deal().encode()


def test_d2_the_partner_cannot_refuse() -> None:
    position = open_deal()
    assert options(position) == ["deal cooperate", "deal renege"]
    assert position.legal(BLUE) == position.legal(RED)


def test_d2_the_deal_is_settled_before_the_circle_and_the_bonus() -> None:
    inner = dict.fromkeys(["mercury", "earth", "mars", "belt"], "red 1")
    position = table("venus leaf smiley", deck="pluto", venus="blue 16", tokens=inner)
    act(position, "trip venus")
    draw(position, 0)
    assert position.scores == [0, 0, 0]
    act(position, "deal cooperate", "deal cooperate")
    assert position.scores == [6, 1, 0]


def test_d2_a_trip_past_the_circle_is_free_only_once_the_deal_is_settled() -> None:
    position = open_deal(actions_left=1)
    assert not position.reached >> 3 & 4
    act(position, "deal renege", "deal renege")
    assert position.reached >> 3 & 4
    assert position.actions_left == 1
    assert position.to_act() == (RED,)


@pytest.mark.parametrize(("withheld", "scores"), [([RED], [0, 2, 0]), ([BLUE], [2, 0, 0]), ([RED, BLUE], [0, 0, 0])])
def test_d3_whoever_fails_to_reveal_has_nothing_and_the_other_two(withheld: list[int], scores: list[int]) -> None:
    position = open_deal()
    position.withhold(withheld)
    assert position.scores == scores
    assert not position.secret


@pytest.mark.parametrize("revealed", [COOPERATE, RENEGE])
@pytest.mark.parametrize("absent", [RED, BLUE])
def test_d3_whatever_had_been_revealed(absent: int, revealed: int) -> None:
    choices = {RED: revealed, BLUE: revealed, absent: WITHHELD}
    position = open_deal()
    for seat in (RED, BLUE):
        position.apply(seat, TO_DEAL | choices[seat])
    assert position.scores == ([0, 2, 0] if absent == RED else [2, 0, 0])


def test_d3_a_choice_applied_before_the_other_was_withheld_makes_no_difference() -> None:
    position = open_deal()
    position.apply(RED, TO_DEAL | COOPERATE)
    position.withhold([BLUE])
    replayed = open_deal()
    replayed.apply(RED, TO_DEAL | RENEGE)
    replayed.apply(BLUE, TO_DEAL | WITHHELD)
    assert replayed.encode() == position.encode()


@pytest.mark.parametrize("partner", [COOPERATE, RENEGE, WITHHELD])
def test_d3_withholding_never_pays(partner: int) -> None:
    scores: list[int] = []
    for choice in (COOPERATE, RENEGE, WITHHELD):
        position = open_deal()
        position.apply(RED, TO_DEAL | choice)
        position.apply(BLUE, TO_DEAL | partner)
        scores.append(position.scores[RED])
    assert scores[2] <= min(scores[:2])


def test_d3_is_nobodys_choice() -> None:
    position = open_deal()
    assert refusal(position, RED, "partner blue").ruling == "D1"
    with pytest.raises(Exception, match="D3"):
        position.check(RED, TO_DEAL | WITHHELD)
