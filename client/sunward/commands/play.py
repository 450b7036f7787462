"""`sunward play`: a person and bots at one table, every seat its own node in its own process."""

import asyncio
import getpass
from typing import Protocol

from sunward.commands.attach import EXITS
from sunward.nodes import NodeProcess, Party
from sunward.seating import fill
from sunward_client.line import End, Outcome, attach
from sunward_node.order import Opening, Order, parse_invite
from sunward_protocol.limits import NAME_MOST

_LAST_WORDS = 2.0
"""Seconds that a node may take from closing its door to saying what it died of."""


class Options(Protocol):
    """The command's flags."""

    game: str
    seats: int
    bots: tuple[str, ...]
    components: str | None
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Play until the match is over or the person leaves it, to be resumed."""
    return EXITS[asyncio.run(_play(options)).end]


async def _play(options: Options) -> Outcome:
    names = fill(options.bots, options.game, options.seats, people=1)
    async with Party() as party:
        opening = Opening(options.game, options.seats, {}, options.components)
        mine = await party.start(Order(name=own_name(), open=opening))
        invite = parse_invite(await mine.announced("invite"))
        for number, name in enumerate(names, 1):
            await party.start(Order(name=f"{name}-{number}", bot=name, join=invite))
        return await sit_down(party, mine, plain=options.plain, ascii_only=options.ascii)


async def sit_down(party: Party, node: NodeProcess, *, plain: bool, ascii_only: bool) -> Outcome:
    """Attach a person to their node until one of them, or any other node of the party, ends; raise what one died of."""
    socket = str(await node.announced("socket"))
    playing = asyncio.ensure_future(attach(socket, plain=plain, ascii=ascii_only, resume="sunward resume {match:.12}"))
    failing = asyncio.ensure_future(party.failed())
    try:
        await asyncio.wait([playing, failing], return_when=asyncio.FIRST_COMPLETED)
        lost = playing.done() and (playing.exception() is not None or playing.result().end is End.NODE_LOST)
        if lost:
            await asyncio.wait([failing], timeout=_LAST_WORDS)
        if not playing.done() or (lost and failing.done()):
            await node.stop()  # the client says that its node is gone and how to go on; then we say why
            await asyncio.wait([playing])
            await failing
        if playing.result().end is End.OVER:
            await party.finish()
        return playing.result()
    finally:
        failing.cancel()


def own_name() -> str:
    """Return what the others at the table are shown: the name one is logged in by."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = ""
    return "".join(character for character in name if character.isprintable())[:NAME_MOST] or "player"
