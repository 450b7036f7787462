"""Statistics of draws: chi-square against published tables, what is counted where, and what players are told."""

import json
from dataclasses import asdict

import pytest

from sunward_protocol.audit import MatchFile
from sunward_protocol.draws import DrawStream
from sunward_protocol.fairness import Integer, chi_square, drawn, integers, panel, survival, weigh
from sunward_protocol.games.catalog import find
from support.match_files import played
from support.matches import Script
from support.pebbles import PEBBLES, find_pebbles
from support.world import World, seed


@pytest.mark.parametrize(
    ("freedom", "statistic", "p"),
    [
        # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4: upper and lower critical values
        (1, 2.706, 0.10),
        (1, 3.841, 0.05),
        (1, 10.828, 0.001),
        (2, 5.991, 0.05),
        (3, 7.815, 0.05),
        (5, 20.515, 0.001),
        (6, 22.458, 0.001),
        (10, 23.209, 0.01),
        (25, 37.652, 0.05),
        (99, 148.230, 0.001),
        (100, 149.449, 0.001),
        (5, 0.210, 0.999),
        (10, 3.940, 0.95),
        (99, 61.137, 0.999),
    ],
)
def test_survival_is_that_of_the_tables(freedom: int, statistic: float, p: float) -> None:
    assert survival(statistic, freedom) == pytest.approx(p, rel=0.004)


def test_survival_where_it_is_known_exactly() -> None:
    assert survival(0.0, 7) == 1.0
    # two degrees of freedom: exp(-x/2); four: exp(-x/2) (1 + x/2)
    assert survival(2.0, 2) == pytest.approx(0.36787944117144233, rel=1e-14)
    assert survival(4.0, 4) == pytest.approx(3 * 0.1353352832366127, rel=1e-14)
    # far out nothing overflows, and what is too small to be written is 0
    assert survival(5333.5041466039875, 2000) == pytest.approx(1e-300, rel=1e-9)
    assert survival(1e7, 3) == 0.0
    assert survival(1e-12, 4001) == pytest.approx(1.0)


def test_chi_square_by_hand() -> None:
    found = chi_square([8, 12, 10])
    # (4 + 4 + 0) / 10, two degrees of freedom: exp(-0.4)
    assert (found.integers, found.freedom) == (30, 2)
    assert found.chi_square == pytest.approx(0.8)
    assert found.p == pytest.approx(0.6703200460356393)


def said(below: int, *values: int) -> list[Integer]:
    return [Integer(below, value) for value in values]


def test_a_range_with_five_for_each_value_is_weighed_and_another_is_not() -> None:
    enough = weigh([said(2, *[0, 1] * 5)])
    assert enough.by_range[2].integers == 10
    assert enough.few == ()
    short = weigh([said(2, *[0, 1] * 4, 0)])
    assert short.by_range == {}
    assert short.few == (2,)
    assert short.halves is None
    assert short.total is None


def test_what_is_too_few_by_value_is_counted_by_half() -> None:
    """Below 3 the 1 is the middle; below 4 there is none; and a 0 below 1 was never open."""
    weighed = weigh([said(3, 0, 0, 0, 1, 1, 2), said(4, 0, 1, 2, 3, 3, 3), said(1, 0, 0)])
    assert (weighed.draws, weighed.integers, weighed.open) == (3, 14, 12)
    assert weighed.few == (3, 4)
    assert (weighed.low, weighed.high) == (3 + 2, 1 + 4)
    assert weighed.halves is not None
    assert (weighed.halves.chi_square, weighed.halves.freedom) == (0.0, 1)
    assert weighed.total == weighed.halves


def test_all_together_adds_statistics_and_freedoms() -> None:
    weighed = weigh([said(2, *[0] * 8, *[1] * 2), said(3, *[0] * 5, *[1] * 5, *[2] * 5), said(9, *[0] * 10)])
    assert weighed.by_range[2].chi_square == pytest.approx(3.6)
    assert weighed.by_range[3].chi_square == 0.0
    assert (weighed.low, weighed.high) == (10, 0)
    assert weighed.total is not None
    assert (weighed.total.integers, weighed.total.freedom) == (35, 1 + 2 + 1)
    assert weighed.total.chi_square == pytest.approx(3.6 + 0 + 10)


