"""What a node brings to a table before its match: its side of the lobby, its keys, its invite.

Must never send anything.
"""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from sunward_node.keys import SeatSecrets, bot_identity, load_identity, passphrase_from
from sunward_node.opentable import OpenTable
from sunward_node.order import Invite, Opening, Order
from sunward_node.places import Places, private_folder
from sunward_protocol import limits
from sunward_protocol.draws import HashChain
from sunward_protocol.errors import LocalError
from sunward_protocol.games import catalog as games
from sunward_protocol.genesis import delegate
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer
from sunward_protocol.ids import Digest
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Myself, Phase, Table
from sunward_protocol.table.visitor import Visitor

SIGNATURES = Ed25519Signatures()


def own_side(order: Order, places: Places, keys: SeatSecrets, endpoints: Sequence[str]) -> Host | Visitor:
    """Return the side of the lobby that an order names; raise `LocalError` for what it asks and there is not."""
    if order.open is not None:
        table = secrets.token_bytes(32)
        me = own_self(order, places, keys, endpoints, table)
        return Host(me, _table(order.open, table), SIGNATURES, _entropy)
    if order.join is None:
        raise LocalError("A node opens a table, joins one or resumes a match; this one was told none of it.")
    invite = order.join
    table, token = bytes.fromhex(invite.table), bytes.fromhex(invite.token)
    me = own_self(order, places, keys, endpoints, table)
    host, identity = bytes.fromhex(invite.host), bytes.fromhex(invite.identity)
    return Visitor(me, table, token, host, games.find, SIGNATURES, _entropy, identity)


def open_table(host: Host, keys: SeatSecrets) -> OpenTable | None:
    """Return a host's table as it is announced; None while nobody can sit down."""
    lobby = host.lobby
    if host.phase is not Phase.GATHERING or len(lobby.members) == lobby.seats:
        return None
    game = host.table.ruleset.game.key
    return OpenTable(invite_to(host, keys), game, host.me.member.name, lobby.seats, len(lobby.members))


def own_identity(places: Places, bot: str | None, name: str) -> Ed25519Signer:
    """Return a person's identity, or that of their bot of this name."""
    signer = load_identity(private_folder(places.keys), passphrase_from(os.environ))
    return signer if bot is None else bot_identity(places.keys, name, signer).signer


def invite_to(host: Host, keys: SeatSecrets) -> Invite:
    """Return the way to the table that a host opened."""
    table, identity = host.table, host.me.identity.public
    return Invite(
        table.table.hex(), table.token.hex(), keys.curve.public.hex(), identity.hex(), tuple(host.me.endpoints)
    )


def own_self(order: Order, places: Places, keys: SeatSecrets, endpoints: Sequence[str], table: Digest) -> Myself:
    """Return who sits down: a person by their own key, a bot by its own and its owner's word for it."""
    folder = private_folder(places.keys)
    signer = load_identity(folder, passphrase_from(os.environ))
    owned = None if order.bot is None else bot_identity(folder, order.name, signer)
    signer = signer if owned is None else owned.signer
    session = Ed25519Signer(keys.session).public
    tip = HashChain(keys.chain, session, limits.CHAIN_LENGTH).tip
    member = delegate(signer, table, order.name, session, keys.curve.public, tip, limits.CHAIN_LENGTH)
    if owned is not None:
        member = member._replace(owner=owned.owner, ownership=owned.ownership)
    return Myself(signer, member, tuple(endpoints))


_entropy = secrets.token_bytes


def _table(opening: Opening, table: Digest) -> Table:
    game = games.find(opening.game)
    try:
        data = game.builtin() if opening.components is None else Path(opening.components).read_bytes()
    except OSError as error:
        raise LocalError(f"Cannot read the component file {opening.components}: {error.strerror}.") from error
    ruleset = game.load(data, opening.components or "components")
    ruleset.start(opening.seats, opening.options)
    seating = tuple(map(bytes.fromhex, opening.seating))
    clock = tuple(sorted(opening.clock.items()))
    return Table(table, secrets.token_bytes(16), ruleset, opening.options, opening.seats, seating=seating, clock=clock)
