"""What every match owes the table, over random matches."""

import os
import subprocess
import sys
from statistics import median

from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.state import (
    State,
)
from sunward_protocol.games.game import Action, Seat
from sunward_protocol.games.game import Position as AnyPosition
from support.beyond_laws import LAWS
from support.beyond_positions import BUILTIN
from support.matches import Recorder, Script, Step, Stream, at_random, play

SEEDS = st.integers(0, 2**32)
SEATS = st.integers(2, 4)
CHOICES: tuple[dict[str, str], ...] = (
    {},
    {"mats": "advanced"},
    {"factions": "chosen"},
    {"mats": "advanced", "factions": "chosen"},
)
STEPS_MOST = 400


def steps(seats: int, seed: int) -> list[tuple[Step, Position]]:
    """Return the first steps of a random match, each with a copy of the position after it."""
    stream = Stream(seed)
    found: list[tuple[Step, Position]] = []
    for step in play(BUILTIN.start(seats, CHOICES[seed % 4]), stream, at_random(stream)):
        assert isinstance(step.after, Position)
        found.append((step, step.after.copy()))
        if len(found) == STEPS_MOST:
            break
    return found


@settings(max_examples=25, deadline=None)
@given(SEATS, SEEDS)
def test_every_law_of_the_table_holds_after_every_step(seats: int, seed: int) -> None:
    for _, position in steps(seats, seed):
        for law in LAWS:
            law(position)
        assert not position.secret


@settings(max_examples=15, deadline=None)
@given(SEATS, SEEDS)
def test_apply_on_the_position_on_a_copy_and_replayed_agree(seats: int, seed: int) -> None:
    stream = Stream(seed)
    recorder = Recorder(stream)
    live = BUILTIN.start(seats, CHOICES[seed % 4])
    chosen: list[tuple[Seat, Action]] = []
    encoded: list[bytes] = []
    for _ in range(STEPS_MOST):
        if live.result() is not None:
            break
        if live.chance_due():
            assert live.to_act() == ()
            live.draw(recorder)
        else:
            (seat,) = live.to_act()
            action = live.legal(seat)[stream.below(len(live.legal(seat)))]
            copied = live.copy()
            unmoved = live.encode()
            copied.apply(seat, action)
            assert live.encode() == unmoved
            live.apply(seat, action)
            assert copied.encode() == live.encode()
            assert fields(copied) == fields(live)
            chosen.append((seat, action))
        encoded.append(live.encode())
    replayed = BUILTIN.start(seats, CHOICES[seed % 4])
    script = Script(recorder.answers)
    actions = iter(chosen)
    for expected in encoded:
        if replayed.chance_due():
            replayed.draw(script)
        else:
            replayed.apply(*next(actions))
        assert replayed.encode() == expected
    assert script.spent()


def fields(state: State) -> list[object]:
    return [getattr(state, name) for name in State.__slots__ if name != "board"]


def test_positions_encode_alike_exactly_when_they_are_alike() -> None:
    seen: dict[bytes, list[object]] = {}
    for seed in range(4):
        for _, position in steps(4, seed):
            assert seen.setdefault(position.encode(), fields(position)) == fields(position)
    assert len(seen) == len({str(found) for found in seen.values()})


def test_every_number_of_the_state_counts_in_the_encoding() -> None:
    position = steps(4, 1)[60][1]
    encoded = position.encode()
    for index in range(len(position.s)):
        other = position.copy()
        other.s[index] += 1
        assert other.encode() != encoded
    for change in ("decks", "stack"):
        other = position.copy()
        del getattr(other, change)[-1]
        assert other.encode() != encoded
    other = position.copy()
    other.decks[0] = (*other.decks[0], (3,))
    assert other.encode() != encoded


def test_a_copy_does_not_notice_what_is_done_to_the_original() -> None:
    position = steps(3, 2)[50][1]
    copied = position.copy()
    before = copied.encode()
    for _ in play_on(position, 40):
        pass
    assert copied.encode() == before


def play_on(position: Position, count_: int) -> list[int]:
    stream = Stream(9)
    done: list[int] = []
    while len(done) < count_ and position.result() is None:
        if position.chance_due():
            position.draw(stream)
        else:
            (seat,) = position.to_act()
            done.append(position.legal(seat)[stream.below(len(position.legal(seat)))])
            position.apply(seat, done[-1])
    return done


def test_encodings_do_not_depend_on_the_hash_seed() -> None:
    script = (
        "import hashlib; from support.beyond_positions import BUILTIN; from support.matches import *\n"
        "stream, digest = Stream(7), hashlib.blake2b()\n"
        "for number, step in enumerate(play(BUILTIN.start(4, {}), stream, at_random(stream))):\n"
        "    digest.update(step.after.encode() + str(BUILTIN.words.state_json(step.after)).encode())\n"
        "    if number > 300: break\n"
        "print(digest.hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 128


def test_the_end_is_reached_by_random_play_with_every_number_of_seats() -> None:
    for seats in (2, 3, 4):
        for seed in range(8):
            stream = Stream(seed)
            end = BUILTIN.start(seats, CHOICES[seed % 4])
            for _ in play(end, stream, at_random(stream)):
                pass
            result = end.result()
            assert result is not None
            (winner,) = result.winners
            assert result.scores[winner] == max(result.scores)
            assert end.to_act() == ()


def test_a_seat_on_autopilot_plays_legally_and_far_better_than_chance() -> None:
    # Even would be 4 of 16.
    assert sum(won_by_autopilot(seed % 4, seed) for seed in range(16)) >= 12


def won_by_autopilot(pilot: Seat, seed: int) -> bool:
    stream = Stream(seed)
    pick = at_random(stream)

    def choose(position: AnyPosition, seat: Seat) -> Action:
        if seat != pilot:
            return pick(position, seat)
        before = position.encode()
        action = position.autopilot(seat)
        assert action == position.copy().autopilot(seat)
        assert action in position.legal(seat)
        assert position.encode() == before
        return action

    end = BUILTIN.start(4, {})
    for _ in play(end, stream, choose):
        pass
    result = end.result()
    assert result is not None
    return result.winners == (pilot,)


def test_autopilots_end_their_matches_in_reasonable_time() -> None:
    rounds: list[int] = []
    for seed in range(10):
        end = BUILTIN.start(4, {})
        for _ in play(end, Stream(seed), lambda position, seat: position.autopilot(seat)):
            pass
        rounds.append(end.s[0])
    assert 10 <= median(rounds) <= 30  # 20 over a hundred matches
