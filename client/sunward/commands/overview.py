"""`sunward` alone: what is open here, and how to begin."""

import os

from sunward.exits import Exit
from sunward.saved import saved_matches
from sunward_node.places import Places
from sunward_node.program import typed

BEGINNINGS = (
    ("play", "against bots, here and now"),
    ("host", "open a table for others"),
    ("join", "sit down at one, on this network or by an invite"),
    ("--help", "everything else"),
)


def run(_: object) -> int:
    """Offer the matches that are not over, and the ways in."""
    waiting = [match for match in saved_matches(Places.find(os.environ)) if not match.over]
    if waiting:
        print("Not over yet:")
    for match in waiting:
        print(f"  {typed('resume')} {match.match[:12]}    {', '.join(match.names)}, {match.standing}")
    print("To begin:")
    for command, what in BEGINNINGS:
        print(f"  {typed(f'{command:<8}')}{what}")
    return Exit.OK
