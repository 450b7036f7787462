"""`sunward matches`: the matches that this machine has seats of."""

import json
import os
from dataclasses import asdict
from datetime import datetime
from typing import Protocol

from sunward.exits import Exit
from sunward.saved import saved_matches
from sunward_node.places import Places


class Options(Protocol):
    """The command's flags."""

    json: bool


def run(options: Options) -> int:
    """List them, the one played last first."""
    matches = saved_matches(Places.find(os.environ))
    if options.json:
        print(json.dumps([asdict(match) for match in matches], default=str))
        return Exit.OK
    for match in matches:
        when = datetime.fromtimestamp(match.changed).astimezone().strftime("%Y-%m-%d %H:%M")
        print(f"{match.match[:12]}  {when}  {match.game}  {', '.join(match.names)}  {match.standing}")
    return Exit.OK
