"""Some tens of random matches of Beyond the Sun; `simulation.beyond` plays as many as one likes, and one alone."""

import pytest

from simulation.beyond import TABLES, Tally, play
from sunward_protocol.games.beyond.state import BASES, CARD, COLONY, CRYSTAL, DISC, HOLDER, PEOPLE, SHIPS, one_ship
from support.beyond_laws import check_cards, check_control, check_end, check_pieces, check_say
from support.beyond_positions import PLACES, SYSTEMS, effect, holder_of, table

MATCHES = 36
"""Three of every number of seats with every option."""


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MATCHES, len(TABLES)))
def test_random_matches_keep_every_law(first: int) -> None:
    tally = Tally()
    for number in range(first, first + len(TABLES)):
        play(number, tally)
    assert tally.matches == {2: 4, 3: 4, 4: 4}
    assert tally.lines > 200


def test_a_lost_cube_is_found() -> None:
    position = table()
    check_pieces(position)
    position.s[BASES[2] + PEOPLE] -= 1
    with pytest.raises(AssertionError):
        check_pieces(position)


def test_a_disc_too_many_is_found() -> None:
    position = table(holders={"a1": "0 food"}, ships={0: "a1 1"})
    check_pieces(position)
    position.s[BASES[0] + DISC + 1] += 1
    with pytest.raises(AssertionError):
        check_pieces(position)


def test_negative_ore_is_found() -> None:
    position = table()
    position.s[BASES[0] + CRYSTAL] = -1
    with pytest.raises(AssertionError):
        check_pieces(position)


def test_a_system_on_the_map_and_colonized_is_found() -> None:
    position = table()
    check_cards(position)
    position.s[COLONY + SYSTEMS["Vega"]] = 1
    with pytest.raises(AssertionError):
        check_cards(position)


def test_a_holder_who_is_not_the_strongest_is_found() -> None:
    position = table(holders={"a1": "0 food"}, ships={0: "a1 1"})
    check_control(position)
    assert holder_of(position, "a1") == "0 food"
    position.s[BASES[1] + SHIPS + PLACES["a1"]] += one_ship(2)
    with pytest.raises(AssertionError):
        check_control(position)


def test_a_place_without_a_system_that_is_held_is_found() -> None:
    position = table()
    position.s[HOLDER + PLACES["a1"]] = 1
    position.s[CARD + PLACES["a1"]] = 0
    with pytest.raises(AssertionError):
        check_control(position)


def test_a_choice_of_nothing_is_found() -> None:
    position = effect(table(), "may [gain 1]")
    check_say(position)
    position.choices = ()
    with pytest.raises(AssertionError):
        check_say(position)


def test_an_end_out_of_reach_is_found() -> None:
    position = table()
    check_end(position)
    for base in BASES:
        position.s[base + DISC + 3] = 0
    with pytest.raises(AssertionError):
        check_end(position)
