"""What the documents tell people to type is what the command line takes; what they point to is there."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from sunward.cli import COMMANDS, parser

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
TYPED = [ROOT / "README.md", *sorted((ROOT / "docs" / "play").glob("*.md"))]
"""The pages whose examples people type."""
RUN = ("test", "check", "smoke")
"""What `./run` does by itself."""

_TYPED = re.compile(r"(?:^|[`|]|Exec\w+=\S*/)\s*(?:\./run|sunward) ([a-z][^`|#\n]*)", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def examples(page: Path) -> Iterator[str]:
    """Yield each command line of a page, without what explains it: that stands two blanks or more behind it."""
    for found in _TYPED.finditer(page.read_text(encoding="utf-8")):
        yield re.split(r"\s{2,}|\s[>(]", found[1].strip())[0]


@pytest.mark.parametrize("page", TYPED, ids=name)
def test_every_example_is_a_command_line(page: Path) -> None:
    for example in examples(page):
        words = shlex.split(example)
        if words[0] not in RUN:
            try:
                parser().parse_args(words)
            except SystemExit:
                pytest.fail(f"{name(page)}: `sunward {example}` is refused")


def test_the_examples_are_found_and_the_readme_shows_every_command() -> None:
    shown = [example for page in TYPED for example in examples(page)]
    assert {"host --seats 3", "join", "join sunward1-...", "bot --lan --forever --tables 8 --name Ada"} <= set(shown)
    listed = {example.split()[0] for example in examples(ROOT / "README.md")}
    hidden = {"attach", "manual"}  # `attach` is told where a node says its socket, the manual where completion is
    assert {command.name for command in COMMANDS if not command.hidden} - hidden <= listed


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{name(page)} points to {target}"


def test_links_are_found() -> None:
    assert sum(len(_LINK.findall(page.read_text(encoding="utf-8"))) for page in PAGES) > 10
