"""`sunward verify`: each verdict with its exit code, in words and in JSON."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sunward.__main__ import main
from sunward.commands.verify import CHUNK, check_all
from sunward.exits import Exit
from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import open_frame, seal
from sunward_protocol.identity import Ed25519Signer, Signed
from sunward_protocol.log import Entry
from sunward_protocol.messages import Kind
from sunward_protocol.records import parse_record, write_entry, write_evidence
from support.match_files import played, write_match
from support.world import seed


def verdict(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    code = main(["verify", str(path), "--json"])
    out, err = capsys.readouterr()
    assert err == ""
    told = json.loads(out)
    assert list(told) == ["verdict", "step", "seat", "reason", "winners", "chance"]
    return code, told


def entry(number: int) -> Entry:
    """Return the entry of a step: the record after the opening is step 0's."""
    found = parse_record(played()[number + 1])
    assert isinstance(found, Entry)
    return found


def test_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = verdict(write_match(tmp_path / "match", played()), capsys)
    assert code == Exit.OK
    assert (told["verdict"], told["step"], told["seat"]) == ("complete", len(played()) - 2, None)
    assert told["reason"] == "Every step was recomputed."
    assert isinstance(told["winners"], list)
    assert told["winners"]


def test_the_statistics_of_the_draws_follow_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_match(tmp_path / "match", played())
    chance = verdict(path, capsys)[1]["chance"]
    assert isinstance(chance, dict)
    assert chance["draws"] == sum(bool(entry(number).links) for number in range(len(played()) - 1))
    assert chance["by_range"]["3"]["integers"] >= 15
    main(["verify", str(path)])
    first, *panel = capsys.readouterr().out.splitlines()
    assert first.endswith("signatures were checked.")
    assert panel[0].startswith("What the figures mean: ")
    assert any(line.startswith(f"Draws: {chance['draws']}. ") for line in panel)
    assert panel[-1].startswith("This accuses nobody")
    assert len(panel) <= 9
    assert max(map(len, panel)) <= 80


def test_unfinished_names_who_is_awaited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    act = next(number for number in range(20, 40) if open_frame(entry(number).bodies[0]).kind is Kind.ACT)
    place = open_frame(entry(act).bodies[0]).place
    path = write_match(tmp_path / "match", played()[: act + 1])
    code, told = verdict(path, capsys)
    assert code == Exit.UNFINISHED
    assert (told["verdict"], told["step"], told["winners"]) == ("unfinished", act, [])
    assert told["reason"] == f"It is not over: member {place} owes an action."
    main(["verify", str(path)])
    assert f", seat {told['seat']} (member {place}). It is not over" in capsys.readouterr().out


def test_a_file_cut_off_in_a_record_is_unfinished_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_match(tmp_path / "match", played())
    path.write_bytes(path.read_bytes()[:-10])
    code, told = verdict(path, capsys)
    assert (code, told["step"]) == (Exit.UNFINISHED, len(played()) - 2)
    assert "The file ends inside a record" in str(told["reason"])


def test_a_cheat_is_named_with_step_and_seat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The evidence is the same seat's other action for a step that it signed already."""
    (raw,) = entry(5).bodies
    one = open_frame(raw)
    signer = Ed25519Signer(seed("session", one.place))
    acted = one.payload
    other = seal(
        one.kind,
        acted._replace(choices=(7,)),  # type: ignore[call-arg]  # step 5 is an ACT
        one.match,
        signer,
        step=5,
        place=one.place,
        head=one.head,
    )
    path = write_match(tmp_path / "match", [*played(), write_evidence([one.raw, other.raw])])
    code, told = verdict(path, capsys)
    assert code == Exit.CHEAT
    assert (told["verdict"], told["step"]) == ("cheat", 5)
    assert "two different ACT messages for step 5" in str(told["reason"])
    assert isinstance(told["seat"], int)
    assert told["chance"] is None


def with_bad_signature() -> Sequence[bytes]:
    """Return a match in which one bit of a signature is another."""
    whole = entry(30)
    ack = whole.acks[0]
    broken = whole._replace(acks=(bytes([ack[0] ^ 1]) + ack[1:], *whole.acks[1:]))
    return [*played()[:31], write_entry(broken.encode()), *played()[32:]]


def test_a_signature_that_does_not_hold_is_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = verdict(write_match(tmp_path / "match", with_bad_signature()), capsys)
    assert (code, told["verdict"]) == (Exit.DAMAGED, "damaged")
    place = open_frame(entry(30).acks[0]).place
    assert f"The signature of member {place} at step" in str(told["reason"])


def flip(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def empty(data: bytes) -> bytes:
    return b""


def another_kind(data: bytes) -> bytes:
    return b"PK\3\4" + data


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (flip, " is damaged in record "),
        (empty, "it is empty, or no match file at all"),
        (another_kind, " is not a file of the kind "),
    ],
)
def test_a_file_that_does_not_read_back_names_no_step(
    spoil: Callable[[bytes], bytes], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_match(tmp_path / "match", played())
    path.write_bytes(spoil(path.read_bytes()))
    code, told = verdict(path, capsys)
    assert code == Exit.DAMAGED
    assert (told["verdict"], told["step"], told["seat"], told["winners"]) == ("damaged", None, None, [])
    assert reason in str(told["reason"])
    assert main(["verify", str(path)]) == Exit.DAMAGED
    assert capsys.readouterr().out.startswith("Damaged. ")


def test_another_version_is_not_called_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_match(tmp_path / "match", played())
    data = path.read_bytes()
    path.write_bytes(data[:15] + b"\x63" + data[16:])
    assert main(["verify", str(path)]) == Exit.REMOTE
    assert "is of version 99, this program reads version 1: update it." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["verify", "export", "replay"])
def test_what_is_no_file(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(tmp_path / "none")]) == Exit.LOCAL
    out, err = capsys.readouterr()
    assert out == ""
    assert "none is no file. MATCH is the path of a match file" in err


def test_the_first_bad_signature_of_many_is_found() -> None:
    signer = Ed25519Signer(bytes(32))
    messages = [bytes([number % 256]) * 40 for number in range(3 * CHUNK + 5)]
    claims = [
        Signed(signer.public, Purpose.FRAME, signer.sign(Purpose.FRAME, message), message) for message in messages
    ]
    assert check_all(claims) is None
    assert check_all([]) is None
    for bad in (0, CHUNK - 1, CHUNK, 3 * CHUNK + 4):
        spoiled = [*claims]
        for index in (bad, len(claims) - 1):
            spoiled[index] = claims[index]._replace(message=b"another")
        assert check_all(spoiled) == bad
