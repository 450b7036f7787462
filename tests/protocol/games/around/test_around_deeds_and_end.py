"""G1 to G4 and E1 to E4: good deeds, the end, and the final scoring, each ruling worked out by hand."""

from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.scoring import good_deeds, places, standings
from sunward_protocol.games.around.state import DEAL, OVER
from support.around_positions import BLUE, GREEN, ORANGE, RED, act, card, draw, on, options, table

ALL_BUT_MERCURY = "venus earth mars belt jupiter saturn uranus neptune pluto"


def test_g1_a_token_on_the_row_moves_up_one() -> None:
    position = table("leaf venus mars", leaf="red 3")
    act(position, "deed leaf")
    assert on(position, "leaf") == "red 4"
    assert position.hand[RED] == 13


def test_g1_on_the_last_space_it_stays() -> None:
    # Blue pushed red on to 7: the row is not finished, red's own deed there finishes it.
    position = table("leaf venus mars", leaf="red 7")
    act(position, "deed leaf")
    assert on(position, "leaf") == "red 7"
    assert position.finished == 1 << card("leaf")


def test_g2_else_one_is_placed_on_1() -> None:
    position = table("leaf venus mars")
    act(position, "deed leaf")
    assert on(position, "leaf") == "red 1"
    assert position.hand[RED] == 13


def test_g2_without_a_token_in_hand_the_deed_cannot_be_chosen() -> None:
    position = table("leaf smiley venus", hand=(0, 14, 14), leaf="red 2", mars="red 1")
    assert options(position) == ["deed leaf", "trip venus back mars"]


def test_g3_the_competitor_in_last_place_moves_up_and_the_space_is_scored() -> None:
    position = table("leaf venus mars", leaf="blue 2, orange 4")
    act(position, "deed leaf")
    assert on(position, "leaf") == "red 1, blue 3, orange 4"
    assert position.scores == [3, 0, 0]


def test_g3_last_place_is_among_the_others() -> None:
    # Red itself is further back, which does not matter.
    position = table("leaf venus mars", leaf="red 1, blue 5")
    act(position, "deed leaf")
    assert on(position, "leaf") == "red 2, blue 6"
    assert position.scores == [6, 0, 0]


def test_g3_among_tied_last_places_the_active_player_chooses() -> None:
    position = table("leaf venus mars", seats=4, leaf="blue 2, orange 4, green 2")
    assert options(position)[:2] == ["deed leaf to blue", "deed leaf to green"]
    act(position, "deed leaf to green")
    assert on(position, "leaf") == "red 1, blue 2, orange 4, green 3"
    assert position.scores[RED] == 3
    assert position.scores[GREEN] == 0


def test_g3_from_the_last_space_nobody_moves_and_nothing_is_scored() -> None:
    position = table("leaf venus mars", leaf="blue 7")
    act(position, "deed leaf")
    assert on(position, "leaf") == "red 1, blue 7"
    assert position.scores == [0, 0, 0]


def test_g4_the_own_token_on_the_last_space_finishes_the_row() -> None:
    position = table("leaf venus mars", deck="leaf pluto", leaf="red 6, blue 3")
    act(position, "deed leaf")
    assert position.finished == 1 << card("leaf")
    draw(position, 1, 0)
    assert position.discards == 0


def test_g4_a_competitor_pushed_on_to_it_does_not() -> None:
    position = table("leaf venus mars", leaf="red 2, blue 6")
    act(position, "deed leaf")
    assert on(position, "leaf") == "red 3, blue 7"
    assert position.scores == [7, 0, 0]
    assert position.finished == 0


def test_g4_both_cards_of_a_row_may_be_used_and_either_position_is_legal() -> None:
    position = table("leaf venus leaf")
    assert options(position) == ["deed leaf", "trip venus", "deed leaf at 3"]
    act(position, "deed leaf at 3")
    assert position.display == [card("leaf"), card("venus"), -1]


def test_e1_the_match_ends_when_all_tracks_are_finished() -> None:
    position = table("mercury leaf smiley", deck="", finished=ALL_BUT_MERCURY, mercury="blue 32")
    act(position, "trip mercury")
    assert position.phase == OVER
    assert position.to_act() == ()
    assert position.actions_left == 1
    assert not position.chance_due()


def test_e1_the_match_ends_when_all_rows_are_finished() -> None:
    position = table("leaf venus mars", deck="", finished="dollar smiley", leaf="red 6")
    act(position, "deed leaf")
    assert position.phase == OVER


def test_e1_the_last_action_is_carried_out_to_its_last_bullet() -> None:
    # Red goes to 32 and on to 64, mercury's last space, the first past 32: the deal with blue is still made.
    position = table("mercury leaf smiley", deck="pluto", finished=ALL_BUT_MERCURY, mercury="red 1, blue 16")
    act(position, "trip mercury")
    draw(position, 0)
    assert position.phase == DEAL
    act(position, "deal renege", "deal cooperate")
    assert position.phase == OVER
    assert position.scores == [2, 0, 0]
    assert position.actions_left == 1
    result = position.result()
    assert result is not None
    # Mercury pays red 5, doubled for its 1 and 64, and blue 3.
    assert result.scores == (12, 3, 0)


def test_e2_the_first_three_colours_are_paid_and_two_tokens_pay_double() -> None:
    position = table("mars leaf smiley", seats=4, venus="red 1, green 2, blue 4, orange 8, blue 16")
    # Blue is first with two tokens, orange second, green third; red, fourth, is not paid.
    assert places(position, card("venus")) == [(BLUE, 10), (ORANGE, 3), (GREEN, 1)]
    assert standings(position) == [0, 10, 3, 1]


def test_e2_missing_places_are_not_paid_and_unfinished_tracks_score_too() -> None:
    position = table("mars leaf smiley", venus="red 1, red 4", saturn="blue 2")
    assert standings(position) == [10, 5, 0]


def test_e3_highest_space_times_number_of_rows() -> None:
    position = table("mars venus pluto", dollar="red 2, blue 7", smiley="red 5", leaf="red 1, blue 1")
    assert [good_deeds(position, seat) for seat in range(3)] == [(5, 3), (7, 2), (0, 0)]
    assert standings(position) == [15, 14, 0]


def over(**places: str) -> Position:
    position = table("mars venus pluto", tokens=places)
    position.phase = OVER
    return position


def test_e4_the_highest_total_wins() -> None:
    result = over(venus="red 1, blue 2", leaf="red 4").result()
    assert result is not None
    # Red 3 + 4, blue 5.
    assert (result.scores, result.winners) == ((7, 5, 0), (RED,))


def test_e4_equal_totals_share_the_win() -> None:
    result = over(venus="red 1, blue 2", leaf="red 2, orange 5").result()
    assert result is not None
    assert (result.scores, result.winners) == ((5, 5, 5), (RED, BLUE, ORANGE))
