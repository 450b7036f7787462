"""The line client: attaches to a node, tells what happens, and sends what a person chooses.

Must never decide what a line or an event means: `prompt` and `model` do; here is only the waiting for both.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sunward_client.agreeing import clocked
from sunward_client.boards import board_of, digest, ending, screen
from sunward_client.choices import Draft, draft
from sunward_client.columns import fit
from sunward_client.command import Reply
from sunward_client.events import Changed, Event, Invite, Refused, Rewound, Trouble
from sunward_client.following import update
from sunward_client.link import Link
from sunward_client.model import Model, named, waiting
from sunward_client.prompt import answer, complete, is_command, offer
from sunward_client.requests import Detach, Quit
from sunward_client.requests import Invite as ShowInvite
from sunward_client.terminal import Face, Terminal
from sunward_client.theme import SEATS
from sunward_protocol.games.game import Seat

HISTORY_SHOWN = 8
"""Sentences of a longer history that a terminal shows at once; `log` has the rest, and a pipe gets all of it."""

_UNBROKEN = 10_000
"""Columns in which no sentence is broken."""

TICK = 1.0
"""Seconds between two looks at the clock while somebody is away."""


class End(Enum):
    """Why a client left its node."""

    OVER = "the match is over"
    QUIT = "the person stopped the node"
    DETACHED = "the person left, the node plays on"
    INPUT_ENDED = "there was no more input"
    INTERRUPTED = "Ctrl-C"
    NODE_LOST = "the node went away"
    REMATCH = "the person goes on to another match"


_WHY: Mapping[End, Sequence[str]] = {
    End.INPUT_ENDED: ("The input ended before the match did.",),
    End.INTERRUPTED: ("Interrupted.",),
    End.NODE_LOST: ("The node stopped.",),
}
"""What is said of an end that the person did not ask for."""

_NOT_LET_IN = ("The input ended before you were let in.",)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended; `file` is the match file once the match is over, `invite` the table of a rematch."""

    end: End
    file: str | None = None
    invite: str | None = None


async def attach(
    path: str,
    *,
    plain: bool = False,
    ascii: bool = False,  # noqa: A002 - as the flag is called
    resume: str,
    again: str,
    stop_node: bool = True,
) -> Outcome:
    """Play on the node that listens at `path` until the match is over or the person leaves.

    `resume` is the command that starts the node again, a format string with the match's id as `{match}`, and `again`
    that which attaches to it, with its socket as `{path}`; `stop_node` says whether the end of input and Ctrl-C stop
    the node as well. If the task is cancelled (Ctrl-C without a terminal), the parting words are said and the
    cancellation goes on. Raises `LocalError` if there is no node or it cannot be understood.
    """
    link = await Link.open(path)
    terminal = Terminal.find(plain=plain, ascii=ascii)
    session = _Session(link, Model(terminal.look), resume, again.format(path=path), stop_node)
    try:
        async with terminal.open(session.suggest) as face:
            return await session.run(face)
    finally:
        await link.close()


