"""The component data: its schema, its canonical bytes, and the values read from it.

Never holds a number of the components itself, and never lets a file through that the rules could not be played with.

A file is one JSON object. A figure is written with its provenance, `{"value": 9, "source": "fact"}`: a `fact` is stated
by public sources about the printed game, `own` is this project's invention, to be replaced by whoever owns the board.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final, NoReturn, TypeAlias

from sunward_protocol.errors import BadComponents
from sunward_protocol.games.game import Json

Fields: TypeAlias = Mapping[str, Json]

GROUPS: Final = ("inner", "outer")
MAX_TRACKS: Final = 16
MAX_SPACES: Final = 16
MAX_ROWS: Final = 6
"""What there are bits for: four for a track, for a space of it, and for a seat's space on a row; five for a card."""

MARKERS: Final = 2
"""Tokens a player cannot use: one lies on the score track, one in the turn-order cup (C1)."""

_TOP: Final = ("tokens", "rows", "row_cards", "row_spaces", "places", "tracks")
_TRACK: Final = ("name", "group", "cards", "spaces", "circle")
_SOURCES: Final = ("fact", "own")
_NAME: Final = re.compile(r"[a-z]{1,12}")


@dataclass(frozen=True, slots=True)
class Track:
    """One fame track: `spaces` run 1, 2, 4 … doubling, `circle` is the number of the space with the red circle."""

    name: str
    group: str
    cards: int
    spaces: int
    circle: int


@dataclass(frozen=True, slots=True)
class Components:
    """What lies on the table: `tokens` a player (markers included), and what 1st, 2nd … place of a track are paid."""

    tokens: int
    rows: tuple[str, ...]
    row_cards: int
    row_spaces: int
    places: tuple[int, ...]
    tracks: tuple[Track, ...]


def builtin() -> bytes:
    """Return the component file that comes with the game."""
    return resources.files("sunward_protocol.games.around").joinpath("components.json").read_bytes()


def canonical(components: bytes) -> bytes:
    """Return the one spelling of a file that `read` accepts: provenance kept, white space and key order not."""
    return json.dumps(json.loads(components), sort_keys=True, separators=(",", ":")).encode("ascii")


def read(components: bytes, source: str) -> Components:
    """Check a component file; raise `BadComponents` naming `source`, the entry and the reason."""
    return _Reader(source).read(components)


