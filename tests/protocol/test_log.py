"""The log and the ledger under it: entries follow one another or are refused, and the same match is the same bytes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunward_protocol.encoding import decode
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.errors import Forged, Malformed, OtherVersion, RemoteError
from sunward_protocol.ids import Place
from sunward_protocol.ledger import Disagreement, Ledger
from sunward_protocol.log import Entry, extend, is_ack, last_of_each, parse_entry
from sunward_protocol.messages import Ack, Change, EpochBody, Kind, Resume
from support.world import HashSigner, World, seed


@pytest.fixture(scope="module")
def world() -> World:
    """A match of three members in which everything happens."""
    world = World(3, random_seed=8, components=b"12", real=True)
    world.run()
    return world


def entries_of(world: World) -> list[Entry]:
    return [parse_entry(raw) for raw in world.replica(0).steps.entries]


def fresh(world: World) -> Ledger:
    return Ledger(world.genesis, world.ruleset)


def up_to(world: World, step: int) -> Ledger:
    ledger = fresh(world)
    for entry in entries_of(world)[:step]:
        extend(ledger, entry)
    return ledger


def test_every_member_has_the_same_heads_and_links_though_the_acks_may_differ(world: World) -> None:
    logs = [[parse_entry(raw) for raw in world.replica(place).steps.entries] for place in range(3)]
    for one, *others in zip(*logs, strict=True):
        for other in others:
            assert (other.bodies, other.links) == (one.bodies, one.links)


def test_the_frames_of_an_entry_are_handed_back_to_be_believed(world: World) -> None:
    ledger = fresh(world)
    for entry in entries_of(world):
        frames, signed = extend(ledger, entry)
        assert [frame.raw for frame in frames] == [*entry.bodies, *entry.acks]
        signers = {frame.place for frame in frames}
        if ledger.step == entry.step + 1 and (entry.links or not entry.bodies):
            assert signers == {0, 1, 2}, "nothing follows these before each signed, with a body or with an ACK"
        assert {each.public for each in last_of_each(signed)} == {ledger.keys[place].session for place in signers}


def test_a_copy_goes_its_own_way(world: World) -> None:
    for step, entry in enumerate(entries_of(world)):
        ledger = up_to(world, step)
        before = (ledger.head, ledger.state, ledger.tips.copy(), ledger.position.encode(), ledger.commitments)
        extend(ledger.copy(), entry)
        assert (ledger.head, ledger.state, ledger.tips, ledger.position.encode(), ledger.commitments) == before


def test_an_entry_reads_back(world: World) -> None:
    for raw in world.replica(0).steps.entries:
        assert parse_entry(raw).encode() == raw


def kinds(world: World) -> dict[str, int]:
    """Return a step of each sort, none of them the last."""
    found = dict[str, int]()
    for entry in entries_of(world)[1:-1]:
        sort = open_frame(entry.bodies[0]).kind.name + ("+draw" if entry.links else "")
        found.setdefault(sort, entry.step)
    return {"set-up": 0, **found, "closing": len(entries_of(world)) - 1}


def test_the_match_has_a_step_of_every_sort(world: World) -> None:
    assert set(kinds(world)) == {"set-up", "ACT", "ACT+draw", "COMMIT", "OPEN", "closing"}


GATED = {"set-up", "ACT+draw", "COMMIT", "closing"}
"""Whose entries have everybody's word in them; another step may be locked by what comes after it."""


FORGERIES: dict[str, Callable[[Entry], Entry]] = {
    "another step": lambda entry: entry._replace(step=entry.step + 1),
    "another epoch": lambda entry: entry._replace(epoch=1),
    "no ACKs": lambda entry: entry._replace(acks=()),
    "an ACK missing": lambda entry: entry._replace(acks=entry.acks[:-1]),
    "an ACK twice in another's place": lambda entry: entry._replace(acks=entry.acks[:1] * len(entry.acks)),
    "a body among the ACKs": lambda entry: entry._replace(acks=(*entry.acks[:-1], *entry.bodies[:1])),
    "bodies in another order or number": lambda entry: entry._replace(bodies=(*entry.bodies[1:], *entry.acks[:1])),
    "a link too many": lambda entry: entry._replace(links=(*entry.links, seed("link"))),
    "another link": lambda entry: entry._replace(links=(seed("link"), *entry.links[1:])),
}


def extend_all(ledger: Ledger, entries: Sequence[Entry]) -> None:
    for entry in entries:
        extend(ledger, entry)


