"""`sunward rejoin` before anybody lets one in: whom it may not trouble at all, and what can be typed meanwhile."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sunward.__main__ import main
from sunward.exits import Exit
from sunward_node.invites import write_invite
from sunward_node.keys import load_identity
from sunward_node.order import Invite
from sunward_node.places import Places, private_folder
from sunward_node.seat import MATCH_NAME, folder_name
from sunward_protocol.records import Opening, parse_record
from support.match_files import played, write_match
from support.world import seed

KNOCKED_AT = "0b" * 32


def line(table: bytes) -> str:
    """Return an invite to a table whose node listens nowhere: nothing ever listens at the port of discard."""
    return write_invite(Invite(table.hex(), "00" * 16, "0a" * 32, KNOCKED_AT, ("tcp://127.0.0.1:9",)), "around")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    return Places.find({"SUNWARD_HOME": str(tmp_path)})


def hold_seat(home: Places, records: int | None) -> Opening:
    """Put the first member's identity, and so many records of their match, where a node would have left them."""
    opening = parse_record(played()[0])
    assert isinstance(opening, Opening)
    key = Ed25519PrivateKey.from_private_bytes(seed("identity", 0))
    path = private_folder(home.keys) / "identity.pem"
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
    folder = home.match(opening.genesis.match) / folder_name(opening.genesis.members[0].identity)
    write_match(private_folder(folder) / MATCH_NAME, played()[:records])
    return opening


def test_without_an_identity_nobody_is_troubled(home: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """One made just now would have no seat anywhere."""
    assert main(["rejoin", line(bytes(32))]) == Exit.LOCAL
    assert f"put the copy of your identity.pem into {home.keys}" in capsys.readouterr().err
    assert not home.keys.exists()


@pytest.mark.parametrize(("records", "cure"), [(9, "resume"), (None, "replay")], ids=["going on", "over"])
def test_whose_seat_is_on_this_machine_is_told_so_before_anybody_is_asked(
    records: int | None, cure: str, home: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    genesis = hold_seat(home, records).genesis
    assert main(["rejoin", line(genesis.table)]) == Exit.LOCAL
    told = capsys.readouterr().err
    assert f"`sunward {cure} {genesis.match.hex()[:12]}`" in told
    assert "Knocking" not in told


async def piped(typed: bytes) -> tuple[int | None, str, str]:
    """Knock where nobody is, with lines from a pipe."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "sunward", "rejoin", line(bytes(32)), stdin=pipe, stdout=pipe, stderr=pipe, env=os.environ
    )
    out, err = await asyncio.wait_for(process.communicate(typed), 60)
    return process.returncode, out.decode(), err.decode()


def test_the_end_of_input_ends_the_waiting(home: Places) -> None:
    load_identity(private_folder(home.keys), lambda: None)
    code, out, err = asyncio.run(piped(b""))
    assert code == Exit.UNFINISHED
    assert err.startswith("Knocking at the node of somebody you have no name for (")
    assert out == (
        "Once the others have put you out, each by typing putout and your name, you are let in.\n"
        "The input ended before you were let in.\nNothing is lost: the same command knocks again.\n"
    )


def test_quit_ends_the_waiting_and_nothing_of_the_match_is_answered_before_it_is_there(home: Places) -> None:
    load_identity(private_folder(home.keys), lambda: None)
    code, out, _ = asyncio.run(piped(b"back\nputout ann\n?\nquit\n1\n"))
    assert code == Exit.OK
    assert out.count("You are not let in yet") == 2
    assert "Now: waiting to be let in.\n" in out
    assert "  quit " in out
    assert "  say " not in out
    assert out.endswith("Nothing is lost: the same command knocks again.\n")
