"""One scenario played from beginning to end, with everything checked; and a failing one made as small as it gets."""

import dataclasses
from collections.abc import Callable, Collection
from dataclasses import dataclass
from random import Random

from sunward_protocol.ids import Place
from sunward_protocol.table.replica import Replica
from support.pebbles import PEBBLES
from support.sim_checks import Checks, Violation
from support.sim_faults import FAULTS_END, Fault, Scenario, find_game
from support.sim_seams import Watch
from support.sim_weather import Weather
from support.world import Choose, Liar, World, choose_at_random

PATIENCE = {PEBBLES.key: 60.0, "around": 600.0, "beyond": 1200.0}
"""Seconds within which a table without faults must come to its end: some latencies for each step, and repair."""
PATIENCE_OUT = 200.0
"""Seconds more if somebody has to be put out first: their time, the challenge, some votes that come to nothing."""
CLOCK = {"bank": 15, "increment": 2, "frames": 8}
"""Seconds of the clock policy of tables that have one."""
CHAIN = {PEBBLES.key: 64, "around": 1024, "beyond": 1024}
"""Links of each chain: more than a match has draws."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a scenario went: `code` and `sentence` say what was violated, "" nothing."""

    code: str
    sentence: str
    steps: int
    frames: int
    deaths: int
    time: float
    stood: bool = False
    """Whether the match had to stand at the end: half or fewer of the people were both up and in play."""


def build(scenario: Scenario, liars: dict[int, Liar] | None = None) -> World:
    """Return the world of a scenario, nobody started yet."""
    game = find_game(scenario.game)
    return World(
        scenario.members,
        game=game,
        components=b"%d" % scenario.turns if scenario.turns else None,
        options={} if scenario.draws or scenario.game != PEBBLES.key else {"chance": "no"},
        random_seed=scenario.seed,
        real=scenario.real,
        chain_length=CHAIN[scenario.game],
        choose=player(scenario),
        liars=liars,
        clock=CLOCK if scenario.clocks else {},
        waiting=True,
    )


def player(scenario: Scenario) -> Choose:
    """Return players whose choices depend on seed, place and step, but are other ones when they are asked again."""
    asked = dict[tuple[int, int], int]()

    def choose(replica: Replica, _chance: Random) -> tuple[int, ...]:
        key = (replica.steps.own.place, replica.steps.tip.step)
        asked[key] = asked.get(key, 0) + 1
        return choose_at_random(replica, Random(f"{scenario.seed} {key} {asked[key]}"))

    return choose


def play(
    scenario: Scenario, liars: dict[int, Liar] | None = None, watch: Callable[[World], Watch] | None = None
) -> Outcome:
    """Play a scenario, first with faults, then without, until everybody has ended or something was violated."""
    world = build(scenario, liars)
    checks = Checks(world)
    world.watches = [checks] if watch is None else [watch(world), checks]
    weather = Weather(world, scenario)
    code = sentence = ""
    stood = False
    try:
        world.begin()
        world.run(FAULTS_END, until=lambda: all(world.replicas) and world.ended())
        weather.clear()
        there = 2 * (scenario.members - len(weather.gone)) > scenario.members
        world.run(PATIENCE[scenario.game] + PATIENCE_OUT if there else 30.0)
        stood = there and not world.ended() and not _can_go_on(world, weather.gone)
        checks.finish(there and not stood and not world.liars, weather.gone)
    except Violation as violation:
        code, sentence = violation.code, str(violation)
    except Exception as error:  # noqa: BLE001 - a replica that raises is a failure like any other
        code = sentence = f"{type(error).__name__}: {error}"
    return Outcome(code, sentence, checks.steps, len(world.sent), weather.deaths, world.now, stood)


def _can_go_on(world: World, gone: Collection[Place]) -> bool:
    """Whether more than half of the people are up and in play where the table has come to; nobody else has a say."""
    tip = max((replica.steps.tip for replica in world.replicas if replica), key=lambda tip: tip.epoch)
    return 2 * tip.weight(set(tip.live) - set(gone)) > tip.weight(range(tip.members))


def shrink(scenario: Scenario, fails: Callable[[Scenario], bool], tries: int = 400) -> Scenario:
    """Return the smallest scenario found that still fails: fewer turns, then fewer faults (delta debugging)."""
    left = tries

    def still(smaller: Scenario) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and fails(smaller)

    best = _fewer_faults(scenario, still)
    for turns in range(1, best.turns):
        if still(shorter := dataclasses.replace(best, turns=turns)):
            best = shorter
            break
    return _fewer_faults(best, still)


def _fewer_faults(scenario: Scenario, fails: Callable[[Scenario], bool]) -> Scenario:
    """Leave out ever smaller runs of faults, as long as it still fails."""
    best, size = scenario, len(scenario.faults)
    while size:
        start = 0
        while start < len(best.faults):
            faults: tuple[Fault, ...] = best.faults[:start] + best.faults[start + size :]
            fewer = dataclasses.replace(best, faults=faults)
            if fails(fewer):
                best = fewer
            else:
                start += size
        size //= 2
    return best
