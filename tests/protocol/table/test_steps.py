"""The lockstep between honest members: it comes to the same end everywhere, and reveals nothing too early."""

from random import Random

import pytest

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.log import is_ack, parse_entry
from sunward_protocol.messages import BODIES, Ack, Act, Kind, Sync
from sunward_protocol.records import parse_kept
from sunward_protocol.table.commands import Command, Keep, Log, Send, Tell
from sunward_protocol.table.events import Applied, Asked, Chosen, Drawn, Ended, Refused, Troubled, TurnCame
from sunward_protocol.table.replica import Replica
from support.pebbles import CHALLENGE, GIVE, KEEP, LAY, LOW, ROLL
from support.world import World, choose_at_random

MEMBERS = range(2, 7)


def say_nothing(replica: Replica, chance: Random) -> tuple[int, ...]:
    return ()


def own_frames(world: World) -> list[Frame]:
    """Return what every member said of its own, in the order it was said."""
    said = [(place, open_frame(raw)) for place, own, raw in world.trace if own]
    return [frame for place, frame in said if frame.place == place]


def ends_well(world: World) -> None:
    """Fail unless all members ended the same match without a word of trouble, with files that verify."""
    assert world.ended()
    assert len(world.heads()) == 1
    assert world.strikes == []
    first = world.told(0, Ended)
    for place in range(len(world.replicas)):
        assert world.told(place, Troubled) == []
        assert world.told(place, Ended)[-1:] == first[-1:]
        report = world.audit(place)
        assert (report.verdict, report.winners) == ("complete", first[-1].result.winners), report


def one_body_a_slot(world: World) -> None:
    """Fail if a member ever let two different bodies for one slot go."""
    bodies = dict[tuple[int, ...], bytes]()
    for frame in own_frames(world):
        if frame.kind in (*BODIES, Kind.ACK, Kind.LINK):
            assert bodies.setdefault(frame.slot, frame.body) == frame.body, frame.slot


@pytest.mark.parametrize("members", MEMBERS)
def test_a_match_comes_to_the_same_end_everywhere(members: int) -> None:
    world = World(members, random_seed=members)
    world.run()
    ends_well(world)
    one_body_a_slot(world)


def test_a_match_comes_to_its_end_with_real_signatures() -> None:
    world = World(3, random_seed=1, real=True)
    world.run()
    ends_well(world)


@pytest.mark.parametrize("members", MEMBERS)
def test_a_match_comes_to_its_end_though_frames_are_lost_late_and_out_of_order(members: int) -> None:
    world = World(members, random_seed=members, components=b"8")
    chance = Random(members)
    world.delay = lambda sender, receiver: None if chance.random() < 0.3 else chance.random()
    world.run(3000)
    ends_well(world)
    one_body_a_slot(world)


def test_nothing_is_told_before_its_step_is_locked() -> None:
    world = World(3, random_seed=4)
    checked = 0

    def fuse(place: int, command: Command) -> bool:
        nonlocal checked
        if place == 0 and isinstance(command, Tell) and isinstance(command.notice, Applied | Drawn):
            frames = [open_frame(raw) for member, _, raw in world.trace if member == 0]
            signed = {frame.place for frame in frames if command.notice.step <= signed_for(frame)}
            assert signed == {0, 1, 2}, command.notice
            checked += 1
        return False

    world.fuse = fuse
    world.run()
    assert checked > 24


def signed_for(frame: Frame) -> int:
    """Return the last step whose outcome a frame signs for, -1 for none: an ACK or ACT its own, else the one before."""
    if isinstance(frame.payload, Act | Ack):
        return frame.step
    return frame.step - 1 if is_ack(frame, frame.step - 1) else -1


@pytest.mark.parametrize("loss", [0.0, 0.2])
@pytest.mark.parametrize("members", MEMBERS)
def test_no_link_and_no_secret_leaves_before_its_sender_knows_the_lock(members: int, loss: float) -> None:
    world = World(members, random_seed=20 + members)
    chance = Random(members)
    world.delay = lambda sender, receiver: None if chance.random() < loss else 0.001 + 0.02 * chance.random()
    world.run(3000)
    assert world.ended()
    knows = [[-1] * members for _ in range(members)]
    shown = dict.fromkeys((Kind.LINK, Kind.OPEN), 0)
    for place, own, raw in world.trace:
        frame = open_frame(raw)
        if own and frame.place == place and frame.kind in shown:
            shown[frame.kind] += 1
            step = frame.step if frame.kind is Kind.LINK else frame.step - 1
            assert min(knows[place]) >= step, frame
        entries = [parse_entry(entry) for entry in frame.payload.entries] if isinstance(frame.payload, Sync) else []
        inside = [open_frame(raw) for entry in entries for raw in (*entry.bodies, *entry.acks)]
        for each in (frame, *inside):
            if each.place < members:
                knows[place][each.place] = max(knows[place][each.place], signed_for(each))
    assert all(shown.values())


