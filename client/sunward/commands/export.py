"""`sunward export`: a match printed for other tools, as JSON Lines or as text; must never judge it: `verify` does."""

from typing import Protocol

from sunward.exits import Exit
from sunward.matchfile import find_match, read_match, unjudged
from sunward_protocol.export import lines_of_file


class Options(Protocol):
    """The command's flags."""

    match: str
    json: bool


def run(options: Options) -> int:
    """Print every step of a match file."""
    path = find_match(options.match)
    match, _ = read_match(path)
    if options.json:
        with unjudged(path):
            for line in lines_of_file(match):
                print(line)
    else:
        # the text is the client's, which takes long to import
        from sunward.commands.replay import events
        from sunward_client.replay import view

        view(events(match, path), plain=True)
    return Exit.OK
