"""Liars among those who vote: no draw is made of links that were shown, and nothing that is locked is left."""

from collections.abc import Callable, Iterable

from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.ids import Digest, Epoch, Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry
from sunward_protocol.messages import Ack, Act, Change, Claim, EpochBody, Kind, Link, Payload, Sync, Vote
from sunward_protocol.table.commands import Command, Send
from sunward_protocol.table.events import Chosen, Heard, Troubled, Wanted
from support.one_seat import Silent
from support.pebbles import LAY, ROLL, ROLL_THREE
from support.world import Liar, World


def table(members: int, random_seed: int, liars: dict[Place, Liar] | None = None) -> World:
    """Return a world in which nobody chooses by themselves, after its set-up."""
    world = World(members, random_seed=random_seed, choose=lambda replica, chance: (), liars=liars)
    world.run(1)
    return world


def to_act(world: World) -> Place:
    tip = world.replica(0).steps.tip
    return tip.place_of[tip.position.to_act()[0]]


def sent(world: World, kind: Kind, places: Iterable[Place]) -> list[Frame]:
    """Return the frames of a kind that these members sent, each once."""
    raws = dict.fromkeys(raw for sender, _, raw in world.sent if sender in places)
    return [frame for frame in map(open_frame, raws) if frame.kind is kind]


def sign(world: World, kind: Kind, payload: Payload, place: Place, epoch: Epoch, step: Step, head: Digest) -> bytes:
    signer, match = world.signers[place], world.genesis.match
    return seal(kind, payload, match, signer, epoch=epoch, step=step, place=place, head=head).raw


def test_a_draw_is_not_made_of_links_that_were_shown_while_a_vote_was_held_back() -> None:
    """One liar's ACK keeps the links back until all others but the second liar have voted; then it comes."""
    actor = to_act(table(4, 1))
    gone, late = [place for place in range(4) if place != actor][:2]
    quiet, slow = Silent(), Silent()
    world = table(4, 1, {gone: quiet, late: slow})
    honest = [place for place in range(4) if place not in (gone, late)]
    quiet.kinds |= {Kind.ACK, Kind.LINK, Kind.SYNC, Kind.CLAIM, Kind.VOTE}
    slow.kinds |= {Kind.VOTE, Kind.LINK}
    world.feed(actor, Chosen(world.replica(actor).steps.tip.step, (ROLL,)))
    world.run(1)
    tip = world.replica(honest[0]).steps.tip
    for place in (*honest, late):
        world.feed(place, Wanted(out=1 << gone))
    world.run(4)
    assert {frame.place for frame in sent(world, Kind.VOTE, honest)} == set(honest)
    assert all(world.replica(place).steps.journal.spent == tip.attempts for place in honest), "nobody has shown a link"

    quiet.kinds.discard(Kind.ACK)
    world.run(1.2)
    link = Link(tip.attempts, world.chains[late].links[tip.attempts])
    shown = seal(Kind.LINK, link, world.genesis.match, step=tip.step - 1, place=late, head=tip.head).raw
    for place in honest:
        world.post(late, place, shown)
    world.run(0.5)
    assert all(world.replica(place).steps.journal.spent == tip.attempts + 1 for place in honest), "now they have"

    slow.kinds.discard(Kind.VOTE)
    world.run(10)
    bodies = [frame.payload for frame in sent(world, Kind.EPOCH, honest)]
    assert bodies
    assert all(isinstance(body, EpochBody) and body.attempts > tip.attempts for body in bodies)


def test_two_liars_of_five_do_not_undo_what_an_honest_member_locked() -> None:
    """They sign one action for one, who locks it and is put out, and vote with the other two for another action."""
    world = table(5, 2)
    before = world.replica(0).steps.tip.copy()
    actor, step = to_act(world), before.step
    liars = (actor, (actor + 1) % 5)
    victim, *honest = [place for place in range(5) if place not in liars]

    def act(choice: int) -> tuple[bytes, Ledger]:
        position = before.position.copy()
        position.apply(before.seat_of(actor), choice)
        outcome = digest(Domain.STATE, position.encode())
        frame = world.forge(Kind.ACT, Act(before.state, (choice,), outcome), actor, step, before.head)
        after = before.copy()
        after.perform([frame])
        return frame.raw, after

    mine, locked = act(LAY)
    other, rival = max(act(ROLL), act(ROLL_THREE), key=lambda each: each[1].head)
    assert rival.head > locked.head, "of two ways that as many tell of, the larger head decides"
    for liar in liars:
        world.stop(liar)
    for place in (victim, *honest):
        world.post(actor, place, mine)
    world.run(0.1)
    world.delay = lambda sender, receiver: 0.001 if sender in liars or victim not in (sender, receiver) else None
    world.post(liars[1], victim, world.forge(Kind.ACK, Ack(locked.state), liars[1], step, locked.head).raw)
    world.run(0.1)
    assert world.replica(victim).steps.settled.head == locked.head
    assert [world.replica(place).steps.settled.step for place in honest] == [step, step]

    change = Change(1 << victim, (), 0, 0)
    vote = Vote(0, change, step + 1, before.attempts, (Entry(0, step, (other,), (), ()).encode(),))
    for place in honest:
        world.feed(place, Wanted(out=change.out))
        for liar in liars:
            world.post(liar, place, sign(world, Kind.CLAIM, Claim((change,)), liar, 0, 1, before.head))
            world.post(liar, place, sign(world, Kind.VOTE, vote, liar, 1, 0, rival.head))
    world.run(10)
    assert {frame.head for frame in sent(world, Kind.VOTE, honest)} == {locked.head}
    assert not sent(world, Kind.EPOCH, honest), "nobody signs for the other way"
    for place in honest:
        assert actor in [told.place for told in world.told(place, Troubled) if told.code == "cheat"]