def test_the_next_action_carries_the_ack_of_the_one_before() -> None:
    world = World(3, random_seed=1, options={"chance": "no"})
    world.run()
    acts = {frame.step: frame.place for frame in own_frames(world) if frame.kind is Kind.ACT}
    acks = {(frame.step, frame.place) for frame in own_frames(world) if frame.kind is Kind.ACK}
    between = [step for step in acts if step + 1 in acts]
    assert len(between) > 20
    assert not [step for step in between if any((step, place) in acks for place in range(3))], "actions say it all"


@pytest.mark.parametrize("members", MEMBERS)
def test_no_more_than_a_round_of_steps_is_unlocked_and_none_behind_a_gate(members: int) -> None:
    world = World(members, random_seed=5)
    gated = set[tuple[int, int]]()

    def look() -> bool:
        for place in range(members):
            steps = world.replica(place).steps
            assert steps.tip.step - steps.settled.step <= members
            if steps.settled is not steps.tip and steps.tip.gated:
                gated.add((place, steps.tip.step))
            assert not any(step < steps.tip.step and step > steps.settled.step for at, step in gated if at == place)
        return world.ended()

    world.run(until=look)
    assert world.ended()


def test_who_takes_time_to_act_acks_meanwhile() -> None:
    world = World(2, random_seed=1, choose=say_nothing, options={"chance": "no"})
    world.run(0.5)
    first = next(place for place in range(2) if world.told(place, Asked))
    world.feed(first, Chosen(1, (LAY,)))
    acked = [frame for frame in own_frames(world) if frame.kind is Kind.ACK and frame.step == 1]
    assert acked == []
    start = world.now
    world.run(1, until=lambda: bool(world.told(first, Applied)))
    assert start + limits.ACK_PATIENCE < world.now < start + limits.ACK_PATIENCE + 0.01
    assert world.told(1 - first, Asked) == [Asked(2)], "asked at once, before the lock"
    assert world.told(first, TurnCame)[-1].step == 2


def asked(world: World) -> tuple[int, int]:
    """Let time pass until somebody is asked to act; return their place and the step."""
    world.run(2)
    replicas = [replica for replica in world.replicas if replica is not None]
    place = next(r.steps.own.place for r in replicas if r.steps.own.place in r.steps.tip.due().places)
    return place, world.replica(place).steps.tip.step


@pytest.mark.parametrize(
    ("actions", "ruling"),
    [
        ((KEEP,), "P1"),
        ((-1,), "P1"),
        ((2**63,), "P1"),
        ((), "turn"),
        ((LAY, LAY), "turn"),
        ((CHALLENGE, LOW), "turn"),
        ((ROLL, KEEP), "turn"),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_not_signed(actions: tuple[int, ...], ruling: str) -> None:
    world = World(3, random_seed=2, choose=say_nothing)
    place, step = asked(world)
    before = len(world.trace)
    world.feed(place, Chosen(step, actions))
    assert [(refused.step, refused.ruling) for refused in world.told(place, Refused)] == [(step, ruling)]
    assert len(world.trace) == before
    world.feed(place, Chosen(step, (LAY,)))
    assert [frame.kind for frame in own_frames(world)[-1:]] == [Kind.ACT]


def test_who_is_not_to_act_or_has_acted_is_refused() -> None:
    world = World(3, random_seed=2, choose=say_nothing)
    place, step = asked(world)
    world.feed((place + 1) % 3, Chosen(step, (LAY,)))
    assert [refused.ruling for refused in world.told((place + 1) % 3, Refused)] == ["turn"]
    world.feed(place, Chosen(step + 1, (LAY,)))
    world.feed(place, Chosen(step - 1, (LAY,)))
    world.feed(place, Chosen(step, (CHALLENGE,)))
    world.feed(place, Chosen(step, (LAY,)))
    assert [refused.ruling for refused in world.told(place, Refused)] == ["turn"] * 3
    one_body_a_slot(world)


def test_a_secret_choice_is_made_once() -> None:
    world = World(2, random_seed=2, choose=say_nothing)
    place, step = asked(world)
    world.feed(place, Chosen(step, (CHALLENGE,)))
    world.run(2)
    world.feed(place, Chosen(step + 1, (LOW,)))
    world.feed(place, Chosen(step + 1, (LOW + 1,)))
    world.run(2)
    assert [refused.sentence for refused in world.told(place, Refused)] == [
        "You have acted already; what was sent cannot be changed."
    ]
    assert not world.told(place, Applied)[step:], "the other has not chosen yet"
    world.feed(1 - place, Chosen(step + 1, (LOW,)))
    world.run(2)
    one_body_a_slot(world)
    assert [len(applied.moves) for applied in world.told(place, Applied)] == [1, 2]


def test_a_table_whose_chains_are_spent_stops_and_says_so() -> None:
    world = World(2, random_seed=1, chain_length=3)
    world.run(5)
    assert not world.ended()
    assert [(trouble.code, trouble.place) for trouble in world.told(0, Troubled)] == [("chain-spent", 0)]
    assert world.audit(0).verdict == "unfinished"


# A node dies and starts again


def crash_at(number: int, random_seed: int, down: float) -> World:
    """Run a match whose member 0 dies just before its n-th command, for a while."""
    world = World(3, random_seed=random_seed, components=b"4")
    count = 0

    def fuse(place: int, command: Command) -> bool:
        nonlocal count
        count += place == 0
        return place == 0 and count == number

    world.fuse = fuse
    world.run(30, until=lambda: world.replicas[0] is None)
    if world.replicas[0] is None:
        world.run(down, until=lambda: False)
        world.start(0)
        world.run(60)
    return world


@pytest.mark.slow
@pytest.mark.parametrize("random_seed", range(3))
def test_a_crash_at_every_single_command_loses_nothing_and_signs_nothing_twice(random_seed: int) -> None:
    quiet = crash_at(10**9, random_seed, 0)
    commands = len(quiet.notices[0]) + len(quiet.disks[0].journal) + len(quiet.disks[0].log)
    commands += sum(place == 0 and own for place, own, _ in quiet.trace)
    for number in range(1, commands):
        world = crash_at(number, random_seed, down=(0.0, 0.0005, 5.0)[number % 3])
        ends_well(world)
        one_body_a_slot(world)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10, 90, 4))
