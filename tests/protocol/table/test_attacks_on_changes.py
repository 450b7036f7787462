"""Attacks that once did harm: on agreeing who plays, by votes, words and claims without end, and on the draws."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from random import Random

import pytest

from sunward_protocol import limits
from sunward_protocol.domains import Domain, Purpose, digest
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.genesis import delegate
from sunward_protocol.ids import NOTHING, Digest, Epoch, Place, Step
from sunward_protocol.messages import NO_CHANGE, Ack, Act, Change, Claim, Kind, Payload, Resume, Status, Vote
from sunward_protocol.records import write_opening
from sunward_protocol.table.events import Chosen, Claimed, Heard, Wanted
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.liars_unproved import Restless
from support.one_seat import ME, OneSeat, out
from support.pebbles import CHALLENGE, LAY, ROLL
from support.quiet import actor, finish, nobody, sign, table
from support.world import Disk, HashSigner, World, seed


def owned(owners: Mapping[Place, Place], members: int) -> World:
    """Return such a table of which some places are bots, each owned by whoever is at another."""
    world = World(members, random_seed=3, choose=nobody, waiting=True)
    seated = list(world.genesis.members)
    for bot, owner in owners.items():
        ownership = world.identities[owner].sign(Purpose.OWNERSHIP, seated[bot].identity)
        seated[bot] = seated[bot]._replace(owner=seated[owner].identity, ownership=ownership)
    world.genesis = replace(world.genesis, members=tuple(seated))
    seals = tuple(identity.sign(Purpose.SEAL, world.genesis.body) for identity in world.identities)
    world.disks = [Disk([write_opening(world.genesis, seals)]) for _ in range(members)]
    world.begin()
    world.run(1)
    return world


def vote(world: World, place: Place, epoch: Epoch) -> bytes:
    """Return the vote of a place for another epoch, and for no change."""
    tip = world.replica(0).steps.tip
    return sign(world, Kind.VOTE, Vote(tip.epoch, NO_CHANGE, tip.step, tip.attempts, ()), place, epoch, 0, tip.head)


def claim(world: World, place: Place) -> bytes:
    return sign(world, Kind.CLAIM, Claim((NO_CHANGE,)), place, world.replica(0).steps.tip.epoch, 1)


def tell(world: World, places: Iterable[Place], sender: Place, raw: bytes) -> None:
    for place in places:
        world.feed(place, Heard(sender, raw))


def votes(world: World, place: Place) -> list[Frame]:
    """Return what a place sent of votes of its own, each once."""
    frames = map(open_frame, dict.fromkeys(raw for sender, _, raw in world.sent if sender == place))
    return [frame for frame in frames if (frame.kind, frame.place) == (Kind.VOTE, place)]


def live(world: World, places: Iterable[Place]) -> set[tuple[Place, ...]]:
    return {world.replica(place).steps.settled.live for place in places}


def put_out(world: World, gone: Iterable[Place], others: Iterable[Place]) -> None:
    mask = sum(1 << place for place in gone)
    for place in gone:
        world.stop(place)
    for place in others:
        world.feed(place, Wanted(out=mask))
    world.run(20, until=lambda: live(world, others) == {tuple(others)})
    assert live(world, others) == {tuple(others)}


# Votes


def test_a_liar_does_not_draw_one_member_up_to_an_epoch_that_the_others_do_not_follow_to() -> None:
    """All claim no change; one hears of the liar's votes alone, each as far above the last as is followed."""
    world = table(4, {"bank": 200, "increment": 2, "frames": 10})
    world.stop(3)
    tell(world, (0, 1, 2), 3, vote(world, 3, 1))
    world.run(1, until=lambda: all(world.told(place, Claimed) for place in range(3)))
    world.delay = lambda sender, receiver: None if sender == 0 else 0.001
    tell(world, (0,), 3, claim(world, 3))
    for times in range(1, 6):
        world.run(1.1 * limits.STATUS_EVERY, until=lambda: False)
        tell(world, (0,), 3, vote(world, 3, times << 20))
    world.run(1.1 * limits.STATUS_EVERY, until=lambda: False)
    assert votes(world, 0), "it was drawn to vote at all"
    world.delay = lambda sender, receiver: 0.001
    world.run(120, until=lambda: live(world, (0, 1, 2)) == {(0, 1, 2)})
    assert live(world, (0, 1, 2)) == {(0, 1, 2)}
    finish(world)


