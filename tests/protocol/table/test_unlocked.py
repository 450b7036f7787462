"""The steps that are not locked yet: who signed for them and by what, and who signed for something else."""

import pytest

from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import Frame, seal
from sunward_protocol.ids import Digest, Epoch, Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import Ack, Act, Change, EpochBody, Kind, Payload
from sunward_protocol.table.commands import Command, Log, Tell
from sunward_protocol.table.disputes import Disputes
from sunward_protocol.table.events import Troubled
from sunward_protocol.table.unlocked import Performed, Unlocked
from support.pebbles import LAY, ROLL
from support.world import World, seed

WRONG = seed("another")


class Round:
    """What is unlocked at a table of three; `first`, `second` and `third` are its places in order of turn."""

    def __init__(self) -> None:
        self.world = World(3, random_seed=1, choose=lambda replica, chance: ())
        self.world.run(1)
        self.ledger = self.world.replica(0).steps.settled.copy()
        seat = self.ledger.position.to_act()[0]
        self.first, self.second, self.third = (self.ledger.place_of[(seat + nth) % 3] for nth in range(3))
        self.done: list[Command] = []
        self.unlocked = Unlocked(self.ledger, Disputes(self.done.append))

    def sign(self, kind: Kind, payload: Payload, place: Place, ledger: Ledger, step: int, head: Digest) -> Frame:
        match, signer = ledger.match, self.world.signers[place]
        return seal(kind, payload, match, signer, epoch=ledger.epoch, step=step, place=place, head=head)

    def act(self, choice: int = LAY) -> Frame:
        """Return the action of whoever is to act."""
        tip = self.ledger
        place, position = tip.place_of[tip.position.to_act()[0]], tip.position.copy()
        position.apply(tip.seat_of(place), choice)
        act = Act(tip.state, (choice,), digest(Domain.STATE, position.encode()))
        return self.sign(Kind.ACT, act, place, tip, tip.step, tip.head)

    def perform(self, *bodies: Frame) -> Performed:
        self.ledger = self.ledger.copy()
        self.ledger.perform(bodies)
        return Performed(self.ledger.step - 1, bodies, self.ledger, self.ledger.moves)

    def add(self, *bodies: Frame) -> Performed:
        """Go on by a step; what comes of others is counted afterwards."""
        performed = self.perform(*bodies)
        self.unlocked.add(performed, ())
        return performed

    def begin(self, epoch: Epoch, out: int = 0) -> Performed:
        """Go on by the beginning of an epoch."""
        tip = self.ledger
        change = Change(out, (), 0, 0)
        body = EpochBody(tip.state, tip.epoch, change, tip.attempts)
        match, signers = tip.match, self.world.signers
        performed = self.perform(
            *(
                seal(Kind.EPOCH, body, match, signers[at], epoch=epoch, step=tip.step, place=at, head=tip.head)
                for at in tip.voters(change)
            )
        )
        self.unlocked.add(performed, ())
        return performed

    def ack(self, place: Place, performed: Performed, head: Digest = b"", state: Digest = b"") -> Frame:
        ledger = performed.ledger
        return self.sign(Kind.ACK, Ack(state or ledger.state), place, ledger, performed.step, head or ledger.head)

    def lacks(self, performed: Performed) -> set[Place]:
        """Return who has not signed for a step, which is locked if nobody is left."""
        lacks = set(self.unlocked.lacks(performed))
        assert self.unlocked.is_locked(performed) == (not lacks)
        return lacks

    @property
    def told(self) -> list[tuple[str, int, Place]]:
        notices = [each.notice for each in self.done if isinstance(each, Tell)]
        return [(each.code, each.step, each.place) for each in notices if isinstance(each, Troubled)]


@pytest.fixture
def table() -> Round:
    return Round()


def test_a_step_is_locked_once_each_signed_for_it_by_its_body_its_ack_or_what_came_later(table: Round) -> None:
    one = table.add(table.act())
    assert table.lacks(one) == {table.second, table.third}, "who acted has signed for what comes of it"
    two = table.add(table.act())
    assert table.lacks(one) == {table.third}
    assert table.lacks(two) == {table.first, table.third}
    table.unlocked.count(table.ack(table.third, two))
    assert table.lacks(one) == set()
    table.unlocked.count(table.ack(table.third, one))
    assert table.lacks(two) == {table.first}, "an older word that comes late takes nothing back"
    table.unlocked.count(table.ack(table.first, two))
    assert table.lacks(two) == set()


