"""Checks of the network: addresses, listening, firewalls, multicast.

Must never claim that others can reach this machine: only another machine can show that.
"""

import asyncio
import socket
import struct
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from sunward_node.doctor.asking import ask
from sunward_node.doctor.finding import Finding, Level
from sunward_node.interfaces import OwnAddress, reachable_at
from sunward_node.transport_probe import reach
from sunward_protocol.errors import LocalError

PROOF = "Only another machine can prove that others reach it: have one join"
GROUP = "224.0.0.251"
"""The group of mDNS (RFC 6762, section 3), on which its port is left alone."""
GROUP_6 = "ff02::fb"
MDNS_PORT = 5353
HEARD_WITHIN = 1.0
"""Seconds for a packet to come back from this machine's own network stack."""
_MARK = b"sunward doctor"


def interfaces(addresses: Sequence[OwnAddress]) -> Finding:
    """Return which addresses others could use."""
    outward = [own for own in addresses if not own.loopback]
    if not outward:
        sentence = "There is no network but this machine itself: connect it to play with others."
        return Finding("interfaces", Level.WARNING, sentence)
    return Finding("interfaces", Level.OK, f"{_named(outward)}.")


async def listening(listen: str, addresses: Sequence[OwnAddress]) -> Iterable[Finding]:
    """Return whether a node can listen at `listen`, and whether it answers there at each of its addresses."""
    outward = reachable_at(listen, addresses)
    try:
        where, answered = await reach(listen, outward)
    except LocalError as error:
        return [Finding("listening", Level.FAILED, str(error))]
    found = [Finding("listening", Level.OK, f"A table can listen at {where}.")]
    if silent := [own for own in outward if own not in answered]:
        cure = "a firewall on this machine may stop it: allow python, or the port of --listen"
        found.append(Finding("reach", Level.FAILED, f"This machine does not reach itself at {_named(silent)}; {cure}."))
    if answered:
        found.append(Finding("reach", Level.OK, f"This machine reaches itself at {_named(answered)}. {PROOF}."))
    elif not outward:
        sentence = (
            f"Nobody but this machine reaches what listens at {listen}: give --listen an address that others see."
        )
        found.append(Finding("reach", Level.WARNING, sentence))
    return found


def _named(addresses: Iterable[OwnAddress]) -> str:
    return ", ".join(f"{str(own.address).partition('%')[0]} ({own.interface})" for own in addresses)


def firewall() -> Finding:
    """Return whether a firewall seems to be at work; a hint, for what it lets through cannot be told."""
    if sys.platform != "linux":
        return Finding("firewall", Level.OK, "Firewalls of this system are not looked at.")
    seen = [name for name, active in (("ufw", _ufw()), ("firewalld", _firewalld()), ("nftables", _nft())) if active]
    if seen:
        cure = "if others cannot join, give a port with --listen and let it allow that one, and UDP 5353 for discovery"
        return Finding("firewall", Level.WARNING, f"{seen[0]} seems to filter what comes in: {cure}.")
    return Finding("firewall", Level.OK, "No firewall was noticed on this machine, which is a hint only.")


def _ufw() -> bool:
    with suppress(OSError):
        return "ENABLED=yes" in Path("/etc/ufw/ufw.conf").read_text("utf-8", "replace")
    return False


def _firewalld() -> bool:
    return ask("firewall-cmd", "--state").strip() == "running"


def _nft() -> bool:
    """Whether a rule set drops what comes in; iptables of today writes into the same one. Seen by root only."""
    return any("hook input" in line and "policy drop" in line for line in ask("nft", "list", "ruleset").splitlines())


async def multicast(addresses: Sequence[OwnAddress]) -> Iterable[Finding]:
    """Return whether tables on the network can be seen: a packet to mDNS' group comes back, on each interface."""
    found: list[Finding] = []
    taken = _mdns_port_taken()
    if taken:
        cure = "stop the program that has it, or let it share (Avahi: disallow-other-stacks=no)"
        found.append(Finding("discovery", Level.WARNING, f"UDP port {MDNS_PORT} is another's alone, {taken}: {cure}."))
    outward = {(own.index, own.address.version): own for own in addresses if not own.loopback}
    heard = await asyncio.gather(*(asyncio.to_thread(_heard, own) for own in outward.values()))
    deaf = [own for own, came in zip(outward.values(), heard, strict=True) if not came]
    if deaf:
        cure = "the network or a firewall stops it, so tables there are joined by invite"
        found.append(Finding("discovery", Level.WARNING, f"Multicast does not work on {_named(deaf)}: {cure}."))
    if len(deaf) < len(outward):
        worked = [own for own in outward.values() if own not in deaf]
        found.append(Finding("discovery", Level.OK, f"Multicast works on {_named(worked)}."))
    return found


def _mdns_port_taken() -> str:
    """Return why the port of mDNS cannot be shared, or nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as shared:
        for option in ("SO_REUSEADDR", "SO_REUSEPORT"):
            if hasattr(socket, option):
                shared.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
        try:
            shared.bind(("", MDNS_PORT))
        except OSError as error:
            return error.strerror or str(error)
    return ""


def _heard(own: OwnAddress) -> bool:
    """Whether a packet that this interface sends to the group comes back to a member of it."""
    try:
        return _heard_6(own) if own.address.version == 6 else _heard_4(own)
    except OSError:
        return False


def _heard_4(own: OwnAddress) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("", 0))
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + own.address.packed)
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own.address.packed)
        return _echoes(ear, (GROUP, ear.getsockname()[1]))


def _heard_6(own: OwnAddress) -> bool:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as ear:
        ear.bind(("::", 0))
        group = socket.inet_pton(socket.AF_INET6, GROUP_6) + struct.pack("@I", own.index)
        ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group)
        ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, own.index)
        return _echoes(ear, (GROUP_6, ear.getsockname()[1], 0, own.index))


def _echoes(ear: socket.socket, group: tuple[str, int] | tuple[str, int, int, int]) -> bool:
    ear.settimeout(HEARD_WITHIN)
    ear.sendto(_MARK, group)
    return ear.recv(len(_MARK)) == _MARK
