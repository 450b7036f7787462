"""A match once more: forwards, backwards, from any seat, and all of it into a pipe."""

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace

import pytest

from sunward_client.events import Applied, Drawn, Event, read
from sunward_client.model import Model, playing
from sunward_client.replay import Reel, transcript, turn
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.errors import LocalError
from support.fake_gateway import FakeTable
from support.screen import running


def events_of(table: FakeTable) -> Iterable[Event]:
    return [event for message in table.events if (event := read(message)) is not None]


@pytest.fixture(scope="module")
def reel() -> Reel:
    table = FakeTable()
    table.play(200)
    return Reel.load(Model(Look()), events_of(table))


def test_a_frame_a_step_with_action_and_draws(reel: Reel) -> None:
    assert [reel.go(index).step for index in range(len(reel.frames))] == list(range(len(reel.frames)))
    assert playing(reel.frames[0])[1].to_act() != ()  # the set-up is drawn
    assert playing(reel.frames[-1])[1].result() is not None


def test_steps_are_counted_as_the_log_does() -> None:
    """A deal's commitments are a step of their own in which nothing is told; so is the step that closes a match."""
    table = FakeTable()
    table.play(200)
    shifted = [
        replace(event, step=event.step + 1) if isinstance(event, Applied | Drawn) and event.step > 3 else event
        for event in events_of(table)
    ]
    reel = Reel.load(Model(Look()), shifted)
    assert [reel.go(index).step for index in range(6)] == [0, 1, 2, 3, 5, 6]
    assert reel.go_to(4).step == 3
    assert reel.go_to(5).step == 5
    last = reel.go_to(9999)
    assert last.step == table.step + 2
    assert last.told() == []
    assert last.prompt.startswith(f"step {table.step + 2} of {table.step + 2} ")


@pytest.mark.parametrize(
    ("lines", "at"),
    [(["n"], 1), (["", ""], 2), (["n", "n", "p"], 1), (["p"], 0), (["17"], 17), (["17", "p"], 16), (["board"], 0)],
)
def test_stepping(reel: Reel, lines: list[str], at: int) -> None:
    for line in lines:
        reel, shown = turn(reel, line, 80)
        assert shown[0].startswith("inner")
    assert reel.at == at


def test_ends(reel: Reel) -> None:
    last = len(reel.frames) - 1
    assert turn(reel, "end", 80)[0].at == turn(reel, "99999", 80)[0].at == last
    assert any("wins with" in line or "share the win" in line for line in turn(reel, "end", 80)[1])


def test_going_back_shows_the_very_same_table(reel: Reel) -> None:
    there, shown = turn(reel, "5", 80)
    back = turn(turn(there, "n", 80)[0], "p", 80)
    assert back == (there, shown)


@pytest.mark.parametrize("seat", ["blue", "B", "b"])
def test_any_seat_s_board(reel: Reel, seat: str) -> None:
    turned, shown = turn(reel, f"seat {seat}", 80)
    assert turned.seat == 1
    assert "B◉ you" in next(line for line in shown if line.startswith("seat"))


def test_unknown_seat_and_unknown_line_say_what_there_is(reel: Reel) -> None:
    assert turn(reel, "seat pink", 80)[1] == [
        f"Say which seat, as seat red or seat R: R▴{NO_BREAK}Ann, B◉{NO_BREAK}Bo, O✚{NO_BREAK}Cy"
    ]
    assert turn(reel, "jump", 80)[1] == ["There is no 'jump' here: type ? for what there is."]
    assert turn(reel, "?", 80)[1] == turn(reel, "help", 80)[1]
    assert turn(reel, "help", 80)[1][0].startswith("Enter or n ")


def test_statistics_count_up_to_the_step_looked_at(reel: Reel) -> None:
    start = turn(reel, "stats", 80)[1]
    assert start[0].startswith("Cards turned over: 3, ")
    assert any(line.startswith("Draws: 1. ") for line in start)
    assert not any(line.startswith("What the figures mean: ") for line in start), "of one draw there are none"
    end = turn(turn(reel, "end", 80)[0], "stats", 80)[1]
    assert f"Draws: {len(reel.drawn)}. " in end[-5]
    assert any(line.startswith("What the figures mean: ") for line in end)
    assert end[-1].startswith("This accuses nobody")


def test_transcript_has_every_step_the_scoring_and_the_statistics(reel: Reel) -> None:
    text = transcript(reel, 80)
    assert {int(line[:4]) for line in text if line[:4].strip().isdecimal()} >= set(range(len(reel.frames) - 1))
    assert "Match file: /matches/abab.sunward" in text
    assert any(line.startswith("Cards turned over: ") for line in text)
    assert text[-1].startswith("This accuses nobody")


def test_transcript_of_an_unfinished_match_says_so() -> None:
    table = FakeTable()
    table.play(3)
    assert "The match is not finished." in transcript(Reel.load(Model(Look()), events_of(table)), 80)


def test_a_replay_tells_what_happened_and_asks_nobody_for_anything() -> None:
    table = FakeTable()
    table.play(3)
    table.events.append(
        {"event": "changed", "step": table.step + 1, "out": [0], "back": [], "rewind": None, "adjourned": True}
    )
    text = transcript(Reel.load(Model(Look()), events_of(table)), 80)
    assert any(line.endswith("  All agreed: the match rests.") for line in text)
    assert not any("Type " in line for line in text)


def test_a_match_that_never_began_is_an_error() -> None:
    with pytest.raises(LocalError, match="holds no step"):
        Reel.load(Model(Look()), [])


VIEWER = """
from support.fake_gateway import FakeTable
from sunward_client.events import read
from sunward_client.replay import view
table = FakeTable()
table.play(200)
view([read(message) for message in table.events])
"""


def viewer() -> list[str]:
    return [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}{VIEWER}"]


def test_into_a_pipe_everything_is_printed() -> None:
    done = subprocess.run(viewer(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "Cards turned over: " in done.stdout


def test_on_a_terminal_one_steps_and_leaves() -> None:
    with running(viewer(), {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}) as screen:
        screen.until(lambda screen: "step 0 of " in screen.text)
        screen.type("\r")
        screen.until(lambda screen: "step 1 of " in screen.text)
        screen.type("end\r")
        screen.until(lambda screen: "Match file: " in screen.text)
        screen.type("quit\r")
        assert screen.exit_code() == 0
