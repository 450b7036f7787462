"""Whoever signs a lie is convicted by the file of each honest member; who is honest plays on, if more than half are."""

from collections.abc import Callable

import pytest

from sunward_protocol.ids import Place
from support.liar_tables import LiarTable
from support.liars import (
    Attacker,
    Concealer,
    CopyCat,
    DoubleCommitter,
    EpochChanger,
    Equivocator,
    FalseOpener,
    MisCounter,
    Outlaw,
    StateForger,
    TwoEpochs,
    TwoVoter,
)
from support.liars_doubled import Janus, Reloader

SEATINGS: tuple[tuple[int, tuple[Place, ...]], ...] = (
    (2, (1,)),
    (3, (1,)),
    (4, (1,)),
    (5, (1, 3)),
    (4, (0, 1, 2)),
    (6, (0, 1, 3, 4, 5)),
)
"""Members, and who of them lie: alone, in twos, and all but one."""
GONE: tuple[tuple[int, tuple[Place, ...]], ...] = ((5, (1,)), (6, (1, 2)), (5, (1, 2, 3)))
"""The same, where place 0 is gone, so that the others must vote."""

ALONE = (Outlaw, MisCounter, StateForger, FalseOpener, CopyCat)
BETWEEN_TWO = (Equivocator, DoubleCommitter, lambda: Reloader(seen=False))
"""These tell two things; to do so at once takes two others."""


def lies_and_is_convicted(table: LiarTable, liars: dict[Place, Attacker], *, at_a_step: bool = True) -> None:
    """Play; each honest file must convict somebody who lied, at a step where they did; nobody honest is put out."""
    may_end = 2 * len(table.honest) > len(table.world.replicas)
    table.play(150.0 if may_end else 40.0)
    assert any(liar.lied for liar in liars.values()), "nobody lied: this shows nothing"
    for place in table.honest:
        convicted = table.convicted(place)
        assert convicted is not None, f"the file of {place} convicts nobody"
        cheat, step = convicted
        assert cheat in liars
        assert step in liars[cheat].lied or not at_a_step
    if may_end:
        assert table.ended()
        assert len(table.heads()) == 1
        assert all(set(table.honest) <= set(live) for live in table.live())


@pytest.mark.parametrize("attack", [*ALONE, *BETWEEN_TWO])
@pytest.mark.parametrize(("members", "places"), SEATINGS)
def test_what_is_signed_at_a_step_convicts(
    attack: Callable[[], Attacker], members: int, places: tuple[Place, ...]
) -> None:
    if members == 2 and attack in BETWEEN_TWO:
        return
    liars = {place: attack() for place in places}
    lies_and_is_convicted(LiarTable(members, liars), liars)


@pytest.mark.parametrize("attack", [TwoVoter, Concealer, TwoEpochs, EpochChanger])
@pytest.mark.parametrize(("members", "places"), GONE)
def test_two_votes_a_vote_that_conceals_and_two_words_on_an_epoch_convict(
    attack: Callable[[], Attacker], members: int, places: tuple[Place, ...]
) -> None:
    liars = {place: attack() for place in places}
    lies_and_is_convicted(LiarTable(members, liars, gone=0), liars, at_a_step=False)


@pytest.mark.parametrize(("members", "places"), [(3, (1,)), (4, (1,)), (6, (1,))])
def test_a_seat_on_two_nodes_convicts_itself(members: int, places: tuple[Place, ...]) -> None:
    liars: dict[Place, Attacker] = {place: Janus(members - 1) for place in places}
    lies_and_is_convicted(LiarTable(members, liars), liars, at_a_step=False)
