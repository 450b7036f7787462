"""A table at which nobody acts by themselves, and what tests do there with the words of its members."""

from collections.abc import Mapping
from random import Random

from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import seal
from sunward_protocol.games.game import Action
from sunward_protocol.ids import NOTHING, Digest, Epoch, Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.messages import Act, Kind, Payload
from sunward_protocol.table.events import Chosen
from sunward_protocol.table.replica import Replica
from support.world import World, choose_at_random


def nobody(replica: Replica, chance: Random) -> tuple[int, ...]:
    return ()


def table(members: int, clock: Mapping[str, int] | None = None) -> World:
    """Return a table that is set up, at which nobody acts unless they are made to."""
    world = World(members, random_seed=3, choose=nobody, clock=clock)
    world.run(1)
    return world


def actor(world: World, nth: int = 0) -> Place:
    """Return whose turn it is, or would be so many turns later."""
    tip = next(replica for replica in world.replicas if replica is not None).steps.tip
    return tip.place_of[(tip.position.to_act()[0] + nth) % tip.members]


def sign(
    world: World, kind: Kind, payload: Payload, place: Place, epoch: Epoch = 0, step: Step = 0, head: Digest = NOTHING
) -> bytes:
    """Return what a place signs, whatever its replica would."""
    signer, match = world.signers[place], world.genesis.match
    return seal(kind, payload, match, signer, epoch=epoch, step=step, place=place, head=head).raw


def act(world: World, ledger: Ledger, choice: Action) -> bytes:
    """Return what whoever is to act signs for a choice, be it theirs or not."""
    place, position = ledger.place_of[ledger.position.to_act()[0]], ledger.position.copy()
    position.apply(ledger.seat_of(place), choice)
    word = Act(ledger.state, (choice,), digest(Domain.STATE, position.encode()))
    return sign(world, Kind.ACT, word, place, ledger.epoch, ledger.step, ledger.head)


def finish(world: World) -> None:
    """Let everybody who is up play at random to the end, all the same match, and verify every file."""
    world.choose = choose_at_random
    up = [place for place, replica in enumerate(world.replicas) if replica is not None]
    for place in up:
        replica = world.replica(place)
        if place in replica.steps.tip.due().places and not replica.steps.silent:
            world.feed(place, Chosen(replica.steps.tip.step, choose_at_random(replica, Random(place))))
    world.run(600)
    assert world.ended()
    assert len(world.heads()) == 1
    assert all(world.audit(place).verdict == "complete" for place in up)
