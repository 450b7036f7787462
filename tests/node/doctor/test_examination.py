"""The whole examination, as the command shows it."""

import json
from pathlib import Path

import pytest

from sunward.commands import doctor
from sunward.exits import Exit
from sunward_node.doctor.examination import worst
from sunward_node.doctor.finding import Finding, Level


class Flags:
    """What the command line gives the command."""

    def __init__(self, *, json: bool, listen: str | None = None) -> None:
        self.json = json
        self.listen = listen


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    monkeypatch.setenv("SUNWARD_DISCOVERY", "no")


def test_json_is_a_list_of_findings_each_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.run(Flags(json=True)) == Exit.OK
    told = json.loads(capsys.readouterr().out)
    assert all(set(finding) == {"check", "level", "sentence"} for finding in told)
    assert all(finding["sentence"].endswith(".") for finding in told)
    assert {"python", "zeromq", "folders", "identity", "interfaces", "listening", "clock", "disk", "nodes"} <= {
        finding["check"] for finding in told
    }
    (discovery,) = [finding["sentence"] for finding in told if finding["check"] == "discovery"]
    assert discovery == "Switched off by the setting discovery: tables are joined by invite."


def test_the_exit_code_is_the_worst_and_the_rest_is_looked_at_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert doctor.run(Flags(json=False, listen="tcp://203.0.113.9:4242")) == Exit.LOCAL
    lines = capsys.readouterr().out.splitlines()
    (failed,) = [line for line in lines if line.startswith("failed")]
    assert failed.split()[1] == "listening"
    assert "Cannot listen on tcp://203.0.113.9:4242: this machine has no such address; choose one" in failed
    assert lines[-1].startswith("ok       terminal")


def test_the_worst_of_none_is_well() -> None:
    assert worst([]) is Level.OK
    levels = [Level.OK, Level.FAILED, Level.WARNING]
    assert worst([Finding("", level, "") for level in levels]) is Level.FAILED
    assert {level: doctor.EXITS[level] for level in Level} == {
        Level.OK: Exit.OK,
        Level.WARNING: Exit.OK,
        Level.FAILED: Exit.LOCAL,
    }
