"""What is fuzzed: every parser of bytes from outside, each with what it may raise and what must hold if it does not.

Must never need more than bytes: hypothesis and a coverage-guided fuzzer drive the same table.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from sunward_node import invites, store
from sunward_node.order import Invite
from sunward_node.seat import MATCH_FILE
from sunward_protocol import limits
from sunward_protocol.audit import MatchFile, audit
from sunward_protocol.encoding import decode, encode
from sunward_protocol.envelope import open_frame
from sunward_protocol.errors import BadComponents, DamagedFile, LocalError, Malformed, OtherVersion
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.game import Game
from sunward_protocol.genesis import parse
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import SHAPES
from sunward_protocol.records import parse_kept, parse_record
from sunward_protocol.table.commands import Log
from sunward_protocol.table.events import Heard
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.matches import Stream, at_random, play
from support.pebbles import find_pebbles
from support.world import World

MEMBERS = 3


class Target(NamedTuple):
    """One parser under fuzzing; `runs` is its share of ten million, `most` the bytes it is fed at most."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]
    runs: int
    most: int


@cache
def _world() -> World:
    """A short match that was played to its end, with the signatures that nobody can forge but cheaply."""
    world = World(MEMBERS, random_seed=1, components=b"6")
    world.run()
    assert world.ended()
    return world


def _frames() -> Sequence[bytes]:
    return sorted({raw for _, _, raw in _world().sent})


def _log() -> Sequence[bytes]:
    return _world().disks[0].log


def _join(pieces: Sequence[bytes]) -> bytes:
    """Return pieces as one input, each behind its length in two bytes."""
    return b"".join(len(piece).to_bytes(2, "big") + piece for piece in pieces)


def _split(data: bytes) -> Iterator[bytes]:
    """Yield what `_join` joined, or what any other bytes make of it."""
    while data:
        size = int.from_bytes(data[:2], "big")
        yield data[2 : 2 + size]
        data = data[2 + size :]


# Bytes


def values(data: bytes) -> None:
    """What is decoded is encoded to what decodes to the same."""
    with suppress(Malformed):
        value = decode(data)
        assert decode(encode(value)) == value


def frames(data: bytes) -> None:
    """What is opened is within every bound of its kind."""
    with suppress(Malformed, OtherVersion):
        frame = open_frame(data)
        assert frame.raw == data
        assert len(data) <= SHAPES[frame.kind].most <= limits.FRAME_MOST
        assert len(frame.digest) == 32
        assert decode(frame.body) == decode(encode(decode(frame.body)))


def entries(data: bytes) -> None:
    """What is parsed is written to what parses to the same."""
    with suppress(Malformed):
        entry = parse_entry(data)
        assert parse_entry(entry.encode()) == entry


def records(data: bytes) -> None:
    """Neither file's record is anything but what its kinds say."""
    for read in (parse_record, parse_kept):
        with suppress(Malformed, OtherVersion):
            read(data)


def geneses(data: bytes) -> None:
    """What is parsed has one encoding, so that a match has one name."""
    with suppress(Malformed, OtherVersion):
        genesis = parse(data)
        assert genesis.body == data


# Files and lines


def files(data: bytes) -> None:
    """Whole records, and nothing of a torn or a damaged one: what is left of the file is the file of what was read."""
    with suppress(DamagedFile, OtherVersion):
        reading = store._parse(Path("fuzzed"), MATCH_FILE, data)  # pyright: ignore[reportPrivateUsage]  # no disk
        assert reading.end + reading.torn == len(data)
        if reading.end:
            again = store._parse(Path("fuzzed"), MATCH_FILE, data[: reading.end])  # pyright: ignore[reportPrivateUsage]
            assert again == store.Reading(reading.records, reading.end, 0)


def matches(data: bytes) -> None:
    """Nobody is convicted by a file that nobody's key has signed, and it is judged without an error of ours."""
    with suppress(DamagedFile, OtherVersion, LocalError):
        match = MatchFile(list(_split(data)), find_pebbles)
        report = audit(match, _world().signatures, _world().check_all)
        assert report.verdict in ("complete", "unfinished", "damaged")


def typed_invites(data: bytes) -> None:
    """What is read is an invite that reads back."""
    with suppress(invites.BadInvite, OtherVersion):
        invite, game = invites.read_invite(data.decode("utf-8", "replace"))
        _reads_back(invite, game)


def made_invites(data: bytes) -> None:
    """The same behind the checks of typing, which a fuzzer would not get past."""
    with suppress(invites.BadInvite):
        invite, game = invites._unpack(data)  # pyright: ignore[reportPrivateUsage]  # what stands behind the checks
        _reads_back(invite, game)


def _reads_back(invite: Invite, game: str) -> None:
    if all("%" not in endpoint for endpoint in invite.endpoints):
        assert invites.read_invite(invites.write_invite(invite, game)) == (invite, game)


