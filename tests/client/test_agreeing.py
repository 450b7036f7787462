"""What a person reads of changes in who plays, and what the clocks of a table are said to mean."""

import pytest

from sunward_client.agreeing import (
    Company,
    away_told,
    change_told,
    claim_told,
    clocked,
    policy_told,
    stalled_told,
)
from sunward_client.events import Change

NAMES = ("R▴ Ann", "B◉ Bo", "O✚ Cy")
ANN = Company(NAMES, 0, timed=False)
TIMED = Company(NAMES, 0, timed=True)
WATCHER = Company(NAMES, None, timed=False)

BO_OUT = Change((1,), (), None, adjourned=False)
BO_BACK = Change((), (1,), None, adjourned=False)
BACK_TO_7 = Change((), (), 7, adjourned=False)
REST = Change((), (), None, adjourned=True)
ON = Change((), (), None, adjourned=False)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (BO_OUT, "B◉ Bo put out, so that autopilot plays on for them"),
        (Change((1,), (), None, True), "B◉ Bo put out, so that autopilot plays on for them, and the match to rest"),
        (BACK_TO_7, "step 7 and all that came after it taken back"),
        (REST, "the match to rest until all want to go on"),
        (ON, "the match to go on"),
    ],
)
def test_who_wants_what_and_how_to_agree(change: Change, wanted: str) -> None:
    assert str(claim_told(ANN, 2, change)) == f"O✚ Cy wants {wanted}. Type yes to agree."
    assert str(claim_told(WATCHER, 2, change)) == f"O✚ Cy wants {wanted}."
    assert str(claim_told(ANN, 0, change)).startswith(f"You want {wanted}. It comes about once the others agree;")


def test_whoever_is_to_be_put_out_is_not_asked() -> None:
    mine = Change((0,), (), None, adjourned=False)
    assert str(claim_told(ANN, 2, mine)) == "O✚ Cy wants R▴ Ann put out, so that autopilot plays on for them."
    assert str(claim_told(TIMED, 2, mine)) == "Your time is over. Act now, or you are put out."


def test_a_clock_wants_what_nobody_typed() -> None:
    assert claim_told(TIMED, 0, BO_OUT).said.startswith("The time of B◉ Bo is over: your node wants")


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (BO_OUT, ["B◉ Bo is put out: autopilot plays for them until they are back."]),
        (Change((0,), (), None, False), ["You were put out: autopilot plays for you. Type back to play again."]),
        (BO_BACK, ["B◉ Bo plays again."]),
        (Change((), (0,), None, False), ["You play again."]),
        (BACK_TO_7, ["All agreed: what was played from step 7 on is taken back."]),
        (REST, ["All agreed: the match rests. Type back to ask the others to go on, or quit: it is saved."]),
        (ON, ["The match goes on."]),
    ],
)
def test_what_came_of_it(change: Change, lines: list[str]) -> None:
    assert list(map(str, change_told(ANN, change))) == lines


def test_what_can_be_done_about_somebody_who_is_away() -> None:
    assert str(away_told(ANN, 1)) == (
        "B◉ Bo is away; the match waits for them. You can wait; putout bo lets autopilot play on for them; "
        "adjourn lets the match rest. The others must agree to either."
    )
    assert str(away_told(WATCHER, 1)) == "B◉ Bo is away; the match waits for them."
    assert str(away_told(TIMED, 1)) == "B◉ Bo is away; their clock runs while the match waits for them."
    two = Company(NAMES[:2], 0, timed=False)
    assert str(away_told(two, 1)).endswith("You can wait, or quit: the match is saved.")


def test_with_two_players_leaving_counts_here_and_cannot_be_proved() -> None:
    told = str(stalled_told(Company(NAMES[:2], 0, timed=False), (1,)))
    assert told.startswith("B◉ Bo left. With two players nobody can be put out;")
    assert stalled_told(Company(NAMES[:2], 0, timed=True), (1,)).said.startswith("The time of B◉ Bo is over. With two")
    assert "counts as won by you, which cannot be proved" in told
    here = stalled_told(Company(NAMES[:2], 0, timed=False), (1,), here=True)
    assert str(here) == "With two players nobody can be put out."
    assert str(stalled_told(ANN, (1, 2))) == (
        "Too few are here to put B◉ Bo and O✚ Cy out: the match rests until they are back. quit keeps it for then."
    )


def test_clocks_in_words() -> None:
    assert [clocked(seconds) for seconds in (0, 9, 61, 600)] == ["0:00", "0:09", "1:01", "10:00"]
    assert policy_told(300, 30) == (
        "Everybody has 5:00 to think, and 0:30 more each time they are asked anew. "
        "Whoever has none left is put out: autopilot plays for them."
    )
    assert "more" not in policy_told(300, 0)
