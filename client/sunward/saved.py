"""The matches that this machine has seats of; must never write into one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sunward_node.places import Places
from sunward_node.seat import MATCH_FILE, MATCH_NAME, START_NAME, folder_name, read_note
from sunward_node.store import read_records
from sunward_protocol.errors import DamagedFile, LocalError, SunwardError
from sunward_protocol.log import Entry
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

    @property
    def standing(self) -> str:
        """How far it got, in a few words."""
        if not self.begun:
            return "signed, not known to have begun"
        return "over" if self.over else f"at step {self.steps}"

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
            # evidence may stand behind the last entry
            last = next((entry for entry in map(parse_record, reversed(records)) if isinstance(entry, Entry)), None)
        except (SunwardError, IndexError):
            continue
        if isinstance(opening, Opening) and opening.genesis.match.hex() == name:
            genesis = opening.genesis
            steps = last.step + 1 if last is not None else 0
            over = last is not None and last.step > 0 and not last.bodies  # only the closing step has none
            names = tuple(member.name for member in genesis.members)
            here = {seat.folder.name for seat in seats}
            elsewhere = tuple(member.name for member in genesis.members if folder_name(member) not in here)
            changed = file.stat().st_mtime
            return SavedMatch(name, genesis.game, names, begun, steps, over, changed, tuple(seats), elsewhere)
    return None


def last_saved(places: Places) -> SavedMatch:
    """Return the match played last that is not over, one that has begun if there is any; `LocalError` for none."""
    left = [match for match in saved_matches(places) if not match.over]
    if not left:
        raise LocalError("There is no match here to go on with: `sunward play` begins one.")
    return next((match for match in left if match.begun), left[0])


def find_saved(text: str, places: Places) -> SavedMatch:
    """Return the match whose id begins with `text`; raise `LocalError` if none or several do."""
    fitting = [match for match in saved_matches(places) if match.match.startswith(text.lower())]
    if len(text) < SHORTEST or not fitting:
        raise LocalError(f"No match here has an id that begins with {text!r}. `sunward matches` lists those there are.")
    if len(fitting) > 1:
        raise LocalError(f"{len(fitting)} matches have ids that begin with {text!r}: give more of it.")
    return fitting[0]
