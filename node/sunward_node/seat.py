"""A seat's folder: everything that one identity has of one match, under a lock that one process holds.

    match.start     the genesis as it was when this seat sealed it
    match.sunward   the log: what `verify` reads, and anyone may have
    seat.journal    what this seat signed, with its secrets
    seat.keys       its keys for this match
    seat.back       how it shows whose it is, if its first files were lost: a HELLO by its identity for these keys
    seat.json       who plays it, and where the others listened last
    seat.door       the socket of its node, if one runs

Must never be used by two processes at once.
"""

import contextlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sunward_node.keys import KEYS_FILE, SeatSecrets
from sunward_node.lock import SeatLock
from sunward_node.order import LOOPBACK
from sunward_node.places import Places, private_folder
from sunward_node.program import typed
from sunward_node.returning import Found
from sunward_node.store import Kind, RecordFile, read_records, replace_file, sync_folder
from sunward_protocol import messages, records
from sunward_protocol.envelope import open_frame
from sunward_protocol.errors import DamagedFile, LocalError, Malformed, RemoteError, SunwardError
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Place, PublicKey, Step
from sunward_protocol.log import Entry, standing
from sunward_protocol.messages import BODIES, Hello, Member
from sunward_protocol.records import Kept, Opening

MATCH_FILE = Kind(
    records.LOG_MAGIC, cure="Put a copy of it, or of the same match's file of any other seat, in its place."
)
JOURNAL_FILE = Kind(
    records.JOURNAL_MAGIC,
    cure="Put a copy of it back. With an empty file in its place the seat goes on, but may sign something twice, which "
    "others take for cheating.",
)
BACK_FILE = Kind(b"sunward back", cure=f"Move the seat's folder away, and come back with `{typed('rejoin')}`.")
START_NAME, MATCH_NAME, BACK_NAME = "match.start", "match.sunward", "seat.back"
_OF_OTHERS = (*BODIES, messages.Kind.ACK, messages.Kind.EPOCH)
"""What a journal has of others: what was signed or shown after it rests on it."""
JOURNAL_NAME, KEYS_NAME, NOTE_NAME, DOOR_NAME = "seat.journal", "seat.keys", "seat.json", "seat.door"


