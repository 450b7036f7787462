"""`sunward rejoin`: come back to a match whose files are lost, or from elsewhere, by the identity that began it."""

import asyncio
import os
from collections.abc import Sequence
from typing import Protocol

from sunward.commands.attach import EXITS
from sunward.exits import Exit
from sunward.nodes import Party
from sunward.tabling import listening, say, sit_down
from sunward_client.line import Outcome
from sunward_node.addressbook import AddressBook
from sunward_node.invites import read_invite
from sunward_node.order import Invite, Order
from sunward_node.places import Places
from sunward_node.words import short_words


class Options(Protocol):
    """The command's flags."""

    invite: Sequence[str]
    listen: str | None
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Knock at a node of the match until it lets us in, and play on."""
    invite, _ = read_invite("".join(options.invite))
    host = bytes.fromhex(invite.identity)
    known = AddressBook.of(Places.find(os.environ)).name_of(host)
    say(f"Knocking at the node of {known or 'somebody you have no name for'} ({short_words(host)}) ...")
    return Exit(EXITS[asyncio.run(_rejoin(options, invite)).end])


async def _rejoin(options: Options, invite: Invite) -> Outcome:
    async with Party() as party:
        node = await party.start(Order(rejoin=invite, listen=listening(options.listen)))
        return await sit_down(party, node, plain=options.plain, ascii_only=options.ascii)
