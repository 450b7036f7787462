"""`sunward play`: a person and bots at one table, every seat its own node in its own process."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from sunward.commands.attach import EXITS
from sunward.nodes import Party
from sunward.seating import fill
from sunward.tabling import own_name, sit_down
from sunward_client.line import Outcome
from sunward_node.order import Opening, Order, parse_invite


class Options(Protocol):
    """The command's flags."""

    game: str
    seats: int
    bots: tuple[str, ...]
    settings: Sequence[tuple[str, str]]
    components: str | None
    clock: Mapping[str, int]
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Play until the match is over or the person leaves it, to be resumed."""
    return EXITS[asyncio.run(_play(options)).end]


async def _play(options: Options) -> Outcome:
    names = fill(options.bots, options.game, options.seats, people=1)
    async with Party() as party:
        opening = Opening(options.game, options.seats, dict(options.settings), options.components, clock=options.clock)
        mine = await party.start(Order(name=own_name(), open=opening))
        invite = parse_invite(await mine.announced("invite"))
        for number, name in enumerate(names, 1):
            await party.start(Order(name=f"{name}-{number}", bot=name, join=invite), follows=True)
        return await sit_down(party, mine, plain=options.plain, ascii_only=options.ascii)
