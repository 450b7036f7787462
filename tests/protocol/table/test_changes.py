"""Who plays is changed by agreement: put out, come back, take back, rest, and what nobody can be made to agree to."""

from collections.abc import Iterable

import pytest

from sunward_protocol import limits
from sunward_protocol.domains import Purpose
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.genesis import delegate
from sunward_protocol.ids import Place, Step
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import NO_CHANGE, Change, Claim, Kind, Resume, Vote
from sunward_protocol.table.commands import Command, Send
from sunward_protocol.table.events import Applied, Changed, Chosen, Claimed, Ended, Heard, Wanted, WentAway
from sunward_protocol.table.journal import Own
from sunward_protocol.table.owing import owing
from sunward_protocol.table.replica import Replica
from support.pebbles import CHALLENGE, KEEP, LAY, ROLL
from support.quiet import actor, finish, nobody, table
from support.world import HashSigner, Liar, World, seed

CLOCK = {"bank": 20, "increment": 2, "frames": 10}


def play(world: World, place: Place, *actions: int) -> None:
    world.feed(place, Chosen(world.replica(place).steps.tip.step, actions))
    world.run(2)


def want(world: World, places: list[Place], wanted: Wanted) -> None:
    for place in places:
        world.feed(place, wanted)


@pytest.mark.parametrize("members", [3, 4, 6])
def test_whose_time_is_over_is_put_out_and_plays_on_autopilot(members: int) -> None:
    world = World(members, random_seed=1, clock=CLOCK)
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 4)
    gone = members - 1
    world.stop(gone)
    world.run(600)
    assert world.ended()
    steps = world.replica(0).steps
    assert steps.settled.live == tuple(range(gone))
    (changed,) = world.told(0, Changed)
    assert changed.change == Change(1 << gone, (), 0, 0)
    seat = steps.settled.seat_of(gone)
    moves = [move for applied in world.told(0, Applied) if applied.step > changed.step for move in applied.moves]
    assert any(move.seat == seat for move in moves), "its seat plays on"
    assert all(world.audit(place).verdict == "complete" for place in range(gone))


def test_clocks_that_are_off_put_nobody_out_but_the_others_may() -> None:
    world = table(4)
    gone = actor(world)
    world.stop(gone)
    world.run(300)
    others = [place for place in range(4) if place != gone]
    assert all(world.told(place, Claimed) == [] for place in others)
    want(world, others[:2], Wanted(out=1 << gone))
    world.run(60)
    assert world.replica(others[0]).steps.tip.epoch == 0, "one of them has not agreed"
    want(world, others[2:], Wanted(out=1 << gone))
    world.run(10)
    assert all(gone not in world.replica(place).steps.settled.live for place in others)
    finish(world)


def test_what_comes_within_the_challenge_saves_its_place() -> None:
    world = table(3)
    late = actor(world)
    others = [place for place in range(3) if place != late]
    want(world, others, Wanted(out=1 << late))
    world.run(limits.CHALLENGE / 2)
    want(world, others, Wanted())
    world.run(30)
    assert world.replica(0).steps.tip.epoch == 0
    assert all(world.told(place, Changed) == [] for place in range(3))
    play(world, late, LAY)
    finish(world)


def test_half_of_the_owners_cannot_put_anybody_out() -> None:
    world = World(4, random_seed=2, clock=CLOCK)
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 3)
    for gone in (2, 3):
        world.stop(gone)
    world.run(600)
    assert not world.ended()
    assert all(world.replica(place).steps.settled.epoch == 0 for place in (0, 1))
    assert {away.place for away in world.told(0, WentAway)} == {2, 3}
    for back in (2, 3):
        world.start(back)
    world.run(600)
    assert world.ended()
    assert len(world.heads()) == 1


def test_two_cannot_put_each_other_out() -> None:
    world = World(2, random_seed=2, clock=CLOCK)
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 3)
    world.stop(1)
    world.run(300)
    assert world.replica(0).steps.settled.epoch == 0
    assert world.told(0, Changed) == []


