"""`sunward completion` and `sunward manual`: run in the shells they are for, and shown by what shows manual pages."""

import shutil
import subprocess
from pathlib import Path

import pytest

from sunward.cli import COMMANDS
from sunward.commands.completion import script
from sunward.exits import Exit
from sunward.manual import manual, pages

LISTED = [command.name for command in COMMANDS if not command.hidden]
PATIENCE = 20.0


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=cwd, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def needed(program: str) -> str:
    """Return where a program is; without it the test has nothing to run in."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def in_bash(folder: Path, *words: str) -> list[str]:
    """Return what bash proposes when the Tab key is pressed at the end of these words."""
    pressed = (
        f"{script('bash')}\n"
        "complete -p sunward >/dev/null || exit 9\n"
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_sunward\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    said = run(needed("bash"), "--norc", "-c", pressed, "bash", *words, cwd=folder)
    return sorted(line for line in said.splitlines() if line)


def test_bash_proposes_commands_and_the_flags_of_each_and_no_others(tmp_path: Path) -> None:
    assert in_bash(tmp_path, "sunward", "") == sorted(LISTED)
    assert "--version" in in_bash(tmp_path, "sunward", "--")
    assert in_bash(tmp_path, "sunward", "pl") == ["play"]
    assert in_bash(tmp_path, "sunward", "-v", "pl") == ["play"]
    assert in_bash(tmp_path, "sunward", "play", "--pl") == ["--plain"]
    assert in_bash(tmp_path, "sunward", "verify", "--pl") == []


def test_bash_proposes_files_where_a_file_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "my match").touch()
    (tmp_path / "folder").mkdir()
    assert in_bash(tmp_path, "sunward", "verify", "m") == ["my match"]
    assert in_bash(tmp_path, "sunward", "play", "--components", "m") == ["my match"]
    assert in_bash(tmp_path, "sunward", "arena", "--export", "") == ["folder"]
    assert in_bash(tmp_path, "sunward", "play", "--seats", "") == []


def test_zsh_takes_the_script_and_offers_the_commands(tmp_path: Path) -> None:
    zsh = needed("zsh")
    written = tmp_path / "completion"
    written.write_text(script("zsh"), encoding="utf-8")
    # Completion itself needs a terminal: what it would be given is caught instead.
    caught = "compdef() { print compdef $@; }; _describe() { print -rl -- ${(P)2}; }"
    said = run(zsh, "-fc", f'{caught}; eval "$(<{written})"; _shtab_sunward_commands')
    assert "compdef _shtab_sunward -N sunward" in said
    assert all(f"\n{command.name}:" in said for command in COMMANDS if not command.hidden)


def test_fish_takes_the_script_and_completes(tmp_path: Path) -> None:
    fish = needed("fish")
    written = tmp_path / "sunward.fish"
    written.write_text(script("fish"), encoding="utf-8")

    def proposed(text: str) -> list[str]:
        said = run(fish, "--no-config", "-c", f"source {written}; complete -C '{text}'", cwd=tmp_path)
        return [line.partition("\t")[0] for line in said.splitlines()]

    assert set(LISTED) <= set(proposed("sunward "))
    assert proposed("sunward play --pl") == ["--plain"]
    assert "sunward.fish" in proposed("sunward verify ")
    assert "sunward.fish" not in proposed("sunward matches ")


@pytest.mark.parametrize("tool", [("man", "-l"), ("mandoc", "-Tutf8"), ("groff", "-man", "-Tutf8", "-ww")])
def test_the_manual_page_is_shown_without_a_complaint(tool: tuple[str, ...], tmp_path: Path) -> None:
    needed(tool[0])
    page = tmp_path / "sunward.1"
    page.write_text(manual("1.2.3"), encoding="utf-8")
    shown = run(*tool, str(page))
    assert "Sunward 1.2.3" in shown
    assert "no colours" in shown


def test_the_manual_has_every_command_flag_and_exit_code() -> None:
    page, (top, commands) = manual("1.2.3"), pages()
    for command in commands:
        assert f"\n.SS {command.name}\n" in page
        names = [name for flag in command.flags for name in flag.spellings]
        assert all(name.replace("-", "\\-") in page for name in names)
    assert {"-h", "--version", "-v"} <= {name for flag in top.flags for name in flag.spellings}
    assert all(f"\n.B {code.value}\n" in page for code in Exit)
    assert page.isascii()
