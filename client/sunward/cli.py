"""The commands and their flags, declared in one table and made into a parser.

Must never import what a command needs: the parser is built before the command is known, and help has to be quick.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sunward_node.program import program, typed


@dataclass(frozen=True, slots=True)
class Argument:
    """One flag (its spellings) or operand (one name), and what argparse is told about it."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]


def _argument(*names: str, **settings: Any) -> Argument:
    return Argument(names, settings)


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand; `sunward.commands.<name>` has its `run(options) -> int`. A hidden one is for sunward itself."""

    name: str
    help: str
    arguments: tuple[Argument, ...]
    examples: tuple[str, ...] = ()
    hidden: bool = False


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no count: give a whole number, 1 or more")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name: give names and commas, as greedy,random,random")
    return names


def _setting(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not name or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is no option: give NAME=VALUE, as mats=advanced")
    return name, value


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.0 < found <= 600.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time to wait: give seconds, up to 600")
    return found


_FRAMES = 30
"""Seconds that a node may take in all for what it sends by itself, where there are clocks: it needs some hundredths."""
_LONGEST = 10**6
"""Seconds of a bank or an increment: eleven days."""


def _clock(text: str) -> dict[str, int]:
    if text == "off":
        return {}
    parts = text.split("+")
    if len(parts) != 2 or not all(part.isdecimal() and int(part) <= _LONGEST for part in parts) or int(parts[0]) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no clock: give BANK+INCREMENT in seconds, as 300+30, or off")
    return {"bank": int(parts[0]), "increment": int(parts[1]), "frames": _FRAMES}


_GAME = _argument("--game", default="around", help="which game (around)")
_SEATS = _argument("--seats", type=_count, default=4, metavar="N", help="how many play (4)")
_BOTS = _argument(
    "--bots", type=_names, default=("greedy",), metavar="A,B,...", help="the bots, the last one repeated (greedy)"
)
_COMPONENTS = _argument("--components", metavar="FILE", help="play with this component file, not the game's own")
_OPTION = _argument(
    "--option",
    dest="settings",
    type=_setting,
    action="append",
    default=[],
    metavar="NAME=VALUE",
    help="an option of the game, as mats=advanced; may be given again for another",
)
_CLOCK = _argument(
    "--clock",
    type=_clock,
    default={},
    metavar="BANK+INCREMENT",
    help="seconds to think for each seat, and more each time one is asked anew, as 300+30; off: nobody is timed (off)",
)
_JSON = _argument("--json", action="store_true", help="print JSON instead of sentences")
_PLAIN = _argument("--plain", action="store_true", help="lines and sentences only: for pipes and screen readers")
_ASCII = _argument("--ascii", action="store_true", help="no other characters than ASCII")
_MATCH = _argument("match", metavar="MATCH", help="a match file, or the beginning of a match's id")
_INVITE = _argument("invite", metavar="INVITE", nargs="*", help="the line that the host gave you")
_LISTEN = _argument("--listen", metavar="ADDR", help="where to listen: HOST, HOST:PORT or :PORT (everywhere, any port)")
_NAME = _argument("--name", metavar="NAME", help="what the others see (the setting name, or your login)")
_READY = _argument("--ready", action="store_true", help="be ready to begin without being asked")
COMMANDS: Sequence[Command] = (
    Command(
        "play",
        "play a match against bots",
        (_GAME, _SEATS, _BOTS, _OPTION, _COMPONENTS, _CLOCK, _PLAIN, _ASCII),
        (
            "sunward play",
            "sunward play --seats 3 --bots greedy,random",
            "sunward play --game beyond --option mats=advanced --option factions=chosen",
        ),
    ),
    Command(
        "host",
        "open a table for others on this network or beyond",
        (
            _GAME,
            _SEATS,
            _argument("--bots", type=_names, default=(), metavar="A,B,...", help="bots of yours at the table (none)"),
            _OPTION,
            _COMPONENTS,
            _CLOCK,
            _LISTEN,
            _NAME,
            _argument("--private", action="store_true", help="do not announce the table on this network"),
            _argument("--no-qr", action="store_true", help="show no QR code of the invite"),
            _READY,
            _PLAIN,
            _ASCII,
        ),
        ("sunward host --seats 3", "sunward host --seats 4 --bots greedy --private", "sunward host --clock 300+30"),
    ),
    Command(
        "join",
        "sit down at somebody's table: by an invite, or one of those on this network",
        (_INVITE, _LISTEN, _NAME, _READY, _PLAIN, _ASCII),
        ("sunward join", "sunward join sunward1-..."),
    ),
    Command(
        "bot",
        "let a bot without a screen take a seat",
        (
            _INVITE,
            _argument("--lan", action="store_true", help="take public tables on this network"),
            _argument("--level", default="greedy", metavar="BOT", help="which bot (greedy)"),
            _NAME,
            _argument("--forever", action="store_true", help="with --lan: take table after table until stopped"),
            _argument("--tables", type=_count, default=4, metavar="N", help="play at most so many at once (4)"),
            _LISTEN,
        ),
        ("sunward bot sunward1-...", "sunward bot --lan --forever"),
    ),
    Command(
        "resume",
        "go on with a match that was left",
        (
            _argument("match", metavar="MATCH", nargs="?", help="the beginning of its id (the match played last)"),
            _argument("--at", metavar="ADDR", help="where one of the others listens now: HOST:PORT"),
            _PLAIN,
            _ASCII,
        ),
        ("sunward resume",),
    ),
    Command(
        "rejoin",
        "come back to a match whose files you lost, or from another machine, with your identity's key",
        (
            _argument("invite", metavar="INVITE", nargs="+", help="what one of the others is shown by: invite"),
            _LISTEN,
            _PLAIN,
            _ASCII,
        ),
        ("sunward rejoin sunward1-...",),
    ),
    Command("matches", "list the matches that this machine has seats of", (_JSON,), ("sunward matches",)),
    Command(
        "people",
        "list the people whom you met, and give them names of your own",
        (
            _argument(
                "what",
                nargs="?",
                choices=("list", "name", "rename", "forget"),
                default="list",
                help="list them, or: name NAME WORDS-or-KEY, rename OLD NEW, forget NAME",
            ),
            _argument("operands", metavar="NAME", nargs="*", help="the names and words that go with it"),
            _JSON,
        ),
        ("sunward people", "sunward people name Ann cedar-fox-violet-iron"),
    ),
    Command(
        "demo",
        "watch bots play a whole match over the network of this machine, and verify it",
        (_GAME, _SEATS, _BOTS, _OPTION, _COMPONENTS, _CLOCK, _JSON),
        ("sunward demo --seats 4",),
    ),
    Command(
        "arena",
        "let bots play many matches in one process and count who wins",
        (
            _GAME,
            _argument(
                "--bots",
                type=_names,
                default=("greedy", "random", "random", "random"),
                metavar="A,B,…",
                help="the bots, one a seat (greedy,random,random,random)",
            ),
            _OPTION,
            _COMPONENTS,
            _argument("--matches", type=_count, default=400, metavar="N", help="how many matches (400)"),
            _argument("--seed", default="0", help="the same seed gives the same matches (0)"),
            _argument("--jobs", type=_count, metavar="N", help="how many processes (one a core)"),
            _argument("--export", metavar="DIR", help="write each match into this folder as JSON Lines"),
            _JSON,
        ),
        ("sunward arena --bots greedy,random,random,random --matches 400",),
    ),
    Command("verify", "check every signature, draw and action of a match", (_MATCH, _JSON), ("sunward verify MATCH",)),
    Command(
        "desync",
        "read what was written down when two replicas went apart; with both sides' files, say what differs first",
        (
            _argument("file", metavar="FILE", help="desync-STEP.json, from beside a match file"),
            _argument("other", metavar="OTHER", nargs="?", help="the other side's file of the same step"),
        ),
        ("sunward desync desync-17.json theirs.json",),
    ),
    Command("replay", "step through a match", (_MATCH, _PLAIN, _ASCII), ("sunward replay MATCH",)),
    Command("export", "print a match for other tools", (_MATCH, _JSON), ("sunward export MATCH --json",)),
    Command(
        "attach",
        "sit down again at a running node of yours",
        (_argument("socket", metavar="SOCKET", help="the socket that the node printed"), _PLAIN, _ASCII),
        ("sunward attach SOCKET",),
    ),
    Command(
        "tables",
        "list the open tables on this network",
        (
            _argument("--wait", type=_seconds, default=3.0, metavar="SECONDS", help="how long to look for them (3)"),
            _JSON,
        ),
        ("sunward tables",),
    ),
    Command(
        "doctor",
        "look for what could keep you from playing, and say the cure",
        (
            _LISTEN,
            _JSON,
        ),
        ("sunward doctor",),
    ),
    Command(
        "completion",
        "print what makes a shell complete these commands",
        (_argument("shell", choices=("bash", "zsh", "fish"), help="the shell"),),
        ("sunward completion bash > ~/.local/share/bash-completion/completions/sunward",),
    ),
    Command("manual", "print the manual page", (), ("sunward manual | man -l -",)),
    Command("node", "run one node, told what to do on its standard input", (), hidden=True),
)


class _Version(argparse.Action):
    """Looks the version up only when asked: importlib.metadata is slow to import."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"sunward {version('sunward')}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line; `options.command` is the name of the command chosen."""
    examples = tuple(example for command in COMMANDS for example in command.examples)
    top = argparse.ArgumentParser(program(), **_page("Board games between peers, with no server at all.", examples))
    top.add_argument("--version", nargs=0, action=_Version, help="print the version")
    _add_volume(top, verbose=False, quiet=False)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    top.set_defaults(command="overview")
    for command in COMMANDS:
        page = _page(command.help.capitalize() + ".", command.examples)
        if not command.hidden:
            # A subparser without help is not listed.
            page["help"] = command.help
        sub = commands.add_parser(command.name, **page)
        for argument in command.arguments:
            sub.add_argument(*argument.names, **argument.settings)
        # No default of its own here: -v before the command counts as well.
        _add_volume(sub, verbose=argparse.SUPPRESS, quiet=argparse.SUPPRESS)
    return top


def _page(description: str, examples: Sequence[str]) -> dict[str, Any]:
    """Return what makes argparse's help begin with the examples."""
    lines = "".join(f"  {typed(example.removeprefix('sunward '))}\n" for example in examples)
    return {
        "description": description + (f"\n\nexamples:\n{lines.rstrip()}" if examples else ""),
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }


def _add_volume(to: argparse.ArgumentParser, **defaults: object) -> None:
    to.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        default=defaults["verbose"],
        help="say more; show the traceback of an error",
    )
    to.add_argument("-q", "--quiet", action="store_true", default=defaults["quiet"], help="say only what went wrong")
