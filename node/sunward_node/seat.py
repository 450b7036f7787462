"""A seat's folder: everything that one identity has of one match, under a lock that one process holds.

    match.sunward   the log: what `verify` reads, and anyone may have
    seat.journal    what this seat signed, with its secrets
    seat.keys       its keys for this match
    seat.json       who plays it, and where the others listened last

Must never be used by two processes at once.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from sunward_node.keys import SeatSecrets
from sunward_node.lock import SeatLock
from sunward_node.places import Places, private_folder
from sunward_node.store import Kind, RecordFile
from sunward_protocol import records
from sunward_protocol.errors import DamagedFile, LocalError, Malformed
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Place
from sunward_protocol.log import Entry
from sunward_protocol.records import Kept, Opening

MATCH_FILE = Kind(records.LOG_MAGIC)
JOURNAL_FILE = Kind(records.JOURNAL_MAGIC)
MATCH_NAME, JOURNAL_NAME, KEYS_NAME, NOTE_NAME = "match.sunward", "seat.journal", "seat.keys", "seat.json"


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
        """Make the folder of a seat that is about to seal a genesis: its keys are on disk when this returns."""
        identity = genesis.members[place].identity
        folder = private_folder(places.match(genesis.match) / identity.hex()[:16])
        lock = SeatLock.take(folder)
        secrets.save(folder / KEYS_NAME)
        return cls(folder, lock, secrets)

    @classmethod
    def reopen(cls, folder: Path) -> "Seat":
        """Open the folder of a seat that was left; `LocalError` if another process has it, or its keys are gone."""
        if not (folder / MATCH_NAME).exists():
            raise LocalError(f"{folder} holds no match: it is no seat's folder, or its match never began.")
        lock = SeatLock.take(folder)
        return cls(folder, lock, SeatSecrets.load(folder / KEYS_NAME))

    def open_log(self, genesis: Genesis, seals: Sequence[bytes]) -> None:
        """Write what the match begins with, and have it on the disk itself before anything else is done."""
        self.log.append(records.write_opening(genesis, seals), sync=True)

    def contents(self) -> tuple[Opening, list[bytes], list[Kept]]:
        """Return the opening, the encoded entries and the journal; raise `DamagedFile` if they do not read back."""
        try:
            parsed = [records.parse_record(raw) for raw in self.log.read()]
            kept = [records.parse_kept(raw) for raw in self.journal.read()]
        except Malformed as error:
            raise DamagedFile(f"A file in {self.folder} is damaged: {error}") from error
        if not parsed or not isinstance(parsed[0], Opening):
            raise LocalError(f"The match in {self.folder} never began: not everybody had signed its start.")
        return parsed[0], [record.encode() for record in parsed if isinstance(record, Entry)], kept

    def note(self, bot: str | None, endpoints: Mapping[Place, Sequence[str]]) -> None:
        """Remember who plays this seat and where the others listen."""
        text = json.dumps({"bot": bot, "endpoints": {str(place): list(each) for place, each in endpoints.items()}})
        fresh = self.folder / f"{NOTE_NAME}.new"
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self.folder / NOTE_NAME)

    def close(self) -> None:
        """Close the files and let others have the seat."""
        self.log.close()
        self.journal.close()
        self._lock.release()


def read_note(folder: Path) -> tuple[str | None, dict[Place, tuple[str, ...]]]:
    """Return which bot plays a seat and where the others listened; a person and nowhere if that was never written."""
    try:
        value = json.loads((folder / NOTE_NAME).read_text(encoding="utf-8"))
        endpoints = cast("dict[str, list[str]]", value["endpoints"])
        return value["bot"], {int(place): tuple(each) for place, each in endpoints.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None, {}
