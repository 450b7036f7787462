"""What a position of Once Around The Sun is worth to a seat; the only module of the bots that knows the game.

Must never look ahead: the next cards are chance, and the others' plans are their own.
"""

from sunward_protocol.games import game
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.scoring import good_deeds, places, standings
from sunward_protocol.games.around.state import OVER
from sunward_protocol.games.game import Seat


def value(position: game.Position, seat: Seat) -> float:
    """Return the points that the seat may expect in the end: its score, what the tracks will pay (E2), its deeds (E3).

    Whoever travels to a track next comes first on it, so a place on a track is only as good as the track is far: with
    the chance highest space / last space, which halves with every space still to go, it stays as it is; else it is
    worth the mean of all places, which any token on the track has a share in. So the bot spreads out while tracks are
    young and fights for those about to be finished. Weights for tokens in hand, for bonuses to come (R10), for rows to
    come and for the others' standing were tried, and won no more matches than chance explains.
    """
    assert isinstance(position, Position)
    if position.phase == OVER:
        return standings(position)[seat]
    board = position.board
    mean = sum(board.places) / position.seats
    highest_deed, rows = good_deeds(position, seat)
    worth = float(position.scores[seat] + highest_deed * rows)
    for track in range(board.tracks):
        spaces = position.on_track(track)
        if spaces[seat]:
            paid = dict(places(position, track)).get(seat, 0)
            highest = 1 << max(spaces).bit_length() - 1
            stays = 1.0 if position.finished >> track & 1 else highest / board.last[track]
            worth += stays * paid + (1.0 - stays) * mean
    return worth
