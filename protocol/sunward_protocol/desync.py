"""Two replicas that went apart: what one of them had, written as a bundle, and where two bundles differ first.

Must never say who was wrong: a bundle is signed by nobody. The match file is, and `verify` judges it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard, cast

from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.envelope import Slot
from sunward_protocol.errors import DamagedFile, IllegalAction, LocalError
from sunward_protocol.games.game import Json, Position
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.ledger import Cheat, Disagreement
from sunward_protocol.limits import LEAD, PROTOCOL_VERSION
from sunward_protocol.log import extend, parse_entry
from sunward_protocol.messages import Act, Kind
from sunward_protocol.table.events import Troubled
from sunward_protocol.table.steps import Steps

FORMAT = "sunward-desync/1"


class Who(NamedTuple):
    """A member: its place at the table and its name."""

    place: Place
    name: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one side has of a step after which two replicas differ; `by` is that side, `against` whose word it refused.

    Hashes, heads and frames are in hexadecimal digits. `sections` are the parts of the position, as `export` has it,
    right after the step; `state` is the hash of the whole. `entries` are the last of the log and what goes beyond it.
    """

    match: str
    step: Step
    by: Who
    against: Who
    sentence: str
    versions: Mapping[str, str]
    head: str
    state: str
    sections: Mapping[str, Json]
    entries: tuple[str, ...]

    def write(self) -> str:
        """Return the bundle as one JSON text, each section beside its hash."""
        sections = {name: {"hash": section_hash(name, value), "value": value} for name, value in self.sections.items()}
        return json.dumps(
            {
                "format": FORMAT,
                "match": self.match,
                "step": self.step,
                "by": self.by._asdict(),
                "against": self.against._asdict(),
                "sentence": self.sentence,
                "versions": dict(self.versions),
                "head": self.head,
                "state": self.state,
                "sections": sections,
                "entries": self.entries,
            },
            indent=1,
        )


class Difference(NamedTuple):
    """Where two positions differ first: a section's name, what leads on from it to the spot, and both values there.

    None stands for a value that one side lacks, too.
    """

    path: tuple[str | int, ...]
    one: Json
    other: Json


