"""The file that a node writes when another came to another position: once, whole, and said where it is or why not."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sunward_node import play
from sunward_node.bots import catalog as bots
from sunward_node.desync import FILES_MOST, Bundles, versions
from sunward_node.driver import Player
from sunward_node.node import Node
from sunward_node.order import Opening, Order, parse_invite
from sunward_node.places import Places
from sunward_node.seat import MATCH_NAME
from sunward_protocol.desync import check_pair, first_difference, parse
from sunward_protocol.games import catalog
from sunward_protocol.games.game import Ruleset
from sunward_protocol.genesis import Genesis
from sunward_protocol.table.events import Applied, Troubled
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica
from support import pebbles
from support.apart import Apart, KindRules, SwappedTable, always
from support.faults import LIFE, Fault, How, Life, counted_disk
from support.pebbles import CHALLENGE, LOW, find_pebbles
from support.sockets import live, until

BROKEN = 1
NAME = "desync-3.json"


class Table:
    """A node's folder at a table where step 3, the guesses, came out otherwise for place 1."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = Apart(3, BROKEN, SwappedTable, always(CHALLENGE, LOW), {})
        self.world.run(2)
        self.said: list[Mapping[str, object]] = []
        self.bundles = Bundles(folder, self.world.replica(0), self.said.append)
        self.trouble = self.world.told(0, Troubled)[0]


def test_a_bundle_is_written_once_beside_the_match_file_and_told(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.bundles.heed(Applied(2, ()))
    assert list(tmp_path.iterdir()) == []
    table.bundles.heed(table.trouble)
    assert [file.name for file in tmp_path.iterdir()] == [NAME]
    written = (tmp_path / NAME).read_text()
    made = parse(written, NAME)
    assert (made.step, made.by.place, made.against.place) == (3, 0, BROKEN)
    assert made.versions.items() >= versions().items()
    assert [(each["event"], each["code"]) for each in table.said] == [("trouble", "desync-file")]
    assert str(tmp_path / NAME) in str(table.said[0]["sentence"])
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600

    table.world.run(30)
    table.bundles.heed(Troubled("desync", 3, 2, "Another one."))
    assert (tmp_path / NAME).read_text() == written
    assert len(table.said) == 1


def test_what_is_no_desync_is_not_written_down(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.bundles.heed(Troubled("chain-spent", 3, 0, "All draws are used up."))
    assert list(tmp_path.iterdir()) == []
    assert table.said == []


def test_one_match_makes_so_many_files_and_no_more(tmp_path: Path) -> None:
    table = Table(tmp_path)
    for step in range(100, 100 + FILES_MOST):
        (tmp_path / f"desync-{step}.json").write_text("{}")
    table.bundles.heed(table.trouble)
    assert not (tmp_path / NAME).exists()
    (tmp_path / "desync-100.json").unlink()
    table.bundles.heed(table.trouble)
    assert (tmp_path / NAME).exists()


@pytest.mark.parametrize("how", [How.FULL, How.SHORT])
def test_a_full_disk_is_told_and_a_later_word_is_written(tmp_path: Path, how: How) -> None:
    table = Table(tmp_path)
    with counted_disk():
        token = LIFE.set(Life(tmp_path, Fault(0 if how is How.FULL else 1, how)))
        table.bundles.heed(table.trouble)
        LIFE.reset(token)
    assert not (tmp_path / NAME).exists()
    (said,) = table.said
    assert "could not be written down" in str(said["sentence"])
    assert "No space left on device. Make room there" in str(said["sentence"])
    table.bundles.heed(table.trouble)  # as after a restart
    assert parse((tmp_path / NAME).read_text(), NAME).step == 3


def challenger(*_: object) -> Player:
    """Return a bot that challenges, and guesses low."""
    return lambda position, seat: (CHALLENGE,) if CHALLENGE in position.legal(seat) else (LOW,)


def test_two_nodes_one_of_them_broken_write_down_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_at_one(genesis: Genesis, ruleset: Ruleset, own: Own, *rest: Any, **more: Any) -> Replica:
        rules = KindRules(int(ruleset.components), SwappedTable if own.place == BROKEN else pebbles.Table)
        return Replica(genesis, rules, own, *rest, **more)

    monkeypatch.setattr(play, "Replica", broken_at_one)
    monkeypatch.setattr(catalog, "find", find_pebbles)
    monkeypatch.setattr(bots, "player", challenger)
    homes = [Places.find({"SUNWARD_HOME": str(tmp_path / name)}) for name in ("ann", "bo")]

    @live
    async def apart() -> None:
        told = asyncio.Queue[object]()

        def announced(news: Mapping[str, object]) -> None:
            if "invite" in news:
                told.put_nowait(news["invite"])

        opening = Opening("pebbles", 2, {})
        nodes = [asyncio.create_task(Node(Order("Ann", "random", open=opening), homes[0], announced).run())]
        joining = Order("Bo", "random", join=parse_invite(await told.get()))
        nodes.append(asyncio.create_task(Node(joining, homes[1], announced).run()))
        await until(lambda: len(list(tmp_path.rglob(NAME))) == 2)
        for node in nodes:
            node.cancel()
        await asyncio.wait(nodes)

    apart()
    one, other = (parse(next(home.matches.rglob(NAME)).read_text(), home.data.name) for home in homes)
    check_pair(one, other)
    assert {one.against, other.against} == {one.by, other.by}
    difference = first_difference(one, other)
    assert difference is not None
    assert difference.path[0] == "pebbles"
    assert (difference.one, difference.other) in [(0, 2), (2, 0)]
    for home in homes:
        (file,) = home.matches.rglob(NAME)
        assert (file.parent / MATCH_NAME).exists()
