"""Makes many simulated tables faster: what all members of a world read from the same bytes is read once for all.

Must never be given a function whose value could be changed, or whose outcome depends on more than its argument.
"""

import sys
from collections.abc import Callable
from functools import lru_cache

from sunward_protocol.envelope import open_frame
from sunward_protocol.log import parse_entry
from sunward_protocol.records import parse_record

_PURE: tuple[Callable[..., object], ...] = (open_frame, parse_entry, parse_record)
_HELD = 4096
"""Results that are held of each: more than are under way at a table."""


def open_once() -> None:
    """Put a cache before these functions, in all modules that use them."""
    for pure in _PURE:
        cached = lru_cache(_HELD)(pure)
        for module in list(sys.modules.values()):
            for name in [name for name, value in vars(module).items() if value is pure]:
                setattr(module, name, cached)
