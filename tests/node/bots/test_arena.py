"""Matches without a network: what they depend on, and what a bot can do to them."""

from dataclasses import dataclass, field

import pytest

from sunward_node.bots.arena import play, seed_of
from sunward_node.bots.bot import Bot
from sunward_node.bots.random import Random
from sunward_protocol.audit import Turned
from sunward_protocol.draws import DrawStream
from sunward_protocol.errors import IllegalAction
from sunward_protocol.games.game import Action, Chance, Position, Seat
from support.around_positions import BUILTIN
from support.pebbles import PEBBLES, Table

RULES = PEBBLES.load(PEBBLES.builtin())


def turns(*bots: Bot, seed: str = "s", number: int = 0) -> list[Turned]:
    return list(play(RULES.start(len(bots), {}), bots, seed_of(seed, number)))


@dataclass(frozen=True, slots=True)
class Squandering:
    """As `Random`, but asks chance for more than it needs."""

    name: str = "squandering"

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        actions = position.legal(seat)
        wanted = actions[chance.below(len(actions))]
        chance.below(6)
        return wanted


class Breaking:
    """Plays what is not allowed."""

    name = "breaking"

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        return 99


def test_equal_seeds_make_equal_matches_and_others_others() -> None:
    bots = Random(), Random(), Random()
    assert turns(*bots) == turns(*bots)
    assert len({str(turns(*bots, seed=seed, number=number)) for seed in "ab" for number in (0, 1)}) == 4


def test_turns_retell_the_match() -> None:
    position = BUILTIN.start(4, {})
    told = list(play(position, [Random()] * 4, seed_of("t", 0)))
    again = BUILTIN.start(4, {})
    for number, turn in enumerate(told):
        assert turn.step == number
        for move in turn.moves:
            again.check(*move)
            again.apply(*move)
        if turn.randomness is not None:
            again.draw(DrawStream(turn.randomness))
        assert not again.chance_due()
    assert again.encode() == position.encode()
    assert again.result() == position.result() is not None


def test_no_randomness_serves_twice() -> None:
    drawn = [turn.randomness for turn in turns(Random(), Random()) if turn.randomness]
    assert len(set(drawn)) == len(drawn) > 5


def test_what_a_bot_asks_of_chance_changes_nothing_for_the_others() -> None:
    """Until the squanderer's second choice all goes as before: draws and the other's luck are not touched."""
    plain, squandered = turns(Random(), Random()), turns(Squandering(), Random())
    said = [number for number, turn in enumerate(plain) if 0 in [move.seat for move in turn.moves]]
    assert plain[: said[1]] == squandered[: said[1]]


@dataclass(slots=True)
class Asking:
    """Remembers the first that chance told each seat."""

    name: str = "asking"
    told: dict[Seat, int] = field(default_factory=dict[Seat, int])

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        answer = chance.below(2**32)
        self.told.setdefault(seat, answer)
        return position.legal(seat)[0]


def test_every_bot_has_luck_of_its_own() -> None:
    asking = Asking()
    turns(asking, asking, asking)
    assert len(set(asking.told.values())) == 3


@dataclass(slots=True)
class Looking:
    """As `Random`, and remembers the first guess that lay open when it made its own: 0 for none."""

    name: str = "looking"
    seen: list[int] = field(default_factory=list[int])

    def choose(self, position: Position, seat: Seat, chance: Chance) -> Action:
        assert isinstance(position, Table)
        if position.secret:
            self.seen.append(position.guess)
        return Random().choose(position, seat, chance)


def test_nobody_sees_a_secret_choice_before_his_own() -> None:
    looking = Looking()
    turns(looking, looking)
    assert looking.seen
    assert set(looking.seen) == {0}


def test_an_illegal_choice_ends_the_match_with_the_ruling() -> None:
    with pytest.raises(IllegalAction, match="P1"):
        turns(Breaking(), Breaking())
