"""A finished or unfinished match once more: step through it both ways, from any seat, with the statistics of its draws.

Must never need a node: it is fed the same events that a node tells its client.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.shortcuts import print_formatted_text

from sunward_client.boards import ending, screen, statistics
from sunward_client.events import Event
from sunward_client.model import Model, update
from sunward_client.terminal import Terminal, columns, write
from sunward_client.theme import SEATS
from sunward_protocol.errors import LocalError
from sunward_protocol.games.game import Seat


@dataclass(frozen=True, slots=True)
class Reel:
    """Every step of a match as a model, and which of them, seen from which seat, is looked at."""

    frames: Sequence[Model]
    at: int = 0
    seat: Seat | None = None

    @classmethod
    def load(cls, start: Model, events: Iterable[Event]) -> "Reel":
        """Return the reel of a match's events, the hello first; raise `LocalError` if there is no step among them."""
        model = start
        frames: list[Model] = []
        for event in events:
            model = update(model, event)
            if model.step >= 0:
                # A step's last event gives its frame: a step may be an action and what was drawn for it.
                frames[model.step :] = [model]
        if not frames:
            raise LocalError("The match file holds no step: the match was never begun.")
        return cls(frames)

    @property
    def frame(self) -> Model:
        """The model at the step looked at."""
        return self.frames[self.at]

    @property
    def prompt(self) -> str:
        """Where one is, and what can be typed."""
        return f"step {self.at} of {len(self.frames) - 1} (n, p, a number, end, board, stats, seat, quit)> "

    def go(self, step: int) -> "Reel":
        """Return the reel at a step, or at the nearest there is."""
        return replace(self, at=max(0, min(step, len(self.frames) - 1)))

    def told(self) -> list[str]:
        """Return what happened in the step looked at."""
        return [f"{self.at:>4}  {entry.text}" for entry in self.frame.log if entry.step == self.at]


Turned = tuple[Reel, list[str]]
"""The reel after a command, and what it shows."""


def _show(reel: Reel, width: int) -> Turned:
    return reel, [*screen(reel.frame, width, seat=reel.seat), *reel.told(), *ending(reel.frame)]


def _seat(reel: Reel, word: str, width: int) -> Turned:
    names = reel.frame.match.names if reel.frame.match else ()
    looks = SEATS[: len(names)]
    chosen = [seat for seat, look in enumerate(looks) if word.lower() in (look.colour, look.letter.lower())]
    if not chosen:
        return reel, ["Say which seat, as seat red or seat R: " + ", ".join(names)]
    return _show(replace(reel, seat=chosen[0]), width)


_COMMANDS: Mapping[str, Callable[[Reel, str, int], Turned]] = {
    "n": lambda reel, _, width: _show(reel.go(reel.at + 1), width),
    "p": lambda reel, _, width: _show(reel.go(reel.at - 1), width),
    "end": lambda reel, _, width: _show(reel.go(len(reel.frames) - 1), width),
    "board": lambda reel, _, width: _show(reel, width),
    "stats": lambda reel, _, width: (reel, statistics(reel.frame, width)),
    "seat": _seat,
}


def turn(reel: Reel, line: str, width: int) -> Turned:
    """Return the reel and what to show after a typed line; an empty line is a step forward."""
    word, _, rest = (line.strip() or "n").partition(" ")
    if word.isdecimal():
        return _show(reel.go(int(word[:9])), width)  # nine digits reach the end of any match
    command = _COMMANDS.get(word.lower())
    if command is None:
        return reel, [f"There is no {word!r} here. Type n, p, the number of a step, end, board, stats, seat or quit."]
    return command(reel, rest.strip(), width)


def transcript(reel: Reel, width: int) -> list[str]:
    """Return the whole match as text: every step's sentences, the last table, the scoring and the statistics."""
    told = [line for step in range(len(reel.frames)) for line in reel.go(step).told()]
    last = reel.go(len(reel.frames) - 1).frame
    return [
        *told,
        "",
        *screen(last, width),
        *(ending(last) or ["The match is not finished."]),
        *statistics(last, width),
    ]


def view(events: Iterable[Event], *, plain: bool = False, ascii: bool = False) -> None:  # noqa: A002 - as the flag is called
    """Show a match to the person at the terminal, or print all of it where there is none."""
    terminal = Terminal.find(plain=plain, ascii=ascii)
    reel = Reel.load(Model(terminal.look), events)
    if terminal.plain:
        write(sys.stdout, map(terminal.look.fold, transcript(reel, columns())))
        return
    session: PromptSession[str] = PromptSession(enable_suspend=True)
    shown = _show(reel, columns())[1]
    while True:
        print_formatted_text(FormattedText(terminal.look.tint("\n".join(shown))))
        try:
            typed = session.prompt(reel.prompt)
        except (EOFError, KeyboardInterrupt):
            return
        if typed.strip().lower() in ("q", "quit", "exit"):
            return
        reel, shown = turn(reel, typed, columns())