def test_what_came_before_its_step_counts_when_the_step_is_performed(table: Round) -> None:
    performed = table.perform(table.act())
    table.unlocked.add(performed, [table.ack(table.third, performed)])
    assert table.lacks(performed) == {table.second}


def test_a_body_of_the_next_step_signs_for_the_one_before_but_not_for_a_gate(table: Round) -> None:
    one = table.add(table.act())
    early = table.act()
    table.unlocked.count(early)
    assert table.lacks(one) == {table.third}
    assert one.acks == {}, "it is no ACK and does not stand among them"
    gate = table.add(table.act(ROLL))
    ledger = gate.ledger
    table.unlocked.count(
        table.sign(Kind.ACT, Act(ledger.state, (LAY,), WRONG), table.third, ledger, gate.step + 1, ledger.head)
    )
    assert table.lacks(gate) == {table.first, table.third}
    assert table.told == []


@pytest.mark.parametrize("what", ["head", "state"])
def test_who_signs_for_another_head_or_state_does_not_lock_and_is_named(table: Round, what: str) -> None:
    act = table.act()
    performed = table.add(act)
    ack = table.ack(table.second, performed, **{what: WRONG})
    table.unlocked.count(ack)
    assert table.lacks(performed) == {table.second, table.third}
    assert table.told == [("desync", performed.step, table.second)]
    proofs = [each for each in table.done if isinstance(each, Log)]
    assert len(proofs) == (what == "state"), "another state after the same head proves a wrong replica"


def test_what_is_signed_in_another_epoch_or_for_another_step_is_nothing_here(table: Round) -> None:
    performed = table.add(table.act())
    ack = table.ack(table.second, performed)
    match, signer = performed.ledger.match, table.world.signers[table.second]
    for epoch, step in ((1, ack.step), (0, ack.step + 1), (0, ack.step - 1)):
        table.unlocked.count(
            seal(Kind.ACK, ack.payload, match, signer, epoch=epoch, step=step, place=ack.place, head=ack.head)
        )
    assert table.lacks(performed) == {table.second, table.third}
    assert table.told == []


def test_once_we_go_back_what_was_signed_for_other_steps_counts_no_more(table: Round) -> None:
    start = table.ledger
    other = table.add(table.act(ROLL))
    for place in (table.second, table.third):
        table.unlocked.count(table.ack(place, other))
    assert table.lacks(other) == set()
    table.ledger = start
    table.unlocked.clear(start)
    assert table.unlocked.steps == []
    assert table.lacks(table.add(table.act(LAY))) == {table.second, table.third}


def test_an_epoch_is_locked_by_what_is_signed_in_it_alone(table: Round) -> None:
    before = table.add(table.act())
    for place in range(3):
        table.unlocked.count(table.ack(place, before))
    begun = table.begin(1)
    assert table.lacks(begun) == {0, 1, 2}, "an EPOCH says where it begins, not what comes of it"
    table.unlocked.count(table.ack(1, begun))
    assert table.lacks(begun) == {0, 2}


def test_who_is_put_out_is_not_waited_for(table: Round) -> None:
    begun = table.begin(1, out=1 << table.third)
    for place in (table.first, table.second):
        table.unlocked.count(table.ack(place, begun))
    assert table.lacks(begun) == set()


def test_the_opening_is_the_beginning_of_an_epoch_that_nothing_follows_yet(table: Round) -> None:
    assert table.unlocked.opening is None
    table.add(table.act())
    assert table.unlocked.opening is None
    begun = table.begin(1)
    assert table.unlocked.opening is begun
    table.add(table.act())
    assert table.unlocked.opening is None


def test_a_step_is_shown_with_its_body_the_acks_that_came_and_its_head(table: Round) -> None:
    one = table.add(act := table.act())
    acks = [table.ack(place, one) for place in sorted((table.second, table.third))]
    for ack in reversed(acks):
        table.unlocked.count(ack)
    other = table.act(ROLL)
    two = table.add(table.act())
    entry = parse_entry(table.unlocked.entries()[0])
    assert (entry.epoch, entry.step, entry.links) == (0, one.step, ())
    assert (entry.bodies, entry.acks) == ((act.raw,), tuple(ack.raw for ack in acks)), "in order of place"
    assert [parse_entry(raw).step for raw in table.unlocked.entries()] == [one.step, two.step]
    assert table.unlocked.heads() == [(one.step, one.ledger.head), (two.step, two.ledger.head)]
    assert all(map(table.unlocked.holds, (act, *acks)))
    assert not any(map(table.unlocked.holds, (other, table.ack(table.first, two))))
