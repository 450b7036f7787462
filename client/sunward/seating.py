"""Which bots sit down, as a command line means it; must never start one."""

from collections.abc import Sequence

from sunward_node.bots import catalog as bots
from sunward_protocol.errors import LocalError
from sunward_protocol.games import catalog as games


def check_table(names: Sequence[str], game: str, seats: int, people: int = 0) -> None:
    """Raise `LocalError` for a game, a bot or a number of seats that there is not, or for more bots than seats."""
    chosen = games.find(game)
    counts = chosen.seat_counts
    if seats not in counts:
        raise LocalError(f"{chosen.title} is for {counts[0]} to {counts[-1]} players: --seats {seats} cannot be.")
    for name in names:
        bots.find(name, chosen)
    if len(names) > seats - people:
        raise LocalError(f"{len(names)} bots for {seats - people} seats: name fewer in --bots, or give more --seats.")


def fill(names: Sequence[str], game: str, seats: int, people: int = 0) -> tuple[str, ...]:
    """Return a bot for each seat that no person takes, the last name repeated; raise as `check_table` does."""
    check_table(names, game, seats, people)
    return (*names, *[names[-1]] * (seats - people - len(names)))
