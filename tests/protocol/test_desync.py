"""A replica that is broken: who names it, what the others do then, and what the bundles of both sides say."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sunward_protocol.desync import (
    Bundle,
    Difference,
    Who,
    bundle,
    check_pair,
    first_difference,
    other_versions,
    parse,
    section_hash,
)
from sunward_protocol.domains import Domain, digest
from sunward_protocol.errors import DamagedFile, LocalError
from sunward_protocol.games.catalog import find
from sunward_protocol.log import parse_entry
from sunward_protocol.table.events import Troubled
from sunward_protocol.table.owing import owing
from support.apart import (
    VERSIONS,
    Apart,
    Clock,
    GenerousTable,
    OtherDiceTable,
    StrictTable,
    SwappedTable,
    actor,
    always,
)
from support.pebbles import CHALLENGE, KEEP, LAY, LEAVE, LOW, ROLL, Table
from support.sim_play import CLOCK
from support.world import Choose, World

LAYING, GUESSING, ROLLING = always(LAY, ROLL, LEAVE, KEEP), always(CHALLENGE, LOW), always(ROLL, LEAVE, KEEP)


NO_CLOCK: Clock = {}


def lays_for_two(members: int, clock: Clock) -> Apart:
    """Who acts first gives themselves two pebbles, in step 1."""
    return Apart(members, actor(members, LAYING, clock, 1), GenerousTable, LAYING, clock)


def guesses_swapped(members: int, clock: Clock) -> Apart:
    """Who acts first challenges (step 1), both commit (2) and open (3); the guesses are taken in another order."""
    return Apart(members, actor(members, GUESSING, clock, 1), SwappedTable, GUESSING, clock)


def rolls_otherwise(members: int, clock: Clock) -> Apart:
    """A roll in step 1 comes to another sum for who is to act on it."""
    return Apart(members, actor(members, ROLLING, clock, 2), OtherDiceTable, ROLLING, clock)


BROKEN = [(lays_for_two, "cheat", 1), (guesses_swapped, "desync", 3), (rolls_otherwise, "desync", 1)]
"""Replicas that sign for what they come to, what they are called by others, and the first step that differs."""

Seating = Callable[[int, Clock], Apart]


@pytest.mark.parametrize(("seat", "code", "step"), BROKEN)
@pytest.mark.parametrize("members", [2, 3, 4])
def test_who_signs_for_another_state_is_named_by_all_and_by_their_files(
    members: int, seat: Seating, code: str, step: int
) -> None:
    world = seat(members, NO_CLOCK)
    world.run(2)
    for place in world.honest:
        assert world.troubles(place)[0] == (code, step, world.broken)
        assert world.convicted(place) == (step, world.broken)
        made = world.bundles[place, step]
        assert (made.step, made.by.place, made.against) == (step, place, Who(world.broken, f"member {world.broken}"))
        assert made.sections == world.bundles[world.honest[0], step].sections


@pytest.mark.parametrize(("seat", "code", "step"), BROKEN)
@pytest.mark.parametrize("members", [3, 4])
def test_the_others_go_on_without_it(members: int, seat: Seating, code: str, step: int) -> None:
    world = seat(members, CLOCK)
    world.run(150, until=lambda: all(world.replica(place).steps.over for place in world.honest))
    settled = [world.replica(place).steps.settled for place in world.honest]
    assert all(ledger.closed and ledger.live == tuple(world.honest) for ledger in settled)
    assert len({ledger.head for ledger in settled}) == 1
    assert {world.convicted(place) for place in world.honest} == {(step, world.broken)}


@pytest.mark.parametrize(("seat", "code", "step"), BROKEN)
def test_two_stand_and_say_so(seat: Seating, code: str, step: int) -> None:
    world = seat(2, CLOCK)
    world.run(100)
    honest = world.honest[0]
    steps = world.replica(honest).steps
    assert steps.settled.live == (0, 1)
    assert steps.settled.step <= step + 1
    assert not steps.over
    assert world.troubles(honest)[0] == (code, step, world.broken)


REFUSING = [(GenerousTable, LAYING), (StrictTable, LAYING), (OtherDiceTable, ROLLING)]
"""Replicas that come to something else than what an honest member signed for in step 1, or 2, and so sign nothing."""


def refuses(members: int, kind: type[Table], choose: Choose) -> Apart:
    """Seat a broken replica that is not the one to act."""
    honest = actor(members, choose, CLOCK, 1 + (kind is OtherDiceTable))
    return Apart(members, (honest + 1) % members, kind, choose, CLOCK)


@pytest.mark.parametrize(("kind", "choose"), REFUSING)
@pytest.mark.parametrize("members", [3, 4])
def test_who_refuses_what_is_right_owes_an_ack_and_is_put_out(members: int, kind: type[Table], choose: Choose) -> None:
    world = refuses(members, kind, choose)
    world.run(5)
    assert all(set(owing(world.replica(place).steps)) == {world.broken} for place in world.honest)
    made = world.bundles[world.broken, 1]
    assert made.against.place in world.honest
    world.run(150, until=lambda: all(world.replica(place).steps.over for place in world.honest))
    assert {world.replica(place).steps.settled.live for place in world.honest} == {tuple(world.honest)}
    assert {world.audit(place).verdict for place in world.honest} == {"complete"}


@pytest.mark.parametrize(("kind", "choose"), REFUSING)
def test_who_refuses_what_is_right_is_named_by_all(kind: type[Table], choose: Choose) -> None:
    world = refuses(3, kind, choose)
    world.run(5)
    assert [world.troubles(place) for place in world.honest] == [[("desync", 1, world.broken)]] * 2
    assert {(place, 1) for place in range(3)} == set(world.bundles)


def two_sides() -> tuple[Bundle, Bundle]:
    """Return the bundles of an honest side and of the broken one, after the guesses of step 3, as they are read."""
    world = guesses_swapped(4, NO_CLOCK)
    world.run(2)
    one, other = (world.bundles[place, 3] for place in (world.honest[0], world.broken))
    return parse(one.write(), "one"), parse(other.write(), "other")


def test_the_bundles_of_both_sides_name_the_first_section_that_differs() -> None:
    one, other = two_sides()
    check_pair(one, other)
    assert (one.step, one.head) == (other.step, other.head)
    assert one.state != other.state
    # who acts first guessed as the other did, and wins 2 pebbles; to the broken replica they lose them
    assert first_difference(one, other) in [Difference(("pebbles", seat), 2, 0) for seat in range(4)]
    assert other_versions(one, other) == ["program"]
    same = [name for name in one.sections if section_hash(name, one.sections[name]) == _hash(other, name)]
    assert same == ["turns", "active", "phase", "table"]


def _hash(made: Bundle, name: str) -> str:
    return section_hash(name, made.sections[name])


def test_a_bundle_reads_back_and_holds_the_end_of_the_log() -> None:
    one, _ = two_sides()
    again = parse(one.write(), "again")
    assert again == one
    entries = [parse_entry(bytes.fromhex(raw)) for raw in one.entries]
    assert [entry.step for entry in entries][:4] == [0, 1, 2, 3]


@pytest.mark.parametrize("key", ["around", "beyond"])
def test_the_position_of_a_real_game_reads_back_in_its_parts(key: str) -> None:
    world = World(3, game=find(key))
    world.run(until=lambda: world.replica(0).steps.tip.step > 11)
    steps = world.replica(0).steps
    one = bundle(steps, Troubled("desync", steps.tip.step - 1, 1, "They differ."), VERSIONS)
    assert one is not None
    again = parse(one.write(), "again")
    assert list(again.sections) == list(one.sections)
    assert len(again.sections) > 10
    assert first_difference(one, again) is None


def test_a_position_that_others_went_on_from_is_the_one_after_the_step() -> None:
    # the others go on to step 4 before the wrong word on step 3 comes
    world = guesses_swapped(3, NO_CLOCK)
    world.run(0.2)
    honest = world.honest[0]
    steps = world.replica(honest).steps
    late = bundle(steps, Troubled("desync", 3, world.broken, "Late."), VERSIONS)
    assert late is not None
    assert late.sections == world.bundles[honest, 3].sections
    assert steps.tip.step - 1 > 3 or late.state == steps.tip.state.hex()


@pytest.mark.parametrize(("kind", "laid"), [(GenerousTable, 2), (StrictTable, 0)])
def test_what_is_refused_is_played_on_the_own_position(kind: type[Table], laid: int) -> None:
    """A wrong outcome shows what the choices lead to here, an illegal choice where it cannot be made."""
    world = refuses(3, kind, LAYING)
    world.run(2)
    made = world.bundles[world.broken, 1]
    performed = dict(world.replica(world.honest[0]).steps.unlocked.heads())
    assert made.head == performed[1].hex()
    seat = world.replica(world.broken).steps.tip.seat_of(made.against.place)
    assert made.sections["pebbles"] == [laid if each == seat else 0 for each in range(3)]


def test_two_words_for_one_slot_are_no_matter_of_rules() -> None:
    world = guesses_swapped(3, NO_CLOCK)
    steps = world.replica(world.broken).steps
    world.run(until=lambda: steps.tip.step == 2)
    twice = Troubled("cheat", 1, world.broken, "Signed two different ACT messages for step 1.")
    assert bundle(steps, twice, VERSIONS) is None
    assert bundle(steps, replace(twice, place=world.honest[0]), VERSIONS) is None


def test_other_troubles_and_steps_that_are_not_at_hand_make_no_bundle() -> None:
    world = guesses_swapped(3, NO_CLOCK)
    world.run(2)
    steps = world.replica(world.honest[0]).steps
    settled, tip = steps.settled.step, steps.tip.step
    for code, step in (("chain-spent", tip - 1), ("desync", tip + 1), ("desync", settled - 2)):
        assert bundle(steps, Troubled(code, step, world.broken, ""), VERSIONS) is None


def made(**changes: Any) -> Bundle:
    """Return a bundle made up by hand."""
    one = Bundle("aa", 7, Who(0, "Ann"), Who(1, "Bo"), "They differ.", {"rules": "1"}, "bb", "cc", {"deck": [1, 2]}, ())
    return replace(one, **changes)


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ({"a": 1, "b": {"c": [1, 2]}}, {"b": {"c": [1, 3]}, "a": 1}, Difference(("b", "c", 1), 2, 3)),
        ({"a": 1, "b": 2}, {"a": 1}, Difference(("b",), 2, None)),
        ({"a": 1}, {"a": 1, "b": 2}, Difference(("b",), None, 2)),
        ({"a": [1]}, {"a": [1, 2]}, Difference(("a",), [1], [1, 2])),
        ({"a": "xy"}, {"a": "xz"}, Difference(("a",), "xy", "xz")),
        ({"a": {"k": 1}}, {"a": [1]}, Difference(("a",), {"k": 1}, [1])),
        ({"z": 1, "a": 1}, {"z": 2, "a": 2}, Difference(("z",), 1, 2)),
        ({"a": (1, 2)}, {"a": [1, 2]}, None),
    ],
)
def test_the_first_difference(one: Any, other: Any, difference: Difference | None) -> None:
    assert first_difference(made(sections=one), made(sections=other)) == difference


def test_a_section_has_one_hash_however_it_is_written_and_another_than_any_other() -> None:
    assert section_hash("deck", {"a": 1, "b": (2,)}) == section_hash("deck", {"b": [2], "a": 1})
    assert section_hash("deck", [1]) == digest(Domain.STATE, b"deck", b"[1]").hex()
    assert len({section_hash("deck", [1]), section_hash("deck", [2]), section_hash("hand", [1])}) == 3


def test_versions_that_one_side_lacks_differ() -> None:
    one = made(versions={"rules": "1", "python": "3.11"})
    assert other_versions(one, made(versions={"rules": "1", "program": "2"})) == ["python", "program"]
    assert other_versions(one, one) == []


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (made(match="ff"), "different matches"),
        (made(step=9, by=Who(1, "Bo")), "step 7, the other of step 9: compare those of step 7"),
        (made(), "Both bundles are of 'Ann'"),
    ],
)
def test_bundles_that_are_no_pair_are_refused(other: Bundle, sentence: str) -> None:
    with pytest.raises(LocalError, match=sentence):
        check_pair(made(), other)


def broken_text(**changes: object) -> str:
    return json.dumps({**json.loads(made().write()), **changes})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "7",
        "{}",
        "[" * 100_000,
        broken_text(format="sunward-desync/2"),
        broken_text(step="7"),
        broken_text(by="Ann"),
        broken_text(by={"place": 0}),
        broken_text(versions=["1"]),
        broken_text(versions={"rules": 1}),
        broken_text(entries=7),
        broken_text(entries=[7]),
        broken_text(sections={"deck": 7}),
        broken_text(sections={"deck": {"hash": section_hash("deck", [1, 2]), "value": [2, 1]}}),
        broken_text(sections={"\ud800": {"hash": "", "value": 1}}),
    ],
)
def test_a_text_that_is_no_bundle_is_refused_by_name(text: str) -> None:
    with pytest.raises(DamagedFile, match=r"theirs\.json is no bundle of a desync, or was changed"):
        parse(text, "theirs.json")
