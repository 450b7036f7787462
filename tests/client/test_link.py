"""The local socket, seen from the client: whole lines, however they come."""

import asyncio
from pathlib import Path

import pytest

from sunward_client.events import Lobby
from sunward_client.link import LINE_LIMIT, Link
from sunward_protocol.errors import LocalError
from support.fake_gateway import FakeTable, serving


def test_a_line_longer_than_one_read_comes_whole(tmp_path: Path) -> None:
    async def body() -> None:
        table = FakeTable()
        table.events[:] = [{"event": "lobby", "text": "x" * 3_000_000, "members": []}]
        async with serving(tmp_path / "s", table):
            link = await Link.open(str(tmp_path / "s"))
            assert await link.read() == [Lobby("x" * 3_000_000, ())]
            await link.close()

    asyncio.run(body())


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    async def body() -> None:
        table = FakeTable()
        table.events[:] = [{"event": "lobby", "text": "x" * (LINE_LIMIT + 2_000_000), "members": []}]
        async with serving(tmp_path / "s", table):
            link = await Link.open(str(tmp_path / "s"))
            with pytest.raises(LocalError, match="a line without end"):
                await link.read()
            await link.close()

    asyncio.run(body())


def test_a_node_that_closes_is_an_end_and_no_error(tmp_path: Path) -> None:
    async def body() -> None:
        async with serving(tmp_path / "s", FakeTable()) as gateway:
            link = await Link.open(str(tmp_path / "s"))
            assert await link.read() != []
            gateway.hang_up()
            while await link.read():
                pass
            await link.close()

    asyncio.run(body())
