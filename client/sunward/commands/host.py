"""`sunward host`: open a table for others, and sit down at it."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from sunward.commands.attach import EXITS
from sunward.exits import Exit
from sunward.nodes import NodeProcess, Party
from sunward.rematch import offer, rotated, wants_rematch
from sunward.seating import check_table
from sunward.tabling import beside, is_announced, is_local, listening, own_name, say, show_invite, sit_down
from sunward_client.line import End, Outcome
from sunward_node.invites import write_invite
from sunward_node.order import Opening, Order, parse_invite
from sunward_node.program import typed


class Options(Protocol):
    """The command's flags."""

    game: str
    seats: int
    bots: tuple[str, ...]
    settings: Sequence[tuple[str, str]]
    components: str | None
    clock: Mapping[str, int]
    listen: str | None
    name: str | None
    private: bool
    no_qr: bool
    ready: bool
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Open a table, show the invite, and play; again for as long as the person wants a rematch."""
    check_table(options.bots, options.game, options.seats, people=1)
    return Exit(EXITS[asyncio.run(_host(options)).end])


async def _host(options: Options) -> Outcome:
    async with Party() as party:
        mine = await _open(party, options, (), public=not options.private)
        while True:
            outcome = await sit_down(party, mine, plain=options.plain, ascii_only=options.ascii)
            if outcome.end is not End.OVER or outcome.file is None or not await wants_rematch():
                return outcome
            before = mine
            mine = await _open(party, options, rotated(Path(outcome.file)), public=False)
            await offer(before, write_invite(parse_invite(await mine.announced("invite")), options.game))


async def _open(party: Party, options: Options, seating: tuple[str, ...], *, public: bool) -> NodeProcess:
    """Open a table with the host's own bots at it, and show the way to it; after a match its node has the port yet."""
    listen = listening(options.listen)
    order = Order(
        name=own_name(options.name),
        open=Opening(options.game, options.seats, dict(options.settings), options.components, seating, options.clock),
        listen=beside(listen) if seating else listen,
        ready=options.ready,
        public=public,
    )
    node = await party.start(order)
    invite = parse_invite(await node.announced("invite"))
    if is_local(invite) and not seating:
        alone = "This machine is on no network" if options.listen is None else "The table listens on this machine alone"
        say(f"{alone}: only nodes on it can join. `{typed('doctor')}` says more.")
    if not seating:
        show_invite(invite, options.game, qr=not options.no_qr, announced=is_announced(invite, public=public))
    elif not listen.endswith(":*"):
        say(f"This table listens at another port than {options.listen}: a firewall may keep others out.")
    for number, name in enumerate(options.bots, 1):
        await party.start(Order(name=f"{name}-{number}", bot=name, join=invite, listen=beside(listen)), follows=True)
    return node
