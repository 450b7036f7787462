"""The list of bots, and how each game is valued; the only module that names them."""

from collections.abc import Callable, Mapping

from sunward_node.bots import around, beyond
from sunward_node.bots.bot import Bot, say
from sunward_node.bots.greedy import Greedy, Valuation
from sunward_node.bots.random import Random
from sunward_protocol.errors import LocalError
from sunward_protocol.games.around import AROUND
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.game import Action, Chance, Game, Position, Seat

VALUATIONS: Mapping[str, Valuation] = {AROUND.name: around.value, BEYOND.name: beyond.valuation(beyond.GREEDY)}
"""By the name of the game."""

PLANS: Mapping[str, Mapping[str, Valuation]] = {
    BEYOND.name: {"economy": beyond.valuation(beyond.ECONOMY), "fleet": beyond.valuation(beyond.FLEET)}
}
"""Other valuations of a game, by the name of the bot that looks one action ahead by it."""

SLACK: Mapping[str, float] = {BEYOND.name: beyond.SLACK}
"""What makes no difference to a game's bots, in its points; nothing where it is not given."""

BLIND: Mapping[str, Callable[[], Bot]] = {"random": Random}
"""Bots that play any game."""

VALUING: Mapping[str, Callable[[Valuation, float], Bot]] = {"greedy": Greedy}
"""Bots that play a game once it has a valuation, by that and its slack."""


def bots(game: Game) -> Mapping[str, Bot]:
    """Return the bots that can play a game, by name."""
    found = {name: make() for name, make in BLIND.items()}
    slack = SLACK.get(game.name, 0.0)
    if game.name in VALUATIONS:
        found |= {name: make(VALUATIONS[game.name], slack) for name, make in VALUING.items()}
    return found | {name: Greedy(value, slack, name) for name, value in PLANS.get(game.name, {}).items()}


def find(name: str, game: Game) -> Bot:
    """Return the bot of this name for a game; raise `LocalError` listing those that can play it."""
    playing = bots(game)
    if name not in playing:
        raise LocalError(f"There is no bot called {name!r} for {game.title}. Bots: {', '.join(playing)}.")
    return playing[name]


def player(name: str, game: Game, chance: Chance) -> Callable[[Position, Seat], tuple[Action, ...]]:
    """Return a bot in the place of a person: it makes all the choices that a seat has at once."""
    bot = find(name, game)
    return lambda position, seat: say(bot, position, seat, chance)
