"""What a typed line means: a choice for the node, or a question about the match.

Must never read or write anything: a line and a model go in, sentences and perhaps a request come out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sunward_client import choices
from sunward_client.boards import about, board_of, digest, screen, view_of
from sunward_client.choices import Draft, find, menu
from sunward_client.columns import fit
from sunward_client.command import Asked, Command, Reply, has_company, is_begun, is_gathering
from sunward_client.events import SAID_MOST
from sunward_client.model import Match, Model, named, playing, seat_named, waiting
from sunward_client.requests import Act, Detach, Quit, Ready, Say
from sunward_client.theme import SEATS
from sunward_client.wishes import WISHES
from sunward_protocol.errors import IllegalAction, SunwardError
from sunward_protocol.games.game import Action

LOG_SHOWN = 20
"""Entries that `log` shows unless it is told a number."""


def answer(model: Model, held: Draft | None, line: str, width: int) -> Reply:
    """Return what a typed line leads to; whatever was typed, nothing is raised."""
    word, _, rest = line.strip().partition(" ")
    if not word:
        return Reply(draft=held)
    if held is not None:  # questions are about the table as the choices made so far have left it
        model = replace(model, position=held.position)
    asked = Asked(model, held, rest.strip(), width)
    try:
        command = _BY_NAME.get(word.lower())
        if model.outside and (command is None or not command.here(asked)):
            return Reply(["You are not let in yet: that has no meaning before. Type ? for what has."])
        if command is None or (command.between and held is not None):
            return _play(replace(asked, rest=line.strip()))
        return command.answer(asked)
    except IllegalAction as error:
        return Reply([f"That may not be done: {error}"], held)
    except SunwardError as error:
        return Reply([str(error)], held)


def is_command(line: str) -> bool:
    """Whether a line is anything but an action."""
    return (line.split() or ["?"])[0].lower() in _BY_NAME


def offer(model: Model, held: Draft, width: int) -> list[str]:
    """Return what stands above the prompt when a choice is due: what it is about where that needs words, the menu."""
    board, view = board_of(model), view_of(model, width, at=held.position)
    about = [board.situation(view)] if board.pressing(view) else []
    if held.begun:
        about = [f"{held.begun}: which? (undo goes back)"]
    elif held.undoable:
        about.append("(undo goes back)")
    return [*about, *menu(model, held, width)]


def complete(model: Model, held: Draft | None, text: str) -> list[str]:
    """Return the whole lines that begin with `text`: choices in their order, then commands."""
    asked = Asked(model, held, "", 80)
    here = [command.names[0] for command in COMMANDS if command.here(asked)]
    commands = [name for name in here if text and name.startswith(text)]
    if model.match is not None and text.startswith("who "):
        return [f"who {name}" for name in about(model, text.removeprefix("who "))]
    if held is None:
        return commands
    head = "why " if text.startswith("why ") else ""
    return [head + action for action in choices.complete(model, held, text[len(head) :])] + commands


def _play(asked: Asked) -> Reply:
    held = asked.draft
    if held is None:
        return Reply([f"Not now: {waiting(asked.model)}. Type ? for what can be typed."])
    choice = find(asked.model, held, asked.rest)
    if not choice.actions:
        begun = replace(held, begun=choice.text)
        return Reply(offer(asked.model, begun, asked.width), begun)
    for action in choice.actions:
        held.position.check(held.seat, action)
        if held.position.secret:
            return Reply(["Your choice is sealed."], None, Act((action,), held.step))
        held = held.choose(action)
    if held.whole:
        return Reply((), None, Act(held.actions, held.step))
    return Reply(offer(asked.model, held, asked.width), held)


def _help(asked: Asked) -> Reply:
    model, held = asked.model, asked.draft
    lines: list[str] = []
    for command in COMMANDS:
        if command.here(asked):
            name = " ".join(filter(None, (command.names[0], command.argument)))
            lines.append(f"  {name:<16}{command.help}")
    if model.match is None or model.over:
        return Reply([f"Now: {waiting(model)}.", *lines], held)
    board, view = board_of(model), view_of(model, asked.width, at=held.position if held else None)
    now = [board.situation(view)]
    if held is not None:
        now += ["Type a number, or the words (a word may be cut short):", *menu(model, held, asked.width)]
    return Reply([*now, *board.legend, *lines], held)


def _rules(asked: Asked) -> Reply:
    match, _ = playing(asked.model)
    return Reply(match.ruleset.words.rules(asked.rest).splitlines(), asked.draft)


def _why(asked: Asked) -> Reply:
    match, position = playing(asked.model)
    if match.you is None:
        return Reply(["You only watch: nothing is yours to do."])
    held = asked.draft or Draft(asked.model.step, match.you, position)
    if not asked.rest:
        return Reply(["Say which action: why ACTION, as in the list or as you would type it."], asked.draft)
    try:
        choice = find(asked.model, held, asked.rest)
        would = list(_would(match, held, choice.actions))
    except IllegalAction as error:
        where = f"{error.ruling}, see: rules {error.ruling}"
        return Reply([f"{asked.rest}: not allowed. {error.sentence} ({where})"], asked.draft)
    if not would:
        rest = menu(asked.model, replace(held, begun=choice.text), asked.width)
        return Reply([f"{choice.text}: allowed, and goes on with one of these:", *rest], asked.draft)
    return Reply([f"{choice.text}: allowed now. The log would say: {' '.join(would)}"], asked.draft)


def _would(match: Match, held: Draft, actions: Sequence[Action]) -> Iterator[str]:
    """Yield what the log would say of choices in a row; raise `IllegalAction` for the first that is not legal."""
    for action in actions:
        held.position.check(held.seat, action)
        yield match.ruleset.words.tell(held.position, held.seat, action, match.names)
        if not held.position.secret:
            held = held.choose(action)


def _log(asked: Asked) -> Reply:
    try:
        count = max(1, int(asked.rest or LOG_SHOWN))
    except ValueError:
        return Reply(["Say how many entries: log 50."], asked.draft)
    entries = asked.model.log[-count:]
    return Reply([f"{entry.step:>4}  {entry.text}" for entry in entries] or ["Nothing has happened yet."], asked.draft)


def _board(asked: Asked) -> Reply:
    lines = [*screen(asked.model, asked.width), *digest(asked.model)]
    if asked.draft is not None:
        lines += offer(asked.model, asked.draft, asked.width)
    return Reply(lines, asked.draft)


def _undo(asked: Asked) -> Reply:
    if asked.draft is None or not asked.draft.undoable:
        return Reply(["Nothing to undo: a choice that has been sent is played."], asked.draft)
    shorter = asked.draft.undo()
    return Reply(["Undone. Now:", *offer(asked.model, shorter, asked.width)], shorter)


def _who(asked: Asked) -> Reply:
    model = asked.model
    if asked.rest and model.match is not None:
        return Reply(_at(asked), asked.draft)
    lobby, match = model.lobby, model.match
    members = lobby.members if lobby is not None else ()
    owners = {member.words: f"bot of {member.owner}" for member in members if member.owner}
    if match is not None:
        lines = [
            _row(
                f"{named(model, seat)} ({SEATS[seat].colour}) [{words}]",
                "you" if seat == match.you else "",
                owners.get(words, ""),
                "away" if seat in model.away else "",
                "on autopilot" if seat in model.out else "",
                "muted" if words in model.muted else "",
            )
            for seat, words in enumerate(match.words)
        ]
    else:
        lines = [
            _row(
                f"{member.name} [{member.words}]",
                "you" if lobby is not None and place == lobby.you else "",
                owners.get(member.words, ""),
                "ready" if member.ready else "not ready",
                "muted" if member.words in model.muted else "",
            )
            for place, member in enumerate(members)
        ]
    return Reply(lines or [f"Nobody is known yet: {waiting(model)}."], asked.draft)


def _row(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _at(asked: Asked) -> Sequence[str]:
    match, _ = playing(asked.model)
    topic = asked.rest.lower()
    found = about(asked.model, topic)
    texts = list(dict.fromkeys(found.values()))
    seat = seat_named(match, topic)
    if len(texts) != 1 and seat is not None:
        texts = [board_of(asked.model).holding(view_of(asked.model, asked.width), seat)]
    if len(texts) > 1:
        texts = [f"{topic!r} could be {', '.join(found)}: type a little more."]
    return [part for text in texts for part in fit(text, asked.width)] or [
        f"There is no place and nobody called {topic!r} here."
    ]


def _where(asked: Asked) -> Reply:
    match, _ = playing(asked.model)
    asks_of = asked.rest.lower()
    seat = match.you if asks_of in ("", "am i", "i") else seat_named(match, asks_of.removeprefix("is "))
    if seat is None:
        return Reply(["Say whose: where red, where R, where NAME."], asked.draft)
    return Reply([board_of(asked.model).holding(view_of(asked.model, asked.width), seat)], asked.draft)


def _ready(asked: Asked, ready: bool) -> Reply:
    if not asked.model.gathering:
        return Reply(["There is nothing to be ready for: the match has begun."], asked.draft)
    return Reply((), asked.draft, Ready(ready))


def _say(asked: Asked) -> Reply:
    text = "".join(character for character in asked.rest if character.isprintable())
    if not text:
        return Reply(["Say what: say TEXT."], asked.draft)
    if len(text) > SAID_MOST:
        return Reply([f"That is {len(text)} characters: {SAID_MOST} are the most at once."], asked.draft)
    return Reply((), asked.draft, Say(text))


def _people(model: Model) -> dict[str, str]:
    """Return the name behind every key's words at this table."""
    found = {member.words: member.name for member in model.lobby.members} if model.lobby is not None else {}
    if model.match is not None:
        found |= {words: name[3:] for words, name in zip(model.match.words, model.match.names, strict=False)}
    return found


