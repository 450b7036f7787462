"""What greedy thinks of a position of Once Around The Sun, with the worth of each worked out by hand."""

import pytest

from sunward_node.bots.arena import play, seed_of
from sunward_node.bots.around import value
from sunward_node.bots.catalog import find
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.around.actions import RENEGE, TO_DEAL
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.state import DEAL, OVER
from support.around_positions import BLUE, BUILTIN, GREEN, ORANGE, RED, table
from support.matches import Script

MEAN = 3
"""Points of a place in the mean of three seats: 5, 3 and 1 are paid."""


def test_a_place_is_worth_more_the_farther_its_track_is() -> None:
    """Mars ends on 512. On 256 half of the first place is sure, else the mean; on 1 a 512th is."""
    far = table("venus leaf smiley", mars="red 256, blue 1")
    assert value(far, RED) == 5 / 2 + MEAN / 2
    assert value(far, BLUE) == 3 / 2 + MEAN / 2
    assert value(far, ORANGE) == 0
    assert value(table("venus leaf smiley", mars="red 1"), RED) == 5 / 512 + MEAN * 511 / 512


def test_a_finished_track_is_worth_what_it_pays() -> None:
    """Two tokens on it are paid double; a token below the first three places still is on it, and paid nothing."""
    done = table("venus leaf smiley", seats=4, mars="red 512, red 256, blue 128, orange 64, green 32")
    assert [value(done, seat) for seat in (RED, BLUE, ORANGE, GREEN)] == [10, 3, 1, 0]


def test_a_finished_track_stays_so_when_its_last_space_is_left() -> None:
    assert value(table("venus leaf smiley", mars="red 256", finished="mars"), RED) == 5


def test_scores_and_good_deeds_count_in_full() -> None:
    """The highest space, 4, times two rows."""
    deeds = table("venus mars pluto", leaf="red 4", dollar="red 2, blue 7")
    deeds.scores[RED] = 6
    assert value(deeds, RED) == 6 + 4 * 2
    assert value(deeds, BLUE) == 7


def test_at_the_end_nothing_is_uncertain() -> None:
    over = table("venus leaf smiley", mars="red 256, blue 1")
    over.phase = OVER
    assert [value(over, seat) for seat in range(3)] == [5, 3, 0]


def test_greedy_reneges_in_a_deal() -> None:
    deal = table("venus leaf smiley", mars="red 16, blue 1")
    deal.phase, deal.partner, deal.used = DEAL, BLUE, 3
    for seat in (RED, BLUE):
        assert find("greedy", AROUND).choose(deal, seat, Script([])) == TO_DEAL | RENEGE


@pytest.mark.parametrize(
    ("position", "choice"),
    [
        # Finishing Mercury with a second token pays 5 twice; Venus, untouched, is worth no more than the mean.
        (table("mercury venus earth", mercury="red 32"), "trip mercury"),
        # To take the first place on a track that is nearly done is better than to begin a new one.
        (table("earth pluto venus", pluto="blue 16, orange 32"), "trip pluto"),
        # A deed that lifts blue to 6 scores 6 at once and begins a row.
        (table("leaf earth mars", leaf="blue 5"), "deed leaf"),
    ],
    ids=["finish", "overtake", "deed"],
)
def test_greedy_s_choices(position: Position, choice: str) -> None:
    action = find("greedy", AROUND).choose(position, RED, Script([]))
    assert BUILTIN.words.write(position, RED, action) == choice


def test_greedy_wins_at_least_half_of_its_matches_among_random_bots() -> None:
    """A hundred matches; nine tenths are won, 25 would be even. tests/bench/bots.py measures with more."""
    bots = [find(name, AROUND) for name in ("greedy", "random", "random", "random")]
    wins = 0.0
    for number in range(100):
        position = BUILTIN.start(4, {})
        for _ in play(position, bots, seed_of("strength", number)):
            pass
        result = position.result()
        assert result is not None
        wins += (0 in result.winners) / len(result.winners)
    assert wins >= 70
