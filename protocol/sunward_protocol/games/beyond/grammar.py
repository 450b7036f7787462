"""The grammar of the effect language: text becomes nodes, and nodes become the same text again; carries nothing out.

What may follow what is in `language.FORMS`; here are a reader and a writer for each of them.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NoReturn

from sunward_protocol.games.beyond.language import (
    BY_COLONIES,
    COUNTERS,
    DISCOVERED,
    DISCS,
    FREELY,
    LEVELS,
    QUIETLY,
    SKIPPING,
    UNSEEN,
    Op,
    Program,
)

_TOKEN: Final = re.compile(r"[A-Za-z0-9+-]+|[\[\];:,]")
_RESEARCH: Final = (
    ("discovered", DISCOVERED),
    ("freely", FREELY),
    ("quietly", QUIETLY),
    ("skipping", SKIPPING),
)
_LEVELS_BY_COLONIES: Final = "colonized+1"


TEXT_MOST: Final = 200
"""Signs of one effect: far more than any card has, and too few to nest it deeper than a reader can follow."""


class BadEffect(Exception):
    """An effect that cannot be read; the text says what is wrong with it."""


def read(program: Program, text: str) -> int:
    """Compile an effect and return its number; raise `BadEffect`."""
    return _Reader(program, text).whole()


def write(program: Program, number: int) -> str:
    """Return the text of a node, as `read` takes it; the game's own steps have names of their own."""
    op, *operands = program.nodes[number]
    return _WRITERS[Op(op)](program, operands) if op <= Op.COPY else Op(op).name.lower().replace("_", "-")


