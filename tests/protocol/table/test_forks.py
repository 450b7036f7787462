"""Two histories of one match: found by whoever is shown the other, with the proof; and what is none."""

from random import Random

import pytest

from sunward_protocol import limits
from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.ids import Place, Step
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import Kind, Sync
from sunward_protocol.table.events import Chosen, Connected, Heard, Refused, Troubled, Wanted
from sunward_protocol.table.forks import find
from sunward_protocol.table.replica import Replica
from support.apart import always
from support.pebbles import CHALLENGE, LAY, LOW, ROLL
from support.world import HashSigner, World

PARTED: Step = 4
"""The first step that they do not have in common."""


@pytest.fixture
def ours() -> World:
    return played(LAY)


@pytest.fixture
def theirs() -> World:
    return played(CHALLENGE, LOW)


def played(*actions: int, steps: int = 20, turns: int = 30) -> World:
    """Return a match of 3, begun alike and gone on by a simple rule; all such have the same members and keys."""

    def choose(replica: Replica, chance: Random) -> tuple[int, ...]:
        return always(*((LAY,) if replica.steps.tip.step < PARTED else actions))(replica, chance)

    world = World(3, random_seed=1, components=b"%d" % turns, choose=choose)
    world.run(until=lambda: world.replica(0).steps.settled.step == steps)
    world.sent.clear()
    return world


def author(world: World, step: Step) -> Place:
    return open_frame(parse_entry(world.replica(0).steps.entries[step]).bodies[0]).place


def show(world: World, entries: list[bytes]) -> None:
    """Let place 1 show its history to place 0."""
    world.feed(0, Heard(1, seal(Kind.SYNC, Sync(tuple(entries)), world.genesis.match, place=1).raw))


def asks(world: World) -> Step:
    """Return from which step on place 0 asks place 1 for history, should they be connected anew."""
    before = len(world.sent)
    world.feed(0, Connected(1))
    ((_, receiver, raw),) = world.sent[before:]
    assert (receiver, open_frame(raw).kind) == (1, Kind.STATUS)
    return open_frame(raw).step


@pytest.mark.parametrize("further", [0, 4])
def test_another_locked_history_ends_the_match_and_names_who_signed_both(ours: World, further: int) -> None:
    theirs = played(CHALLENGE, LOW, steps=20 + further)
    show(ours, theirs.replica(0).steps.entries[PARTED - 1 :])
    steps = ours.replica(0).steps
    assert steps.parted == PARTED
    (fork,) = [trouble for trouble in ours.told(0, Troubled) if trouble.code == "fork"]
    assert f"the last step that both have is {PARTED - 1}" in fork.sentence
    assert steps.disputes.convicted >> author(theirs, PARTED) & 1
    assert ours.audit(0).verdict == "cheat"
    ours.feed(0, Chosen(steps.tip.step, (LAY,)))
    assert "two histories" in ours.told(0, Refused)[-1].sentence
    shown = [open_frame(raw).payload for _, receiver, raw in ours.sent if receiver == 2]
    begin = [parse_entry(each.entries[0]) for each in shown if isinstance(each, Sync)]
    assert [entry.step for entry in begin] == [PARTED - 1] * 2, "theirs and ours, for who has not seen both"
    ours.sent.clear()
    show(ours, theirs.replica(0).steps.entries[PARTED - 1 :])
    assert (ours.sent, ours.strikes) == ([], []), "it is found once"


def test_a_history_that_is_locked_nowhere_is_no_fork_but_convicts_who_signed_it(ours: World, theirs: World) -> None:
    entries = [parse_entry(raw) for raw in theirs.replica(0).steps.entries[PARTED - 1 : PARTED + 2]]
    show(ours, [entry._replace(acks=()).encode() for entry in entries])
    assert ours.replica(0).steps.parted is None
    assert ours.replica(0).steps.disputes.convicted == 1 << author(theirs, PARTED)
    assert ours.strikes == [], "it was worth showing"
    show(ours, [entry._replace(acks=()).encode() for entry in entries])
    assert [strike.place for strike in ours.strikes] in ([], [1]), "and is not worth it twice"


