"""What everything is called: as typed, and as told in a sentence; decides nothing."""

from sunward_protocol.games.beyond.board import LEVEL_OF, SLOTS_AT
from sunward_protocol.games.beyond.components import slug
from sunward_protocol.games.beyond.language import LEVELS
from sunward_protocol.games.beyond.state import CARD, State

KINDS = ("", "food", "ore", "achievement")
"""Discs, by kind."""
PRODUCTIONS = ("growth", "ore", "trade")
TRADES = ("ore", "population")
PAYMENTS = ("population", "ore")
ANSWERS = ("yes", "no")


def slot_names() -> tuple[str, ...]:
    """Return all slots as typed: level and number from the top, as III3."""
    return tuple(f"{LEVELS[level]}{1 + slot - SLOTS_AT[level][0]}" for slot, level in enumerate(LEVEL_OF))


SLOT_NAMES = slot_names()


def place_names(state: State) -> list[str]:
    """Return every place as typed: by the system card that lies there, else by its own name."""
    components = state.board.components
    return [place_name(state, place) for place in range(len(components.places))]


def place_name(state: State, place: int) -> str:
    """Return one place as typed."""
    components = state.board.components
    card = state.s[CARD + place]
    return slug(components.systems[card - 1].name) if card else components.places[place].name


def place_title(state: State, place: int) -> str:
    """Return one place as told in a sentence."""
    components = state.board.components
    card = state.s[CARD + place]
    return components.systems[card - 1].name if card else components.places[place].name.capitalize()


def mat_name(state: State, mat: int) -> str:
    """Return a mat's faction as typed."""
    return slug(state.board.components.mats[mat].faction)
