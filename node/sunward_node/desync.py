"""Writes down, beside the match file, what this side has when another replica came to another position.

Must never stop a match: what convicts somebody stands in the match file anyway.
"""

import logging
import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

from sunward_node.program import typed
from sunward_node.store import replace_file
from sunward_protocol.desync import bundle
from sunward_protocol.errors import LocalError
from sunward_protocol.table.events import Notice, Troubled
from sunward_protocol.table.replica import Replica

FILES_MOST = 8
"""Files that are written for one match: the first difference is what matters, and a liar could make one every step."""

_LOG = logging.getLogger(__name__)


class Bundles:
    """The bundles of one seat: a file for each step after which somebody differed, written once and never again."""

    def __init__(self, folder: Path, replica: Replica, publish: Callable[[Mapping[str, object]], None]) -> None:
        """Take the folder of the seat, and what tells whoever sits here."""
        self._folder = folder
        self._replica = replica
        self._publish = publish

    def heed(self, notice: Notice) -> None:
        """Take in what happens; say where a bundle was written, or why it could not be."""
        if not isinstance(notice, Troubled):
            return
        file = self._folder / f"desync-{notice.step}.json"
        if file.exists() or len(list(self._folder.glob("desync-*.json"))) >= FILES_MOST:
            return
        made = bundle(self._replica.steps, notice, versions())
        if made is None:
            return
        said = f"{file} holds what this side has: compare it with the other side's by `{typed('desync FILE OTHER')}`."
        try:
            replace_file(file, made.write().encode())
        except LocalError as error:
            said = f"What this side has could not be written down. {error}"
        _LOG.warning("%s", said)  # a bot has nobody at its socket
        self._publish({"event": "trouble", "code": "desync-file", "sentence": said})


def versions() -> Mapping[str, str]:
    """Return which program plays here, and by which Python."""
    return {"program": version("sunward"), "python": f"{platform.python_implementation()} {platform.python_version()}"}