def test_a_fork_is_found_though_all_who_signed_both_histories_are_convicted_already(ours: World, theirs: World) -> None:
    fork = find(ours.replica(0).steps, theirs.replica(0).steps.entries[PARTED - 1 :], ours.signatures)
    assert fork is not None
    for cheat, frames in fork.cheats:
        ours.replica(0).steps.disputes.convict(cheat, frames)
    show(ours, theirs.replica(0).steps.entries[PARTED - 1 :])
    assert ours.replica(0).steps.parted == PARTED


def test_another_history_with_a_bad_signature_is_a_strike_and_proves_nothing(ours: World, theirs: World) -> None:
    entries = [parse_entry(raw) for raw in theirs.replica(0).steps.entries[PARTED - 1 :]]
    body = entries[2].bodies[0]
    entries[2] = entries[2]._replace(bodies=(body[:5] + bytes([body[5] ^ 1]) + body[6:], *entries[2].bodies[1:]))
    show(ours, [entry.encode() for entry in entries])
    assert ours.replica(0).steps.parted is None
    assert ours.replica(0).steps.disputes.convicted == 0
    assert [strike.place for strike in ours.strikes] == [1]


def test_the_same_history_with_another_signature_of_its_author_is_no_other(ours: World) -> None:
    entries = [parse_entry(raw) for raw in ours.replica(0).steps.entries[5:]]
    number = next(number for number, entry in enumerate(entries) if number > 1 and len(entry.bodies) == 1)
    said = open_frame(entries[number].bodies[0])
    signer = HashSigner(ours.genesis.members[said.place].session)
    twin = signer.sign_again(Purpose.FRAME, said.body) + said.body
    entries[number] = entries[number]._replace(bodies=(twin,))
    show(ours, [entry.encode() for entry in entries])
    assert ours.replica(0).steps.parted is None
    assert ours.replica(0).steps.disputes.convicted == 0
    assert ours.strikes == []


def test_history_that_leads_nowhere_is_a_strike_each_time(ours: World) -> None:
    entries = [parse_entry(raw) for raw in ours.replica(0).steps.entries]
    step = next(entry.step for entry in entries if entry.links)
    behind_a_gap = entries[step]._replace(step=step + 2, bodies=(), acks=(), links=())
    shown = [*entries[max(0, step - 1) : step], entries[step]._replace(links=()), behind_a_gap]
    for _ in range(5):
        show(ours, [entry.encode() for entry in shown])
    assert [strike.place for strike in ours.strikes] == [1] * 5


def test_another_entry_from_the_middle_is_no_free_pass_for_forged_history(ours: World) -> None:
    entries = [parse_entry(raw) for raw in ours.replica(0).steps.entries]
    other = entries[-3]._replace(bodies=(), acks=(), links=())
    forged = entries[-1]._replace(step=len(entries), acks=())
    for _ in range(10):
        show(ours, [other.encode(), forged.encode()])
    assert len(ours.strikes) >= 5, "it was asked for older history, and sends the same"


def test_older_history_is_asked_for_until_it_begins_where_both_agree(ours: World, theirs: World) -> None:
    asked = list[Step]()
    for start in (19, 15, 10):
        show(ours, theirs.replica(0).steps.entries[start:])
        asked.append(asks(ours))
    assert asked[0] < ours.replica(0).steps.settled.step
    assert asked[-1] <= asked[0]
    for start in (asked[-1] - 1, 0):  # as its node would answer
        show(ours, theirs.replica(0).steps.entries[start:])
    assert ours.replica(0).steps.parted == PARTED
    assert ours.strikes == []