class _Reader:
    """One effect, read from left to right."""

    def __init__(self, program: Program, text: str) -> None:
        self._program = program
        self._tokens: list[str] = _TOKEN.findall(text)
        self._places = program.places
        if len(text) > TEXT_MOST:
            self._fail(f"it has more than {TEXT_MOST} signs")
        if "".join(self._tokens) != re.sub(r"\s", "", text):
            self._fail(f"{text!r} holds signs that mean nothing here")

    def whole(self) -> int:
        number = self._effect()
        if self._tokens:
            self._fail(f"{' '.join(self._tokens)!r} is left over")
        return number

    def _effect(self) -> int:
        """Read a cost, if there is one, and a sequence."""
        if next((sign for sign in self._tokens if sign in ":;[]"), "") == ":":
            return self._cost()
        parts = [self._part()]
        while self._skip(";"):
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else self._program.number(Op.SEQUENCE, *parts)

    def _cost(self) -> int:
        ore = pop = ships = 0
        while True:
            if self._skip("ship"):
                ships += 1
            else:
                amount = self._number()
                match self._one_of("ore", "pop"):
                    case "ore":
                        ore += amount
                    case _:
                        pop += amount
            if self._skip(":"):
                break
            self._need(",")
        effect = self._effect()
        for _ in range(ships):
            effect = self._program.number(Op.PAY_SHIP, effect)
        return self._program.number(Op.PAY, ore, pop, effect) if ore or pop else effect

    def _part(self) -> int:
        word = self._word()
        if word not in _READERS:
            self._fail(f"{word!r} is no effect; known: {', '.join(_READERS)}")
        return _READERS[word](self)

    # What the operations are made of

    def _word(self) -> str:
        if not self._tokens:
            self._fail("it ends too early")
        return self._tokens.pop(0)

    def _skip(self, token: str) -> bool:
        if self._tokens[:1] != [token]:
            return False
        del self._tokens[0]
        return True

    def _need(self, token: str) -> None:
        found = self._word()
        if found != token:
            self._fail(f"{token!r} was expected, not {found!r}")

    def _one_of(self, *words: str) -> str:
        found = self._word()
        if found not in words:
            self._fail(f"one of {', '.join(words)} was expected, not {found!r}")
        return found

    def _number(self, most: int = 12) -> int:
        found = self._word()
        if not found.isdecimal() or not 1 <= int(found) <= most:
            self._fail(f"a number from 1 to {most} was expected, not {found!r}")
        return int(found)

    def _bracket(self) -> int:
        self._need("[")
        number = self._effect()
        self._need("]")
        return number

    def _fail(self, reason: str) -> NoReturn:
        raise BadEffect(reason)

    # The operations

    def numbered(self, op: Op, most: int = 12) -> int:
        """Read an operation with one number."""
        return self._program.number(op, self._number(most))

    def bracketed(self, op: Op) -> int:
        """Read an operation with one effect in brackets."""
        return self._program.number(op, self._bracket())

    def bare(self, op: Op) -> int:
        """Read an operation without operands."""
        return self._program.number(op)

    def choose(self) -> int:
        """Read `choose M of [..] [..]`."""
        count = self._number()
        self._need("of")
        branches = [self._bracket()]
        while self._tokens[:1] == ["["]:
            branches.append(self._bracket())
        if count >= len(branches):
            self._fail(f"to choose {count} there must be more than {count} to choose from")
        return self._program.number(Op.CHOOSE, count, *branches)

    def times(self) -> int:
        """Read `times N [..]`."""
        count = self._number()
        return self._program.number(Op.TIMES, count, self._bracket())

    def per(self) -> int:
        """Read `per [N] COUNTER [max M] [..]`; no maximum is written as 0."""
        every = self._number() if self._tokens[:1] and self._tokens[0].isdecimal() else 1
        counter = COUNTERS.index(self._one_of(*COUNTERS))
        most = self._number() if self._skip("max") else 0
        return self._program.number(Op.PER, counter, every, most, self._bracket())

    def ship(self, op: Op) -> int:
        """Read `build L [at PLACE]`; -1 stands for any legal place."""
        level = self._number(4)
        return self._program.number(
            op, level, self._places.index(self._one_of(*self._places)) if self._skip("at") else -1
        )

    def jump(self) -> int:
        """Read `jump N [unseen]`."""
        return self._program.number(Op.JUMP, self._number(), UNSEEN if self._skip("unseen") else 0)

    def automate(self) -> int:
        """Read `automate food|ore|either`."""
        return self._program.number(Op.AUTOMATE, DISCS[self._one_of(*DISCS)])

    def research(self) -> int:
        """Read `research ...`: a set of levels, and flags."""
        named = self._word()
        first, _, last = named.partition("-")
        flags = 0
        if named == _LEVELS_BY_COLONIES:
            flags, first, last = BY_COLONIES, "I", "IIII"
        last = last or first
        if first not in LEVELS or last not in LEVELS or LEVELS.index(first) > LEVELS.index(last):
            self._fail(f"a level from I to IIII was expected, not {named!r}")
        levels = sum(1 << level for level in range(LEVELS.index(first), LEVELS.index(last) + 1))
        for word, flag in _RESEARCH:
            flags |= flag if self._skip(word) else 0
        return self._program.number(Op.RESEARCH, levels, flags)

    def keep(self) -> int:
        """Read `keep II|III`."""
        return self._program.number(Op.KEEP, LEVELS.index(self._one_of("II", "III")))

    def copy(self) -> int:
        """Read `copy research`."""
        self._need("research")
        return self._program.number(Op.COPY)


_READERS: Final[dict[str, Callable[[_Reader], int]]] = {
    "may": lambda reader: reader.bracketed(Op.MAY),
    "choose": _Reader.choose,
    "times": _Reader.times,
    "per": _Reader.per,
    "all": lambda reader: reader.bracketed(Op.ALL),
    "others": lambda reader: reader.bracketed(Op.OTHERS),
    "gain": lambda reader: reader.numbered(Op.GAIN),
    "grow": lambda reader: reader.numbered(Op.GROW),
    "build": lambda reader: reader.ship(Op.BUILD),
    "enlist": lambda reader: reader.ship(Op.ENLIST),
    "upgrade": lambda reader: reader.numbered(Op.UPGRADE),
    "refit": lambda reader: reader.numbered(Op.REFIT),
    "jump": _Reader.jump,
    "warp": lambda reader: reader.numbered(Op.WARP),
    "automate": _Reader.automate,
    "research": _Reader.research,
    "colonize": lambda reader: reader.bare(Op.COLONIZE),
    "infiltrate": lambda reader: reader.bare(Op.INFILTRATE),
    "shift": lambda reader: reader.numbered(Op.SHIFT),
    "guild": lambda reader: reader.numbered(Op.GUILD, 4),
    "points": lambda reader: reader.numbered(Op.POINTS),
    "keep": _Reader.keep,
    "chart": lambda reader: reader.bare(Op.CHART),
    "copy": _Reader.copy,
}


