"""Real nodes over links that are far, cut, reset, stalled or half dead: the match ends, alike for all."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from support.far_table import FarTable

pytestmark = pytest.mark.slow

NEAR = 0.002
"""Seconds each way: enough that a match is not over before anything can happen to it."""
PATIENCE = 60.0

Test = Callable[[FarTable], Coroutine[Any, Any, None]]


def far(members: int, turns: int = 12, delay: float = NEAR) -> Callable[[Test], Callable[[], None]]:
    """Run a test on a table that has just begun, and see its match to the end."""

    def decorate(test: Test) -> Callable[[], None]:
        async def whole() -> None:
            async with asyncio.timeout(PATIENCE), FarTable(members, "pebbles", delay, b"%d" % turns) as table:
                await test(table)
                await table.end()

        @functools.wraps(test, assigned=("__doc__", "__module__", "__name__"), updated=())
        def run() -> None:
            asyncio.run(whole())

        del run.__wrapped__  # pytest would take the table for a fixture
        return run

    return decorate


@far(3, turns=3, delay=0.05)
async def test_who_are_far_from_each_other_play_to_the_end(table: FarTable) -> None:
    await table.reach(2)
    assert all(link.accepted == 1 for link in table.links.values()), "nothing was lost, so nothing is dialed again"


@far(3)
async def test_a_pair_that_is_cut_plays_on_through_the_third(table: FarTable) -> None:
    await table.reach(2)
    for link in table.between(0, 1):
        link.cut()


@far(3)
async def test_a_pair_between_which_nothing_flows_plays_on_through_the_third(table: FarTable) -> None:
    await table.reach(2)
    for link in table.between(0, 1):
        link.stall()


@far(3)
async def test_a_pair_of_which_only_one_is_heard_plays_on_through_the_third(table: FarTable) -> None:
    await table.reach(2)
    for link, way in table.between(0, 1).items():
        link.stall(frozenset({way}))


@far(2)
async def test_two_that_are_cut_go_on_when_they_find_each_other_again(table: FarTable) -> None:
    await table.reach(2)
    for link in table.links.values():
        link.cut()
    await table.until(lambda: not table.is_linked(0, 1))
    table.flow()


@far(2)
async def test_connections_that_are_reset_again_and_again_are_made_again(table: FarTable) -> None:
    for step in (1, 3, 5):
        await table.reach(step)
        for link in table.links.values():
            link.reset()


@far(2)
async def test_a_stall_that_passes_changes_nothing(table: FarTable) -> None:
    await table.reach(2)
    for link in table.links.values():
        link.stall()
    asyncio.get_running_loop().call_later(1.5, table.flow)


@far(2)
async def test_connections_that_stall_for_good_are_given_up_and_made_again(table: FarTable) -> None:
    await table.reach(2)
    for link in table.links.values():
        link.stall(for_good=True)


@far(2)
async def test_one_that_hears_and_is_not_heard_is_heard_again(table: FarTable) -> None:
    await table.reach(2)
    for link, way in table.between(0, 1).items():
        link.stall(frozenset({way}), for_good=True)
