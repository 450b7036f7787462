"""What a typed line means: a choice for the node, or a question about the match.

Must never read or write anything: a line and a model go in, sentences and perhaps a request come out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sunward_client.boards import screen
from sunward_client.events import Act, Detach, Quit, Request
from sunward_client.model import Model, playing
from sunward_protocol.errors import IllegalAction, SunwardError, UnreadableAction
from sunward_protocol.games.game import Action, Position, Seat

LOG_SHOWN = 20
"""Entries that `log` shows unless it is told a number."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The choices of one act, put together but not yet sent; `past` holds the position before each."""

    step: int
    seat: Seat
    position: Position
    actions: tuple[Action, ...] = ()
    past: tuple[Position, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing more is this seat's to choose before others, chance or secrecy have their say."""
        return bool(self.actions) and self.position.to_act() != (self.seat,)

    def choose(self, action: Action) -> "Draft":
        """Return the draft with a legal action added."""
        position = self.position.copy()
        position.apply(self.seat, action)
        return replace(self, position=position, actions=(*self.actions, action), past=(*self.past, self.position))

    def undo(self) -> "Draft":
        """Return the draft without its latest action."""
        return replace(self, position=self.past[-1], actions=self.actions[:-1], past=self.past[:-1])


@dataclass(frozen=True, slots=True)
class Reply:
    """What a line led to: sentences, the draft as it is now, and what to ask of the node."""

    lines: Sequence[str] = ()
    draft: Draft | None = None
    request: Request | None = None


def draft(model: Model) -> Draft | None:
    """Return an empty draft if this client's seat is asked for a choice, else None."""
    if model.turn is None or not model.mine:
        return None
    match, position = playing(model)
    assert match.you is not None
    return Draft(model.turn.step, match.you, position)


def answer(model: Model, held: Draft | None, line: str, width: int) -> Reply:
    """Return what a typed line leads to; whatever was typed, nothing is raised."""
    word, _, rest = line.strip().partition(" ")
    if not word:
        return Reply(draft=held)
    asked = _Asked(model, held, rest.strip(), width)
    try:
        command = _BY_NAME.get(word.lower())
        return command.answer(asked) if command else _play(replace(asked, rest=line.strip()))
    except IllegalAction as error:
        return Reply([f"That may not be done: {error}"], held)
    except SunwardError as error:
        return Reply([str(error)], held)


def menu(model: Model, held: Draft, width: int) -> list[str]:
    """Return the numbered legal actions, in as many columns as fit."""
    texts = [f"{number:>3}  {text}" for number, text in enumerate(_written(model, held), start=1)]
    cell = max(map(len, texts)) + 2
    columns = max(1, width // cell)
    rows = -(-len(texts) // columns)
    return ["".join(text.ljust(cell) for text in texts[row::rows]).rstrip() for row in range(rows)]


def complete(model: Model, held: Draft | None, text: str) -> list[str]:
    """Return the whole lines that begin with `text`: legal actions in their order, then commands."""
    commands = [command.names[0] for command in COMMANDS if text and command.names[0].startswith(text)]
    if held is None or model.match is None:
        return commands
    head = "why " if text.startswith("why ") else ""
    actions = model.match.ruleset.words.complete(held.position, held.seat, text[len(head) :])
    return [head + action for action in actions] + commands


@dataclass(frozen=True, slots=True)
class _Asked:
    model: Model
    draft: Draft | None
    rest: str
    width: int


@dataclass(frozen=True, slots=True)
class Command:
    """A line that is no action: its names, what may follow, and what it does."""

    names: tuple[str, ...]
    argument: str
    help: str
    answer: Callable[[_Asked], Reply] = field(repr=False)


def _play(asked: _Asked) -> Reply:
    held = asked.draft
    if held is None:
        return Reply([f"Not now: {waiting(asked.model)}. Type ? for what can be typed."])
    action = _action(asked.model, held, asked.rest)
    held.position.check(held.seat, action)
    if held.position.secret:
        return Reply(["Your choice is sealed."], None, Act((action,), held.step))
    longer = held.choose(action)
    if longer.whole:
        return Reply((), None, Act(longer.actions, longer.step))
    return Reply(["And then?", *menu(asked.model, longer, asked.width)], longer)


def _action(model: Model, held: Draft, text: str) -> Action:
    """Return the action that a number of the menu or a typed form names; raise `UnreadableAction` if none."""
    match, _ = playing(model)
    numbered = {str(number): action for number, action in enumerate(held.position.legal(held.seat), start=1)}
    if text in numbered:
        return numbered[text]
    if text.isdecimal() and numbered:
        raise UnreadableAction(
            f"There is no choice {text}: type a number from 1 to {len(numbered)}, or ? for the list."
        )
    return match.ruleset.words.read(held.position, held.seat, text)


def _written(model: Model, held: Draft) -> list[str]:
    match, _ = playing(model)
    words = match.ruleset.words
    return [words.write(held.position, held.seat, action) for action in held.position.legal(held.seat)]


def waiting(model: Model) -> str:
    """Return who or what the match is waiting for, as the middle of a sentence."""
    if model.match is None:
        return "the match has not begun"
    if model.over:
        return "the match is over"
    if model.turn is None:
        return "waiting for the table"
    others = [
        model.match.names[seat] + (" (away)" if seat in model.away else "")
        for seat in model.turn.seats
        if seat != model.match.you
    ]
    return "waiting for " + (" and ".join(others) or "the table")


def _help(asked: _Asked) -> Reply:
    lines = ["Commands:"]
    for command in COMMANDS:
        name = " ".join(filter(None, (command.names[0], command.argument)))
        lines.append(f"  {name:<16}{command.help}")
    if asked.draft is None:
        return Reply([f"Now: {waiting(asked.model)}.", *lines])
    here = ["Now: your choice, by its number or as written:", *menu(asked.model, asked.draft, asked.width)]
    return Reply([*here, *lines], asked.draft)


def _rules(asked: _Asked) -> Reply:
    match, _ = playing(asked.model)
    return Reply(match.ruleset.words.rules(asked.rest).splitlines(), asked.draft)


def _why(asked: _Asked) -> Reply:
    match, position = playing(asked.model)
    if match.you is None:
        return Reply(["You only watch: nothing is yours to do."])
    held = asked.draft or Draft(asked.model.step, match.you, position)
    if not asked.rest:
        return Reply(["Say which action: why ACTION, as in the list or as you would type it."], asked.draft)
    action = _action(asked.model, held, asked.rest)
    try:
        held.position.check(held.seat, action)
    except IllegalAction as error:
        where = f"{error.ruling}, see: rules {error.ruling}"
        return Reply([f"{asked.rest}: not allowed. {error.sentence} ({where})"], asked.draft)
    return Reply([f"{match.ruleset.words.write(held.position, held.seat, action)}: allowed now."], asked.draft)


def _log(asked: _Asked) -> Reply:
    try:
        count = max(1, int(asked.rest or LOG_SHOWN))
    except ValueError:
        return Reply(["Say how many entries: log 50."], asked.draft)
    entries = asked.model.log[-count:]
    return Reply([f"{entry.step:>4}  {entry.text}" for entry in entries] or ["Nothing has happened yet."], asked.draft)


def _board(asked: _Asked) -> Reply:
    return Reply(screen(asked.model, asked.width, recent=5), asked.draft)


def _undo(asked: _Asked) -> Reply:
    if asked.draft is None or not asked.draft.actions:
        return Reply(["Nothing to undo: a choice that has been sent is played."], asked.draft)
    shorter = asked.draft.undo()
    return Reply(["Undone. Now:", *menu(asked.model, shorter, asked.width)], shorter)


COMMANDS: Sequence[Command] = (
    Command(("?", "help"), "", "what can be done here and now", _help),
    Command(("rules",), "[TOPIC]", "the rules in short, or about one topic", _rules),
    Command(("why",), "ACTION", "whether an action is allowed, and which rule forbids it", _why),
    Command(("log",), "[COUNT]", "what has happened", _log),
    Command(("board",), "", "the table again", _board),
    Command(("undo",), "", "take back a choice that has not been sent", _undo),
    Command(("quit", "exit"), "", "stop here; the match is saved and can be resumed", lambda _: Reply(request=Quit())),
    Command(("detach",), "", "leave this window; your node stays at the table", lambda _: Reply(request=Detach())),
)

_BY_NAME = {name: command for command in COMMANDS for name in command.names}
