"""Which source wins, and what a wrong value is told."""

from pathlib import Path

import pytest

from sunward_node.settings import Settings, number, one_of, text, yes_or_no
from sunward_protocol.errors import LocalError

PORT = number("port", 0, 65535, 0)
COLOUR = one_of("colour", "auto", "always", "never")
CONFIRM = yes_or_no("confirm", True)
NAME = text("name", 32, "somebody")


def test_flag_beats_environment_beats_file_beats_default() -> None:
    flags, environment, file = {"port": "1"}, {"SUNWARD_PORT": "2"}, {"port": 3}
    assert Settings(flags, environment, file).get(PORT) == 1
    assert Settings({"port": None}, environment, file).get(PORT) == 2
    assert Settings({}, {}, file).get(PORT) == 3
    assert Settings().get(PORT) == 0


def test_values_are_read_from_text_and_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('port = 4242\ncolour = "never"\nconfirm = false\nname = "Ada"\n')
    settings = Settings.load({}, {}, path)
    settings.check("port", "colour", "confirm", "name")
    assert [settings.get(PORT), settings.get(CONFIRM)] == [4242, False]
    assert [settings.get(COLOUR), settings.get(NAME)] == ["never", "Ada"]
    assert Settings({}, {"SUNWARD_CONFIRM": "no"}).get(CONFIRM) is False


def test_no_file_is_no_settings(tmp_path: Path) -> None:
    assert Settings.load({}, {}, tmp_path / "none.toml").get(COLOUR) == "auto"


@pytest.mark.parametrize(
    ("value", "said"),
    [("x", "'x'"), (65536, "65536"), (-1, "-1"), (True, "True"), (1.5, "1.5"), ("", "''"), ([1], r"\[1\]")],
)
def test_a_wrong_number_names_source_and_range(value: object, said: str) -> None:
    path = Path("there/settings.toml")
    with pytest.raises(LocalError, match=f"^there/settings.toml: port is {said}, but must be a whole number from 0 to"):
        Settings(file={"port": value}, path=path).get(PORT)


def test_every_source_and_kind_is_named() -> None:
    with pytest.raises(LocalError, match=r"^--colour is 'red', but must be one of auto, always, never\.$"):
        Settings({"colour": "red"}).get(COLOUR)
    with pytest.raises(LocalError, match=r"^SUNWARD_CONFIRM is 'maybe', but must be yes or no\.$"):
        Settings({}, {"SUNWARD_CONFIRM": "maybe"}).get(CONFIRM)
    with pytest.raises(LocalError, match="must be a text of 1 to 32 printable characters"):
        Settings(file={"name": "a\x1b[2J"}).get(NAME)
    for wrong in ("", "maybe", 2):
        with pytest.raises(LocalError, match="must be yes or no"):
            Settings(file={"confirm": wrong}).get(CONFIRM)


def test_an_unknown_setting_is_said_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"there is no setting color; did you mean colour\?"):
        Settings(file={"color": "never"}).check("port", "colour")
    with pytest.raises(LocalError, match="there is no setting xyz; there are colour, port"):
        Settings(file={"xyz": 1}).check("port", "colour")


@pytest.mark.parametrize("content", [b"port = ", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    with pytest.raises(LocalError, match=f"{path} is not a settings file: "):
        Settings.load({}, {}, path)
