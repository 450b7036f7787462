"""What convicts a place from its own signatures: the same judgement at the table as from a file.

Must never convict by anything that a place did not sign, nor by what is missing; signatures are the caller's to check.
"""

from collections.abc import Iterator, Sequence

from sunward_protocol.envelope import Frame
from sunward_protocol.errors import RemoteError
from sunward_protocol.ledger import Cheat, Ledger
from sunward_protocol.log import is_ack
from sunward_protocol.messages import BODIES, EpochBody, Kind, Vote

CONVICTING = (*BODIES, Kind.ACK, Kind.VOTE, Kind.EPOCH)
"""The kinds of which a place signs one body only for a slot."""


def contradiction(frames: Sequence[Frame]) -> Cheat | None:
    """Return the cheat that two frames of one place prove whatever the match is like, or None.

    They are different bodies for one slot; or a vote, second, that leaves out what its voter had signed for, or signed
    for afterwards; or a vote or the beginning of an epoch, second, that goes past one in which it played.
    """
    if len(frames) != 2 or frames[0].place != frames[1].place or any(each.kind not in CONVICTING for each in frames):
        return None
    one, other = frames
    if one.slot == other.slot and one.body != other.body:
        step = max(0, one.payload.step - 1) if isinstance(one.payload, Vote) else one.step
        return Cheat(one.place, step, f"Signed two different {one.kind.name} messages for step {step}.")
    vote = other.payload
    if isinstance(vote, Vote | EpochBody) and vote.since < one.epoch < other.epoch and one.kind in BODIES:
        return Cheat(one.place, one.step, f"Played in epoch {one.epoch}, and left it out of the way to {other.epoch}.")
    if isinstance(vote, Vote) and one.epoch == vote.since and covers(one) >= vote.step:
        return Cheat(one.place, one.step, f"Voted as if it had not signed for step {covers(one)}.")
    return None


def covers(frame: Frame) -> int:
    """Return the last step that a body or an ACK signs for, -1 for another frame."""
    if frame.kind in (Kind.ACK, Kind.ACT):
        return frame.step
    return frame.step - 1 if frame.kind in BODIES else -1


def trial(ledger: Ledger, bodies: Sequence[Frame], accused: Frame) -> Iterator[Cheat]:
    """Make the next step of `bodies`, if they are what is due: do they break the rules, or does `accused` deny it?"""
    after = ledger.copy()
    try:
        after.perform(bodies)
    except Cheat as cheat:
        yield cheat
    except RemoteError:
        return
    else:
        yield from wrong_state(after, accused)


def wrong_state(ledger: Ledger, frame: Frame) -> Iterator[Cheat]:
    """Whoever signed for our head but for another state has a replica that breaks a rule."""
    signed_for = dict([ledger.outcome, (ledger.head, ledger.state)])  # before the step's draws, and after them
    step = ledger.step - 1
    if is_ack(frame, step) and frame.head in signed_for and frame.payload[0] != signed_for[frame.head]:
        yield Cheat(frame.place, step, f"Signed for a wrong state after step {step}.")
