"""Who keeps the table waiting, and by what."""

from sunward_protocol.envelope import Slot
from sunward_protocol.ids import Place
from sunward_protocol.messages import Kind
from sunward_protocol.table.steps import Steps


def lacking(steps: Steps) -> set[Place]:
    """Return whose links are missing for a draw for which ours was shown already: what comes of it may be known."""
    tip = steps.tip
    if not tip.drawing or steps.journal.spent <= tip.attempts:
        return set()
    return _linking(steps) - {steps.own.place}


def owing(steps: Steps) -> dict[Place, Kind]:
    """Return who keeps the table waiting, ours among them, and by what."""
    tip, waiting = steps.tip, steps.unlocked.steps
    if not waiting and (tip.resting or tip.closed):
        return {}
    if waiting and (tip.gated or len(waiting) == tip.members):
        unsaid = steps.unlocked.lacks(waiting[-1 if tip.gated else 0])
        if unsaid:
            return dict.fromkeys(unsaid, Kind.ACK)
    if tip.drawing:
        return dict.fromkeys(_linking(steps), Kind.LINK)
    due = tip.due()
    disputed, convicted = steps.disputes.disputed, steps.disputes.convicted
    return {
        place: due.kind
        for place in due.places
        if due.kind
        and (
            Slot(tip.epoch, tip.step, due.kind, place) not in steps.slots
            or disputed(tip.step - 1, place)
            or convicted >> place & 1
        )
    }


def _linking(steps: Steps) -> set[Place]:
    """Return whose links the draw under way lacks."""
    tip = steps.tip
    return {place for place in tip.linking if Slot(tip.epoch, tip.step - 1, Kind.LINK, place) not in steps.slots}
