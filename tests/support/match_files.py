"""Match files as a table leaves them on disk, with real signatures; the same ones every time."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from sunward_node.seat import MATCH_FILE
from sunward_node.store import RecordFile
from sunward_protocol.games.around import AROUND
from support.world import World


@lru_cache
def played(members: int = 3) -> Sequence[bytes]:
    """Return the records of a whole random match of Once Around The Sun: the opening, then one record a step."""
    world = World(members, game=AROUND, real=True)
    world.run()
    assert world.ended()
    return world.disks[0].log


def write_match(path: Path, records: Sequence[bytes]) -> Path:
    """Write a match file that holds these records."""
    with RecordFile.open(path, MATCH_FILE) as file:
        file.append(records)
    return path
