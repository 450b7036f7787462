"""`sunward demo`: bots play a whole match, each its own node in its own process, and the match file is verified."""

import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from sunward.commands import verify
from sunward.matchfile import read_match
from sunward.nodes import Party
from sunward.seating import fill
from sunward_node.order import Opening, Order, parse_invite
from sunward_protocol.audit import audit
from sunward_protocol.identity import Ed25519Signatures


class Options(Protocol):
    """The command's flags."""

    game: str
    seats: int
    bots: tuple[str, ...]
    settings: Sequence[tuple[str, str]]
    components: str | None
    clock: Mapping[str, int]
    json: bool
    quiet: bool


def run(options: Options) -> int:
    """Play, verify, and print how it ended."""
    begun = time.monotonic()
    path = asyncio.run(_play(options))
    match, torn = read_match(path)
    report = audit(match, Ed25519Signatures(), verify.check_all, torn)
    result = match.ledger.position.result()
    names = [match.genesis.members[place].name for place in match.ledger.place_of]
    scores = () if result is None else result.scores
    seconds = round(time.monotonic() - begun, 2)
    if options.json:
        told: dict[str, object] = {
            "match": match.genesis.match.hex(),
            "file": str(path),
            "names": names,
            "scores": scores,
        }
        told |= {"winners": report.winners, "verdict": report.verdict, "steps": report.step, "seconds": seconds}
        print(json.dumps(told))
    elif not options.quiet:
        for name, score in zip(names, scores, strict=False):
            print(f"{score:5}  {name}")
        print(f"{verify.sentence(report, names)} {seconds} s.")
        print(f"Match file: {path}")
    return verify.EXITS[report.verdict]


async def _play(options: Options) -> Path:
    """Let the bots play and return the first one's match file."""
    names = fill(options.bots, options.game, options.seats)
    async with Party() as party:
        opening = Opening(options.game, options.seats, dict(options.settings), options.components, clock=options.clock)
        host = await party.start(Order(name=f"{names[0]}-1", bot=names[0], open=opening))
        invite = parse_invite(await host.announced("invite"))
        guests = [
            await party.start(Order(name=f"{name}-{number}", bot=name, join=invite))
            for number, name in enumerate(names[1:], 2)
        ]
        if not (options.quiet or options.json) and sys.stderr.isatty():
            print(f"{options.seats} nodes are playing …", file=sys.stderr)
        await asyncio.gather(*(node.announced("over", None) for node in (host, *guests)))
        return Path(str(await host.announced("file")))
