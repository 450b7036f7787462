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
from sunward_client.chance import chance
from sunward_client.columns import fit
from sunward_client.events import Drawn, Event
from sunward_client.following import update
from sunward_client.model import Model, playing, seat_named
from sunward_client.terminal import Terminal, columns, write
from sunward_protocol.errors import LocalError
from sunward_protocol.fairness import Integer, integers, weigh
from sunward_protocol.games.game import Seat


@dataclass(frozen=True, slots=True)
class Reel:
    """A model for each step of a match that shows anything, and which of them, seen from which seat, is looked at.

    `drawn` has the integers of each step that drew.
    """

    frames: Sequence[Model]
    drawn: Mapping[int, Sequence[Integer]]
    at: int = 0
    seat: Seat | None = None

    @classmethod
    def load(cls, start: Model, events: Iterable[Event]) -> "Reel":
        """Return the reel of a match's events, the hello first; raise `LocalError` if there is no step among them."""
        model = start
        frames: list[Model] = []
        drawn: dict[int, Sequence[Integer]] = {}
        for event in events:
            if isinstance(event, Drawn) and playing(model)[1].chance_due():
                drawn[event.step] = integers(playing(model)[1], event.randomness)
            model = update(model, event)
            if model.step < 0:
                continue
            # A step's last event gives its frame: a step may be an action and what was drawn for it.
            if frames and _step(frames[-1]) == _step(model):
                frames.pop()
            frames.append(model)
        if not frames:
            raise LocalError("The match file holds no step: the match was never begun.")
        return cls(frames, drawn)

    @property
    def frame(self) -> Model:
        """The model at the step looked at."""
        return self.frames[self.at]

    @property
    def step(self) -> int:
        """The number of the step looked at, as the log counts."""
        return _step(self.frame)

    def chance(self, width: int) -> list[str]:
        """Return what chance decided up to the step looked at, counted up by the game, and how even it came out."""
        drawn = [said for step, said in self.drawn.items() if step <= self.step]
        return [*statistics(self.frame, width), *chance(weigh(drawn), width)]

    @property
    def prompt(self) -> str:
        """Where one is, and what can be typed."""
        return f"step {self.step} of {_step(self.frames[-1])} (Enter goes on, ? for help)> "

    def go(self, index: int) -> "Reel":
        """Return the reel at a frame, or at the nearest there is."""
        return replace(self, at=max(0, min(index, len(self.frames) - 1)))

    def go_to(self, step: int) -> "Reel":
        """Return the reel at a step of the log; at the one before it where that step shows nothing."""
        return self.go(sum(_step(frame) <= step for frame in self.frames) - 1)

    def told(self) -> list[str]:
        """Return what happened in the step looked at; of the closing one, nothing: it only seals the match."""
        if self.step > self.frame.step:
            return []
        return [f"{self.step:>4}  {entry.text}" for entry in self.frame.log if entry.step == self.step]


def _step(model: Model) -> int:
    """Return the step of the log that a model shows; the one that closes a match has no event of its own."""
    return model.step + model.over


Turned = tuple[Reel, list[str]]
"""The reel after a command, and what it shows."""


def _show(reel: Reel, width: int) -> Turned:
    before = reel.frame.moments[-1].position
    table = screen(reel.frame, width, seat=reel.seat, since=before)
    return reel, [*table, *reel.told(), *ending(reel.frame, width, seat=reel.seat)]


def _seat(reel: Reel, word: str, width: int) -> Turned:
    match, _ = playing(reel.frame)
    seat = seat_named(match, word)
    if seat is None:
        return reel, ["Say which seat, as seat red or seat R: " + ", ".join(match.names)]
    return _show(replace(reel, seat=seat), width)


_HELP = (
    "Enter or n     the next step",
    "p              the step before",
    "NUMBER         that step of the log",
    "end            the last step",
    "board          the table again; * marks what this step changed",
    "seat SEAT      the table as another seat sees it, as seat blue or seat B",
    "stats          what chance decided so far, counted up, and how even it came out",
    "quit           leave",
)


def _help(reel: Reel, _: str, __: int) -> Turned:
    return reel, list(_HELP)


_COMMANDS: Mapping[str, Callable[[Reel, str, int], Turned]] = {
    "n": lambda reel, _, width: _show(reel.go(reel.at + 1), width),
    "p": lambda reel, _, width: _show(reel.go(reel.at - 1), width),
    "end": lambda reel, _, width: _show(reel.go(len(reel.frames) - 1), width),
    "board": lambda reel, _, width: _show(reel, width),
    "stats": lambda reel, _, width: (reel, reel.chance(width)),
    "seat": _seat,
    "?": _help,
    "help": _help,
}


def turn(reel: Reel, line: str, width: int) -> Turned:
    """Return the reel and what to show after a typed line; an empty line is a step forward."""
    word, _, rest = (line.strip() or "n").partition(" ")
    if word.isdecimal():
        return _show(reel.go_to(int(word[:9])), width)  # nine digits reach the end of any match
    command = _COMMANDS.get(word.lower())
    if command is None:
        return reel, [f"There is no {word!r} here: type ? for what there is."]
    return command(reel, rest.strip(), width)


def transcript(reel: Reel, width: int) -> list[str]:
    """Return the whole match as text: every step's sentences, the last table, the scoring and the statistics."""
    told = [line for index in range(len(reel.frames)) for line in reel.go(index).told()]
    end = reel.go(len(reel.frames) - 1)
    last = end.frame
    return [
        *told,
        "",
        *screen(last, width, since=playing(last)[1]),
        *(ending(last, width) or ["The match is not finished."]),
        *end.chance(width),
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
        fitted = [part for line in shown for part in fit(line, columns())]
        print_formatted_text(FormattedText(terminal.look.tint("\n".join(fitted))))
        try:
            typed = session.prompt(reel.prompt)
        except (EOFError, KeyboardInterrupt):
            return
        if typed.strip().lower() in ("q", "quit", "exit"):
            return
        reel, shown = turn(reel, typed, columns())
