"""The drawing of Beyond the Sun; must never decide anything: its sums are the engine's own."""

from sunward_client.boards.beyond.answers import (
    brief,
    holding,
    known,
    pressing,
    reckoning,
    situation,
    statistics,
)
from sunward_client.boards.beyond.hints import hint
from sunward_client.boards.beyond.table import draw
from sunward_client.boards.board import Board

BEYOND = Board(
    draw=draw,
    statistics=statistics,
    brief=brief,
    situation=situation,
    pressing=pressing,
    known=known,
    hint=hint,
    holding=holding,
    reckoning=reckoning,
    opening="One action a turn, then production",
    legend=(
        "Tree: slot, types by first letter, technology, whose cubes lie there; 'after'",
        "  names what must be researched before. 'who II3' or 'who NAME' tells the rest.",
        "Spaces, everybody's and yours: name, cost, effect; in front whose pawn is there;",
        "  those you can go to now stand in the menu. 'who spaces' tells all of them.",
        "  gain: ore; grow: supply to population; build: a ship of that level from",
        "  supply; enlist: one from population. 'who WORD' explains any word of a card.",
        "Map: place, power to colonize it/points and disc, who controls it with which",
        "  disc, what lines lead to, ships by level.",
        "Mats: points if the match ended here; ore and population, + what producing",
        "  adds, letters being columns; supply by column; colonies; automation; discs",
        "  left for food, ore, achievements; where the pawn stands.",
        "Achievements: what it takes, who claimed it, what the slots left pay.",
        "* marks what changed since your last action.",
    ),
)
