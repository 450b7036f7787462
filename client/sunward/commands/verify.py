"""`sunward verify`: a match file checked from its first byte to its last, and what it proves.

Must never leave a signature unchecked: that a later one covers it is enough for resync, not for a verdict.
"""

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import NamedTuple, Protocol

from sunward.exits import Exit
from sunward.matchfile import find_match, read_match
from sunward_client.chance import chance
from sunward_protocol.audit import MatchFile, Report, audit
from sunward_protocol.errors import DamagedFile
from sunward_protocol.fairness import drawn, weigh
from sunward_protocol.games.game import Seat
from sunward_protocol.identity import Ed25519Signatures, Signed
from sunward_protocol.ids import Place, Step
from sunward_protocol.messages import Kind

EXITS: Mapping[str, Exit] = {
    "complete": Exit.OK,
    "unfinished": Exit.UNFINISHED,
    "cheat": Exit.CHEAT,
    "damaged": Exit.DAMAGED,
}

REPLAYED = ("complete", "unfinished")
"""Verdicts on a match whose every step follows from the one before."""

CHUNK = 64
"""Claims that a thread is given at a time: some 7 ms of work, so that no core is left waiting for the last one."""


class Options(Protocol):
    """The command's flags."""

    match: str
    json: bool


class Verdict(NamedTuple):
    """What --json prints."""

    verdict: str
    step: Step | None
    seat: Seat | None
    reason: str
    winners: tuple[Seat, ...]
    chance: Mapping[str, object] | None
    """The statistics of the draws, `fairness.Fairness`; None for a match that cannot be replayed to its end."""


def run(options: Options) -> int:
    """Print the verdict on a match file."""
    path = find_match(options.match)
    try:
        match, torn = read_match(path)
    except DamagedFile as error:
        # no step of it can be believed, so none is named
        verdict = Verdict("damaged", None, None, str(error), (), None)
        said = [f"Damaged. {error}"]
    else:
        report = audit(match, Ed25519Signatures(), check_all, torn)
        if report.verdict == "unfinished":
            report = replace(report, reason=f"{waits_for(match)}{_TORN if torn else ''}")
        members = match.genesis.members
        said = [sentence(report, [members[place].name for place in match.ledger.place_of or range(len(members))])]
        fairness = weigh(drawn(match)) if report.verdict in REPLAYED else None
        if fairness is not None:
            said += chance(fairness)
        told = None if fairness is None else asdict(fairness)
        verdict = Verdict(report.verdict, report.step, report.seat, report.reason, report.winners, told)
    print(json.dumps(verdict._asdict()) if options.json else "\n".join(said))
    return EXITS[verdict.verdict]


def waits_for(match: MatchFile) -> str:
    """Return what the match of a file that was replayed waits for, and from whom."""
    ledger = match.ledger
    if ledger.resting:
        return "It is adjourned by agreement: it goes on once all who play say so."
    out = [place for place in range(ledger.members) if place not in ledger.live]
    if ledger.step == 0:
        owed, what = ledger.live, "the word that it begins"
    elif ledger.drawing:
        owed, what = ledger.linking, "a link for the draw"
    else:
        due = ledger.due()
        owed, what = due.places or ledger.live, "an ACK" if due.kind is None else _OWED[due.kind]
    said = f"It is not over: {_names(match, owed)} owe{'s' * (len(owed) == 1)} {what}."
    return f"{said} On autopilot: {_names(match, out)}." if out else said


_OWED: Mapping[Kind, str] = {Kind.ACT: "an action", Kind.COMMIT: "a sealed choice", Kind.OPEN: "an opened choice"}
"""What the bodies of a step are to a reader."""

_TORN = " The file ends inside a record, as after a crash or a partial copy; all before that is sound."


def _names(match: MatchFile, places: Sequence[Place]) -> str:
    return ", ".join(match.genesis.members[place].name for place in places)


def check_all(claims: Sequence[Signed]) -> int | None:
    """Return the index of the first claim that does not hold, or None; on every core, as OpenSSL lets the GIL go."""
    signatures = Ed25519Signatures()

    def bad(first: int) -> int | None:
        chunk = enumerate(claims[first : first + CHUNK], first)
        return next((index for index, claim in chunk if not signatures.hold(*claim)), None)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return next((index for index in threads.map(bad, range(0, len(claims), CHUNK)) if index is not None), None)


def sentence(report: Report, names: Sequence[str]) -> str:
    """Return a verdict in words; `names` are by seat."""
    where = f"{report.verdict.capitalize()} at step {report.step}"
    if report.winners:
        where += f", won by {' and '.join(names[seat] for seat in report.winners)}"
    if report.seat is not None:
        where += f", seat {report.seat} ({names[report.seat]})"
    return f"{where}. {report.reason} {report.signatures} signatures were checked."
