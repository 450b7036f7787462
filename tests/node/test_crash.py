"""A match of three whole nodes in which one dies, or finds its disk full, at each single change to its files.

Whatever happens: it comes back, the match ends verified at every seat, no locked step is lost, no slot is signed twice.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from sunward_node.driver import Driver
from sunward_node.seat import JOURNAL_FILE, JOURNAL_NAME, Seat
from sunward_node.store import RecordFile, read_records
from sunward_protocol.envelope import open_frame
from sunward_protocol.errors import DamagedFile, LocalError
from sunward_protocol.messages import Kind
from sunward_protocol.records import parse_kept
from sunward_protocol.table.commands import Keep
from support.comeback import play
from support.faults import WAYS, Change, Fault, How

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

EVERY = os.environ.get("SUNWARD_FAULTS") == "all"
"""Whether each change is met by everything that may happen at it; else by one thing, in turn."""

KEPT = Change("write", "seat.journal")
VICTIMS = {"host": 0, "guest": 1}
in_turn = count()


def forget(_: Driver, command: Keep) -> None:
    """Keep nothing."""


def faults(changes: list[Change]) -> Iterator[Fault]:
    """What is to go wrong, one after the other."""
    for number, change in enumerate(changes):
        ways = WAYS[change.call]
        for how in ways if EVERY else (ways[next(in_turn) % len(ways)],):
            yield Fault(number, how)


def play_all(root: Path, faults: Sequence[Fault]) -> None:
    """Play a match for each fault of a guest's."""
    for run, fault in enumerate(faults):
        play(root / str(run), 1, fault)


@pytest.mark.parametrize("victim", VICTIMS.values(), ids=VICTIMS)
def test_a_node_dies_or_its_disk_is_full_at_any_change(tmp_path: Path, victim: int) -> None:
    table = play(tmp_path / "undisturbed")
    kinds = {open_frame(frame).kind for player in table.players for frame in player.journal()}
    assert kinds >= {Kind.ACT, Kind.ACK, Kind.COMMIT, Kind.OPEN}, "there is something of everything to be lost"
    changes = table.players[victim].lives[0].changes
    assert {"seat.keys", "match.start", "match.sunward", "seat.journal", "seat.json.new"} <= {
        change.name for change in changes if change.call == "write"
    }
    for run, fault in enumerate(faults(changes)):
        player = play(tmp_path / str(run), victim, fault).players[victim]
        first = player.lives[0]
        assert first.changes[fault.at].call == changes[fault.at].call, "each run is the same up to its fault"
        if not first.dead and changes[fault.at].name != "lock":  # which holds whether it tells by whom or not
            assert isinstance(player.ended[0], LocalError)
            assert str(player.home) in str(player.ended[0])


@pytest.mark.parametrize("name", ["match.sunward", "seat.journal"])
def test_a_node_dies_again_at_any_change_of_its_coming_back(tmp_path: Path, name: str) -> None:
    changes = play(tmp_path / "undisturbed").players[1].lives[0].changes
    torn = Fault(max(number for number, change in enumerate(changes) if change == ("write", name)), How.INSIDE)
    back = play(tmp_path / "once", 1, torn).players[1].lives[1].changes
    assert ("cut", name) in back
    for run, fault in enumerate(faults(back)):
        play(tmp_path / str(run), 1, torn, fault)


@pytest.mark.parametrize("victim", VICTIMS.values(), ids=VICTIMS)
def test_the_power_goes_at_any_change_before_the_first_step(tmp_path: Path, victim: int) -> None:
    changes = play(tmp_path / "undisturbed").players[victim].lives[0].changes
    for number in range(changes.index(Change("sync", "match.sunward")) + 1):
        if EVERY or next(in_turn) % 3 == 0:
            play(tmp_path / str(number), victim, Fault(number, How.POWER))


def test_a_seat_that_forgets_what_it_signed_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests can fail: so they do where nothing is kept."""
    changes = play(tmp_path / "undisturbed").players[1].lives[0].changes
    monkeypatch.setattr(Driver, "_keep", forget)
    with pytest.raises((AssertionError, TimeoutError)):
        play_all(tmp_path, [Fault(number, How.BEFORE) for number in range(changes.index(KEPT), len(changes))])


def test_a_journal_that_was_cut_short_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    folder = play(tmp_path / "played").players[1].folder
    journal = folder / JOURNAL_NAME
    kept = read_records(journal, JOURNAL_FILE).records
    for number in range(len(kept) + 1):
        journal.unlink()
        with RecordFile.open(journal, JOURNAL_FILE) as file:
            file.append(kept[:number])
        seat = Seat.reopen(folder)
        try:
            if number in (0, len(kept)):  # an empty one was put there by somebody who was told what that means
                seat.contents()
            else:
                with pytest.raises(DamagedFile, match=r"lacks what this seat signed for step \d+.*empty file"):
                    seat.contents()
        finally:
            seat.close()


def test_a_journal_that_was_begun_anew_is_whole(tmp_path: Path) -> None:
    folder = play(tmp_path / "played").players[1].folder
    journal = folder / JOURNAL_NAME
    kept = read_records(journal, JOURNAL_FILE).records
    for number in range(1, len(kept)):
        journal.unlink()
        with RecordFile.open(journal, JOURNAL_FILE) as file:
            file.append(kept[number:])
        seat = Seat.reopen(folder)
        assert seat.contents()[2] == [parse_kept(raw) for raw in kept[number:]]
        seat.close()
