"""What is not a member's to say, is old, forged or junk is refused: the match is the one that it would have been."""

from collections.abc import Callable

import pytest

from sunward_protocol.envelope import Slot, open_frame
from sunward_protocol.ids import Place
from sunward_protocol.log import Entry
from sunward_protocol.messages import Kind
from sunward_protocol.records import parse_record, write_evidence
from sunward_protocol.table.events import Changed, Claimed, Drawn, Troubled
from support.liar_tables import LiarTable
from support.liars import Attacker
from support.liars_doubled import Janus, Reloader
from support.liars_unproved import FalseClaimer, Flooder, ForgingHistorian, Impostor, Replayer, Restless
from support.world import Disk

SEATINGS: tuple[tuple[int, tuple[Place, ...]], ...] = ((2, (1,)), (3, (1,)), (5, (1, 3)), (4, (0, 1, 2)))

REFUSED: dict[str, tuple[Callable[[], Attacker], bool]] = {
    "another's seat": (Impostor, True),
    "old and foreign frames": (Replayer, False),
    "forged history": (ForgingHistorian, True),
}
"""The attack, and whether it is counted against the liar's connection."""


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize(("members", "places"), SEATINGS)
def test_the_match_is_the_one_that_it_would_have_been(what: str, members: int, places: tuple[Place, ...]) -> None:
    attack, counted = REFUSED[what]
    table, fair = LiarTable(members, {place: attack() for place in places}), LiarTable(members, {})
    for each in (table, fair):
        each.delay_between(lambda sender, receiver: False, 0.0, 0.1)
        each.play()
        assert each.ended()
    assert table.heads() == fair.heads()
    assert table.live() == {tuple(range(members))}
    assert table.struck() == (set(places) if counted else set())
    for place in table.honest:
        assert table.convicted(place) is None
        assert table.world.told(place, Troubled) == []


@pytest.mark.parametrize(("members", "places"), SEATINGS)
def test_another_action_after_the_draw_comes_too_late(members: int, places: tuple[Place, ...]) -> None:
    liars = {place: Reloader(seen=True) for place in places}
    table = LiarTable(members, liars)
    table.play()
    assert any(liar.lied for liar in liars.values()), "nobody lied: this shows nothing"
    assert table.ended()
    assert len(table.heads()) == 1
    assert all(table.convicted(place) is None for place in table.honest), "it is no longer looked at"
    for place in table.honest:
        draws = [drawn.step for drawn in table.world.told(place, Drawn)]
        assert len(set(draws)) == len(draws), "none was made again"


@pytest.mark.parametrize(("members", "places"), [(3, (1,)), (5, (1,)), (6, (1,)), (4, (0, 1, 2))])
def test_a_flood_of_junk_is_borne(members: int, places: tuple[Place, ...]) -> None:
    table = LiarTable(members, {place: Flooder() for place in places})
    table.delay_between(lambda sender, receiver: False, 0.0, 0.05)
    table.play(150.0 if len(places) == 1 else 4.0)
    if len(places) == 1:
        assert table.ended()
        assert len(table.heads()) == 1
    assert table.struck() == set(places)


@pytest.mark.parametrize(("members", "places"), [(2, (1,)), (3, (1,)), (4, (1, 2)), (6, (1, 2, 3, 4))])
def test_a_claim_that_not_all_others_share_puts_nobody_out(members: int, places: tuple[Place, ...]) -> None:
    table = LiarTable(members, {place: FalseClaimer(0) for place in places})
    table.delay_between(lambda sender, receiver: False, 0.0, 0.2)
    table.play()
    assert table.ended()
    assert table.live() == {tuple(range(members))}
    for place in table.honest:
        claimed = {claim.place for claim in table.world.told(place, Claimed) if claim.change}
        assert claimed <= set(places)
        assert claimed or members == 2, "it is shown who wants it"


@pytest.mark.parametrize(("members", "places"), [(2, (1,)), (3, (1,)), (5, (1, 3))])
def test_who_leaves_every_epoch_as_soon_as_it_began_stops_nobody(members: int, places: tuple[Place, ...]) -> None:
    liars = {place: Restless() for place in places}
    table = LiarTable(members, liars)
    table.play()
    assert min(len(liar.lied) for liar in liars.values()) > 3
    assert table.ended()
    assert len(table.heads()) == 1
    assert table.live() == {tuple(range(members))}


