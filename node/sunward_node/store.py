"""Append-only files of records: what was written stays written, and a reader can tell a crash from damage.

Must never change or lose a record that an append returned for, nor take damaged bytes for a record.

A file is a header (a magic of 14 bytes, a version in 2) and records. A record is the payload's length in 4 bytes, the
CRC-32 of those, the CRC-32 of the payload, and the payload; numbers are big-endian. The length has a checksum of its
own: a wrong one in the middle would look like a record cut off at the end, and all that follows would be thrown away.
"""

import errno
import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from zlib import crc32

from sunward_protocol.errors import DamagedFile, LocalError, OtherVersion

MAGIC_SIZE = 14
_HEADER = struct.Struct(f">{MAGIC_SIZE}sH")
_LENGTH = struct.Struct(">I")
_RECORD = struct.Struct(">III")
_RECORD_SIZE = _RECORD.size


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file holds: a magic of up to 14 bytes, a version of its contents, and what to do if it is damaged."""

    magic: bytes
    version: int = 1
    cure: str = "Put a copy of it back."

    def header(self) -> bytes:
        """Return the file's first 16 bytes."""
        return _HEADER.pack(self.magic, self.version)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds: its whole records, where they end, and how many bytes of an unfinished one follow."""

    records: list[bytes]
    end: int
    torn: int


def read_records(path: Path, kind: Kind) -> Reading:
    """Read a file without touching it.

    A write that was cut short leaves an unfinished record at the end: `torn` tells its size. Anything else amiss is
    `DamagedFile`; another version is `OtherVersion`; a file that cannot be read, `LocalError`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LocalError(f"Cannot read {path}: {error.strerror}.") from error
    return _parse(path, kind, data)


class RecordFile:
    """A file open for appending, by one process at a time (the seat's lock sees to that).

    `cut` tells how many bytes of an unfinished record were cut off at opening.
    """

    __slots__ = ("_descriptor", "_end", "_kind", "_path", "cut")

    def __init__(self, path: Path, kind: Kind, descriptor: int, reading: Reading) -> None:
        self._path = path
        self._kind = kind
        self._descriptor = descriptor
        self._end = reading.end
        self.cut = reading.torn

    @classmethod
    def open(cls, path: Path, kind: Kind) -> Self:
        """Open a file, made 0600 if it is not there; what a crash left unfinished is cut off."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise LocalError(f"Cannot open {path}: {error.strerror}.") from error
        try:
            reading = _parse(path, kind, path.read_bytes())
            file = cls(path, kind, descriptor, reading)
            file._cut_to_end()
            if reading.end == 0:
                file._write(kind.header())
                sync_folder(path.parent)
        except BaseException:
            os.close(descriptor)
            raise
        return file

    def append(self, payload: bytes | Sequence[bytes], *, sync: bool = False) -> None:
        """Write one record, or several, in one write; all of it is the system's when this returns.

        That outlives a crash of this process; with `sync` it is the disk's, which outlives a loss of power. On
        `LocalError` (the disk is full) nothing of it is in the file, and everything earlier is.
        """
        payloads = (payload,) if isinstance(payload, bytes) else payload
        before = self._end
        self._write(b"".join([part for each in payloads for part in (_head(each), each)]))
        if sync:
            try:
                os.fsync(self._descriptor)
            except OSError as error:  # a disk may find out only now that it is full or broken
                self._end = before
                self._cut_to_end()
                raise self._unwritten(error.strerror) from error

    def read(self) -> list[bytes]:
        """Return all records."""
        return read_records(self._path, self._kind).records

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        reason = "the disk is full"
        try:
            written = os.write(self._descriptor, data)
        except OSError as error:
            written, reason = 0, error.strerror or reason
        if written != len(data):
            self._cut_to_end()
            raise self._unwritten(reason)
        self._end += written

    def _unwritten(self, reason: str | None) -> LocalError:
        return LocalError(
            f"Cannot write to {self._path}: {reason}. Nothing earlier is lost; make room there and start again."
        )

    def _cut_to_end(self) -> None:
        try:
            os.lseek(self._descriptor, self._end, os.SEEK_SET)
            os.ftruncate(self._descriptor, self._end)
        except OSError as error:  # what is left behind the end is cut off, or refused, when the file is opened next
            raise self._unwritten(error.strerror) from error


def replace_file(path: Path, data: bytes) -> None:
    """Put a small file in place of another, whole or not at all, on the disk itself when this returns; `LocalError`."""
    fresh = path.with_name(f"{path.name}.new")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        try:
            if os.write(descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        fresh.replace(path)
    except OSError as error:
        raise LocalError(f"Cannot write to {fresh}: {error.strerror}. Make room there and start again.") from error
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files on the disk itself, where a system lets one ask for it; else `LocalError`."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise LocalError(f"Cannot write in {folder}: {error.strerror}. Make room there and start again.") from error


def _head(payload: bytes) -> bytes:
    length = len(payload)
    return _RECORD.pack(length, crc32(_LENGTH.pack(length)), crc32(payload))


def _parse(path: Path, kind: Kind, data: bytes) -> Reading:
    header = kind.header()
    if data[: _HEADER.size] != header:
        if header.startswith(data):
            return Reading([], 0, len(data))  # torn before anything was in it
        if data.startswith(header[:MAGIC_SIZE]) and len(data) >= _HEADER.size:
            found = _HEADER.unpack_from(data)[1]
            raise OtherVersion(f"{path} is of version {found}, this program reads version {kind.version}: update it.")
        raise DamagedFile(
            f"{path} is not a file of the kind {kind.magic.decode()!r}, or its first bytes are damaged. {kind.cure}"
        )
    records: list[bytes] = []
    end = _HEADER.size
    for record, after in _records(path, kind, data, end):
        records.append(record)
        end = after
    return Reading(records, end, len(data) - end)


def _records(path: Path, kind: Kind, data: bytes, offset: int) -> Iterator[tuple[bytes, int]]:
    """Yield each whole record and the offset after it."""
    number = 0
    while offset + _RECORD_SIZE <= len(data):
        length, length_sum, payload_sum = _RECORD.unpack_from(data, offset)
        start, after = offset + _RECORD_SIZE, offset + _RECORD_SIZE + length
        if crc32(data[offset : offset + 4]) != length_sum:
            if not any(data[offset:]):
                return  # zeros to the end: the file grew, then the power went before its bytes were there
            raise _damage(path, kind, number, offset)
        if after > len(data):
            return
        payload = data[start:after]
        if crc32(payload) != payload_sum:
            if after == len(data) and payload.endswith(bytes(8)):
                return  # the last record, and its end was never there: the power went before its bytes were
            raise _damage(path, kind, number, offset)
        yield payload, after
        offset, number = after, number + 1


def _damage(path: Path, kind: Kind, number: int, offset: int) -> DamagedFile:
    return DamagedFile(
        f"{path} is damaged in record {number}, at byte {offset}; the {number} records before it are whole. {kind.cure}"
    )
