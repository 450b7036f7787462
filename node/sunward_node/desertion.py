"""That the only other player of a match left, as this seat's own record has it: nobody else can be shown a proof.

Must never stand in the match file, which holds what was signed.
"""

from pathlib import Path

from sunward_protocol.errors import LocalError
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Place
from sunward_protocol.table.events import Applied, CameBack, Notice, Stalled

LEFT_NAME = "seat.left"
"""The file in a seat's folder with the name of who left."""


def who_left(folder: Path) -> str | None:
    """Return who left the match of a seat's folder; None if nobody did."""
    try:
        return "".join(filter(str.isprintable, (folder / LEFT_NAME).read_text(encoding="utf-8"))) or None
    except (OSError, ValueError):
        return None


class Desertion:
    """Keeps the record of one seat in a match of two; in a larger one the others play on."""

    def __init__(self, folder: Path, genesis: Genesis, place: Place) -> None:
        self._file = folder / LEFT_NAME
        self._others = [member.name for other, member in enumerate(genesis.members) if other != place]

    def heed(self, notice: Notice) -> None:
        """Take in what happens, as opposed to what is read back: who comes back, or plays on, has not left."""
        if len(self._others) > 1 or not isinstance(notice, Stalled | CameBack | Applied):
            return
        try:
            if isinstance(notice, Stalled):
                self._file.write_text(self._others[0], encoding="utf-8")
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            raise LocalError(f"Cannot write {self._file}: {error.strerror}. Make room and start again.") from error
