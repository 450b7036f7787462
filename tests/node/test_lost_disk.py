"""Whole nodes, one of which dies with its disk, is put out, and comes back by its identity; and who else may knock."""

import asyncio
import os
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from sunward_node.order import LOOPBACK
from sunward_node.returning import knock
from sunward_node.sockets import CurveKeys
from sunward_protocol import messages
from sunward_protocol.audit import MatchFile
from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.genesis import Genesis, delegate
from sunward_protocol.identity import Ed25519Signer
from sunward_protocol.ids import Digest
from sunward_protocol.limits import CHAIN_LENGTH
from sunward_protocol.messages import Kind, Leave, Resume, Status
from sunward_protocol.table.lobby import Myself
from support.comeback import Player, Table, play_on_lost_disk
from support.faults import WAYS, Change, Fault, How
from support.one_thread import Wire
from support.pebbles import find_pebbles
from support.world import seed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

EVERY = os.environ.get("SUNWARD_FAULTS") == "all"
"""Whether each change is met by everything that may happen at it; else by one thing, in turn."""

GUEST = 1
BEGUN = 45
"""The change to the guest's files at which the match is sure to have begun."""
ENDING = 200
"""The one from which on it may be over before anybody is put out."""
LOST = Fault(100, How.BEFORE)
in_turn = count()


def made(match: MatchFile) -> list[messages.Change]:
    """Return what changed in who plays."""
    return [match.ledger.changed for _ in match.replay() if match.ledger.changed is not None]


def came_back(player: Player) -> bool:
    """Whether somebody was put out and came back, once, with other keys than they began with."""
    match = MatchFile(player.log(), find_pebbles)
    changes = made(match)
    began = [(member.session, member.curve) for member in match.genesis.members]
    fresh = [place for place, keys in enumerate(match.ledger.keys) if keys.session != began[place][0]]
    assert fresh == [place for place, keys in enumerate(match.ledger.keys) if keys.curve != began[place][1]]
    return [(each.out.bit_count(), len(each.back)) for each in changes] == [(1, 0), (0, 1)] and len(fresh) == 1


def test_whoever_lost_their_disk_plays_on_whenever_that_was(tmp_path: Path) -> None:
    for at in range(BEGUN, ENDING, 5 if EVERY else 20):
        assert came_back(play_on_lost_disk(tmp_path / str(at), GUEST, Fault(at, How.BEFORE)).players[0])


def test_who_comes_back_dies_or_its_disk_is_full_at_any_change_of_it(tmp_path: Path) -> None:
    """Before its new folder is there it comes back anew; from then on, as any seat."""
    lives = play_on_lost_disk(tmp_path / "undisturbed", GUEST, LOST).players[GUEST].lives
    changes = lives[1].changes[: 1 + lives[1].changes.index(Change("create", "seat.door")) + 30]
    for number, change in enumerate(changes):
        ways = WAYS[change.call]
        for how in ways if EVERY else (ways[next(in_turn) % len(ways)],):
            player = play_on_lost_disk(tmp_path / f"{number}-{how.name}", GUEST, LOST, Fault(number, how)).players[0]
            assert came_back(player)


def test_the_power_goes_while_its_new_folder_is_made(tmp_path: Path) -> None:
    lives = play_on_lost_disk(tmp_path / "undisturbed", GUEST, LOST).players[GUEST].lives
    for number in range(lives[1].changes.index(Change("create", "seat.door"))):
        if EVERY or next(in_turn) % 3 == 0:
            table = play_on_lost_disk(tmp_path / str(number), GUEST, LOST, Fault(number, How.POWER))
            assert came_back(table.players[0])


def test_a_node_that_starts_again_finds_who_came_back_by_their_new_keys(tmp_path: Path) -> None:
    at = len(play_on_lost_disk(tmp_path / "undisturbed", GUEST, LOST).players[0].lives[0].changes) - 20
    table = play_on_lost_disk(tmp_path / "again", GUEST, LOST, other=[Fault(at, How.BEFORE)])
    assert len(table.players[0].lives) == 2
    assert came_back(table.players[0])


def test_a_disk_may_be_lost_twice(tmp_path: Path) -> None:
    player = play_on_lost_disk(tmp_path / "twice", GUEST, Fault(60, How.BEFORE), LOST, times=2).players[0]
    changes = made(MatchFile(player.log(), find_pebbles))
    assert [(each.out.bit_count(), len(each.back)) for each in changes] == [(1, 0), (0, 1)] * 2


# Who else may knock


class Stranger(NamedTuple):
    """Somebody at a node's door, with a CURVE key of their own, and what they are told."""

    wire: Wire
    heard: list[bytes]


def stranger(table: Table, number: int) -> Stranger:
    """Return a stranger who has the invite, and dials."""
    heard = list[bytes]()
    keys = CurveKeys(seed("stranger", number), seed("stranger's secret", number))

    def deliver(batch: list[tuple[bytes, bytes]]) -> None:
        heard.extend(raw for _, raw in batch)

    wire = Wire(table.network, keys, lambda _: False, deliver, lambda _, __: None)
    wire.listen(LOOPBACK)
    invite = table.invite.result()
    wire.dial(bytes.fromhex(invite.host), *invite.endpoints)
    return Stranger(wire, heard)


def genesis_of(table: Table) -> Genesis:
    return MatchFile(table.players[0].log(), find_pebbles).genesis


