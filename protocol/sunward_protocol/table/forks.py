"""Two histories of one match, each locked by those who made it: how they are found, and who signed both.

Must never call a fork what a new epoch may still undo, nor believe an entry whose signatures it did not check.
"""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.errors import Unsigned
from sunward_protocol.evidence import contradiction
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import Step
from sunward_protocol.ledger import Cheat
from sunward_protocol.log import parse_entry, standing
from sunward_protocol.table.repair import are_signed, begins, go_on, parting, replayed
from sunward_protocol.table.steps import Steps


class Fork(NamedTuple):
    """Another history than ours from `step` on, whether neither can be undone, and who signed both, with the frames."""

    step: Step
    final: bool
    cheats: list[tuple[Cheat, list[Frame]]]


def undecided(steps: Steps, encoded: Iterable[bytes]) -> bool:
    """Whether entries leave our log, by the beginning of an epoch, where it has nothing else: both may be honest."""
    entries = standing(map(parse_entry, encoded))
    number = parting(steps, entries)
    if number is None:
        return False
    return all(begins(entry) for entry in (entries[number], *map(parse_entry, steps.entries[entries[number].step :])))


def find(steps: Steps, encoded: Iterable[bytes], signatures: Signatures) -> Fork | None:
    """Return where entries, which begin where our log agrees with them, leave it; None if nothing follows from that.

    A draw, and the beginning of an epoch, may be undone until a step of the game after it is locked: so long it is no
    fork. Raises `RemoteError` for entries that do not follow from what both have.
    """
    entries = standing(map(parse_entry, encoded))
    number = parting(steps, entries)
    if number is None or number + 1 == len(entries) or entries[number].step + 1 == len(steps.entries):
        return None
    step = entries[number].step
    before = replayed(steps, step)
    if number and before.unlocked_gate:  # what the beginning of an epoch locked in our log has its own lock in theirs
        before = replayed(steps, step - 1)
    theirs = go_on(before, entries)
    if not are_signed(theirs, signatures):
        raise Unsigned("Another history that came has a signature that does not hold.")
    ours = [open_frame(raw) for entry in map(parse_entry, steps.entries[step:]) for raw in (*entry.bodies, *entry.acks)]
    shown = [frame for news in theirs for frame in news.frames]
    cheats = dict[int, tuple[Cheat, list[Frame]]]()
    for pair in (*product(ours, shown), *product(shown, ours)):
        if pair[0].place not in cheats and (cheat := contradiction(pair)):
            cheats[cheat.place] = cheat, list(pair)
    locked = [news.entry for news in theirs if news.entry.step <= theirs[-1].ledger.locked]
    final = all(
        any(entry.step > step and not begins(entry) for entry in entries)
        for entries in (locked, map(parse_entry, steps.entries))
    )
    return Fork(step, final, [cheats[place] for place in sorted(cheats)])
