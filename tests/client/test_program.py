"""What a person is told to type begins as they began: `./run` for whoever started that."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sunward.__main__ import main
from sunward.cli import COMMANDS, parser
from sunward.exits import Exit

ROOT = Path(__file__).parents[2]
OF_OTHERS = {
    "client/sunward/cli.py",  # the examples, which help begins as it was started and the manual does not
    "client/sunward/tabling.py",  # what guests are to type
    "client/sunward_client/following.py",  # and who comes back
    "node/sunward_node/invites.py",  # and a host
}
"""Files with sentences on what somebody else is to type, on their machine."""


@pytest.mark.parametrize(("started", "begins"), [("./run", "./run"), (None, "sunward")])
def test_help_and_hints_begin_as_the_program_was_started(
    started: str | None,
    begins: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    if started is None:
        monkeypatch.delenv("SUNWARD_PROGRAM", raising=False)
    else:
        monkeypatch.setenv("SUNWARD_PROGRAM", started)
    assert parser().format_help().startswith(f"usage: {begins} [-h]")
    assert f"\n  {begins} play --seats 3 " in parser().format_help()
    assert main(["resume", "abcd"]) == Exit.LOCAL
    assert f"`{begins} matches` lists" in capsys.readouterr().err
    assert main([]) == Exit.OK
    assert f"\n  {begins} play " in capsys.readouterr().out


def sentences(file: Path) -> Iterator[str]:
    """Yield the text constants of a source that are no docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    silent = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in silent and isinstance(node.value, str):
            yield node.value


def test_no_other_sentence_names_a_command_by_itself() -> None:
    commands = [f"sunward {command.name}" for command in COMMANDS]
    found = {
        str(file.relative_to(ROOT))
        for ring in ("client", "node")
        for file in (ROOT / ring).rglob("*.py")
        if any(command in text for text in sentences(file) for command in commands)
    }
    assert found == OF_OTHERS