def test_who_was_put_out_comes_back_and_plays() -> None:
    world = World(3, random_seed=5, clock=CLOCK, components=b"60")
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 4)
    world.stop(2)
    world.run(600, until=lambda: 2 not in world.replica(0).steps.settled.live)
    world.choose = nobody
    world.start(2)
    world.run(2)
    assert 2 not in world.replica(0).steps.settled.live, "nobody comes back unless they want to"
    world.feed(2, Wanted(back=True))
    world.run(20, until=lambda: all(world.replica(at).steps.settled.live == (0, 1, 2) for at in range(3)))
    assert [bool(told.change.back) for told in world.told(1, Changed)] == [False, True]
    assert all(world.replica(place).clocks.turns[2] > limits.RETURNER / 2 for place in (0, 1)), "it had none left"
    back = world.replica(0).steps.settled.step
    finish(world)
    entries = [parse_entry(raw) for raw in world.replica(0).steps.entries[back:]]
    assert any(open_frame(raw).place == 2 for entry in entries for raw in entry.bodies)


def test_who_lost_their_disk_comes_back_with_new_keys() -> None:
    world = World(3, random_seed=5, clock=CLOCK, components=b"40")
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 4)
    promise = Vote(0, NO_CHANGE, world.replica(2).steps.tip.step, 0, ())
    old = seal(Kind.VOTE, promise, world.genesis.match, world.signers[2], epoch=9, place=2)
    for place in (0, 1):
        world.feed(place, Heard(2, old.raw))
        assert old in world.replica(place).changes.frames.values()
    world.stop(2)
    world.run(600, until=lambda: 2 not in world.replica(0).steps.settled.live)
    signer = HashSigner(seed("a new session", 2))
    chain = HashChain(seed("a new chain", 2), signer.public, world.genesis.chain_length)
    curve, length = seed("a new curve", 2), world.genesis.chain_length
    member = delegate(world.identities[2], world.genesis.table, "2", signer.public, curve, chain.tip, length)
    resume = Resume(member.session, member.curve, member.tip, member.delegation, ())
    world.disks[2].journal.clear()
    del world.disks[2].log[1:]
    world.signers[2], world.chains[2] = signer, chain
    own = Own(2, signer, chain, world.chance.randbytes, resume)
    replica = Replica(world.genesis, world.ruleset, own, world.signatures, now=world.now)
    world.replicas[2] = replica
    world.feed(2, Wanted(back=True))
    world.run(600)
    assert world.ended()
    assert replica.steps.settled.live == (0, 1, 2)
    assert replica.steps.settled.keys[2].session == signer.public
    for place in (0, 1):
        held = world.replica(place).changes.frames.values()
        assert old not in held, "what the lost keys promised would convict them of breaking it"
    assert all(world.audit(place).verdict == "complete" for place in range(3))


def test_who_asks_to_be_back_in_two_ways_is_taken_at_one_word_by_all() -> None:
    world = World(4, random_seed=5, clock=CLOCK, components=b"60")
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 4)
    world.stop(3)
    world.run(600, until=lambda: all(3 not in world.replica(place).steps.settled.live for place in range(3)))
    member, epoch = world.genesis.members[3], world.replica(0).steps.tip.epoch
    said = [
        seal(
            Kind.RESUME,
            Resume(member.session, member.curve, member.tip, member.delegation, (f"tcp://192.0.2.{number}:4",)),
            world.genesis.match,
            world.signers[3],
            epoch=epoch,
            place=3,
        )
        for number in (1, 2)
    ]
    for place, frame in zip((0, 1, 2), (said[0], said[1], said[0]), strict=True):
        world.feed(place, Heard(3, frame.raw))
    world.run(2, until=lambda: False)
    wanted = {claim.change for place in range(3) for claim in world.told(place, Claimed)[-1:]}
    assert {change.back for change in wanted if change} == {(max(frame.raw for frame in said),)}


def outside(place: Place, components: bytes = b"60") -> World:
    """Return a table of 4 that goes on without a place, which is not there."""
    world = World(4, random_seed=5, clock=CLOCK, components=components)
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 4)
    world.stop(place)
    others = [other for other in range(4) if other != place]
    world.run(600, until=lambda: all(place not in world.replica(other).steps.settled.live for other in others))
    return world


def again(world: World, place: Place, name: str, curve: bytes = b"", tip: bytes = b"", step: Step = 0) -> bytes:
    """Return a RESUME of a place with new keys, named by what they are made of."""
    signer, length = HashSigner(seed("session", name)), world.genesis.chain_length
    keys = (curve or seed("curve", name), tip or HashChain(seed("chain", name), signer.public, length).tip)
    member = delegate(world.identities[place], world.genesis.table, "", signer.public, *keys, length)
    resume = Resume(member.session, member.curve, member.tip, member.delegation, ())
    epoch = world.replica(0).steps.tip.epoch
    return seal(Kind.RESUME, resume, world.genesis.match, signer, epoch=epoch, step=step, place=place).raw


