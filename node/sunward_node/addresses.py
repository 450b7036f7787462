"""Addresses of the transport, tcp://address:port: which may be dialed, and why one cannot be listened on.

Must never look a name up: an address is in numbers.
"""

import errno
import os
import re
from ipaddress import ip_address

from sunward_protocol.errors import LocalError

_CURES = {
    errno.EADDRINUSE: "another program listens there already; stop it, or choose another port",
    errno.EADDRNOTAVAIL: "this machine has no such address; choose one of its own, or * for all of them",
    errno.ENODEV: "this machine has no such interface; give one of its own addresses, or * for all of them",
    errno.EACCES: "the system does not allow it; choose a port above 1023",
    errno.EINVAL: "an address looks like tcp://127.0.0.1:4242, or ends in :* for any free port",
}

_TCP = re.compile(r"tcp://(\[[0-9a-f:.]+(?:%\w+)?\]|[0-9.]+):([0-9]{1,5})", re.IGNORECASE | re.ASCII)


def is_dialable(endpoint: str) -> bool:
    """Whether an address may be dialed: TCP, in numbers, one port.

    Addresses come from peers: other transports reach into this machine, and names would have to be looked up by
    ZeroMQ's own thread, which serves nobody meanwhile.
    """
    match = _TCP.fullmatch(endpoint)
    if match is None:
        return False
    try:
        ip_address(match[1].strip("[]"))
    except ValueError:
        return False
    return 0 < int(match[2]) < 2**16


def plain(endpoint: str) -> str:
    """Write an IPv4 address as itself, not as the IPv6 one that a socket of both families shows for it."""
    return re.sub(r"\[::ffff:([0-9.]+)\]", r"\1", endpoint)


def cannot_listen(endpoint: str, number: int | None) -> LocalError:
    """Return what to tell whoever wanted to listen there, by the number of the system's error."""
    cure = _CURES.get(number or 0) or os.strerror(number or 0)
    return LocalError(f"Cannot listen on {endpoint}: {cure}.")
