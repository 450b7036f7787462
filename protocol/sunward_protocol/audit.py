"""A whole match recomputed from its file: who won, what it waits for, or who cheated and at which step.

Must never trust a line of the file: every signature, head, state, link and draw is made again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import Frame, is_signed, open_frame
from sunward_protocol.errors import DamagedFile, Forged, Malformed, RemoteError
from sunward_protocol.evidence import contradiction, trial, wrong_state
from sunward_protocol.games.game import Game, Ruleset, Seat
from sunward_protocol.genesis import Genesis, check_members, check_seals
from sunward_protocol.identity import Signatures, Signed
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.ledger import Cheat, Ledger, Move
from sunward_protocol.log import Entry, extend, standing
from sunward_protocol.messages import BODIES, Kind
from sunward_protocol.records import Evidence, Opening, Record, parse_record

Find: TypeAlias = Callable[[str], Game]
"""Returns a game by its name."""


CheckAll: TypeAlias = Callable[[Sequence[Signed]], int | None]
"""Returns the index of the first signature that does not hold, or None; may use every core."""


class Turned(NamedTuple):
    """What one step of a match did: its moves in order, then the randomness of its draws (None: nothing drawn)."""

    step: Step
    moves: tuple[Move, ...]
    randomness: Digest | None
    steered: frozenset[Seat] = frozenset()
    """Whose moves nobody made: their seats were put out."""
    withheld: tuple[Move, ...] = ()
    """What the silence of seats that were put out in a secret choice counts as."""
    rewind: Step = 0
    """The step before which the match stands again, 0 for none."""


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of an audit: verdict is complete, unfinished, cheat or damaged; `step` is where it ended."""

    verdict: str
    step: Step
    seat: Seat | None
    reason: str
    winners: tuple[Seat, ...]
    signatures: int
    """How many were checked."""


class MatchFile:
    """The records of a match file, read but not believed."""

    def __init__(self, records: Sequence[bytes], find: Find) -> None:
        """Raise `DamagedFile` if they are no match file, `OtherVersion` if another Sunward is needed.

        Components, seats or options that the game does not have are another `LocalError`.
        """
        parsed = list[Record]()
        for number, raw in enumerate(records):
            try:
                parsed.append(parse_record(raw))
            except Malformed as error:
                raise DamagedFile(f"Record {number} of the match file cannot be read: {error}") from error
        if not parsed or not isinstance(parsed[0], Opening):
            raise DamagedFile("The match file does not begin with a genesis: it is empty, or no match file at all.")
        self.genesis: Genesis = parsed[0].genesis
        self.seals = parsed[0].seals
        self.entries = standing(record for record in parsed if isinstance(record, Entry))
        self.evidence = [record for record in parsed if isinstance(record, Evidence)]
        self.ruleset: Ruleset = self.genesis.ruleset(find)
        self.ledger = Ledger(self.genesis, self.ruleset)
        """Where `replay` stands."""
        self.signed: list[Signed] = []
        """The signatures that `replay` has met."""

    def replay(self) -> Iterator[Turned]:
        """Go through the match step by step; raise what `log.extend` raises where it does not follow."""
        self.ledger, self.signed = Ledger(self.genesis, self.ruleset), []
        for entry in self.entries:
            step, attempts = self.ledger.step, self.ledger.attempts
            self.signed += extend(self.ledger, entry).signed
            drawn = self.ledger.randomness if self.ledger.attempts > attempts and entry.links else None
            yield self._turned(step, entry, drawn)

    def _turned(self, step: Step, entry: Entry, drawn: Digest | None) -> Turned:
        ledger = self.ledger
        if ledger.changed is not None:
            return Turned(step, (), drawn, withheld=ledger.withheld, rewind=ledger.changed.rewind)
        acted = {ledger.seat_of(open_frame(raw).place) for raw in entry.bodies}
        return Turned(step, ledger.moves, drawn, frozenset({move.seat for move in ledger.moves} - acted))


def audit(match: MatchFile, signatures: Signatures, check_all: CheckAll, torn: bool = False) -> Report:
    """Recompute a match; `torn` says that its file ended inside a record."""
    return _Audit(match, signatures, check_all).report(torn)


