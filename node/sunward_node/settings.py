"""What a person has set: flag, else environment, else settings file, else default.

Must never hold a secret: flags and environments are seen by others, and the file may be shown to anybody who helps.
"""

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Self, TypeVar

from sunward_protocol.errors import LocalError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One setting: its name, how a text or a TOML value becomes its value (or ValueError), what is allowed, default."""

    name: str
    read: Callable[[object], T]
    allowed: str
    default: T

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return "SUNWARD_" + self.name.upper()


def one_of(name: str, *choices: str) -> Setting[str]:
    """Return a setting with a few values, the first of them the default."""

    def read(value: object) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return Setting(name, read, "one of " + ", ".join(choices), choices[0])


def yes_or_no(name: str, default: bool) -> Setting[bool]:
    """Return a setting that is on or off."""
    words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}

    def read(value: object) -> bool:
        if (word := str(value).lower()) not in words:
            raise ValueError
        return words[word]

    return Setting(name, read, "yes or no", default)


def number(name: str, least: int, most: int, default: int) -> Setting[int]:
    """Return a setting that is a whole number."""

    def read(value: object) -> int:
        found = int(str(value))  # by way of text, or true would be 1 and 1.5 too
        if not least <= found <= most:
            raise ValueError
        return found

    return Setting(name, read, f"a whole number from {least} to {most}", default)


def text(name: str, most: int, default: str) -> Setting[str]:
    """Return a setting that is a printable text."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not 0 < len(value) <= most or not value.isprintable():
            raise ValueError
        return value

    return Setting(name, read, f"a text of 1 to {most} printable characters", default)


@dataclass(frozen=True, slots=True)
class Settings:
    """The sources, strongest first. Flags and file are by setting name, the environment by variable."""

    flags: Mapping[str, object] = field(default_factory=dict[str, object])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    file: Mapping[str, object] = field(default_factory=dict[str, object])
    path: Path = Path("settings.toml")

    @classmethod
    def load(cls, flags: Mapping[str, object], environment: Mapping[str, str], path: Path) -> Self:
        """Read the settings file, if there is one; flags that were not given are None."""
        try:
            file: Mapping[str, object] = tomllib.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            file = {}
        except OSError as error:
            raise LocalError(f"Cannot read {path}: {error.strerror}.") from error
        except ValueError as error:  # not TOML, or not UTF-8
            raise LocalError(f"{path} is not a settings file: {error}. Correct it, or move it away.") from error
        return cls(flags, environment, file, path)

    def get(self, setting: Setting[T]) -> T:
        """Return a setting's value; `LocalError` names where a wrong one stands and what is allowed."""
        for source, value in (
            (f"--{setting.name.replace('_', '-')}", self.flags.get(setting.name)),
            (setting.variable, self.environment.get(setting.variable)),
            (f"{self.path}: {setting.name}", self.file.get(setting.name)),
        ):
            if value is not None:
                try:
                    return setting.read(value)
                except ValueError as error:
                    raise LocalError(f"{source} is {value!r}, but must be {setting.allowed}.") from error
        return setting.default

    def check(self, *known: str) -> None:
        """Raise `LocalError` for a name in the file that is none of these settings."""
        for name in self.file:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                cure = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}."
                raise LocalError(f"{self.path}: there is no setting {name}; {cure}")
