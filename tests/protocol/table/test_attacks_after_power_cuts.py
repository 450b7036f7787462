"""Attacks and accidents that once did harm: when the power was cut for some members, or for all."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from sunward_protocol.domains import Purpose
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import open_frame
from sunward_protocol.genesis import delegate
from sunward_protocol.ids import Epoch, Place
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import (
    Kind,
    Resume,
    Vote,
)
from sunward_protocol.table.commands import Command, Send
from sunward_protocol.table.events import Chosen, Wanted
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support.pebbles import ROLL
from support.quiet import actor, finish, sign, table
from support.world import HashSigner, Liar, World, seed


def lose(world: World, *kinds: Kind) -> None:
    """Lose the frames of these kinds from now on, and no others."""
    world.delay = lambda sender, receiver: None if open_frame(world.sent[-1][2]).kind in kinds else 0.001


def all_reach(world: World, places: Iterable[Place], reached: Callable[[Replica], bool]) -> None:
    """Let time pass until some have come to a point; fail if they do not."""
    world.run(20, until=lambda: all(reached(world.replica(place)) for place in places))
    assert all(reached(world.replica(place)) for place in places)


def draws_without_the_last(members: int) -> World:
    """Return a table whose last dies with a draw due; the others begin an epoch, but no ACK comes that locks it."""
    world = table(members)
    others = range(members - 1)
    lose(world, Kind.ACK)
    world.feed(actor(world), Chosen(world.replica(0).steps.tip.step, (ROLL,)))
    all_reach(world, others, lambda replica: replica.steps.tip.drawing)
    world.stop(others.stop)
    for place in others:
        world.feed(place, Wanted(out=1 << others.stop))
    all_reach(world, others, lambda replica: replica.steps.tip.epoch == 1)
    return world


def show_links(world: World, places: Iterable[Place], epoch: Epoch) -> None:
    """Have some lock an epoch and show their links for its draw, which nobody hears."""
    lose(world, Kind.LINK)
    all_reach(world, places, lambda replica: replica.steps.journal.spent_in == epoch)
    assert all(world.replica(place).steps.settled.epoch == 0 for place in places)


def cut_power(world: World, down: Iterable[Place], up: Iterable[Place]) -> None:
    """Stop some, and start some of them again."""
    for place in down:
        world.stop(place)
    lose(world)
    for place in up:
        world.start(place)


def test_those_who_are_left_begin_the_epoch_again_in_which_they_showed_links_before_their_power_was_cut() -> None:
    """Of five 4 dies before the draw, and 3 before it shows its link for it in the epoch without 4."""
    world, left = table(5), (0, 1, 2)

    def dies(place: Place, command: Command) -> bool:
        frame = open_frame(command.raw) if isinstance(command, Send) else None
        return place == 3 and frame is not None and (frame.kind, frame.place, frame.epoch) == (Kind.LINK, 3, 1)

    world.fuse = dies
    world.stop(4)
    world.feed(actor(world), Chosen(world.replica(0).steps.tip.step, (ROLL,)))
    for place in (*left, 3):
        world.feed(place, Wanted(out=0b10000))
    all_reach(world, left, lambda replica: replica.steps.journal.spent_in == 1)
    assert world.replicas[3] is None
    assert all(world.replica(place).steps.settled.epoch == 0 for place in left)
    cut_power(world, left, left)
    for place in left:
        world.feed(place, Wanted(out=0b11000))
    all_reach(world, left, lambda replica: replica.steps.settled.live == left)
    finish(world)


def test_who_begins_an_epoch_on_another_again_strikes_nobody_for_acks_with_keys_that_came_back_in_between() -> None:
    world, left = draws_without_the_last(4), (0, 1, 2)
    signer, length = HashSigner(seed("session", "new")), world.genesis.chain_length
    chain = HashChain(seed("chain", "new"), signer.public, length)
    keys = signer.public, seed("curve", "new"), chain.tip
    delegation = delegate(world.identities[3], world.genesis.table, "", *keys, length).delegation
    own = Own(3, signer, chain, world.chance.randbytes, Resume(*keys, delegation, ()))
    world.signers[3], world.chains[3] = signer, chain
    world.replicas[3] = Replica(world.genesis, world.ruleset, own, world.signatures, now=world.now)
    world.feed(3, Wanted(back=True))
    all_reach(world, left, lambda replica: replica.steps.tip.epoch == 2)
    show_links(world, left, 2)
    cut_power(world, (*left, 3), left)
    assert world.strikes == []
    assert all(world.replica(place).steps.tip.epoch == 2 for place in left)
    assert all(world.replica(place).steps.tip.live == (0, 1, 2, 3) for place in left)


def test_the_match_goes_on_when_an_epoch_on_another_is_begun_again_after_the_power_was_cut() -> None:
    """Of five 4 dies and then 3, and neither epoch without them is in a log when power is cut for those left."""
    world, left = draws_without_the_last(5), (0, 1, 2)
    world.stop(3)
    for place in left:
        world.feed(place, Wanted(out=0b01000))
    all_reach(world, left, lambda replica: replica.steps.tip.epoch == 2)
    show_links(world, left, 2)
    cut_power(world, left, left)
    all_reach(world, left, lambda replica: replica.steps.settled.live == left)
    finish(world)


class SignsAnew(Liar):
    """Signs once more those of its EPOCH bodies that its votes show."""

    def does(self, command: Command) -> Iterable[Command]:
        if not isinstance(command, Send):
            return (command,)
        frame = open_frame(command.raw)
        if frame.place != self.place or not isinstance(frame.payload, Vote):
            return (command,)
        shown = map(parse_entry, frame.payload.entries)
        entries = tuple(each._replace(bodies=tuple(map(self._anew, each.bodies))).encode() for each in shown)
        vote = frame.payload._replace(entries=entries)
        raw = sign(self.world, Kind.VOTE, vote, self.place, frame.epoch, frame.step, frame.head)
        return (replace(command, raw=raw),)

    def _anew(self, raw: bytes) -> bytes:
        frame, signer = open_frame(raw), self.world.signers[self.place]
        if (frame.kind, frame.place) != (Kind.EPOCH, self.place):
            return raw
        assert isinstance(signer, HashSigner)
        return signer.sign_again(Purpose.FRAME, frame.body) + frame.body


def test_who_signed_for_an_epoch_once_more_does_not_keep_others_from_beginning_it_again() -> None:
    world, others = draws_without_the_last(5), (1, 2)
    left = (0, *others)
    world.liars[0] = SignsAnew()
    world.liars[0].enter(world, 0)
    show_links(world, (*left, 3), 1)
    world.stop(3)
    lose(world, Kind.EPOCH)
    for place in left:
        world.feed(place, Wanted(out=0b01000))
    all_reach(world, left, lambda replica: replica.steps.journal.sworn == 2)
    cut_power(world, left, others)
    assert all(world.replica(place).steps.tip.epoch == 1 for place in others)
    world.start(0)
    for place in left:
        world.feed(place, Wanted(out=0b01000))
    all_reach(world, left, lambda replica: replica.steps.settled.live == left)
    finish(world)