class Cut(Liar):
    """Honest, but some of what it sends is lost: `lost` is asked of sender, receiver and frame."""

    def __init__(self) -> None:
        self.lost: Callable[[Place, Place, Frame], bool] = lambda sender, receiver, frame: False

    def does(self, command: Command) -> Iterable[Command]:
        if not isinstance(command, Send):
            return (command,)
        frame = open_frame(command.raw)
        return (Send(tuple(at for at in command.places if not self.lost(self.place, at, frame)), command.raw),)


def test_who_acked_an_epoch_and_gave_it_up_shows_no_link_that_was_drawn_with_there() -> None:
    cuts = [Cut() for _ in range(4)]
    world = table(4, 1, dict(enumerate(cuts)))

    def lose(lost: Callable[[Place, Place, Frame], bool]) -> None:
        for cut in cuts:
            cut.lost = lost

    tip, back = world.replica(0).steps.tip, to_act(world)
    alone, first, second = (place for place in range(4) if place != back)
    lose(lambda sender, receiver, frame: sender == alone)
    world.feed(back, Chosen(tip.step, (ROLL,)))
    world.run(1)
    attempt = world.replica(alone).steps.tip.attempts
    assert world.replica(alone).steps.journal.spent == attempt + 1, "it alone saw the lock, and showed its link"

    def kept(sender: Place, receiver: Place, frame: Frame) -> bool:
        of_the_epoch = frame.kind in (Kind.SYNC, Kind.LINK) or (frame.kind is Kind.ACK and frame.epoch > 0)
        return sender == alone or (receiver == back and sender in (first, second) and of_the_epoch)

    lose(kept)
    for place in (back, first, second):
        world.feed(place, Wanted(out=1 << alone))
    one, other = world.replica(back).steps, world.replica(first).steps
    world.run(5, until=lambda: other.journal.spent > attempt)
    assert other.tip.epoch == 1, "where the draw is made with everybody's next links"
    world.run(25, until=lambda: one.tip.epoch == 0 and one.journal.promised > one.journal.sworn)
    lose(lambda sender, receiver, frame: kept(sender, receiver, frame) and (sender, receiver) != (alone, back))
    world.run(5, until=lambda: False)
    assert one.tip.epoch == 0
    assert one.journal.spent == attempt, "the lock and the link of the one who is alone have come, but too late"
    lose(lambda sender, receiver, frame: False)
    world.run(300, until=lambda: len({replica.steps.settled.head for replica in map(world.replica, range(4))}) == 1)
    assert len(world.heads()) == 1
    assert world.replica(back).steps.settled.randomness == world.replica(first).steps.settled.randomness
    assert world.strikes == []


def test_history_of_a_lower_epoch_undoes_no_beginning() -> None:
    lower, higher = table(3, 3), table(3, 3)
    start = lower.replica(0).steps.settled.step
    for wanted in (Wanted(adjourn=True), Wanted(back=True)):
        for place in range(3):
            lower.feed(place, wanted)
        lower.run(10)
    chain = lower.replica(0).steps.entries
    for place in range(3):
        higher.replica(place).steps.journal.promised = 5  # as if five votes had come to nothing
        higher.feed(place, Wanted())
    higher.run(20)
    tip, actor = higher.replica(0).steps.tip, to_act(higher)
    other = next(place for place in range(3) if place != actor)
    higher.delay = lambda sender, receiver: None if receiver == actor else 0.001
    higher.feed(actor, Chosen(tip.step, (LAY,)))
    higher.run(2, until=lambda: False)
    assert higher.replica(other).steps.settled.step == higher.replica(actor).steps.settled.step + 1
    shown = seal(Kind.SYNC, Sync(tuple(chain[start - 1 :])), higher.genesis.match, place=other)
    higher.feed(actor, Heard(other, shown.raw))
    assert higher.replica(actor).steps.tip.epoch == 6
    higher.delay = lambda sender, receiver: 0.001
    higher.run(10, until=lambda: len(higher.heads()) == 1)
    assert len(higher.heads()) == 1
