"""What an export says of seats that were put out, of what they withheld, and of what was taken back."""

import json
from random import Random

from sunward_protocol.audit import MatchFile
from sunward_protocol.export import lines_of_file
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.game import Game, Json
from sunward_protocol.ids import Place
from sunward_protocol.table.events import Changed, Chosen, Wanted
from sunward_protocol.table.replica import Replica
from support.pebbles import LAY, PEBBLES
from support.world import World, choose_at_random


def exported(world: World, place: Place, game: Game) -> list[dict[str, Json]]:
    """Return the lines of a member's match file between the header and the result."""
    match = MatchFile(world.disks[place].log, lambda name: game)
    return [line for line in map(json.loads, lines_of_file(match)) if "step" in line]


def until_a_deal(world: World) -> None:
    """Let all play at random until two seats owe their choices in a deal, which nobody makes."""
    in_a_deal = False

    def choose(replica: Replica, chance: Random) -> tuple[int, ...]:
        nonlocal in_a_deal
        in_a_deal |= replica.steps.tip.position.secret
        return () if in_a_deal else choose_at_random(replica, chance)

    world.choose = choose
    world.run(200, until=lambda: in_a_deal)
    world.run(2)


def test_who_is_put_out_in_a_deal_withheld_it_and_plays_on_by_autopilot() -> None:
    world = World(4, game=AROUND, random_seed=6, choose=lambda replica, chance: ())
    until_a_deal(world)
    tip = world.replica(0).steps.tip
    assert tip.position.secret
    seat = tip.position.to_act()[0]
    gone = tip.place_of[seat]
    others = [place for place in range(4) if place != gone]
    world.stop(gone)
    for place in others:
        world.feed(place, Wanted(out=1 << gone))
    world.choose = choose_at_random
    world.run(400)
    assert world.ended()
    lines = exported(world, others[0], AROUND)
    withheld = [line for line in lines if line["action"] == {"type": "deal", "choice": "withheld"}]
    assert [(line["seat"], line["by"]) for line in withheld] == [(seat, "autopilot")]
    at = lines.index(withheld[0])
    assert all(line["by"] == "player" for line in lines[1:at])
    assert all((line["by"] == "autopilot") == (line["seat"] == seat) for line in lines[at:])
    assert [line["step"] for line in lines] == list(range(len(lines)))
    assert lines[-1]["state"] == world.ruleset.words.state_json(world.replica(others[0]).steps.settled.position)


def test_what_was_taken_back_is_not_told() -> None:
    world = World(3, random_seed=3, choose=lambda replica, chance: ())
    world.run(1)
    first = world.replica(0).steps.tip
    for _ in range(2):
        ledger = world.replica(0).steps.tip
        world.feed(ledger.place_of[ledger.position.to_act()[0]], Chosen(ledger.step, (LAY,)))
        world.run(2)
    assert len(exported(world, 0, PEBBLES)) == 3
    for place in range(3):
        world.feed(place, Wanted(rewind=first.step))
    world.run(5)
    assert world.told(0, Changed)
    lines = exported(world, 0, PEBBLES)
    assert len(lines) == 1, "the set-up alone stands"
    assert lines[0]["state"] == world.ruleset.words.state_json(first.position)