def _sequence(program: Program, operands: list[int]) -> str:
    return "; ".join(write(program, child) for child in operands)


def _pay(program: Program, operands: list[int]) -> str:
    ore, pop, child = operands
    return f"{', '.join(_amounts(ore, pop))}{_after_cost(program, child)}"


def _amounts(ore: int, pop: int) -> Iterator[str]:
    if ore:
        yield f"{ore} ore"
    if pop:
        yield f"{pop} pop"


def _after_cost(program: Program, child: int) -> str:
    text = write(program, child)
    return f", {text}" if program.nodes[child][0] == Op.PAY_SHIP else f": {text}"


def _ship(word: str) -> Callable[[Program, list[int]], str]:
    def write(program: Program, operands: list[int]) -> str:
        level, place = operands
        return f"{word} {level}" + (f" at {program.places[place]}" if place >= 0 else "")

    return write


def _research(_program: Program, operands: list[int]) -> str:
    levels, flags = operands
    first, last = LEVELS[(levels & -levels).bit_length() - 1], LEVELS[levels.bit_length() - 1]
    named = first if first == last else f"{first}-{last}"
    words = [_LEVELS_BY_COLONIES if flags & BY_COLONIES else named]
    return " ".join(["research", *words, *(word for word, flag in _RESEARCH if flags & flag)])


def _per(program: Program, operands: list[int]) -> str:
    counter, every, most, child = operands
    often = f"{every} " if every > 1 else ""
    return f"per {often}{COUNTERS[counter]}{f' max {most}' if most else ''} [{write(program, child)}]"


def _brackets(program: Program, children: list[int]) -> str:
    return " ".join(f"[{write(program, child)}]" for child in children)


_WRITERS: Final[dict[Op, Callable[[Program, list[int]], str]]] = {
    Op.SEQUENCE: _sequence,
    Op.PAY: _pay,
    Op.PAY_SHIP: lambda program, operands: f"ship{_after_cost(program, operands[0])}",
    Op.MAY: lambda program, operands: f"may {_brackets(program, operands)}",
    Op.CHOOSE: lambda program, operands: f"choose {operands[0]} of {_brackets(program, operands[1:])}",
    Op.TIMES: lambda program, operands: f"times {operands[0]} {_brackets(program, operands[1:])}",
    Op.PER: _per,
    Op.ALL: lambda program, operands: f"all {_brackets(program, operands)}",
    Op.OTHERS: lambda program, operands: f"others {_brackets(program, operands)}",
    Op.GAIN: lambda _program, operands: f"gain {operands[0]}",
    Op.GROW: lambda _program, operands: f"grow {operands[0]}",
    Op.BUILD: _ship("build"),
    Op.ENLIST: _ship("enlist"),
    Op.UPGRADE: lambda _program, operands: f"upgrade {operands[0]}",
    Op.REFIT: lambda _program, operands: f"refit {operands[0]}",
    Op.JUMP: lambda _program, operands: f"jump {operands[0]}{' unseen' if operands[1] else ''}",
    Op.WARP: lambda _program, operands: f"warp {operands[0]}",
    Op.AUTOMATE: lambda _program, operands: f"automate {list(DISCS)[operands[0] - 1]}",
    Op.RESEARCH: _research,
    Op.COLONIZE: lambda _program, _operands: "colonize",
    Op.INFILTRATE: lambda _program, _operands: "infiltrate",
    Op.SHIFT: lambda _program, operands: f"shift {operands[0]}",
    Op.GUILD: lambda _program, operands: f"guild {operands[0]}",
    Op.POINTS: lambda _program, operands: f"points {operands[0]}",
    Op.KEEP: lambda _program, operands: f"keep {LEVELS[operands[0]]}",
    Op.CHART: lambda _program, _operands: "chart",
    Op.COPY: lambda _program, _operands: "copy research",
}
