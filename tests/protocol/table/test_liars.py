"""A liar at the table: nobody honest follows, and what can be proved is proved by the files of all honest members."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest

from sunward_protocol.commitment import commit
from sunward_protocol.domains import Domain, digest
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import Frame, seal
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import NOTHING, Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.messages import Ack, Act, Commit, Kind, Link, Open
from sunward_protocol.records import Evidence, parse_record, write_evidence
from sunward_protocol.table.events import Applied, Chosen, Drawn, Heard, Troubled
from support.pebbles import CHALLENGE, HIGH, KEEP, LAY, LOW, ROLL
from support.world import World, choose_at_random, seed

WRONG = digest(Domain.STATE, b"another state")


class Table:
    """Four members, none of whom chooses by itself; whoever is to act first may be made a liar."""

    def __init__(self, random_seed: int = 1, signatures: Signatures | None = None) -> None:
        self.world = World(4, random_seed=random_seed, choose=lambda replica, chance: (), signatures=signatures)
        self.world.run(1)
        self.liar = self.actor()
        self.honest = [place for place in range(4) if place != self.liar]

    @property
    def tip(self) -> Ledger:
        return self.world.replica((self.liar + 1) % 4).steps.tip

    def actor(self, nth: int = 0) -> Place:
        """Return the place whose seat is the n-th from the one to act."""
        ledger = self.world.replica(0).steps.tip
        return ledger.place_of[(ledger.position.to_act()[0] + nth) % 4]

    def act(self, *choices: int, outcome: bytes | None = None, state: bytes | None = None, head: bytes = b"") -> Frame:
        """Return an ACT of the liar for the step at the tip."""
        tip = self.tip.copy()
        if outcome is None:
            seat = tip.seat_of(self.liar)
            for choice in choices:
                tip.position.apply(seat, choice)
            outcome = digest(Domain.STATE, tip.position.encode())
        act = Act(tip.state if state is None else state, choices, outcome)
        return self.world.forge(Kind.ACT, act, self.liar, tip.step, head or tip.head)

    def tell(self, frame: Frame, places: Sequence[Place] | None = None, sender: Place | None = None) -> None:
        for place in self.honest if places is None else places:
            self.world.post(self.liar if sender is None else sender, place, frame.raw)

    def play(self, place: Place, *actions: int) -> None:
        """Let a member choose honestly for the step at the tip."""
        self.world.feed(place, Chosen(self.world.replica(place).steps.tip.step, actions))
        self.world.run(2)

    def troubles(self, place: Place) -> list[tuple[str, int, Place]]:
        return [(trouble.code, trouble.step, trouble.place) for trouble in self.world.told(place, Troubled)]

    def goes_on_without_the_liar(self) -> None:
        """The others put out whom they can prove a cheat, and play to the end, all the same match."""
        self.world.stop(self.liar)
        self.world.choose = choose_at_random
        if self.world.replica(self.honest[0]).steps.tip.epoch == 0:
            self.world.run(10)
        for place in self.honest:
            steps = self.world.replica(place).steps
            if place in steps.tip.due().places:
                self.world.feed(place, Chosen(steps.tip.step, choose_at_random(self.world.replica(place), Random(1))))
        self.world.run(60)
        logs = [self.world.replica(place).steps for place in self.honest]
        assert all(steps.over and self.liar not in steps.settled.live for steps in logs)
        assert len({steps.settled.head for steps in logs}) == 1

    def convicts(self, step: int) -> None:
        """Fail unless every honest file proves the liar a cheat at a step."""
        for place in self.honest:
            report = self.world.audit(place)
            seat = self.tip.seat_of(self.liar)
            assert (report.verdict, report.step, report.seat) == ("cheat", step, seat), (place, report)

    def convicts_nobody(self, verdict: str = "unfinished") -> None:
        for place in self.honest:
            assert self.world.audit(place).verdict == verdict


def test_two_actions_for_one_step_are_brought_together_and_prove_the_cheat() -> None:
    table = Table()
    one, other = table.act(LAY), table.act(CHALLENGE)
    table.world.stop(table.liar)
    table.tell(one, table.honest[:1])
    table.tell(other, table.honest[1:])
    table.world.run(5)
    for place in table.honest:
        assert ("cheat", 1, table.liar) in table.troubles(place)
    table.goes_on_without_the_liar()
    table.convicts(1)


def test_one_body_with_two_signatures_is_no_cheat() -> None:
    class Lenient:
        def hold(self, public: bytes, purpose: object, signature: bytes, message: bytes) -> bool:
            return True

    table = Table(signatures=Lenient())
    act = table.act(LAY)
    table.tell(act)
    table.tell(act._replace(raw=bytes(63) + b"\1" + act.body))
    table.world.run(3)
    assert all(table.troubles(place) == [] for place in table.honest)
    assert all(table.world.told(place, Applied) for place in table.honest)


@pytest.mark.parametrize("choices", [(KEEP,), (LOW,), (99,), (LAY, LAY), (CHALLENGE, LOW), (ROLL, KEEP)])
def test_an_illegal_action_is_not_followed_and_proved(choices: tuple[int, ...]) -> None:
    table = Table()
    table.tell(table.act(*choices, outcome=WRONG))
    table.world.run(3)
    for place in table.honest:
        assert table.troubles(place) == [("cheat", 1, table.liar)]
    table.goes_on_without_the_liar()
    table.convicts(1)


def test_an_action_with_another_outcome_than_it_has_is_proved() -> None:
    table = Table()
    table.tell(table.act(LAY, outcome=WRONG))
    table.world.run(3)
    assert all(table.troubles(place) == [("cheat", 1, table.liar)] for place in table.honest)
    table.goes_on_without_the_liar()
    table.convicts(1)


def test_an_action_on_another_state_is_proved() -> None:
    table = Table()
    table.tell(table.act(LAY, state=WRONG))
    table.world.run(3)
    assert all(table.troubles(place) == [("desync", 0, table.liar)] for place in table.honest)
    table.convicts(0)


def test_an_action_on_another_history_is_not_followed_but_proves_nothing() -> None:
    table = Table()
    table.tell(table.act(LAY, head=WRONG))
    table.world.run(3)
    for place in table.honest:
        assert table.troubles(place) == [("desync", 0, table.liar)]
        assert table.world.replica(place).steps.tip.step == 1
    table.convicts_nobody()


def test_an_action_out_of_turn_changes_nothing() -> None:
    table = Table()
    actor, table.liar = table.liar, table.actor(1)
    table.honest = [place for place in range(4) if place != table.liar]
    tip = table.tip
    table.tell(table.world.forge(Kind.ACT, Act(tip.state, (LAY,), WRONG), table.liar, 1, tip.head))
    table.world.run(2)
    table.play(actor, LAY)
    assert all(len(table.world.told(place, Applied)) == 1 for place in table.honest)


@pytest.mark.parametrize("choice", [LAY, ROLL])
def test_an_ack_of_a_wrong_state_locks_nothing_and_is_proved(choice: int) -> None:
    table = Table()
    actor, table.liar = table.liar, table.actor(1)
    table.honest = [place for place in range(4) if place != table.liar]
    table.world.stop(table.liar)
    table.play(actor, choice)
    performed = table.world.replica(actor).steps.tip
    table.tell(table.world.forge(Kind.ACK, Ack(WRONG), table.liar, 1, performed.head))
    table.world.run(3)
    for place in table.honest:
        assert ("desync", 1, table.liar) in table.troubles(place)
        assert table.world.told(place, Applied) == []
    table.convicts(1)


def test_an_ack_of_a_wrong_state_after_the_set_up_is_proved() -> None:
    world = World(2, random_seed=1)
    ledger = world.replica(0).steps.tip
    world.stop(1)
    world.post(1, 0, world.forge(Kind.ACK, Ack(WRONG), 1, 0, ledger.head).raw)
    world.run(1)
    report = world.audit(0)
    assert (report.verdict, report.step, report.seat) == ("cheat", 0, 1)


def test_an_ack_of_another_history_is_owed_but_proves_nothing() -> None:
    table = Table()
    actor, table.liar = table.liar, table.actor(1)
    table.honest = [place for place in range(4) if place != table.liar]
    table.world.stop(table.liar)
    table.play(actor, LAY)
    table.tell(table.world.forge(Kind.ACK, Ack(WRONG), table.liar, 1, WRONG))
    table.world.run(3)
    assert all(table.troubles(place) == [("desync", 1, table.liar)] for place in table.honest)
    table.convicts_nobody()


def test_an_action_on_a_wrong_state_behind_an_unlocked_step_is_proved() -> None:
    table = Table()
    actor, table.liar = table.liar, table.actor(1)
    table.honest = [place for place in range(4) if place != table.liar]
    table.world.stop(table.liar)
    table.play(actor, LAY)
    performed = table.world.replica(actor).steps.tip
    table.tell(table.world.forge(Kind.ACT, Act(WRONG, (LAY,), WRONG), table.liar, 2, performed.head))
    table.world.run(3)
    assert all(table.troubles(place) == [("desync", 1, table.liar)] for place in table.honest)
    table.convicts(1)


def at_the_reveal(hidden: int, shown: int, nonce: bytes = seed("nonce")) -> Table:
    """Return a table at which the liar, challenged, committed to one thing and showed another."""
    table = Table()
    actor, table.liar = table.liar, table.actor(1)
    table.honest = [place for place in range(4) if place != table.liar]
    table.play(actor, CHALLENGE)
    tip = table.tip
    table.world.stop(table.liar)
    table.play(actor, LOW)
    fixed = commit(tip.match, 2, table.liar, seed("nonce"), hidden)
    table.tell(table.world.forge(Kind.COMMIT, Commit(tip.state, fixed), table.liar, 2, tip.head))
    table.world.run(1)
    tip = table.tip
    table.tell(table.world.forge(Kind.ACK, Ack(tip.state), table.liar, 2, tip.head))
    table.tell(table.world.forge(Kind.OPEN, Open(tip.state, nonce, shown), table.liar, 3, tip.head))
    table.world.run(3)
    return table


def test_a_liar_of_this_kind_who_is_honest_is_followed() -> None:
    table = at_the_reveal(HIGH, HIGH)
    assert all(table.troubles(place) == [] for place in table.honest)
    assert all(table.world.replica(place).steps.tip.step == 4 for place in table.honest)


@pytest.mark.parametrize(
    ("hidden", "shown", "nonce"), [(HIGH, LOW, seed("nonce")), (HIGH, HIGH, seed("other")), (KEEP, KEEP, seed("nonce"))]
)
def test_showing_what_was_not_hidden_or_what_is_illegal_is_proved(hidden: int, shown: int, nonce: bytes) -> None:
    table = at_the_reveal(hidden, shown, nonce)
    assert all(table.troubles(place) == [("cheat", 3, table.liar)] for place in table.honest)
    table.convicts(3)


def test_a_link_that_is_kept_for_later_does_not_stop_the_table() -> None:
    # whoever sees a link may send it on, also under another step's number, before others have made the draw
    world = World(3, random_seed=2, choose=lambda replica, chance: (ROLL,))
    world.run(0.5, until=lambda: world.replica(0).steps.tip.drawing)
    link = HashChain(seed("chain", 1), world.signers[1].public, 600).links[0]
    for step in range(3):
        frame = seal(Kind.LINK, Link(0, link), world.genesis.match, step=step, place=1)
        world.feed(0, Heard(2, frame.raw))
    world.run(2)
    assert world.told(0, Troubled) == []
    assert [drawn.step for drawn in world.told(0, Drawn)] == [0, 1]
    assert world.strikes == []


def test_a_link_of_another_chain_is_not_taken() -> None:
    world = World(2, random_seed=2)
    world.post(1, 0, seal(Kind.LINK, Link(0, seed("wrong")), world.genesis.match, step=0, place=1).raw)
    world.run()
    assert world.ended()
    assert world.audit(0).verdict == "complete"


def test_another_seats_words_cannot_be_said() -> None:
    table = Table()
    tip = table.tip
    liar = table.actor(1)
    stolen = seal(
        Kind.ACT,
        Act(tip.state, (LAY,), WRONG),
        tip.match,
        table.world.signers[liar],
        step=1,
        place=table.liar,
        head=tip.head,
    )
    victims = [place for place in range(4) if place not in (liar, table.liar)]
    table.tell(stolen, victims, sender=liar)
    table.world.run(2)
    assert {strike.place for strike in table.world.strikes} == {liar}
    assert all(table.world.replica(place).steps.tip.step == 1 for place in victims)
    table.play(table.liar, LAY)
    assert all(table.world.told(place, Applied) for place in range(4))


def test_an_old_frame_and_one_of_another_match_are_no_strike() -> None:
    world, foreign = World(2, random_seed=1), World(2, random_seed=2)
    foreign.run()
    world.run(0.02)
    for sender, receiver, raw in [*world.sent, *foreign.sent]:
        world.feed(receiver, Heard(sender, raw))
    world.run()
    assert world.strikes == []
    assert world.ended()
    assert world.audit(0).verdict == "complete"


def test_evidence_that_proves_nothing_convicts_nobody() -> None:
    world, foreign = World(3, random_seed=3), World(3, random_seed=4)
    world.run()
    foreign.run()
    frames = [raw for _, _, raw in world.sent]
    unsigned = world.forge(Kind.ACK, Ack(WRONG), 0, 1, world.replica(0).steps.settled.head)
    unsigned = unsigned._replace(raw=bytes(64) + unsigned.body)
    pairs = [
        [frames[0]],
        [frames[40], frames[40]],
        [frames[40], frames[41], frames[42]],
        [raw for _, _, raw in foreign.sent[10:12]],
        [unsigned.raw],
        [b"no frame at all"],
        [world.forge(Kind.ACK, Ack(NOTHING), 0, 1, NOTHING).raw],
        *([raw] for raw in frames[:200]),
        *(list(pair) for pair in pairwise(frames[:200])),
    ]
    world.disks[0].log += map(write_evidence, pairs)
    report = world.audit(0)
    assert (report.verdict, report.reason) == ("complete", "Every step was recomputed.")


def test_a_dispute_is_told_and_logged_once_however_often_it_comes_up() -> None:
    table = Table()
    table.tell(table.act(LAY, outcome=WRONG))
    table.world.run(10)
    for place in table.honest:
        assert len(table.world.told(place, Troubled)) == 1
        assert sum(isinstance(parse_record(raw), Evidence) for raw in table.world.disks[place].log) == 1
