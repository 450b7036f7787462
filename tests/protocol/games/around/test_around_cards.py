"""C1, S1 to S3, M1 to M8: the components, the set-up and the display, each ruling worked out by hand."""

from sunward_protocol.games.around.cards import ORDERED, SHUFFLED
from support.around_positions import BLUE, BOARD, BUILTIN, ORANGE, RED, act, card, discards, draw, names, table, turned
from support.matches import Script, Stream

EARTH, BELT = card("earth"), card("belt")


def test_c1_everybody_has_fourteen_tokens_for_tracks_and_rows_together() -> None:
    assert BUILTIN.start(3, {}).hand == [14, 14, 14]
    assert table("venus leaf smiley", venus="red 1, red 2", leaf="red 3").hand == [11, 14, 14]


def test_s1_the_first_card_dealt_is_no_hidden_agenda() -> None:
    # Of the 19 cards 13 are no Hidden Agenda: mercury, venus, jupiter to pluto and two of each good deed.
    position = BUILTIN.start(3, {})
    asked: list[int] = []

    class Asked:
        def below(self, n: int) -> int:
            asked.append(n)
            return 0

    draws = position.draw(Asked())
    assert asked[:3] == [13, 18, 17]
    assert draws[:3] == [turned("mercury", 0), turned("venus", 1), turned("earth", 2)]


def test_s1_the_first_shuffle_is_no_reshuffle() -> None:
    assert all(draw[0] != SHUFFLED for draw in BUILTIN.start(6, {}).draw(Stream(1)))


def test_s2_the_first_turn_order_is_drawn_after_the_three_cards() -> None:
    position = BUILTIN.start(3, {})
    # Tokens leave the cup one by one: of red, blue, orange the third, of red, blue the second, then red.
    draws = position.draw(Script([0, 0, 0, 2, 1, 0]))
    assert draws[3] == (ORDERED, 2, 1, 0)
    assert position.to_act() == (2,)


def test_s3_nothing_is_on_the_board_and_nobody_has_points() -> None:
    position = BUILTIN.start(4, {})
    position.draw(Stream(1))
    assert position.scores == [0, 0, 0, 0]
    assert not any(position.held)
    assert not any(position.rows)
    assert position.round == 1


def test_m1a_the_display_is_filled_to_three() -> None:
    position = table("venus - leaf", deck="pluto saturn")
    position.due = 8
    assert draw(position, 1) == [turned("pluto", 1)]
    assert names(position.display) == "venus pluto leaf"


def test_m1c_three_good_deeds_are_discarded() -> None:
    position = table("venus leaf smiley", deck="mars jupiter saturn dollar")
    act(position, "trip venus")
    # The deck is mars 0, jupiter 1, saturn 2, dollar 3. Dollar makes three good deeds.
    draws = draw(position, 3, 0, 0, 0)
    assert draws == [turned("dollar", 0), turned("mars", 0), turned("jupiter", 1), turned("saturn", 2)]
    assert discards(position) == "venus dollar smiley leaf"


def test_m1d_both_hidden_agendas_of_one_track_are_discarded() -> None:
    position = table("venus earth leaf", deck="earth pluto saturn")
    act(position, "trip venus")
    assert draw(position, 0, 0, 0) == [turned("earth", 0), turned("saturn", 0), turned("pluto", 1)]
    assert names(position.display) == "saturn pluto leaf"
    assert discards(position) == "venus earth earth"


def test_m1_begins_again_until_nothing_changes() -> None:
    position = table("venus leaf smiley", deck="earth earth dollar mars")
    act(position, "trip venus")
    # Three good deeds leave; earth, earth, mars come; both earths leave, and the deck is made anew from all six.
    draws = draw(position, 3, 0, 0, 0, 1, 0)
    assert draws[:4] == [turned("dollar", 0), turned("earth", 0), turned("earth", 1), turned("mars", 2)]
    assert draws[4:] == [(SHUFFLED, 6), turned("dollar", 0), turned("venus", 1)]


def test_m2_the_discards_become_the_deck_and_face_up_cards_stay() -> None:
    position = table("venus leaf smiley", deck="", discards="pluto jupiter")
    act(position, "trip venus")
    # The used venus is among the three that are shuffled: venus 0, jupiter 1, pluto 2.
    assert draw(position, 2) == [(SHUFFLED, 3), turned("pluto", 0)]
    assert names(position.display) == "pluto leaf smiley"
    assert names(position.deck) == "venus jupiter"
    assert discards(position) == ""


def test_m3_positions_are_filled_from_the_lowest() -> None:
    position = table("- - leaf", deck="pluto saturn")
    position.due = 8
    assert draw(position, 1, 0) == [turned("pluto", 0), turned("saturn", 1)]


def test_m4_agendas_of_different_tracks_stay_and_so_do_two_of_one_good_deed() -> None:
    position = table("venus earth pluto", deck="mars")
    act(position, "trip venus")
    assert draw(position, 0) == [turned("mars", 0)]
    assert names(position.display) == "mars earth pluto"
    position = table("venus leaf pluto", deck="leaf")
    act(position, "trip venus")
    assert draw(position, 0) == [turned("leaf", 0)]
    assert names(position.display) == "leaf leaf pluto"


def test_m5_the_first_card_of_a_new_deck_is_no_hidden_agenda() -> None:
    position = table("venus leaf smiley", deck="", discards="earth mars belt pluto")
    act(position, "trip venus")
    # Only venus and pluto may come first; the second of them is asked for.
    assert draw(position, 1) == [(SHUFFLED, 5), turned("pluto", 0)]


