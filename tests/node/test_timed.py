"""A host with clocks proposes what a host without proposes, and the clocks."""

from dataclasses import replace

from sunward_node.timed import Clock, TimedHost, told
from sunward_protocol.draws import HashChain
from sunward_protocol.genesis import Genesis, delegate
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Founded, Myself, Post, Table
from sunward_protocol.table.visitor import Visitor
from support.pebbles import PEBBLES, find_pebbles
from support.world import HashSignatures, HashSigner, seed

TABLE, TOKEN, LENGTH = seed("table"), b"token", 64
CLOCK: Clock = (("bank", 300), ("frames", 30), ("increment", 5))
LAID = Table(TABLE, TOKEN, PEBBLES.load(PEBBLES.builtin()), {}, 2, LENGTH)


def entropy(size: int) -> bytes:
    return (seed("entropy") * 2)[:size]


def myself(who: int) -> Myself:
    identity, session = HashSigner(seed("identity", who)), seed("session", who)
    tip = HashChain(seed("chain", who), session, LENGTH).tip
    member = delegate(identity, TABLE, f"member {who}", session, seed("curve", who), tip, LENGTH)
    return Myself(identity, member, (f"tcp://{who}:1",))


def founded(host: Host) -> list[Genesis]:
    """Let one visitor come, and return the genesis that each side begins with."""
    visitor = Visitor(
        myself(1),
        TABLE,
        TOKEN,
        seed("curve", 0),
        find_pebbles,
        HashSignatures(),
        entropy,
        seed("identity", 0),
        LENGTH,
    )
    sides = (host, visitor)
    pending = [(0, each) for each in host.set_ready(True, 0.0)] + [(1, each) for each in visitor.look(0.0)]
    pending += [(1, each) for each in visitor.set_ready(True, 0.0)]
    begun = list[Genesis]()
    while pending:
        who, answer = pending.pop(0)
        if isinstance(answer, Post):
            other = 1 - who
            pending += [(other, each) for each in sides[other].hear(seed("curve", who), answer.raw, 0.0)]
        elif isinstance(answer, Founded):
            begun.append(answer.genesis)
    return begun


def test_the_clocks_are_all_that_differs() -> None:
    plain = founded(Host(myself(0), LAID, HashSignatures(), entropy))
    timed = founded(TimedHost(myself(0), LAID, HashSignatures(), entropy, CLOCK))
    assert len(plain) == len(timed) == 2
    assert timed == [replace(genesis, clock=CLOCK) for genesis in plain]


def test_what_clocks_mean_is_said_to_whoever_sits_down() -> None:
    assert told(CLOCK).startswith("This table has clocks: 300 s to think each, and 5 s more every turn.")
    assert len(told(CLOCK)) <= 200
