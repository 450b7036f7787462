"""What a liar keeps back, or says so that it is of no use, is owed by it alone: it is shown, charged, and put out."""

from collections.abc import Callable

import pytest

from sunward_protocol.ids import Place
from sunward_protocol.messages import Kind
from sunward_protocol.table.events import Changed, Drawn, Troubled
from support.liar_tables import LiarTable
from support.liars import Attacker
from support.liars_unproved import BlindAcker, Bridge, JunkVoter, LinkForger, Vetoer, Withholder

ALONE: tuple[tuple[int, tuple[Place, ...]], ...] = ((3, (1,)), (5, (1, 3)), (6, (1,)))
ALL_BUT_ONE: tuple[tuple[int, tuple[Place, ...]], ...] = ((2, (1,)), (3, (1, 2)), (4, (0, 1, 2)))

SEED = 3
"""At these tables each of the liars has a secret choice to make."""

OWING: dict[str, tuple[Callable[[], Attacker], Kind]] = {
    "ACT": (lambda: Withholder(Kind.ACT), Kind.ACT),
    "ACK": (lambda: Withholder(Kind.ACK), Kind.ACK),
    "COMMIT": (lambda: Withholder(Kind.COMMIT), Kind.COMMIT),
    "OPEN": (lambda: Withholder(Kind.OPEN), Kind.OPEN),
    "LINK": (lambda: Withholder(Kind.LINK), Kind.LINK),
    "another link": (LinkForger, Kind.LINK),
    "an ACK of what it never saw": (BlindAcker, Kind.ACK),
}


@pytest.mark.parametrize("what", OWING)
@pytest.mark.parametrize(("members", "places"), ALONE)
def test_who_owes_is_put_out_and_the_others_play_on(what: str, members: int, places: tuple[Place, ...]) -> None:
    attack, _ = OWING[what]
    liars = {place: attack() for place in places}
    table = LiarTable(members, liars, random_seed=SEED)
    table.play()
    assert any(liar.lied for liar in liars.values()), "nobody lied: this shows nothing"
    assert table.ended()
    assert len(table.heads()) == 1
    (live,) = table.live()
    owing = {place for place in places if liars[place].lied}
    assert set(live) == set(range(members)) - owing
    assert all(table.convicted(place) is None for place in table.honest), "what is missing proves nothing"


@pytest.mark.parametrize("what", OWING)
@pytest.mark.parametrize(("members", "places"), ALL_BUT_ONE)
def test_where_too_few_are_left_it_is_shown_who_owes_what(what: str, members: int, places: tuple[Place, ...]) -> None:
    attack, kind = OWING[what]
    liars = {place: attack() for place in places}
    table = LiarTable(members, liars)
    table.play(60)
    (honest,) = table.honest
    assert table.convicted(honest) is None
    if table.ended():  # one of them put the other out
        (live,) = table.live()
        assert honest in live
        return
    owed = table.owed(honest)
    assert owed
    assert set(owed.items()) <= {(place, kind) for place in places}


@pytest.mark.parametrize(
    "attack", [*(lambda kind=kind: Withholder(kind) for kind in (Kind.CLAIM, Kind.VOTE, Kind.EPOCH)), JunkVoter]
)
@pytest.mark.parametrize("members", [5, 6])
def test_who_spoils_a_change_is_put_out_with_the_one_who_is_gone(attack: Callable[[], Attacker], members: int) -> None:
    liar = attack()
    table = LiarTable(members, {1: liar}, gone=0)
    table.play(200)
    assert liar.lied
    assert table.ended()
    assert len(table.heads()) == 1
    assert table.live() == {tuple(table.honest)}


def test_a_link_that_is_kept_back_vetoes_one_draw_and_counts_never_again() -> None:
    for members, places in ((3, (1,)), (5, (1, 3))):
        liars = {place: Vetoer() for place in places}
        table = LiarTable(members, liars, turns=b"40")
        table.delay_between(lambda sender, receiver: False, 0.0, 0.3)
        table.play(300)
        assert table.ended()
        (live,) = table.live()
        assert set(live) == set(range(members)), "they came back"
        for place in table.honest:
            steps = table.world.replica(place).steps
            assert steps.settled.barred == set(places)
            changes = [changed.change for changed in table.world.told(place, Changed)]
            assert sum(change.out.bit_count() for change in changes) == len(places), "out once: it gains nothing again"
            assert sum(len(change.back) for change in changes) == len(places)
            draws = table.world.told(place, Drawn)
            assert len({drawn.step for drawn in draws}) == len(draws), "no draw was made twice for all to see"
            assert table.world.told(place, Troubled) == []


@pytest.mark.parametrize("members", [3, 4, 5])
@pytest.mark.parametrize("seconds", [5.0, 60.0])
def test_who_stands_between_the_others_and_passes_nothing_on_forks_nothing(members: int, seconds: float) -> None:
    table = LiarTable(members, {1: Bridge()})
    table.delay_between(lambda sender, receiver: 1 not in (sender, receiver), seconds)
    table.play()
    assert table.ended()
    assert len(table.heads()) == 1
    assert all(table.convicted(place) is None for place in table.honest)
    if seconds < 8.0 or members > 3:  # three are two for the bridge and either of the others
        assert table.live() == {tuple(range(members))}
