"""Tables at which liars of different sorts lie at once: whatever they do to each other, nobody honest is harmed.

`SUNWARD_LIARS=2000 ./run test tests/simulation/test_liars_mixed.py` tries so many tables instead of a few.
"""

import os
from collections.abc import Callable
from random import Random

import pytest

from sunward_protocol.messages import Kind
from support.liar_tables import LiarTable
from support.liars import (
    Attacker,
    Concealer,
    CopyCat,
    DoubleCommitter,
    EpochChanger,
    Equivocator,
    FalseOpener,
    MisCounter,
    Outlaw,
    StateForger,
    TwoEpochs,
    TwoVoter,
)
from support.liars_doubled import Reloader
from support.liars_unproved import (
    BlindAcker,
    Bridge,
    FalseClaimer,
    ForgingHistorian,
    Impostor,
    JunkVoter,
    LinkForger,
    Replayer,
    Restless,
    Vetoer,
    Withholder,
)

TABLES = int(os.environ.get("SUNWARD_LIARS", "24"))
BATCH = 6
ATTACKS: tuple[Callable[[], Attacker], ...] = (
    Outlaw,
    MisCounter,
    StateForger,
    Equivocator,
    DoubleCommitter,
    FalseOpener,
    CopyCat,
    TwoVoter,
    Concealer,
    EpochChanger,
    TwoEpochs,
    Impostor,
    Replayer,
    ForgingHistorian,
    LinkForger,
    BlindAcker,
    JunkVoter,
    Vetoer,
    Bridge,
    Restless,
    lambda: Reloader(seen=False),
    lambda: Reloader(seen=True),
    lambda: FalseClaimer(0),
    lambda: Withholder(Kind.ACK, only=0),
    *(
        lambda kind=kind: Withholder(kind)
        for kind in (Kind.ACT, Kind.ACK, Kind.LINK, Kind.COMMIT, Kind.OPEN, Kind.CLAIM, Kind.VOTE, Kind.EPOCH)
    ),
)


def lie(random_seed: int) -> str:
    """Play the table of a seed; return what is wrong with it, "" for nothing."""
    chance = Random(random_seed)
    members = chance.choice((3, 4, 5, 6))
    places = chance.sample(range(members), chance.randrange(1, members))
    honest = [place for place in range(members) if place not in places]
    table = LiarTable(
        members,
        {place: chance.choice(ATTACKS)() for place in places},
        gone=chance.choice(honest) if len(honest) > 1 and chance.random() < 0.3 else None,
        turns=b"8",
        random_seed=random_seed,
    )
    table.delay_between(lambda sender, receiver: False, 0.0, chance.choice((0.001, 0.005, 0.05, 0.2)))
    table.play(250.0)
    if 2 * len(table.honest) <= members:
        return ""  # nobody promised that they come to an end
    if not table.ended():
        return f"they stand at {[table.world.replica(place).steps.settled.step for place in table.honest]}"
    if len(table.heads()) > 1:
        return "they ended in different ways"
    return "" if all(set(table.honest) <= set(live) for live in table.live()) else "somebody honest was put out"


@pytest.mark.parametrize("batch", range(-(-TABLES // BATCH)))
def test_liars_of_all_sorts_together_harm_nobody(batch: int) -> None:
    wrong = {seed: why for seed in range(batch * BATCH, (batch + 1) * BATCH) if (why := lie(seed))}
    assert wrong == {}