def test_each_answer_in_which_they_do_not_agree_is_followed_by_a_question_twice_as_far_back() -> None:
    ours, theirs = played(LAY, turns=60), played(CHALLENGE, LOW, steps=62, turns=60)
    ours.run(until=lambda: False)
    steps = ours.replica(0).steps.settled.step
    assert asks(ours) == steps == 62
    entries = theirs.replica(0).steps.entries
    asked = 2 * limits.LEAD
    for shown, back in ((1, asked), (asked - 1, asked), (asked, 2 * asked)):
        show(ours, entries[steps - shown : steps - shown + 3])
        assert asks(ours) == steps - back
    assert ours.strikes == []


def test_who_turns_out_to_have_the_same_history_is_asked_for_no_older_one(ours: World, theirs: World) -> None:
    show(ours, theirs.replica(0).steps.entries[19:])
    assert asks(ours) < 20
    show(ours, ours.replica(0).steps.entries[5:])
    assert asks(ours) == 20


def test_one_locked_step_after_they_parted_is_enough_on_either_side(ours: World, theirs: World) -> None:
    short = played(LAY, steps=PARTED + 2)
    entries = theirs.replica(0).steps.entries[PARTED - 1 : PARTED + 2]
    assert parse_entry(entries[-1]).acks, "a gate: it is locked by itself"
    show(short, entries)
    assert short.replica(0).steps.parted == PARTED


def test_whoever_signed_both_is_named_for_the_first_step_that_shows_it(ours: World, theirs: World) -> None:
    place = author(theirs, PARTED)
    steps = ours.replica(0).steps
    assert [author(ours, later) for later in range(PARTED, 20)].count(place) > 1, "other steps show it, too"
    fork = find(steps, theirs.replica(0).steps.entries[PARTED - 1 :], ours.signatures)
    assert fork is not None
    assert [cheat.step for cheat, _ in fork.cheats if cheat.place == place] == [PARTED]


# What two honest members may both hold


def test_a_draw_that_was_made_anew_is_no_fork_for_who_has_the_former_nor_for_who_has_the_new_one() -> None:
    world = World(3, random_seed=3, choose=lambda replica, chance: ())
    world.run(1)
    ledger = world.replica(0).steps.settled
    actor, step = ledger.place_of[ledger.position.to_act()[0]], ledger.step
    gone, other = [place for place in range(3) if place != actor]
    world.delay = lambda sender, receiver: (
        None if sender == gone and open_frame(world.sent[-1][2]).kind is Kind.LINK else 0.001
    )
    world.feed(actor, Chosen(step, (ROLL,)))
    alone = world.replica(gone).steps
    world.run(1, until=lambda: alone.settled.step == step + 1)
    former = alone.entries[step]
    assert parse_entry(former).links, "only who kept its link from the others has made the draw"
    world.stop(gone)
    for place in (actor, other):
        world.feed(place, Wanted(out=1 << gone))
    world.run(20, until=lambda: world.replica(actor).steps.settled.epoch == 1)
    anew = world.replica(actor).steps.entries[step:]
    assert [bool(parse_entry(entry).links) for entry in anew] == [False, True]
    assert find(world.replica(actor).steps, [former], world.signatures) is None
    assert find(alone, anew, world.signatures) is None
    world.feed(actor, Heard(gone, seal(Kind.SYNC, Sync((former,)), world.genesis.match, place=gone).raw))
    assert world.strikes == []


def test_beginnings_of_epochs_alone_are_no_fork() -> None:
    lower, higher = [World(3, random_seed=3, choose=lambda replica, chance: ()) for _ in range(2)]
    for world, promised in ((lower, 0), (higher, 5)):
        world.run(1)
        for place in range(3):
            world.replica(place).steps.journal.promised = promised  # as if so many votes had come to nothing
        for wanted in (Wanted(adjourn=True), Wanted(back=True)):
            for place in range(3):
                world.feed(place, wanted)
            world.run(10)
    assert [world.replica(0).steps.settled.epoch for world in (lower, higher)] == [2, 7]
    start = higher.replica(0).steps.settled.step - 2
    show(higher, lower.replica(0).steps.entries[start - 1 :])
    assert higher.replica(0).steps.parted is None
    assert higher.strikes == []
