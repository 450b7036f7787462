"""A seat's folder: what becomes of it when a file of it is gone, damaged or another's."""

import shutil
from pathlib import Path

import pytest

from sunward_node import store
from sunward_node.keys import SeatSecrets
from sunward_node.order import LOOPBACK
from sunward_node.places import Places
from sunward_node.returning import Found, knock
from sunward_node.seat import (
    BACK_FILE,
    BACK_NAME,
    JOURNAL_FILE,
    JOURNAL_NAME,
    KEYS_NAME,
    MATCH_FILE,
    MATCH_NAME,
    NOTE_NAME,
    Note,
    Seat,
    read_note,
)
from sunward_node.sockets import CurveKeys
from sunward_protocol.envelope import seal
from sunward_protocol.errors import DamagedFile, LocalError
from sunward_protocol.genesis import Genesis, delegate
from sunward_protocol.identity import Ed25519Signer
from sunward_protocol.limits import CHAIN_LENGTH
from sunward_protocol.messages import Ack, Kind, Link
from sunward_protocol.records import Kept, write_kept
from sunward_protocol.table.lobby import Myself
from support.tables import Plan
from support.world import seed


@pytest.fixture
def plan() -> Plan:
    return Plan(2, "pebbles", None, (), 7, (CurveKeys.generate(), CurveKeys.generate()), (0, 0))


@pytest.fixture
def genesis(plan: Plan) -> Genesis:
    return plan.genesis()


@pytest.fixture
def folders(tmp_path: Path, plan: Plan, genesis: Genesis) -> list[Path]:
    """The folders of both seats of a match that has begun, two frames in each journal."""
    places = Places.find({"SUNWARD_HOME": str(tmp_path)})
    return [_left(places, plan, genesis, place) for place in range(2)]


def _left(places: Places, plan: Plan, genesis: Genesis, place: int) -> Path:
    keys = SeatSecrets(seed("session", place, plan.seed), seed("chain", place, plan.seed), plan.curves[place], 0)
    seat = Seat.prepare(places, genesis, place, keys)
    seat.open_log(genesis, (bytes(64), bytes(64)))
    seat.note(Note("random", LOOPBACK, {1 - place: ("tcp://127.0.0.1:5",)}))
    signed = seal(Kind.ACK, Ack(bytes(32)), genesis.match, plan.signer("session", place), place=place)
    shown = seal(Kind.LINK, Link(0, bytes(32)), genesis.match, place=place)
    seat.journal.append([write_kept(Kept(frame.raw, b"", 0)) for frame in (signed, shown)])
    seat.close()
    return seat.folder


def reopened(folder: Path) -> int:
    """Open a seat's folder again as a node does, and return its place."""
    seat = Seat.reopen(folder)
    try:
        opening, _, kept = seat.contents()
        return seat.place(opening.genesis, kept)
    finally:
        seat.close()


def test_a_seat_that_was_left_is_opened_again(folders: list[Path]) -> None:
    assert [reopened(folder) for folder in folders] == [0, 1]
    assert read_note(folders[0]) == Note("random", LOOPBACK, {1: ("tcp://127.0.0.1:5",)})


def test_a_log_that_is_gone_begins_as_a_neighbours_does(folders: list[Path]) -> None:
    begins = (folders[1] / MATCH_NAME).read_bytes()
    (folders[0] / MATCH_NAME).unlink()
    assert reopened(folders[0]) == 0
    assert (folders[0] / MATCH_NAME).read_bytes() == begins


def test_a_log_without_neighbours_says_where_to_have_it_from(folders: list[Path]) -> None:
    (folders[0] / MATCH_NAME).write_bytes(b"")
    (folders[1] / MATCH_NAME).write_bytes(b"rubbish" * 9)
    with pytest.raises(LocalError, match="of any other seat, in its place"):
        reopened(folders[0])


@pytest.mark.parametrize(
    ("name", "cure"), [(KEYS_NAME, "Put a copy of it back"), (JOURNAL_NAME, "empty file in its place")]
)
def test_a_seat_without_its_secrets_is_not_played(folders: list[Path], name: str, cure: str) -> None:
    (folders[0] / name).unlink()
    with pytest.raises(LocalError, match=cure):
        reopened(folders[0])
    assert not (folders[0] / name).exists()


@pytest.mark.parametrize("name", [KEYS_NAME, JOURNAL_NAME])
def test_a_file_of_another_seat_is_refused(folders: list[Path], name: str) -> None:
    shutil.copy(folders[1] / name, folders[0] / name)
    with pytest.raises(LocalError, match="mixed up"):
        reopened(folders[0])


