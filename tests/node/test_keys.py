"""Key files: made once, for one reader, and every trouble explained."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sunward_node.keys import SeatSecrets, bot_identity, load_identity, passphrase_from
from sunward_node.lock import SeatLock, is_held
from sunward_node.sockets import CurveKeys
from sunward_protocol.domains import Purpose
from sunward_protocol.errors import DamagedFile, LocalError
from sunward_protocol.identity import Ed25519Signatures


def no_passphrase() -> bytes | None:
    return None


def test_an_identity_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    made = load_identity(tmp_path, no_passphrase)
    path = tmp_path / "identity.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----")
    assert load_identity(tmp_path, no_passphrase).public == made.public
    assert [entry.name for entry in tmp_path.iterdir()] == ["identity.pem"]
    signature = made.sign(Purpose.FRAME, b"message")
    assert Ed25519Signatures().hold(made.public, Purpose.FRAME, signature, b"message")


def test_processes_that_start_together_get_the_same_identity(tmp_path: Path) -> None:
    made: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: made.append(load_identity(tmp_path, no_passphrase).public)) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 16
    assert len(set(made)) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_refused_with_the_cure(tmp_path: Path, mode: int) -> None:
    load_identity(tmp_path, no_passphrase)
    path = tmp_path / "identity.pem"
    path.chmod(mode)
    with pytest.raises(LocalError, match=f"`chmod 600 {path}`"):
        load_identity(tmp_path, no_passphrase)


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_key_file_is_explained_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "identity.pem"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(DamagedFile, match=f"The key file {path} holds no Ed25519 key: put a copy of it back"):
        load_identity(tmp_path, no_passphrase)
    assert path.read_bytes() == content


def test_a_key_of_another_kind_is_no_identity(tmp_path: Path) -> None:
    path = tmp_path / "identity.pem"
    path.write_bytes(X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
    with pytest.raises(DamagedFile):
        load_identity(tmp_path, no_passphrase)


def test_a_passphrase_protects_and_its_absence_is_explained(tmp_path: Path) -> None:
    phrase = passphrase_from({"SUNWARD_PASSPHRASE": "open sesame"})
    made = load_identity(tmp_path, phrase)
    assert b"ENCRYPTED" in (tmp_path / "identity.pem").read_bytes()
    assert load_identity(tmp_path, phrase).public == made.public
    with pytest.raises(LocalError, match="has a passphrase: put it in the variable SUNWARD_PASSPHRASE"):
        load_identity(tmp_path, passphrase_from({"SUNWARD_PASSPHRASE": ""}))
    with pytest.raises(LocalError, match="The passphrase does not open"):
        load_identity(tmp_path, lambda: b"open barley")


def test_a_key_without_passphrase_opens_whatever_passphrase_is_set(tmp_path: Path) -> None:
    made = load_identity(tmp_path, no_passphrase)
    assert load_identity(tmp_path, lambda: b"unneeded").public == made.public


def test_a_folder_that_cannot_take_the_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"Cannot write the key file .*: No such file or directory"):
        load_identity(tmp_path / "nowhere", no_passphrase)


def test_a_bot_has_its_own_key_that_its_owner_signed_for(tmp_path: Path) -> None:
    owner = load_identity(tmp_path, no_passphrase)
    bot = bot_identity(tmp_path, "greedy-1", owner)
    assert bot.owner == owner.public != bot.signer.public
    assert Ed25519Signatures().hold(owner.public, Purpose.OWNERSHIP, bot.ownership, bot.signer.public)
    assert bot_identity(tmp_path, "greedy-1", owner).signer.public == bot.signer.public
    assert bot_identity(tmp_path, "greedy-2", owner).signer.public != bot.signer.public


def test_a_seats_secrets_come_back_as_saved_last(tmp_path: Path) -> None:
    path = tmp_path / "seat.key"
    fresh = SeatSecrets.make(CurveKeys(b"p" * 32, b"s" * 32))
    fresh.save(path)
    assert SeatSecrets.load(path) == fresh
    listening = replace(fresh, port=65535)
    listening.save(path)
    assert SeatSecrets.load(path) == listening
    assert path.stat().st_mode & 0o777 == 0o600
    assert len({fresh.session, fresh.chain, SeatSecrets.make(fresh.curve).chain}) == 3


def test_secrets_are_never_shown() -> None:
    fresh = SeatSecrets.make(CurveKeys(b"p" * 32, b"s" * 32))
    shown = repr(fresh)
    assert all(repr(secret) not in shown for secret in (fresh.session, fresh.curve.secret, fresh.chain))


def test_a_seats_secrets_that_others_can_read_or_that_are_damaged_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "seat.key"
    with pytest.raises(LocalError, match=r"Cannot read the keys in .*: No such file"):
        SeatSecrets.load(path)
    SeatSecrets.make(CurveKeys(b"p" * 32, b"s" * 32)).save(path)
    path.chmod(0o644)
    with pytest.raises(LocalError, match=f"`chmod 600 {path}`"):
        SeatSecrets.load(path)
    path.chmod(0o600)
    data = path.read_bytes()
    path.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
    with pytest.raises(DamagedFile, match="damaged in record 0"):
        SeatSecrets.load(path)
    path.write_bytes(data[:40])
    with pytest.raises(DamagedFile, match="holds no seat's keys"):
        SeatSecrets.load(path)


HOLD = """
import sys
from pathlib import Path
from sunward_node.lock import SeatLock

SeatLock.take(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_process_of_a_seat_is_refused_until_the_first_is_dead(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(LocalError, match=f"by process {first.pid} on this machine: attach to that one, or stop"):
            SeatLock.take(tmp_path)
        first.kill()
        first.wait()
    lock = SeatLock.take(tmp_path)
    with pytest.raises(LocalError, match=f"by process {os.getpid()} on this machine"):
        SeatLock.take(tmp_path)
    lock.release()
    SeatLock.take(tmp_path).release()


def test_a_lock_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"Cannot open .*: No such file"):
        SeatLock.take(tmp_path / "nowhere")


def test_whether_a_seat_is_being_played_can_be_asked_without_taking_it(tmp_path: Path) -> None:
    assert not is_held(tmp_path), "no lock was ever taken"
    lock = SeatLock.take(tmp_path)
    assert is_held(tmp_path)
    lock.release()
    assert not is_held(tmp_path)
    SeatLock.take(tmp_path).release()
