"""The local socket at which clients attach to their node: JSON Lines both ways, whole history first.

Must never let a client hold up the node or another client, nor let another user of this machine in.

The socket is a Unix one, 0600, at `door(path)`. Where there are none, that is a file, 0600, with a port of 127.0.0.1
and a token, which is then a client's first line. `attach` is the other end for both.
"""

import asyncio
import contextlib
import hmac
import json
import logging
import os
import secrets
import socket
import stat
import tempfile
from collections import deque
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias, cast

from sunward_node.places import private_folder
from sunward_protocol.errors import LocalError, SunwardError

Answer: TypeAlias = Callable[[dict[str, object]], Mapping[str, object] | None]
"""Takes a client's request and returns what that client is told, or None; a `SunwardError` is told to it as trouble."""

_LOG = logging.getLogger(__name__)

LINE_MOST = 64 * 1024
"""Bytes of a client's line: a request is a few hundred."""

EVENT_MOST = 8 * 2**20
"""Bytes of a line that `attach` reads: component data is the longest thing told, a hundredth of it."""

CLIENTS_MOST = 16
"""Clients at once: a person has one or two."""

STALLED_AFTER = 10.0
"""Seconds that a client may take for some 64 KiB, before it is dropped as one that does not read."""

GOODBYE = 1.0
"""Seconds that a client is given to take the last lines."""

PATH_MOST = 103
"""Bytes of a Unix socket's path, on the system that allows least (macOS; Linux has 107)."""

_BATCH = 64
_UNIX = hasattr(socket, "AF_UNIX")


def door(path: Path) -> Path:
    """Return where the socket wanted at `path` really is: a path too long for one has a short stand-in."""
    if len(os.fsencode(path)) <= PATH_MOST:
        return path
    user = os.getuid() if hasattr(os, "getuid") else "user"
    name = blake2b(os.fsencode(path), digest_size=8).hexdigest()
    return Path(tempfile.gettempdir()) / f"sunward-{user}" / f"{name}.sock"


