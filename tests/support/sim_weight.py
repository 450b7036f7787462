"""How much a replica holds in memory, counted rather than measured: every element of every container of its machines.

Must never count what the match bounds and what is kept on purpose: the log's entries, genesis, position, chain.
"""

from typing import cast

from sunward_protocol.table.replica import Replica

_MACHINES = ("sunward_protocol.table.", "sunward_protocol.ledger")
_KEPT = ("entries", "genesis", "position", "chain", "own")


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
