"""Nodes killed at random moments, again and again, come back by `resume`, and the match ends verified at every seat."""

import asyncio
import json
import os
import sys
from pathlib import Path
from random import Random

import pytest

from sunward.commands.verify import check_all
from sunward.matchfile import read_match
from sunward.nodes import NodeProcess
from sunward_node.order import Opening, Order, parse_invite
from sunward_node.places import Places
from sunward_protocol.audit import audit
from sunward_protocol.identity import Ed25519Signatures

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("SUNWARD_KILLS", "3"))
"""How many in a row; docs/protocol/durability.md tells of a run with 50."""
SEATS = 3


class Seat:
    """One seat of the match and the process that plays it now."""

    def __init__(self, node: NodeProcess) -> None:
        self.node = node
        self.folder = Path()

    async def settle(self) -> None:
        self.folder = Path(str(await self.node.announced("folder")))


async def sat_down(places: Places, pause: float) -> list[Seat]:
    opening = Opening("around", SEATS, {})
    host = await NodeProcess.start(Order(name="random-1", bot="random", open=opening, pause=pause), places)
    invite = parse_invite(await host.announced("invite"))
    seats = [Seat(host)]
    for number in range(2, SEATS + 1):
        order = Order(name=f"random-{number}", bot="random", join=invite, pause=pause)
        seats.append(Seat(await NodeProcess.start(order, places)))
    for seat in seats:
        await seat.settle()
    return seats


@pytest.mark.timeout(600)
def test_killed_nodes_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    asyncio.run(killing())


async def killing() -> None:
    """Play a match among bots whose nodes are killed, and verify it at every seat."""
    places, chance = Places.find(os.environ), Random(KILLS)
    pause = max(0.02, KILLS * 1.2 / 100)  # a match has some 100 actions: it shall outlast the kills
    seats = await sat_down(places, pause)
    for _ in range(KILLS):
        await asyncio.sleep(chance.random())
        for seat in chance.sample(seats, chance.choice((1, 1, 1, 2, SEATS))):
            await seat.node.kill()
            await asyncio.sleep(chance.random() / 4)
            seat.node = await NodeProcess.start(Order(resume=str(seat.folder), pause=pause), places)
        for seat in seats:
            await seat.node.announced("folder")
    await asyncio.gather(*(seat.node.announced("over", 300) for seat in seats))
    await asyncio.gather(*(seat.node.stop() for seat in seats))
    heads = set[bytes]()
    for seat in seats:
        match, torn = read_match(seat.folder / "match.sunward")
        report = audit(match, Ed25519Signatures(), check_all, torn)
        assert (report.verdict, report.reason) == ("complete", "Every step was recomputed.")
        heads.add(match.ledger.head)
    assert len(heads) == 1
    print(json.dumps({"kills": KILLS, "verified": len(seats)}), file=sys.stderr)
