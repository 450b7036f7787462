"""Beyond the Sun, 2 to 4 players; what others import is here and in `scoring`."""

from sunward_protocol.games.beyond.game import BEYOND

__all__ = ["BEYOND"]
