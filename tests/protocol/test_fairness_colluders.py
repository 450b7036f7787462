"""Chance against everybody but one: nothing that they may choose moves a draw; what would move it is seen or refused.

The counts are small ones for every day; `tests/bench/fairness.py` takes 100,000 draws a scheme.
"""

from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from sunward_protocol.errors import Forged
from sunward_protocol.fairness import chi_square
from sunward_protocol.genesis import check_members
from sunward_protocol.table.events import Drawn
from sunward_protocol.table.replica import Replica
from support.colluders import BROKEN, FACES, SCHEMES, Coalition, by_action, rolls
from support.pebbles import ROLL
from support.vetoes import Draw, formula, sigmas
from support.world import HashSignatures, World


def evenness(coalition: Coalition, name: str, draws: int) -> float:
    counts = Counter(rolls(coalition, {**SCHEMES, **BROKEN}[name], draws))
    return chi_square([counts[miss] for miss in range(FACES)]).p


@pytest.mark.parametrize("honest", [0, 2], ids=["honest first", "honest last"])
@pytest.mark.parametrize("name", SCHEMES)
def test_no_scheme_moves_a_draw(name: str, honest: int) -> None:
    assert 0.001 < evenness(Coalition(3, honest, 1), name, 600) < 0.999


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_table_is_seen(name: str) -> None:
    assert evenness(Coalition(3, 2, 1, BROKEN[name].kind), name, 60) < 1e-30


def test_a_link_chosen_after_the_others_is_refused() -> None:
    coalition = Coalition(3, 2, 1)
    coalition.chains = [coalition.chain(place, 4) for place in range(3)]
    ledger = coalition.begin()
    ledger.reveal(coalition.links(ledger))
    ledger = next(by_action(coalition, ledger))
    true = coalition.links(ledger)
    # a random one, the next but one, the one shown before, the honest member's
    for link in (bytes(32), coalition.chains[0].links[2], coalition.chains[0].links[0], true[2]):
        with pytest.raises(Forged, match=r"link of place 0 .* does not belong to its chain"):
            ledger.copy().reveal([link, *true[1:]])
    ledger.reveal(true)


def roll(replica: Replica, chance: Random) -> tuple[int, ...]:
    """Choose without chance, to roll wherever one may, until the seat's say ends."""
    ledger = replica.steps.tip.copy()
    seat = ledger.seat_of(replica.steps.own.place)
    chosen = list[int]()
    while ledger.has_say(seat):
        legal = ledger.position.legal(seat)
        chosen.append(ROLL if ROLL in legal else legal[0])
        ledger.position.apply(seat, chosen[-1])
    return tuple(chosen)


def test_whose_links_come_last_changes_nothing() -> None:
    heads, draws = set[bytes](), set[int]()
    for last in range(3):
        world = World(3, choose=roll)
        world.delay = partial(late, last)
        world.run()
        assert world.ended()
        heads |= world.heads()
        draws.add(len(world.told(0, Drawn)))
    assert len(heads) == 1
    assert min(draws) > 20


def late(last: int, sender: int, receiver: int) -> float:
    """Seconds that a frame takes: what the last one says comes after all others' words."""
    return 0.05 if sender == last else 0.001


def test_a_copied_tip_is_refused_and_its_links_lead_nowhere() -> None:
    coalition = Coalition(3, 2, 1)
    honest = coalition.chain(2, 2)
    coalition.chains = [honest, coalition.chain(1, 2), honest]
    with pytest.raises(Forged, match="Two members of the table show the same tip"):
        coalition.begin()
    # were it taken in all the same, the copied links would not be those of the copier's session key
    coalition.chains[0] = coalition.chain(0, 2)
    ledger = coalition.begin()
    members = [ledger.genesis.members[0]._replace(tip=honest.tip), *ledger.genesis.members[1:]]
    copied = replace(ledger.genesis, members=tuple(members))
    with pytest.raises(Forged, match="did not sign for the keys"):
        check_members(copied, HashSignatures())
    ledger.tips[0] = honest.tip
    with pytest.raises(Forged, match="link of place 0"):
        ledger.reveal([honest.links[0], coalition.chains[1].links[0], honest.links[0]])


@pytest.mark.parametrize("vetoes", [0, 1, 2])
@pytest.mark.parametrize("below", [2, 6])
def test_seats_given_up_gain_what_the_formula_says(below: int, vetoes: int) -> None:
    chance, trials = Random(1), 2_000
    hits = sum(Draw(chance, below, vetoes).wished() for _ in range(trials))
    assert abs(sigmas(hits, trials, formula(1 / below, vetoes))) < 4


def test_the_formula_by_hand() -> None:
    assert formula(1 / 2, 2) == 7 / 8
    assert formula(1 / 6, 1) == pytest.approx(11 / 36)


def test_links_used_again_would_gain_more_and_are_seen() -> None:
    chance, trials = Random(1), 2_000
    hits = sum(Draw(chance, 6, 2).wished_if_links_are_used_again() for _ in range(trials))
    assert sigmas(hits, trials, formula(1 / 6, 2)) > 4
    assert abs(sigmas(hits, trials, formula(1 / 6, 3))) < 4