@pytest.mark.parametrize("sort", ["set-up", "ACT", "ACT+draw", "COMMIT", "OPEN", "closing"])
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_entry_is_refused(world: World, sort: str, forgery: str) -> None:
    step = kinds(world)[sort]
    entry = entries_of(world)[step]
    forged = FORGERIES[forgery](entry)
    assert forged != entry or len(entry.acks) <= 1, "the forgery must change something"
    if forged != entry and (sort in GATED or forged.bodies != entry.bodies or forged.links or forged.step != step):
        after = entries_of(world)[step + 1] if sort != "closing" else forged._replace(step=step + 1)
        with pytest.raises(RemoteError):  # the forged entry, or whatever should follow it: only a new epoch may
            extend_all(up_to(world, step), (forged, after))


def test_an_ack_for_another_state_is_refused(world: World) -> None:
    step = kinds(world)["ACT+draw"]
    entry = entries_of(world)[step]
    ack = open_frame(entry.acks[-1])
    wrong = world.forge(Kind.ACK, Ack(seed("state")), ack.place, step, ack.head)
    with pytest.raises(Forged, match="for another step, head or state"):
        extend(up_to(world, step), entry._replace(acks=(*entry.acks[:-1], wrong.raw)))


def test_a_step_is_locked_once_everybody_signed_for_it_or_for_what_came_of_it(world: World) -> None:
    ledger = fresh(world)
    for entry in entries_of(world):
        before = ledger.locked
        extend(ledger, entry)
        assert before <= ledger.locked <= entry.step
        if entry.links or not entry.bodies:
            assert ledger.locked == entry.step
    assert ledger.closed


def test_an_entry_of_another_match_is_refused(world: World) -> None:
    other = World(3, random_seed=9, components=b"12", real=True)
    other.run(0.5)
    for entry in entries_of(other)[:1]:
        with pytest.raises(Forged, match="another match"):
            extend(fresh(world), entry)


@pytest.mark.parametrize("change", ["match", "epoch", "place"])
def test_a_frame_of_another_match_epoch_or_place_is_refused_wherever_it_stands(world: World, change: str) -> None:
    step = kinds(world)["ACT+draw"]
    entry = entries_of(world)[step]
    for raw in (entry.bodies[0], entry.acks[0]):
        mine = open_frame(raw)
        other = seal(
            mine.kind,
            mine.payload,
            seed("match") if change == "match" else mine.match,
            world.signers[0],
            epoch=1 if change == "epoch" else 0,
            step=step,
            place=3 if change == "place" else mine.place,
            head=mine.head,
        )
        if mine.kind is Kind.ACK:
            forged = entry._replace(acks=(other.raw, *entry.acks[1:]))
        else:
            forged = entry._replace(bodies=(other.raw,))
        with pytest.raises(Forged, match="another match, epoch or table"):
            extend(up_to(world, step), forged)


def test_nothing_follows_a_gate_that_was_never_locked(world: World) -> None:
    step = kinds(world)["COMMIT"]
    entry, after = entries_of(world)[step : step + 2]
    ledger = up_to(world, step)
    extend(ledger, entry._replace(acks=(entry.acks[0], *entry.acks[2:])))
    with pytest.raises(Forged, match="was never locked"):
        extend(ledger, after)


def test_nothing_follows_the_end_though_all_sign_for_it(world: World) -> None:
    ledger = up_to(world, len(entries_of(world)))
    with pytest.raises(Forged, match=f"Step {ledger.step}"):
        ledger.perform([])


def test_an_entry_of_another_epoch_is_refused_though_all_sign_for_it(world: World) -> None:
    onward = fresh(world)
    onward.perform([])
    acks = [
        seal(Kind.ACK, Ack(onward.state), onward.match, world.signers[place], epoch=1, place=place, head=onward.head)
        for place in range(3)
    ]
    entry = Entry(1, 0, (), tuple(ack.raw for ack in acks), ())
    with pytest.raises(Forged, match="another epoch"):
        extend(fresh(world), entry)


def test_the_body_of_the_next_step_stands_in_its_own_entry_and_in_no_other(world: World) -> None:
    entries = entries_of(world)
    step = next(
        entry.step
        for entry, after in pairwise(entries[:-1])
        if entry.bodies and after.bodies and not entry.links and open_frame(after.bodies[0]).kind is Kind.ACT
    )
    entry, after = entries[step : step + 2]
    assert up_to(world, step + 1).vouches(open_frame(after.bodies[0]))
    with pytest.raises(Forged, match="another step, head or state"):
        extend(up_to(world, step), entry._replace(acks=after.bodies))


