"""`sunward join`: sit down at somebody's table, by an invite or by choosing one on this network."""

import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from sunward.commands.attach import EXITS
from sunward.commands.tables import describe
from sunward.exits import Exit
from sunward.nodes import Party
from sunward.tabling import beside, listening, own_name, say, sit_down
from sunward_client.line import End, Outcome
from sunward_node.addressbook import AddressBook
from sunward_node.discovery import DISCOVERY, browsing
from sunward_node.invites import read_invite
from sunward_node.opentable import OpenTable
from sunward_node.order import Invite, Order
from sunward_node.places import Places
from sunward_node.program import typed
from sunward_node.settings import Settings
from sunward_node.words import short_words
from sunward_protocol.errors import LocalError

_LOOK_FOR = 4.0
"""Seconds until nothing found counts as nothing there: twice what a table takes to appear."""
_SETTLES = 0.7
"""Seconds after the first table until the others that are there have appeared too."""


class Options(Protocol):
    """The command's flags."""

    invite: Sequence[str]
    listen: str | None
    name: str | None
    ready: bool
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Find the table, knock, and play."""
    invite = read_invite("".join(options.invite))[0] if options.invite else _choose()
    host = bytes.fromhex(invite.identity)
    known = AddressBook.of(Places.find(os.environ)).name_of(host)
    say(f"Knocking at the table of {known or 'somebody you have not met'} ({short_words(host)}) ...")
    return Exit(EXITS[asyncio.run(_join(options, invite)).end])


def _choose() -> Invite:
    """Let the person choose one of the tables on this network."""
    places = Places.find(os.environ)
    if not Settings.load({}, os.environ, places.settings).get(DISCOVERY):
        raise LocalError("Looking for tables is switched off by the setting discovery: give an invite.")
    names = AddressBook.of(places).entries()
    found = asyncio.run(_look())
    if not found:
        raise LocalError(f"No table was found on this network: ask its host for an invite, or see `{typed('doctor')}`.")
    if len(found) == 1:
        say(describe(found[0], names))
        return found[0].invite
    for number, table in enumerate(found, 1):
        say(f"{number:3}  {describe(table, names)}")
    if not sys.stdin.isatty():
        raise LocalError(f"There are several tables: give the invite of one, from `{typed('tables --json')}`.")
    while True:
        sys.stderr.write("Which one? ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise LocalError("No table was chosen.")
        if line.strip().isdecimal() and 1 <= int(line) <= len(found):
            return found[int(line) - 1].invite


async def _look() -> list[OpenTable]:
    """Return the tables that have a seat free, as soon as there are any."""
    changed = asyncio.Event()
    async with browsing(changed.set) as browser:
        try:
            async with asyncio.timeout(_LOOK_FOR):
                while not browser.tables:
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            return []
        await asyncio.sleep(_SETTLES)
        free = [table for table in browser.tables if table.taken < table.seats]
    return sorted(free, key=lambda table: (table.name, table.invite.table))


async def _join(options: Options, invite: Invite) -> Outcome:
    """Play at a table, and at the next one whenever somebody offers a rematch and it is taken."""
    listen = listening(options.listen)
    async with Party() as party:
        while True:
            order = Order(name=own_name(options.name), join=invite, listen=listen, ready=options.ready)
            mine = await party.start(order)
            outcome = await sit_down(party, mine, plain=options.plain, ascii_only=options.ascii)
            if outcome.end is not End.REMATCH or outcome.invite is None:
                return outcome
            invite, listen = read_invite(outcome.invite)[0], beside(listen)