def test_all_others_together_may_put_somebody_out_and_everybody_sees_who_did() -> None:
    table = LiarTable(4, {place: FalseClaimer(0) for place in (1, 2, 3)})
    table.delay_between(lambda sender, receiver: False, 0.0, 0.1)
    table.play()
    assert [change.change.out for change in table.world.told(0, Changed)] == [0b0001]
    assert {claim.place for claim in table.world.told(0, Claimed)} >= {1, 2, 3}
    assert table.convicted(0) is None


# One seat on two nodes, between others who are cut from each other: the bound of 2q - n


@pytest.mark.parametrize(("members", "behind"), [(4, (2,)), (5, (2,)), (6, (2, 3))])
def test_one_liar_between_two_sides_of_which_one_has_no_majority_forks_nothing(
    members: int, behind: tuple[Place, ...]
) -> None:
    table = LiarTable(members, {1: Janus(*behind)})
    table.delay_between(lambda one, other: 1 not in (one, other) and (one in behind) != (other in behind), 60.0)
    table.play()
    assert table.ended()
    assert len(table.heads()) == 1
    assert table.live() == {tuple(place for place in range(members) if place not in behind)}


@pytest.mark.parametrize(("members", "behind"), [(3, (2,)), (5, (2, 3))])
def test_a_fork_takes_as_many_liars_as_the_bound_says_and_both_logs_together_convict_them(
    members: int, behind: tuple[Place, ...]
) -> None:
    table = LiarTable(members, {1: Janus(*behind)}, checked=False)
    table.delay_between(lambda one, other: 1 not in (one, other) and (one in behind) != (other in behind), 60.0)
    table.play(40.0)
    assert len(table.heads()) == 2, "each side went on without the other"
    epochs = [_epochs_begun_by(1, table.world.disks[place]) for place in (0, 2)]
    (slot,) = epochs[0].keys() & epochs[1].keys()
    assert epochs[0][slot] != epochs[1][slot]
    table.world.disks[0].log.append(write_evidence([epochs[0][slot], epochs[1][slot]]))
    convicted = table.convicted(0)
    assert convicted is not None
    assert convicted[0] == 1


@pytest.mark.parametrize(("members", "behind"), [(3, (2,)), (5, (2, 3))])
def test_two_sides_that_a_liar_kept_apart_name_it_when_they_meet_and_stop_at_what_both_have(
    members: int, behind: tuple[Place, ...]
) -> None:
    table = LiarTable(members, {1: Janus(*behind)}, checked=False)
    table.delay_between(lambda one, other: 1 not in (one, other) and (one in behind) != (other in behind), 40.0)
    table.play(40.0)
    replicas = [table.world.replica(place) for place in table.honest]
    table.world.run(40.0, until=lambda: False)
    (step,) = {replica.steps.parted for replica in replicas}
    assert step
    assert len({tuple(replica.steps.entries[:step]) for replica in replicas}) == 1, "what both have"
    assert len({replica.steps.entries[step] for replica in replicas}) == 2
    for place in table.honest:
        assert [trouble.step for trouble in table.world.told(place, Troubled) if trouble.code == "fork"] == [step]
        convicted = table.convicted(place)
        assert convicted is not None
        assert convicted[0] == 1
    assert table.struck() <= {1}, "nobody is struck for what the liar made of them"
    journals = [list(table.world.disks[place].journal) for place in table.honest]
    table.world.run(30.0, until=lambda: False)
    assert [table.world.disks[place].journal for place in table.honest] == journals, "nothing more is signed"


def _epochs_begun_by(place: Place, disk: Disk) -> dict[Slot, bytes]:
    entries = [record for record in map(parse_record, disk.log) if isinstance(record, Entry)]
    frames = [open_frame(raw) for entry in entries for raw in entry.bodies]
    return {frame.slot: frame.raw for frame in frames if frame.kind is Kind.EPOCH and frame.place == place}