def test_everybody_may_crash_at_once(number: int) -> None:
    world = World(3, random_seed=number, components=b"4")
    count = 0

    def fuse(place: int, command: Command) -> bool:
        nonlocal count
        count += 1
        return count >= number

    world.fuse = fuse
    world.run(30, until=lambda: not any(world.replicas))
    world.fuse = lambda place, command: False
    for place in range(3):
        world.start(place)
    world.run(60)
    ends_well(world)
    one_body_a_slot(world)


def test_what_was_kept_but_never_sent_is_sent_as_it_was() -> None:
    world = World(3, random_seed=5, choose=say_nothing)
    place, step = asked(world)

    def fuse(dying: int, command: Command) -> bool:
        return isinstance(command, Send) and open_frame(command.raw).kind is Kind.ACT

    world.fuse = fuse
    world.feed(place, Chosen(step, (ROLL,)))
    assert world.replicas[place] is None
    assert not any(open_frame(raw).kind is Kind.ACT for _, _, raw in world.sent)
    world.fuse = lambda dying, command: False
    world.start(place)
    world.run(5)
    acts = {raw for _, _, raw in world.sent if open_frame(raw).kind is Kind.ACT}
    kept = [record for record in world.disks[place].journal if any(raw in record for raw in acts)]
    assert len(acts) == len(kept) == 1
    assert world.told((place + 1) % 3, Applied)[-1].moves[0].action == ROLL
    assert [told.step for told in world.told(place, Asked)].count(step) == 1, "not asked again for what is signed"


def test_a_journal_that_was_lost_is_made_up_for_by_what_others_hold() -> None:
    world = World(3, random_seed=5, choose=say_nothing)
    place, step = asked(world)
    world.feed(place, Chosen(step, (CHALLENGE,)))
    world.run(2)
    world.feed(place, Chosen(step + 1, (LOW,)))
    world.run(0.01)
    world.stop(place)
    del world.disks[place].journal[-1]
    world.start(place)
    world.run(3)
    world.feed(place, Chosen(step + 1, (LOW + 1,)))
    one_body_a_slot(world)
    assert world.told(place, Refused)[-1].sentence == "You have acted already; what was sent cannot be changed."


def test_every_frame_is_kept_before_it_leaves() -> None:
    world = World(4, random_seed=3)
    kept = [parse_kept(record).frame for disk in world.disks for record in disk.journal]
    left = 0

    def fuse(place: int, command: Command) -> bool:
        nonlocal left
        if isinstance(command, Keep):
            kept.append(parse_kept(command.record).frame)
        elif isinstance(command, Send):
            frame = open_frame(command.raw)
            if frame.place == place and frame.kind in (*BODIES, Kind.ACK):
                left += 1
                assert command.raw in kept
        return False

    world.fuse = fuse
    world.run()
    assert left > 100


def test_a_restarted_member_tells_its_watchers_the_whole_match_again_but_logs_nothing_twice() -> None:
    world = World(2, random_seed=3)
    world.run()
    before, log = world.told(0, Applied), list(world.disks[0].log)
    world.notices[0].clear()
    logged = list[Command]()

    def fuse(place: int, command: Command) -> bool:
        if isinstance(command, Log):
            logged.append(command)
        return False

    world.fuse = fuse
    world.start(0)
    assert world.told(0, Applied) == before
    assert logged == []
    assert world.disks[0].log == log


def test_choices_of_many_seeds_use_every_phase_of_the_game() -> None:
    world = World(4, random_seed=9, choose=choose_at_random, components=b"60")
    world.run()
    played = {move.action for applied in world.told(0, Applied) for move in applied.moves}
    assert {LAY, ROLL, CHALLENGE, KEEP, GIVE, LOW} <= played


def test_frames_that_overtake_one_another_on_different_connections_cost_no_status() -> None:
    world = World(6, random_seed=0)
    world.delay = lambda sender, receiver: 0.0005 + 0.004 * world.chance.random()
    world.run()
    ends_well(world)
    assert world.now < limits.STATUS_EVERY, "nothing had to wait for the repair"
