"""T1 to T3 and R1 to R12: turns and trips, each ruling worked out by hand, and the worked example of the rules."""

import pytest

from sunward_protocol.games.around.cards import ORDERED
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.scoring import places
from sunward_protocol.games.around.state import ACTION, DEAL, PARTNER
from sunward_protocol.games.game import Draw, Seat
from support.around_positions import BLUE, ORANGE, RED, act, card, draw, on, options, refusal, table

VENUS = card("venus")


def travel_to_venus(position: Position, seat: Seat) -> None:
    """Let a seat go to venus whoever's turn it is; the deck being empty, its card comes back by M2."""
    position.turn, position.actions_left = seat, 2
    act(position, "trip venus")
    if position.chance_due():
        draw(position, 0)


def order_in(draws: list[Draw]) -> list[Draw]:
    return [made for made in draws if made[0] == ORDERED]


def test_t1_each_player_has_two_actions_and_none_may_be_declined() -> None:
    position = table("venus mars leaf", order=(1, 0, 2), deck="pluto saturn uranus")
    assert options(position) == ["trip venus", "trip mars", "deed leaf"]
    act(position, "trip venus")
    draw(position, 0)
    assert position.to_act() == (BLUE,)
    assert position.actions_left == 1
    act(position, "deed leaf")
    draw(position, 0)
    assert position.to_act() == (RED,)
    assert position.actions_left == 2


def test_t2_when_all_have_played_a_new_order_is_drawn() -> None:
    position = table("venus mars leaf", turn=2, actions_left=1, deck="pluto")
    act(position, "trip venus")
    assert order_in(draw(position, 0, 2, 0, 0)) == [(ORDERED, ORANGE, RED, BLUE)]
    assert position.round == 2
    assert position.to_act() == (ORANGE,)


def test_t3_free_actions_do_not_count_and_may_chain() -> None:
    # The circle is at 64 on venus and saturn; red goes to 64 on both.
    position = table("venus saturn leaf", actions_left=1, deck="pluto uranus", venus="blue 32", saturn="orange 32")
    act(position, "trip venus")
    draw(position, 0)
    act(position, "trip saturn")
    draw(position, 0)
    assert position.to_act() == (RED,)
    assert position.actions_left == 1


def test_r1_without_a_token_in_hand_one_is_taken_back_first() -> None:
    position = table("venus leaf smiley", hand=(0, 14, 14), mars="red 1", earth="red 4, red 16")
    assert options(position) == ["trip venus back earth 4", "trip venus back earth 16", "trip venus back mars"]
    act(position, "trip venus back mars")
    assert on(position, "mars") == ""
    assert on(position, "venus") == "red 1"
    assert position.hand[RED] == 0


def test_r1_the_token_may_come_from_the_destination_itself() -> None:
    position = table("venus leaf smiley", hand=(0, 14, 14), venus="red 1, blue 2, red 4")
    act(position, "trip venus back venus 4")
    # Red's 4 is gone, so blue's 2 is the highest: red lands on 4 and, with 1 still there, goes on to 8.
    assert on(position, "venus") == "red 1, blue 2, red 8"


def test_r1_with_a_token_in_hand_none_is_taken_back() -> None:
    position = table("venus leaf smiley", mars="red 1")
    assert refusal(position, RED, "trip venus back mars").ruling == "R1"


def test_r2_on_an_empty_track_the_token_goes_on_1() -> None:
    position = table("venus leaf smiley")
    act(position, "trip venus")
    assert on(position, "venus") == "red 1"


def test_r3_else_on_the_space_after_the_highest_one_taken() -> None:
    position = table("venus leaf smiley", venus="blue 1, orange 4")
    act(position, "trip venus")
    assert on(position, "venus") == "blue 1, orange 4, red 8"


def test_r4_a_second_token_moves_one_space_further() -> None:
    position = table("venus leaf smiley", venus="red 1, blue 2")
    act(position, "trip venus")
    assert on(position, "venus") == "red 1, blue 2, red 8"


def test_r4_on_the_last_space_it_stays() -> None:
    position = table("mercury leaf smiley", mercury="red 1, blue 32")
    act(position, "trip mercury")
    assert on(position, "mercury") == "red 1, blue 32, red 64"


def test_r5_lowest_of_three_goes_back() -> None:
    position = table("earth leaf smiley", earth="red 2, red 8, blue 16", passed="earth:32")
    act(position, "trip earth")
    # 32 by R3, 64 by R4; of 2, 8 and 64 the 2 goes back, so the hand is as full as it was.
    assert on(position, "earth") == "red 8, blue 16, red 64"
    assert position.hand[RED] == 12


def test_r6_a_token_on_the_last_space_finishes_the_track() -> None:
    position = table("earth leaf smiley", earth="blue 512", deck="earth pluto")
    act(position, "trip earth")
    assert position.finished == 1 << card("earth")
    draw(position, 0, 0)
    assert position.deck == []
    assert position.discards == 0


