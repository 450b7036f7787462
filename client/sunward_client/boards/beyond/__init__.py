"""The drawing of Beyond the Sun; must never decide anything: its sums are the engine's own."""

from sunward_client.boards.beyond.answers import about, brief, holding, pressing, reckoning, situation, statistics
from sunward_client.boards.beyond.table import draw
from sunward_client.boards.board import Board

BEYOND = Board(
    draw=draw,
    statistics=statistics,
    brief=brief,
    situation=situation,
    pressing=pressing,
    about=about,
    holding=holding,
    reckoning=reckoning,
    opening="One action a turn, then production",
    legend=(
        "Tree: slot, types by letter (scientific, economic, military, commercial), whose cubes lie there.",
        "  'after' names what must be researched before. 'who II3' or 'who NAME' tells all of a card.",
        "Spaces: COST: EFFECT; a badge in front is the pawn that stands there. Yours and everybody's are listed.",
        "  gain: ore; grow: supply to population; build, enlist: a ship of that level from supply, from population.",
        "Map: place, power to colonize/points and disc, who controls it, neighbours, ships by level.",
        "Mats: ore and population, in brackets what producing adds: a cube of each column named that has one;",
        "  automation, in brackets the discs left on the food, ore and achievement tracks.",
        "Achievements: what it takes, then who claimed and what the slots left are worth.",
        "* marks what changed since your last action.",
        "If over now: the total if the match ended here.",
    ),
)
