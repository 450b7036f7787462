"""The matches that this machine has seats of; must never write into one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sunward_node.desertion import who_left
from sunward_node.places import Places
from sunward_node.program import typed
from sunward_node.seat import MATCH_FILE, MATCH_NAME, START_NAME, folder_name, read_note
from sunward_node.store import read_records
from sunward_protocol.audit import MatchFile
from sunward_protocol.envelope import open_frame
from sunward_protocol.errors import DamagedFile, LocalError, SunwardError
from sunward_protocol.games.catalog import find
from sunward_protocol.ids import PublicKey
from sunward_protocol.log import Entry, standing
from sunward_protocol.messages import Change, EpochBody
from sunward_protocol.records import Opening, parse_record

SHORTEST = 4
"""Characters of a match id that may stand for all of it."""


@dataclass(frozen=True, slots=True)
class SavedSeat:
    """A seat's folder, and the bot that plays it; a person without one."""

    folder: Path
    bot: str | None

    @property
    def file(self) -> Path:
        """The seat's match file."""
        return self.folder / MATCH_NAME


@dataclass(frozen=True, slots=True)
class SavedMatch:
    """What the files of a match say of it without being believed; the persons' seats come first."""

    match: str
    table: str
    """What an invite to it names, as hex."""
    game: str
    names: tuple[str, ...]
    begun: bool
    """Whether this machine knows that everybody signed the start; others may know it if it does not."""
    steps: int
    over: bool
    changed: float
    """When something was written last, in seconds since 1970."""
    seats: tuple[SavedSeat, ...]
    elsewhere: tuple[str, ...]
    """Who plays a seat that has no folder here."""
    adjourned: bool = False
    left: str | None = None
    """Who left a match of two."""

    @property
    def standing(self) -> str:
        """How far it got, in a few words."""
        if not self.begun:
            return "signed, not known to have begun"
        if self.over:
            return "over"
        if self.left is not None:
            return f"at step {self.steps}; {self.left} left: counts here as won, cannot be proved"
        return f"{'adjourned ' * self.adjourned}at step {self.steps}"

    @property
    def file(self) -> Path:
        """The match file of the first seat that has one."""
        return next((seat.file for seat in self.seats if seat.file.exists()), self.seats[0].file)


def saved_matches(places: Places) -> list[SavedMatch]:
    """Return the matches whose files can be read, the one played last first."""
    found = list[SavedMatch]()
    for folder in sorted(places.matches.glob("*")):
        seats = sorted(
            (SavedSeat(seat, _bot(seat)) for seat in folder.glob("*/")),
            key=lambda seat: (seat.bot is not None, seat.folder),
        )
        match = _read(folder.name, tuple(seats))
        if match is not None:
            found.append(match)
    return sorted(found, key=lambda match: match.changed, reverse=True)


def _bot(folder: Path) -> str | None:
    """Return the bot that plays a seat, or None; a note that is damaged is for its node to complain of."""
    try:
        return read_note(folder).bot
    except DamagedFile:
        return None


def _read(name: str, seats: Sequence[SavedSeat]) -> SavedMatch | None:
    logs = [(seat.file, True) for seat in seats]
    starts = [(seat.folder / START_NAME, False) for seat in seats]  # who was killed before the last seal has no more
    for file, begun in logs + starts:
        try:
            records = read_records(file, MATCH_FILE).records
            opening = parse_record(records[0])
            entries = standing(entry for entry in map(parse_record, records) if isinstance(entry, Entry))
        except (SunwardError, IndexError):
            continue
        if isinstance(opening, Opening) and opening.genesis.match.hex() == name:
            genesis = opening.genesis
            last = _changed(entries[-1]) if entries else None
            left = next((gone for seat in seats if (gone := who_left(seat.folder))), None)
            names = tuple(member.name for member in genesis.members)
            here = {seat.folder.name for seat in seats}
            elsewhere = tuple(member.name for member in genesis.members if folder_name(member.identity) not in here)
            changed = file.stat().st_mtime
            return SavedMatch(
                name,
                genesis.table.hex(),
                genesis.game,
                names,
                begun,
                len(entries),
                _is_over(records, entries),
                changed,
                tuple(seats),
                elsewhere,
                last is not None and bool(last.adjourn),
                left,
            )
    return None


def _changed(entry: Entry) -> Change | None:
    """Return what an entry changed in who plays."""
    first = open_frame(entry.bodies[0]).payload if entry.bodies else None
    return first.change if isinstance(first, EpochBody) else None


def _is_over(records: Sequence[bytes], entries: Sequence[Entry]) -> bool:
    """Whether the last step closes the match: it has no bodies, as only the steps of seats on autopilot, too."""
    if len(entries) < 2 or entries[-1].bodies:
        return False
    if all(_changed(entry) is None for entry in entries):
        return True
    match = MatchFile(records, find)
    for _ in match.replay():
        pass
    return match.ledger.closed


def seat_at(table: str, identity: PublicKey, places: Places) -> tuple[SavedMatch, Path] | None:
    """Return the match that began at a table, known by its id as hex, and the folder of an identity's seat in it."""
    name = folder_name(identity)
    return next(
        (
            (match, seat.folder)
            for match in saved_matches(places)
            for seat in match.seats
            if match.table == table and seat.folder.name == name
        ),
        None,
    )


def last_saved(places: Places) -> SavedMatch:
    """Return the match played last that is not over, one that has begun if there is any; `LocalError` for none."""
    left = [match for match in saved_matches(places) if not match.over]
    if not left:
        raise LocalError(
            f"There is no match here to go on with: `{typed('play')}` begins one, and `{typed('rejoin INVITE')}` "
            "brings back one whose files are lost."
        )
    return next((match for match in left if match.begun), left[0])


def find_saved(text: str, places: Places) -> SavedMatch:
    """Return the match whose id begins with `text`; raise `LocalError` if none or several do."""
    fitting = [match for match in saved_matches(places) if match.match.startswith(text.lower())]
    if len(text) < SHORTEST or not fitting:
        raise LocalError(
            f"No match here has an id that begins with {text!r}. `{typed('matches')}` lists those there are."
        )
    if len(fitting) > 1:
        raise LocalError(f"{len(fitting)} matches have ids that begin with {text!r}: give more of it.")
    return fitting[0]