class _Reader:
    """One walk through one file; every complaint starts with the file's name and the entry's place in it."""

    def __init__(self, source: str) -> None:
        self._source = source

    def read(self, components: bytes) -> Components:
        top = self._object(self._parse(components), "the file", _TOP)
        rows = self._names(self._figure(top, "rows"), "rows")
        found = top["tracks"]
        if not isinstance(found, list) or not 2 <= len(found) <= MAX_TRACKS:
            self._refuse("tracks", f"must be a list of 2 to {MAX_TRACKS} tracks")
        tracks = tuple(self._track(entry, index) for index, entry in enumerate(found))
        for group in GROUPS:
            if all(track.group != group for track in tracks):
                self._refuse("tracks", f"must hold at least one {group} track: R10 pays for the {group} ones")
        names = [*rows, *(track.name for track in tracks)]
        for name in names:
            if names.count(name) > 1:
                self._refuse("tracks", f"must not use the name {name!r} twice: a card is named by its track or row")
        return Components(
            # A player whose hand is empty must have something on a fame track to take back (R1).
            tokens=self._number(self._figure(top, "tokens"), "tokens", MARKERS + len(rows) + 1, 64),
            rows=rows,
            row_cards=self._number(self._figure(top, "row_cards"), "row_cards", 2, 2, "every good deed has two cards"),
            row_spaces=self._number(self._figure(top, "row_spaces"), "row_spaces", 2, MAX_SPACES - 1),
            places=self._places(self._figure(top, "places")),
            tracks=tracks,
        )

    def _track(self, entry: Json, index: int) -> Track:
        where = f"tracks[{index}]"
        fields = self._object(entry, where, _TRACK)
        name, group = fields["name"], fields["group"]
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            self._refuse(f"{where}.name", "must be a word of 1 to 12 letters a to z")
        where = f"tracks[{index}] ({name})"
        if not isinstance(group, str) or group not in GROUPS:
            self._refuse(f"{where}.group", f"must be one of {', '.join(GROUPS)}")
        cards = self._number(
            self._figure(fields, "cards", where),
            f"{where}.cards",
            1,
            2,
            "two cards make it a Hidden Agenda, one does not",
        )
        spaces = self._number(self._figure(fields, "spaces", where), f"{where}.spaces", 2, MAX_SPACES)
        last = 1 << spaces - 1
        circle = self._number(
            self._figure(fields, "circle", where), f"{where}.circle", 1, last, "the track's last space"
        )
        if circle & circle - 1:
            self._refuse(f"{where}.circle", f"must be a space of the track (1, 2, 4 … {last}), not {circle}")
        return Track(name=name, group=group, cards=cards, spaces=spaces, circle=circle)

    def _places(self, value: Json) -> tuple[int, ...]:
        if not isinstance(value, list) or not 1 <= len(value) <= 6:
            self._refuse("places", "must be a list of 1 to 6 scores, first place first")
        places = tuple(self._number(score, f"places[{index}]", 0, 100) for index, score in enumerate(value))
        if sorted(places, reverse=True) != list(places):
            self._refuse("places", "must not pay a later place more than an earlier one")
        return places

    def _names(self, value: Json, where: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_ROWS:
            self._refuse(where, f"must be a list of 1 to {MAX_ROWS} names")
        names: list[str] = []
        for index, name in enumerate(value):
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                self._refuse(f"{where}[{index}]", "must be a word of 1 to 12 letters a to z")
            names.append(name)
        return tuple(names)

    def _figure(self, fields: Fields, key: str, where: str = "") -> Json:
        """Return the value of a figure once its provenance is known to be given."""
        place = f"{where}.{key}" if where else key
        figure = self._object(fields[key], place, ("value", "source"))
        if figure["source"] not in _SOURCES:
            self._refuse(f"{place}.source", f"must be one of {', '.join(_SOURCES)}")
        return figure["value"]

    def _number(self, value: Json, where: str, least: int, most: int, why: str = "") -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            self._refuse(where, "must be a whole number")
        if not least <= value <= most:
            bounds = f"must be {least}" if least == most else f"must be {least} to {most}"
            self._refuse(where, f"{bounds}, not {value}" + (f": {why}" if why else ""))
        return value

    def _object(self, value: Json, where: str, keys: Sequence[str]) -> Fields:
        if not isinstance(value, dict):
            self._refuse(where, f"must be an object with {', '.join(keys)}")
        for key in keys:
            if key not in value:
                self._refuse(where, f"lacks {key!r}")
        for key in value:
            if key not in keys:
                self._refuse(where, f"has {key!r}, which means nothing here; known: {', '.join(keys)}")
        return value

    def _parse(self, components: bytes) -> Json:
        try:
            parsed: Json = json.loads(components.decode("utf-8"), object_pairs_hook=self._unique)
        except UnicodeDecodeError as error:
            self._refuse(f"byte {error.start}", "is not UTF-8", error)
        except json.JSONDecodeError as error:
            self._refuse(f"line {error.lineno} column {error.colno}", f"is not JSON: {error.msg}", error)
        except RecursionError as error:
            self._refuse("the file", "is nested too deeply", error)
        return parsed

    def _unique(self, pairs: list[tuple[str, Json]]) -> Fields:
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                self._refuse("the file", f"gives {key!r} twice in one object")
        return dict(pairs)

    def _refuse(self, where: str, reason: str, cause: Exception | None = None) -> NoReturn:
        raise BadComponents(f"{self._source}: {where} {reason}.") from cause
