"""Each promise is broken once on purpose: the simulation must find it, or it proves nothing."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry
from sunward_protocol.messages import Kind
from sunward_protocol.records import Kept, parse_kept, write_evidence, write_kept
from sunward_protocol.table import replica, unlocked
from sunward_protocol.table.changes import Changes
from sunward_protocol.table.commands import Command, Keep, Log, Send
from sunward_protocol.table.journal import Journal
from sunward_protocol.table.replica import Replica
from sunward_protocol.table.steps import Steps
from sunward_protocol.table.unlocked import Unlocked
from support.sim_checks import Checks, Violation
from support.sim_faults import FAULTS_END, Fault, Lateness, Loss, Scenario, Wish, draw_scenario
from support.sim_play import build, play
from support.world import Liar, seed

Patch = pytest.MonkeyPatch
Breaker = Callable[[Patch], None]
TRIES = 60
"""So many tables are tried until one shows what is broken; most need one or two, and some begin where one is known."""


def scenario_of(number: int, turns: int = 24) -> Scenario:
    """Return a scenario with more turns than usual: some breaks only show in the long run."""
    return dataclasses.replace(draw_scenario(number), turns=turns)


def restless(number: int, turns: int = 24) -> Scenario:
    """Return a scenario in which all want to rest and to play on again and again while many frames are lost."""
    scenario, everybody = scenario_of(number, turns), tuple(range(draw_scenario(number).members))
    wishes = [
        Wish(everybody, at, 0, back, not back, 0)
        for nth in range(8)
        for at, back in ((0.8 * nth + 0.1, False), (0.8 * nth + 0.6, True))
    ]
    faults: tuple[Fault, ...] = (Loss(0.0, FAULTS_END, 0.4), Lateness(0.0, FAULTS_END, 0.3), *wishes)
    return dataclasses.replace(scenario, draws=True, clocks=False, latency=0.05, faults=faults)


def find(
    expected: str,
    liar: Callable[[], Liar] | None = None,
    turns: int = 24,
    scenarios: Callable[[int, int], Scenario] = scenario_of,
    first: int = 0,
) -> Scenario:
    """Return the first scenario that shows what is broken; fail if none does."""
    found = set[str]()
    for number in range(first, first + TRIES):
        scenario = scenarios(number, turns)
        liars = {number % scenario.members: liar()} if liar is not None else None
        found.add(play(scenario, liars).code)
        if expected in found:
            return scenario
    raise AssertionError(f"no table violates {expected!r}, only {found}")


def reveals_before_the_lock(patch: Patch) -> None:
    is_locked = Unlocked.is_locked

    def hasty(self: Any, performed: Any) -> bool:
        return performed.ledger.drawing or is_locked(self, performed)

    patch.setattr(Unlocked, "is_locked", hasty)


def opens_before_the_commitments_are_locked(patch: Patch) -> None:
    may_sign_next = Steps._may_sign_next  # pyright: ignore[reportPrivateUsage]

    def hasty(self: Any) -> bool:
        return self.tip.commitments is not None or may_sign_next(self)

    patch.setattr(Steps, "_may_sign_next", hasty)


def forgets_its_journal(patch: Patch) -> None:
    def forget(self: Any, kept: Any) -> list[Frame]:
        return []

    patch.setattr(Steps, "restore", forget)


def settles_without_one_signature(patch: Patch) -> None:
    is_locked = Unlocked.is_locked

    def most(self: Any, performed: Any) -> bool:
        return is_locked(self, performed) or (not performed.ledger.gated and len(self.lacks(performed)) < 2)

    patch.setattr(Unlocked, "is_locked", most)


def forgets_to_log(patch: Patch) -> None:
    _filter(patch, lambda command: not (isinstance(command, Log) and len(command.record) % 5 == 0))


def forgets_to_keep(patch: Patch) -> None:
    _filter(patch, lambda command: not (isinstance(command, Keep) and len(command.record) % 5 == 0))


def repairs_nothing(patch: Patch) -> None:
    def nothing(*_: object) -> list[bytes]:
        return []

    patch.setattr(replica, "missing", nothing)


def keeps_frames_for_ever(patch: Patch) -> None:
    settle = Steps.settle

    def hoard(self: Any, *what: Any) -> None:
        slots = dict(self.slots)
        settle(self, *what)
        self.slots.update(slots)

    patch.setattr(Steps, "settle", hoard)


def writes_its_journal_again_and_again(patch: Patch) -> None:
    handle = Replica.handle

    def scribble(self: Any, event: Any, now: float) -> list[Command]:
        commands = handle(self, event, now)
        return [each for command in commands for each in ([command] * 9 if isinstance(command, Keep) else [command])]

    patch.setattr(Replica, "handle", scribble)


def takes_a_duplicate_for_a_crime(patch: Patch) -> None:
    handle = Replica.handle

    def suspicious(self: Any, event: Any, now: float) -> list[Command]:
        commands = handle(self, event, now)
        sent = [command.raw for command in commands if isinstance(command, Send)]
        return [*commands, Log(write_evidence(sent[:1]))] if len(sent) > 2 else commands

    patch.setattr(Replica, "handle", suspicious)


def logs_no_acks(patch: Patch) -> None:
    def bare(epoch: int, step: int, bodies: Any, acks: Any, links: Any) -> Entry:
        return Entry(epoch, step, bodies, (), links)

    patch.setattr(unlocked, "Entry", bare)


def signs_on_after_its_vote(patch: Patch) -> None:
    def talkative(self: Any) -> bool:
        return False

    patch.setattr(Steps, "silent", property(talkative))


def hides_in_its_vote_what_it_signed(patch: Patch) -> None:
    def nothing(self: Any) -> tuple[bytes, ...]:
        return ()

    vote = Changes._vote  # pyright: ignore[reportPrivateUsage]

    def secretive(self: Any, now: float) -> None:
        entries, tip = Unlocked.entries, self._steps.tip
        patch.setattr(Unlocked, "entries", nothing)
        self._steps.tip = self._steps.settled
        vote(self, now)
        self._steps.tip = tip
        patch.setattr(Unlocked, "entries", entries)

    def boldly(self: Journal, tip: Ledger) -> bool:
        return True

    patch.setattr(Changes, "_vote", secretive)
    patch.setattr(Journal, "stands_behind", boldly)


def draws_anew_whatever_was_shown(patch: Patch) -> None:
    def gladly(*_: object) -> bool:
        return True

    patch.setattr(Changes, "_may_draw_anew", gladly)


def _filter(patch: Patch, passes: Callable[[Command], bool]) -> None:
    handle = Replica.handle

    def careless(self: Any, event: Any, now: float) -> list[Command]:
        return [*filter(passes, handle(self, event, now))]

    patch.setattr(Replica, "handle", careless)


@pytest.mark.parametrize(
    ("break_it", "code", "turns", "first"),
    [
        (reveals_before_the_lock, "early", 24, 0),
        (opens_before_the_commitments_are_locked, "early", 24, 0),
        (forgets_its_journal, "twice", 6, 44),
        (settles_without_one_signature, "unlocked", 24, 0),
        (forgets_to_log, "lost", 24, 0),
        (forgets_to_keep, "unkept", 24, 0),
        (repairs_nothing, "stuck", 24, 0),
        (keeps_frames_for_ever, "memory", 80, 0),
        (writes_its_journal_again_and_again, "memory", 24, 0),
        (takes_a_duplicate_for_a_crime, "convicted", 24, 0),
        (logs_no_acks, "audit", 24, 0),
    ],
)
def test_a_broken_replica_is_found(break_it: Breaker, code: str, turns: int, first: int, monkeypatch: Patch) -> None:
    break_it(monkeypatch)
    find(code, turns=turns, first=first)


@pytest.mark.parametrize(
    ("break_it", "code"),
    [
        (signs_on_after_its_vote, "voted"),
        (hides_in_its_vote_what_it_signed, "voted"),
        (draws_anew_whatever_was_shown, "reroll"),
    ],
)
def test_a_replica_that_breaks_what_it_agreed_to_is_found(break_it: Breaker, code: str, monkeypatch: Patch) -> None:
    break_it(monkeypatch)
    find(code, scenarios=restless)


def test_tables_of_restless_players_come_to_their_end() -> None:
    for number in range(5):
        assert play(restless(number, 6)).sentence == ""


def test_a_link_that_is_shown_for_two_draws_is_found() -> None:
    world = build(dataclasses.replace(scenario_of(1), faults=()))
    checks = Checks(world)
    world.watches = [checks]
    world.begin()
    world.run(5)
    kept = [open_frame(parse_kept(raw).frame) for raw in world.disks[0].journal]
    link = next(frame for frame in kept if frame.kind is Kind.LINK)
    again = seal(Kind.LINK, link.payload, link.match, step=len(kept), place=0, head=seed("another head"))
    with pytest.raises(Violation, match="stale"):
        checks.doing(0, Keep(write_kept(Kept(again.raw, b"", 0))))
