"""The matches that this machine has seats of; must never write into one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sunward_node.places import Places
from sunward_node.seat import MATCH_FILE, MATCH_NAME, read_note
from sunward_node.store import read_records
from sunward_protocol.errors import LocalError, SunwardError
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
    steps: int
    over: bool
    changed: float
    """When something was written last, in seconds since 1970."""
    seats: tuple[SavedSeat, ...]


def saved_matches(places: Places) -> list[SavedMatch]:
    """Return the matches whose files can be read, the one played last first."""
    found = list[SavedMatch]()
    for folder in sorted(places.matches.glob("*")):
        seats = sorted(
            (SavedSeat(file.parent, read_note(file.parent)[0]) for file in folder.glob(f"*/{MATCH_NAME}")),
            key=lambda seat: (seat.bot is not None, seat.folder),
        )
        match = _read(folder.name, tuple(seats))
        if match is not None:
            found.append(match)
    return sorted(found, key=lambda match: match.changed, reverse=True)


def _read(name: str, seats: Sequence[SavedSeat]) -> SavedMatch | None:
    for seat in seats:
        try:
            records = read_records(seat.file, MATCH_FILE).records
            opening, last = parse_record(records[0]), parse_record(records[-1])
        except (SunwardError, IndexError):
            continue
        if isinstance(opening, Opening):
            genesis = opening.genesis
            steps = last.step + 1 if isinstance(last, Entry) else 0
            over = isinstance(last, Entry) and last.step > 0 and not last.bodies  # only the closing step has none
            names = tuple(member.name for member in genesis.members)
            return SavedMatch(name, genesis.game, names, steps, over, seat.file.stat().st_mtime, tuple(seats))
    return None


def find_saved(text: str, places: Places) -> SavedMatch:
    """Return the match whose id begins with `text`; raise `LocalError` if none or several do."""
    fitting = [match for match in saved_matches(places) if match.match.startswith(text.lower())]
    if len(text) < SHORTEST or not fitting:
        raise LocalError(f"No match here has an id that begins with {text!r}. `sunward matches` lists those there are.")
    if len(fitting) > 1:
        raise LocalError(f"{len(fitting)} matches have ids that begin with {text!r}: give more of it.")
    return fitting[0]
