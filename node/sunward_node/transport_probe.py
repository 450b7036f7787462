"""What the transport can do on this machine, tried out: its version, an address to listen on, a way to each address.

Must never disturb a node that runs here: it listens on a free port, for a moment, and admits nobody but itself.
"""

import asyncio
from collections.abc import Sequence
from importlib.metadata import version

import zmq

from sunward_node.interfaces import OwnAddress
from sunward_node.sockets import CurveKeys, require_zmq
from sunward_node.transport import Transport

ANSWERED_WITHIN = 2.0
"""Seconds for a handshake of this machine with itself: a few milliseconds are usual, and more means a filter."""


def zmq_versions() -> str:
    """Return the versions of ZeroMQ and its binding; raise `LocalError` if ZeroMQ is too old or lacks CURVE."""
    require_zmq(zmq.zmq_version_info(), zmq.has("curve"))
    return f"ZeroMQ {zmq.zmq_version()} with CURVE, pyzmq {version('pyzmq')}"


async def reach(listen: str, addresses: Sequence[OwnAddress]) -> tuple[str, list[OwnAddress]]:
    """Listen at `listen` and knock at each address; return where it listened and which of them answered.

    Raises `LocalError` if nothing can listen there.
    """
    keys, guests = CurveKeys.generate(), [CurveKeys.generate() for _ in addresses]
    admitted = {guest.public for guest in guests}
    listener = Transport(keys, admitted.__contains__, _ignore, _ignore)
    try:
        listening = listener.listen(listen)
        port = int(listening.rpartition(":")[2])
        tried = zip(guests, addresses, strict=True)
        answered = await asyncio.gather(*(_knock(guest, keys, own.endpoint(port)) for guest, own in tried))
    finally:
        await listener.close()
    return listening, [own for own, heard in zip(addresses, answered, strict=True) if heard]


async def _knock(guest: CurveKeys, listener: CurveKeys, endpoint: str) -> bool:
    """Whether a handshake succeeds at an address."""
    answered = asyncio.Event()

    def linked(*_: object) -> None:
        answered.set()

    transport = Transport(guest, frozenset[bytes]().__contains__, _ignore, linked)
    try:
        transport.dial(listener.public, endpoint)
        async with asyncio.timeout(ANSWERED_WITHIN):
            await answered.wait()
    except TimeoutError:
        return False
    finally:
        await transport.close()
    return True


def _ignore(*_: object) -> None:
    """Take in what nobody needs to know."""
