"""What a position of Once Around The Sun is worth to a seat; the only module of the bots that knows the game."""

from sunward_protocol.games import game
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.scoring import standings
from sunward_protocol.games.game import Seat


def value(position: game.Position, seat: Seat) -> float:
    """Return what the seat would have if the match ended now (E2, E3)."""
    assert isinstance(position, Position)
    return standings(position)[seat]
