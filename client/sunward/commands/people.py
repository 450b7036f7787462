"""`sunward people`: those whom this machine's user met in matches, and the names that the user gave to them.

Must never name a key by a guess: words that fit none, or more than one, are said to.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Protocol

from sunward.exits import Exit, Misused
from sunward.saved import SavedMatch, saved_matches
from sunward_node.addressbook import AddressBook
from sunward_node.places import Places
from sunward_node.program import typed
from sunward_node.seat import MATCH_FILE, folder_name
from sunward_node.store import read_records
from sunward_node.words import short_words
from sunward_protocol.errors import LocalError, SunwardError
from sunward_protocol.ids import PublicKey
from sunward_protocol.messages import Member
from sunward_protocol.records import Opening, parse_record

_KEY = re.compile(r"[0-9a-fA-F]{64}")


class Options(Protocol):
    """The command's flags."""

    what: str
    operands: Sequence[str]
    json: bool


@dataclass(frozen=True, slots=True)
class Person:
    """One key (as hex) and all that is known of it; what was used or played last comes first."""

    key: str
    words: str
    known: str | None
    """The name in the address book."""
    names: tuple[str, ...]
    """The names that this person used."""
    matches: tuple[str, ...]

    def __str__(self) -> str:
        met = f"{' or '.join(self.names)} in {self.matches[0][:12]}" if self.matches else "in no match here"
        return f"{self.known or '-':16}  {self.words:28}  {met}"


def everybody(places: Places) -> Mapping[PublicKey, Person]:
    """Return those met, the last one first, then those in the address book who were not."""
    names, matches = dict[PublicKey, dict[str, None]](), dict[PublicKey, list[str]]()
    for match in saved_matches(places):
        for member in _met(match):
            names.setdefault(member.identity, {})[member.name] = None
            matches.setdefault(member.identity, []).append(match.match)
    book = AddressBook.of(places).entries()
    return {
        key: Person(key.hex(), short_words(key), book.get(key), tuple(names.get(key, ())), tuple(matches.get(key, ())))
        for key in dict.fromkeys((*matches, *book))
    }


def _met(match: SavedMatch) -> Iterator[Member]:
    """Yield the people of a match who have no seat on this machine; bots are none."""
    here = {seat.folder.name for seat in match.seats}
    for seat in match.seats:
        with suppress(SunwardError, IndexError):  # of the seats here one at least can be read
            opening = parse_record(read_records(seat.file, MATCH_FILE).records[0])
            if isinstance(opening, Opening):
                for member in opening.genesis.members:
                    if member.owner == member.identity and folder_name(member.identity) not in here:
                        yield member
                return


def _list(places: Places) -> Sequence[Person]:
    return list(everybody(places).values())


def _name(places: Places, name: str, whom: str) -> Sequence[Person]:
    key = bytes.fromhex(whom) if _KEY.fullmatch(whom) else _met_with(places, whom.lower())
    AddressBook.of(places).add(key, name)
    return [everybody(places)[key]]


def _rename(places: Places, old: str, new: str) -> Sequence[Person]:
    book = AddressBook.of(places)
    book.rename(old, new)
    return [person for key, person in everybody(places).items() if key == book.key_of(new)]


def _forget(places: Places, name: str) -> Sequence[Person]:
    AddressBook.of(places).forget(name)
    return []


def _met_with(places: Places, words: str) -> PublicKey:
    """Return the key of the one person met who has these words."""
    fitting = [key for key, person in everybody(places).items() if person.words == words]
    if not fitting:
        raise LocalError(
            f"Nobody whom you met in a match here has the words {words!r}: `{typed('people')}` lists those you met. "
            "Whom you did not meet you can name by the key, 64 hexadecimal digits."
        )
    if len(fitting) > 1:
        raise LocalError(
            f"{len(fitting)} keys have the words {words!r}; such a thing is made, it does not happen. Give the key "
            f"itself, from `{typed('people --json')}`, after comparing it with its owner's."
        )
    return fitting[0]


_DOINGS: Mapping[str, tuple[Sequence[str], Callable[..., Sequence[Person]]]] = {
    "list": ((), _list),
    "name": (("NAME", "WORDS-or-KEY"), _name),
    "rename": (("OLD", "NEW"), _rename),
    "forget": (("NAME",), _forget),
}
"""What can be done, with its operands."""


def run(options: Options) -> int:
    """Do what was asked, and print whom it concerns."""
    operands, do = _DOINGS[options.what]
    if len(options.operands) != len(operands):
        usage = typed(" ".join(("people", options.what, *operands)))
        raise Misused(f"It is `{usage}`, with quotes around a name that has blanks.")
    found = do(Places.find(os.environ), *options.operands)
    if options.json:
        print(json.dumps([asdict(person) for person in found]))
    else:
        for person in found:
            print(person)
    return Exit.OK
