"""What a replica holds against others, or against its own disk: told once, and kept as evidence where it convicts."""

from collections.abc import Callable, Sequence

from sunward_protocol.envelope import Frame
from sunward_protocol.ids import Place, Step
from sunward_protocol.ledger import Cheat, Disagreement
from sunward_protocol.records import write_evidence
from sunward_protocol.table.commands import Command, Log, Tell
from sunward_protocol.table.events import Troubled


class Disputes:
    """The troubles of one match so far; `do` takes what is to be told and logged."""

    __slots__ = ("_do", "_told", "convicted", "proofs")

    def __init__(self, do: Callable[[Command], None]) -> None:
        self._do = do
        self._told = set[tuple[str, Step, Place]]()
        self.convicted = 0
        """A bit mask of the places whose cheating can be proved."""
        self.proofs: dict[Place, tuple[bytes, ...]] = {}
        """The frames that convict, by whom."""

    def disputed(self, step: Step, place: Place) -> bool:
        """Whether a place signed for something else than the step is here."""
        return (Disagreement.code, step, place) in self._told

    def disagree(self, error: Disagreement, frame: Frame, bodies: Sequence[Frame]) -> None:
        """Name whose signature is for something else; another state after the same head is proof of a wrong replica."""
        if self.trouble(error.code, error.step, error.place, str(error)) and error.what == "state hash":
            self._log([*bodies, frame])

    def convict(self, cheat: Cheat, frames: Sequence[Frame]) -> None:
        """Name who signed what the rules forbid, and keep the proof."""
        self.convicted |= 1 << cheat.place
        if self.trouble(cheat.code, cheat.step, cheat.place, f"Place {cheat.place} cheated: {cheat.reason}"):
            self._log(frames)
            self.proofs.setdefault(cheat.place, tuple(frame.raw for frame in frames))

    def trouble(self, code: str, step: Step, place: Place, sentence: str) -> bool:
        """Tell of a trouble, once; return whether it was news."""
        if (code, step, place) in self._told:
            return False
        self._told.add((code, step, place))
        self._do(Tell(Troubled(code, step, place, sentence)))
        return True

    def _log(self, frames: Sequence[Frame]) -> None:
        self._do(Log(write_evidence([frame.raw for frame in frames])))
