"""What a node wants by itself: never for a person, but that they come back."""

import pytest

from sunward_node.wishes import Wishes
from sunward_protocol.ledger import Move
from sunward_protocol.messages import NO_CHANGE, Change
from sunward_protocol.table.events import Applied, CameBack, Changed, Claimed, Wanted, WentAway
from support.world import World

OUT = Change(0b001, (), 0, 0)
BO_OUT = Change(0b010, (), 0, 0)
BACK_TO_7 = Change(0, (), 7, 0)
REST = Change(0, (), 0, 1)


class Table:
    """Member 0's node at a table of three, and what it wanted."""

    def __init__(self, *, bot: bool, returning: bool = False) -> None:
        self.wanted = list[Wanted]()
        self.replica = World(3).replica(0)
        self.wishes = Wishes(self.replica, self.wanted.append, bot=bot, returning=returning)

    def heed(self, *notices: WentAway | CameBack | Claimed | Changed | Applied) -> list[Wanted]:
        """Return what is wanted of these notices."""
        self.wanted.clear()
        for notice in notices:
            self.wishes.heed(notice)
        return self.wanted

    def put_out(self) -> None:
        self.replica.steps.tip.live = (1, 2)

    def rest(self) -> None:
        self.replica.steps.tip.resting = True


def test_a_bot_agrees_to_what_is_asked_and_stops_when_it_is_not_any_more() -> None:
    table = Table(bot=True)
    assert table.heed(Claimed(2, BACK_TO_7)) == [Wanted(rewind=7)]
    assert table.heed(Claimed(2, None)) == [Wanted()]
    assert table.heed(Claimed(2, REST)) == [Wanted(adjourn=True)]
    assert table.heed(Claimed(2, REST)) == []
    assert table.heed(Claimed(0, BACK_TO_7)) == [], "its own"


def test_a_bot_agrees_to_put_out_only_who_is_away() -> None:
    table = Table(bot=True)
    assert table.heed(Claimed(2, BO_OUT)) == []
    assert table.heed(WentAway(1)) == [Wanted(out=0b010)]
    assert table.heed(CameBack(1)) == [Wanted()]


def test_nothing_is_agreed_to_for_a_person() -> None:
    table = Table(bot=False)
    assert table.heed(WentAway(1), Claimed(2, BO_OUT), Claimed(2, BACK_TO_7), Claimed(2, REST)) == []


@pytest.mark.parametrize("returning", [False, True])
def test_a_bot_that_was_put_out_comes_back(returning: bool) -> None:
    table = Table(bot=True, returning=returning)
    table.put_out()
    assert table.heed(Changed(9, OUT)) == [Wanted(back=True)]


def test_a_person_comes_back_by_themselves_only_with_a_node_that_was_started_again() -> None:
    timed_out = Table(bot=False)
    timed_out.wishes.attended = True
    timed_out.put_out()
    assert timed_out.heed(Changed(9, OUT)) == []
    resumed = Table(bot=False, returning=True)
    resumed.put_out()
    assert resumed.heed(Changed(9, OUT)) == [], "nobody sits there"
    resumed.wishes.attended = True
    resumed.wishes.look()
    assert resumed.wanted == [Wanted(back=True)]


def test_whoever_has_acted_since_is_not_on_the_way_back_any_more() -> None:
    table = Table(bot=False, returning=True)
    table.wishes.attended = True
    table.heed(Applied(4, (Move(1, 0),)))
    table.put_out()
    assert table.heed(Applied(5, (Move(0, 0),))) == [Wanted(back=True)], "autopilot acted"
    again = Table(bot=False, returning=True)
    again.wishes.attended = True
    again.heed(Applied(4, (Move(0, 0),)))
    again.put_out()
    assert again.heed(Changed(9, OUT)) == []


def test_after_a_rest_a_bot_goes_on_when_it_is_asked_and_who_was_started_again_at_once() -> None:
    bot = Table(bot=True)
    bot.rest()
    assert bot.heed(Changed(9, REST)) == []
    assert bot.heed(Claimed(1, NO_CHANGE)) == [Wanted(back=True)]
    resumed = Table(bot=True, returning=True)
    resumed.rest()
    resumed.wishes.look()
    assert resumed.wanted == [Wanted(back=True)]
