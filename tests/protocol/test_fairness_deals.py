"""Withholding never pays in a secret choice, whatever was seen before: tried for every kind of deal there is."""

from collections.abc import Iterator, Sequence
from itertools import chain, product

from sunward_protocol.games.around.position import Position
from sunward_protocol.games.game import Action, Seat
from support.deals import ALL, PLAIN, Circumstances, deals, settle, withholding_pays
from support.pebbles import Table


def scores(position: Position) -> list[int]:
    return position.scores


def test_withholding_never_pays_in_a_deal() -> None:
    """With three seats in all circumstances, with more in plain ones; `tests/bench/fairness.py` tries all of them."""
    tried = [withholding_pays(deal, scores) for deal in chain(deals((3,), ALL), deals((4, 5, 6), PLAIN))]
    # pairs of seats in order × tracks × ends × circumstances
    assert len(tried) == 6 * 10 * 2 * 2**7 + (12 + 20 + 30) * 10 * 2
    assert not any(tried)


def test_a_deal_decides_points_of_two_seats_and_nothing_else() -> None:
    for deal in deals((3,), PLAIN):
        lower, higher = deal.to_act()
        choices = (*deal.legal(lower), None)
        ends = [settle(deal, {lower: one, higher: other}) for one, other in product(choices, choices)]
        for end in ends:
            assert [end.scores[seat] - deal.scores[seat] for seat in range(3) if seat not in (lower, higher)] == [0]
            end.scores = deal.scores
        assert len({end.encode() for end in ends}) == 1


def test_withholding_never_pays_where_the_deal_decides_who_wins() -> None:
    decided = 0
    for deal in deals((3,), [Circumstances(last_track=True)]):
        lower, higher = deal.to_act()
        choices = [dict(zip((lower, higher), pair, strict=True)) for pair in product(*map(deal.legal, (lower, higher)))]
        if settle(deal, choices[0]).result() is None:
            continue
        for lead in range(-20, 21):
            deal.scores[lower], deal.scores[higher] = 20 + lead, 20
            results = [settle(deal, chosen).result() for chosen in choices]
            decided += len({result.winners for result in results if result is not None}) > 1
            assert not withholding_pays(deal, scores)
    assert decided > 50


class Lenient(Table):
    """Pebbles in which the guess is off if anybody keeps silent, as a rule might well say."""

    __slots__ = ()

    def withhold(self, seats: Sequence[Seat]) -> Sequence[Action]:
        self.guess = 0
        self._pass()
        return ()


def pebbles(table: Table) -> list[int]:
    return table.pebbles


def guesses(kind: type[Table]) -> Iterator[Table]:
    """Yield every kind of guess: seats, who is active, and whether it is the last turn."""
    for seats, turns in product(range(2, 7), (1, 2)):
        for active in range(seats):
            yield kind([0] * seats, turns, chance=True, active=active, phase="guess", due=0)


def test_withholding_never_pays_in_a_guess_of_pebbles() -> None:
    assert not any(withholding_pays(guess, pebbles) for guess in guesses(Table))


def test_a_rule_by_which_it_pays_is_seen() -> None:
    assert all(withholding_pays(guess, pebbles) for guess in guesses(Lenient))
