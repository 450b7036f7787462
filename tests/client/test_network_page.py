"""The page on networks says what the doctor looks at and what invites look like."""

import os
from pathlib import Path

import pytest

from sunward_node.discovery import DISCOVERY
from sunward_node.doctor.examination import examine
from sunward_node.invites import ALPHABET, PREFIX, VERSION
from sunward_node.places import Places

PAGE = (Path(__file__).parents[2] / "docs" / "play" / "network.md").read_text(encoding="utf-8")


def test_every_check_of_the_doctor_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DISCOVERY.variable, "no")
    rows = [line.strip("|").split("|")[0] for line in PAGE.partition("| check |")[2].splitlines() if line[:1] == "|"]
    explained = {name.strip() for row in rows for name in row.split(",")}
    places = Places.find({**os.environ, "SUNWARD_HOME": str(tmp_path)})
    assert {finding.check for finding in examine(places, "tcp://*:*")} <= explained


def test_invites_and_the_setting_are_as_the_page_says() -> None:
    assert f"`{PREFIX}{ALPHABET[VERSION]}-`" in PAGE
    assert DISCOVERY.variable + "=no" in PAGE
