"""`sunward resume`: go on with a match that was left, with every seat of it that this machine holds."""

import asyncio
import os
import sys
from typing import Protocol

from sunward.commands.attach import EXITS
from sunward.exits import Exit
from sunward.nodes import Party
from sunward.saved import SavedMatch, find_saved, last_saved
from sunward.tabling import AGAIN, RESUME, peer_address, say_where, sit_down
from sunward_client.line import attach
from sunward_node.lock import is_held
from sunward_node.order import Order
from sunward_node.places import Places
from sunward_node.seat import open_door


class Options(Protocol):
    """The command's flags."""

    match: str | None
    at: str | None
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Play on from the last locked step."""
    places = Places.find(os.environ)
    match = last_saved(places) if options.match is None else find_saved(options.match, places)
    return asyncio.run(_play(match, options))


async def _play(match: SavedMatch, options: Options) -> int:
    if not match.begun:
        print("You signed the start of this match; whether everybody did, the others are asked.", file=sys.stderr)
    if match.elsewhere:
        waiting = (
            f"{' and '.join(match.elsewhere)} must come back too: there is no folder of that seat on this machine."
        )
        print(waiting, file=sys.stderr)
    door = open_door(match.seats[0].folder)
    if door is not None:  # its node plays on, as after `detach`
        left = await attach(door, plain=options.plain, ascii=options.ascii, resume=RESUME, again=AGAIN, stop_node=False)
        return EXITS[left.end]
    at = None if options.at is None else peer_address(options.at)
    async with Party() as party:
        idle = [seat for seat in match.seats[1:] if not is_held(seat.folder)]  # bots that were left play on
        nodes = [
            await party.start(Order(resume=str(seat.folder), at=at), follows=seat.bot is not None)
            for seat in (match.seats[0], *idle)
        ]
        await say_where(nodes[0])
        if match.seats[0].bot is None:
            return EXITS[(await sit_down(party, nodes[0], plain=options.plain, ascii_only=options.ascii)).end]
        await asyncio.gather(*(node.announced("over", None) for node in nodes))
        print(f"The match is over. Match file: {match.seats[0].file}")
        return Exit.OK
