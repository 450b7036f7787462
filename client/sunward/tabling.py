"""Sitting down at a table with others: what `host`, `join` and `resume` have in common."""

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from typing import cast

from sunward.exits import Misused
from sunward.nodes import NodeProcess, Party
from sunward_client.line import End, Outcome, attach
from sunward_node.addresses import is_dialable
from sunward_node.discovery import DISCOVERY
from sunward_node.invites import write_invite
from sunward_node.order import Invite
from sunward_node.places import Places
from sunward_node.program import typed
from sunward_node.settings import Settings, text
from sunward_protocol.limits import NAME_MOST

ANYWHERE = "tcp://*:*"
"""Listens for other machines, at any port."""

PORT_MOST = 65_535
"""The last port there is."""

NAME = text("name", NAME_MOST, "")
"""The setting with the name that others see."""

RESUME = typed("resume {match:.12}")
"""The command that goes on with a match, to be formatted with its id."""

AGAIN = typed("attach {path}")
"""The command that sits down at a node again, to be formatted with its socket."""

_LAST_WORDS = 2.0
"""Seconds that a node may take from closing its door to saying what it died of."""


def own_name(given: str | None = None) -> str:
    """Return what the others at the table are shown: as set, else the name one is logged in by."""
    import getpass

    places = Places.find(os.environ)
    name = Settings.load({"name": given}, os.environ, places.settings).get(NAME)
    if not name:
        try:
            name = getpass.getuser()
        except (OSError, KeyError):
            name = ""
    return "".join(character for character in name if character.isprintable())[:NAME_MOST] or "player"


def listening(address: str | None) -> str:
    """Return where to listen, given HOST, HOST:PORT, :PORT or nothing; raise `Misused` for a port there is not."""
    if address is None:
        return ANYWHERE
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    if not port.isdecimal() and port != "*":
        host, port = address.removeprefix("tcp://"), "*"
    if port.isdecimal() and not 1 <= int(port) <= PORT_MOST:  # ZeroMQ would listen at what is left of it in 16 bits
        raise Misused(f"--listen {address} names no port: they go from 1 to {PORT_MOST}.")
    return f"tcp://{host or '*'}:{port}"


def beside(listen: str) -> str:
    """Return where a further node listens: as the first, but at any port, since the port given is that one's."""
    return f"{listen.rpartition(':')[0]}:*"


def peer_address(text: str) -> str:
    """Return the address of another's node, given HOST:PORT in numbers; raise `Misused` for anything else."""
    address = f"tcp://{text.removeprefix('tcp://')}"
    if not is_dialable(address):
        raise Misused(f"{text!r} is no address of a node: it looks like 192.168.1.20:4242, or [fd00::20]:4242.")
    return address


async def sit_down(party: Party, node: NodeProcess, *, plain: bool, ascii_only: bool) -> Outcome:
    """Attach a person to their node until one of them, or any other node of the party, ends; raise what one died of."""
    socket = str(await node.announced("socket"))
    playing = asyncio.ensure_future(attach(socket, plain=plain, ascii=ascii_only, resume=RESUME, again=AGAIN))
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
        elif playing.result().end is End.DETACHED:
            await party.release()
        return playing.result()
    finally:
        failing.cancel()
        playing.cancel()
        await asyncio.wait([playing, failing])


def is_local(invite: Invite) -> bool:
    """Whether only nodes on this machine can follow an invite."""
    return all("//127." in endpoint or "//[::1]" in endpoint for endpoint in invite.endpoints)


def is_announced(invite: Invite, *, public: bool) -> bool:
    """Whether others on the network are told of the table by itself."""
    looked_for = Settings.load({}, os.environ, Places.find(os.environ).settings).get(DISCOVERY)
    return public and looked_for and not is_local(invite)


def show_invite(invite: Invite, game: str, *, qr: bool, announced: bool) -> None:
    """Print an invite for people: the line on standard output, the rest beside it."""
    line = write_invite(invite, game)
    say("Your table is open. Give this line to those who shall join, who type: sunward join LINE", "")
    print(line, flush=True)
    if qr and sys.stderr.isatty():
        from sunward_node.qr import qr_lines

        say("", *(qr_lines(line, shutil.get_terminal_size().columns) or ["(The window is too narrow for a QR code.)"]))
    found = "On this network they find it by themselves, with: sunward join"
    say("", found if announced else "It is not announced: they need the line.", "")


async def say_where(node: NodeProcess) -> None:
    """Say where a node that others may have lost listens now, if it can be reached from elsewhere at all."""
    endpoints = [str(each).removeprefix("tcp://") for each in cast("list[object]", await node.announced("listening"))]
    if not all("127.0.0.1" in each for each in endpoints):
        say(f"If the others do not find you, tell one of them: sunward resume --at {endpoints[0]}")


def say(*lines: Sequence[str]) -> None:
    """Say lines on standard error."""
    for line in lines:
        print(line, file=sys.stderr, flush=True)
