"""`sunward tables`: the open tables on this network."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Protocol

from sunward.exits import Exit
from sunward_node.addressbook import AddressBook
from sunward_node.discovery import DISCOVERY, browsing
from sunward_node.invites import write_invite
from sunward_node.opentable import OpenTable
from sunward_node.places import Places
from sunward_node.program import typed
from sunward_node.settings import Settings
from sunward_protocol.errors import LocalError
from sunward_protocol.ids import PublicKey
from sunward_protocol.limits import PROTOCOL_VERSION


class Options(Protocol):
    """The command's flags."""

    json: bool
    wait: float
    quiet: bool


def run(options: Options) -> int:
    """Look for a while and list what is there."""
    places = Places.find(os.environ)
    if not Settings.load({}, os.environ, places.settings).get(DISCOVERY):
        raise LocalError(
            "Looking for tables is switched off by the setting discovery: join with an invite, or set it to yes "
            f"(in {places.settings}, or SUNWARD_DISCOVERY=yes)."
        )
    names = AddressBook.of(places).entries()
    found = asyncio.run(_look(options.wait))
    if options.json:
        print(json.dumps([_told(table, names) for table in found]))
        return Exit.OK
    for table in found:
        print(describe(table, names))
    if not options.quiet:
        none = f"No table on this network within {options.wait:g} s: ask for an invite, or see `{typed('doctor')}`."
        print(f"`{typed('join')}` lets you choose one of them." if found else none, file=sys.stderr)
    return Exit.OK


async def _look(seconds: float) -> Sequence[OpenTable]:
    async with browsing(lambda: None) as browser:
        await asyncio.sleep(seconds)
        return sorted(browser.tables, key=lambda table: (table.name, table.invite.table))


def describe(table: OpenTable, names: Mapping[PublicKey, str]) -> str:
    """Return one line on a table: game, seats, its host, and who that is in the address book."""
    known = names.get(bytes.fromhex(table.invite.identity))
    host = f"{table.name or 'nobody'} ({table.words})" + (f", your {known}" if known else "")
    other = f", needs protocol version {table.version}" if table.version != PROTOCOL_VERSION else ""
    return f"{table.game}  {table.taken} of {table.seats} seats taken  {host}{other}"


def _told(table: OpenTable, names: Mapping[PublicKey, str]) -> Mapping[str, object]:
    return {
        "game": table.game,
        "seats": table.seats,
        "taken": table.taken,
        "host": table.name,
        "words": table.words,
        "known": names.get(bytes.fromhex(table.invite.identity)),
        "version": table.version,
        "endpoints": table.invite.endpoints,
        "invite": write_invite(table.invite, table.game),
    }
