"""What is held against somebody is told once, and what convicts is kept once, with what proves it."""

import pytest

from sunward_protocol.envelope import Frame
from sunward_protocol.ids import Place, Step
from sunward_protocol.ledger import Cheat, Disagreement
from sunward_protocol.messages import Ack, Act, Kind
from sunward_protocol.records import Evidence, parse_record
from sunward_protocol.table.commands import Command, Log, Tell
from sunward_protocol.table.disputes import Disputes
from sunward_protocol.table.events import Troubled
from support.world import World, seed

WORLD = World(3, waiting=True)


class Held:
    """Disputes, and what they wanted done."""

    def __init__(self) -> None:
        self.done: list[Command] = []
        self.disputes = Disputes(self.done.append)

    @property
    def told(self) -> list[tuple[str, Step, Place]]:
        notices = [each.notice for each in self.done if isinstance(each, Tell)]
        return [(each.code, each.step, each.place) for each in notices if isinstance(each, Troubled)]

    @property
    def proofs(self) -> list[tuple[bytes, ...]]:
        records = [parse_record(each.record) for each in self.done if isinstance(each, Log)]
        return [record.frames for record in records if isinstance(record, Evidence)]


@pytest.fixture
def held() -> Held:
    return Held()


def act(place: Place, step: Step, choice: int = 0) -> Frame:
    return WORLD.forge(Kind.ACT, Act(seed("state"), (choice,), seed("outcome")), place, step)


def raws(*frames: Frame) -> tuple[bytes, ...]:
    return tuple(frame.raw for frame in frames)


def test_whoever_cheats_is_convicted_told_and_proved_once_however_often_it_is_shown(held: Held) -> None:
    assert held.disputes.convicted == 0, "nobody is, before anything is shown"
    pair = [act(2, 5), act(2, 5, 1)]
    for frames in (pair, pair[::-1]):
        held.disputes.convict(Cheat(2, 5, "Signed two."), frames)
    assert held.disputes.convicted == 0b100
    assert held.told == [("cheat", 5, 2)]
    assert held.proofs == [raws(*pair)]
    assert held.disputes.refused == {2: (5, raws(*pair))}


def test_each_cheat_is_told_and_proved_and_the_first_of_each_place_is_what_others_are_shown(held: Held) -> None:
    cheats = [(2, 5), (2, 6), (0, 6)]
    for place, step in cheats:
        held.disputes.convict(Cheat(place, step, "Signed two."), [act(place, step)])
    assert held.disputes.convicted == 0b101
    assert held.told == [("cheat", step, place) for place, step in cheats]
    assert held.proofs == [raws(act(place, step)) for place, step in cheats]
    assert held.disputes.refused == {2: (5, raws(act(2, 5))), 0: (6, raws(act(0, 6)))}


def test_another_state_is_proved_by_the_bodies_and_what_was_signed_for_them_but_puts_nobody_out(held: Held) -> None:
    bodies, ack = [act(0, 5), act(1, 5)], WORLD.forge(Kind.ACK, Ack(seed("another state")), 2, 5)
    for _ in range(2):
        held.disputes.disagree(Disagreement(2, 5, "state hash"), ack, bodies)
    assert held.told == [("desync", 5, 2)]
    assert held.proofs == [raws(*bodies, ack)]
    assert held.disputes.refused == {2: (5, raws(*bodies, ack))}
    assert held.disputes.convicted == 0, "it may be a mistake"


def test_another_head_is_told_and_proves_nothing(held: Held) -> None:
    ack = WORLD.forge(Kind.ACK, Ack(seed("state")), 2, 5, seed("another head"))
    held.disputes.disagree(Disagreement(2, 5, "head"), ack, [act(0, 5)])
    assert held.told == [("desync", 5, 2)]
    assert held.proofs == []
    assert held.disputes.refused == {}


def test_who_signed_for_something_else_is_known_by_step_and_place(held: Held) -> None:
    held.disputes.disagree(Disagreement(2, 5, "head"), act(2, 6), [])
    held.disputes.convict(Cheat(1, 5, "Signed two."), [act(1, 5)])
    known = [(step, place) for step in (4, 5, 6) for place in range(3) if held.disputes.disputed(step, place)]
    assert known == [(5, 2)], "a cheat is no dispute"


def test_whoever_refuses_what_holds_here_is_named_with_those_whose_word_it_is_and_nothing_is_proved(held: Held) -> None:
    for _ in range(2):
        held.disputes.object(5, 2, [act(1, 5), act(0, 5), act(1, 5, 1)])
    (told,) = [each.notice for each in held.done if isinstance(each, Tell)]
    assert isinstance(told, Troubled)
    assert (told.code, told.step, told.place) == ("desync", 5, 2)
    assert "Place 2 refuses at step 5 what place 0 and place 1 signed" in told.sentence
    assert held.proofs == []
    assert held.disputes.refused == {}
    assert held.disputes.disputed(5, 2)
