"""A node before its match: what it does about a host who is gone."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from sunward_node import node as node_module
from sunward_node.gathering import TurnedAway
from sunward_node.node import Node
from sunward_node.order import Opening, Order, parse_invite
from sunward_node.places import Places
from support.sockets import live, until


def test_a_bot_does_not_wait_for_a_host_who_died_in_the_lobby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_module, "ANSWERED_IN", 1.0)
    places = Places.find({"SUNWARD_HOME": str(tmp_path)})

    @live
    async def abandoned() -> None:
        told = asyncio.Queue[object]()

        def announced(news: Mapping[str, object]) -> None:
            if "invite" in news:
                told.put_nowait(news["invite"])

        opening = Opening("around", 3, {})
        host = asyncio.create_task(Node(Order("Ann", open=opening), places, announced).run())
        invite = parse_invite(await told.get())
        bot = Node(Order("Hal", "random", join=invite), places, announced)
        playing = asyncio.create_task(bot.run())
        await until(lambda: bot.welcome)
        host.cancel()  # as a crash ends it: nobody is told
        await asyncio.wait([host])
        with pytest.raises(TurnedAway, match=r"^Nobody answers at tcp://127\.0\.0\.1"):
            await playing

    abandoned()
