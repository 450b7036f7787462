"""The only repair there is: everybody says how far they are, and whoever has what is missing sends it.

Must never take a state from a peer: what comes are entries and frames, and they are replayed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, Slot, open_frame, seal
from sunward_protocol.errors import RemoteError, Unsigned
from sunward_protocol.identity import SIGNATURE_SIZE, Signatures
from sunward_protocol.ids import Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import Entry, extend, last_of_each, parse_entry, standing
from sunward_protocol.messages import BODIES, CHANGES, EpochBody, Kind, Status, Sync
from sunward_protocol.table.steps import News, Steps


def report(
    steps: Steps,
    changes: Mapping[Slot, Frame],
    linked: int,
    listening: tuple[tuple[str, ...], ...],
    back: int = 0,
) -> Frame:
    """Return the STATUS of this replica, which holds `changes` beside the frames of its steps.

    It asks for history from `back` steps before the end of our log on.
    """
    masks = dict[tuple[int, int], int]()
    for slot in (*steps.slots, *changes):
        if (
            slot.kind in CHANGES or slot.step <= steps.settled.step + limits.LEAD
        ):  # a journal may be far ahead of its log
            key = (_number(slot), slot.kind.value)
            masks[key] = masks.get(key, 0) | 1 << slot.place
    holds = tuple((step, kind, mask) for (step, kind), mask in sorted(masks.items()))
    settled = steps.settled
    return seal(
        Kind.STATUS,
        Status(holds, linked, listening),
        settled.match,
        epoch=steps.tip.epoch,
        step=max(0, settled.step - back),
        place=steps.own.place,
        head=settled.head,
    )


def _number(slot: Slot) -> int:
    """What tells frames of one kind and place apart in a STATUS: of votes and new epochs there is one an epoch."""
    return slot.epoch if slot.kind in (Kind.VOTE, Kind.EPOCH) else slot.step


def missing(steps: Steps, changes: Mapping[Slot, Frame], sender: Frame, status: Status) -> list[bytes]:
    """Return the frames that the sender of a STATUS still needs, standing where it says and holding what it says.

    Whoever signed for another step than ours is sent its bodies too: if they are not theirs, somebody signed both.
    """
    held = {(number, kind): mask for number, kind, mask in status.holds}
    under_way = [
        (slot, frame)
        for slot, frame in steps.slots.items()
        if slot.epoch == sender.epoch and sender.step <= slot.step <= sender.step + limits.LEAD
    ]
    return [
        frame.raw
        for slot, frame in sorted((*under_way, *changes.items()))
        if not held.get((_number(slot), slot.kind.value), 0) >> slot.place & 1
        or (slot.kind in BODIES and steps.disputes.disputed(slot.step, sender.place))
    ]


def history(steps: Steps, step: Step) -> tuple[list[bytes], Step]:
    """Return SYNC frames with the entries from `step` on, as many as are sent at once, and the step they lead up to.

    Each begins with the last entries of the one before: what locks them may only come in the next.
    """
    frames, total = list[bytes](), 0
    entries = (*steps.entries, *steps.opening())
    while step < len(entries) and total < limits.SYNC_WINDOW:
        batch, size = list[bytes](), 0
        for entry in entries[step:]:
            if batch and size + len(entry) > limits.SYNC_FILL:
                break
            batch.append(entry)
            size += len(entry)
        frames.append(seal(Kind.SYNC, Sync(tuple(batch)), steps.settled.match, place=steps.own.place).raw)
        total += size
        step += len(batch)
        if step < len(entries):
            step -= min(limits.LEAD, len(batch) // 2)
    return frames, step


def follow(steps: Steps, entries: Iterable[Entry]) -> list[News]:
    """Replay entries that go on from the log, and return what each brought, signatures not yet believed.

    What the log has already is skipped; its last step may be replaced (see `_turnings`), and is the first news then.
    Raises `RemoteError` for entries that do not follow; stops at a gap.
    """
    entries = tuple(entries)
    refusal: RemoteError | None = None
    for before, ledger in _turnings(steps, entries):
        try:
            return [*before, *go_on(ledger, entries)]
        except RemoteError as error:
            refusal = error
    assert refusal is not None
    raise refusal


def _turnings(steps: Steps, entries: Sequence[Entry]) -> Iterator[tuple[list[News], Ledger]]:
    """Yield where entries may go on: at the end of the log, or before what of it a new epoch can undo.

    That is its last draw, if none of the voters had seen it; or a beginning of an epoch that has nothing but beginnings
    behind it. What leads to a lower epoch than ours undoes nothing.
    """
    settled, number = steps.settled, parting(steps, entries)
    if number is not None and any(entry.epoch > settled.epoch for entry in entries):
        step = entries[number].step
        if steps.past.before(step) is not None and all(begins(parse_entry(ours)) for ours in steps.entries[step:]):
            yield [], replayed(steps, step)
            if number and steps.past.before(step - 1) is not None:  # what a beginning locked has its own lock there
                yield [], replayed(steps, step - 1)
    yield [], settled
    if any(entry.epoch > settled.epoch and entry.step == settled.step for entry in entries):
        before = undrawn(steps)
        if before is not None:
            yield [before], before.ledger


def parting(steps: Steps, entries: Sequence[Entry]) -> int | None:
    """Return the number of the first entry that is another than in our log; None where there is none in both."""
    for number, entry in enumerate(entries):
        if entry.step >= len(steps.entries):
            return None
        if _made_of(entry) != _made_of(parse_entry(steps.entries[entry.step])):
            return number
    return None


def _made_of(entry: Entry) -> object:
    said = [raw[SIGNATURE_SIZE:] for raw in entry.bodies]  # whoever signs the same once more says nothing else
    return entry.epoch, said, entry.links  # of ACKs some hold more than others


def begins(entry: Entry) -> bool:
    """Whether an entry is the beginning of an epoch."""
    return bool(entry.bodies) and open_frame(entry.bodies[0]).kind is Kind.EPOCH


def go_on(ledger: Ledger, entries: Iterable[Entry]) -> list[News]:
    """Return what entries bring from a ledger on, signatures not yet believed; stops at a gap, or raises."""
    ledger, news = ledger.copy(), list[News]()
    for entry in entries:
        if entry.step < ledger.step:
            continue
        if entry.step > ledger.step:
            break
        before = ledger.copy()
        frames, signed = extend(ledger, entry)
        drawn = ledger.randomness if entry.links else None
        news.append(News(before, ledger.copy(), entry, ledger.moves, drawn, frames, signed))
    return news


def are_signed(news: Iterable[News], signatures: Signatures) -> bool:
    """Whether every signature holds that entries brought."""
    return all(signatures.hold(*signed) for each in news for signed in each.signed)


def undrawn(steps: Steps) -> News | None:
    """Return the last step of the log without its draw: a new epoch makes it anew if none of its voters saw it."""
    if not steps.entries or not (last := parse_entry(steps.entries[-1])).links:
        return None
    before = steps.past.before(last.step)  # None where a draw behind it is to be made anew: this one is final
    return None if before is None else go_on(before, [last._replace(links=())])[0]


def replayed(steps: Steps, step: Step) -> Ledger:
    """Return the ledger before a step of the log; to replay all takes long, and nobody should have us do it often."""
    if (before := steps.past.before(step)) is not None:
        return before
    ledger = Ledger(steps.settled.genesis, steps.settled.ruleset)
    for encoded in steps.entries[:step]:
        extend(ledger, parse_entry(encoded))
    return ledger


def begin_again(steps: Steps, lent: Sequence[Frame], signatures: Signatures) -> None:
    """Begin the epoch again in which we showed a link before we were stopped, from what others lent to our journal.

    It was locked, or we had not shown it; and the others may all have been stopped as well. Those that it follows may
    not be in our log either.
    """
    epoch, held, begun = steps.journal.spent_in, (*lent, *steps.journal.of_changes()), list[bytes]()
    while epoch > steps.tip.epoch:
        said = {at.place: (at, at.payload) for at in held if at.epoch == epoch and isinstance(at.payload, EpochBody)}
        if not said:
            return
        first, body = said[min(said)]  # of a place one: whoever signs the same once more says nothing else
        begun.insert(0, Entry(epoch, first.step, tuple(said[place][0].raw for place in sorted(said)), (), ()).encode())
        epoch = body.since
    if not begun:
        return
    absorb(steps, (*steps.unlocked.entries(), *begun), signatures)
    for frame in held:
        if frame.kind is Kind.ACK and frame.epoch == steps.tip.epoch == steps.journal.spent_in:
            steps.receive(frame, frame.place)
    steps.advance()


def absorb(steps: Steps, entries: Sequence[bytes], signatures: Signatures, *, own: bool = False) -> list[Frame]:
    """Replay entries from a peer, or from our own disk, and go on from the last that is locked.

    The chain of every entry is checked and every signature, so that nobody can have us write one that does not hold; on
    our own disk of each key the last, which covers the ones before it. Returns the frames of the entries whose lock is
    not proved by what came: on our own disk there are none, since nothing is written there before its lock. Raises
    `RemoteError` and changes nothing if any of it does not hold.
    """
    news = follow(steps, standing(map(parse_entry, entries)))
    if not news:
        return []
    signed = [each for one in news for each in one.signed]
    if not all(signatures.hold(*each) for each in (last_of_each(signed) if own else signed)):
        raise Unsigned("The log that came has a signature that does not hold.")
    begins = news[-1] if news[-1].ledger.changed is not None else None
    last = news[-1].ledger
    if last.epoch < steps.tip.epoch:  # we began a later one, which undoes it: if that is given up, it comes again
        return []
    if begins and last.unlocked_gate and not own:  # it locks what was before it, and waits for its own lock or links
        if steps.may_begin(last):
            bodies = begins.frames[: len(begins.entry.bodies)]
            steps.begin_epoch(news[:-1], begins.before, bodies)
            return begins.frames[len(bodies) :]
        return []
    proved = [own or each.ledger.step - 1 <= last.locked for each in news]
    locked = [each for each, so in zip(news, proved, strict=True) if so]
    while locked and not own and locked[-1].ledger.unlocked_gate:  # only a new epoch can follow: it is not there yet
        locked.pop()
    torn = own and last.unlocked_gate
    for each in locked:
        steps.settle(each.ledger, each.entry, each.moves, each.drawn)
    steps.past.torn = torn
    if locked:
        steps.adopt(locked[-1].ledger)
    return [frame for each in news[len(locked) :] for frame in each.frames]