def _mute(asked: Asked, mute: bool) -> Reply:
    people = _people(asked.model)
    typed = asked.rest.lower()
    meant = (  # the words are for who took another's name
        [words for words, name in people.items() if typed in (name.lower(), words)]
        or [words for words, name in people.items() if typed and name.lower().startswith(typed)]
    )
    if len(meant) != 1:
        here = ", ".join(f"{name} [{words}]" for words, name in people.items()) or "nobody is here"
        return Reply([f"Say whom, by a name only one has or the words of their key: {here}."], asked.draft)
    words = meant[0]
    others = tuple(other for other in asked.model.muted if other != words)
    said = (
        f"You do not hear {people[words]} any more: unmute {people[words]} changes that."
        if mute
        else (f"You hear {people[words]} again.")
    )
    return Reply([said], asked.draft, muted=(*others, words) if mute else others)


def _has_offer(asked: Asked) -> bool:
    return asked.model.over and asked.model.offer is not None


def _rematch(asked: Asked) -> Reply:
    if not asked.model.over:
        return Reply(["The match is not over yet: a rematch comes after it."], asked.draft)
    if asked.model.offer is None:
        return Reply(["Nobody has offered another match yet."], asked.draft)
    return Reply((), invite=asked.model.offer.invite)


COMMANDS: Sequence[Command] = (
    Command(("?", "help"), "", "what can be done here and now", _help),
    Command(("ready",), "", "you are ready to begin", lambda asked: _ready(asked, True), is_gathering),
    Command(("unready",), "", "wait, you are not", lambda asked: _ready(asked, False), is_gathering),
    Command(("rules",), "[TOPIC]", "the rules in short, or about one topic", _rules, is_begun),
    Command(("why",), "ACTION", "what an action would do, or which rule forbids it", _why, is_begun),
    Command(("log",), "[COUNT]", "what has happened", _log),
    Command(("board",), "", "the table again", _board, is_begun),
    Command(("who",), "[NAME]", "who is at the table; or all of a place, a card, a player", _who),
    Command(("where",), "[SEAT]", "where you or another seat stand", _where, is_begun),
    Command(
        ("undo",),
        "",
        "take back what has not been sent",
        _undo,
        lambda asked: asked.draft is not None and asked.draft.undoable,
    ),
    Command(("say",), "TEXT", "say something to the others", _say, has_company),
    Command(("mute",), "NAME", "do not hear somebody", lambda asked: _mute(asked, True), has_company),
    Command(
        ("unmute",), "NAME", "hear them again", lambda asked: _mute(asked, False), lambda asked: bool(asked.model.muted)
    ),
    *WISHES,
    Command(("rematch",), "", "play once more, as offered", _rematch, _has_offer),
    Command(("quit", "exit"), "", "stop here; the match is saved and can be resumed", lambda _: Reply(request=Quit())),
    Command(("detach",), "", "leave this window; your node stays at the table", lambda _: Reply(request=Detach())),
)

_BY_NAME = {name: command for command in COMMANDS for name in command.names}
