"""`sunward replay`: step through a match file, both ways; must never need the nodes that played it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from sunward.exits import Exit
from sunward.matchfile import find_match, read_match, unjudged
from sunward_client.events import Event, Over, read
from sunward_client.replay import view
from sunward_node.telling import Telling
from sunward_node.words import short_words
from sunward_protocol.audit import MatchFile, Turned
from sunward_protocol.table.events import Applied, Changed, Drawn, Notice


class Options(Protocol):
    """The command's flags."""

    match: str
    plain: bool
    ascii: bool


def run(options: Options) -> int:
    """Show a match file to a person, or print all of it into a pipe."""
    path = find_match(options.match)
    view(events(read_match(path).match, path), plain=options.plain, ascii=options.ascii)
    return Exit.OK


def events(match: MatchFile, path: Path) -> Iterator[Event]:
    """Yield what a node would have told a client of this match."""
    told = list[Event]()

    def publish(event: Mapping[str, object]) -> None:
        if (found := read(event)) is not None:
            told.append(found)

    telling = Telling(match.genesis, None, lambda: match.ledger.place_of, str(path), short_words, publish)
    with unjudged(path):
        for turned in match.replay():
            for notice in _notices(match, turned):
                telling.tell(notice)
            yield from told
            told.clear()
    if match.ledger.position.result() is not None:
        yield Over(str(path))


def _notices(match: MatchFile, turned: Turned) -> Iterator[Notice]:
    """Yield what a replica would have told of the step that `match.ledger` has just taken."""
    if turned.moves:
        yield Applied(turned.step, turned.moves)
    if match.ledger.changed is not None:
        yield Changed(turned.step, match.ledger.changed)
    if turned.randomness is not None:
        yield Drawn(turned.step, turned.randomness)
