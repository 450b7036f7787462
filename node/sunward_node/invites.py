"""Invites: the way to a table as one line to paste, read out or scan; a typing error in it is found and named.

Must never be looked into for trust: whoever has the line may knock, and the keys in it are proved at connecting.

    sunward1-xxxxxxxxxxxx-xxxxxxxxxxxx-...-xxxx

After the version come groups of 11 symbols (5 bits each) and a check symbol; the last may be shorter. Letter case,
hyphens, blanks and line breaks mean nothing. The symbols are the payload's length in bytes (two symbols), the payload
and a digest of it. A check symbol is a weighted sum over GF(32), begun with the group's number, whose weights are all
different and none zero: so it finds every single wrong symbol, every two swapped, and every group out of place.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import accumulate, pairwise

from sunward_node.addresses import is_dialable
from sunward_node.order import Invite
from sunward_protocol.errors import LocalError, OtherVersion
from sunward_protocol.limits import ENDPOINTS_MOST

PREFIX = "sunward"
VERSION = 1
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without i, l, o and u: what looks like a digit is read as that digit."""

_LOOKALIKES = str.maketrans("ilo", "110")
_VALUES = {symbol: value for value, symbol in enumerate(ALPHABET)}
_GROUP = 12  # symbols, the check among them; at most 31, or two weights would be equal
_LENGTH = 2  # symbols of the payload's length: 1023 bytes at most
_DIGEST = 3  # bytes
_KEYS = (32, 16, 32, 32)  # bytes of table, token, host and identity
_FAMILY_6, _SAME_PORT = 1, 2  # what an address' first byte says of it
_LONGEST = 4096  # characters looked at: twice the longest invite


class BadInvite(LocalError):
    """What was pasted is no invite, or was mistyped or cut off; the text says which and where."""

    code = "invite"


def write_invite(invite: Invite, game: str) -> str:
    """Return the line for an invite to a table of that game (its key, ASCII).

    Addresses that mean something on this machine only (link-local ones with a zone) are left out.
    """
    portable = [endpoint for endpoint in invite.endpoints if "%" not in endpoint][:ENDPOINTS_MOST]
    if not portable:
        raise LocalError("There is no address to put into an invite: connect this machine to a network.")
    keys = (invite.table, invite.token, invite.host, invite.identity)
    name = game.encode("ascii")
    payload = b"".join([*map(bytes.fromhex, keys), bytes([len(name)]), name, *_pack_endpoints(portable)])
    symbols = _to_symbols(len(payload).to_bytes(2, "big"), _LENGTH) + _to_symbols(payload + _digest(payload))
    size = _GROUP - 1
    groups = [symbols[at : at + size] for at in range(0, len(symbols), size)]
    texts = [
        "".join(ALPHABET[value] for value in (*group, _check(number, group))) for number, group in enumerate(groups)
    ]
    return "-".join([PREFIX + ALPHABET[VERSION], *texts])


def read_invite(text: str) -> tuple[Invite, str]:
    """Return the invite in a pasted text, and its game's key.

    Raises `BadInvite` with what is wrong and where, or `OtherVersion`.
    """
    body = _body(text)
    joined = body.replace("-", "")
    groups = _chunks(joined)
    expected = _expected(groups[0]) if _holds(0, groups[0], _GROUP) else None
    if expected is not None and len(joined) > expected and not _wrong(_chunks(joined[:expected])):
        raise BadInvite("Something stands behind the end of the invite: copy the invite alone.")
    if len(joined) != expected or _wrong(groups):
        raise _mistyped(groups, [part for part in body.split("-") if part], expected)
    symbols = [_VALUES[symbol] for group in groups for symbol in group[:-1]]
    size = _from_symbols(symbols[:_LENGTH], 2)
    data = _from_symbols(symbols[_LENGTH:], int.from_bytes(size or b"", "big") + _DIGEST)
    if data is None or _digest(data[:-_DIGEST]) != data[-_DIGEST:]:
        raise BadInvite("There are typing errors in the invite that cancel each other out: copy it anew.")
    return _unpack(data[:-_DIGEST])


def _body(text: str) -> str:
    """Return what follows the version, in the alphabet's own case and with plain hyphens only."""
    kept = "".join(map(_plain, text[:_LONGEST])).strip("-")
    if not kept.startswith(PREFIX):
        raise BadInvite(
            f"This is no invite: one begins with {PREFIX}{ALPHABET[VERSION]}- and `sunward host` prints it."
        )
    version, body = kept[len(PREFIX) :][:1].translate(_LOOKALIKES), kept[len(PREFIX) + 1 :].translate(_LOOKALIKES)
    found = _VALUES.get(version, 0)
    if not version or (found == VERSION and len(body.replace("-", "")) < _GROUP):
        raise BadInvite("The invite is cut off where it begins: copy all of it; it may run over several lines.")
    if found != VERSION:
        cure = "whoever sent it has to update" if found < VERSION else "update Sunward"
        raise OtherVersion(f"This invite is of version {version!r}, and here version {VERSION} is read: {cure}.")
    return body


def _plain(character: str) -> str:
    """Return a character without its case; a hyphen of any kind is one, a blank or an invisible one is nothing."""
    category = unicodedata.category(character)
    return "-" if category == "Pd" else "" if category[0] in "ZC" else character.lower()


def _chunks(joined: str) -> list[str]:
    return [joined[at : at + _GROUP] for at in range(0, len(joined), _GROUP)]


