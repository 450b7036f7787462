"""The record that the only other player left: kept, taken back, and never kept at a larger table."""

from pathlib import Path

import pytest

from sunward_node.desertion import LEFT_NAME, Desertion, who_left
from sunward_protocol.errors import LocalError
from sunward_protocol.table.events import Applied, CameBack, Notice, Stalled, WentAway
from support.world import World


@pytest.mark.parametrize("returned", [CameBack(1), Applied(9, ())])
def test_who_left_is_kept_until_they_are_back(tmp_path: Path, returned: Notice) -> None:
    desertion = Desertion(tmp_path, World(2).genesis, 0)
    desertion.heed(WentAway(1))
    assert who_left(tmp_path) is None
    desertion.heed(Stalled((1,)))
    assert who_left(tmp_path) == "member 1"
    desertion.heed(returned)
    assert who_left(tmp_path) is None


def test_where_others_play_on_nobody_is_said_to_have_left(tmp_path: Path) -> None:
    Desertion(tmp_path, World(3).genesis, 0).heed(Stalled((1, 2)))
    assert who_left(tmp_path) is None


def test_a_record_that_cannot_be_written_is_said_and_one_that_is_no_text_is_none(tmp_path: Path) -> None:
    (tmp_path / LEFT_NAME).mkdir()
    with pytest.raises(LocalError, match="Cannot write"):
        Desertion(tmp_path, World(2).genesis, 0).heed(Stalled((1,)))
    (tmp_path / LEFT_NAME).rmdir()
    (tmp_path / LEFT_NAME).write_bytes(b"\xff\xfe")
    assert who_left(tmp_path) is None
    (tmp_path / LEFT_NAME).write_text("Bo\x1b[2J")
    assert who_left(tmp_path) == "Bo[2J"