class _Session:
    def __init__(self, link: Link, model: Model, resume: str, again: str, stop_node: bool) -> None:
        self._link = link
        self._model = model
        self._resume = resume
        self._again = again
        self._stop_node = stop_node
        self._draft: Draft | None = None
        self._offered = -1
        self._welcomed = False
        self._table: Sequence[str] = ()
        self._away: dict[Seat, float] = {}
        self._invite: str | None = None
        self._asking = False
        """Whether the node was asked something that it has yet to answer: no line is read before."""

    def suggest(self, text: str) -> list[str]:
        return complete(self._model, self._draft, text)

    async def run(self, face: Face) -> Outcome:
        try:
            end = await self._play(face)
        except asyncio.CancelledError:
            await self._part(face, End.INTERRUPTED)
            raise
        await self._part(face, end)
        return Outcome(end, self._model.file, self._invite)

    async def _play(self, face: Face) -> End:
        """Serve node and person in turn, the node first: a person should answer what is, not what was."""
        # Tasks and not a TaskGroup, which would hide the sentence of an error inside a group of errors.
        node: asyncio.Task[list[Event]] | None = asyncio.create_task(self._link.read())
        person: asyncio.Task[str | End] | None = None
        try:
            while True:
                face.ask(self._wanted())
                wanted = face.eager or self._draft is not None or self._between()
                if person is None and wanted and not self._asking:
                    person = asyncio.create_task(_line(face))
                heard = person if person is not None and not self._keeps(face, person) else None
                tasks: list[asyncio.Task[object]] = [task for task in (node, heard) if task is not None]
                await asyncio.wait(tasks, timeout=TICK if self._away else None, return_when=asyncio.FIRST_COMPLETED)
                if node is not None and node.done():
                    events = node.result()
                    if not events or any(isinstance(event, Invite | Refused | Trouble) for event in events):
                        self._asking = False
                    node = asyncio.create_task(self._link.read()) if events else None
                    if not events and not self._model.over:
                        return End.NODE_LOST
                    if not events:
                        await face.show(["The table has closed; log and board still answer."] if face.eager else [])
                    await self._hear(face, events)
                    if self._model.over and not face.eager:
                        return End.OVER
                elif heard is not None and heard.done() and not self._keeps(face, heard):
                    line, person = heard.result(), None
                    end = line if isinstance(line, End) else await self._obey(face, line)
                    if end is not None:
                        return End.OVER if self._model.over and end is not End.REMATCH else end
        finally:
            await _stop(node)
            await _stop(person)

    def _keeps(self, face: Face, person: "asyncio.Task[str | End]") -> bool:
        """Whether a line read too early from a pipe waits for its turn: between turns an action has no meaning yet."""
        if face.eager or self._draft is not None or not person.done():
            return False
        line = person.result()
        if isinstance(line, End):
            return not self._model.outside
        return not (self._between() and is_command(line))

    def _between(self) -> bool:
        """Whether only commands mean anything: among people in a lobby, outside, or while nothing is asked of us."""
        return (self._model.gathering and self._model.company) or self._model.outside or self._model.halted

    async def _hear(self, face: Face, events: Sequence[Event]) -> None:
        news: list[str] = []
        ended = self._model.over
        for event in events:
            self._model = update(self._model, event)
            news += self._model.news
            if isinstance(event, Refused | Rewound | Changed):
                self._draft, self._offered = None, -1
        now = asyncio.get_running_loop().time()
        self._away = {seat: self._away.get(seat, now) for seat in self._model.missed}
        if face.eager and len(news) > 4 * HISTORY_SHOWN:
            news = [f"({len(news) - HISTORY_SHOWN} earlier lines: log {len(self._model.log)})", *news[-HISTORY_SHOWN:]]
        if news:
            await face.show(news)
        turn = self._model.turn
        if turn is None or not self._model.mine:
            self._draft = None
        elif turn.step != self._offered and (held := draft(self._model)) is not None:
            self._draft, self._offered = held, turn.step
            face.call()
            await face.show([*self._shown(face), *self._welcome(), *offer(self._model, held, face.width)])
        if self._model.over and not ended:
            back = ["Look back with log, board and who; quit leaves."] if face.eager else []
            await face.show(["", *screen(self._model, face.width), *back, *ending(self._model, face.width)])

    def _shown(self, face: Face) -> Iterable[str]:
        """Return the table and what the others did; as sentences, only what is not as it was shown last."""
        if not self._model.look.lists:
            return [*screen(self._model, face.width), *digest(self._model)]
        last, self._table = self._table, screen(self._model, _UNBROKEN)
        return [part for line in self._table if line not in last for part in fit(line, face.width)]

    def _welcome(self) -> Iterable[str]:
        """Tell a person once who they are and how to begin."""
        match = self._model.match
        if self._welcomed or match is None or match.you is None:
            return []
        self._welcomed = True
        you = f"You are {match.names[match.you][:2]} {SEATS[match.you].colour}."
        return [f"{you} {board_of(self._model).opening}; type a number, ? for help, or rules."]

    async def _obey(self, face: Face, line: str) -> End | None:
        reply = answer(self._model, self._draft, line, face.width)
        self._draft = reply.draft
        if reply.muted is not None:
            self._model = replace(self._model, muted=reply.muted)
        await face.show(reply.lines)
        return await self._ask(reply)

    async def _ask(self, reply: Reply) -> End | None:
        """Pass on what a reply asks of the node, and return how it ends the session."""
        if reply.invite is not None:
            self._invite = reply.invite
            return End.REMATCH
        match reply.request:
            case None:
                return None
            case Quit():
                return End.QUIT
            case Detach():
                return End.DETACHED
            case request:
                self._asking = isinstance(request, ShowInvite)
                await self._link.send(request)
                return None

    def _wanted(self) -> str:
        now = asyncio.get_running_loop().time()
        away = {seat: clocked(int(now - since)) for seat, since in self._away.items()}
        match = self._model.match
        if match is None or self._draft is None:
            return waiting(self._model, away)
        missing = ", ".join(f"{match.names[seat]} away {time}" for seat, time in away.items())
        return f"{named(self._model, self._draft.seat)}, your choice" + (f" ({missing})" if missing else "")

    async def _part(self, face: Face, end: End) -> None:
        """Tell the node what it has to know, and the person what becomes of the match."""
        if end in (End.OVER, End.REMATCH):
            await self._link.send(Detach())
            return
        stopped = end in (End.QUIT, End.NODE_LOST) or (end is not End.DETACHED and self._stop_node)
        await self._link.send(Quit() if stopped else Detach())
        why = _NOT_LET_IN if end is End.INPUT_ENDED and self._model.outside else _WHY.get(end, ())
        await face.show([*why, self._saved() if stopped else self._left()])

    def _saved(self) -> str:
        match = self._model.match
        if self._model.outside:
            return "Nothing is lost: the same command knocks again."
        if match is None:
            return "The match had not begun: nothing is lost." if self._model.lobby else "Nothing is lost."
        left = self._model.stalled if len(match.names) == 2 else ()
        won = f"{match.names[left[0]]} left: this counts here as won by you, and cannot be proved. " if left else ""
        return f"{won}The match is saved. Go on with: {self._resume.format(match=match.id)}"

    def _left(self) -> str:
        stays = "goes on knocking" if self._model.outside else "stays at the table"
        return f"Your node {stays}. Come back with: {self._again}"


async def _stop(task: asyncio.Task[object] | None) -> None:
    """Cancel a task and wait until it has let go of what it used."""
    if task is not None:
        task.cancel()
        await asyncio.wait([task])


async def _line(face: Face) -> str | End:
    # Caught here: a KeyboardInterrupt that leaves a task tears down the whole event loop.
    try:
        return await face.read()
    except EOFError:
        return End.INPUT_ENDED
    except KeyboardInterrupt:
        return End.INTERRUPTED
