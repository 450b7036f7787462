"""Once Around The Sun, 3 to 6 players; what others import is here and in `scoring`."""

from sunward_protocol.games.around.game import AROUND

__all__ = ["AROUND"]