def last_claims(world: World, places: tuple[Place, ...]) -> set[Change | None]:
    return {claim.change for place in places for claim in world.told(place, Claimed)[-1:]}


def test_one_resume_with_two_signatures_parts_nobody() -> None:
    world = outside(3)
    raw = again(world, 3, "new")
    frame = open_frame(raw)
    twin = HashSigner(seed("session", "new")).sign_again(Purpose.FRAME, frame.body) + frame.body
    for place, said in zip((0, 1, 2), (raw, twin, raw), strict=True):
        world.feed(place, Heard(3, said))
    world.run(2, until=lambda: False)
    assert last_claims(world, (0, 1, 2)) == {Change(0, (max(raw, twin),), 0, 0)}


@pytest.mark.parametrize("what", ["chain", "curve"])
def test_who_comes_back_with_what_is_anothers_is_left_out_and_keeps_nobody_from_coming_back(what: str) -> None:
    world = outside(3)
    ledger, others = world.replica(0).steps.tip, (0, 1, 2)
    chain, curve = (ledger.tips[0], b"") if what == "chain" else (b"", ledger.keys[0].curve)
    stolen, sound = again(world, 3, "thief", curve, chain), again(world, 3, "own", step=1)
    before = [len(world.told(place, Claimed)) for place in others]
    for place in others:
        world.feed(place, Heard(3, stolen))
    assert [len(world.told(place, Claimed)) for place in others] == before
    for place in others:
        world.feed(place, Heard(3, sound))
    world.run(1, until=lambda: last_claims(world, others) == {Change(0, (sound,), 0, 0)})
    assert last_claims(world, others) == {Change(0, (sound,), 0, 0)}
    assert world.strikes == []


def test_a_claim_with_a_resume_that_does_not_hold_is_none_and_nobody_is_blamed_for_passing_it_on() -> None:
    world = table(4)
    tip = world.replica(0).steps.tip
    for number, back in enumerate([b"torn", again(world, 2, "live"), tip.genesis.members[2].delegation], 1):
        claim = Claim((Change(0, (back,), 0, 0),))
        frame = seal(Kind.CLAIM, claim, tip.match, world.signers[3], step=number, place=3)
        world.feed(0, Heard(3, frame.raw))
        world.run(3, until=lambda: False)
        assert frame not in world.replica(0).changes.frames.values()
    assert world.strikes == []


def test_who_asks_to_be_back_and_is_not_there_is_let_in_more_seldom_each_time() -> None:
    world = table(4)
    world.stop(3)
    want(world, [0, 1, 2], Wanted(out=0b1000))
    world.run(10)
    begun = set[int]()

    def ask() -> None:
        tip = world.replica(0).steps.tip
        member = world.genesis.members[3]
        word = Resume(member.session, member.curve, member.tip, member.delegation, ())
        frame = seal(Kind.RESUME, word, world.genesis.match, world.signers[3], epoch=tip.epoch, place=3)
        for place in range(3):
            world.feed(place, Heard(3, frame.raw))
        begun.update([tip.epoch] if 3 in tip.live else [])
        world.at(world.now + 1, ask)

    ask()
    world.run(100, until=lambda: False)
    assert len(begun) == 3, "each time for 6 s, and then not for 12, 24 and 48 s"
    assert world.strikes == []


def test_a_resume_that_its_identity_does_not_stand_behind_is_refused() -> None:
    world = World(3, random_seed=5, clock=CLOCK, components=b"40")
    world.run(60, until=lambda: world.replica(0).steps.settled.step >= 4)
    world.stop(2)
    world.run(600, until=lambda: 2 not in world.replica(0).steps.settled.live)
    steps = world.replica(0).steps
    member = world.genesis.members[2]
    resume = Resume(world.signers[1].public, seed("curve of a thief"), seed("tip"), member.delegation, ())
    stolen = seal(Kind.RESUME, resume, world.genesis.match, world.signers[1], epoch=steps.tip.epoch, place=2)
    before = len(world.strikes)
    world.feed(0, Heard(1, stolen.raw))
    assert len(world.strikes) == before + 1
    assert stolen not in world.replica(0).changes.frames.values()
    world.run(5)
    assert 2 not in world.replica(0).steps.settled.live


