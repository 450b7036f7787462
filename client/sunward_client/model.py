"""What a client knows of its match: one frozen value, moved on by the node's events.

Must never print, ask, wait or send; a position inside a model is never changed, only replaced.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from sunward_client.events import (
    Applied,
    Away,
    Back,
    Drawn,
    Event,
    Hello,
    Lobby,
    Over,
    Refused,
    Rewound,
    Trouble,
    Turn,
)
from sunward_client.theme import Look
from sunward_protocol.draws import DrawStream
from sunward_protocol.errors import IllegalAction, LocalError
from sunward_protocol.games.catalog import find
from sunward_protocol.games.game import Json, Position, Ruleset, Seat


@dataclass(frozen=True, slots=True)
class Match:
    """What never changes once a match has begun: its rules, its id, and who sits where."""

    ruleset: Ruleset
    id: str
    names: tuple[str, ...]
    you: Seat | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One sentence of the log and the step it belongs to."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a step began: what `Rewound` goes back to."""

    step: int
    position: Position
    logged: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Model:
    """The whole of it; `news` are the sentences that the latest event brought."""

    look: Look
    match: Match | None = None
    position: Position | None = None
    moments: tuple[Moment, ...] = ()
    log: tuple[Entry, ...] = ()
    draws: tuple[Json, ...] = ()
    turn: Turn | None = None
    away: tuple[Seat, ...] = ()
    file: str | None = None
    news: tuple[str, ...] = ()

    @property
    def step(self) -> int:
        """The latest step of which something is known, -1 before the set-up."""
        return self.moments[-1].step if self.moments else -1

    @property
    def mine(self) -> bool:
        """Whether this client's own seat is asked for a choice."""
        return self.match is not None and self.turn is not None and self.match.you in self.turn.seats

    @property
    def over(self) -> bool:
        """Whether the node has written the finished match."""
        return self.file is not None


def update(model: Model, event: Event) -> Model:
    """Return the model after an event; raise `LocalError` if the event cannot follow what came before."""
    model = replace(model, news=())
    match event:
        case Hello():
            return _hello(model, event)
        case Lobby(text, members):
            seats = ", ".join(
                f"{member.name} [{member.words}]"
                + (f", bot of {member.owner}" if member.owner else "")
                + (" (ready)" if member.ready else "")
                for member in members
            )
            return _tell(model, text, *([f"At the table: {seats}."] if seats else []))
        case Applied():
            return _applied(model, event)
        case Drawn():
            return _drawn(model, event)
        case Rewound(step):
            return _rewound(model, step)
        case Turn():
            return replace(model, turn=event)
        case Away(seat):
            if seat in model.away:
                return model
            away = tuple(sorted((*model.away, seat)))
            return _tell(replace(model, away=away), f"{_name(model, seat)} is away; the match waits for them.")
        case Back(seat):
            away = tuple(other for other in model.away if other != seat)
            return _tell(replace(model, away=away), f"{_name(model, seat)} is back.")
        case Refused(ruling, sentence):
            return _tell(model, f"Refused: {sentence} ({ruling})")
        case Trouble(code, sentence):
            return _tell(model, f"Trouble ({code}): {sentence}")
        case Over(file):
            return replace(model, file=file, turn=None)
        case _:
            assert_never(event)


def playing(model: Model) -> tuple[Match, Position]:
    """Return the match and its position; raise `LocalError` before there is one."""
    if model.match is None or model.position is None:
        raise LocalError("The match has not begun yet.")
    return model.match, model.position


def _hello(model: Model, hello: Hello) -> Model:
    if hello.match is None:
        return Model(model.look)
    ruleset = find(hello.game).load(hello.components.encode(), "the component data of this match")
    position = ruleset.start(len(hello.names), hello.options)
    names = tuple(f"{model.look.badge(seat)} {name}" for seat, name in enumerate(hello.names))
    begun = Model(model.look, match=Match(ruleset, hello.match, names, hello.you), position=position)
    keys = ", ".join(f"{name} [{words}]" for name, words in zip(names, hello.words, strict=False))
    return _tell(begun, f"The match begins: {keys}.")


def _applied(model: Model, event: Applied) -> Model:
    match, before = playing(model)
    model = _enter(model, event.step)
    position = before.copy()
    sentences: list[str] = []
    for action in event.actions:
        try:
            position.check(event.seat, action)
        except IllegalAction as error:
            raise LocalError(
                f"The node played step {event.step} by other rules than this client knows: {error}. "
                "Are both the same version?"
            ) from error
        sentences.append(match.ruleset.words.tell(position, event.seat, action, match.names))
        position.apply(event.seat, action)
    if event.autopilot:
        sentences[-1] += " (autopilot)"
    return _tell(replace(model, position=position, turn=None), *sentences)


def _drawn(model: Model, event: Drawn) -> Model:
    match, before = playing(model)
    model = _enter(model, event.step)
    position = before.copy()
    draws = position.draw(DrawStream(event.randomness))
    words = match.ruleset.words
    model = replace(
        model, position=position, turn=None, draws=model.draws + tuple(words.draw_json(draw) for draw in draws)
    )
    return _tell(model, *("  " + words.tell_draw(draw, match.names) for draw in draws))


def _rewound(model: Model, step: int) -> Model:
    dropped = [moment for moment in model.moments if moment.step >= step]
    if not dropped:
        return replace(model, turn=None)
    first = dropped[0]
    model = replace(
        model,
        moments=model.moments[: -len(dropped)],
        position=first.position,
        log=model.log[: first.logged],
        draws=model.draws[: first.drawn],
        turn=None,
    )
    return _tell(model, f"Taken back to where step {step} began.")


def _enter(model: Model, step: int) -> Model:
    """Remember where a step began, so that it can be taken back."""
    if step == model.step:
        return model
    if step < model.step:
        raise LocalError(f"The node told step {step} after step {model.step}. Are both the same version?")
    _, position = playing(model)
    return replace(model, moments=(*model.moments, Moment(step, position, len(model.log), len(model.draws))))


def _tell(model: Model, *sentences: str) -> Model:
    entries = tuple(Entry(max(0, model.step), sentence) for sentence in sentences)
    return replace(model, log=model.log + entries, news=sentences)


def _name(model: Model, seat: Seat) -> str:
    names: Sequence[str] = model.match.names if model.match else ()
    return names[seat] if seat < len(names) else f"Seat {seat}"