def test_m5_unless_nothing_else_is_in_it() -> None:
    position = table("earth leaf smiley", deck="", discards="mars")
    act(position, "trip earth")
    assert draw(position, 1) == [(SHUFFLED, 2), turned("mars", 0)]


def test_m5_the_first_card_counts_even_if_it_leaves_at_once() -> None:
    position = table("earth leaf smiley", deck="", discards="mars pluto", finished="pluto")
    act(position, "trip earth")
    # Pluto is the only one that may come first; it is out of play, and after it mars may come.
    assert draw(position, 0, 1) == [(SHUFFLED, 3), turned("pluto", 0, out=True), turned("mars", 0)]


def test_m6_the_replacement_is_drawn_at_once_and_the_used_card_is_discarded() -> None:
    position = table("venus leaf smiley", deck="pluto saturn")
    act(position, "trip venus")
    assert draw(position, 0) == [turned("saturn", 0)]
    assert discards(position) == "venus"


def test_m6_the_used_card_lies_nowhere_while_its_deal_is_open() -> None:
    position = table("venus leaf smiley", deck="pluto", venus="blue 2, orange 16")
    act(position, "trip venus")
    assert draw(position, 0) == [turned("pluto", 0)]
    assert position.phase == 1
    assert discards(position) == ""
    act(position, "partner blue", "deal cooperate", "deal renege")
    assert discards(position) == "venus"
    assert not position.chance_due()


def test_m6_without_a_deck_the_replacement_waits_for_the_next_m1() -> None:
    position = table("venus leaf smiley", deck="", discards="pluto", venus="blue 2, orange 16")
    act(position, "trip venus")
    assert not position.chance_due()
    act(position, "partner blue", "deal renege", "deal renege")
    assert names(position.display) == "- leaf smiley"
    assert draw(position, 1) == [(SHUFFLED, 2), turned("pluto", 0)]


def test_m6_turns_over_the_next_card_while_the_deck_lasts() -> None:
    position = table("venus leaf smiley", deck="pluto saturn", finished="pluto saturn")
    act(position, "trip venus")
    # Both leave, and the deck is used up: the display is filled in M1, from the discarded venus.
    draws = draw(position, 1, 0, 0)
    assert draws == [turned("pluto", 0, out=True), turned("saturn", 0, out=True), (SHUFFLED, 1), turned("venus", 0)]


def test_m6_the_twin_of_a_track_finished_by_this_trip_is_still_laid_down() -> None:
    position = table("earth leaf smiley", deck="earth pluto", earth="blue 512")
    act(position, "trip earth")
    # Drawn before the trip is resolved, the twin lies at 0; then it leaves, and M1 fills the position.
    assert draw(position, 0, 0) == [turned("earth", 0), turned("pluto", 0)]
    assert discards(position) == ""
    assert EARTH not in position.deck


def test_m6_the_twin_of_a_row_finished_by_this_deed_too() -> None:
    position = table("leaf venus pluto", deck="leaf saturn", leaf="red 6")
    act(position, "deed leaf")
    assert draw(position, 1, 0) == [turned("leaf", 0), turned("saturn", 0)]


def test_m6_a_card_whose_trip_finished_its_track_is_not_discarded_after_the_deal() -> None:
    # Red goes from 16 to 32 and, having 1, on to 64, the last space of mercury. Blue is the only one below 32.
    position = table("mercury leaf smiley", deck="pluto", mercury="red 1, blue 16")
    act(position, "trip mercury")
    assert draw(position, 0) == [turned("pluto", 0)]
    assert position.phase == 2
    act(position, "deal cooperate", "deal cooperate")
    assert discards(position) == ""


def test_m7_a_face_up_twin_leaves_at_once_and_m1_fills_its_place() -> None:
    position = table("leaf venus leaf", deck="saturn pluto", leaf="red 6")
    act(position, "deed leaf")
    assert names(position.display) == "- venus -"
    # Saturn replaces the used card (M6), pluto fills the other place (M1).
    assert draw(position, 0, 0) == [turned("saturn", 0), turned("pluto", 2)]


def test_m7_a_card_out_of_play_is_taken_away_when_it_is_turned_over() -> None:
    position = table("venus leaf smiley", deck="belt saturn", finished="belt")
    act(position, "trip venus")
    assert draw(position, 0, 0) == [turned("belt", 0, out=True), turned("saturn", 0)]
    assert BELT not in [*position.deck, *position.display]


def test_m8_the_turn_order_is_drawn_between_the_replacement_and_m1() -> None:
    position = table("venus leaf smiley", turn=2, actions_left=1, deck="dollar pluto saturn uranus")
    act(position, "trip venus")
    draws = draw(position, 3, 1, 1, 0, 2, 1, 0)
    assert draws[:2] == [turned("dollar", 0), (ORDERED, 1, 2, 0)]
    assert draws[2:] == [turned("pluto", 0), turned("uranus", 1), turned("saturn", 2)]


def test_m8_neither_order_nor_display_is_drawn_when_the_game_is_over() -> None:
    position = table("leaf venus leaf", turn=2, actions_left=1, deck="pluto", finished="dollar smiley", leaf="red 6")
    position.order = (BLUE, ORANGE, RED)
    act(position, "deed leaf")
    assert position.result() is None
    assert draw(position, 0) == [turned("pluto", 0)]
    assert names(position.display) == "pluto venus -"
    assert position.result() is not None


def test_the_deck_holds_nineteen_cards_two_of_each_hidden_agenda() -> None:
    counts = [BOARD.deck >> 2 * number & 3 for number in range(BOARD.cards)]
    assert sum(counts) == 19
    assert [BOARD.names[number] for number in range(BOARD.cards) if BOARD.hidden[number]] == ["earth", "mars", "belt"]
