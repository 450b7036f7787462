"""Checks of this machine: versions, folders, keys, files, disk, clock, terminal, nodes at work.

Must never make, change or show anything of the user's.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from sunward_node.addressbook import AddressBook
from sunward_node.discovery import DISCOVERY
from sunward_node.doctor.asking import ask
from sunward_node.doctor.finding import Finding, Level
from sunward_node.keys import load_identity, passphrase_from
from sunward_node.places import Places, private_folder
from sunward_node.settings import Settings
from sunward_node.transport_probe import zmq_versions
from sunward_node.words import short_words
from sunward_protocol.errors import LocalError

DISK_LOW = 200 * 2**20
"""Bytes free below which it is said: room for thirty of the longest matches at six seats."""
DISK_OUT = 16 * 2**20
"""Bytes free below which a match may not get to its end."""
YEARS = range(2025, 2100)
"""Years that a clock may show."""
JUMP = 0.5
"""Seconds by which the wall clock may part from the monotonic one while the doctor looks."""
COLUMNS = 80
"""Columns that the board needs to be drawn as a grid."""


def versions() -> Iterator[Finding]:
    """Yield what is installed."""
    yield Finding("python", Level.OK, f"Python {sys.version.split()[0]}.")
    yield Finding("sunward", Level.OK, f"Sunward {version('sunward')}.")
    try:
        yield Finding("zeromq", Level.OK, f"{zmq_versions()}.")
    except LocalError as error:
        yield Finding("zeromq", Level.FAILED, str(error))
    yield _cryptography()
    yield _msgpack()


def _cryptography() -> Finding:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.backends.openssl import backend
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    found = f"cryptography {version('cryptography')} with {backend.openssl_version_text()}"
    try:
        Ed25519PrivateKey.generate().sign(b"")
    except UnsupportedAlgorithm:
        cure = "`pip install --force-reinstall --only-binary=cryptography cryptography` brings one that has it"
        return Finding("cryptography", Level.FAILED, f"{found} has no Ed25519: {cure}.")
    return Finding("cryptography", Level.OK, f"{found}.")


def _msgpack() -> Finding:
    found = f"msgpack {version('msgpack')}"
    if find_spec("msgpack._cmsgpack") is None:
        cure = "`pip install --force-reinstall --only-binary=msgpack msgpack` brings the quick one"
        return Finding("msgpack", Level.WARNING, f"{found} runs in plain Python, ten times slower: {cure}.")
    return Finding("msgpack", Level.OK, f"{found}.")


def folders(places: Places) -> Iterator[Finding]:
    """Yield whether each of our folders can be used; one that is not there yet is not made."""
    for name in ("config", "data", "state", "runtime"):
        path: Path = getattr(places, name)
        try:
            private_folder(path if path.exists() else nearest(path))
        except LocalError as error:
            yield Finding("folders", Level.FAILED, str(error))
        else:
            yield Finding("folders", Level.OK, f"{path} {'is ours' if path.exists() else 'is made on first use'}.")


def nearest(path: Path) -> Path:
    """Return the path, or what there is of it."""
    return next(parent for parent in (path, *path.parents) if parent.exists())


def files(places: Places, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield whether the identity, the settings and the address book can be read."""
    try:
        if (places.keys / "identity.pem").exists():
            identity = load_identity(places.keys, passphrase_from(environment))
            yield Finding("identity", Level.OK, f"You are {short_words(identity.public)}.")
        else:
            yield Finding("identity", Level.OK, "You have no key yet; it is made when you first play.")
    except LocalError as error:
        yield Finding("identity", Level.FAILED, str(error))
    try:
        Settings.load({}, environment, places.settings).get(DISCOVERY)
        yield Finding("settings", Level.OK, f"{places.settings} {_is_there(places.settings)}.")
    except LocalError as error:
        yield Finding("settings", Level.FAILED, str(error))
    try:
        names = AddressBook.of(places).entries()
        yield Finding("address book", Level.OK, f"Your address book has {len(names)} names.")
    except LocalError as error:
        yield Finding("address book", Level.FAILED, str(error))


