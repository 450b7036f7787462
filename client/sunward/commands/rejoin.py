"""`sunward rejoin`: come back to a match whose files are lost, or from elsewhere, by the identity that began it."""

import asyncio
import os
from collections.abc import Sequence
from typing import Protocol

from sunward.commands.attach import EXITS
from sunward.exits import Exit
from sunward.nodes import Party
from sunward.saved import seat_at
from sunward.tabling import listening, say, sit_down
from sunward_client.line import Outcome
from sunward_node.addressbook import AddressBook
from sunward_node.founding import own_identity
from sunward_node.invites import read_invite
from sunward_node.order import Invite, Order
from sunward_node.places import Places
from sunward_node.program import typed
from sunward_node.words import short_words
from sunward_protocol.errors import LocalError
from sunward_protocol.ids import PublicKey


class Options(Protocol):
    """The command's flags."""

    invite: Sequence[str]
    listen: str | None
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Knock at a node of the match until it lets us in, and play on."""
    invite, _ = read_invite("".join(options.invite))
    places = Places.find(os.environ)
    own = _identity(places)
    _refuse_own(invite, own, places)
    host = bytes.fromhex(invite.identity)
    known = AddressBook.of(places).name_of(host)
    say(
        f"Knocking at the node of {known or 'somebody you have no name for'} ({short_words(host)}); "
        f"you are {short_words(own)}."
    )
    return Exit(EXITS[asyncio.run(_rejoin(options, invite)).end])


def _identity(places: Places) -> PublicKey:
    """Return whose seat it can only be; raise `LocalError` where there is nobody: one made now would have none."""
    if not (places.keys / "identity.pem").exists():
        raise LocalError(
            f"There is no identity on this machine to come back by: put the copy of your identity.pem into "
            f"{places.keys}, readable by you alone."
        )
    return own_identity(places, None, "").public


def _refuse_own(invite: Invite, own: PublicKey, places: Places) -> None:
    """Raise `LocalError` if this machine has our seat of that match: nobody has to be asked for it."""
    saved = seat_at(invite.table, own, places)
    if saved is None:
        return
    match, folder = saved
    if match.over:
        raise LocalError(f"That match is over, and you have it: `{typed('replay')} {match.match[:12]}` shows it.")
    raise LocalError(
        f"This machine has that seat: `{typed('resume')} {match.match[:12]}` goes on with it. "
        f"If its files are of no use any more, move {folder} away."
    )


async def _rejoin(options: Options, invite: Invite) -> Outcome:
    async with Party() as party:
        node = await party.start(Order(rejoin=invite, listen=listening(options.listen)))
        return await sit_down(party, node, plain=options.plain, ascii_only=options.ascii)
