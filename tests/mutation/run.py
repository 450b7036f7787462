#!/usr/bin/env python3
"""Mutation testing: one small change at a time to a module, and whether its tests notice.

    python tests/mutation/run.py [MODULE ...] [--jobs 2]

Works on a clone of what is committed, never on this tree. What no test notices is printed: kill it with a better test,
or say in docs/develop/mutation.md why it cannot matter.
"""

import argparse
import ast
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import hypothesis  # noqa: F401  # pyright: ignore[reportUnusedImport]  # imported once for all
import msgpack  # noqa: F401  # pyright: ignore[reportUnusedImport]
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: F401  # pyright: ignore[reportUnusedImport]

ROOT = Path(__file__).parents[2]
PACKAGE = "protocol/sunward_protocol"
PATIENCE = 60
"""Seconds of work, not of waiting for a core, until a change counts as noticed, since the tests do not end."""

_LOCKSTEP = ("steps", "liars", "repair", "presence")
_LOBBY = ("lobby_talking", "lobby_sealing", "lobby_gathering", "lobby")
_TABLE: Mapping[str, Sequence[str]] = {
    "steps": ("choosing", "moving_on", "owed", "beginnings", "given_up", "votes", "changes", *_LOCKSTEP),
    "past": ("past", "given_up"),
    "owing": ("owed", "changes"),
    "replica": ("replica", "presence", "liars", "forks", "repair", "steps", "changes"),
    "repair": ("repair", "forks", "steps"),
    "presence": ("presence", "repair"),
    "unlocked": ("unlocked", "changes", "votes"),
    "changes": ("claims", "agreeing", "words", "going_back", "changes", "votes"),
    "ways": ("ways", "votes"),
    "clocks": ("clocks", "changes"),
    "forks": ("forks",),
    "journal": ("journal", "changes", "votes", "steps"),
    "disputes": ("disputes", "liars", "steps", "repair"),
    "talk": ("lobby_talking", "presence"),
    "lobby": _LOBBY,
    "host": _LOBBY,
    "visitor": _LOBBY,
}
MODULES: Mapping[str, Sequence[str]] = {
    "encoding": ("protocol/test_encoding.py", "protocol/test_envelope.py"),
    "log": ("protocol/test_log.py", "protocol/test_audit.py", "protocol/table/test_repair.py"),
    "draws": ("protocol/test_draws.py", "protocol/table/test_steps.py"),
    "commitment": ("protocol/test_draws.py", "protocol/table/test_steps.py"),
    **{f"table/{name}": [f"protocol/table/test_{each}.py" for each in tests] for name, tests in _TABLE.items()},
}
"""The tests of each module that is mutated, from the quickest to notice on."""

_COMPARED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_CHANGED = (ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Constant, ast.IfExp, ast.stmt)
_VARIANTS = 4
"""Ways to change one node at most: a condition of three parts may lose each, or join them otherwise."""
_LEFT_OUT = (ast.Pass, ast.Assert, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.AnnAssign)


