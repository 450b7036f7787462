"""The address book: what was given is kept, what is damaged is left alone, and no two people share a name."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunward_node.addressbook import AddressBook
from sunward_protocol.errors import DamagedFile, LocalError

ADA, BOB = b"\x0a" * 32, b"\x0b" * 32


def book(folder: Path, content: str | bytes | None = None) -> AddressBook:
    path = folder / "config" / "people.toml"
    if content is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return AddressBook(path)


def test_names_are_kept_looked_up_changed_and_forgotten(tmp_path: Path) -> None:
    people = book(tmp_path)
    assert people.name_of(ADA) is None
    people.add(ADA, " Ada ")
    people.add(BOB, 'Bob "the \\ Baker"')
    people.add(BOB, 'Bob "the \\ Baker"')
    assert book(tmp_path).entries() == {ADA: "Ada", BOB: 'Bob "the \\ Baker"'}
    assert (people.name_of(ADA), people.key_of("ADA"), people.key_of("nobody")) == ("Ada", ADA, None)
    people.rename("ada", "Ada L.")
    people.rename("Ada L.", "ADA L.")
    people.forget('Bob "the \\ Baker"')
    assert people.entries() == {ADA: "ADA L."}


def test_the_file_is_private_and_replaced_whole(tmp_path: Path) -> None:
    people = book(tmp_path)
    people.add(ADA, "Ada")
    path = tmp_path / "config" / "people.toml"
    path.chmod(0o644)
    people.add(BOB, "Bob")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["Ada", "ADA", " ada", "\uff21da"])
def test_a_name_of_another_key_is_refused(tmp_path: Path, name: str) -> None:
    people = book(tmp_path)
    people.add(ADA, "Ada")
    people.add(BOB, "Bob")
    with pytest.raises(LocalError, match=r"^'Ada' is the name of another key in your address book: take another name"):
        people.add(bytes(32), name)
    with pytest.raises(LocalError, match=r"^'Ada' is the name of another key"):
        people.rename("Bob", name)
    assert people.entries() == {ADA: "Ada", BOB: "Bob"}


def test_other_refusals(tmp_path: Path) -> None:
    people = book(tmp_path)
    with pytest.raises(LocalError, match=r"^There is no 'Ada' in your address book; it has nobody yet"):
        people.forget("Ada")
    people.add(ADA, "Ada")
    with pytest.raises(LocalError, match=r"^That key is called 'Ada' in your address book already: rename it"):
        people.add(ADA, "Bob")
    with pytest.raises(LocalError, match=r"^There is no 'Bob' in your address book; it has Ada"):
        people.rename("Bob", "Bert")
    for name in ("", "  ", "a\x1b[2J", "x" * 33):
        with pytest.raises(LocalError, match=r"^A name has 1 to 32 printable characters"):
            people.add(BOB, name)
    with pytest.raises(LocalError, match=r"^A key has 32 bytes, this one 31"):
        people.add(bytes(31), "Bob")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("this is no TOML", "is no address book: Expected"),
        (b"\xff\xfe", "is no address book: "),
        ('"0a" = "Ada"', "'0a' is no key of 64 hexadecimal digits"),
        ('"hello" = "Ada"', "'hello' is no key"),
        (f'"{ADA.hex()}" = 7', "the name of 0a0a0a0a is not 1 to 32 printable characters"),
        (f'"{ADA.hex()}" = "\\u001b[2J"', "the name of 0a0a0a0a is not"),
        (f'"{ADA.hex()}" = "Ada"\n"{BOB.hex()}" = "ada"', "'ada' or its key stands there twice"),
        (f'"{ADA.hex()}" = "Ada"\n"{ADA.hex().upper()}" = "Bob"', "'Bob' or its key stands there twice"),
    ],
)
def test_a_damaged_file_is_explained_and_never_overwritten(tmp_path: Path, content: str | bytes, why: str) -> None:
    people = book(tmp_path, content)
    path = tmp_path / "config" / "people.toml"
    before = path.read_bytes()
    for act in (people.entries, lambda: people.add(bytes(32), "Eve"), lambda: people.forget("Ada")):
        with pytest.raises(DamagedFile) as caught:
            act()
        assert why in str(caught.value)
        assert str(path) in str(caught.value)
        assert str(caught.value).endswith("Correct it, or move it away to begin a new one.")
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_read_or_replaced_is_said(tmp_path: Path) -> None:
    path = tmp_path / "config" / "people.toml"
    path.mkdir(parents=True)
    with pytest.raises(LocalError, match=r"^Cannot read the address book .*: Is a directory"):
        AddressBook(path).entries()


NAMES = st.text(min_size=1, max_size=32).filter(lambda name: name.isprintable() and name == name.strip())


@given(NAMES)
def test_every_printable_name_is_read_back(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    people = book(tmp_path_factory.mktemp("book"))
    people.add(ADA, name)
    assert people.entries() == {ADA: name}