@pytest.mark.parametrize(
    ("name", "kind", "cure"),
    [(MATCH_NAME, MATCH_FILE, "of any other seat"), (JOURNAL_NAME, JOURNAL_FILE, "empty file in its place")],
)
def test_a_whole_record_that_means_nothing_is_told_with_its_file(
    folders: list[Path], name: str, kind: store.Kind, cure: str
) -> None:
    with store.RecordFile.open(folders[0] / name, kind) as file:
        file.append(b"rubbish")
    with pytest.raises(DamagedFile, match=f"{name} is damaged.*{cure}"):
        reopened(folders[0])


def test_a_copy_beside_a_seat_is_not_a_second_one(folders: list[Path]) -> None:
    copy = folders[0].parent / "backup"
    shutil.copytree(folders[0], copy)
    with pytest.raises(LocalError, match=f"{folders[0].parent.name}/{folders[0].name}"):
        reopened(copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"bot": 7}', '{"bot": null, "endpoints": {"a": []}}'])
def test_a_damaged_note_makes_no_person_of_a_bot(folders: list[Path], text: str) -> None:
    (folders[0] / NOTE_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(DamagedFile, match="who plays the seat"):
        read_note(folders[0])


def test_a_note_that_cannot_be_written_says_why(folders: list[Path]) -> None:
    seat = Seat.reopen(folders[0])
    (folders[0] / f"{NOTE_NAME}.new").mkdir()
    with pytest.raises(LocalError, match=r"Cannot write to .*Is a directory"):
        seat.note(Note(None, LOOPBACK, {}))
    seat.close()


@pytest.fixture
def found(plan: Plan, genesis: Genesis) -> Found:
    return Found(genesis, (bytes(64), bytes(64)), 1, (), ((), ()))


def back_again(places: Places, plan: Plan, found: Found) -> Path:
    """Make the folder of a seat whose files were lost, as its node does, and leave it."""
    keys = SeatSecrets(seed("new session"), seed("new chain"), CurveKeys.generate(), 0)
    session, curve = Ed25519Signer(keys.session).public, keys.curve.public
    identity = plan.signer("identity", found.place)
    member = delegate(identity, found.genesis.table, "", session, curve, seed("new tip"), CHAIN_LENGTH)
    shown = knock(Myself(identity, member, ()), found.genesis.match)
    seat = Seat.begin_anew(places, found, keys, shown, Note(None, LOOPBACK, {}))
    seat.close()
    return seat.folder


def test_a_seat_that_lost_its_files_is_known_by_its_identity(tmp_path: Path, plan: Plan, found: Found) -> None:
    places = Places.find({"SUNWARD_HOME": str(tmp_path)})
    folder = back_again(places, plan, found)
    assert reopened(folder) == found.place
    assert sorted(places.data.iterdir()) == [places.matches], "nothing else is left behind"
    with pytest.raises(LocalError, match=r"This machine has that seat: `sunward resume [0-9a-f]{12}` goes on with it"):
        back_again(places, plan, found)
    assert reopened(folder) == found.place


def test_what_shows_whose_seat_it_is_cannot_be_anothers(tmp_path: Path, plan: Plan, found: Found) -> None:
    folder = back_again(Places.find({"SUNWARD_HOME": str(tmp_path)}), plan, found)
    other = back_again(Places.find({"SUNWARD_HOME": str(tmp_path / "other")}), plan, found)
    shutil.copy(other / BACK_NAME, folder / BACK_NAME)
    with pytest.raises(LocalError, match="was mixed up with another"):
        reopened(folder)
    (folder / BACK_NAME).write_bytes(BACK_FILE.header())
    with pytest.raises(DamagedFile, match="come back with `sunward rejoin`"):
        reopened(folder)


def test_a_seat_that_came_back_does_not_begin_as_a_neighbour_does(
    folders: list[Path], plan: Plan, found: Found, tmp_path: Path
) -> None:
    shutil.rmtree(folders[1])
    folder = back_again(Places.find({"SUNWARD_HOME": str(tmp_path)}), plan, found)
    (folder / MATCH_NAME).unlink()
    with pytest.raises(LocalError, match="of the same match's file of any other seat"):
        reopened(folder)


def test_a_journal_may_have_what_others_signed(folders: list[Path], plan: Plan, genesis: Genesis) -> None:
    ack = seal(Kind.ACK, Ack(bytes(32)), genesis.match, plan.signer("session", 1), step=9, place=1)
    with store.RecordFile.open(folders[0] / JOURNAL_NAME, JOURNAL_FILE) as journal:
        journal.append(write_kept(Kept(ack.raw, b"", 0)))
    assert reopened(folders[0]) == 0