class Seat:
    """An open seat's folder. `log` and `journal` take records until `close`."""

    def __init__(self, folder: Path, lock: SeatLock, secrets: SeatSecrets) -> None:
        self.folder = folder
        self.secrets = secrets
        self._lock = lock
        self.log = RecordFile.open(folder / MATCH_NAME, MATCH_FILE)
        self.journal = RecordFile.open(folder / JOURNAL_NAME, JOURNAL_FILE)

    @classmethod
    def prepare(cls, places: Places, genesis: Genesis, place: Place, secrets: SeatSecrets) -> "Seat":
        """Make the folder of a seat that is about to seal a genesis; keys and genesis are on disk when this returns."""
        folder = private_folder(places.match(genesis.match) / folder_name(genesis.members[place].identity))
        seat = cls._open(folder, secrets)
        try:
            secrets.save(folder / KEYS_NAME)
            with RecordFile.open(folder / START_NAME, MATCH_FILE) as start:
                start.append(records.write_opening(genesis, ()), sync=True)
            for above in folder.parents[:4]:  # a folder made just now is a name in the one above: up to the user's own
                sync_folder(above)
        except BaseException:
            seat.close()
            raise
        return seat

    @classmethod
    def begin_anew(cls, places: Places, found: Found, secrets: SeatSecrets, knock: bytes, note: "Note") -> "Seat":
        """Make the folder of a seat whose files were lost, with new keys; it is there whole, or not at all.

        `LocalError` if this machine has it.
        """
        genesis = found.genesis
        folder = places.match(genesis.match) / folder_name(genesis.members[found.place].identity)
        if folder.exists():
            raise LocalError(
                f"This machine has that seat: `{typed(f'resume {genesis.match.hex()[:12]}')}` goes on with it. "
                f"If its files are of no use any more, move {folder} away."
            )
        making = private_folder(places.data / f"coming-back-{secrets.curve.public.hex()[:16]}")
        try:
            seat = cls._open(making, secrets)
            try:
                seat.open_log(genesis, found.seals)
                seat.log.append([records.write_entry(entry) for entry in found.entries], sync=True)
                with RecordFile.open(making / BACK_NAME, BACK_FILE) as back:
                    back.append(knock, sync=True)
                seat.note(note)
                secrets.save(making / KEYS_NAME)
            finally:
                seat.close()
            private_folder(folder.parent)
            try:
                making.replace(folder)
            except OSError as error:
                raise LocalError(f"Cannot make {folder}: {error.strerror}. Make room there and start again.") from error
            for each in (folder, *folder.parents[:4]):
                sync_folder(each)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
        return cls.reopen(folder)

    @classmethod
    def _open(cls, folder: Path, secrets: SeatSecrets | None = None) -> "Seat":
        lock = SeatLock.take(folder)
        try:
            return cls(folder, lock, SeatSecrets.load(folder / KEYS_NAME) if secrets is None else secrets)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def reopen(cls, folder: Path) -> "Seat":
        """Open the folder of a seat that was left; `LocalError` if another process has it, or a file is gone.

        The log may be gone: it is had again from the others.
        """
        if not (folder / KEYS_NAME).exists():
            raise LocalError(f"{folder / KEYS_NAME} is gone, or this is no seat's folder. {KEYS_FILE.cure}")
        if not (folder / JOURNAL_NAME).exists():
            raise LocalError(f"{folder / JOURNAL_NAME}, with what this seat signed, is gone. {JOURNAL_FILE.cure}")
        return cls._open(folder)

    def open_log(self, genesis: Genesis, seals: Sequence[bytes]) -> None:
        """Write what the match begins with, and have it on the disk itself before anything else is done."""
        self.log.append(records.write_opening(genesis, seals), sync=True)

    def unsealed(self) -> Genesis | None:
        """Return the genesis that we sealed if the log does not tell yet that everybody did; None if it does."""
        if self.log.read() or self._begin_as_a_neighbour():
            return None
        path = self.folder / START_NAME
        try:
            opening = records.parse_record(read_records(path, MATCH_FILE).records[0])
        except (SunwardError, IndexError):
            return None
        return opening.genesis if isinstance(opening, Opening) else None

    def contents(self) -> tuple[Opening, list[bytes], list[Kept]]:
        """Return the opening, the encoded entries and the journal; raise `DamagedFile` if they do not read back."""
        raws = self.log.read() or self._begin_as_a_neighbour()
        try:
            parsed = [records.parse_record(raw) for raw in raws]
        except Malformed as error:
            raise DamagedFile(f"{self.folder / MATCH_NAME} is damaged. {error} {MATCH_FILE.cure}") from error
        try:
            kept = [records.parse_kept(raw) for raw in self.journal.read()]
        except Malformed as error:
            raise DamagedFile(f"{self.folder / JOURNAL_NAME} is damaged. {error} {JOURNAL_FILE.cure}") from error
        if not parsed or not isinstance(parsed[0], Opening):
            raise LocalError(
                f"The match in {self.folder} never began, as not everybody had signed its start; or its "
                f"{MATCH_NAME} was emptied. {MATCH_FILE.cure}"
            )
        entries = standing(record for record in parsed if isinstance(record, Entry))
        lost = _lost(entries, kept, self.place(parsed[0].genesis, kept))
        if lost is not None:
            raise DamagedFile(
                f"{self.folder / JOURNAL_NAME} lacks what this seat signed for step {lost}, which {MATCH_NAME} has: "
                f"it was cut short, or an older copy was put in its place. {JOURNAL_FILE.cure}"
            )
        return parsed[0], [entry.encode() for entry in entries], kept

    def _begin_as_a_neighbour(self) -> list[bytes]:
        """Take the opening, which is the same for all, from another seat of the match here: the rest is resynced.

        Our log has none if we were killed before the last seal came, or if it was deleted.
        """
        if self.knock() is not None:  # where it stood before its files were lost, it cannot stand again
            return []
        for file in sorted(self.folder.parent.glob(f"*/{MATCH_NAME}")):
            try:
                first = read_records(file, MATCH_FILE).records[:1]
                opening = records.parse_record(first[0])
            except (SunwardError, IndexError):
                continue
            if isinstance(opening, Opening) and opening.genesis.match.hex() == self.folder.parent.name:
                self.log.append(first, sync=True)
                return first
        return []

    def knock(self) -> bytes | None:
        """Return the frame that shows whose seat this is, if it came back with new keys."""
        path = self.folder / BACK_NAME
        if not path.exists():
            return None
        return next(iter(read_records(path, BACK_FILE).records), b"")

    def back(self) -> Hello | None:
        """Return what `knock` says; raise `DamagedFile` if it does not read back."""
        knock = self.knock()
        if knock is None:
            return None
        try:
            said = open_frame(knock).payload
        except RemoteError as error:
            raise self._damaged_back() from error
        if not isinstance(said, Hello):
            raise self._damaged_back()
        return said

    def _damaged_back(self) -> DamagedFile:
        return DamagedFile(f"{self.folder / BACK_NAME} is damaged. {BACK_FILE.cure}")

    def has_neighbour(self, member: Member) -> bool:
        """Whether this machine has the seat of a member, too."""
        return (self.folder.parent / folder_name(member.identity)).exists()

    def place(self, genesis: Genesis, kept: Sequence[Kept]) -> Place:
        """Return the place in a match that the folder, its keys and its journal are of; `LocalError` if they differ.

        A copy of a folder beside it has another name, and a lock of its own: two processes could play the seat.
        """
        back = self.back()
        keys = [member.curve if back is None else member.identity for member in genesis.members]
        shown = self.secrets.curve.public if back is None else back.member.identity
        if shown not in keys or (back is not None and back.member.curve != self.secrets.curve.public):
            raise self._mixed_up(f"{KEYS_NAME} is of another match than {MATCH_NAME}")
        place = keys.index(shown)
        own = f"{genesis.match.hex()}/{folder_name(genesis.members[place].identity)}"
        if f"{self.folder.parent.name}/{self.folder.name}" != own:
            raise self._mixed_up(f"the folder of these files is called {own}")
        for record in kept:
            try:
                frame = open_frame(record.frame)
            except RemoteError as error:
                raise DamagedFile(
                    f"{self.folder / JOURNAL_NAME} holds what is no frame. {JOURNAL_FILE.cure}"
                ) from error
            others = frame.kind in _OF_OTHERS
            if frame.match != genesis.match or (frame.place != place and not others):
                raise self._mixed_up(f"{JOURNAL_NAME} is of another seat than {KEYS_NAME}")
        return place

    def _mixed_up(self, how: str) -> LocalError:
        return LocalError(
            f"The seat in {self.folder} was mixed up with another: {how}. "
            "Put its own files back, or move what is only a copy elsewhere."
        )

    def note(self, note: "Note") -> None:
        """Remember who plays this seat and where everybody listens."""
        listening = {str(place): list(each) for place, each in note.listening.items()}
        text = json.dumps({"bot": note.bot, "listen": note.listen, "endpoints": listening})
        replace_file(self.folder / NOTE_NAME, text.encode())

    def hang_out(self, door: str) -> None:
        """Say at which socket this seat's node can be reached; '' for none."""
        try:
            (self.folder / DOOR_NAME).write_text(door, encoding="utf-8")
        except OSError as error:
            raise LocalError(f"Cannot write in {self.folder}: {error.strerror}. Make room and start again.") from error

    def discard(self) -> None:
        """Close and remove a seat whose match never began."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # another seat of ours is in it
            self.folder.parent.rmdir()

    def close(self) -> None:
        """Close the files and let others have the seat."""
        self.log.close()
        self.journal.close()
        self._lock.release()


def _lost(entries: Sequence[Entry], kept: Sequence[Kept], place: Place) -> Step | None:
    """Return the step of the last frame in the log that this seat signed, if its journal lacks it.

    A journal begun anew, as its cure says, is only asked for what came after its beginning.
    """
    if not kept:
        return None
    own = [each.frame for each in kept]
    acked = [frame.step for frame in map(open_frame, own) if (frame.kind, frame.place) == (messages.Kind.ACK, place)]
    if not acked:
        return None
    for entry in reversed(entries):
        if entry.step <= acked[0]:
            return None
        signed = [raw for raw in (*entry.bodies, *entry.acks) if open_frame(raw).place == place]
        if signed:
            return None if set(own).issuperset(signed) else entry.step
    return None


def folder_name(identity: PublicKey) -> str:
    """Return what the folder of an identity's seat is called within its match's."""
    return identity.hex()[:16]


def open_door(folder: Path) -> str | None:
    """Return the socket of the node that plays a seat now, or None if none does."""
    try:
        lock = SeatLock.take(folder)
    except LocalError:
        with contextlib.suppress(OSError):
            return (folder / DOOR_NAME).read_text(encoding="utf-8") or None
    else:
        lock.release()
    return None


@dataclass(frozen=True, slots=True)
class Note:
    """Who plays a seat (None: a person), where it listens, and where the others listened last, by place."""

    bot: str | None
    listen: str
    listening: dict[Place, tuple[str, ...]]


def read_note(folder: Path) -> Note:
    """Return what was noted of a seat; raise `DamagedFile` if that does not read back."""
    path = folder / NOTE_NAME
    try:
        value = cast("dict[str, object]", json.loads(path.read_text(encoding="utf-8")))
        bot, listen = value["bot"], value.get("listen", LOOPBACK)
        endpoints = cast("dict[str, list[str]]", value.get("endpoints", {}))
        listening = {int(place): tuple(map(str, each)) for place, each in endpoints.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged_note(path) from error
    if not isinstance(bot, str | None) or not isinstance(listen, str):
        raise _damaged_note(path)
    return Note(bot, listen, listening)


def _damaged_note(path: Path) -> DamagedFile:
    return DamagedFile(
        f"{path}, which says who plays the seat, is gone or damaged. "
        'Write {"bot": null} into it for a person, or {"bot": "greedy"} for that bot.'
    )
