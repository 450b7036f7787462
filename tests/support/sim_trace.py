"""What went on in a simulated world, line by line, for people. Must never change any of it."""

from collections.abc import Callable
from itertools import groupby

from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.errors import RemoteError
from sunward_protocol.ids import Place
from sunward_protocol.log import Entry
from sunward_protocol.messages import Act, Kind, Link, Status, Sync
from sunward_protocol.records import parse_kept, parse_record
from sunward_protocol.table.commands import Command, Keep, Log, Strike, Tell
from sunward_protocol.table.events import Asked, Event, Heard, Woken
from support.sim_seams import Watch
from support.world import World


class Trace(Watch):
    """Writes every event and command as a line: the world's time, the member, what it did.

    `<-` is heard, `->` is sent (`lost` if it never arrives), `||` is written to disk, `!!` is told.
    """

    def __init__(self, world: World, write: Callable[[str], None], statuses: bool = False) -> None:
        self._world = world
        self._write = write
        self._statuses = statuses

    def started(self, place: Place) -> None:
        disk = self._world.disks[place]
        self._line(place, "**", f"starts, with {len(disk.log) - 1} entries and {len(disk.journal)} signed frames")

    def stopped(self, place: Place) -> None:
        self._line(place, "**", "dies")

    def happens(self, place: Place, event: Event) -> None:
        if isinstance(event, Heard):
            self._frame(place, "<-", event.sender, event.raw)
        elif not isinstance(event, Woken):
            self._line(place, "..", str(event))

    def doing(self, place: Place, command: Command) -> None:
        if isinstance(command, Keep):
            self._line(place, "||", f"signs {describe(open_frame(parse_kept(command.record).frame))}")
        elif isinstance(command, Log):
            record = parse_record(command.record)
            what = f"logs step {record.step}" if isinstance(record, Entry) else "logs evidence"
            self._line(place, "||", what)
        elif isinstance(command, Strike):
            self._line(place, "!!", str(command))
        elif isinstance(command, Tell) and not isinstance(command.notice, Asked):
            self._line(place, "!!", str(command.notice))

    def posted(self, sender: Place, receiver: Place, raw: bytes) -> None:
        self._frame(sender, "->", receiver, raw)

    def _frame(self, place: Place, arrow: str, other: Place, raw: bytes) -> None:
        try:
            frame = open_frame(raw)
        except RemoteError as error:
            self._line(place, arrow, f"{other}: {error}")
            return
        if self._statuses or frame.kind is not Kind.STATUS:
            self._line(place, arrow, f"{other}: {describe(frame)}")

    def _line(self, place: Place, mark: str, what: str) -> None:
        self._write(f"{self._world.now:10.4f}  {place} {mark} {what}")


def describe(frame: Frame) -> str:
    """Return a frame in a few words: kind, step, author, and the first bytes of the head it is over."""
    shown = frame.payload
    words = f"{frame.kind.name} {frame.step} of {frame.place} over {frame.head.hex()[:6]}"
    if isinstance(shown, Act):
        return f"{words} {list(shown.choices)}"
    if isinstance(shown, Link):
        return f"{words} number {shown.attempt}"
    if isinstance(shown, Sync):
        return f"SYNC of {len(shown.entries)} entries"
    if isinstance(shown, Status):
        held = [f"{Kind(kind).name} {step}" for step, kind, _ in shown.holds]
        return f"STATUS at {frame.step}, holds {', '.join(key for key, _ in groupby(held)) or 'nothing'}"
    return words