class _Audit:
    def __init__(self, match: MatchFile, signatures: Signatures, check_all: CheckAll) -> None:
        self._match = match
        self._signatures = signatures
        self._check_all = check_all
        self._count = 0

    def report(self, torn: bool) -> Report:
        match = self._match
        try:
            check_members(match.genesis, self._signatures)
            check_seals(match.genesis, match.seals, self._signatures)
            self._count = sum(2 + (member.owner != member.identity) for member in match.genesis.members)
            cheat = self._replay()
        except RemoteError as error:
            return self._verdict(
                "damaged", None, f"{error} The file is not as the match was played; ask another seat for theirs."
            )
        if cheat is not None:
            return self._verdict("cheat", cheat.place, cheat.reason, step=cheat.step)
        ledger = match.ledger
        result = ledger.position.result()
        if ledger.closed and result is not None and not ledger.unlocked_gate:
            return self._verdict(
                "complete", None, "Every step was recomputed.", winners=result.winners, step=ledger.step - 1
            )
        owed = ledger.due().places if ledger.step else ()
        names = ", ".join(match.genesis.members[place].name for place in owed) or "everybody"
        reason = f"The match is not over: the next word is due from {names}."
        if torn:
            reason += " The file ends inside a record, as after a crash or a partial copy; all before that is sound."
        return self._verdict("unfinished", owed[0] if len(owed) == 1 else None, reason)

    def _replay(self) -> Cheat | None:
        """Recompute every entry and every piece of evidence; return the first cheat that is proved."""
        match = self._match
        evidence = [frames for record in match.evidence if (frames := self._frames(record))]
        proved, cheats = [(cheat, frames) for frames in evidence if (cheat := contradiction(frames))], list[Cheat]()
        try:
            for _ in chain([None], match.replay()):
                cheats += self._judge(evidence)
                if match.ledger.step == 0 or match.ledger.changed is not None:  # there may be other keys now
                    cheats += [cheat for cheat, frames in proved if self._are_signed(frames)]
        except Cheat as cheat:
            entry = match.entries[cheat.step]
            frame = next(frame for frame in map(open_frame, entry.bodies) if frame.place == cheat.place)
            if not self._are_signed([frame]):
                raise Forged(f"Step {cheat.step} breaks the rules, but its seat never signed it.") from cheat
            cheats.append(cheat)
        bad = self._check_all(match.signed)
        self._count += len(match.signed)
        if bad is not None:
            raise Forged(f"The signature {self._whose(match.signed[bad])} does not hold.")
        return min(cheats, key=lambda cheat: cheat.step, default=None)

    def _frames(self, record: Evidence) -> tuple[Frame, ...]:
        """Return the frames of a piece of evidence; () if one of them is nothing that a member signs in this match."""
        genesis = self._match.genesis
        try:
            frames = tuple(map(open_frame, record.frames))
        except RemoteError:
            return ()
        sound = all(
            frame.kind in (*BODIES, Kind.ACK, Kind.VOTE, Kind.EPOCH)
            and frame.match == genesis.match
            and frame.place < len(genesis.members)
            for frame in frames
        )
        return frames if sound else ()

    def _judge(self, evidence: Sequence[tuple[Frame, ...]]) -> Iterator[Cheat]:
        """Convict whoever signed what is wrong after the steps so far, or wrong for the next one."""
        ledger = self._match.ledger
        for frames in evidence:
            cheats = list(wrong_state(ledger, frames[-1]))
            if not ledger.closed:
                cheats += [cheat for bodies in (frames, frames[:-1]) for cheat in trial(ledger, bodies, frames[-1])]
            if cheats and self._are_signed(frames):
                yield cheats[0]

    def _are_signed(self, frames: Sequence[Frame]) -> bool:
        self._count += len(frames)
        keys = self._match.ledger.keys
        return all(is_signed(frame, keys[frame.place].session, self._signatures) for frame in frames)

    def _whose(self, signed: Signed) -> str:
        """Say what a signature is of."""
        members = self._match.genesis.members
        if signed.purpose is not Purpose.FRAME:
            name = next(member.name for member in members if member.identity == signed.public)
            return f"by which {name} came back"
        frame = open_frame(signed.signature + signed.message)
        return f"of {members[frame.place].name} at step {frame.step}"

    def _verdict(
        self,
        verdict: str,
        place: Place | None,
        reason: str,
        winners: tuple[Seat, ...] = (),
        step: Step | None = None,
    ) -> Report:
        ledger = self._match.ledger
        seat = None if place is None else ledger.seat_of(place)
        return Report(verdict, ledger.step if step is None else step, seat, reason, winners, self._count)
