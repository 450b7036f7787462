"""Secret keys and the files they lie in: a person's identity, a bot's, and a seat's for one match.

Must never show a secret, write one where others can read it, nor replace one that is there.
"""

import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from sunward_node.sockets import CurveKeys
from sunward_node.store import Kind, RecordFile, read_records, sync_folder
from sunward_protocol.domains import Purpose
from sunward_protocol.errors import DamagedFile, LocalError
from sunward_protocol.identity import Ed25519Signer, Signer
from sunward_protocol.ids import PublicKey

PASSPHRASE_VARIABLE = "SUNWARD_PASSPHRASE"  # noqa: S105  (the variable's name, no passphrase)

Passphrase: TypeAlias = Callable[[], bytes | None]
"""Returns the passphrase of a key file, or None for none; asked only if needed."""

KEYS_FILE = Kind(b"sunward seat", cure="Put a copy of it back: without its keys the seat is lost.")
_SIZE = 32  # bytes of every key and seed


def passphrase_from(environment: Mapping[str, str]) -> Passphrase:
    """Return the passphrase that the environment holds; an empty one is none."""
    return lambda: environment.get(PASSPHRASE_VARIABLE, "").encode() or None


def load_identity(folder: Path, passphrase: Passphrase, name: str = "identity") -> Ed25519Signer:
    """Return the identity in `folder`, made on first use, under a passphrase if there is one then.

    `LocalError` if others can read the file or the passphrase is wrong, `DamagedFile` if it holds no key.
    """
    path = folder / f"{name}.pem"
    if not path.exists():
        _create(path, Ed25519PrivateKey.generate(), passphrase())
    return Ed25519Signer(_load(path, passphrase).private_bytes_raw())


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """A bot's own key, its owner's public key, and the owner's signature over the bot's public key."""

    signer: Ed25519Signer
    owner: PublicKey
    ownership: bytes


def bot_identity(folder: Path, name: str, owner: Signer) -> BotIdentity:
    """Return the key of the bot of that name, made on first use, with its owner's signature."""
    signer = load_identity(folder, lambda: None, f"bot-{name}")
    return BotIdentity(signer, owner.public, owner.sign(Purpose.OWNERSHIP, signer.public))


@dataclass(frozen=True, slots=True)
class SeatSecrets:
    """What one identity uses in one match: session seed and chain seed, 32 bytes each, CURVE pair, and TCP port."""

    session: bytes = field(repr=False)
    chain: bytes = field(repr=False)
    curve: CurveKeys
    port: int  # 0 until the seat has listened

    @classmethod
    def make(cls, curve: CurveKeys) -> Self:
        """Return fresh secrets around a CURVE pair."""
        return cls(secrets.token_bytes(_SIZE), secrets.token_bytes(_SIZE), curve, 0)

    def save(self, path: Path) -> None:
        """Make these the seat's from now on; they are on the disk itself when this returns."""
        fields = (self.session, self.chain, self.curve.public, self.curve.secret, self.port.to_bytes(2, "big"))
        with RecordFile.open(path, KEYS_FILE) as file:
            file.append(b"".join(fields), sync=True)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the secrets saved last; `LocalError` if others can read them or there are none, or `DamagedFile`."""
        _refuse_shared(path)
        saved = read_records(path, KEYS_FILE).records[-1:]
        if not saved or len(saved[0]) != 4 * _SIZE + 2:
            raise DamagedFile(f"{path} holds no seat's keys. {KEYS_FILE.cure}")
        session, chain, public, secret, port = (saved[0][at : at + _SIZE] for at in range(0, 4 * _SIZE + 1, _SIZE))
        return cls(session, chain, CurveKeys(public, secret), int.from_bytes(port, "big"))


def _create(path: Path, key: Ed25519PrivateKey, passphrase: bytes | None) -> None:
    """Write a key file whole or not at all; one that somebody else made meanwhile is left as it is."""
    protection = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent) as file:  # 0600 from the start
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.link(file.name, path)
        sync_folder(path.parent)
    except FileExistsError:
        return
    except OSError as error:
        raise LocalError(f"Cannot write the key file {path}: {error.strerror}.") from error


def _load(path: Path, passphrase: Passphrase) -> Ed25519PrivateKey:
    _refuse_shared(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LocalError(f"Cannot read the key file {path}: {error.strerror}.") from error
    try:
        key: object = load_pem_private_key(data, None)
    except TypeError:  # how the library says that it is encrypted
        key = _unlock(path, data, passphrase())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _damaged(path) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _damaged(path)
    return key


def _unlock(path: Path, data: bytes, passphrase: bytes | None) -> object:
    if passphrase is None:
        raise LocalError(f"The key file {path} has a passphrase: put it in the variable {PASSPHRASE_VARIABLE}.")
    try:
        return load_pem_private_key(data, passphrase)
    except ValueError as error:
        raise LocalError(f"The passphrase does not open the key file {path}, or the file is damaged.") from error


def _damaged(path: Path) -> DamagedFile:
    return DamagedFile(
        f"The key file {path} holds no Ed25519 key: put a copy of it back. "
        "Moved away, a new identity is made, which nobody knows and which holds none of your seats."
    )


def _refuse_shared(path: Path) -> None:
    """Raise `LocalError` if the file is not there or somebody else may read it."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise LocalError(f"Cannot read the keys in {path}: {error.strerror}.") from error
    if sys.platform != "win32" and mode & 0o077:  # there, the folder's own rights decide
        raise LocalError(f"Others can read the secret keys in {path}: `chmod 600 {path}` makes them yours alone.")
