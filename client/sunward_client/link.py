"""The local socket between a client and its node.

Must never interpret what passes: it moves whole lines, and says in a sentence why the node cannot be reached.
"""

import asyncio

from sunward_client.events import Event, decode
from sunward_client.requests import Request, encode
from sunward_protocol.errors import LocalError

LINE_LIMIT = 8 << 20
"""Bytes; component data is the longest thing in an event, and 8 MiB is a hundred times that."""

_CHUNK = 1 << 20


class Link:
    """One attachment to a node; `read` until it returns nothing, then `close`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._rest = b""

    @classmethod
    async def open(cls, path: str) -> "Link":
        """Attach to the node that listens at `path`; raise `LocalError` if none does."""
        try:
            reader, writer = await asyncio.open_unix_connection(path, limit=_CHUNK)
        except FileNotFoundError as error:
            raise LocalError(
                f"No node listens at {path}: start the match, or give the path its node printed."
            ) from error
        except ConnectionRefusedError as error:
            raise LocalError(
                f"The node that listened at {path} is gone; resume its match to start it again."
            ) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise LocalError(
                f"The socket {path} cannot be used: {reason}. Is it yours, and a node's socket?"
            ) from error
        return cls(reader, writer)

    async def read(self) -> list[Event]:
        """Return all the events that have come, waiting for one; [] once the node has closed."""
        while True:
            try:
                chunk = await self._reader.read(_CHUNK)
            except ConnectionError:
                chunk = b""
            if not chunk:
                return []
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            if len(self._rest) > LINE_LIMIT:
                raise LocalError("The node sent a line without end; attach again.")
            events = [event for line in lines if line and (event := decode(line)) is not None]
            if events:
                return events

    async def send(self, request: Request) -> None:
        """Ask something of the node; if it is gone, `read` is where that is noticed."""
        try:
            self._writer.write(encode(request))
            await self._writer.drain()
        except ConnectionError:
            return

    async def close(self) -> None:
        """Let go of the socket."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            return
