"""The way in: chooses the command, runs it, and turns every ending into one sentence and an exit code.

Must never show a traceback for an error that this project foresaw, nor for any other unless -v asks for it.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from sunward.cli import parser
from sunward.exits import Exit, exit_for
from sunward_protocol.errors import SunwardError


class Options(Protocol):
    """What every command's options have."""

    command: str
    verbose: bool
    quiet: bool


class Runner(Protocol):
    """What a command's module has."""

    def run(self, options: Options) -> int: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (the process's own by default) and return its exit code."""
    _have_streams()
    options = cast("Options", parser().parse_args(arguments))
    try:
        code = _load(options).run(options)
        sys.stdout.flush()
    except SunwardError as error:
        return _complain(options, error, str(error), exit_for(error))
    except BrokenPipeError:
        # What is still buffered has no reader: without this the interpreter says so on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.CLOSED_PIPE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(options, error, f"{where}{error.strerror or error}.", Exit.LOCAL)
    except Exception as error:  # noqa: BLE001 - the last stop: whatever it is, a person reads one line
        sentence = (
            f"A mistake in sunward itself ({type(error).__name__}: {error}). Please report it, with -v for the details."
        )
        return _complain(options, error, sentence, Exit.BUG)
    return code


def _have_streams() -> None:
    """Give a process that was started without some of its standard streams (`<&-`) empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (until the process ends)


def _load(options: Options) -> Runner:
    if not options.quiet:
        import logging

        level = logging.DEBUG if options.verbose else logging.WARNING
        logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s: %(message)s")
    return cast("Runner", import_module(f"sunward.commands.{options.command}"))


def _complain(options: Options, error: BaseException, sentence: str, code: Exit) -> Exit:
    if options.verbose:
        import traceback

        traceback.print_exception(error)
    print(f"sunward: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