def test_who_was_led_far_up_while_it_heard_nobody_else_is_followed_once_they_hear_each_other() -> None:
    """One hears of the liar's votes alone, each as far above its own as is followed; then the liar is honest again."""
    world, seconds = table(4), 30
    world.stop(3)
    tell(world, (0, 1, 2), 3, vote(world, 3, 1))
    world.run(1, until=lambda: all(world.told(place, Claimed) for place in range(3)))
    world.delay = lambda sender, receiver: None if 0 in (sender, receiver) else 0.001
    tell(world, (0,), 3, claim(world, 3))
    for _ in range(seconds):
        tell(world, (0,), 3, vote(world, 3, world.replica(0).steps.journal.promised + 3 * limits.VOTE_LEAD))
        world.run(1.001 * limits.STATUS_EVERY, until=lambda: False)
    assert votes(world, 0)[-1].epoch > seconds * limits.VOTE_LEAD, "it was led at all"
    world.delay = lambda sender, receiver: 0.001
    world.start(3)
    world.run(seconds + 10, until=lambda: all(world.replica(place).steps.settled.epoch for place in range(4)))
    assert all(world.replica(place).steps.settled.epoch for place in range(4))
    finish(world)


def test_who_leaves_every_epoch_as_soon_as_it_began_leaves_the_others_time_to_act() -> None:
    """It signs late for each, so that most of the time nothing can be signed; one of the others thinks for 2 s."""
    liar, thinker = 1, 3
    clock = {"bank": 10, "increment": 2, "frames": 10}
    options, liars = {"chance": "no"}, {liar: Restless()}
    world = World(4, random_seed=3, components=b"8", options=options, clock=clock, liars=liars)

    def think(replica: Replica, chance: Random) -> tuple[int, ...]:
        if replica.steps.own.place != thinker:
            return (LAY,)
        world.at(world.now + 2, lambda: world.feed(thinker, Chosen(replica.steps.tip.step, (LAY,))))
        return ()

    def late(sender: Place, receiver: Place) -> float:
        begins = open_frame(world.sent[-1][2]).kind in (Kind.EPOCH, Kind.SYNC)
        return 1.5 if sender == liar and begins else 0.001

    world.choose, world.delay = think, late
    world.run(30)
    assert world.ended()
    assert world.replica(0).steps.settled.epoch > 3, "it was left again and again"
    assert all(left > 0 for place in range(4) for left in world.replica(place).clocks.turns)


def test_who_left_its_own_way_for_an_epoch_on_which_another_began_stands_behind_what_it_signed() -> None:
    """2 laid a pebble for us, who laid one behind it, and challenged for 1 and 3; all vote it out, and then to rest."""
    seat, others, liar = OneSeat(), (1, 3), 2
    world = seat.world
    for step, place in ((1, 3), (2, 1)):
        world.feed(place, Chosen(step, (LAY,)))
        world.run(1, until=lambda: False)
    before = seat.steps.tip
    world.delay = lambda sender, receiver: 0.001 if receiver == ME else None
    world.feed(liar, Chosen(3, (LAY,)))
    world.run(0.1)
    world.feed(ME, Chosen(4, (LAY,)))
    ours = seat.steps.tip
    assert ours.step == 5
    position = before.position.copy()
    position.apply(before.seat_of(liar), CHALLENGE)
    other = Act(before.state, (CHALLENGE,), digest(Domain.STATE, position.encode()))
    tell(world, others, liar, seat.frame(Kind.ACT, other, liar, step=3, head=before.head).raw)

    seat.hears(*others)
    seat.finds_late(liar)
    stands = world.replica(others[0]).steps
    for epoch, change in enumerate((out(liar), Change(0, (), 0, 1)), 1):
        seat.wants(Wanted(adjourn=bool(change.adjourn)))
        seat.hear_claim(others, change)
        seat.wait(limits.CHALLENGE)
        seat.hear_vote(others, change, epoch, stands)
        seat.wait(0)
        seat.hear_epoch(others, change, epoch)
        seat.wait(0)
        assert seat.steps.tip.epoch == epoch
        seat.finds_late()
        stands = seat.steps
    for _ in range(4):
        seat.wait(limits.VOTE_AGAIN)
    later = [frame for frame in seat.said(Kind.VOTE) if frame.epoch > 2]
    assert later, "it may vote, since it leaves nothing out"
    assert {frame.head for frame in later} == {ours.head}