class Mutant(NamedTuple):
    """One changed module: its line, what was there, what is there now, and the whole text."""

    line: int
    before: str
    after: str
    text: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every change to a module, one at a time."""
    left_out = _types(ast.parse(source))
    for number, (was, is_inside) in enumerate(_nodes(ast.parse(source))):
        if not isinstance(was, _CHANGED) or number in left_out or (isinstance(was, ast.stmt) and not is_inside):
            continue
        for variant in range(_VARIANTS):
            tree = ast.parse(source)
            node = _nodes(tree)[number][0]
            if _change(tree, node, variant):
                after = "nothing" if isinstance(node, ast.stmt) else ast.unparse(node)
                yield Mutant(was.lineno, ast.unparse(was), after, ast.unparse(tree))


def _nodes(tree: ast.AST, is_inside: bool = False) -> list[tuple[ast.AST, bool]]:
    """Return every node, and whether it stands in a function, always in the same order; no texts of errors."""
    found = list[tuple[ast.AST, bool]]()
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.Raise | ast.JoinedStr):
            found += [(node, is_inside), *_nodes(node, is_inside or isinstance(node, ast.FunctionDef | ast.Lambda))]
    return found


def _types(tree: ast.Module) -> set[int]:
    """Return the numbers of the nodes that stand for types."""
    nodes = [node for node, _ in _nodes(tree)]
    types = list[ast.AST]()
    for node in nodes:
        types += [each for name in ("annotation", "returns") if (each := getattr(node, name, None)) is not None]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "cast"):
            types += node.args
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp | ast.Subscript):
            types.append(node.value)
    within = {id(each) for node in types for each in ast.walk(node)}
    return {number for number, node in enumerate(nodes) if id(node) in within}


def _change(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    """Change one node in place; return whether there was anything to change in this variant."""
    match node, variant:
        case ast.Compare(ops=[only]), 0:
            node.ops = [_COMPARED[type(only)]()]
        case ast.Compare(ops=[first, *more]), _ if variant <= len(more):
            ops = [first, *more]
            ops[variant] = _COMPARED[type(ops[variant])]()
            node.ops = ops
        case ast.BoolOp(), 0:
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.BoolOp(), _ if variant <= len(node.values):
            del node.values[variant - 1]
        case ast.BinOp(), 0 if type(node.op) in _COMPUTED:
            node.op = _COMPUTED[type(node.op)]()
        case ast.UnaryOp(op=ast.Not()), 0:
            node.op, node.operand = ast.UAdd(), ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        case ast.Constant(value=bool(value)), 0:
            node.value = not value
        case ast.Constant(value=int(value)), 0 | 1 if type(value) is int:
            node.value = value + (1, -1)[variant]
        case ast.IfExp(), 0:
            node.body, node.orelse = node.orelse, node.body
        case ast.stmt(), 0 if not isinstance(node, _LEFT_OUT) and not _is_text(node):
            _replace(tree, node)
        case _:
            return False
    return True


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _replace(tree: ast.Module, node: ast.stmt) -> None:
    for holder in ast.walk(tree):
        for block in ("body", "orelse", "finalbody"):
            held: list[ast.stmt] = getattr(holder, block, [])
            if type(held) is list and node in held:  # a lambda's body is no list
                held[held.index(node)] = ast.copy_location(ast.Pass(), node)


class Clone:
    """What is committed, in a folder of its own, where a module is changed and its tests are run."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mutants-")  # goes when this does
        self.root = Path(self._folder.name)
        subprocess.run(["git", "clone", "--quiet", ROOT, self.root], check=True)

    def start(self, module: str, text: str) -> int:
        """Start the tests of a module with this text in its place, in a process of its own; return that one's id.

        It is forked from here, where all that the tests need of others is imported already.
        """
        (self.root / PACKAGE / f"{module}.py").write_text(text, encoding="utf-8")
        process = os.fork()
        if not process:
            code = 1
            try:
                signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
                os.chdir(self.root)
                for stream in (1, 2):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
                sys.path[:0] = [str(self.root / name) for name in ("protocol", "node", "client", "tests")]
                sys.dont_write_bytecode = True
                tests = [f"tests/{name}" for name in MODULES[module]]
                flags = ["-x", "-q", "-o", "timeout=0", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
                code = pytest.main([*flags, *tests])
            finally:
                os._exit(code)
        return process

    def restore(self, module: str) -> None:
        """Put the committed text back."""
        subprocess.run(["git", "checkout", "--quiet", f"{PACKAGE}/{module}.py"], cwd=self.root, check=True)


def survivors(module: str, texts: Sequence[str], clones: Sequence[Clone]) -> set[int]:
    """Return the numbers of the texts with which a module passes its tests."""
    free, running, alive = list(clones), dict[int, tuple[int, Clone]](), set[int]()
    waiting = list(enumerate(texts))
    while waiting or running:
        while waiting and free:
            (number, text), clone = waiting.pop(0), free.pop()
            running[clone.start(module, text)] = (number, clone)
        process, status = os.wait()
        number, clone = running.pop(process)
        free.append(clone)
        if status == 0:
            alive.add(number)
    for clone in clones:
        clone.restore(module)
    return alive


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=", ".join(MODULES))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try each N-th change only")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="only say what would be changed")
    options = parser.parse_args()
    clones = [Clone() for _ in range(options.jobs)]
    for module in options.modules or MODULES:
        source = (clones[0].root / PACKAGE / f"{module}.py").read_text(encoding="utf-8")
        found, began = list(mutants(source))[:: options.every], time.monotonic()
        if options.list:
            print(module, len(found), *(f"\n  {each.line}: {each.before!r} -> {each.after!r}" for each in found))
            continue
        if not survivors(module, [source], clones[:1]):
            sys.exit(f"The tests of {module} fail without any change.")
        alive = survivors(module, [each.text for each in found], clones)
        print(f"{module}: {len(found)} changes, {len(alive)} unnoticed, {time.monotonic() - began:.0f} s", flush=True)
        for number in sorted(alive):
            each = found[number]
            print(f"  {module}.py:{each.line}: {each.before!r} became {each.after!r}", flush=True)


if __name__ == "__main__":
    main()
