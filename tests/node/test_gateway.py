"""The gateway on real sockets: clients that behave, come late, come back, or are rude."""

import asyncio
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Self

import pytest

from sunward_node.gateway import CLIENTS_MOST, STALLED_AFTER, Gateway, attach, door
from sunward_protocol.errors import IllegalAction, LocalError
from support.sockets import expected_errors, live, until

Event = dict[str, object]


def echo(request: Event) -> Mapping[str, object] | None:
    """Answer what was asked, or fail as asked."""
    if request.get("do") == "fail":
        raise IllegalAction("R8", "That is not legal")
    if request.get("do") == "break":
        raise RuntimeError("a bug")
    return {"event": "echo", **request} if request.get("do") == "echo" else None


class Client:
    """A client that reads and writes whole lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def read(self) -> Event | None:
        """Return the next event, or None at the end."""
        line = await self.reader.readline()
        return json.loads(line) if line else None

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def close(self) -> None:
        """Go without a word."""
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


class Room(AsyncExitStack):
    """A gateway at a path and clients of it, all closed at the end."""

    def __init__(self, path: Path, *, tcp: bool = False, stalled_after: float = STALLED_AFTER) -> None:
        super().__init__()
        self.path = path
        self.attached = 0
        self.gateway = Gateway(path, echo, self._attach, tcp=tcp, stalled_after=stalled_after)

    def _attach(self) -> None:
        self.attached += 1

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self.push_async_callback(self.gateway.close)
        await self.gateway.start()
        return self

    async def client(self) -> Client:
        """Return an attached client."""
        client = Client(*await attach(self.path))
        self.push_async_callback(client.close)
        return client

    async def forgets(self, silent: socket.socket) -> None:
        """Wait until the gateway has closed a connection of which nothing was read."""
        loop, closed = asyncio.get_running_loop(), select.poll()
        closed.register(silent, select.POLLHUP)
        await loop.run_in_executor(None, closed.poll)

    def publish(self, **event: object) -> None:
        """Have the node tell something."""
        self.gateway.publish(event)


both_kinds = pytest.mark.parametrize("tcp", [False, True])


@both_kinds
@live
async def test_clients_get_the_history_and_then_what_comes(tmp_path: Path, tcp: bool) -> None:
    async with Room(tmp_path / "door", tcp=tcp) as room:
        room.publish(event="hello", names=["Ünal"])
        assert room.attached == 0
        first = await room.client()
        assert await first.read() == {"event": "hello", "names": ["Ünal"]}
        assert room.attached == 1, "the node knows that somebody sits here"
        room.gateway.publish({"event": "away", "seat": 1}, transient=True)
        room.publish(event="turn", step=1)
        assert await first.read() == {"event": "away", "seat": 1}
        assert await first.read() == {"event": "turn", "step": 1}
        second = await room.client()
        assert await second.read() == {"event": "hello", "names": ["Ünal"]}
        assert await second.read() == {"event": "turn", "step": 1}
        room.publish(event="turn", step=2)
        assert await second.read() == {"event": "turn", "step": 2}


@both_kinds
@live
async def test_only_the_asker_is_answered(tmp_path: Path, tcp: bool) -> None:
    path = tmp_path / "door"
    async with Room(path, tcp=tcp) as room:
        asker, other = await room.client(), await room.client()
        await asker.send(b'{"do":"nothing"}\n{"do":"fail"}\n{"do":"ec')
        await asker.send(b'ho","n":1}\n')
        trouble = {"event": "trouble", "code": "illegal", "sentence": "That is not legal (R8)"}
        assert await asker.read() == trouble
        assert await asker.read() == {"event": "echo", "do": "echo", "n": 1}
        room.publish(event="end")
        assert await other.read() == {"event": "end"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"garbage\n", "A request is one JSON object on a line, and this was none."),
        (b"\xff\xfe\n", "A request is one JSON object on a line, and this was none."),
        (b"[1]\n", "A request is one JSON object on a line, and this was none."),
        (b"\n", "A request is one JSON object on a line, and this was none."),
        (b"[" * 60_000 + b"\n", "A request is one JSON object on a line, and this was none."),
        (b"x" * 70_000, "A line of more than 65536 bytes is no request."),
    ],
)
@live
async def test_a_rude_client_is_told_why_it_is_dropped(tmp_path: Path, line: bytes, why: str) -> None:
    path = tmp_path / "door"
    async with Room(path) as room:
        rude, polite = await room.client(), await room.client()
        await rude.send(line)
        assert await rude.read() == {"event": "trouble", "code": "local", "sentence": why}
        assert await rude.read() is None
        room.publish(event="end")
        assert await polite.read() == {"event": "end"}


@live
async def test_ten_megabytes_without_a_line_are_not_kept(tmp_path: Path) -> None:
    async with Room(tmp_path / "door") as room:
        rude, polite = await room.client(), await room.client()
        with pytest.raises(ConnectionError):
            await rude.send(b"x" * 10 * 2**20)
        room.publish(event="end")
        assert await polite.read() == {"event": "end"}


@live
async def test_a_client_that_never_reads_is_dropped_and_holds_up_nobody(tmp_path: Path) -> None:
    async with Room(tmp_path / "door", stalled_after=0.1) as room:
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(str(room.path))
            reading = await room.client()
            for step in range(2000):
                room.publish(event="applied", step=step, text="x" * 1000)
            for step in range(2000):
                event = await reading.read()
                assert event is not None
                assert event["step"] == step
            await room.forgets(silent)
        again = await room.client()
        assert (await again.read() or {})["step"] == 0


@live
async def test_a_bug_in_answering_costs_its_client_and_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "door"
    async with Room(path) as room:
        asker, other = await room.client(), await room.client()
        with expected_errors() as told:
            await asker.send(b'{"do":"break"}\n')
            assert await asker.read() is None
            await until(lambda: bool(told))
        assert len(told) == 1
        room.publish(event="end")
        assert await other.read() == {"event": "end"}


@live
async def test_what_was_published_last_still_arrives_when_the_node_closes(tmp_path: Path) -> None:
    path = tmp_path / "door"
    async with Room(path) as room:
        client = await room.client()
        await client.send(b'{"do":"echo"}\n')
        assert await client.read() is not None
        room.publish(event="over")
        await room.gateway.close()
        assert await client.read() == {"event": "over"}
        assert await client.read() is None
        assert not path.exists()


@live
async def test_a_client_that_never_reads_does_not_keep_the_node_from_closing(tmp_path: Path) -> None:
    async with Room(tmp_path / "door") as room:
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(str(room.path))
            reading = await room.client()
            room.publish(event="long", text="x" * 2**20)
            assert await reading.read() is not None
            await room.gateway.close()
            await room.forgets(silent)
            assert await reading.read() is None


@live
async def test_more_clients_than_there_is_room_for_are_told_so(tmp_path: Path) -> None:
    path = tmp_path / "door"
    async with Room(path) as room:
        room.publish(event="hello")
        clients = [await room.client() for _ in range(CLIENTS_MOST)]
        for client in clients:
            await client.read()
        late = await room.client()
        assert (await late.read() or {})["sentence"] == "16 clients are attached already: close one of them."
        assert await late.read() is None


@both_kinds
@live
async def test_the_door_is_its_owners_alone(tmp_path: Path, tcp: bool) -> None:
    path = tmp_path / "door"
    async with Room(path, tcp=tcp) as room:
        room.publish(event="secret")
        assert path.stat().st_mode & 0o777 == 0o600


@live
async def test_without_the_token_nothing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "door"
    async with Room(path, tcp=True) as room:
        room.publish(event="secret")
        port = int(path.read_text().split()[0])
        for guess in (b"\n", b"0" * 64 + b"\n", b'{"do":"echo"}\n', b"\xff\n", b"x" * 100_000):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(guess)
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()


LEAVE = """
import os, sys, asyncio
from pathlib import Path
from sunward_node.gateway import Gateway

