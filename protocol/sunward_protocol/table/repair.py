"""The only repair there is: everybody says how far they are, and whoever has what is missing sends it.

Must never take a state from a peer: what comes are entries and frames, and they are replayed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, is_signed, seal
from sunward_protocol.errors import Forged
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.ledger import Ledger, Move
from sunward_protocol.log import extend, last_of_each, parse_entry
from sunward_protocol.messages import BODIES, Kind, Status, Sync
from sunward_protocol.table.steps import Steps


class _News(NamedTuple):
    """What one entry brought."""

    ledger: Ledger
    encoded: bytes
    moves: tuple[Move, ...]
    drawn: Digest | None
    frames: list[Frame]


def report(steps: Steps, linked: int, listening: tuple[tuple[str, ...], ...]) -> Frame:
    """Return the STATUS of this replica."""
    masks = dict[tuple[Step, int], int]()
    for address in steps.slots:
        if address.step <= steps.settled.step + limits.LEAD:  # our journal may be far ahead of our log
            key = (address.step, address.kind.value)
            masks[key] = masks.get(key, 0) | 1 << address.place
    holds = tuple((step, kind, mask) for (step, kind), mask in sorted(masks.items()))
    settled = steps.settled
    return seal(
        Kind.STATUS,
        Status(holds, linked, listening),
        settled.match,
        epoch=settled.epoch,
        step=settled.step,
        place=steps.own.place,
        head=settled.head,
    )


def missing(steps: Steps, place: Place, step: Step, status: Status) -> list[bytes]:
    """Return the frames that a place which stands at `step`, as far as we do, and holds what `status` says still needs.

    Whoever signed for another step than ours is sent its bodies too: if they are not theirs, somebody signed both.
    """
    held = {(at, kind): mask for at, kind, mask in status.holds}
    return [
        frame.raw
        for address, frame in sorted(steps.slots.items())
        if step <= address.step <= step + limits.LEAD
        and (
            not held.get((address.step, address.kind.value), 0) >> address.place & 1
            or (address.kind in BODIES and steps.disputes.disputed(address.step, place))
        )
    ]


def history(steps: Steps, step: Step) -> tuple[list[bytes], Step]:
    """Return SYNC frames with the entries from `step` on, as many as are sent at once, and the step they lead up to.

    Each begins with the last entries of the one before: what locks them may only come in the next.
    """
    frames, total = list[bytes](), 0
    while step < len(steps.entries) and total < limits.SYNC_WINDOW:
        batch, size = list[bytes](), 0
        for entry in steps.entries[step:]:
            if batch and size + len(entry) > limits.SYNC_FILL:
                break
            batch.append(entry)
            size += len(entry)
        frames.append(seal(Kind.SYNC, Sync(tuple(batch)), steps.settled.match, place=steps.own.place).raw)
        total += size
        step += len(batch)
        if step < len(steps.entries):
            step -= min(limits.LEAD, len(batch) // 2)
    return frames, step


def absorb(steps: Steps, entries: Sequence[bytes], signatures: Signatures, *, own: bool = False) -> list[Frame]:
    """Replay entries from a peer, or from our own disk, and go on from the last that is locked.

    The chain of every entry is checked, and of each place its last signature, which covers the ones before it; of a few
    entries every signature, so that nobody can hurry a step with a bad one into a log that is up to date. Returns the
    frames of the entries whose lock is not proved by what came: on our own disk there are none, since nothing is
    written there before its lock. Raises `RemoteError` and changes nothing if any of it does not hold.
    """
    ledger: Ledger = steps.settled.copy()
    news = list[_News]()
    for encoded in entries:
        entry = parse_entry(encoded)
        if entry.step < ledger.step:
            continue
        if entry.step > ledger.step:
            break
        attempts = ledger.attempts
        frames = extend(ledger, entry)
        drawn = ledger.randomness if ledger.attempts > attempts else None
        news.append(_News(ledger.copy(), encoded, ledger.moves, drawn, frames))
    frames = [frame for each in news for frame in each.frames]
    for frame in frames if len(news) <= limits.SYNC_CLOSE else last_of_each(frames).values():
        if not is_signed(frame, ledger.genesis.members[frame.place].session, signatures):
            raise Forged(f"The log that came has a signature of place {frame.place} that does not hold.")
    locked = [each for each in news if own or each.ledger.step - 1 <= ledger.locked]
    for each in locked:
        steps.settle(each.ledger, each.encoded, each.moves, each.drawn)
    if locked:
        steps.adopt(locked[-1].ledger)
    return [frame for each in news[len(locked) :] for frame in each.frames]
