"""What the command line offers, read off its parser, and the manual page made of that.

Must never say anything of a command that its parser does not: one declaration feeds help and manual.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from sunward.cli import COMMANDS, parser
from sunward.exits import Exit

_ENVIRONMENT = (
    ("SUNWARD_HOME", "one folder for everything, in place of the system's folders for settings, data and state"),
    ("SUNWARD_PASSPHRASE", "the passphrase of the key file"),
    ("SUNWARD_*", "a setting by its name, as SUNWARD_DISCOVERY=no; stronger than the settings file"),
    ("NO_COLOR", "no colours"),
)


@dataclass(frozen=True, slots=True)
class Argument:
    """A flag with its spellings, or an operand with none; `value` is what stands for its value, empty for a switch."""

    spellings: Sequence[str]
    value: str
    help: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Page:
    """One command, or, without a name, what comes before any."""

    name: str
    help: str
    arguments: Sequence[Argument]
    examples: Sequence[str]

    @property
    def flags(self) -> Sequence[Argument]:
        """The arguments that begin with a hyphen."""
        return [argument for argument in self.arguments if argument.spellings]

    @property
    def operands(self) -> Sequence[Argument]:
        """The arguments that do not."""
        return [argument for argument in self.arguments if not argument.spellings]


def pages() -> tuple[Page, Sequence[Page]]:
    """Return what comes before a command, and each command that help lists."""
    top = parser()
    parsers = {name: sub for action in actions_of(top) for name, sub in commands_of(action).items()}
    own = [argument for action in actions_of(top) if not commands_of(action) for argument in _read(action)]
    listed = [
        Page(
            command.name,
            command.help,
            [argument for action in actions_of(parsers[command.name]) for argument in _read(action)],
            command.examples,
        )
        for command in COMMANDS
        if not command.hidden
    ]
    return Page("", (top.description or "").partition("\n")[0], own, ()), listed


def commands_of(action: argparse.Action) -> Mapping[str, argparse.ArgumentParser]:
    """Return the parser of each command, if the action is the one that chooses a command."""
    choices: object = action.choices
    return cast("Mapping[str, argparse.ArgumentParser]", choices) if isinstance(choices, Mapping) else {}


def actions_of(of: argparse.ArgumentParser) -> Sequence[argparse.Action]:
    """Return the arguments that a parser was given."""
    return of._actions  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (argparse has no other way to ask)


def _read(action: argparse.Action) -> Iterator[Argument]:
    if action.help != argparse.SUPPRESS:
        value = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
        help_text = (action.help or "") % {"default": action.default}
        yield Argument(
            action.option_strings, "" if action.nargs == 0 else str(value), help_text, action.nargs in ("?", "*")
        )


def manual(version: str) -> str:
    """Return the manual page of sunward(1) as troff, for man(1) to show (groff's man macros)."""
    top, commands = pages()
    everywhere = [flag.spellings for flag in top.flags]
    commands = [
        replace(page, arguments=[own for own in page.arguments if own.spellings not in everywhere]) for page in commands
    ]
    lines = [
        f'.TH SUNWARD 1 "" "Sunward {version}" "User Commands"',
        ".SH NAME",
        f"sunward \\- {_text(top.help.rstrip('.').lower())}",
        ".SH SYNOPSIS",
        "\n.br\n".join(f".B sunward {page.name}\n{_text(_synopsis(page))}".rstrip() for page in commands),
        ".SH COMMANDS",
    ]
    for page in commands:
        lines += [f".SS {page.name}", _text(f"{page.help.capitalize()}."), *_arguments(page)]
        if page.examples:
            lines += [".PP", "For example:", ".RS", ".nf", *map(_text, page.examples), ".fi", ".RE"]
    lines += [".SH OPTIONS", *_arguments(top), ".SH EXIT STATUS"]
    for code in Exit:
        lines += [".TP", f".B {code.value}", _text(code.name.lower().replace("_", " "))]
    lines.append(".SH ENVIRONMENT")
    for name, meaning in _ENVIRONMENT:
        lines += [".TP", f".B {name}", _text(meaning)]
    return "\n".join(lines) + "\n"


def _synopsis(page: Page) -> str:
    flags = [f"[{argument.spellings[-1]}{' ' if argument.value else ''}{argument.value}]" for argument in page.flags]
    operands = [f"[{operand.value}]" if operand.optional else operand.value for operand in page.operands]
    return " ".join([*operands, *flags])


def _arguments(page: Page) -> Iterator[str]:
    for argument in (*page.operands, *page.flags):
        names = ", ".join(argument.spellings) or argument.value
        value = f" {argument.value}" if argument.spellings and argument.value else ""
        yield from (".TP", f".B {_text(names + value)}", _text(argument.help))


def _text(text: str) -> str:
    """Return text that troff takes for nothing but text, its hyphens as they are typed (groff_man_style(7))."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    ascii_only = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in escaped)
    return f"\\&{ascii_only}" if ascii_only[:1] in (".", "'") else ascii_only
