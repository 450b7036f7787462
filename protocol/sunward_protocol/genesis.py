"""The genesis of a match: what all seats sign before it begins, and the match's name, which is its hash.

Must never admit a member whose keys its own identity did not delegate to, nor two members with one key or tip.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, cast

from sunward_protocol import limits
from sunward_protocol.domains import Domain, Purpose, digest
from sunward_protocol.encoding import decode, encode
from sunward_protocol.errors import Forged, Malformed, OtherVersion
from sunward_protocol.games.game import Game, Ruleset
from sunward_protocol.identity import UNSIGNED, Signatures, Signed, Signer
from sunward_protocol.ids import CurveKey, Digest, Place, PublicKey
from sunward_protocol.messages import CLOCK, HASH, MEMBER, Member, Resume, fields, many, natural, octets, text

_Fields: TypeAlias = tuple[
    int,
    bytes,
    str,
    int,
    tuple[tuple[str, str], ...],
    bytes,
    tuple[tuple[str, int], ...],
    int,
    tuple[int, ...],
    tuple[tuple[bytes, str, bytes, bytes, bytes, bytes, bytes, bytes], ...],
]
_SHAPE = fields(
    natural(),
    HASH,
    text(64),
    natural(),
    many(fields(text(32), text(32)), 16),
    octets(limits.GENESIS_MOST),
    CLOCK,
    natural(2**20),
    many(natural(limits.MEMBERS_MOST - 1), limits.MEMBERS_MOST),
    many(MEMBER, limits.MEMBERS_MOST, least=2),
)


@dataclass(frozen=True)
class Genesis:
    """A parsed genesis body; `clock` is the table's clock policy, () for none.

    `seating` is the place of each seat, () if seats are drawn at step 0.
    """

    table: Digest
    game: str
    rules_version: int
    options: tuple[tuple[str, str], ...]
    components: bytes
    clock: tuple[tuple[str, int], ...]
    chain_length: int
    seating: tuple[Place, ...]
    members: tuple[Member, ...]

    @cached_property
    def body(self) -> bytes:
        """The bytes that are signed and that travel."""
        return encode(
            (
                limits.PROTOCOL_VERSION,
                self.table,
                self.game,
                self.rules_version,
                self.options,
                self.components,
                self.clock,
                self.chain_length,
                self.seating,
                self.members,
            )
        )

    @cached_property
    def match(self) -> Digest:
        """The match id."""
        return digest(Domain.GENESIS, self.body)

    def ruleset(self, find: Callable[[str], Game]) -> Ruleset:
        """Return the rules this match is played by; raise `OtherVersion` if this program has others."""
        game = find(self.game)
        if game.rules_version != self.rules_version:
            raise OtherVersion(
                f"This match needs version {self.rules_version} of the rules of {game.title}; "
                f"here is version {game.rules_version}. Install the Sunward that it was begun with."
            )
        return game.load(self.components, "the match's components")


def parse(body: bytes) -> Genesis:
    """Return the genesis in `body`; raise `Malformed` or `OtherVersion`."""
    value = decode(body)
    if isinstance(value, tuple) and value and value[0] != limits.PROTOCOL_VERSION:
        raise OtherVersion(
            f"This match needs version {value[0]!r:.20} of the protocol; here is {limits.PROTOCOL_VERSION}."
        )
    if not _SHAPE(value):
        raise Malformed("The genesis has other fields, types or sizes than the protocol says.")
    _, table, game, rules, options, components, clock, length, seating, members = cast("_Fields", value)
    seated = tuple(Member(*member) for member in members)
    genesis = Genesis(table, game, rules, options, components, clock, length, seating, seated)
    if seating and sorted(seating) != list(range(len(seated))):
        raise Malformed("The genesis does not give each member one seat.")
    if genesis.body != body:
        raise Malformed("The genesis is not in its one canonical encoding.")
    return genesis


def delegate(
    identity: Signer, table: Digest, name: str, session: PublicKey, curve: CurveKey, tip: Digest, chain_length: int
) -> Member:
    """Return a person's own member entry for a table."""
    signature = identity.sign(Purpose.DELEGATION, _delegated(table, session, curve, tip, chain_length))
    return Member(identity.public, name, session, curve, tip, signature, identity.public, UNSIGNED)


def delegated(genesis: Genesis, place: Place, resume: Resume) -> Signed:
    """Return the claim that the identity of a place stands behind the keys with which it comes back."""
    body = _delegated(genesis.table, resume.session, resume.curve, resume.tip, genesis.chain_length)
    return Signed(genesis.members[place].identity, Purpose.DELEGATION, resume.delegation, body)


def _delegated(table: Digest, session: PublicKey, curve: CurveKey, tip: Digest, chain_length: int) -> bytes:
    return encode((table, session, curve, tip, chain_length))


def check_member(member: Member, table: Digest, chain_length: int, signatures: Signatures) -> None:
    """Raise `Forged` unless identity and owner signed for what the entry says."""
    delegated = _delegated(table, member.session, member.curve, member.tip, chain_length)
    if not signatures.hold(member.identity, Purpose.DELEGATION, member.delegation, delegated):
        raise Forged(f"The identity of {member.name!r} did not sign for the keys that are shown for it.")
    if member.owner == member.identity:
        if member.ownership != UNSIGNED:
            raise Forged(f"{member.name!r} owns itself and needs no owner's signature.")
    elif not signatures.hold(member.owner, Purpose.OWNERSHIP, member.ownership, member.identity):
        raise Forged(f"The bot {member.name!r} names an owner who did not sign for it.")


def check_members(genesis: Genesis, signatures: Signatures) -> None:
    """Raise `Forged` unless every entry is signed for and no key or tip stands twice."""
    for member in genesis.members:
        check_member(member, genesis.table, genesis.chain_length, signatures)
    for what in ("identity", "session", "curve", "tip"):
        if len({getattr(member, what) for member in genesis.members}) < len(genesis.members):
            raise Forged(f"Two members of the table show the same {what}.")


def check_seals(genesis: Genesis, seals: tuple[bytes, ...], signatures: Signatures) -> None:
    """Raise `Forged` unless every member's identity sealed this genesis."""
    if len(seals) != len(genesis.members):
        raise Forged(f"The genesis has {len(seals)} seals for {len(genesis.members)} members.")
    for member, signature in zip(genesis.members, seals, strict=True):
        if not signatures.hold(member.identity, Purpose.SEAL, signature, genesis.body):
            raise Forged(f"{member.name!r} did not seal this genesis.")