def _wrong(groups: Sequence[str]) -> list[int]:
    """Return the indexes of the groups whose size, symbols or check do not hold."""
    last = len(groups) - 1
    return [number for number, group in enumerate(groups) if not _holds(number, group, 2 if number == last else _GROUP)]


def _holds(number: int, group: str, least: int) -> bool:
    values = [_VALUES.get(symbol, -1) for symbol in group]
    return least <= len(values) <= _GROUP and -1 not in values and _check(number, values[:-1]) == values[-1]


def _check(number: int, values: Iterable[int]) -> int:
    """Return the check symbol of a group's values: the sum of (number, values) times falling powers of x in GF(32)."""
    total = number % 32
    for value in values:
        total = _times_x(total ^ value)
    return total


def _times_x(value: int) -> int:
    return (value << 1) ^ (0b100101 if value & 0b10000 else 0)  # modulo x^5 + x^2 + 1, in which x has order 31


def _expected(first: str) -> int | None:
    """Return how many symbols, checks included, the whole invite has by what its first group says."""
    size = _from_symbols([_VALUES[symbol] for symbol in first[:_LENGTH]], 2)
    if size is None:
        return None
    symbols = _LENGTH + _symbols_for(int.from_bytes(size, "big") + _DIGEST)
    return symbols + -(-symbols // (_GROUP - 1))


def _mistyped(chunks: Sequence[str], written: Sequence[str], expected: int | None) -> BadInvite:
    """Return what to say of an invite whose checks do not hold, by its groups as counted and as the hyphens stand."""
    kept_hyphens = sum(len(part) == _GROUP for part in written) > len(written) // 2
    groups = written if kept_hyphens else chunks
    wrong, length = _wrong(groups) or [len(groups) - 1], sum(map(len, groups))
    if expected is not None and length < expected and wrong == [len(groups) - 1]:
        return BadInvite(
            f"The invite is cut off: it has {length} of its {expected} characters after {PREFIX}{VERSION}. Copy all of "
            "it; it may run over several lines."
        )
    many = "" if expected is None else f" of {-(-expected // _GROUP)}"
    first = groups[wrong[0]]
    strange = sorted({symbol for symbol in first if symbol not in _VALUES})
    why = f": no invite has the character {strange[0]!r}" if strange else ""
    if not strange and (len(first) < _GROUP or (expected is not None and length < expected)):
        why = ": a character is missing there"
    elif not strange and (len(first) > _GROUP or (expected is not None and length > expected)):
        why = ": there is a character too many"
    others = f", and in {len(wrong) - 1} more" if len(wrong) > 1 and length == expected else ""
    return BadInvite(
        f"There is a typing error in group {wrong[0] + 1}{many} of the invite, {first[: 2 * _GROUP]!r}{others}{why}. "
        "Compare it with the original, or copy that again."
    )


def _pack_endpoints(endpoints: Sequence[str]) -> Iterable[bytes]:
    """Yield each address in bytes: what it is, the port unless it is the same as before, the address."""
    last = b""
    for endpoint in endpoints:
        host, _, port_text = endpoint.removeprefix("tcp://").rpartition(":")
        address, port = ip_address(host.strip("[]")), int(port_text).to_bytes(2, "big")
        kind = (_FAMILY_6 if address.version == 6 else 0) | (_SAME_PORT if port == last else 0)
        yield bytes([kind]) + (b"" if port == last else port) + address.packed
        last = port


def _unpack(payload: bytes) -> tuple[Invite, str]:
    """Return what a payload says; `BadInvite` if its writer made a mistake."""
    ends = list(accumulate(_KEYS, initial=0))
    table, token, host, identity = (payload[start:end].hex() for start, end in pairwise(ends))
    at = ends[-1]
    try:
        end = at + 1 + payload[at]
        game = payload[at + 1 : end].decode("ascii")
        endpoints = tuple(_unpack_endpoints(payload[end:]))
    except (IndexError, ValueError) as error:
        raise _badly_made() from error
    if end > len(payload) or not game.isalnum() or not 0 < len(endpoints) <= ENDPOINTS_MOST:
        raise _badly_made()
    return Invite(table, token, host, identity, endpoints), game


def _unpack_endpoints(data: bytes) -> Iterable[str]:
    port = b""
    while data:
        kind, data = data[0], data[1:]
        if not kind & _SAME_PORT:
            port, data = data[:2], data[2:]
        size = 16 if kind & _FAMILY_6 else 4
        packed, data = data[:size], data[size:]
        host = f"[{IPv6Address(packed)}]" if kind & _FAMILY_6 else str(IPv4Address(packed))
        endpoint = f"tcp://{host}:{int.from_bytes(port, 'big')}"
        if not is_dialable(endpoint):
            raise ValueError(endpoint)
        yield endpoint


def _badly_made() -> BadInvite:
    return BadInvite("The invite was not mistyped, but made wrongly: ask for a new one, from `sunward host`.")


def _digest(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=_DIGEST, person=b"sunward invite").digest()


def _symbols_for(size: int) -> int:
    return -(-size * 8 // 5)


def _to_symbols(data: bytes, count: int | None = None) -> list[int]:
    """Return bytes as one number in base 32, most significant symbol first."""
    number = int.from_bytes(data, "big")
    many = _symbols_for(len(data)) if count is None else count
    return [number >> 5 * place & 31 for place in reversed(range(many))]


def _from_symbols(values: Iterable[int], size: int) -> bytes | None:
    """Return the number that symbols stand for as so many bytes, or None if it has more."""
    number = 0
    for value in values:
        number = number << 5 | value
    return number.to_bytes(size, "big") if number < 1 << 8 * size else None
