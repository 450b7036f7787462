"""`sunward replay`: step through a match file, both ways; must never need the nodes that played it."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from sunward.exits import Exit
from sunward.matchfile import find_match, read_match, unjudged
from sunward_client.events import Applied, Drawn, Event, Hello, Over
from sunward_client.replay import view
from sunward_node.words import short_words
from sunward_protocol.audit import MatchFile


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
    """Yield what a node would have told a client of this match; the hello comes once the seats are drawn."""
    genesis = match.genesis
    with unjudged(path):
        for turned in match.replay():
            if turned.step == 0:
                by_seat = [genesis.members[place] for place in match.ledger.place_of]
                yield Hello(
                    match=genesis.match.hex(),
                    game=genesis.game,
                    components=genesis.components.decode(),
                    options=dict(genesis.options),
                    names=tuple(member.name for member in by_seat),
                    words=tuple(short_words(member.identity) for member in by_seat),
                    you=None,
                )
            for seat, moves in groupby(turned.moves, attrgetter("seat")):
                yield Applied(turned.step, seat, tuple(move.action for move in moves), autopilot=False)
            if turned.randomness is not None:
                yield Drawn(turned.step, turned.randomness)
    if match.ledger.position.result() is not None:
        yield Over(str(path))
