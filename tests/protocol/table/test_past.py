"""The log of one member, step by step: what of its end can still be undone, and the ledgers before that."""

import pytest

from sunward_protocol import limits
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry
from sunward_protocol.messages import NO_CHANGE
from sunward_protocol.table.past import Past
from support.quiet import table


class Logged:
    """A log of steps named by letters, of which capital ones begin an epoch; each leads to a ledger of its own."""

    def __init__(self, steps: str) -> None:
        self._like = table(2).replica(0).steps.settled
        self.ledgers = [self._ledger(0)]
        self.past = Past(self.ledgers[0])
        for step, name in enumerate(steps):
            self.add(name, step)

    def _ledger(self, step: int, begins: bool = False) -> Ledger:
        ledger = self._like.copy()
        ledger.step, ledger.changed = step, NO_CHANGE if begins else None
        return ledger

    def add(self, name: str, step: int, epoch: int = 0) -> None:
        """Log a step, in the place of what there was from it on."""
        ledger = self._ledger(step + 1, begins=name.isupper())
        self.past.add(ledger, Entry(epoch, step, (), (), ()), name.encode())
        self.ledgers[step + 1 :] = [ledger]

    def __str__(self) -> str:
        assert self.past.ledger is self.ledgers[-1]
        return b"".join(self.past.entries).decode()

    @property
    def turns(self) -> list[int]:
        """The steps before which an epoch may still begin, the next among them."""
        held = {step: ledger for step in range(len(self.ledgers)) if (ledger := self.past.before(step))}
        assert all(ledger is self.ledgers[step] for step, ledger in held.items())
        return list(held)


@pytest.mark.parametrize(
    ("steps", "turns"),
    [("", [0]), ("a", [0, 1]), ("ab", [1, 2]), ("abC", [1, 2, 3]), ("abCD", [1, 2, 3, 4]), ("abCDe", [4, 5])],
)
def test_an_epoch_may_begin_before_the_last_step_of_the_game_and_each_beginning_after_it(
    steps: str, turns: list[int]
) -> None:
    assert Logged(steps).turns == turns


@pytest.mark.parametrize(
    ("steps", "name", "at", "then", "turns"),
    [
        ("ab", "x", 1, "ax", [1, 2]),
        ("abC", "X", 2, "abX", [1, 2, 3]),
        ("abCD", "X", 2, "abX", [1, 2, 3]),
        ("abC", "x", 2, "abx", [2, 3]),
        ("abCD", "x", 1, "ax", [1, 2]),
        ("abCD", "X", 1, "aX", [1, 2]),
    ],
)
def test_what_is_logged_for_a_step_takes_the_place_of_all_from_it_on(
    steps: str, name: str, at: int, then: str, turns: list[int]
) -> None:
    logged = Logged(steps)
    logged.add(name, at)
    assert (str(logged), logged.turns) == (then, turns)


@pytest.mark.parametrize(
    ("step", "then", "turns"), [(4, "abCD", [1, 2, 3, 4]), (2, "ab", [1, 2]), (1, "a", [1]), (0, "", [0])]
)
def test_who_turns_back_holds_what_is_before_that(step: int, then: str, turns: list[int]) -> None:
    logged = Logged("abCD")
    logged.past.turn_back(logged.ledgers[step])
    del logged.ledgers[step + 1 :]
    assert (str(logged), logged.turns) == (then, turns)


def test_of_steps_far_from_the_end_nothing_is_held() -> None:
    past = Logged("abcdef").past
    assert [past.before(step) for step in (-1, 0, 3, 4, 7, 100)] == [None] * 6


def test_the_last_step_that_begins_no_epoch_is_firm() -> None:
    logged = Logged("")
    assert logged.past.firm == (0, 0)
    logged.add("a", 0)
    logged.add("b", 1)
    assert logged.past.firm == (0, 1)
    logged.add("C", 2, epoch=1)
    assert logged.past.firm == (0, 1)
    logged.add("d", 3, epoch=1)
    assert logged.past.firm == (1, 3)


def test_a_log_is_whole_again_once_something_is_added() -> None:
    logged = Logged("ab")
    assert not logged.past.torn
    logged.past.torn = True
    logged.add("b", 1)
    assert not logged.past.torn


def test_its_end_is_as_many_entries_as_a_vote_may_carry() -> None:
    past = Logged("a" * (limits.LEAD + 3)).past
    assert past.end() == [b"a"] * limits.LEAD
