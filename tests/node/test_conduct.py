"""Token buckets and strikes, with the time given."""

from sunward_node.conduct import TOLERANCE, Conduct, Tolerance

SMALL = Tolerance(
    frames=2.0,
    frames_saved=4.0,
    bytes=100.0,
    bytes_saved=300.0,
    pauses=(1.0, 10.0),
    barred_for=50.0,
    forgiven_after=60.0,
)


def test_the_bucket_gives_what_was_saved_and_refills_to_its_brim() -> None:
    conduct = Conduct(SMALL, 0.0)
    assert [conduct.take(1, 0.0) for _ in range(5)] == [True, True, True, True, False]
    assert [conduct.take(1, 1.0) for _ in range(3)] == [True, True, False]
    assert [conduct.take(1, 100.0) for _ in range(5)] == [True, True, True, True, False]


def test_bytes_are_counted_beside_frames() -> None:
    conduct = Conduct(SMALL, 0.0)
    assert conduct.take(300, 0.0)
    assert not conduct.take(51, 0.5)
    assert conduct.take(50, 0.5)


def test_a_clock_that_stands_still_or_goes_back_refills_nothing() -> None:
    conduct = Conduct(SMALL, 10.0)
    assert [conduct.take(1, now) for now in (10.0, 9.0, 10.0, 5.0, 10.0)] == [True, True, True, True, False]


def test_pauses_grow_and_end_in_being_barred() -> None:
    conduct = Conduct(SMALL, 0.0)
    conduct.strike(0.0)
    assert (conduct.deaf_until, conduct.barred_until) == (1.0, float("-inf"))
    conduct.strike(1.0)
    assert (conduct.deaf_until, conduct.barred_until) == (11.0, float("-inf"))
    conduct.strike(11.0)
    assert (conduct.deaf_until, conduct.barred_until) == (61.0, 61.0)
    conduct.strike(61.0)  # it goes on where it left off
    assert conduct.barred_until == 111.0


def test_strikes_are_forgiven_after_a_time_without() -> None:
    conduct = Conduct(SMALL, 0.0)
    conduct.strike(0.0)
    conduct.strike(1.0)
    conduct.strike(62.0)
    assert conduct.deaf_until == 63.0


def test_a_pause_is_never_shortened_by_another() -> None:
    conduct = Conduct(SMALL, 0.0)
    conduct.pause(100.0, 0.0)
    conduct.strike(0.0)
    assert conduct.deaf_until == 100.0


def test_only_one_without_recent_strikes_may_be_forgotten() -> None:
    conduct = Conduct(SMALL, 0.0)
    assert conduct.forgettable(0.0)
    conduct.strike(0.0)
    assert not conduct.forgettable(60.0)
    assert conduct.forgettable(60.1)


def test_being_barred_is_no_pardon() -> None:
    assert TOLERANCE.forgiven_after > TOLERANCE.barred_for > max(TOLERANCE.pauses)
