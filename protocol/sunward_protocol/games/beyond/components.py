"""The component data: its schema, its canonical bytes, and the values read from it.

Never holds a number of a card, and never lets a file through that the rules could not be played with. Only how many
components of each kind there are is fixed here: that is a fact of the printed game (section 1 of the rules).
"""

import json
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Final, TypeVar

from sunward_protocol.games.beyond import grammar
from sunward_protocol.games.beyond.box import (
    NO_EFFECT,
    Achievement,
    Components,
    Event,
    Map,
    Mat,
    Place,
    Space,
    System,
    Technology,
)
from sunward_protocol.games.beyond.language import COUNTERS, DISCS, LEVELS, NODES_MOST, STANDING, TYPES, Program
from sunward_protocol.games.beyond.reading import Fields, Reading
from sunward_protocol.games.game import Json

SEATS: Final = range(2, 5)
CUBES: Final = 20
"""Cubes of each faction."""
COLUMNS: Final = "ABCDE"
"""The supply columns, left to right."""
TECHNOLOGIES: Final = {"I": 4, "II": 16, "III": 16, "IIII": 10}
EVENTS: Final = 10
"""Events of level II, and of level III; two of each are guild events (S3)."""
SYSTEMS: Final = 12
"""Systems of deck A, and of deck B."""
STARTING: Final = 4
GUILDS: Final = 4
ACHIEVEMENTS: Final = {"basic": 2, "A": 4, "B": 4}
SLOTS: Final = {"II": 6, "III": 6, "IIII": 3}
"""Slots of the tree by level; level I has one for each of its cards."""
PLACES_MOST: Final = 12
KINDS: Final = ("sol", "deep", "A", "B", "shipyard", "extra")

T = TypeVar("T")
_SPECIALTIES: Final = tuple(DISCS)
_MATS: Final = ("basic", "advanced")


def builtin() -> bytes:
    """Return the component file that comes with the game."""
    return resources.files("sunward_protocol.games.beyond").joinpath("components.json").read_bytes()


def canonical(components: bytes) -> bytes:
    """Return the one spelling of a file that `read` accepts: provenance kept, white space and key order not."""
    return json.dumps(json.loads(components), sort_keys=True, separators=(",", ":")).encode("ascii")


def read(components: bytes, source: str) -> Components:
    """Check a component file; raise `BadComponents` naming `source`, the entry, the field and the reason."""
    return _Reader(source).read(components)


def slug(name: str) -> str:
    """Return a name as it is typed: small letters and digits, the words joined by hyphens."""
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name.lower().replace("'", "")).split())


