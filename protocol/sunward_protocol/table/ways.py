"""Where the votes for an epoch lead: to the furthest step that any voter may have signed for.

Must never follow a vote whose signatures were not checked, nor leave what somebody honest may have seen locked.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from sunward_protocol.envelope import Frame
from sunward_protocol.errors import RemoteError
from sunward_protocol.evidence import contradiction
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import Digest, Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import Vote
from sunward_protocol.table.repair import are_signed, follow, undrawn
from sunward_protocol.table.steps import News, Steps

Cast: TypeAlias = Sequence[tuple[Frame, Vote]]
"""The votes for one epoch and one change, one of each voter."""
Ways: TypeAlias = Mapping[Place, list[News]]
"""What each voter who stands beyond our log tells of it."""


def ways(steps: Steps, cast: Cast, signatures: Signatures) -> tuple[Ways, set[Place]]:
    """Return what the votes tell beyond our log, and whose vote does not lead to where it says."""
    lead, unfounded = dict[Place, list[News]](), set[Place]()
    for frame, vote in cast:
        if vote.step > steps.settled.step:
            way = _way(steps, frame, vote, signatures)
            if way is None:
                unfounded.add(frame.place)
            else:
                lead[frame.place] = way
    return lead, unfounded


def _way(steps: Steps, frame: Frame, vote: Vote, signatures: Signatures) -> list[News] | None:
    """Return what a vote tells beyond our log, None if it does not lead to where its voter says that it stands."""
    try:
        way = follow(steps, map(parse_entry, vote.entries))
    except RemoteError:
        return None
    end = way[-1].ledger if way else None
    if end is None or (end.step, end.head, end.epoch) != (vote.step, frame.head, vote.since):
        return None
    if not are_signed(way, signatures):
        return None
    for told in [frame for each in way for frame in each.frames]:
        known = steps.slots.get(told.slot)
        cheat = contradiction([known, told]) if known else None
        if known and cheat:
            steps.disputes.convict(cheat, [known, told])
    return way


def turning(steps: Steps, lead: Ways, cast: Cast) -> tuple[list[News], Ledger] | None:
    """Return what leads from our log to where the epoch begins, and the ledger there; None if that is not known yet.

    Where votes lead different ways, which they do only if somebody signed two bodies for one step, the way goes that
    more of them tell of: what is locked, all who are honest tell of.
    """
    settled, told = steps.settled, dict[Digest, set[Place]]()
    for place, way in lead.items():
        for each in way:
            told.setdefault(each.ledger.outcome[0], set()).add(place)
    if lead:
        backed = {head: settled.weight(places) for head, places in told.items()}
        best = max(lead.values(), key=lambda way: [(backed[each.ledger.outcome[0]], each.ledger.head) for each in way])
        return (best, best[-1].ledger) if _may_follow(steps, best, backed, [frame.place for frame, _ in cast]) else None
    if any((vote.step, frame.head) == (settled.step, settled.head) for frame, vote in cast):
        return [], settled
    before = undrawn(steps)
    return None if before is None else ([before], before.ledger)


def shown(ledger: Ledger, lead: Ways, cast: Cast) -> bool:
    """Whether links may be known for the draw that is pending where an epoch begins.

    A voter who says to have shown its link is believed if its vote, or our log, proves the lock: it shows none before.
    """

    def saw_the_lock(place: Place) -> bool:
        theirs = lead[place][-1].ledger if place in lead else None
        return not lead or (theirs is not None and theirs.head == ledger.head and theirs.locked >= ledger.step - 1)

    return ledger.drawing and any(vote.spent > ledger.attempts and saw_the_lock(frame.place) for frame, vote in cast)


def _may_follow(steps: Steps, way: Iterable[News], backed: Mapping[Digest, int], voters: Sequence[Place]) -> bool:
    """Whether we may leave what we signed for: only if somebody honest tells of the other way.

    With q of the n owners voting, fewer than 2q - n liars are promised to be harmless; so many must tell of it.
    """
    leaves, tip = parted(steps, way), steps.tip
    least = 2 * tip.weight(voters) - tip.weight(range(tip.members))
    return not leaves or backed[leaves[0]] >= least


def parted(steps: Steps, way: Iterable[News]) -> list[Digest]:
    """Return the heads of a way where it is another than what we performed and did not see locked."""
    other = {each.entry.step: each.ledger.outcome[0] for each in way}
    return [other[step] for step, head in steps.unlocked.heads() if step in other and other[step] != head]