def test_votes_for_ever_later_epochs_are_answered_with_one_a_second_at_most() -> None:
    world = table(4)
    world.stop(3)
    tell(world, (0, 1, 2), 3, claim(world, 3))
    seconds, each = 3, 20
    for number in range(seconds * each):
        tell(world, (0, 1, 2), 3, vote(world, 3, number + 1))
        world.run(limits.STATUS_EVERY / each, until=lambda: False)
    assert all(1 < len(votes(world, place)) <= seconds + 1 for place in (0, 1, 2))


def test_votes_and_beginnings_signed_with_new_keys_are_no_strike_by_who_has_not_heard_of_them() -> None:
    world = World(5, random_seed=5, choose=nobody)
    world.run(1)
    put_out(world, (3, 4), (0, 1, 2))
    signer, length = HashSigner(seed("session", "new")), world.genesis.chain_length
    chain = HashChain(seed("chain", "new"), signer.public, length)
    keys = signer.public, seed("curve", "new"), chain.tip
    delegation = delegate(world.identities[4], world.genesis.table, "", *keys, length).delegation
    own = Own(4, signer, chain, world.chance.randbytes, Resume(*keys, delegation, ()))
    world.signers[4], world.chains[4] = signer, chain
    world.replicas[4] = Replica(world.genesis, world.ruleset, own, world.signatures, now=world.now)
    world.feed(4, Wanted(back=True))
    others = (0, 1, 2, 4)
    world.run(20, until=lambda: live(world, others) == {others})
    world.start(3)  # it stands where it was, and no history comes
    world.delay = lambda sender, receiver: (
        None if receiver == 3 and open_frame(world.sent[-1][2]).kind is Kind.SYNC else 0.001
    )
    for place in others:
        world.feed(place, Wanted(adjourn=True))
    world.run(8, until=lambda: False)
    assert all(world.replica(place).steps.settled.resting for place in others)
    heard = [open_frame(raw) for sender, receiver, raw in world.sent if (sender, receiver) == (4, 3)]
    assert {Kind.VOTE, Kind.EPOCH} <= {frame.kind for frame in heard if frame.place == 4}
    assert world.replica(3).steps.tip.epoch == 0
    assert world.strikes == []
    world.delay = lambda sender, receiver: 0.001
    world.run(5, until=lambda: len(world.heads()) == 1)
    assert len(world.heads()) == 1


# Coming back


def test_who_asks_to_be_back_in_ever_newer_words_keeps_nobody_else_from_coming_back() -> None:
    """The liar says something newer to one of the others before they can agree on what it said last."""
    world = table(5)
    others = (0, 1, 2)
    put_out(world, (3, 4), others)
    epoch, member, numbers = world.replica(0).steps.tip.epoch, world.genesis.members[3], count(1)
    keys = (member.session, member.curve, member.tip, member.delegation)

    def say() -> None:
        number = next(numbers)
        ends = (f"tcp://192.0.2.1:{number}",)
        world.feed(number % 3, Heard(3, sign(world, Kind.RESUME, Resume(*keys, ends), 3, epoch, number)))
        world.at(world.now + limits.STATUS_EVERY / 4, say)

    say()
    world.start(4)
    world.run(2, until=lambda: False)
    world.feed(4, Wanted(back=True))
    world.run(30, until=lambda: all(4 in each for each in live(world, others)))
    assert live(world, others) == {(0, 1, 2, 4)}
    assert world.strikes == []


def test_a_few_words_that_one_member_alone_was_told_keep_nobody_else_from_coming_back() -> None:
    """The liar tells each of the others something else at once, and one of them more than are borne."""
    world = table(5)
    others = (0, 1, 2)
    put_out(world, (3, 4), others)
    tip, member = world.replica(0).steps.settled, world.genesis.members[3]
    keys = (member.session, member.curve, member.tip, member.delegation)

    def say(place: Place, number: int) -> None:
        ends = (f"tcp://192.0.2.1:{number}",)
        world.feed(place, Heard(3, sign(world, Kind.RESUME, Resume(*keys, ends), 3, tip.epoch, number)))

    def be_heard() -> None:  # else they pass on to each other what it says
        tell(world, others, 3, sign(world, Kind.STATUS, Status((), 0b11111, ()), 3, tip.epoch, tip.step, tip.head))
        world.at(world.now + limits.STATUS_EVERY, be_heard)

    be_heard()
    world.run(3, until=lambda: False)
    for place in others:
        say(place, place)
    world.run(limits.STATUS_EVERY / 2, until=lambda: False)
    for number in range(len(others), limits.RESUMES_MOST + 1):
        say(0, number)
    world.start(4)
    world.run(2, until=lambda: False)
    world.feed(4, Wanted(back=True))
    world.run(60, until=lambda: all(4 in each for each in live(world, others)))
    assert all(4 in each for each in live(world, others))


