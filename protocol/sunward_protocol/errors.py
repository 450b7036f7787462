"""The one tree of errors: each says whose fault it is, and its text says what to do about it."""

from typing import ClassVar


class SunwardError(Exception):
    """Anything that goes wrong in a way this project foresaw; `code` is stable across versions."""

    code: ClassVar[str] = "error"


class LocalError(SunwardError):
    """Our own side is at fault: a file, a setting, a disk, a misuse of the interface."""

    code: ClassVar[str] = "local"


class RemoteError(SunwardError):
    """A peer is at fault: what it sent cannot be accepted."""

    code: ClassVar[str] = "remote"


class IllegalAction(SunwardError):
    """A player asked for what the rules forbid; `ruling` is the id of the rule that forbids it."""

    code: ClassVar[str] = "illegal"

    def __init__(self, ruling: str, sentence: str) -> None:
        super().__init__(ruling, sentence)  # both, so that it may be pickled
        self.ruling = ruling
        self.sentence = sentence

    def __str__(self) -> str:
        return f"{self.sentence} ({self.ruling})"


class UnreadableAction(SunwardError):
    """A typed action is no action of the game at all; the text says what could have been meant."""

    code: ClassVar[str] = "unreadable"


class BadComponents(LocalError):
    """A component file breaks its schema; the text names file, entry and reason."""

    code: ClassVar[str] = "components"


class Malformed(RemoteError):
    """Bytes from outside that are not a message of this protocol."""

    code: ClassVar[str] = "malformed"


class Forged(RemoteError):
    """A signature, link, commitment or chain that does not hold."""

    code: ClassVar[str] = "forged"


class Unsigned(Forged):
    """History that holds together, but with a signature that does not: nobody honest passes it on."""


class OtherVersion(RemoteError):
    """A peer or a file speaks another version; nobody cheats, somebody updates."""

    code: ClassVar[str] = "version"


class DamagedFile(LocalError):
    """A file of ours that no longer reads back as it was written."""

    code: ClassVar[str] = "damaged"
