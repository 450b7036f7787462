"""What a client at the local socket asks of a match, as events for its replica.

Must never carry out anything.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias, cast

from sunward_protocol import limits
from sunward_protocol.errors import LocalError
from sunward_protocol.ids import Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.table.events import Chosen, Event, Offered, Spoke, Wanted
from sunward_protocol.table.replica import Replica

Request: TypeAlias = Mapping[str, object]
"""One JSON object of a client's; `do` says what it wants."""


class CannotAsk(LocalError):
    """What a player may want, but not here and now; the text says why."""

    code: ClassVar[str] = "request"


def event_of(request: Request, replica: Replica) -> Event | None:
    """Return what a request means for a replica, None if it means nothing; raise `CannotAsk` for what cannot be."""
    meant = _MEANT.get(str(request.get("do")))
    return None if meant is None else meant(request, replica)


def check_return(ledger: Ledger, own: Place) -> None:
    """Raise `CannotAsk` where no other person could come back, since those who stay are too few to put them out."""
    members, everybody = ledger.genesis.members, range(ledger.members)
    people = [place for place in everybody if place != own and members[place].owner == members[place].identity]
    if not people:
        raise CannotAsk("Nobody could come back: all others at this table are bots.")
    left = [ledger.weight(place for place in everybody if place != gone) for gone in people]
    if 2 * max(left) <= ledger.weight(everybody):
        raise CannotAsk("Nobody could come back: too few play here to put anybody out, so a lost seat stays lost.")


def is_sayable(text: str) -> bool:
    """Whether a text may be said: some printable characters, not too many."""
    return 0 < len(text) <= limits.SAYING_MOST and text.isprintable()


def _integers(value: object) -> tuple[int, ...] | None:
    """Return a list of whole numbers, or None if it is anything else."""
    if not isinstance(value, list):
        return None
    items = cast("Sequence[object]", value)
    found = tuple(item for item in items if type(item) is int)
    return found if len(found) == len(items) else None


def _act(request: Request, _: Replica) -> Event | None:
    actions, step = _integers(request.get("actions")), request.get("step")
    return Chosen(step, actions) if isinstance(step, int) and actions is not None else None


def _say(request: Request, _: Replica) -> Event | None:
    text = request.get("text")
    return Spoke(text) if isinstance(text, str) and is_sayable(text) else None


def _offer(request: Request, _: Replica) -> Event | None:
    invite = request.get("invite")
    return Offered(invite) if isinstance(invite, str) else None


def _put_out(request: Request, replica: Replica) -> Event | None:
    seats, ledger = _integers(request.get("seats")), replica.steps.settled
    if seats is None or not set(seats) <= set(range(ledger.members)):
        return None
    if not ledger.place_of:
        raise CannotAsk("Nobody has a seat yet: it takes everybody to draw them.")
    out = {ledger.place_of[seat] for seat in seats}
    if replica.steps.own.place in out:
        raise CannotAsk("Nobody puts themselves out: quit leaves the table, and the others decide how to go on.")
    return Wanted(out=sum(1 << place for place in out))


def _take_back(request: Request, replica: Replica) -> Event | None:
    """Without a step, from our own last action on."""
    steps = replica.steps
    may = [step for step, _ in steps.tip.undo]
    asked = request.get("step")
    if asked is None:
        seat = steps.tip.seat_of(steps.own.place)
        own = [step for step, before in steps.tip.undo if seat in before.to_act()]
        if not own:
            raise CannotAsk("Nothing of yours can be taken back: you did not act since something was drawn or shown.")
        return Wanted(rewind=own[-1])
    if not isinstance(asked, int):
        return None
    if asked not in may:
        raise CannotAsk(f"Step {asked} cannot be taken back: {_which(may)}.")
    return Wanted(rewind=asked)


def _which(steps: Sequence[Step]) -> str:
    """Say which steps may be taken back."""
    if not steps:
        return "something was drawn or shown since, and nothing was played after that"
    return f"those from {steps[0]} to {steps[-1]} can"


_MEANT: Mapping[str, Callable[[Request, Replica], Event | None]] = {
    "act": _act,
    "say": _say,
    "offer": _offer,
    "putout": _put_out,
    "takeback": _take_back,
    "adjourn": lambda _, __: Wanted(adjourn=True),
    "back": lambda _, __: Wanted(back=True),
    "wait": lambda _, __: Wanted(),
}