# Owners of two seats


def test_no_two_sides_without_a_seat_in_common_put_each_other_out_whoever_owns_the_seats() -> None:
    """A person and B on one side of a broken net, A's bot and C on the other: on each two of three owners."""
    world = owned({1: 0}, 4)
    sides = ((0, 2), (1, 3))
    world.delay = lambda sender, receiver: 0.001 if any({sender, receiver} <= set(side) for side in sides) else None
    for side in sides:
        for place in side:
            world.feed(place, Wanted(out=sum(1 << other for other in range(4) if other not in side)))
    world.run(20, until=lambda: False)
    assert live(world, range(4)) == {(0, 1, 2, 3)}
    world.delay = lambda sender, receiver: 0.001
    for place in range(4):
        world.feed(place, Wanted())
    world.run(5, until=lambda: False)
    finish(world)


# Draws


def test_who_is_put_out_before_a_draw_is_locked_may_draw_when_back() -> None:
    world = table(3)
    roller = actor(world)
    gone, other = (place for place in range(3) if place != roller)
    world.stop(gone)
    world.feed(roller, Chosen(world.replica(roller).steps.tip.step, (ROLL,)))
    for place in (roller, other):
        world.feed(place, Wanted(out=1 << gone))
    world.run(20, until=lambda: all(gone not in world.replica(at).steps.settled.live for at in (roller, other)))
    world.start(gone)
    world.run(3, until=lambda: False)
    world.feed(gone, Wanted(back=True))
    world.run(20, until=lambda: all(gone in world.replica(place).steps.settled.live for place in range(3)))
    assert world.replica(0).steps.settled.live == (0, 1, 2)
    assert world.replica(0).steps.settled.linking == (0, 1, 2)
    finish(world)


@pytest.mark.parametrize(
    ("owners", "barred", "linking"),
    [
        ({}, {3}, (0, 1, 2)),
        ({}, {2, 3}, (0, 1)),
        ({}, {1, 2, 3}, (0, 1, 2, 3)),
        ({1: 0}, {3}, (0, 1, 2)),
        ({1: 0}, {2, 3}, (0, 1, 2, 3)),
    ],
)
def test_no_draw_is_made_of_the_links_of_one_owner_alone(
    owners: Mapping[Place, Place], barred: set[Place], linking: tuple[Place, ...]
) -> None:
    ledger = owned(owners, 4).replica(0).steps.settled.copy()
    ledger.barred = frozenset(barred)
    assert ledger.linking == linking


@pytest.mark.parametrize("more", [1, 1000])
def test_who_says_to_have_shown_links_that_no_draw_took_uses_up_none(more: int) -> None:
    world = table(4)
    world.stop(3)

    def say(kind: Kind, payload: Payload, epoch: Epoch, step: Step = 0, head: Digest = NOTHING) -> None:
        for place in range(3):
            world.feed(place, Heard(3, sign(world, kind, payload, 3, epoch, step, head)))

    for epoch in range(1, 6):
        tip = world.replica(0).steps.tip
        say(Kind.CLAIM, Claim((NO_CHANGE,)), tip.epoch, 1)
        say(Kind.VOTE, Vote(tip.epoch, NO_CHANGE, tip.step, tip.attempts + more, ()), epoch, 0, tip.head)
        world.sent.clear()
        world.run(limits.CHALLENGE + 2, until=lambda: False)
        theirs = next(frame for _, _, raw in world.sent if (frame := open_frame(raw)).kind is Kind.EPOCH)
        say(Kind.EPOCH, theirs.payload, epoch, theirs.step, theirs.head)
        begun = world.replica(0).steps.tip
        say(Kind.ACK, Ack(begun.state), epoch, begun.step - 1, begun.head)
        world.run(1, until=lambda: False)
    assert world.replica(0).steps.settled.epoch == 5
    assert world.replica(0).steps.settled.attempts == 1, "nothing was drawn but the seats"