def test_r7_the_first_token_on_or_past_8_pays_everybody_up_to_8() -> None:
    position = table("venus leaf smiley", venus="red 1, blue 2, orange 4")
    act(position, "trip venus")
    # Red ends on 16: its token on 1 scores, and so do blue and orange, but not the one on 16.
    assert position.scores == [1, 1, 1]


def test_r7_the_token_that_triggers_it_scores_on_8_itself() -> None:
    position = table("venus leaf smiley", venus="blue 1, blue 4")
    act(position, "trip venus")
    assert position.scores == [1, 2, 0]


def test_r7_comes_after_the_lowest_of_three_has_gone_back() -> None:
    position = table("venus leaf smiley", venus="red 1, red 4")
    act(position, "trip venus")
    # 8, then 16; the 1 goes back, so only the 4 is left at or below 8.
    assert position.scores == [1, 0, 0]


def test_r8_the_first_token_on_or_past_32_calls_for_a_deal() -> None:
    position = table("venus leaf smiley", deck="pluto", venus="blue 2, orange 16")
    act(position, "trip venus")
    draw(position, 0)
    assert position.phase == PARTNER
    assert position.to_act() == (RED,)
    assert options(position) == ["partner blue", "partner orange"]


def test_r8_the_only_one_is_partner_without_asking() -> None:
    position = table("venus leaf smiley", deck="pluto", venus="red 1, orange 16")
    act(position, "trip venus")
    assert not position.secret
    draw(position, 0)
    assert position.phase == DEAL
    assert position.secret
    assert position.to_act() == (RED, ORANGE)


def test_r8_with_nobody_below_32_there_is_no_deal() -> None:
    position = table("earth leaf smiley", deck="pluto", earth="red 4, red 16")
    act(position, "trip earth")
    draw(position, 0)
    assert on(position, "earth") == "red 16, red 64"
    assert position.phase == ACTION
    assert position.actions_left == 1


def test_r9_the_first_token_on_or_past_the_circle_makes_the_action_free() -> None:
    position = table("venus leaf smiley", venus="blue 32")
    act(position, "trip venus")
    assert on(position, "venus") == "blue 32, red 64"
    assert position.actions_left == 2


@pytest.mark.parametrize("group", ["mercury venus earth mars belt", "jupiter saturn uranus neptune pluto"])
def test_r10_the_first_time_on_all_of_a_group_scores_5(group: str) -> None:
    first, *others = group.split()
    position = table(f"{first} leaf smiley", tokens=dict.fromkeys(others, "red 1"))
    act(position, f"trip {first}")
    assert position.scores == [5, 0, 0]


def test_r10_is_scored_once() -> None:
    inner = dict.fromkeys(["mercury", "venus", "earth", "mars"], "red 1")
    position = table("belt saturn leaf", hand=(1, 14, 14), deck="belt pluto", tokens=inner)
    act(position, "trip belt")
    draw(position, 0)
    assert position.scores == [5, 0, 0]
    act(position, "trip saturn back belt")
    draw(position, 0)
    assert on(position, "belt") == ""
    position.turn = 0
    act(position, "trip belt back saturn")
    assert on(position, "belt") == "red 1"
    assert position.scores == [5, 0, 0]


def test_r11_nothing_is_spent_twice_whatever_is_taken_back() -> None:
    # 8, 32 and the circle have all been passed, and the tokens that did it are gone.
    position = table("venus leaf smiley", venus="blue 2, orange 32", passed="venus:8 venus:32 venus:circle")
    act(position, "trip venus")
    assert on(position, "venus") == "blue 2, orange 32, red 64"
    assert position.scores == [0, 0, 0]
    assert position.phase == ACTION
    assert position.actions_left == 1


def test_r12_one_token_a_space_and_two_a_player() -> None:
    position = table("venus leaf smiley", deck="")
    for _ in range(3):
        travel_to_venus(position, RED)
    # 1, then 2 → 4, then 8 → 16 with the 1 going back.
    assert on(position, "venus") == "red 4, red 16"


def test_the_worked_example() -> None:
    position = table("venus leaf smiley", deck="")
    travel_to_venus(position, RED)
    travel_to_venus(position, BLUE)
    travel_to_venus(position, RED)
    assert on(position, "venus") == "red 1, blue 2, red 8"
    assert position.scores == [2, 1, 0]
    travel_to_venus(position, ORANGE)
    travel_to_venus(position, RED)
    assert on(position, "venus") == "blue 2, red 8, orange 16, red 64"
    assert options(position) == ["partner blue", "partner orange"]
    act(position, "partner blue", "deal renege", "deal renege")
    assert position.actions_left == 2
    assert position.scores == [2, 1, 0]
    assert places(position, VENUS) == [(RED, 10), (ORANGE, 3), (BLUE, 1)]
