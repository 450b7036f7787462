"""What is said of changes in who plays: who wants what, what can be typed to agree, and what came of it.

Must never say that a change came about before the node has told so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sunward_client.events import Change
from sunward_protocol.games.game import Seat

MARKS = (60, 30, 10)
"""Seconds left to think of which a player is warned."""


@dataclass(frozen=True, slots=True)
class Company:
    """Who is at a table: the names by seat, whose client this is (None: nobody's), and whether there are clocks."""

    names: Sequence[str]
    you: Seat | None
    timed: bool

    def called(self, seats: Sequence[Seat]) -> str:
        """Return the names of these seats."""
        return " and ".join(self.names[seat] for seat in seats)


class Told(NamedTuple):
    """What happened, which a log keeps, and what can be done about it, for whoever reads it as it happens."""

    said: str
    prompt: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


def clocked(seconds: int) -> str:
    """Return a time as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02}"


def policy_told(bank: int, increment: int) -> str:
    """Return what the clocks of a table mean for whoever plays at it."""
    more = f", and {clocked(increment)} more each time they are asked anew" if increment else ""
    return f"Everybody has {clocked(bank)} to think{more}. Whoever has none left is put out: autopilot plays for them."


def claim_told(company: Company, seat: Seat, change: Change) -> Told:
    """Return what a seat wants, and how one agrees."""
    wanted = _wanted(company, change)
    if company.you in change.out and company.timed:
        return Told("Your time is over.", "Act now, or you are put out.")
    if seat != company.you:
        asked = company.you is not None and company.you not in change.out
        return Told(f"{company.names[seat]} wants {wanted}.", "Type yes to agree." if asked else "")
    if change.out and company.timed:
        return Told(f"The time of {company.called(change.out)} is over: your node wants {wanted}.")
    return Told(
        f"You want {wanted}.", "It comes about once the others agree; type wait if you do not want it any more."
    )


def _wanted(company: Company, change: Change) -> str:
    if change.out:
        rest = ", and the match to rest" if change.adjourned else ""
        return f"{company.called(change.out)} put out, so that autopilot plays on for them{rest}"
    if change.rewind is not None:
        return f"step {change.rewind} and all that came after it taken back"
    return "the match to rest until all want to go on" if change.adjourned else "the match to go on"


def change_told(company: Company, change: Change) -> list[Told]:
    """Return what is said of a change that came about."""
    lines = list[Told]()
    for seat in change.out:
        if seat == company.you:
            lines.append(Told("You were put out: autopilot plays for you.", "Type back to play again."))
        else:
            lines.append(Told(f"{company.names[seat]} is put out: autopilot plays for them until they are back."))
    for seat in change.back:
        lines.append(Told("You play again." if seat == company.you else f"{company.names[seat]} plays again."))
    if change.rewind is not None:
        lines.append(Told(f"All agreed: what was played from step {change.rewind} on is taken back."))
    if change.adjourned:
        lines.append(
            Told("All agreed: the match rests.", "Type back to ask the others to go on, or quit: it is saved.")
        )
    return lines or [Told("The match goes on.")]


def away_told(company: Company, seat: Seat) -> Told:
    """Return what is said of somebody who is not heard any more, and what the others can do about it."""
    name = company.names[seat]
    if company.timed:
        return Told(f"{name} is away; their clock runs while the match waits for them.")
    waits = f"{name} is away; the match waits for them."
    if company.you is None:
        return Told(waits)
    if len(company.names) == 2:
        return Told(waits, "You can wait, or quit: the match is saved.")
    word = name[3:].split()[0].lower() if name[3:].split() else "SEAT"
    return Told(
        waits,
        f"You can wait; putout {word} lets autopilot play on for them; adjourn lets the match rest. "
        "The others must agree to either.",
    )


def stalled_told(company: Company, seats: Sequence[Seat], *, here: bool = False) -> Told:
    """Return what is said of a match that too few are left of to put anybody out; `here` if nobody is missed."""
    gone, keeps = company.called(seats), "quit keeps it for then."
    if len(company.names) > 2:
        return Told(f"Too few are here to put {gone} out: the match rests until they are back.", keeps)
    if here and not company.timed:
        return Told("With two players nobody can be put out.")
    left = f"The time of {gone} is over." if company.timed else f"{gone} left."
    if company.you is None:
        return Told(f"{left} That counts as lost, and cannot be proved.")
    return Told(
        f"{left} With two players nobody can be put out; in your own record the match counts as won by you, "
        "which cannot be proved to anybody else. It goes on if they come back.",
        keeps,
    )