def test_a_body_on_another_history_is_a_disagreement_and_not_a_cheat(world: World) -> None:
    step = kinds(world)["ACT"]
    body = open_frame(entries_of(world)[step].bodies[0])
    ledger = up_to(world, step)
    with pytest.raises(Disagreement, match="different heads"):
        ledger.copy().perform([body._replace(head=seed("head"))])
    assert ledger.head == up_to(world, step).head


def test_what_may_stand_as_an_ack(world: World) -> None:
    entry = entries_of(world)[kinds(world)["ACT"]]
    body = open_frame(entry.bodies[0])
    ack = open_frame(entries_of(world)[0].acks[0])
    assert is_ack(body, body.step - 1)
    assert not is_ack(body, body.step)
    assert is_ack(ack, 0)
    assert not is_ack(ack, 1)
    assert not is_ack(ack, -1), "an ACK is for its own step, and only a body for the one before"


def test_links_where_nothing_is_drawn_are_refused_though_they_are_as_many_as_would_draw(world: World) -> None:
    step = kinds(world)["COMMIT"]
    entry = entries_of(world)[step]
    assert not entry.links
    with pytest.raises(Forged, match="links where nothing is drawn"):
        extend(up_to(world, step), entry._replace(links=tuple(chain.links[9] for chain in world.chains)))


# Who plays


def epoch(world: World, ledger: Ledger, change: Change, voters: Sequence[Place]) -> Entry:
    """Return the beginning of the next epoch, as these places sign it."""
    body = EpochBody(ledger.state, ledger.epoch, change, ledger.attempts)
    match, head, number = ledger.match, ledger.head, ledger.epoch + 1
    sealed = [
        seal(Kind.EPOCH, body, match, world.signers[at], epoch=number, step=ledger.step, place=at, head=head)
        for at in voters
    ]
    return Entry(number, ledger.step, tuple(frame.raw for frame in sealed), (), ())


@pytest.mark.parametrize(
    ("session", "signer", "holds"),
    [("own", "own", True), ("own", "thief", False), ("thief", "thief", False)],
    ids=["in its own words", "signed by another", "with keys that its identity never stood behind"],
)
def test_of_who_comes_back_their_own_word_and_their_identitys_must_be_believed(
    session: str, signer: str, holds: bool
) -> None:
    """All who are live may sign for anything; that somebody is back, only that one can say."""
    world = World(3, waiting=True)
    keys = {"own": HashSigner(world.signers[2].public), "thief": HashSigner(seed("thief"))}
    ledger, member = fresh(world), world.genesis.members[2]
    extend(ledger, epoch(world, ledger, Change(0b100, (), 0, 0), (0, 1)))
    resume = Resume(keys[session].public, seed("new curve"), seed("new tip"), member.delegation, ())
    if session == "own":
        resume = resume._replace(curve=member.curve, tip=member.tip)
    raw = seal(Kind.RESUME, resume, ledger.match, keys[signer], epoch=1, place=2).raw
    signed = extend(ledger, epoch(world, ledger, Change(0, (raw,), 0, 0), (0, 1))).signed
    assert ledger.live == (0, 1, 2)
    for each in (signed, last_of_each(signed)):
        assert all(world.signatures.hold(*claim) for claim in each) is holds


@pytest.mark.parametrize(("seats", "enough"), [(2, False), (3, True)])
def test_of_seats_that_are_all_one_persons_more_than_half_may_put_out_another(seats: int, enough: bool) -> None:
    world = World(seats, waiting=True)
    one, *others = world.genesis.members
    genesis = replace(world.genesis, members=(one, *(other._replace(owner=one.owner) for other in others)))
    ledger = Ledger(genesis, world.ruleset)
    entry = epoch(world, ledger, Change(1 << seats - 1, (), 0, 0), tuple(range(seats - 1)))
    if not enough:
        with pytest.raises(Forged, match="more than half"):
            extend(ledger, entry)
        return
    extend(ledger, entry)
    assert ledger.live == (0, 1)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_entries_are_refused_or_change_no_history(world: World, data: st.DataObject) -> None:
    raws = world.replica(0).steps.entries
    step = data.draw(st.integers(0, len(raws) - 1))
    raw = bytearray(raws[step])
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    ledger = up_to(world, step)
    try:
        extend(ledger, parse_entry(bytes(raw)))
    except (RemoteError, Malformed, OtherVersion):
        return
    assert ledger.head == up_to(world, step + 1).head, "only signatures are left to others to check"
    assert decode(bytes(raw))
