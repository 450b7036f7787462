"""Where votes lead: to the furthest that anybody may have signed for, and nowhere that is not shown."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.ids import Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry, parse_entry
from sunward_protocol.messages import Ack, Act, Change, Commit, EpochBody, Kind, Vote
from sunward_protocol.table.events import Chosen
from sunward_protocol.table.steps import Steps
from sunward_protocol.table.ways import shown, turning, ways
from support.pebbles import CHALLENGE, LAY, ROLL, ROLL_THREE
from support.quiet import sign
from support.world import World, seed

ME, ONE, OTHER, LIAR = range(4)
WITHOUT_LIAR = Change(1 << LIAR, (), 0, 0)


class Way(NamedTuple):
    """Steps beyond our log: the ledger after them, their bodies and their entries."""

    ledger: Ledger
    bodies: tuple[Frame, ...] = ()
    entries: tuple[bytes, ...] = ()


class Table:
    """A table of four at which the liar is to act; nobody acts by themselves. The other three vote it out."""

    def __init__(self) -> None:
        self.world = World(4, random_seed=1, choose=lambda replica, chance: ())
        self.world.run(1)
        self.start = Way(self.steps.settled.copy())
        assert self.actor(self.start.ledger) == LIAR

    @property
    def steps(self) -> Steps:
        return self.world.replica(ME).steps

    @staticmethod
    def actor(ledger: Ledger) -> Place:
        return ledger.place_of[ledger.position.to_act()[0]]

    def on(self, way: Way, *bodies: Frame) -> Way:
        """Return a way that goes on by a step."""
        ledger = way.ledger.copy()
        ledger.perform(bodies)
        entry = Entry(0, ledger.step - 1, tuple(body.raw for body in bodies), (), ())
        return Way(ledger, way.bodies + bodies, (*way.entries, entry.encode()))

    def act(self, way: Way, choice: int) -> Way:
        """Return a way that goes on by what whoever is to act chooses."""
        ledger, place = way.ledger, self.actor(way.ledger)
        position = ledger.position.copy()
        position.apply(ledger.seat_of(place), choice)
        act = Act(ledger.state, (choice,), digest(Domain.STATE, position.encode()))
        return self.on(way, self.world.forge(Kind.ACT, act, place, ledger.step, ledger.head))

    def lock(self, way: Way) -> Way:
        """Return a way that ends with an action, with the ACKs of all for that."""
        ledger, body = way.ledger, way.bodies[-1]
        ack, step = Ack(ledger.state), ledger.step - 1
        acks = [self.world.forge(Kind.ACK, ack, place, step, ledger.head).raw for place in range(4)]
        return way._replace(entries=(*way.entries[:-1], Entry(0, step, (body.raw,), tuple(acks), ()).encode()))

    def vote(self, place: Place, stands: Ledger, entries: Sequence[bytes] = (), spent: int = 1) -> tuple[Frame, Vote]:
        """Return the vote of a place that stands somewhere, and shows these entries for it and so many links."""
        vote = Vote(0, WITHOUT_LIAR, stands.step, spent, tuple(entries))
        match, signer = self.start.ledger.match, self.world.signers[place]
        return seal(Kind.VOTE, vote, match, signer, epoch=1, place=place, head=stands.head), vote

    def leads(self, *told: Way) -> Ledger | None:
        """Return where the votes of places 0, 1, … lead us, who tell of these ways."""
        cast = [self.vote(place, way.ledger, way.entries) for place, way in enumerate(told)]
        lead, unfounded = ways(self.steps, cast, self.world.signatures)
        assert unfounded == set()
        base = turning(self.steps, lead, cast)
        return base and base[1]

    def perform(self, way: Way) -> None:
        """Let us perform a way."""
        for body in way.bodies:
            self.world.post(body.place, ME, body.raw)
        self.world.run(0.1)
        assert self.steps.tip.head == way.ledger.head
        assert self.steps.settled.step == self.start.ledger.step, "nothing of it is locked"


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_vote_that_shows_the_way_to_where_its_voter_stands_is_followed(table: Table) -> None:
    told, start = table.act(table.start, LAY), table.start.ledger
    cast = [table.vote(ME, start), table.vote(ONE, start), table.vote(OTHER, told.ledger, told.entries)]
    lead, unfounded = ways(table.steps, cast, table.world.signatures)
    assert {place: [each.ledger.head for each in way] for place, way in lead.items()} == {OTHER: [told.ledger.head]}
    assert unfounded == set()
    base = turning(table.steps, lead, cast)
    assert base is not None
    assert (base[0], base[1].head) == (lead[OTHER], told.ledger.head)
    assert table.steps.disputes.convicted == 0


def test_a_vote_that_does_not_lead_to_where_its_voter_says_that_it_stands_is_none(table: Table) -> None:
    way, step = table.act(table.start, LAY), table.start.ledger.step
    elsewhere, further = table.act(table.start, ROLL).ledger, way.ledger.copy()
    further.step += 1
    founded = table.vote(ONE, way.ledger, way.entries)
    for stands, entries in (
        (way.ledger, ()),
        (way.ledger, (b"torn",)),
        (way.ledger, (Entry(0, step, (founded[0].raw,), (), ()).encode(),)),  # a vote makes no step
        (way.ledger, (Entry(0, step, (bytes(64) + way.bodies[0].body,), (), ()).encode(),)),  # nobody signed it
        (elsewhere, way.entries),
        (further, way.entries),
    ):
        lead, unfounded = ways(table.steps, [founded, table.vote(OTHER, stands, entries)], table.world.signatures)
        assert (list(lead), unfounded) == ([ONE], {OTHER}), (stands.step, entries)


def test_a_vote_that_shows_another_body_for_a_slot_that_we_hold_convicts_its_author(table: Table) -> None:
    ours, other = table.act(table.start, LAY), table.act(table.start, ROLL)
    table.perform(ours)
    for told, convicted in ((ours, 0), (other, 1 << LIAR)):
        ways(table.steps, [table.vote(OTHER, told.ledger, told.entries)], table.world.signatures)
        assert table.steps.disputes.convicted == convicted


@pytest.fixture
def ours(table: Table) -> Way:
    """Two steps that we performed and signed for; the first is an action of the liar's."""
    ours = table.act(table.act(table.start, LAY), LAY)
    table.perform(ours)
    return ours


