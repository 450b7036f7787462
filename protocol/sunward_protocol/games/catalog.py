"""The list of games; the only module that names them."""

from sunward_protocol.errors import LocalError
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.game import Game

GAMES: tuple[Game, ...] = (AROUND, BEYOND)


def find(name: str) -> Game:
    """Return the game of this key or full name; raise `LocalError` listing the games there are."""
    for game in GAMES:
        if name in (game.key, game.name):
            return game
    known = ", ".join(game.key for game in GAMES)
    raise LocalError(f"There is no game called {name!r} here. Games: {known}.")
