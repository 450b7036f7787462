"""The drawing of Once Around The Sun; must never decide anything: its sums are the engine's own."""

from sunward_client.boards.around.answers import (
    brief,
    hint,
    holding,
    known,
    pressing,
    reckoning,
    situation,
    statistics,
)
from sunward_client.boards.around.table import draw
from sunward_client.boards.board import Board

AROUND = Board(
    draw=draw,
    statistics=statistics,
    brief=brief,
    situation=situation,
    pressing=pressing,
    known=known,
    hint=hint,
    holding=holding,
    reckoning=reckoning,
    opening="Two actions a turn",
    legend=(
        "( ) is the red circle of a track, * marks what changed since your last action.",
        "To come, for the first to get there or past it: 8 pays a point for each token on",
        "  8 or lower, 32 calls for a deal, free is the red circle: the action is free.",
        "Score: points so far; in, out: had 5 for all inner, all outer tracks.",
        "If over now: the total if the match ended here. In hand: tokens left to place.",
        "Good deeds: the space on the rows dollar, smiley and leaf.",
    ),
)