def test_steps_are_taken_back_by_consent_of_all() -> None:
    world = table(3)
    first = world.replica(0).steps.tip.step
    before = world.replica(0).steps.tip.position.encode()
    play(world, actor(world), LAY)
    play(world, actor(world), LAY)
    want(world, [0, 1], Wanted(rewind=first))
    world.run(20)
    assert world.replica(0).steps.tip.epoch == 0, "one has not agreed, and need not"
    want(world, [2], Wanted(rewind=first))
    world.run(5)
    for place in range(3):
        assert world.replica(place).steps.settled.position.encode() == before
        assert [told.change.rewind for told in world.told(place, Changed)] == [first]
    finish(world)


def test_nothing_is_taken_back_past_a_draw() -> None:
    world = table(3)
    first = world.replica(0).steps.tip.step
    roller = actor(world)
    play(world, roller, ROLL)
    while world.replica(0).steps.tip.position.to_act() != (world.replica(0).steps.tip.seat_of(roller),):
        play(world, actor(world), world.replica(0).steps.tip.position.legal(
            world.replica(0).steps.tip.position.to_act()[0])[-1])  # fmt: skip
    play(world, roller, KEEP)
    want(world, [0, 1, 2], Wanted(rewind=first))
    world.run(20)
    assert world.replica(0).steps.tip.epoch == 0
    assert all(world.told(place, Claimed) == [] for place in range(3))


def test_a_table_rests_by_consent_and_goes_on_when_all_want_to() -> None:
    world = table(3)
    want(world, [0, 1, 2], Wanted(adjourn=True))
    world.run(5)
    assert all(world.replica(place).steps.settled.resting for place in range(3))
    world.feed(actor(world), Chosen(world.replica(0).steps.tip.step, (LAY,)))
    world.run(5)
    assert world.told(0, Applied) == []
    for place in range(3):
        world.stop(place)
    for place in range(3):
        world.start(place)
    want(world, [0, 1, 2], Wanted(back=True))
    world.run(10)
    assert not any(world.replica(place).steps.settled.resting for place in range(3))
    assert [told.change for told in world.told(0, Changed)][-1] == NO_CHANGE
    finish(world)


class Mute(Liar):
    """Agrees to a rest, and keeps back the ACK that would begin it."""

    def does(self, command: Command) -> Iterable[Command]:
        says = open_frame(command.raw).kind if isinstance(command, Send) else None
        rests = self.world.replica(self.place).steps.tip.resting
        return () if rests and says in (Kind.ACK, Kind.SYNC) else (command,)


def test_who_keeps_back_their_word_for_a_rest_keeps_the_table_waiting() -> None:
    world = World(3, random_seed=3, choose=nobody, liars={2: Mute()})
    world.run(1)
    want(world, [0, 1, 2], Wanted(adjourn=True))
    world.run(5)
    steps = world.replica(0).steps
    assert steps.tip.resting
    assert not steps.settled.resting
    assert owing(steps) == {2: Kind.ACK}


def test_who_is_put_out_in_a_secret_choice_has_withheld_it_and_later_ones_are_drawn() -> None:
    world = table(4)
    challenger = actor(world)
    partner = actor(world, 1)
    play(world, challenger, CHALLENGE)
    assert world.replica(challenger).steps.tip.position.secret
    pebbles = world.replica(challenger).steps.tip.position.encode()
    others = [place for place in range(4) if place != partner]
    world.stop(partner)
    want(world, others, Wanted(out=1 << partner))
    world.run(10)
    tip = world.replica(challenger).steps.tip
    assert not tip.position.secret, "the choice ended as the rules say"
    assert tip.position.encode() != pebbles
    before = actor(world)
    while actor(world, 1) != partner:
        play(world, before, LAY)
        before = actor(world)
    play(world, before, CHALLENGE)
    play(world, before, 8)
    settled = world.replica(before).steps.settled
    opened = next(told.moves for told in reversed(world.told(before, Applied)) if len(told.moves) == 2)
    assert {move.seat for move in opened} == {settled.seat_of(before), settled.seat_of(partner)}
    finish(world)


def test_the_end_is_locked_without_somebody_who_left_before_it() -> None:
    world = World(3, random_seed=8, clock=CLOCK)
    world.run(600, until=lambda: world.replica(0).steps.tip.closed and not world.replica(0).steps.over)
    world.stop(2)
    world.run(600)
    assert all(world.told(place, Ended) for place in (0, 1))
    assert all(world.audit(place).verdict == "complete" for place in (0, 1))
