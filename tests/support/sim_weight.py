"""How much a replica holds in memory, counted rather than measured: every element of every container of its machines.

Must never count what the match bounds and what is kept on purpose: the log's entries, the ledgers before those at its
end that may be undone, genesis, position, chain.
"""

from collections.abc import Mapping
from math import inf
from typing import cast

from sunward_protocol import limits
from sunward_protocol.messages import BODIES, CHANGES, Kind
from sunward_protocol.records import Evidence
from sunward_protocol.table.replica import Replica

_MACHINES = ("sunward_protocol.table.", "sunward_protocol.ledger")
OTHERS = "others"
"""What frames of others are counted by that a member keeps before it signs for them."""
_STEPPING = (*BODIES, Kind.ACK, Kind.LINK)
_KEPT = ("entries", "_turns", "genesis", "position", "chain", "own")

THINGS_MOST = 5
"""Things that a replica may hold for each member and step that may be under way; up to 3 were seen."""
CHANGES_MOST = 40
"""Frames about changes that a member may sign for each that comes about: claims made and taken back, votes again.

A liar who keeps one from coming about has the others try again for as long as it likes: with liars it is not asked."""
EVIDENCE_MOST = 4
"""Pieces of evidence that a file may hold against one member and step: a slot each for what it can sign there."""


def too_much(replica: Replica, *, steps: int, epochs: int, liars: int, kept: Mapping[str, int]) -> str:
    """Return what a replica has too much of, "" for nothing; `kept` counts what it signed and logged, by name."""
    ahead, members = limits.LEAD + 1, replica.steps.settled.members
    changes, stepping = (sum(kept.get(kind.name, 0) for kind in kinds) for kinds in (CHANGES, _STEPPING))
    bounds = (
        ("holds things", weigh(replica), THINGS_MOST * (ahead + 1) * members),
        ("has logged evidence", kept.get(Evidence.__name__, 0), EVIDENCE_MOST * liars * (steps + ahead)),
        ("has signed about changes", changes, inf if liars else CHANGES_MOST * (epochs + 1)),
        ("has kept of others", kept.get(OTHERS, 0), 2 * members * (steps + ahead)),
        ("has signed for steps", stepping, 4 * (steps + ahead)),
    )
    return ", ".join(f"{what}: {count}, not {most} at most" for what, count, most in bounds if count > most)


def weigh(replica: Replica) -> int:
    """Return the number of things held."""
    return _weigh(replica, set())


def _weigh(thing: object, met: set[int]) -> int:
    if id(thing) in met:
        return 0
    met.add(id(thing))
    if isinstance(thing, dict):
        mapping = cast("dict[object, object]", thing)
        return len(mapping) + sum(_weigh(value, met) for value in mapping.values())
    if type(thing) is list or type(thing) is set:
        each = cast("list[object]", thing)
        return len(each) + sum(_weigh(value, met) for value in each)
    if not type(thing).__module__.startswith(_MACHINES) or isinstance(thing, tuple):
        return 0
    names = [*getattr(thing, "__dict__", ()), *getattr(type(thing), "__slots__", ())]
    return sum(_weigh(getattr(thing, name), met) for name in names if name not in _KEPT)
