"""Local clocks: who is charged for what, and what nobody is charged for."""

from sunward_protocol import limits
from sunward_protocol.messages import Kind
from sunward_protocol.table.clocks import Clocks

POLICY = {"bank": 10, "increment": 3, "frames": 5}


def clocks() -> Clocks:
    return Clocks(POLICY, 3, 0.0)


def test_a_turn_adds_its_increment_and_is_charged_from_the_second_look_on() -> None:
    these = clocks()
    assert these.look(1, 4, 4, {1: Kind.ACT}, awake=True) == 0
    assert these.turns == [10, 13, 10]
    assert these.look(2, 4, 4, {1: Kind.ACT}, awake=True) == 0
    assert these.turns == [10, 12, 10]
    assert these.look(3, 5, 5, {2: Kind.ACT}, awake=True) == 0
    assert these.turns == [10, 12, 13]


def test_whose_time_is_over_is_named_as_long_as_they_owe() -> None:
    these = clocks()
    late = [these.look(second, 4, 4, {1: Kind.ACT}, awake=True) for second in range(1, 16)]
    assert late == [0] * 13 + [0b10] * 2, "13 seconds, charged from the second look on"
    assert these.look(16, 5, 5, {2: Kind.ACT}, awake=True) == 0


def test_frames_have_a_small_bank_of_their_own_and_get_a_second_back_a_step() -> None:
    these = clocks()
    for second in range(1, 5):
        these.look(second, 4, 4, {0: Kind.ACK, 1: Kind.LINK}, awake=True)
    assert these.frames == [2, 2, 5]
    assert these.turns == [10, 10, 10]
    these.look(5, 5, 5, {0: Kind.VOTE}, awake=True)
    assert these.frames == [3, 2, 5]


def test_another_kind_of_frame_owed_for_the_same_step_gives_nothing_back() -> None:
    these = clocks()
    for second, kind in enumerate((Kind.ACK, Kind.CLAIM, Kind.VOTE, Kind.EPOCH)):
        these.look(second + 1, 4, 4, {0: kind}, awake=True)
    assert these.frames[0] == 2


def test_time_in_which_we_slept_or_were_cut_off_or_that_ran_backwards_counts_for_nobody() -> None:
    these = clocks()
    these.look(1, 4, 4, {1: Kind.ACT}, awake=True)
    these.look(1 + 2 * limits.SLEPT, 4, 4, {1: Kind.ACT}, awake=True)
    these.look(2 + 2 * limits.SLEPT, 4, 4, {1: Kind.ACT}, awake=False)
    these.look(3, 4, 4, {1: Kind.ACT}, awake=True)
    assert these.turns[1] == 13


def test_who_comes_back_has_time_for_some_turns() -> None:
    these = clocks()
    for second in range(1, 16):
        these.look(second, 4, 4, {1: Kind.ACT}, awake=True)
    these.grant(1)
    assert these.turns[1] == limits.RETURNER
    assert these.frames[1] == POLICY["frames"]


def test_what_a_policy_does_not_name_is_nothing() -> None:
    these = Clocks({"bank": 10}, 2, 0.0)
    assert (these.turns, these.frames) == ([10, 10], [0, 0])
    these.look(1, 4, 4, {1: Kind.ACT}, awake=True)
    assert these.turns == [10, 10], "no increment"
    these.grant(1)
    assert these.frames == [0, 0]
    assert Clocks({}, 2, 0.0).turns == [0, 0]


def test_the_longest_time_between_two_looks_is_charged_and_one_that_runs_backwards_gives_nothing() -> None:
    these = clocks()
    these.look(1, 4, 4, {1: Kind.ACT}, awake=True)
    these.look(1 + limits.SLEPT, 4, 4, {1: Kind.ACT}, awake=True)
    assert these.turns[1] == 13 - limits.SLEPT
    these.look(0.5 + limits.SLEPT, 4, 4, {1: Kind.ACT}, awake=True)
    assert these.turns[1] == 13 - limits.SLEPT


def test_who_comes_back_gets_four_increments_if_that_is_more_and_all_of_the_frames() -> None:
    these = Clocks({"bank": 10, "increment": 30, "frames": 5}, 2, 0.0)
    for second in range(1, 4):
        these.look(second, 4, 4, {1: Kind.ACK}, awake=True)
    assert these.frames[1] == 3
    these.grant(1)
    assert these.turns == [10, 120]
    assert these.frames[1] == 5


def test_a_turn_goes_on_through_beginnings_of_epochs_and_behind_what_a_node_owes() -> None:
    these = clocks()
    both = (0, 1)
    these.look(1, 4, 4, dict.fromkeys(both, Kind.ACT), awake=True)
    these.look(2, 5, 4, dict.fromkeys(both, Kind.ACT), awake=True)
    these.look(3, 6, 4, dict.fromkeys(both, Kind.ACK), awake=True)
    these.look(4, 7, 4, dict.fromkeys(both, Kind.ACT), awake=True)
    assert these.turns == [11, 11, 10], "one increment, and two of four seconds"


def test_what_a_node_owes_for_a_step_is_a_new_debt_once_it_was_paid_in_between() -> None:
    these = clocks()
    for second, owed in enumerate(({1: Kind.ACK}, {1: Kind.ACK}, {}, {1: Kind.CLAIM}), 1):
        these.look(second, 4, 4, owed, awake=True)
    assert these.frames[1] == 5, "4 after the second look, and a second back"
