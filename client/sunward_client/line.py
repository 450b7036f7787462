"""The line client: attaches to a node, tells what happens, and sends what a person chooses.

Must never decide what a line or an event means: `prompt` and `model` do; here is only the waiting for both.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sunward_client.boards import ending, screen
from sunward_client.events import Act, Detach, Event, Quit, Refused, Rewound
from sunward_client.link import Link
from sunward_client.model import Model, update
from sunward_client.prompt import Draft, answer, complete, draft, menu, waiting
from sunward_client.terminal import Face, Terminal

HISTORY_SHOWN = 8
"""Sentences of a longer history that a terminal shows at once; `log` has the rest, and a pipe gets all of it."""


class End(Enum):
    """Why a client left its node."""

    OVER = "the match is over"
    QUIT = "the person stopped the node"
    DETACHED = "the person left, the node plays on"
    INPUT_ENDED = "there was no more input"
    INTERRUPTED = "Ctrl-C"
    NODE_LOST = "the node went away"


_WHY: Mapping[End, Sequence[str]] = {
    End.INPUT_ENDED: ("The input ended before the match did.",),
    End.INTERRUPTED: ("Interrupted.",),
    End.NODE_LOST: ("The node stopped.",),
}
"""What is said of an end that the person did not ask for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended; `file` is the match file once the match is over."""

    end: End
    file: str | None = None


async def attach(
    path: str,
    *,
    plain: bool = False,
    ascii: bool = False,  # noqa: A002 - as the flag is called
    resume: str = "",
    stop_node: bool = True,
) -> Outcome:
    """Play on the node that listens at `path` until the match is over or the person leaves.

    `resume` is the command that starts the node again, a format string with the match's id as `{match}`; `stop_node`
    says whether the end of input and Ctrl-C stop the node as well. If the task is cancelled (Ctrl-C without a
    terminal), the parting words are said and the cancellation goes on. Raises `LocalError` if there is no node or it
    cannot be understood.
    """
    link = await Link.open(path)
    terminal = Terminal.find(plain=plain, ascii=ascii)
    session = _Session(link, path, Model(terminal.look), resume, stop_node)
    try:
        async with terminal.open(session.suggest) as face:
            return await session.run(face)
    finally:
        await link.close()


class _Session:
    def __init__(self, link: Link, path: str, model: Model, resume: str, stop_node: bool) -> None:
        self._link = link
        self._path = path
        self._model = model
        self._resume = resume
        self._stop_node = stop_node
        self._draft: Draft | None = None
        self._offered = -1

    def suggest(self, text: str) -> list[str]:
        return complete(self._model, self._draft, text)

    async def run(self, face: Face) -> Outcome:
        try:
            end = await self._play(face)
        except asyncio.CancelledError:
            await self._part(face, End.INTERRUPTED)
            raise
        await self._part(face, end)
        return Outcome(end, self._model.file)

    async def _play(self, face: Face) -> End:
        """Serve node and person in turn, the node first: a person should answer what is, not what was."""
        # Tasks and not a TaskGroup, which would hide the sentence of an error inside a group of errors.
        node: asyncio.Task[list[Event]] = asyncio.create_task(self._link.read())
        person: asyncio.Task[str | End] | None = None
        try:
            while True:
                face.ask(self._wanted())
                if person is None and (face.eager or self._draft is not None):
                    person = asyncio.create_task(_line(face))
                tasks: list[asyncio.Task[object]] = [node, person] if person else [node]
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                if node.done():
                    events = node.result()
                    if not events:
                        return End.NODE_LOST
                    node = asyncio.create_task(self._link.read())
                    await self._hear(face, events)
                    if self._model.over:
                        return End.OVER
                elif person is not None:
                    line, person = person.result(), None
                    end = line if isinstance(line, End) else await self._obey(face, line)
                    if end is not None:
                        return end
        finally:
            await _stop(node)
            await _stop(person)

    async def _hear(self, face: Face, events: Sequence[Event]) -> None:
        news: list[str] = []
        for event in events:
            self._model = update(self._model, event)
            news += self._model.news
            if isinstance(event, Refused | Rewound):
                self._draft, self._offered = None, -1
        if face.eager and len(news) > 4 * HISTORY_SHOWN:
            news = [f"({len(news) - HISTORY_SHOWN} earlier lines: log {len(self._model.log)})", *news[-HISTORY_SHOWN:]]
        await face.show(news)
        turn = self._model.turn
        if turn is None or not self._model.mine:
            self._draft = None
        elif turn.step != self._offered and (held := draft(self._model)) is not None:
            self._draft, self._offered = held, turn.step
            face.call()
            await face.show([*screen(self._model, face.width), *menu(self._model, held, face.width)])

    async def _obey(self, face: Face, line: str) -> End | None:
        reply = answer(self._model, self._draft, line, face.width)
        self._draft = reply.draft
        await face.show(reply.lines)
        match reply.request:
            case None:
                return None
            case Quit():
                return End.QUIT
            case Detach():
                return End.DETACHED
            case Act() as act:
                await self._link.send(act)
                return None

    def _wanted(self) -> str:
        if self._draft is not None and self._model.match is not None:
            return f"{self._model.match.names[self._draft.seat]}, your choice"
        return waiting(self._model)

    async def _part(self, face: Face, end: End) -> None:
        """Tell the node what it has to know, and the person what becomes of the match."""
        if end is End.OVER:
            await self._link.send(Detach())
            await face.show(["", *screen(self._model, face.width), *ending(self._model)])
            return
        stopped = end in (End.QUIT, End.NODE_LOST) or (end is not End.DETACHED and self._stop_node)
        await self._link.send(Quit() if stopped else Detach())
        await face.show([*_WHY.get(end, ()), self._saved() if stopped else self._left()])

    def _saved(self) -> str:
        match = self._model.match
        if match is None:
            return "The match had not begun: nothing is lost."
        if not self._resume:
            return "The match is saved: start its node again to go on."
        return f"The match is saved. Go on with: {self._resume.format(match=match.id)}"

    def _left(self) -> str:
        return f"Your node stays at the table. Come back with: sunward attach {self._path}"


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
