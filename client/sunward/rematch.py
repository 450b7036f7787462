"""Another match with the same people, seats moved on by one: who opened the table opens it again."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

from sunward.matchfile import read_match
from sunward.nodes import NodeProcess
from sunward_node.gateway import attach


async def wants_rematch() -> bool:
    """Ask the person at the terminal; nobody is asked through a pipe. May be cancelled, as by Ctrl-C."""
    if not sys.stdin.isatty():
        return False
    sys.stderr.write("Another match with the same people, seats moved on by one? [y/N] ")
    sys.stderr.flush()
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bytes] = loop.create_future()

    def settle(line: bytes) -> None:
        if not answer.done():
            answer.set_result(line)

    def read() -> None:
        line = os.read(sys.stdin.fileno(), 1024)  # not readline: its lock would be missed at the end of the program
        with suppress(RuntimeError):  # the loop has closed meanwhile
            loop.call_soon_threadsafe(settle, line)

    Thread(target=read, daemon=True).start()  # not the loop's own threads: it would wait for them at Ctrl-C
    return (await answer).strip().lower() in (b"y", b"yes")


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