@pytest.fixture
def rival(table: Table, ours: Way) -> Way:
    """One step of another action of the liar's. Its head is the larger, which decides between as many voters."""
    first = table.act(table.start, LAY).ledger
    rival = max((table.act(table.start, choice) for choice in (ROLL, ROLL_THREE)), key=lambda way: way.ledger.head)
    assert rival.ledger.head > first.head
    return rival


def test_what_only_we_signed_for_is_where_the_votes_lead(table: Table, ours: Way) -> None:
    there = table.leads(ours, table.start, table.start)
    assert there is not None
    assert there.head == ours.ledger.head, "it may be locked, as far as the others can tell"


def test_what_we_signed_for_is_left_if_as_many_tell_of_another_way_as_cannot_all_be_liars(
    table: Table, ours: Way, rival: Way
) -> None:
    there = table.leads(ours, rival, rival)
    assert there is not None
    assert there.head == rival.ledger.head, "three of four vote, so one of two who tell of it is honest"


def test_what_we_signed_for_is_not_left_for_what_one_tells_of_who_may_be_a_liar(
    table: Table, ours: Way, rival: Way
) -> None:
    assert table.leads(ours, rival, table.start) is None


def test_how_many_tell_of_another_way_is_counted_where_it_parts_from_ours(table: Table, ours: Way) -> None:
    short = table.act(table.start, CHALLENGE)
    ledger = short.ledger
    commit = Commit(ledger.state, seed("commitment"))
    places = sorted(ledger.place_of[seat] for seat in ledger.position.to_act())
    long = table.on(short, *(table.world.forge(Kind.COMMIT, commit, at, ledger.step, ledger.head) for at in places))
    there = table.leads(ours, short, long)
    assert there is not None
    assert there.head == long.ledger.head