def _is_there(path: Path) -> str:
    return "can be read" if path.exists() else "is not there, so everything is as it comes"


def disk(folder: Path, free: int) -> Finding:
    """Return whether `free` bytes are enough for the matches."""
    level = Level.FAILED if free < DISK_OUT else Level.WARNING if free < DISK_LOW else Level.OK
    cure = "" if level is Level.OK else ": make room there before you play"
    return Finding("disk", level, f"{free // 2**20} MiB are free for matches in {folder}{cure}.")


def disk_free(places: Places) -> int:
    """Return the bytes free where matches are kept."""
    return shutil.disk_usage(nearest(places.matches)).free


def clock(now: float, monotonic_passed: float, wall_passed: float, synchronised: bool | None) -> Iterator[Finding]:
    """Yield whether the clock can be right: now in seconds since 1970, what two clocks say has passed, and of NTP."""
    shown = datetime.fromtimestamp(now, UTC)
    cure = "set it, or switch the system's time synchronisation on"
    if shown.year not in YEARS:
        yield Finding("clock", Level.WARNING, f"The clock says it is {shown:%Y-%m-%d}: {cure}.")
    elif abs(wall_passed - monotonic_passed) > JUMP:
        jump = wall_passed - monotonic_passed
        yield Finding("clock", Level.WARNING, f"The clock jumped by {jump:+.1f} s just now: {cure}.")
    else:
        yield Finding(
            "clock", Level.OK, f"The clock says it is {shown:%Y-%m-%d %H:%M} UTC; matches do not depend on it."
        )
    if synchronised is False:
        yield Finding(
            "time service", Level.WARNING, "The system does not synchronise its clock: `timedatectl set-ntp on`."
        )
    elif synchronised:
        yield Finding("time service", Level.OK, "The system synchronises its clock.")


def is_synchronised() -> bool | None:
    """Return whether the system keeps its clock right by itself; None if it does not tell."""
    said = ask("timedatectl", "show", "--property=NTPSynchronized", "--value")
    return {"yes": True, "no": False}.get(said.strip())


def terminal(out: TextIO, environment: Mapping[str, str], columns: int) -> Iterator[Finding]:
    """Yield what the terminal can show."""
    if not out.isatty():
        yield Finding("terminal", Level.OK, "There is no terminal here: output is plain lines.")
        return
    encoding = (out.encoding or "ascii").lower()
    if not encoding.startswith("utf"):
        yield Finding(
            "terminal",
            Level.WARNING,
            f"The locale's encoding is {encoding}, so ASCII stands for glyphs: set LANG=C.UTF-8.",
        )
    elif columns < COLUMNS:
        yield Finding(
            "terminal", Level.WARNING, f"{columns} columns show the board as a list: the grid needs {COLUMNS}."
        )
    else:
        plain = "NO_COLOR" in environment or environment.get("TERM", "dumb") == "dumb"
        yield Finding("terminal", Level.OK, f"{columns} columns, {encoding}, {'no colours' if plain else 'colours'}.")


def nodes(places: Places) -> Finding:
    """Return which nodes of ours are at work here."""
    running = sorted({pid for pid in _holders(places.matches.glob("*/*/lock")) if _is_node(pid)})
    if not running:
        return Finding("nodes", Level.OK, "No node of yours is playing on this machine.")
    several = f"{len(running)} nodes of yours are" if len(running) > 1 else "One node of yours is"
    which = ", ".join(map(str, running))
    return Finding("nodes", Level.OK, f"{several} playing on this machine: process {which}.")


def _holders(locks: Iterable[Path]) -> Iterator[int]:
    """Yield the process that each lock file names: whoever took it last."""
    for lock in locks:
        with suppress(OSError, ValueError):
            yield int(lock.read_text("ascii"))


def _is_node(pid: int) -> bool:
    """Whether a process is one of ours; where a system does not show its command line, whether it is there."""
    if sys.platform == "win32":
        return False  # a signal of 0 would end it there
    try:
        if Path("/proc/self/cmdline").exists():
            return b"sunward" in Path(f"/proc/{pid}/cmdline").read_bytes()
        os.kill(pid, 0)
    except OSError:
        return False
    return True
