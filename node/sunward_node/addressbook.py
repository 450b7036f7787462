"""The address book: the names that this machine's user gave to others' identities.

Must never be taken from the network, nor overwrite a file that it could not read.

It is a TOML file of `"public key in hex" = "name"`, 0600, which a person may edit. Each change reads it anew and
replaces it whole; comments do not outlive that.
"""

import json
import os
import tempfile
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from sunward_node.places import Places, private_folder
from sunward_node.store import sync_folder
from sunward_protocol.errors import DamagedFile, LocalError
from sunward_protocol.ids import PublicKey
from sunward_protocol.limits import NAME_MOST

_HEADING = (
    "# Who is who: the names you gave to other players' keys. Sunward rewrites this file; your comments go then.\n"
)
_KEY_SIZE = 32


class AddressBook:
    """The book in one file. Every method reads that as it is now; `DamagedFile` says where it is no address book."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def of(cls, places: Places) -> Self:
        """Return this user's own."""
        return cls(places.config / "people.toml")

    def entries(self) -> Mapping[PublicKey, str]:
        """Return all names by key, in the order in which they were given."""
        try:
            found = tomllib.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise LocalError(f"Cannot read the address book {self._path}: {error.strerror}.") from error
        except ValueError as error:  # not TOML, or not UTF-8
            raise self._damaged(str(error)) from error
        names: dict[PublicKey, str] = {}
        for text, name in found.items():
            key = _key(text)
            if key is None:
                raise self._damaged(f"{text!r} is no key of {2 * _KEY_SIZE} hexadecimal digits")
            if not isinstance(name, str) or not _is_name(name):
                raise self._damaged(f"the name of {text[:8]} is not 1 to {NAME_MOST} printable characters")
            if key in names or _same(name, names) is not None:
                raise self._damaged(f"{name!r} or its key stands there twice")
            names[key] = name
        return names

    def name_of(self, key: PublicKey) -> str | None:
        """Return the name given to a key."""
        return self.entries().get(key)

    def key_of(self, name: str) -> PublicKey | None:
        """Return the key that a name was given to; letter case does not matter."""
        return _same(name, self.entries())

    def add(self, key: PublicKey, name: str) -> None:
        """Give a key its name; `LocalError` if the name is another key's, or the key has another name."""
        names = dict(self.entries())
        name = name.strip()
        if len(key) != _KEY_SIZE:
            raise LocalError(f"A key has {_KEY_SIZE} bytes, this one {len(key)}.")
        if names.get(key, name) != name:
            raise LocalError(f"That key is called {names[key]!r} in your address book already: rename it instead.")
        self._check(name, key, names)
        self._write({**names, key: name})

    def rename(self, old: str, new: str) -> None:
        """Give the key of one name another name."""
        names = dict(self.entries())
        key, new = self._find(old, names), new.strip()
        self._check(new, key, names)
        self._write({**names, key: new})

    def forget(self, name: str) -> None:
        """Take a name out."""
        names = dict(self.entries())
        del names[self._find(name, names)]
        self._write(names)

    def _find(self, name: str, names: Mapping[PublicKey, str]) -> PublicKey:
        key = _same(name, names)
        if key is None:
            known = ", ".join(names.values()) or "nobody yet"
            raise LocalError(f"There is no {name!r} in your address book; it has {known}.")
        return key

    def _check(self, name: str, key: PublicKey, names: Mapping[PublicKey, str]) -> None:
        if not _is_name(name):
            raise LocalError(f"A name has 1 to {NAME_MOST} printable characters; {name!r} has not.")
        holder = _same(name, names)
        if holder not in (None, key):
            raise LocalError(
                f"{names[holder]!r} is the name of another key in your address book: take another name, or, if that "
                "person has a new key now, forget the old one first."
            )

    def _write(self, names: Mapping[PublicKey, str]) -> None:
        # A basic string of TOML is one of JSON, whose writer escapes the same (TOML 1.0, "String").
        lines = [f"{json.dumps(key.hex())} = {json.dumps(name, ensure_ascii=False)}\n" for key, name in names.items()]
        folder = private_folder(self._path.parent)
        try:
            with tempfile.NamedTemporaryFile("w", dir=folder, encoding="utf-8", delete=False) as file:  # 0600
                file.write(_HEADING + "".join(lines))
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(self._path)
            sync_folder(folder)
        except OSError as error:
            raise LocalError(f"Cannot write the address book {self._path}: {error.strerror}.") from error

    def _damaged(self, why: str) -> DamagedFile:
        return DamagedFile(f"{self._path} is no address book: {why}. Correct it, or move it away to begin a new one.")


def _key(text: str) -> PublicKey | None:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        return None
    return key if len(key) == _KEY_SIZE else None


def _is_name(name: str) -> bool:
    return 0 < len(name) <= NAME_MOST and name.isprintable() and name == name.strip()


def _same(name: str, names: Mapping[PublicKey, str]) -> PublicKey | None:
    """Return the key whose name looks like this one."""
    return next((key for key, other in names.items() if _folded(other) == _folded(name)), None)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name.strip()).casefold()