def components(game: Game, data: bytes) -> None:
    """What is taken is taken again from its canonical bytes, and can be played."""
    with suppress(BadComponents):
        ruleset = game.load(data, "box.json")
        assert game.load(ruleset.components) == ruleset
        seats = game.seat_counts[len(data) % len(game.seat_counts)]
        stream = Stream(len(data))
        for _, _ in zip(play(ruleset.start(seats, {}), stream, at_random(stream)), range(20), strict=False):
            pass


_STRANGE: tuple[Any, ...] = (0, 1, -1, 2, 3, 5, 16, 64, 2**31, 10**30, 0.5, True, None, "", "a b", "leaf", [], {}, [1])


def patched(game: Game, data: bytes) -> None:
    """The built-in components with some of their values changed, taken out, doubled or put elsewhere."""
    document: Any = json.loads(game.builtin())
    for at in range(0, len(data) - 3, 4):
        spots = list(_spots(document))
        if not spots:
            break
        holder, key = spots[int.from_bytes(data[at : at + 2], "big") % len(spots)]
        other, there = spots[data[at + 3] * 251 % len(spots)]
        what = data[at + 2]
        if what < len(_STRANGE):
            holder[key] = _STRANGE[what]
        elif what < 128:
            holder[key] = deepcopy(other[there])
        elif what < 160:
            del holder[key]
        elif what < 192 and type(key) is int:  # in a list
            holder.append(holder[key])
        else:
            value = holder[key]
            holder[key] = value + what - 224 if type(value) is int else [value]
        if len(json.dumps(document)) > limits.GENESIS_MOST:
            break
    components(game, json.dumps(document).encode())


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a document that holds a value: its object or list, and its key there."""
    if isinstance(value, dict | list):
        holder = cast("Any", value)
        for key in list(holder) if isinstance(value, dict) else range(len(holder)):
            yield holder, key
            yield from _spots(holder[key])


# Machines


def replicas(data: bytes) -> None:
    """Whatever a peer sends, nothing is raised, nobody is convicted, and no more is kept than a table may need."""
    world = _world()
    replica = Replica(
        world.genesis,
        world.ruleset,
        Own(0, world.signers[0], world.chains[0], lambda size: bytes(size)),
        world.signatures,
    )
    done = replica.begin(0.0)
    for number, raw in enumerate(_split(data)):
        done += replica.handle(Heard(1 + number % (MEMBERS - 1), raw), 0.001 * number)
    logged = [parse_record(command.record) for command in done if isinstance(command, Log)]
    assert [getattr(record, "step", None) for record in logged] == list(range(replica.steps.settled.step))
    assert len(replica.steps.slots) <= (limits.LEAD + 1) * MEMBERS * 5


TARGETS: Mapping[str, Target] = {
    "values": Target(values, lambda: [raw[64:] for raw in _frames()], 2_000_000, 512),
    "frames": Target(frames, _frames, 3_000_000, 1024),
    "entries": Target(entries, lambda: _world().replica(0).steps.entries, 1_000_000, 2048),
    "records": Target(records, lambda: [*_log(), *_world().disks[0].journal], 1_000_000, 2048),
    "geneses": Target(geneses, lambda: [_world().genesis.body], 700_000, 2048),
    "files": Target(files, lambda: [_file(_log()[:2]), _file([b"", b"x"])], 1_000_000, 2048),
    "matches": Target(matches, lambda: [_join(_log())], 100_000, 16384),
    "typed invites": Target(typed_invites, lambda: [_invite().encode()], 600_000, 512),
    "made invites": Target(
        made_invites, lambda: [bytes(112) + b"\6around" + bytes([0, 1, 1, 10, 0, 0, 1])], 600_000, 256
    ),
    "around": Target(partial(components, AROUND), lambda: [AROUND.builtin()], 100_000, 8192),
    "around patched": Target(partial(patched, AROUND), lambda: [bytes(8)], 100_000, 32),
    "beyond": Target(partial(components, BEYOND), lambda: [BEYOND.builtin()], 50_000, 65536),
    "beyond patched": Target(partial(patched, BEYOND), lambda: [bytes(8)], 50_000, 32),
    "replicas": Target(replicas, lambda: [_join(_frames()[at : at + 8]) for at in range(0, 64, 8)], 200_000, 4096),
}
"""Every target by name."""


def _file(payloads: Sequence[bytes]) -> bytes:
    heads = [store._head(each) for each in payloads]  # pyright: ignore[reportPrivateUsage]
    return MATCH_FILE.header() + b"".join(head + each for head, each in zip(heads, payloads, strict=True))


def _invite() -> str:
    keys = (b"\1" * 32, b"\2" * 16, b"\3" * 32, b"\4" * 32)
    table, token, host, identity = (key.hex() for key in keys)
    endpoints = ("tcp://192.168.1.20:4242", "tcp://[2001:db8::1]:4242")
    return invites.write_invite(Invite(table, token, host, identity, endpoints), "around")