def test_a_vote_to_leave_one_epoch_that_tells_of_a_way_into_another_leads_nowhere(table: Table) -> None:
    start = table.start.ledger
    body = EpochBody(start.state, 0, WITHOUT_LIAR, start.attempts)
    bodies = [sign(table.world, Kind.EPOCH, body, at, 1, start.step, start.head) for at in (ME, ONE, OTHER)]
    ledger = start.copy()
    ledger.perform(list(map(open_frame, bodies)))
    told = table.vote(ONE, ledger, [Entry(1, start.step, tuple(bodies), (), ()).encode()])
    assert ways(table.steps, [told], table.world.signatures) == ({}, {ONE})


@pytest.fixture
def undrawn(table: Table) -> Ledger:
    """Where a roll of the liar's led that is drawn and settled by now, its draw not yet made."""
    table.world.feed(LIAR, Chosen(table.start.ledger.step, (ROLL,)))
    table.world.run(1)
    assert parse_entry(table.steps.entries[-1]).links
    return table.act(table.start, ROLL).ledger


def test_a_draw_that_a_voter_saw_stands(table: Table, undrawn: Ledger) -> None:
    settled = table.steps.settled
    cast = [table.vote(ME, undrawn), table.vote(ONE, settled), table.vote(OTHER, undrawn)]
    assert turning(table.steps, {}, cast) == ([], settled)


def test_a_draw_that_no_voter_saw_is_undone_and_its_step_stands(table: Table, undrawn: Ledger) -> None:
    base = turning(table.steps, {}, [table.vote(place, undrawn) for place in (ME, ONE, OTHER)])
    assert base is not None
    (news,), ledger = base
    assert (news.entry.step, news.entry.links, news.ledger) == (undrawn.step - 1, (), ledger)
    assert (ledger.head, ledger.drawing) == (undrawn.head, True)


def test_where_the_last_step_drew_nothing_votes_for_another_end_of_it_lead_nowhere(table: Table) -> None:
    table.world.feed(LIAR, Chosen(table.start.ledger.step, (LAY,)))
    table.world.run(1)
    other = table.steps.settled.copy()
    assert other.step > table.start.ledger.step
    other.head = seed("another head")
    assert turning(table.steps, {}, [table.vote(place, other) for place in (ME, ONE, OTHER)]) is None


def may_be_known(table: Table, ledger: Ledger, *told: tuple[Way, int]) -> bool:
    """Whether a draw may be known by the votes of places 0, 1, … who tell of a way and how many links they showed."""
    cast = [table.vote(place, way.ledger, way.entries, spent) for place, (way, spent) in enumerate(told)]
    lead, unfounded = ways(table.steps, cast, table.world.signatures)
    assert unfounded == set()
    return shown(ledger, lead, cast)


def test_a_draw_may_be_known_if_a_voter_showed_its_link_and_proves_the_lock(table: Table) -> None:
    rolled, other = table.act(table.start, ROLL), table.act(table.start, ROLL_THREE)
    locked = table.lock(rolled)
    assert may_be_known(table, rolled.ledger, (rolled, 1), (locked, 2))
    assert not may_be_known(table, rolled.ledger, (rolled, 1), (locked, 1)), "it showed none"
    assert not may_be_known(table, rolled.ledger, (rolled, 1), (rolled, 2)), "who saw no lock shows none"
    assert not may_be_known(table, rolled.ledger, (rolled, 1), (table.start, 2)), "nor who has not heard of the step"
    assert not may_be_known(table, rolled.ledger, (rolled, 1), (table.lock(other), 2)), "that was for another draw"
    laid = table.act(table.start, LAY)
    later = table.act(laid, ROLL)
    assert may_be_known(table, later.ledger, (later, 1), (table.lock(later), 2)), "whatever was played before it"
    assert not may_be_known(table, laid.ledger, (laid, 1), (table.lock(laid), 2)), "nothing is drawn"


def test_of_a_draw_that_our_log_has_the_lock_is_proved(table: Table, undrawn: Ledger) -> None:
    for spent, known in ((1, False), (2, True)):
        cast = [table.vote(place, undrawn, spent=spent if place == OTHER else 1) for place in (ME, ONE, OTHER)]
        assert shown(undrawn, {}, cast) == known
