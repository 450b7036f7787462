"""What a replica holds against others, or against its own disk: told once, and kept as evidence where it convicts."""

from collections.abc import Callable, Sequence

from sunward_protocol import limits
from sunward_protocol.envelope import Frame
from sunward_protocol.ids import Place, Step
from sunward_protocol.ledger import Cheat, Disagreement
from sunward_protocol.records import write_evidence
from sunward_protocol.table.commands import Command, Log, Tell
from sunward_protocol.table.events import Troubled


class Disputes:
    """The troubles of one match so far; `do` takes what is to be told and logged."""

    __slots__ = ("_do", "_proofs", "_told", "convicted", "refused")

    def __init__(self, do: Callable[[Command], None]) -> None:
        self._do = do
        self._proofs: dict[Place, int] = {}
        self._told = set[tuple[str, Step, Place]]()
        self.convicted = 0
        """A bit mask of the places whose cheating can be proved."""
        self.refused: dict[Place, tuple[Step, tuple[bytes, ...]]] = {}
        """The first step at which a place signed what is wrong here, and the frames that show it, by whom."""

    def disputed(self, step: Step, place: Place) -> bool:
        """Whether a place signed for something else than the step is here."""
        return (Disagreement.code, step, place) in self._told

    def disagree(self, error: Disagreement, frame: Frame, bodies: Sequence[Frame]) -> None:
        """Name whose signature is for something else; another state after the same head is proof of a wrong replica."""
        if self.trouble(error.code, error.step, error.place, str(error)) and error.what == "state hash":
            self._refuse(error.place, error.step, [*bodies, frame])

    def convict(self, cheat: Cheat, frames: Sequence[Frame]) -> None:
        """Name who signed what the rules forbid, and keep the proof; but not without end."""
        proofs = self._proofs[cheat.place] = self._proofs.get(cheat.place, 0) + 1
        if proofs > limits.PROOFS_MOST:
            return
        self.convicted |= 1 << cheat.place
        if self.trouble(cheat.code, cheat.step, cheat.place, f"Place {cheat.place} cheated: {cheat.reason}"):
            self._refuse(cheat.place, cheat.step, frames)

    def object(self, step: Step, place: Place, frames: Sequence[Frame]) -> None:
        """Name who shows as wrong what holds here: they sign nothing of their own that would tell."""
        whose = " and ".join(f"place {at}" for at in sorted({frame.place for frame in frames}))
        sentence = (
            f"Place {place} refuses at step {step} what {whose} signed and what holds here: one replica is wrong."
        )
        self.trouble(Disagreement.code, step, place, sentence)

    def trouble(self, code: str, step: Step, place: Place, sentence: str) -> bool:
        """Tell of a trouble, once; return whether it was news."""
        if (code, step, place) in self._told:
            return False
        self._told.add((code, step, place))
        self._do(Tell(Troubled(code, step, place, sentence)))
        return True

    def _refuse(self, place: Place, step: Step, frames: Sequence[Frame]) -> None:
        raws = tuple(frame.raw for frame in frames)
        self._do(Log(write_evidence(raws)))
        self.refused.setdefault(place, (step, raws))