def test_nothing_drawn_is_nothing_said() -> None:
    weighed = weigh([])
    assert weighed.total is None
    assert panel(weighed) == [
        "Draws: 0. Integers drawn with more than one possible value: 0.",
        "Too few to say how even they are.",
    ]


def test_what_players_are_told() -> None:
    weighed = weigh([said(2, *[0] * 8, *[1] * 2), said(3, *[0] * 5, *[1] * 5, *[2] * 5), said(9, *[0] * 7, *[8] * 3)])
    # p of 3.6 with one degree of freedom 0.058, of 1.6 with one 0.206, of 5.2 with four 0.267
    assert panel(weighed) == [
        "Draws: 3. Integers drawn with more than one possible value: 35.",
        "Even? Out of 2 values p 0.06 (10), of 3 values p 1.00 (15).",
        "Ranges with too few: 1; low half 7, high half 3, p 0.21 (10).",
        "All p 0.27: 27 of 100 fair matches would be at least as uneven.",
        "This accuses nobody: of 100 fair matches, about one has p below 0.01.",
    ]


def test_a_loaded_die_is_said_to_be_rare() -> None:
    assert "All p <0.0001: less than 1 of 100 fair matches would be at least as uneven." in panel(
        weigh([said(6, *[5] * 60)])
    )


def test_a_small_p_is_told_to_four_places() -> None:
    # (24 - 8)**2 / 32 = 8, one degree of freedom: erfc(2)
    told = panel(weigh([said(2, *[0] * 24, *[1] * 8)]))
    assert told[1:3] == [
        "Even? Out of 2 values p 0.0047 (32).",
        "All p 0.0047: less than 1 of 100 fair matches would be at least as uneven.",
    ]


def test_the_ranges_with_most_integers_are_named() -> None:
    even = (
        "Even? Out of 3 values p 1.00 (15), of 4 values p 1.00 (20), of 5 values p 1.00 (25), of 6 values p 1.00 (30)"
    )
    told = panel(weigh([said(n, *list(range(n)) * 5) for n in range(2, 7)]), 200)
    assert told[1] == f"{even}; others: 1."


def test_the_panel_of_a_long_match_is_six_lines_of_80_columns_at_most() -> None:
    unfair = panel(weigh([said(n, *[0] * 120) for n in range(10, 120)]))
    assert len(unfair) == 6
    assert max(map(len, unfair)) <= 80
    assert "others: 11." in unfair[2]
    assert max(map(len, panel(weigh([said(n, *[0] * 120) for n in range(10, 120)]), 40))) <= 40


def test_integers_are_those_of_the_stream_and_leave_the_position_alone() -> None:
    position = PEBBLES.load(b"24").start(3, {})
    before = position.encode()
    stream = DrawStream(seed("randomness"))
    assert integers(position, seed("randomness")) == [Integer(3, stream.below(3))]
    assert position.encode() == before
    position.draw(DrawStream(seed("randomness")))
    assert integers(position, seed("randomness")) == []


@pytest.mark.parametrize("replayed", [False, True], ids=["unread", "replayed before"])
def test_the_integers_found_in_a_match_file_are_what_led_to_its_positions(replayed: bool) -> None:
    match = MatchFile(played(), find)
    if replayed:
        list(match.replay())
    found = list(drawn(match))
    assert len(found) == match.ledger.attempts
    position = match.ruleset.start(3, {})
    for turned in match.replay():
        for seat, action in turned.moves:
            position.apply(seat, action)
        if turned.randomness is not None:
            script = Script([integer.value for integer in found.pop(0)])
            position.draw(script)
            assert script.spent()
        assert position.encode() == match.ledger.position.encode()
    assert found == []


def test_a_game_without_chance_draws_who_is_first_and_nothing_more() -> None:
    world = World(2, options={"chance": "no"}, components=b"4")
    world.run()
    (said,) = drawn(MatchFile(world.disks[0].log, find_pebbles))
    assert [integer.below for integer in said] == [2]


def test_the_statistics_can_be_written_as_json() -> None:
    told = json.loads(json.dumps(asdict(weigh([said(2, *[0, 1] * 5)]))))
    assert told["by_range"]["2"] == {"integers": 10, "chi_square": 0.0, "freedom": 1, "p": 1.0}