class _Reader(Reading):
    """The schema."""

    def read(self, components: bytes) -> Components:
        top = self.fields(self.parse(components), "the file", _TOP)
        places = self._list(top, "places", range(4, PLACES_MOST + 1), self._place)
        self._distinct("places", [place.name for place in places])
        self._program = Program(tuple(place.name for place in places))
        technologies = self._list(top, "technologies", sum(TECHNOLOGIES.values()), self._technology)
        events = self._list(top, "events", 2 * EVENTS, self._event)
        systems = self._list(top, "systems", 2 * SYSTEMS, self._system)
        achievements = self._list(top, "achievements", sum(ACHIEVEMENTS.values()), self._achievement)
        mats = self._list(top, "mats", 8, self._mat)
        guilds = self._list(top, "guilds", GUILDS, self._guild)
        for level, name in enumerate(LEVELS):
            self._count(
                "technologies", f"of level {name}", [card.level == level for card in technologies], TECHNOLOGIES[name]
            )
        for level in (1, 2):
            self._count("events", f"of level {LEVELS[level]}", [card.level == level for card in events], EVENTS)
            guild = [card.level == level and card.guild for card in events]
            self._count("events", f"of level {LEVELS[level]} that are guild events", guild, 2)
        for deck, name in enumerate("AB"):
            self._count("systems", f"of deck {name}", [card.deck == deck for card in systems], SYSTEMS)
        self._count("systems", "of deck A marked starting", [c.starting and not c.deck for c in systems], STARTING)
        for kind, count in ACHIEVEMENTS.items():
            self._count("achievements", f"of kind {kind}", [card.kind == kind for card in achievements], count)
        factions = [mat.faction for mat in mats if not mat.advanced]
        self._distinct("mats", factions)
        if sorted(factions) != sorted(mat.faction for mat in mats if mat.advanced):
            self.refuse("mats", "must hold a basic and an advanced mat for each of four factions")
        without = self.text(self.figure(top["two_players_without"], "two_players_without"), "two_players_without.value")
        if without not in factions:
            self.refuse("two_players_without.value", f"must be one of the factions, not {without!r}")
        joined, needed = self._tree(top["tree"])
        boxes = self.fields(top["boxes"], "boxes", [str(seats) for seats in SEATS])
        boards = self.fields(top["boards"], "boards", [str(seats) for seats in SEATS])
        found = Components(
            program=self._program,
            columns=self._figures(top, "columns", len(COLUMNS), 1, 10),
            population=self._figures(top, "population", None, 1, 10)[0],
            ore=self._figures(top, "ore", SEATS[-1], 0, 9),
            discs=self._figures(top, "discs", None, 8, 8)[0],
            discs_a_symbol=self._figures(top, "discs_a_symbol", None, 2, 2)[0],
            ends=self._figures(top, "ends", len(SEATS), 1, 4),
            automation=self._figures(top, "automation", 7, 0, 9),
            points=self._figures(top, "points", 3, 0, 9),
            trade=self._figures(top, "trade", 3, 1, 9),
            two_players_without=without,
            joined=joined,
            needed=needed,
            boxes={seats: self._box(boxes[str(seats)], f"boxes.{seats}") for seats in SEATS},
            places=places,
            maps={seats: self._map(boards[str(seats)], f"boards.{seats}", places) for seats in SEATS},
            technologies=technologies,
            events=events,
            systems=systems,
            achievements=achievements,
            guilds=guilds,
            mats=mats,
        )
        self._distinct("the file", list(typed_names(found)))
        if len(self._program.nodes) > NODES_MOST:
            self.refuse("the file", f"must not have more than {NODES_MOST} different effects and parts of effects")
        if sum(found.columns) + found.population + 1 != CUBES:
            self.refuse("columns.value", f"must leave {CUBES} cubes in all with the population and the first ship")
        if found.trade[0] <= found.trade[2]:
            self.refuse(
                "trade.value", "must ask more ore for a population than it gives for one, or a trade never ends"
            )
        return found

    # Entries

    def _technology(self, value: Json, where: str) -> Technology:
        fields = self.entry(value, where, ("name", "level", "types", "immediate", "spaces", "standing"), ("points",))
        level = self.word(fields["level"], f"{where}.level", LEVELS)
        if (level == len(LEVELS) - 1) != ("points" in fields):
            self.refuse(where, "must have 'points' exactly when it is of level IIII")
        types = self.entries(fields["types"], f"{where}.types", 2, 2, "types")
        first, second = (self.word(name, f"{where}.types[{index}]", TYPES) for index, name in enumerate(types))
        spaces = self.entries(fields["spaces"], f"{where}.spaces", 0, 2, "action spaces")
        return Technology(
            name=self.name(fields["name"], f"{where}.name"),
            level=level,
            types=(first, second),
            immediate=self._effect(fields["immediate"], f"{where}.immediate", may_be_empty=True),
            spaces=tuple(self._effect(text, f"{where}.spaces[{index}]") for index, text in enumerate(spaces)),
            standing=self._standing(fields["standing"], f"{where}.standing"),
            points=self.number(fields["points"], f"{where}.points", 0, 20) if "points" in fields else 0,
        )

    def _event(self, value: Json, where: str) -> Event:
        fields = self.entry(value, where, ("name", "level", "guild", "effect"))
        return Event(
            name=self.name(fields["name"], f"{where}.name"),
            level=1 + self.word(fields["level"], f"{where}.level", LEVELS[1:3]),
            guild=self.flag(fields["guild"], f"{where}.guild"),
            effect=self._effect(fields["effect"], f"{where}.effect"),
        )

    def _system(self, value: Json, where: str) -> System:
        keys = ("name", "deck", "starting", "power", "points", "specialty", "control", "bonus")
        fields = self.entry(value, where, keys)
        return System(
            name=self.name(fields["name"], f"{where}.name"),
            deck=self.word(fields["deck"], f"{where}.deck", ("A", "B")),
            starting=self.flag(fields["starting"], f"{where}.starting"),
            power=self.number(fields["power"], f"{where}.power", 1, 20),
            points=self.number(fields["points"], f"{where}.points", 0, 20),
            specialty=1 + self.word(fields["specialty"], f"{where}.specialty", _SPECIALTIES),
            control=self._effect(fields["control"], f"{where}.control", may_be_empty=True),
            bonus=self._effect(fields["bonus"], f"{where}.bonus"),
        )

    def _achievement(self, value: Json, where: str) -> Achievement:
        fields = self.entry(value, where, ("name", "kind", "counter", "least", "slots"))
        slots = self.entries(self.figure(fields["slots"], f"{where}.slots"), f"{where}.slots.value", 1, 4, "scores")
        worth = tuple(self.number(score, f"{where}.slots.value[{index}]", 0, 9) for index, score in enumerate(slots))
        if list(worth) != sorted(worth, reverse=True):
            self.refuse(f"{where}.slots.value", "must not be worth more to the right (Q2)")
        return Achievement(
            name=self.name(fields["name"], f"{where}.name"),
            kind=tuple(ACHIEVEMENTS)[self.word(fields["kind"], f"{where}.kind", tuple(ACHIEVEMENTS))],
            counter=self.word(fields["counter"], f"{where}.counter", COUNTERS),
            least=self.number(fields["least"], f"{where}.least", 1, 40),
            slots=worth,
        )

    def _guild(self, value: Json, where: str) -> Space:
        fields = self.entry(value, where, ("name", "effect"))
        return Space(self.name(fields["name"], f"{where}.name"), self._effect(fields["effect"], f"{where}.effect"))

    def _mat(self, value: Json, where: str) -> Mat:
        fields = self.entry(value, where, ("faction", "kind", "letters", "ore", "start", "standing", "space"))
        letters = self.text(fields["letters"], f"{where}.letters")
        if len(letters) != len(COLUMNS) or not set(letters) <= set(COLUMNS):
            self.refuse(f"{where}.letters", f"must be {len(COLUMNS)} letters out of {COLUMNS}")
        return Mat(
            faction=self.name(fields["faction"], f"{where}.faction"),
            advanced=bool(self.word(fields["kind"], f"{where}.kind", _MATS)),
            letters=tuple(COLUMNS.index(letter) for letter in letters),
            ore=self.numbers(fields["ore"], f"{where}.ore", len(COLUMNS), 0, 9),
            start=self._effect(fields["start"], f"{where}.start", may_be_empty=True),
            standing=self._standing(fields["standing"], f"{where}.standing"),
            space=self._effect(fields["space"], f"{where}.space", may_be_empty=True),
        )

    def _place(self, value: Json, where: str) -> Place:
        fields = self.entry(value, where, ("name", "kind", "specialty"))
        name = self.name(fields["name"], f"{where}.name")
        if name != slug(name) or "-" in name:
            self.refuse(f"{where}.name", "must be one word of small letters and digits")
        kind = KINDS[self.word(fields["kind"], f"{where}.kind", KINDS)]
        specialty = self.word(fields["specialty"], f"{where}.specialty", ("", *_SPECIALTIES))
        if (kind == "shipyard") != (specialty > 0):
            self.refuse(f"{where}.specialty", "must be given for a shipyard, and only there")
        return Place(name, kind, specialty)

    def _box(self, value: Json, where: str) -> tuple[Space, ...]:
        entries = self.entries(self.entry(value, where, ("spaces",))["spaces"], f"{where}.spaces", 2, 8, "spaces")
        spaces: list[Space] = []
        for index, entry in enumerate(entries):
            at = f"{where}.spaces[{index}]"
            fields = self.fields(entry, at, ("name", "effect", "repeatable"))
            effect = self._effect(fields["effect"], f"{at}.effect")
            repeatable = self.flag(fields["repeatable"], f"{at}.repeatable")
            spaces.append(Space(self.name(fields["name"], f"{at}.name"), effect, repeatable))
        if [space.repeatable for space in spaces] != [False] * (len(spaces) - 1) + [True]:
            self.refuse(f"{where}.spaces", "must make the last space repeatable, and no other (A1)")
        return tuple(spaces)

    def _map(self, value: Json, where: str, places: Sequence[Place]) -> Map:
        fields = self.entry(value, where, ("lines", "starting"))
        names = [place.name for place in places]
        lines: list[tuple[int, int]] = []
        for index, line in enumerate(self.entries(fields["lines"], f"{where}.lines", 1, 40, "lines")):
            ends = self.text(line, f"{where}.lines[{index}]").split("-")
            if len(ends) != 2 or not set(ends) <= set(names) or ends[0] == ends[1]:
                self.refuse(f"{where}.lines[{index}]", f"must join two of {', '.join(names)} by a hyphen")
            lines.append((names.index(ends[0]), names.index(ends[1])))
        joined = {names.index("sol")} if "sol" in names else set[int]()
        for _ in names:
            joined |= {end for line in lines if joined & set(line) for end in line}
        if joined != {end for line in lines for end in line}:
            self.refuse(f"{where}.lines", "must join every place to sol")
        for kind, count in (("sol", 1), ("deep", 1), ("A", 2), ("B", 2), ("extra", 1)):
            self._count(where, f"of kind {kind} on its lines", [places[end].kind == kind for end in joined], count)
        return Map(tuple(lines), self.number(fields["starting"], f"{where}.starting", 0, 2))

    def _tree(self, value: Json) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
        levels = self.fields(value, "tree", tuple(SLOTS))
        joined: list[tuple[int, ...]] = []
        needed: list[int] = []
        first, before = 0, TECHNOLOGIES["I"]
        for level, count in SLOTS.items():
            where = f"tree.{level}"
            fields = self.entry(levels[level], where, ("joined", "needed"))
            for index, slots in enumerate(
                self.entries(fields["joined"], f"{where}.joined", count, count, "lists of slots")
            ):
                at = f"{where}.joined[{index}]"
                found = self.entries(slots, at, 1, 3, "slots of the level before")
                joined.append(tuple(first - 1 + self.number(slot, at, 1, before) for slot in found))
            for index, number in enumerate(self.numbers(fields["needed"], f"{where}.needed", count, 1, 3)):
                if number > len(joined[len(joined) - count + index]):
                    self.refuse(f"{where}.needed[{index}]", "must not be more than the slots it is joined to")
                needed.append(number)
            first, before = first + before, count
        return tuple(joined), tuple(needed)

    # What entries are made of

    def _effect(self, value: Json, where: str, *, may_be_empty: bool = False) -> int:
        text = self.text(value, where)
        if may_be_empty and not text:
            return NO_EFFECT
        try:
            return grammar.read(self._program, text)
        except grammar.BadEffect as error:
            self.refuse(where, f"is no effect: {error}", error)

    def _standing(self, value: Json, where: str) -> int:
        """Return a standing ability as its flag, 0 for none."""
        return 1 << self.word(value, where, ("", *STANDING)) >> 1

    def _figures(self, top: Fields, key: str, count: int | None, least: int, most: int) -> tuple[int, ...]:
        """Return a figure of `count` numbers, or of one that is no list."""
        value = self.figure(top[key], key)
        where = f"{key}.value"
        return (
            (self.number(value, where, least, most),)
            if count is None
            else self.numbers(value, where, count, least, most)
        )

    def _list(self, top: Fields, key: str, count: int | range, read: Callable[[Json, str], T]) -> tuple[T, ...]:
        bounds = (count, count) if isinstance(count, int) else (count[0], count[-1])
        found: list[T] = []
        for index, entry in enumerate(self.entries(top[key], key, *bounds, "entries")):
            label = entry.get("name", entry.get("faction")) if isinstance(entry, dict) else None
            found.append(read(entry, f"{key}[{index}] ({label})" if isinstance(label, str) else f"{key}[{index}]"))
        return tuple(found)

    def _count(self, where: str, what: str, found: Sequence[bool], count: int) -> None:
        if sum(found) != count:
            self.refuse(where, f"must hold {count} {what}, not {sum(found)}")

    def _distinct(self, where: str, names: Sequence[str]) -> None:
        for name in names:
            if names.count(name) > 1:
                self.refuse(where, f"must not use the name {name!r} twice: what is typed must be clear")


def typed_names(components: Components) -> Sequence[str]:
    """Return the names of cards, guilds and factions as they are typed; no two are alike."""
    names = [card.name for card in components.technologies] + [card.name for card in components.events]
    names += [card.name for card in components.systems] + [card.name for card in components.achievements]
    names += [guild.name for guild in components.guilds] + [place.name for place in components.places]
    names += [mat.faction for mat in components.mats if mat.advanced]
    return [slug(name) for name in names]


_TOP: Final = (
    *("columns", "population", "ore", "discs", "discs_a_symbol", "ends", "automation", "points", "trade"),
    *("two_players_without", "tree", "boxes", "places", "boards"),
    *("technologies", "events", "systems", "achievements", "guilds", "mats"),
)
