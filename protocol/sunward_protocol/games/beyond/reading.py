"""One walk through a component file: every complaint starts with the file's name and the entry's place in it.

Never knows what the file is about: `components` asks for what the game needs.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn, TypeAlias

from sunward_protocol.errors import BadComponents
from sunward_protocol.games.game import Json

Fields: TypeAlias = Mapping[str, Json]

SOURCES: Final = ("fact", "own")
"""Provenance: stated by public sources about the printed game, or this project's own and to be replaced at will."""
NAME_MOST: Final = 60


class Reading:
    """Values of a JSON file, each checked when it is taken."""

    def __init__(self, source: str) -> None:
        self._source = source

    def parse(self, components: bytes) -> Json:
        """Return the file's value; a key given twice is a mistake, not a later wish."""
        try:
            parsed: Json = json.loads(components.decode("utf-8"), object_pairs_hook=self._unique)
        except UnicodeDecodeError as error:
            self.refuse(f"byte {error.start}", "is not UTF-8", error)
        except json.JSONDecodeError as error:
            self.refuse(f"line {error.lineno} column {error.colno}", f"is not JSON: {error.msg}", error)
        except RecursionError as error:
            self.refuse("the file", "is nested too deeply", error)
        return parsed

    def fields(self, value: Json, where: str, keys: Sequence[str], optional: Sequence[str] = ()) -> Fields:
        """Return an object that has exactly `keys`, and of the optional ones any."""
        if not isinstance(value, dict):
            self.refuse(where, f"must be an object with {', '.join(keys)}")
        for key in keys:
            if key not in value:
                self.refuse(where, f"lacks {key!r}")
        for key in value:
            if key not in keys and key not in optional:
                self.refuse(where, f"has {key!r}, which means nothing here; known: {', '.join((*keys, *optional))}")
        return value

    def entry(self, value: Json, where: str, keys: Sequence[str], optional: Sequence[str] = ()) -> Fields:
        """Return an object with `keys` that says where it comes from."""
        fields = self.fields(value, where, (*keys, "source"), optional)
        self.word(fields["source"], f"{where}.source", SOURCES)
        return fields

    def figure(self, value: Json, where: str) -> Json:
        """Return the value of a figure once its provenance is known to be given."""
        return self.entry(value, where, ("value",))["value"]

    def entries(self, value: Json, where: str, least: int, most: int, of: str) -> Sequence[Json]:
        """Return a list of so many entries."""
        if not isinstance(value, list) or not least <= len(value) <= most:
            many = f"{least}" if least == most else f"{least} to {most}"
            found = f", not {len(value)}" if isinstance(value, list) else ""
            self.refuse(where, f"must be a list of {many} {of}{found}")
        return value

    def numbers(self, value: Json, where: str, count: int, least: int, most: int) -> tuple[int, ...]:
        """Return a list of `count` whole numbers."""
        found = self.entries(value, where, count, count, "numbers")
        return tuple(self.number(entry, f"{where}[{index}]", least, most) for index, entry in enumerate(found))

    def number(self, value: Json, where: str, least: int, most: int) -> int:
        """Return a whole number in a range."""
        if not isinstance(value, int) or isinstance(value, bool):
            self.refuse(where, "must be a whole number")
        if not least <= value <= most:
            bounds = f"must be {least}" if least == most else f"must be {least} to {most}"
            self.refuse(where, f"{bounds}, not {value}")
        return value

    def word(self, value: Json, where: str, words: Sequence[str]) -> int:
        """Return which of `words` it is."""
        if not isinstance(value, str) or value not in words:
            known = ", ".join(word or "''" for word in words)
            self.refuse(where, f"must be one of {known}, not {value!r}")
        return words.index(value)

    def flag(self, value: Json, where: str) -> bool:
        """Return true or false."""
        if not isinstance(value, bool):
            self.refuse(where, "must be true or false")
        return value

    def text(self, value: Json, where: str) -> str:
        """Return a string of any length."""
        if not isinstance(value, str):
            self.refuse(where, "must be a string")
        return value

    def name(self, value: Json, where: str) -> str:
        """Return the name of a component."""
        name = self.text(value, where)
        if not 1 <= len(name) <= NAME_MOST or not name.isprintable() or not any(map(str.isalnum, name)):
            self.refuse(where, f"must be a name of 1 to {NAME_MOST} printable characters")
        return name

    def refuse(self, where: str, reason: str, cause: Exception | None = None) -> NoReturn:
        """Raise `BadComponents`."""
        raise BadComponents(f"{self._source}: {where} {reason}.") from cause

    def _unique(self, pairs: list[tuple[str, Json]]) -> Fields:
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                self.refuse("the file", f"gives {key!r} twice in one object")
        return dict(pairs)
