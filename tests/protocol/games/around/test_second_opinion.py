"""The engine against the naive one, in lockstep: legal actions, draws, states, scores of whole random matches."""

from collections.abc import Sequence

import pytest

from sunward_protocol.games.around import AROUND
from sunward_protocol.games.around.actions import TO_DEAL, WITHHELD
from sunward_protocol.games.around.board import Board
from sunward_protocol.games.around.cards import ORDERED, SHUFFLED, TURNED
from sunward_protocol.games.around.components import read
from sunward_protocol.games.game import Draw
from support import naive_around as naive
from support.around_positions import box, other_components
from support.matches import Stream

CHOICES: tuple[naive.Record, ...] = tuple(
    {"type": "deal", "choice": choice} for choice in ("cooperate", "renege", "withheld")
)


class Told:
    """A fate that repeats what the engine's chance decided, and refuses what the naive deck does not hold."""

    def __init__(self, board: Board, draws: Sequence[Draw]) -> None:
        self._names = board.names
        self.left = [draw for draw in draws if draw[0] != SHUFFLED]

    def card(self, deck: list[str]) -> str:
        kind, card, *_ = self.left.pop(0)
        assert kind == TURNED
        assert self._names[card] in deck
        return self._names[card]

    def order(self, seats: int) -> list[int]:
        kind, *order = self.left.pop(0)
        assert kind == ORDERED
        assert sorted(order) == list(range(seats))
        return order


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("components", [AROUND.builtin(), other_components()], ids=["builtin", "other"])
def test_both_engines_agree_at_every_step(components: bytes, seats: int) -> None:
    for seed in range(25):
        play_in_lockstep(components, seats, seed)


def play_in_lockstep(components: bytes, seats: int, seed: int) -> None:
    board = Board.of(read(components, "components"))
    ruleset = AROUND.load(components)
    words = ruleset.words
    stream = Stream(seed)
    position = ruleset.start(seats, {})
    draws = position.draw(stream)
    fate = Told(board, draws)
    table = naive.start(box(board), seats, fate)
    while True:
        assert table.draws == [words.draw_json(draw) for draw in draws]
        assert not fate.left
        assert table.state() == words.state_json(position)
        acting = position.to_act()
        assert tuple(table.to_act()) == acting
        assert [table.legal(seat) for seat in range(seats)] == [
            [words.action_json(position, seat, action) for action in position.legal(seat)] for seat in range(seats)
        ]
        if not acting:
            break
        if position.secret:
            chosen = [stream.below(3) for _ in acting]
            records = [CHOICES[choice] for choice in chosen]
            withheld = [seat for seat, choice in zip(acting, chosen, strict=True) if choice == WITHHELD]
            if withheld:
                position.withhold(withheld)
            else:
                for seat, choice in zip(acting, chosen, strict=True):
                    position.apply(seat, TO_DEAL | choice)
        else:
            seat = acting[0]
            index = stream.below(len(table.legal(seat)))
            records = [table.legal(seat)[index]]
            position.apply(seat, position.legal(seat)[index])
        draws = position.draw(stream) if position.chance_due() else []
        fate = Told(board, draws)
        for seat, record in zip(acting, records, strict=True):
            table = naive.step(table, seat, record, fate)
    result = position.result()
    assert result is not None
    assert list(result.scores) == table.final_scores()
    best = max(table.final_scores())
    assert list(result.winners) == [seat for seat, score in enumerate(table.final_scores()) if score == best]