async def main() -> None:
    await Gateway(Path(sys.argv[1]), lambda request: None, tcp=sys.argv[2] == "True").start()
    os._exit(0)

asyncio.run(main())
"""


@both_kinds
@live
async def test_what_a_dead_node_left_is_replaced_and_a_living_one_is_not(tmp_path: Path, tcp: bool) -> None:
    path = tmp_path / "door"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LEAVE, str(path), str(tcp)]
    await asyncio.to_thread(subprocess.run, command, env=environment, check=True)
    assert path.exists()
    async with Room(path, tcp=tcp) as room:
        with pytest.raises(LocalError, match=f"Another node has the socket {path}: attach to it, or stop it first"):
            await Gateway(path, echo).start()
        client = await room.client()
        await client.send(b'{"do":"echo"}\n')
        assert await client.read() == {"event": "echo", "do": "echo"}


@live
async def test_a_path_too_long_for_a_socket_has_a_short_stand_in(tmp_path: Path) -> None:
    path = tmp_path / ("long" * 30) / "door"
    path.parent.mkdir()
    assert len(os.fsencode(door(path))) < 104
    assert door(path) == door(path) != door(path.with_name("other"))
    async with Room(path) as room:
        room.publish(event="hello")
        client = await room.client()
        assert await client.read() == {"event": "hello"}
    assert not door(path).exists()


@both_kinds
@live
async def test_what_is_no_socket_is_left_alone_and_named(tmp_path: Path, tcp: bool) -> None:
    mine = tmp_path / "door"
    mine.write_text("my notes, three words\n")
    with pytest.raises(LocalError, match=f"Cannot open the socket {mine} for clients: it is something else"):
        await Gateway(mine, echo, tcp=tcp).start()
    assert mine.read_text() == "my notes, three words\n"
    with pytest.raises(LocalError, match=f"Cannot open the socket {tmp_path} for clients: Is a directory"):
        await Gateway(tmp_path, echo, tcp=tcp).start()
    with pytest.raises(LocalError, match="Cannot write in the folder"):
        await Gateway(mine / "door", echo, tcp=tcp).start()
