"""This machine's network interfaces and addresses, as they are at the moment of asking.

Must never be remembered: addresses come and go with cables, sleep and trains.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address


@dataclass(frozen=True, slots=True, order=True)
class OwnAddress:
    """One address of one interface; `index` is the system's number of the interface."""

    interface: str
    index: int
    address: IPv4Address | IPv6Address

    @property
    def loopback(self) -> bool:
        """Whether it reaches this machine only."""
        return self.address.is_loopback

    def endpoint(self, port: int) -> str:
        """Return the address of the transport at this one and a port; a link-local one with its zone."""
        host = str(self.address).partition("%")[0]
        if self.address.version == 4:
            return f"tcp://{host}:{port}"
        return f"tcp://[{host}{f'%{self.index}' if self.address.is_link_local else ''}]:{port}"


def own_addresses() -> list[OwnAddress]:
    """Return every address of every interface, in a lasting order."""
    import ifaddr  # late, as all that only a table on the network needs

    found: set[OwnAddress] = set()
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            text = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            found.add(OwnAddress(adapter.nice_name, adapter.index or 0, ip_address(text)))
    return sorted(found, key=lambda own: (own.interface, own.index, own.address.version, own.address.packed))


def reachable_at(listening: str, addresses: Iterable[OwnAddress]) -> list[OwnAddress]:
    """Return those of this machine's addresses at which others reach what listens at tcp://host:port.

    `*`, 0.0.0.0 and [::] are all of them, but the loopback's; IPv4 comes first, what reaches farthest before the rest.
    """
    host = listening.removeprefix("tcp://").rpartition(":")[0].strip("[]").partition("%")[0]
    every, version = host in ("*", "::", "0.0.0.0"), 4 if host == "0.0.0.0" else None  # noqa: S104  (asked for, not bound)
    fitting = [own for own in addresses if not own.loopback and (every or str(own.address).partition("%")[0] == host)]
    return sorted((own for own in fitting if version in (None, own.address.version)), key=_preference)


def endpoints_at(listening: str, addresses: Iterable[OwnAddress]) -> Sequence[str]:
    """Return what an invite names for what listens there: no link-local addresses of IPv6, which need a zone."""
    port = int(listening.rpartition(":")[2])
    return [own.endpoint(port) for own in reachable_at(listening, addresses) if "%" not in own.endpoint(port)]


def reached_at(listening: str) -> tuple[str, ...]:
    """Return where others reach what listens there now; what listens on this machine alone is reached just there."""
    return tuple(endpoints_at(listening, own_addresses())) or (listening,)


def _preference(own: OwnAddress) -> tuple[bool, int]:
    return own.address.is_link_local, own.address.version
