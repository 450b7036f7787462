"""Files of records on a real disk: crashes, damage, a full disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sunward_node.store import Kind, RecordFile, read_records
from sunward_protocol.errors import DamagedFile, LocalError, OtherVersion

KIND = Kind(b"sunward test", 3)
RECORDS = [b"first", b"", b"third" * 10]


def written(path: Path, records: list[bytes]) -> bytes:
    """Write a file of records and return its bytes."""
    with RecordFile.open(path, KIND) as file:
        file.append(records)
    return path.read_bytes()


def test_the_bytes_are_these(tmp_path: Path) -> None:
    data = written(tmp_path / "log", [b"abc"])
    assert data[:16] == b"sunward test\0\0\0\3"
    assert data[16:] == bytes.fromhex("00000003 b84d8ea6 352441c2") + b"abc"  # checksums by zlib


def test_what_was_appended_is_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with RecordFile.open(path, KIND) as file:
        file.append(RECORDS[0])
        file.append(RECORDS[1:], sync=True)
        assert file.read() == RECORDS
    with RecordFile.open(path, KIND) as file:
        assert file.cut == 0
        file.append(b"later")
    assert read_records(path, KIND).records == [*RECORDS, b"later"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_cut_anywhere_gives_the_records_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    data = written(path, RECORDS)
    ends = [16, 16 + 12 + 5, 16 + 12 + 5 + 12, len(data)]
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        whole = [end for end in ends if end <= size]
        reading = read_records(path, KIND)
        assert reading.records == RECORDS[: max(len(whole) - 1, 0)]
        assert reading.torn == size - (whole[-1] if whole else 0)
        with RecordFile.open(path, KIND) as file:
            assert file.cut == reading.torn
            file.append(b"after the crash")
            assert file.read() == [*reading.records, b"after the crash"]


def test_any_changed_bit_is_damage_never_another_record(tmp_path: Path) -> None:
    path = tmp_path / "log"
    data = written(path, [b"first", b"second"])
    for bit in range(len(data) * 8):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        with pytest.raises((DamagedFile, OtherVersion)):
            read_records(path, KIND)
        with pytest.raises((DamagedFile, OtherVersion)):
            RecordFile.open(path, KIND)
        assert path.read_bytes() == changed


def test_damage_is_named_by_record_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "log"
    data = bytearray(written(path, RECORDS))
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match=r"damaged in record 2, at byte 45; the 2 records before it are whole"):
        read_records(path, KIND)


def test_zeros_at_the_end_are_what_a_lost_power_leaves(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(written(path, RECORDS) + bytes(4096))
    reading = read_records(path, KIND)
    assert reading.records == RECORDS
    assert reading.torn == 4096


def test_another_kind_and_another_version_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "log"
    written(path, RECORDS)
    with pytest.raises(OtherVersion, match="is of version 3, this program reads version 4: update it"):
        read_records(path, Kind(KIND.magic, 4))
    with pytest.raises(DamagedFile, match="is not a file of the kind 'sunward keys'"):
        read_records(path, Kind(b"sunward keys", 3))
    path.write_bytes(b"#!/bin/sh\n")
    with pytest.raises(DamagedFile):
        RecordFile.open(path, KIND)


def test_a_file_that_cannot_be_opened_or_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=f"Cannot read {tmp_path / 'nothing'}: No such file"):
        read_records(tmp_path / "nothing", KIND)
    with pytest.raises(LocalError, match=f"Cannot open {tmp_path}: Is a directory"):
        RecordFile.open(tmp_path, KIND)


FILL = """
import resource, sys
from pathlib import Path
from sunward_node.store import Kind, RecordFile
from sunward_protocol.errors import LocalError

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
with RecordFile.open(Path(sys.argv[1]), Kind(b"sunward test", 3)) as file:
    for number in range(100):
        try:
            file.append(b"%099d" % number)
        except LocalError as error:
            print(number, error)
            break
    file.append(b"small")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    file.append(b"room again")
"""


def test_a_full_disk_loses_nothing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "log"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run(
        [sys.executable, "-c", FILL, path], capture_output=True, text=True, env=environment, check=True
    )
    # 16 + 8 * 111 = 904 fit into 1000 bytes; the ninth would end at 1015
    assert told.stdout.startswith(f"8 Cannot write to {path}: ")
    assert "Nothing earlier is lost" in told.stdout
    records = [b"%099d" % number for number in range(8)]
    assert read_records(path, KIND).records == [*records, b"small", b"room again"]


def test_a_last_record_whose_end_never_came_is_torn_and_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "records"
    with RecordFile.open(path, KIND) as file:
        file.append([b"first", b"second, and more of it than was written before the power went"])
    whole = path.read_bytes()
    path.write_bytes(whole[:-20] + bytes(20))
    reading = read_records(path, KIND)
    assert reading.records == [b"first"]
    assert reading.torn > 20
    path.write_bytes(whole[:-20] + b"x" * 20)
    with pytest.raises(DamagedFile):
        read_records(path, KIND)
