"""The seam for liars: what they do reaches the others, who stay unharmed; if not, the checks see it."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest

from simulation.test_broken_replicas import Patch, find, scenario_of
from sunward_protocol.domains import Domain, digest
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.ids import Place
from sunward_protocol.ledger import Ledger, Move
from sunward_protocol.messages import Act, Kind
from sunward_protocol.table.commands import Command, Send
from sunward_protocol.table.events import Chosen, Event, Heard
from sunward_protocol.table.unlocked import Unlocked
from support.pebbles import CHALLENGE, KEEP, LAY
from support.sim_checks import Checks
from support.sim_knowledge import Knowledge
from support.sim_play import build, play
from support.world import Liar


class Outlaw(Liar):
    """Takes what does not lie there instead of acting, in an ACT that is right but for being illegal."""

    before: Ledger
    """Where the liar's replica stood when it last chose."""

    def hears(self, event: Event) -> Iterable[Event]:
        if isinstance(event, Chosen):
            self.before = self.world.replica(self.place).steps.tip.copy()
        return (event,)

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own_act(command)
        return (command,) if frame is None else (Send(self.others(), self.instead(frame, KEEP)),)

    def others(self) -> tuple[Place, ...]:
        return tuple(place for place in range(len(self.world.replicas)) if place != self.place)

    def own_act(self, command: Command) -> Frame | None:
        """Return the ACT that the liar is about to send, if it is the one that was chosen last."""
        frame = open_frame(command.raw) if isinstance(command, Send) else None
        if frame is None or (frame.kind, frame.place) != (Kind.ACT, self.place):
            return None
        return frame if frame.head == self.before.head else None

    def instead(self, honest: Frame, choice: int) -> bytes:
        """Return an ACT with one choice in the place of an honest one."""
        ledger = self.before.copy()
        ledger.position.apply(ledger.seat_of(self.place), choice)
        act = Act(ledger.state, (choice,), digest(Domain.STATE, ledger.position.encode()))
        return self.world.forge(Kind.ACT, act, self.place, honest.step, honest.head).raw


class Equivocator(Outlaw):
    """Tells one member another legal action than the rest, whenever its own is one of a whole turn."""

    def does(self, command: Command) -> Iterable[Command]:
        frame = self.own_act(command)
        if frame is None or not isinstance(frame.payload, Act) or frame.payload.choices[0] > CHALLENGE:
            return (command,)
        other = self.instead(frame, CHALLENGE if frame.payload.choices == (LAY,) else LAY)
        first, *rest = self.others()
        return (Send((first,), other), Send(tuple(rest), frame.raw))


class Deaf(Liar):
    """Hears nobody but one."""

    def hears(self, event: Event) -> Iterable[Event]:
        return () if isinstance(event, Heard) and event.sender != 0 else (event,)


def plays_without_looking(patch: Patch) -> None:
    def trust(self: Any, place: Place, move: Move) -> None:
        self.position.apply(*move)

    patch.setattr(Ledger, "_play", trust)


def settles_on_its_own_word(patch: Patch) -> None:
    is_locked = Unlocked.is_locked

    def alone(self: Any, performed: Any) -> bool:
        return not performed.ledger.gated or is_locked(self, performed)

    patch.setattr(Unlocked, "is_locked", alone)


@pytest.mark.parametrize("liar", [Outlaw, Equivocator, Deaf])
def test_no_honest_member_is_harmed_by_one_liar(liar: type[Liar]) -> None:
    for seed in range(6):
        scenario = scenario_of(seed)
        outcome = play(scenario, {seed % scenario.members: liar()})
        assert outcome.code == "", (seed, outcome)


@pytest.mark.parametrize("liar", [Outlaw, Equivocator])
def test_a_liar_is_convicted_by_the_files_of_the_honest(liar: type[Liar]) -> None:
    scenario = dataclasses.replace(scenario_of(2), members=3, draws=True, faults=())
    world = build(scenario, {1: liar()})
    world.watches = [Checks(world)]
    world.begin()
    world.run()
    for place in (0, 2):
        report = world.audit(place)
        assert (report.verdict, report.seat) == ("cheat", world.replica(place).steps.settled.seat_of(1))


def test_an_illegal_action_that_is_followed_is_found(monkeypatch: Patch) -> None:
    plays_without_looking(monkeypatch)
    find("illegal", Outlaw)


def takes_all_for_locked(patch: Patch) -> None:
    """The checks look for a fork behind those for what it would take to bring one about: these are put out."""

    def believe(*_: object) -> bool:
        return True

    patch.setattr(Knowledge, "locked", believe)


def test_two_histories_are_found(monkeypatch: Patch) -> None:
    def look_away(*_: object) -> None:
        return

    settles_on_its_own_word(monkeypatch)
    takes_all_for_locked(monkeypatch)
    monkeypatch.setattr(Checks, "_locks", look_away)
    find("fork", Equivocator)


def test_two_locks_are_found(monkeypatch: Patch) -> None:
    takes_all_for_locked(monkeypatch)
    find("fork", Equivocator)
