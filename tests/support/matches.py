"""Random matches over the Position interface, from a seeded stream of chance; knows no game."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sunward_protocol.games.game import Action, Chance, Draw, Position, Ruleset, Seat

Choose: TypeAlias = Callable[[Position, Seat], Action]


class Stream:
    """A seeded `Chance`, fast rather than good."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def below(self, n: int) -> int:
        return int(self._random() * n)


class Recorder:
    """Another chance with everything it was asked and answered."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.answers: list[int] = []

    def below(self, n: int) -> int:
        answer = self._chance.below(n)
        assert 0 <= answer < n
        self.answers.append(answer)
        return answer


class Script:
    """A chance that answers what it is told to, and fails when asked more or less."""

    def __init__(self, answers: list[int]) -> None:
        self._answers = list(answers)

    def below(self, n: int) -> int:
        answer = self._answers.pop(0)
        assert 0 <= answer < n
        return answer

    def spent(self) -> bool:
        return not self._answers


@dataclass(frozen=True, slots=True)
class Step:
    """One action (None for the set-up) and the draws that followed; `after` is the position itself: copy to keep it."""

    seat: Seat | None
    action: Action | None
    after: Position
    draws: list[Draw] = field(default_factory=list[Draw])


def at_random(stream: Stream) -> Choose:
    """Return a player who takes any legal action."""

    def choose(position: Position, seat: Seat) -> Action:
        actions = position.legal(seat)
        return actions[stream.below(len(actions))]

    return choose


def play(position: Position, chance: Chance, choose: Choose) -> Iterator[Step]:
    """Play a match to its end, one step at a time, draws included."""
    yield Step(None, None, position, position.draw(chance))
    while position.result() is None:
        for seat in position.to_act():
            action = choose(position, seat)
            position.apply(seat, action)
            yield Step(seat, action, position, position.draw(chance) if position.chance_due() else [])


def random_match(ruleset: Ruleset, seats: int, seed: int) -> Position:
    """Return the end of a random match."""
    position = ruleset.start(seats, {})
    stream = Stream(seed)
    for _ in play(position, stream, at_random(stream)):
        pass
    return position