def section_hash(name: str, value: Json) -> str:
    """Return the hash of a part of a position, the same for equal values: short enough to be read out to somebody."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return digest(Domain.STATE, name.encode(), canonical.encode()).hex()


def bundle(steps: Steps, trouble: Troubled, versions: Mapping[str, str]) -> Bundle | None:
    """Return what this replica has of a step for which a trouble refused somebody's word.

    None if that word was about no position: two different ones for one slot are no matter of rules.
    """
    find = _FIND.get(trouble.code)
    stand = None if find is None else find(steps, trouble.step, trouble.place)
    if stand is None:
        return None
    ledger = steps.tip
    genesis, sections = ledger.genesis, ledger.ruleset.words.state_json(stand.position)
    assert isinstance(sections, Mapping)
    return Bundle(
        match=ledger.match.hex(),
        step=trouble.step,
        by=_who(genesis, steps.own.place),
        against=_who(genesis, trouble.place),
        sentence=trouble.sentence,
        versions={
            **versions,
            "protocol": str(PROTOCOL_VERSION),
            "game": genesis.game,
            "rules": str(genesis.rules_version),
            "components": digest(Domain.RULESET, genesis.components).hex(),
        },
        head=stand.head.hex(),
        state=digest(Domain.STATE, stand.position.encode()).hex(),
        sections=sections,
        entries=tuple(raw.hex() for raw in (*steps.entries[-LEAD:], *steps.unlocked.entries())),
    )


def _who(genesis: Genesis, place: Place) -> Who:
    return Who(place, genesis.members[place].name)


class _Stand(NamedTuple):
    """Where a replica stands after a step."""

    head: Digest
    position: Position


def _performed(steps: Steps, step: Step, _: Place) -> _Stand | None:
    """Return where we stood after a step, whatever was performed behind it since."""
    if step == steps.tip.step - 1:
        return _Stand(steps.tip.head, steps.tip.position)
    ledger = steps.settled.copy()
    for raw in steps.unlocked.entries():
        if ledger.step <= step:
            extend(ledger, parse_entry(raw))
    return _Stand(ledger.head, ledger.position) if ledger.step == step + 1 else None


def _refused(steps: Steps, step: Step, place: Place) -> _Stand | None:
    """Return where the choices lead here that a place signed with another outcome, or up to one that is illegal."""
    tip = steps.tip
    if step != tip.step:
        return None
    frame = steps.slots.get(Slot(tip.epoch, tip.step, Kind.ACT, place))
    if frame is None or not isinstance(frame.payload, Act) or frame.head != tip.head:
        return None
    stand = _Stand(
        digest(Domain.HEAD, tip.head, numbers(tip.epoch, tip.step), frame.digest),
        tip.position.copy(),
    )
    seat = tip.seat_of(place)
    try:
        for choice in frame.payload.choices:
            stand.position.check(seat, choice)
            stand.position.apply(seat, choice)
    except IllegalAction:
        return stand
    return None if digest(Domain.STATE, stand.position.encode()) == frame.payload.outcome else stand


_FIND = {Disagreement.code: _performed, Cheat.code: _refused}
"""Where we stand, by the code of a trouble. What ours does is a cheat to a replica with another rule."""


def parse(text: str, source: str) -> Bundle:
    """Return the bundle in a JSON text; raise `DamagedFile`, naming `source`, for any other text."""
    try:
        read = cast("dict[str, Json]", json.loads(text))
        _same(read["format"], FORMAT, "its format")
        sections = {name: _mapping(section) for name, section in _mapping(read["sections"]).items()}
        for name, section in sections.items():
            _same(section["hash"], section_hash(name, section["value"]), f"the hash of its section {name!r}")
        by, against = (_mapping(read[who]) for who in ("by", "against"))
        return Bundle(
            _text(read["match"]),
            _number(read["step"]),
            Who(_number(by["place"]), _text(by["name"])),
            Who(_number(against["place"]), _text(against["name"])),
            _text(read["sentence"]),
            {name: _text(version) for name, version in _mapping(read["versions"]).items()},
            _text(read["head"]),
            _text(read["state"]),
            {name: section["value"] for name, section in sections.items()},
            tuple(map(_text, cast("Sequence[Json]", read["entries"]))),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFile(
            f"{source} is no bundle of a desync, or was changed ({error}): take the file as the node wrote it."
        ) from error


def _same(found: Json, wanted: str, what: str) -> None:
    if found != wanted:
        raise ValueError(f"{what} is another")


def _mapping(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise TypeError("a list of fields is missing")
    return value


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is missing")
    return value


def _number(value: Json) -> int:
    if not isinstance(value, int):
        raise TypeError("a number is missing")
    return value


def check_pair(one: Bundle, other: Bundle) -> None:
    """Raise `LocalError` unless two bundles are of one step of one match, and of two sides."""
    if one.match != other.match:
        raise LocalError("The two bundles are of different matches: take two of the same match.")
    if one.step != other.step:
        first = min(one.step, other.step)
        raise LocalError(
            f"One bundle is of step {one.step}, the other of step {other.step}: compare those of step {first}, "
            "after which the two sides differed first."
        )
    if one.by == other.by:
        raise LocalError(f"Both bundles are of {one.by.name!r}: take the other side's.")


def other_versions(one: Bundle, other: Bundle) -> list[str]:
    """Return the names of all versions that are not the same on both sides, in order."""
    names = [*one.versions, *(name for name in other.versions if name not in one.versions)]
    return [name for name in names if one.versions.get(name) != other.versions.get(name)]


def first_difference(one: Bundle, other: Bundle) -> Difference | None:
    """Return where the positions of two bundles differ first, in the order of the export; None if nowhere."""
    return _first(one.sections, other.sections, ())


def _first(one: Json, other: Json, path: tuple[str | int, ...]) -> Difference | None:
    parts: Sequence[tuple[str | int, Json, Json]]
    if one == other:
        return None
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        names = [*one, *(name for name in other if name not in one)]
        parts = [(name, one.get(name), other.get(name)) for name in names]
    elif _is_list(one) and _is_list(other) and len(one) == len(other):
        parts = [(number, *pair) for number, pair in enumerate(zip(one, other, strict=True))]
    else:
        return Difference(path, one, other)
    differences = (_first(ours, theirs, (*path, name)) for name, ours, theirs in parts)
    return next((difference for difference in differences if difference), None)


def _is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
