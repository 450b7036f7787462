"""`sunward desync`: what one side had when two replicas went apart, and where the other side's differs first.

Must never say who was wrong: `verify` does, from the match file.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from sunward.exits import Exit
from sunward_node.program import typed
from sunward_protocol.desync import Bundle, check_pair, first_difference, other_versions, parse, section_hash
from sunward_protocol.errors import LocalError


class Options(Protocol):
    """The command's flags."""

    file: str
    other: str | None


def run(options: Options) -> int:
    """Print what a bundle says, and, with the other side's, what differs."""
    one = _read(options.file)
    if options.other is None:
        said = list(told(one))
    else:
        other = _read(options.other)
        check_pair(one, other)
        said = list(compared(one, other))
    print("\n".join(said))
    return Exit.OK


def _read(name: str) -> Bundle:
    try:
        text = Path(name).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise LocalError(
            f"Cannot read {name}: {error.strerror}. A node writes such a file, desync-STEP.json, beside its match file."
        ) from error
    return parse(text, name)


def told(one: Bundle) -> Iterator[str]:
    """Yield what one side has, line by line."""
    yield f"Match {_plain(one.match)}, after step {one.step}, at {_plain(one.by.name)} (place {one.by.place}):"
    yield _plain(one.sentence)
    yield f"versions  {', '.join(f'{_plain(name)} {_plain(each)}' for name, each in one.versions.items())}"
    yield f"head      {_plain(one.head)}"
    yield f"state     {_plain(one.state)}"
    for name, value in one.sections.items():
        yield f"  {section_hash(name, value)[:16]}  {_plain(name)}"
    yield f"With the other side's file, `{typed('desync FILE OTHER')}` says where the two differ first."


def compared(one: Bundle, other: Bundle) -> Iterator[str]:
    """Yield where two sides differ, line by line."""
    sides = (one, other)
    names = [f"{_plain(side.by.name)} (place {side.by.place})" for side in sides]
    width = max(map(len, names))

    def both(*values: str) -> Iterator[str]:
        for name, value in zip(names, values, strict=True):
            yield f"  {name:{width}}  {value}"

    yield f"Match {_plain(one.match)}, after step {one.step}."
    for name in other_versions(one, other):
        yield f"Another version of {_plain(name)}:"
        yield from both(*(_plain(side.versions.get(name, "unknown")) for side in sides))
    if one.head != other.head:
        yield "They have different histories, so their positions need not be the same. Their heads:"
        yield from both(*(_plain(side.head) for side in sides))
    difference = first_difference(one, other)
    if difference is not None:
        yield f"The first section that differs is {' / '.join(_plain(str(part)) for part in difference.path)}:"
        yield from both(json.dumps(difference.one), json.dumps(difference.other))
    elif one.state != other.state:
        yield "No section differs, but the hashes of the whole do: what differs is not in the export. The hashes:"
        yield from both(*(_plain(side.state) for side in sides))
    else:
        yield "Their positions are the same."
    yield f"Who was wrong, if a signature shows it, `{typed('verify MATCH')}` says."


def _plain(text: str) -> str:
    """Return a text of somebody else's without what could do anything to a terminal."""
    return "".join(filter(str.isprintable, text))
