"""Where a person sits: a terminal with line editing, or plain lines in and out.

Must never know what a line means; both faces offer the same few verbs, so that a session does not care which it has.
"""

import asyncio
import codecs
import contextlib
import os
import shutil
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.renderer import print_formatted_text
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import default_ui_style

from sunward_client.columns import fit
from sunward_client.theme import SEATS, Look

Suggest = Callable[[str], Sequence[str]]
"""What whole lines begin with this text?"""


class Face(Protocol):
    """How a session talks with its person."""

    @property
    def eager(self) -> bool:
        """Whether lines are read at any time, or only when one is wanted: then a pipe always gives the same text."""
        ...

    @property
    def width(self) -> int:
        """Columns a line may have now."""
        ...

    async def show(self, lines: Iterable[str]) -> None:
        """Put lines on the screen, above whatever is being typed."""
        ...

    def ask(self, text: str) -> None:
        """Say in front of the next line, or the one being typed, and in the title, what is wanted."""
        ...

    async def read(self) -> str:
        """Return the next line; raise EOFError at the end of input and KeyboardInterrupt on Ctrl-C."""
        ...

    def call(self) -> None:
        """Call the person: it is their turn."""
        ...


@dataclass(frozen=True, slots=True)
class Terminal:
    """Which face and which characters fit where this process runs."""

    plain: bool
    look: Look

    @classmethod
    def find(cls, *, plain: bool, ascii: bool) -> "Terminal":  # noqa: A002 - as the flag is called
        """Look at the standard streams and the environment; the flags only ever ask for less."""
        dumb = os.environ.get("TERM", "dumb" if os.name == "posix" else "") in ("dumb", "unknown")
        interactive = sys.stdin.isatty() and sys.stdout.isatty() and not dumb
        plain = plain or not interactive
        return cls(plain, Look(ascii or not _shows_glyphs(sys.stdout), lists=plain))

    @asynccontextmanager
    async def open(self, suggest: Suggest) -> AsyncGenerator[Face, None]:
        """Give the face that fits, and the terminal back as it was."""
        if self.plain:
            yield PlainFace(sys.stdin.fileno(), sys.stdout, self.look, eager=sys.stdin.isatty())
        else:
            face = PromptFace(self.look, suggest)
            try:
                yield face
            finally:
                face.close()


def columns() -> int:
    """Return the width of the terminal, 80 where there is none; COLUMNS overrides both."""
    return shutil.get_terminal_size().columns


def write(out: TextIO, lines: Iterable[str]) -> None:
    """Write plain lines; a character that the stream cannot carry becomes a question mark."""
    for line in lines:
        out.write(line.encode(out.encoding, "replace").decode(out.encoding) + "\n")
    out.flush()


def _shows_glyphs(stream: TextIO) -> bool:
    """Python writes UTF-8 even in the C locale, but whoever chose that locale has asked for ASCII."""
    chosen = [value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := os.environ.get(name))]
    if chosen and chosen[0] in ("C", "POSIX"):
        return False
    try:
        "".join(seat.glyph for seat in SEATS).encode(stream.encoding)
    except UnicodeEncodeError:
        return False
    return True


class PlainFace:
    """Lines and nothing else: no escape codes, no cursor, the same text every time."""

    def __init__(self, fd: int, out: TextIO, look: Look, *, eager: bool) -> None:
        self.eager = eager
        self._fd = fd
        self._out = out
        self._look = look
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reading = False
        self._prompts = eager and out.isatty()
        self._prompted = False

    @property
    def width(self) -> int:
        return columns()

    async def show(self, lines: Iterable[str]) -> None:
        shown = [self._look.fold(line) for line in lines]
        if shown:
            self._below_prompt()
        write(self._out, shown)

    def ask(self, text: str) -> None:
        """Show a terminal that a line can be typed; what is wanted stands in the lines already shown."""
        if self._prompts and not self._prompted:
            self._prompted = True
            self._out.write("> ")
            self._out.flush()

    def _below_prompt(self) -> None:
        if self._prompted:
            self._prompted = False
            self._out.write("\n")

    async def read(self) -> str:
        if not self._reading:
            self._reading = True
            # A thread, since an event loop cannot wait for a regular file; a daemon that reads the descriptor itself,
            # since a thread blocked inside sys.stdin would hold a lock that the interpreter wants when it ends.
            threading.Thread(target=self._pump, args=(asyncio.get_running_loop(),), daemon=True).start()
        line = await self._lines.get()
        self._prompted = False
        if line is None:
            raise EOFError
        return line

    def call(self) -> None:
        """Say it in a line: no bell into a pipe."""
        self._below_prompt()
        write(self._out, ["", "Your turn."])

    def _pump(self, loop: asyncio.AbstractEventLoop) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        # RuntimeError: the loop has closed, nobody listens any more.
        with contextlib.suppress(OSError, RuntimeError):
            while chunk := os.read(self._fd, 4096):
                *lines, rest = (rest + decoder.decode(chunk)).split("\n")
                for line in lines:
                    loop.call_soon_threadsafe(self._lines.put_nowait, line)
        with contextlib.suppress(RuntimeError):
            if rest:
                loop.call_soon_threadsafe(self._lines.put_nowait, rest)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)


class _Suggestions(Completer):
    def __init__(self, suggest: Suggest) -> None:
        self._suggest = suggest

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        typed = document.text_before_cursor
        for line in self._suggest(typed):
            yield Completion(line, start_position=-len(typed))


class PromptFace:
    """A terminal: history, completion with Tab, colours, and news that appear above the line being typed."""

    eager = True

    def __init__(self, look: Look, suggest: Suggest) -> None:
        self._look = look
        self._text = ""
        self._session: PromptSession[str] = PromptSession(
            message=lambda: FormattedText(look.tint(self._text)),
            completer=_Suggestions(suggest),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            enable_suspend=True,
        )
        self._output = self._session.app.output
        # The default depth honours NO_COLOR.
        self._depth = ColorDepth.from_env() or self._output.get_default_color_depth()

    @property
    def width(self) -> int:
        return self._output.get_size().columns

    async def show(self, lines: Iterable[str]) -> None:
        text = FormattedText(self._look.tint("".join(part + "\n" for line in lines for part in fit(line, self.width))))

        def print_above() -> None:
            print_formatted_text(self._output, text, default_ui_style(), color_depth=self._depth)

        await run_in_terminal(print_above)

    def ask(self, text: str) -> None:
        prompt = f"{text}> "
        if prompt != self._text:
            self._text = prompt
            self._output.set_title(self._look.fold(f"Sunward: {text}"))
            self._output.flush()
            self._session.app.invalidate()

    async def read(self) -> str:
        return await self._session.prompt_async()

    def call(self) -> None:
        self._output.bell()
        self._output.flush()

    def close(self) -> None:
        """Take the title back."""
        self._output.clear_title()
        self._output.flush()
