"""Another match with the same people, seats moved on by one: who opened the table opens it again."""

import asyncio
import json
import sys
from pathlib import Path

from sunward.matchfile import read_match
from sunward.nodes import NodeProcess
from sunward_node.gateway import attach


def wants_rematch() -> bool:
    """Ask the person at the terminal; nobody is asked through a pipe."""
    if not sys.stdin.isatty():
        return False
    sys.stderr.write("Another match with the same people, seats moved on by one? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def rotated(file: Path) -> tuple[str, ...]:
    """Return the identities of a finished match in the order of the next one's seats, as hex."""
    match = read_match(file).match
    for _ in match.replay():
        pass
    members = match.genesis.members
    seated = [members[place].identity.hex() for place in match.ledger.place_of]
    return (*seated[1:], *seated[:1])


async def offer(node: NodeProcess, invite: str) -> None:
    """Have a node invite the others of its match to another one."""
    _, writer = await attach(Path(str(await node.announced("socket"))))
    writer.write(json.dumps({"do": "offer", "invite": invite}).encode() + b"\n")
    await writer.drain()
    await asyncio.sleep(0.2)  # the node reads it before it sees that we are gone
    writer.close()
