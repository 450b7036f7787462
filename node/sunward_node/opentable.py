"""A table as its host announces it on the local network: the fields of its record, written and read.

Must never be trusted: it is a hint where to knock, and every key in it is proved at connecting. What comes in is
checked for type, size and range, and cleaned of control characters; whatever else it is, it is no table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from sunward_node.addresses import is_dialable
from sunward_node.order import Invite
from sunward_node.words import short_words
from sunward_protocol.limits import ENDPOINTS_MOST, MEMBERS_MOST, NAME_MOST, PROTOCOL_VERSION

_KEYS: Mapping[str, int] = {"table": 32, "token": 16, "host": 32, "identity": 32}
"""The byte strings of an invite, and their sizes."""

_VERSION_MOST = 999


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table on this network, as its host says."""

    invite: Invite
    game: str
    name: str
    """The host's name."""
    seats: int
    taken: int
    version: int = PROTOCOL_VERSION
    """The protocol's version that it plays by."""

    @property
    def words(self) -> str:
        """The short words of the host's identity."""
        return short_words(bytes.fromhex(self.invite.identity))


def table_fields(table: OpenTable) -> Mapping[str | bytes, str | bytes | None]:
    """Return what a table's TXT record says: an invite without its addresses, which have records of their own."""
    fields: dict[str | bytes, str | bytes | None] = {"game": table.game, "name": table.name}
    for number in ("version", "seats", "taken"):
        fields[number] = str(getattr(table, number))
    for key in _KEYS:
        fields[key] = bytes.fromhex(getattr(table.invite, key))
    return fields


def parse_table(given: Mapping[bytes, bytes | None], addresses: Sequence[str], port: int) -> OpenTable | None:
    """Return the table that a TXT record, the host's addresses and its port tell of, or None if that is none."""
    keys = {field: given.get(field.encode()) or b"" for field in _KEYS}
    version = _number(given, b"version", 0, _VERSION_MOST)
    seats = _number(given, b"seats", 2, MEMBERS_MOST)
    taken = _number(given, b"taken", 0, MEMBERS_MOST)
    game, endpoints = _text(given, b"game"), _endpoints(addresses, port)
    if any(len(keys[field]) != size for field, size in _KEYS.items()) or not (game.isalnum() and game.isascii()):
        return None
    if version is None or seats is None or taken is None or taken > seats or not endpoints:
        return None
    table, token, host, identity = (key.hex() for key in keys.values())
    return OpenTable(
        Invite(table, token, host, identity, endpoints), game, _text(given, b"name"), seats, taken, version
    )


def _number(given: Mapping[bytes, bytes | None], field: bytes, least: int, most: int) -> int | None:
    digits = given.get(field) or b""
    return int(digits) if digits.isdigit() and len(digits) <= len(str(most)) and least <= int(digits) <= most else None


def _text(given: Mapping[bytes, bytes | None], field: bytes) -> str:
    text = (given.get(field) or b"").decode("utf-8", "replace")
    return "".join(character for character in text if character.isprintable()).strip()[:NAME_MOST]


def _endpoints(addresses: Sequence[str], port: int) -> tuple[str, ...]:
    """Return where to knock: what can be dialed from here, in the order given, each once."""
    found: dict[str, None] = {}
    for text in addresses:
        address = ip_address(text)
        endpoint = f"tcp://[{text}]:{port}" if address.version == 6 else f"tcp://{text}:{port}"
        if _leads_to_others(address) and is_dialable(endpoint):
            found[endpoint] = None
    return tuple(found)[:ENDPOINTS_MOST]


def _leads_to_others(address: IPv4Address | IPv6Address) -> bool:
    """Whether somebody else can be there: nobody has a say in what is knocked at within this machine."""
    if address.version == 6 and (address.ipv4_mapped is not None or (address.is_link_local and not address.scope_id)):
        return False
    return not (address.is_loopback or address.is_multicast or address.is_unspecified)