async def attach(path: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the node whose gateway is at `path`; `OSError` if there is none."""
    where = door(path)
    if stat.S_ISSOCK(where.stat().st_mode):
        return await asyncio.open_unix_connection(where, limit=EVENT_MOST)
    port, token = where.read_text("ascii").split()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port), limit=EVENT_MOST)
    writer.write(token.encode() + b"\n")
    return reader, writer


class _Leaving(Exception):
    """A client's time here is over; the text tells it why, if it does not know."""


class _Client:
    """One attached client and the lines that it has yet to be sent."""

    __slots__ = ("task", "waiting", "wake", "writer")

    def __init__(self, writer: asyncio.StreamWriter, waiting: deque[bytes]) -> None:
        self.writer = writer
        self.waiting = waiting
        self.wake = asyncio.Event()
        self.wake.set()
        self.task = cast("asyncio.Task[None]", asyncio.current_task())

    def tell(self, line: bytes) -> None:
        self.waiting.append(line)
        self.wake.set()


class Gateway:
    """The server of one node. Lines wait in memory for a slow client, but most of them are the history's own."""

    def __init__(
        self,
        path: Path,
        on_request: Answer,
        on_attach: Callable[[], None] = lambda: None,
        *,
        tcp: bool = not _UNIX,
        stalled_after: float = STALLED_AFTER,
    ) -> None:
        self._path = door(path)
        self._on_request = on_request
        self._on_attach = on_attach
        self._stalled_after = stalled_after
        self._token = secrets.token_hex(32) if tcp else None
        self._server: asyncio.Server | None = None
        self._history: list[bytes] = []
        self._clients: list[_Client] = []
        self._closing = False

    async def start(self) -> None:
        """Let clients in; `LocalError` if the path cannot be used or another node answers there."""
        private_folder(self._path.parent)
        try:
            await self._clear_path()
            if self._token is None:
                self._server = await asyncio.start_unix_server(
                    self._serve, sock=_private_socket(self._path), limit=LINE_MOST
                )
            else:
                self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LINE_MOST)
                port = self._server.sockets[0].getsockname()[1]
                self._path.touch(0o600, exist_ok=False)
                self._path.write_text(f"{port} {self._token}\n", "ascii")
        except (OSError, ValueError) as error:
            reason = "it is something else" if isinstance(error, ValueError) else error.strerror
            raise LocalError(
                f"Cannot open the socket {self._path} for clients: {reason}. Move away what is there."
            ) from error

    def publish(self, event: Mapping[str, object], *, transient: bool = False) -> None:
        """Tell every client, and those that attach later unless the event is transient."""
        line = _line(event)
        if not transient:
            self._history.append(line)
        for client in self._clients:
            client.tell(line)

    async def close(self) -> None:
        """Give clients a moment to take what was published, then let them go."""
        self._closing = True
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
        leaving = list(self._clients)
        for client in leaving:
            client.wake.set()
        if leaving:
            _, late = await asyncio.wait([client.task for client in leaving], timeout=GOODBYE)
            for client in leaving:
                client.writer.transport.abort()
            if late:  # their tasks end by the lost connection: cancelling a stream's task is reported as an error
                await asyncio.wait(late, timeout=GOODBYE)

    async def _clear_path(self) -> None:
        """Remove what a node that died left here."""
        try:
            _, writer = await attach(self._path)
        except FileNotFoundError:
            return
        except ConnectionRefusedError:
            self._path.unlink()
        else:
            writer.close()
            raise LocalError(f"Another node has the socket {self._path}: attach to it, or stop it first.")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self._token is not None:
                async with asyncio.timeout(GOODBYE):
                    if not hmac.compare_digest(await reader.readline(), self._token.encode() + b"\n"):
                        return
            if len(self._clients) >= CLIENTS_MOST:
                writer.write(_trouble(f"{CLIENTS_MOST} clients are attached already: close one of them."))
                return
            await self._converse(reader, _Client(writer, deque(self._history)))
        except (TimeoutError, ValueError, ConnectionError):  # nobody of ours
            return
        finally:
            await _part(writer)

    async def _converse(self, reader: asyncio.StreamReader, client: _Client) -> None:
        self._clients.append(client)
        self._on_attach()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._hear(reader, client))
                group.create_task(self._feed(client))
        except* _Leaving as leaving:
            if why := str(leaving.exceptions[0]):
                _LOG.warning("A client was dropped. %s", why)
                client.writer.write(_trouble(why))
        except* ConnectionError:
            pass
        finally:
            self._clients.remove(client)

    async def _hear(self, reader: asyncio.StreamReader, client: _Client) -> None:
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                raise _Leaving(f"A line of more than {LINE_MOST} bytes is no request.") from None
            if not line:
                raise _Leaving
            try:
                answer = self._on_request(_request(line))
            except SunwardError as error:
                client.tell(_trouble(str(error), error.code))
            else:
                if answer is not None:
                    client.tell(_line(answer))

    async def _feed(self, client: _Client) -> None:
        while True:
            await client.wake.wait()
            client.wake.clear()
            while client.waiting:
                count = min(len(client.waiting), _BATCH)
                client.writer.write(b"".join([client.waiting.popleft() for _ in range(count)]))
                try:
                    async with asyncio.timeout(self._stalled_after):
                        await client.writer.drain()
                except TimeoutError:
                    raise _Leaving(f"Nothing was read for {self._stalled_after:g} seconds: attach again.") from None
            if self._closing:
                raise _Leaving


def _private_socket(path: Path) -> socket.socket:
    """Return a Unix socket at the path that nobody else may connect to; it does not listen yet, so nobody was early."""
    made = socket.socket(socket.AF_UNIX)
    try:
        made.bind(os.fsencode(path))
        path.chmod(0o600)
    except BaseException:
        made.close()
        raise
    return made


def _request(line: bytes) -> dict[str, object]:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _Leaving("A request is one JSON object on a line, and this was none.")
    return cast("dict[str, object]", value)


def _line(event: Mapping[str, object]) -> bytes:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _trouble(sentence: str, code: str = LocalError.code) -> bytes:
    return _line({"event": "trouble", "code": code, "sentence": sentence})


async def _part(writer: asyncio.StreamWriter) -> None:
    """Close a connection, with what is written if the client takes it soon."""
    writer.close()
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(GOODBYE):
            await writer.wait_closed()
    writer.transport.abort()
