"""Typed actions, as `research III3` or `jump 2 sol>vega`, one or several on a line; a single one is not judged.

    go SPACE [N] · copy SPACE [N]         produce growth|ore|trade     trade ore|population|ship SHIP
    research SLOT · type TYPE · take TECHNOLOGY                        claim ACHIEVEMENT
    choose N · yes · no                   pay population|ore · lose SHIP
    build PLACE · upgrade SHIP · jump [LEVEL] PLACE>PLACE              disc food|ore|achievement
    shift COLUMN · colonize PLACE · settle LEVEL · faction FACTION · done

A SHIP is its level and its place: `2 sol`. Names are typed in small letters with hyphens, or as printed between double
quotes, and may be cut short as long as only one begins so. The level of a jump may be left out where all own ships of
that place are alike. One jump is one move of one ship.

What a seat chooses up to the next draw may stand on one line, as `go ship-and-jump no jump sol>vega vega>deep`. A verb
may be left out where it is said again, and `sol>vega>deep` is one ship that moves twice.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sunward_protocol.errors import IllegalAction, UnreadableAction
from sunward_protocol.games.beyond import actions, engine, refusals
from sunward_protocol.games.beyond.actions import OPERAND, VERB
from sunward_protocol.games.beyond.components import COLUMNS, slug
from sunward_protocol.games.beyond.language import TYPES
from sunward_protocol.games.beyond.naming import (
    ANSWERS,
    KINDS,
    PAYMENTS,
    PRODUCTIONS,
    SLOT_NAMES,
    TRADES,
    mat_name,
    place_name,
    place_names,
)
from sunward_protocol.games.beyond.ships import levels
from sunward_protocol.games.beyond.state import AWARD, BASES, CLAIMS, SHIPS, State
from sunward_protocol.games.game import Action, Seat

_LEVELS: Final = ("1", "2", "3", "4")
REPEATED: Final = ("trade", "choose", "lose", "build", "upgrade", "jump", "disc", "shift", "settle")
"""Verbs that may be left out where they are said again."""
_SIGNS: Final = re.compile(r'"[^"]*"?|[^\s">]+|>')


def award_names(state: State) -> list[str]:
    """Return the achievements in play as typed."""
    cards = state.board.components.achievements
    return [slug(cards[number - 1].name) for number in state.s[AWARD:CLAIMS]]


# Writing


def write(state: State, seat: Seat, action: Action) -> str:
    """Return the shortest text that `read` turns back into this legal action."""
    return _WRITERS[action >> VERB](state, seat, action & OPERAND)


def _ship(state: State, operand: int) -> str:
    place, level = actions.of_ship(operand)
    return f"{level} {place_name(state, place)}"


def _write_trade(state: State, _seat: Seat, operand: int) -> str:
    if operand >= actions.TRADE_SHIP:
        return f"trade ship {_ship(state, operand - actions.TRADE_SHIP)}"
    return f"trade {TRADES[operand]}"


def _write_jump(state: State, seat: Seat, operand: int) -> str:
    origin, level, target = actions.of_move(operand)
    alike = levels(state.s[BASES[seat] + SHIPS + origin]) == (level,)
    return f"jump {'' if alike else f'{level} '}{place_name(state, origin)}>{place_name(state, target)}"


_WRITERS: Final[tuple[Callable[[State, Seat, int], str], ...]] = (
    lambda state, _seat, operand: f"go {state.board.space_names[operand]}",
    lambda state, _seat, operand: f"copy {state.board.space_names[operand]}",
    lambda _state, _seat, operand: f"produce {PRODUCTIONS[operand]}",
    _write_trade,
    lambda state, _seat, operand: f"claim {award_names(state)[operand]}",
    lambda _state, _seat, operand: f"research {SLOT_NAMES[operand]}",
    lambda _state, _seat, operand: f"type {TYPES[operand]}",
    lambda state, _seat, operand: f"take {state.board.names[operand]}",
    lambda _state, _seat, operand: f"choose {operand + 1}",
    lambda _state, _seat, operand: ANSWERS[operand],
    lambda _state, _seat, operand: f"pay {PAYMENTS[operand]}",
    lambda state, _seat, operand: f"lose {_ship(state, operand)}",
    lambda state, _seat, operand: f"build {place_name(state, operand)}",
    lambda state, _seat, operand: f"upgrade {_ship(state, operand)}",
    _write_jump,
    lambda _state, _seat, operand: f"disc {KINDS[operand]}",
    lambda _state, _seat, operand: f"shift {COLUMNS[operand]}",
    lambda state, _seat, operand: f"colonize {place_name(state, operand)}",
    lambda _state, _seat, operand: f"settle {operand}",
    lambda state, _seat, operand: f"faction {mat_name(state, operand)}",
    lambda _state, _seat, _operand: "done",
)
"""By verb."""


def complete(state: State, seat: Seat, text: str) -> list[str]:
    """Return the texts of the legal actions that begin with `text`, in the order of `legal`."""
    begun = " ".join(text.lower().split()) + (" " if text.strip() and text[-1].isspace() else "")
    legal = state.choices if seat == state.actor else ()
    texts = [write(state, seat, action) for action in legal]
    return [text for text in texts if text.lower().startswith(begun)]


# Reading


def read(state: State, seat: Seat, text: str) -> tuple[Action, ...]:
    """Parse a typed line; raise `UnreadableAction` saying what could have been meant.

    Of several actions each is read where those before it lead to: `IllegalAction` names the first that is not legal.
    """
    words = _Words(state, seat, text)
    found = [words.action()]
    while words.more():
        _judge(words, found[-1])
        words.state = words.state.copy()
        engine.apply(words.state, seat, found[-1])
        found.append(words.action())
    if len(found) > 1:
        _judge(words, found[-1])
    return tuple(found)


def _judge(words: "_Words", action: Action) -> None:
    """Raise `IllegalAction` with what was typed, and with what a line of many gets wrong most easily."""
    try:
        refusals.check(words.state, words.seat, action)
    except IllegalAction as error:
        hint = " What has but one answer is done without asking." if words.state.due else ""
        raise IllegalAction(error.ruling, f"{words.said!r}: {error.sentence}{hint}") from error


class _Words:
    """What is left of a typed line, and the position in which it goes on."""

    def __init__(self, state: State, seat: Seat, text: str) -> None:
        self.state = state
        self.seat = seat
        self._words: list[str] = _SIGNS.findall(text)
        self._verb = ""
        self._taken: list[str] = []

    @property
    def said(self) -> str:
        """What was read last, its verb included."""
        return " ".join(self._taken).replace(" > ", ">")

    def more(self) -> bool:
        """Whether anything is left."""
        return bool(self._words)

    def action(self) -> Action:
        """Take one action; complain about what is behind it and begins no other."""
        self._taken = []
        if self._verb in REPEATED and self._ahead() not in _READERS:
            self._taken.append(self._verb)
        else:
            self._verb = self.next()
        if self._verb not in _READERS:
            raise UnreadableAction(
                f"{self._verb!r} is no action: begin with one of {_KNOWN}." if self._verb else f"Type one of {_KNOWN}."
            )
        action = _READERS[self._verb](self)
        if self._words and self._ahead() not in _READERS and self._verb not in REPEATED:
            raise UnreadableAction(
                f"{' '.join(self._words)!r} is left over: another action begins with one of {_KNOWN}."
            )
        return action

    def next(self) -> str:
        """Take the next word, '' if there is none."""
        word = self._ahead()
        self._taken += self._words[:1]
        del self._words[:1]
        return word

    def _ahead(self) -> str:
        """Return the next word, a printed name as it is typed."""
        word = self._words[0] if self._words else ""
        return slug(word) if word[:1] == '"' else word.lower()

    def one_of(self, choices: Sequence[str], what: str) -> int:
        """Take the next word and return which of `choices` it is, or is the beginning of and of no other."""
        word = self.next()
        small = [choice.lower() for choice in choices]
        meant = [choice for choice in small if choice == word] or [
            choice for choice in small if word and choice.startswith(word) and not word.isdecimal()
        ]
        if len(meant) != 1:
            given = f", not {word!r}" if word else ""
            named = [choice for choice, folded in zip(choices, small, strict=True) if folded in meant] or choices
            raise UnreadableAction(f"'{self._verb} …' needs {what}{given}: {', '.join(named)}.")
        return small.index(meant[0])

    def place(self) -> int:
        """Take a place, by the system that lies there or by its own name."""
        own = [place.name for place in self.state.board.components.places]
        if self._ahead() in own:
            return own.index(self.next())
        return self.one_of(place_names(self.state), "a place")

    def level(self) -> int:
        """Take a level from 1 to 4."""
        return 1 + self.one_of(_LEVELS, "a level")

    def ship(self) -> int:
        """Take a ship."""
        level = self.level()
        return actions.ship(self.place(), level)

    def space(self) -> int:
        """Take a space, its number behind it where its card has two."""
        names = self.state.board.space_names
        cards = list(dict.fromkeys(name.partition(" ")[0] for name in names))
        card = cards[self.one_of(cards, "an action space")]
        if card in names:
            return names.index(card)
        return names.index(f"{card} {1 + self.one_of(('1', '2'), 'one of its two spaces')}")

    def move(self) -> int:
        """Take a move; without a level, of the ship that is meant if all there are alike."""
        level = self.level() if self._ahead() in _LEVELS else 0
        origin = self.place()
        if self.next() != ">":
            raise UnreadableAction("A jump is typed with an arrow from place to place, as in 'jump sol>deep'.")
        target = self.place()
        here = levels(self.state.s[BASES[self.seat] + SHIPS + origin])
        if not level and len(here) > 1:
            known = " or ".join(map(str, here))
            raise UnreadableAction(f"You have different ships there: put the level {known} before the places.")
        level = level or (here[0] if here else 1)
        if self._words[:1] == [">"]:  # the same ship goes on
            self._words[:0] = [str(level), self.state.board.components.places[target].name]
        return actions.move(origin, level, target)

    def trade(self) -> int:
        """Take a trade."""
        kind = self.one_of((*TRADES, "ship"), "a trade")
        return actions.TRADE_SHIP + self.ship() if kind == len(TRADES) else kind

    def faction(self) -> int:
        """Take a faction: its mat of the kind that is free, else the basic one."""
        state = self.state
        mats = state.board.components.mats
        names = list(dict.fromkeys(slug(mat.faction) for mat in mats))
        name = names[self.one_of(names, "a faction")]
        meant = [n for n, mat in enumerate(mats) if slug(mat.faction) == name]
        offered = [n for n in meant if actions.FACTION | n in state.choices]
        return (offered or meant)[0]


def _branch(words: _Words) -> int:
    return words.one_of(tuple("123456789"), "the number of a choice")


_READERS: Final[Mapping[str, Callable[[_Words], Action]]] = {
    "go": lambda words: actions.SPACE | words.space(),
    "copy": lambda words: actions.COPY | words.space(),
    "produce": lambda words: actions.PRODUCE | words.one_of(PRODUCTIONS, "a production"),
    "trade": lambda words: actions.TRADE | words.trade(),
    "claim": lambda words: actions.CLAIM | words.one_of(award_names(words.state), "an achievement"),
    "research": lambda words: actions.RESEARCH | words.one_of(SLOT_NAMES, "a slot"),
    "type": lambda words: actions.TYPE | words.one_of(TYPES, "a type"),
    "take": lambda words: actions.CARD | words.one_of(words.state.board.names, "a technology"),
    "choose": lambda words: actions.BRANCH | _branch(words),
    "yes": lambda _words: actions.ANSWER | actions.YES,
    "no": lambda _words: actions.ANSWER | actions.NO,
    "pay": lambda words: actions.PAYMENT | words.one_of(PAYMENTS, "a payment"),
    "lose": lambda words: actions.LOSE | words.ship(),
    "build": lambda words: actions.BUILD | words.place(),
    "upgrade": lambda words: actions.UPGRADE | words.ship(),
    "jump": lambda words: actions.JUMP | words.move(),
    "disc": lambda words: actions.DISC | 1 + words.one_of(KINDS[1:], "a disc"),
    "shift": lambda words: actions.SHIFT | words.one_of(COLUMNS, "a column"),
    "colonize": lambda words: actions.COLONIZE | words.place(),
    "settle": lambda words: actions.SETTLE | words.level(),
    "faction": lambda words: actions.FACTION | words.faction(),
    "done": lambda _words: actions.DONE,
}
_KNOWN: Final = ", ".join(_READERS)
