"""`sunward attach`: sit down again at a running node of one's own.

Must never stop the node unless the person says so: closing the window only leaves it.
"""

import asyncio
from collections.abc import Mapping
from typing import Protocol

from sunward.exits import Exit
from sunward.tabling import AGAIN, RESUME
from sunward_client.line import End, attach

EXITS: Mapping[End, Exit] = {
    End.OVER: Exit.OK,
    End.QUIT: Exit.OK,
    End.DETACHED: Exit.OK,
    End.INPUT_ENDED: Exit.UNFINISHED,
    End.INTERRUPTED: Exit.INTERRUPTED,
    End.NODE_LOST: Exit.UNFINISHED,
    End.REMATCH: Exit.OK,
}
"""What a script learns from how a client left."""


class Options(Protocol):
    """The command's flags."""

    socket: str
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Play on the node until the match is over or the person leaves."""
    outcome = asyncio.run(
        attach(
            options.socket,
            plain=options.plain,
            ascii=options.ascii,
            resume=RESUME,
            again=AGAIN,
            stop_node=False,
        )
    )
    return EXITS[outcome.end]
