"""Bots: what they may do, when their say ends, and what each of them takes."""

from collections import Counter
from collections.abc import Sequence

import pytest

from sunward_node.bots.bot import Bot, say
from sunward_node.bots.catalog import VALUATIONS, bots, find
from sunward_node.bots.greedy import Greedy
from sunward_node.bots.random import Random
from sunward_protocol.errors import LocalError
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.catalog import GAMES
from sunward_protocol.games.game import Action, Position, Seat
from support.matches import Script, Stream, at_random, play
from support.pebbles import CHALLENGE, HIGH, KEEP, LAY, LOW, PEBBLES, ROLL_THREE, Table


def pebbles_of(position: Position, seat: Seat) -> float:
    assert isinstance(position, Table)
    return position.pebbles[seat]


def table(*pebbles: int, phase: str = "turn", lying: int = 0, active: Seat = 0) -> Table:
    return Table(list(pebbles), turns=5, chance=True, phase=phase, lying=lying, due=0, active=active)


class Listed:
    """A bot that does what it is told, one choice after the other."""

    name = "listed"

    def __init__(self, *actions: Action) -> None:
        self.left = list(actions)

    def choose(self, position: Position, seat: Seat, chance: object) -> Action:
        return self.left.pop(0)


@pytest.mark.parametrize(
    ("actions", "before"),
    [
        ([LAY], table(0, 0)),  # another's say
        ([ROLL_THREE], table(0, 0)),  # a draw
        ([CHALLENGE], table(0, 0)),  # a secret choice
        ([HIGH], table(0, 0, phase="guess")),  # a secret choice is said alone
        ([KEEP], table(0, 0, phase="keep", lying=4)),
    ],
)
def test_a_say_ends(actions: Sequence[Action], before: Table) -> None:
    encoded = before.encode()
    bot = Listed(*actions, LAY)
    assert say(bot, before, 0, Script([])) == tuple(actions)
    assert bot.left == [LAY]
    assert before.encode() == encoded


def test_a_say_ends_with_the_match() -> None:
    last = table(0, 0)
    last.turns = 1
    assert say(Listed(LAY, LAY), last, 0, Script([])) == (LAY,)


def test_a_seat_says_all_its_choices_at_once() -> None:
    """Alone at its table a seat has every turn: its say goes on until it draws."""
    alone = table(0)
    assert say(Listed(LAY, LAY, ROLL_THREE, LAY), alone, 0, Script([])) == (LAY, LAY, ROLL_THREE)


def test_a_say_ends_before_a_secret_choice_of_the_same_seat_alone() -> None:
    class Lonely(Table):
        def to_act(self) -> tuple[Seat, ...]:
            return (0,)

    assert say(Listed(CHALLENGE, LOW), Lonely([0], 5, True, due=0), 0, Script([])) == (CHALLENGE,)


def test_random_takes_each_legal_action_as_often() -> None:
    stream = Stream(1)
    taken = Counter(Random().choose(table(0, 0), 0, stream) for _ in range(4000))
    assert sorted(taken) == [0, 1, 2, 3]
    assert all(900 < count < 1100 for count in taken.values())  # 1000 ± 3.6 standard deviations of 27.4


def test_greedy_takes_what_is_worth_most() -> None:
    """Of a lying four: to keep it is worth four more, to give it away nothing."""
    assert Greedy(pebbles_of).choose(table(0, 0, phase="keep", lying=4), 0, Script([])) == KEEP


def test_equals_are_decided_by_chance() -> None:
    """Nothing lies there: keep and give are equal, and the second of the two is drawn."""
    nothing = table(0, 0, phase="keep")
    first, second = nothing.legal(0)
    assert Greedy(pebbles_of).choose(nothing, 0, Script([0])) == first
    assert Greedy(pebbles_of).choose(nothing, 0, Script([1])) == second


def test_what_is_worth_no_less_than_the_slack_allows_is_as_good() -> None:
    """To give a lying four away is worth four less than to keep it."""
    lying = table(0, 0, phase="keep", lying=4)
    first, second = lying.legal(0)
    assert Greedy(pebbles_of, slack=4.0).choose(lying, 0, Script([0])) == first
    assert Greedy(pebbles_of, slack=4.0).choose(lying, 0, Script([1])) == second
    assert Greedy(pebbles_of, slack=3.5).choose(lying, 0, Script([])) == KEEP


def test_a_secret_choice_is_valued_over_all_that_the_other_may_choose() -> None:
    """If seat 1's valuation likes to be matched on high and nothing else, high is worth a half and low nothing."""

    def matched_on_high(position: Position, seat: Seat) -> float:
        assert isinstance(position, Guessed)
        return float(position.guesses == [HIGH, HIGH])

    class Guessed(Table):
        guesses: list[Action]

        def copy(self) -> "Guessed":
            twin = Guessed([0, 0], 5, True, phase="guess", due=0)
            twin.guesses = list(self.guesses)
            return twin

        def apply(self, seat: Seat, action: Action) -> None:
            self.guesses.append(action)

    position = Guessed([0, 0], 5, True, phase="guess", due=0)
    position.guesses = []
    for seat in (0, 1):
        assert Greedy(matched_on_high).choose(position, seat, Script([])) == HIGH
    assert LOW in position.legal(0)


@pytest.mark.parametrize("bot", bots(AROUND).values(), ids=lambda bot: bot.name)
@pytest.mark.parametrize("seats", [3, 6])
def test_a_bot_takes_legal_actions_and_leaves_the_position_alone(bot: Bot, seats: int) -> None:
    stream = Stream(seats)
    anybody = at_random(stream)

    def choose(position: Position, seat: Seat) -> Action:
        encoded = position.encode()
        action = bot.choose(position, seat, stream)
        assert position.encode() == encoded
        assert action in position.legal(seat)
        return action if seat == 0 else anybody(position, seat)

    ruleset = AROUND.load(AROUND.builtin())
    position = ruleset.start(seats, {})
    for _ in play(position, stream, choose):
        pass
    assert position.result() is not None


def test_every_game_has_every_bot() -> None:
    assert set(VALUATIONS) == {game.name for game in GAMES}
    assert all(tuple(bots(game))[:2] == ("random", "greedy") for game in GAMES)
    assert tuple(bots(BEYOND)) == ("random", "greedy", "economy", "fleet")


def test_a_game_without_a_valuation_has_the_others() -> None:
    with pytest.raises(LocalError, match=r"^There is no bot called 'greedy' for Pebbles\. Bots: random\.$"):
        find("greedy", PEBBLES)


def test_an_unknown_bot_is_answered_with_those_there_are() -> None:
    with pytest.raises(LocalError, match=r"^There is no bot called 'gredy' for Once Around The Sun\. Bots: random, "):
        find("gredy", AROUND)