def knocked(who: Ed25519Signer, curve: bytes, table: Digest, about: Digest, shown: bytes | None = None) -> bytes:
    """Return a knock by an identity, for keys of its own, that names `shown` as who it is."""
    session = Ed25519Signer(seed("another session", curve))
    member = delegate(who, table, "", session.public, curve, seed("another tip", curve), CHAIN_LENGTH)
    if shown is not None:
        member = member._replace(identity=shown, owner=shown)
    return knock(Myself(who, member, ()), about)


def bot(number: int) -> Ed25519Signer:
    """The identity that sits at the table as this player."""
    return Ed25519Signer(seed("bot", number))


def nobody(genesis: Genesis, curve: bytes) -> bytes:
    return knocked(Ed25519Signer(seed("nobody")), curve, genesis.table, genesis.table)


def in_anothers_name(genesis: Genesis, curve: bytes) -> bytes:
    lost = bot(GUEST).public
    return knocked(Ed25519Signer(seed("nobody")), curve, genesis.table, genesis.table, lost)


def of_another_table(genesis: Genesis, curve: bytes) -> bytes:
    return knocked(bot(GUEST), curve, seed("another table"), seed("another table"))


def delegated_elsewhere(genesis: Genesis, curve: bytes) -> bytes:
    return knocked(bot(GUEST), curve, seed("another table"), genesis.match)


def on_another_connection(genesis: Genesis, _: bytes) -> bytes:
    return knocked(bot(GUEST), seed("whose connection"), genesis.table, genesis.table)


def torn(genesis: Genesis, curve: bytes) -> bytes:
    return nobody(genesis, curve)[:-9]


def a_resume_of_another_match(genesis: Genesis, curve: bytes) -> bytes:
    signer = Ed25519Signer(seed("another session"))
    told = Resume(signer.public, curve, seed("tip"), bot(GUEST).sign(Purpose.DELEGATION, b""), ())
    return seal(Kind.RESUME, told, seed("another match"), signer, epoch=1, place=GUEST).raw


def a_status(genesis: Genesis, _: bytes) -> bytes:
    return seal(Kind.STATUS, Status((), 0, ()), genesis.match, place=GUEST).raw


RUDE: Mapping[str, Callable[[Genesis, bytes], bytes]] = {
    each.__name__: each
    for each in (
        nobody,
        in_anothers_name,
        of_another_table,
        delegated_elsewhere,
        on_another_connection,
        torn,
        a_resume_of_another_match,
        a_status,
    )
}
FLOOD = 200


def flood(table: Table, who: Stranger, raw: bytes) -> None:
    """Send the same over and over; it does not count among what the table's own members sent."""
    before = len(table.network.sent)
    for _ in range(FLOOD):
        who.wire.send(list(who.wire.linked), raw)
    del table.network.sent[before:]


async def until(table: Table, changes: int) -> None:
    """Wait until the host's file tells of a match, and of so many changes in who plays."""
    while not (log := table.players[0].log()) or len(made(MatchFile(log, find_pebbles))) < changes:  # noqa: ASYNC110  (nothing announces it)
        await asyncio.sleep(0.2)


@pytest.mark.parametrize("how", RUDE)
def test_a_stranger_is_told_nothing_however_they_knock(tmp_path: Path, how: str) -> None:
    told = list[bytes]()

    async def rude(table: Table) -> None:
        await until(table, 0)
        early = stranger(table, 0)
        await asyncio.sleep(1.0)
        assert not early.wire.linked, "nobody is out, so the door is shut"
        early.wire.cut()
        await until(table, 1)
        late = stranger(table, 1)
        await asyncio.sleep(0.2)
        assert late.wire.linked, "somebody is out"
        flood(table, late, RUDE[how](genesis_of(table), late.wire.key))
        await asyncio.sleep(1.0)
        told.extend(early.heard + late.heard)

    table = play_on_lost_disk(tmp_path / how, GUEST, LOST, beside=rude)
    assert told == []
    assert came_back(table.players[0])


def test_an_identity_whose_seat_is_played_is_told_so_and_gets_nothing_else(tmp_path: Path) -> None:
    told = list[bytes]()

    async def twice(table: Table) -> None:
        await until(table, 1)
        second = stranger(table, 0)
        await asyncio.sleep(0.2)
        genesis = genesis_of(table)
        second.wire.send(list(second.wire.linked), knocked(bot(2), second.wire.key, genesis.table, genesis.table))
        await asyncio.sleep(1.0)
        told.extend(second.heard)

    table = play_on_lost_disk(tmp_path / "twice", GUEST, LOST, beside=twice)
    (reason,) = [open_frame(raw).payload for raw in told]
    assert isinstance(reason, Leave)
    assert "is being played" in reason.reason
    assert len(table.network.pauses) == 1
    assert came_back(table.players[0])


def test_the_match_is_shown_once_in_a_while_however_often_its_member_knocks(tmp_path: Path) -> None:
    """And to the latest key only; that is who comes back, if they want."""
    told = list[bytes]()

    async def insistent(table: Table) -> None:
        await until(table, 1)
        again = stranger(table, 0)
        await asyncio.sleep(0.2)
        genesis = genesis_of(table)
        flood(table, again, knocked(bot(GUEST), again.wire.key, genesis.table, genesis.table))
        await asyncio.sleep(0.1)
        told.extend(again.heard)
        again.wire.cut()

    table = play_on_lost_disk(tmp_path / "insistent", GUEST, LOST, beside=insistent)
    kinds = [open_frame(raw).kind for raw in told]
    assert (kinds.count(Kind.PROPOSAL), kinds.count(Kind.SEAL)) == (1, 3)
    assert came_back(table.players[0])
