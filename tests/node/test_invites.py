"""Invites: what is written is read back whatever a mail program did to it, and what a person mistyped is named."""

from contextlib import suppress
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunward_node.invites import ALPHABET, BadInvite, read_invite, write_invite
from sunward_node.order import Invite
from sunward_protocol.errors import LocalError, OtherVersion, SunwardError

TABLE, HOST, IDENTITY = (sha256(name).hexdigest() for name in (b"table", b"host", b"identity"))
TOKEN = TABLE[:32]
INVITE = Invite(TABLE, TOKEN, HOST, IDENTITY, ("tcp://192.168.1.20:4242", "tcp://[2001:db8::7]:4242"))
LINE = write_invite(INVITE, "around")
GROUPS = LINE.split("-")[1:]
PLACES = st.integers(0, len(LINE) - 1)


def line(*groups: str) -> str:
    return "-".join(("sunward1", *groups))


def refused(text: str) -> str:
    with pytest.raises(BadInvite) as caught:
        read_invite(text)
    return str(caught.value)


def test_a_golden_line() -> None:
    # 112 bytes of keys, 7 of the name, 7 and 17 of the addresses: 143, which is 00100 01111, or "4f"
    zeros = Invite("00" * 32, "00" * 16, "00" * 32, "00" * 32, INVITE.endpoints)
    groups = write_invite(zeros, "around").split("-")
    # checks: 4 x^11 + 15 x^10 = 24 in GF(32), which is "r"; group 2 has its number alone, 1 x^11 = 7
    assert groups[:3] == ["sunward1", "4f000000000r", "000000000007"]
    # 2 symbols and 234 for 146 bytes make 22 groups, the last of 5; a check each
    assert [len(group) for group in GROUPS] == [12] * 21 + [6]
    assert read_invite(LINE) == (INVITE, "around")


@pytest.mark.parametrize(
    "text",
    [
        LINE.upper(),
        LINE.replace("-", ""),
        LINE.replace("-", "\n"),
        f"  {LINE[:70]}\r\n   {LINE[70:]}\n",
        LINE.replace("-", "\u2011"),
        LINE.replace("-", "\u200b-\u00a0"),
        LINE.replace("sunward1", "SunwardI").replace("0", "o").replace("1", "l"),
    ],
)
def test_case_hyphens_blanks_and_lookalikes_mean_nothing(text: str) -> None:
    assert read_invite(text) == (INVITE, "around")


BYTES = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")
HOSTS = st.one_of(st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map(lambda address: f"[{address}]"))
ENDPOINTS = st.builds("tcp://{}:{}".format, HOSTS, st.integers(1, 65535))


@given(
    st.builds(
        Invite,
        BYTES,
        st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}"),
        BYTES,
        BYTES,
        st.lists(ENDPOINTS, min_size=1, max_size=8).map(tuple),
    ),
    st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=20),
)
def test_every_invite_is_read_back(invite: Invite, game: str) -> None:
    assert read_invite(write_invite(invite, game)) == (invite, game)


def test_only_addresses_that_others_can_use_are_written() -> None:
    local = Invite(TABLE, TOKEN, HOST, IDENTITY, ("tcp://[fe80::1%2]:4242",))
    with pytest.raises(LocalError, match="no address to put into an invite: connect"):
        write_invite(local, "around")
    mixed = Invite(TABLE, TOKEN, HOST, IDENTITY, ("tcp://[fe80::1%2]:4242", "tcp://10.0.0.1:1"))
    assert read_invite(write_invite(mixed, "around"))[0].endpoints == ("tcp://10.0.0.1:1",)


@given(PLACES, st.sampled_from(ALPHABET))
def test_every_wrong_character_is_found(place: int, symbol: str) -> None:
    mistyped = LINE[:place] + symbol + LINE[place + 1 :]
    if symbol == LINE[place]:
        assert read_invite(mistyped) == (INVITE, "around")
        return
    with pytest.raises(SunwardError) as caught:
        read_invite(mistyped)
    number = LINE[:place].count("-")
    if number and LINE[place] != "-":
        group = mistyped.split("-")[number]
        assert str(caught.value).startswith(f"There is a typing error in group {number} of") or number == 1
        assert repr(group) in str(caught.value)


@given(PLACES, PLACES)
def test_every_two_swapped_are_found(one: int, other: int) -> None:
    symbols = list(LINE)
    symbols[one], symbols[other] = symbols[other], symbols[one]
    swapped = "".join(symbols)
    if swapped.replace("-", "") == LINE.replace("-", ""):
        assert read_invite(swapped) == (INVITE, "around")
    else:
        with pytest.raises(SunwardError):
            read_invite(swapped)


@given(PLACES, st.booleans())
def test_every_missing_one_is_found_and_placed_by_the_hyphens(place: int, hyphens: bool) -> None:
    short = LINE[:place] + LINE[place + 1 :]
    if LINE[place] == "-":
        assert read_invite(short) == (INVITE, "around")
        return
    with pytest.raises(SunwardError) as caught:
        read_invite(short if hyphens else short.replace("-", ""))
    number = LINE[:place].count("-")
    if hyphens and 1 < number < len(GROUPS):
        group = short.split("-")[number]
        assert str(caught.value).startswith(
            f"There is a typing error in group {number} of 22 of the invite, {group!r}: a character is missing there."
        )


@given(PLACES, st.sampled_from(ALPHABET))
def test_every_one_too_many_is_found(place: int, symbol: str) -> None:
    with pytest.raises(SunwardError):
        read_invite(LINE[:place] + symbol + LINE[place:])


@given(st.integers(0, len(LINE) - 1))
def test_every_beginning_is_refused(length: int) -> None:
    with pytest.raises(SunwardError):
        read_invite(LINE[:length])


def test_the_wrong_group_is_named_by_number_and_text() -> None:
    wrong = GROUPS[4].replace(GROUPS[4][0], "x", 1)
    assert refused(line(*GROUPS[:4], wrong, *GROUPS[5:])) == (
        f"There is a typing error in group 5 of 22 of the invite, '{wrong}'. "
        "Compare it with the original, or copy that again."
    )
    assert "group 5 of 22 of the invite" in refused("sunward1" + "".join((*GROUPS[:4], wrong, *GROUPS[5:])))


def test_several_wrong_groups_are_counted() -> None:
    wrong = [group.replace(group[0], "x", 1) if number in (4, 9) else group for number, group in enumerate(GROUPS)]
    assert refused(line(*wrong)).startswith(
        f"There is a typing error in group 5 of 22 of the invite, '{wrong[4]}', and in 1 more. Compare"
    )


def test_groups_in_the_wrong_order_are_found() -> None:
    assert "group 3 of 22" in refused(line(*GROUPS[:2], GROUPS[3], GROUPS[2], *GROUPS[4:]))


def test_a_character_that_no_invite_has_is_named() -> None:
    wrong = GROUPS[4][:3] + "u" + GROUPS[4][4:]
    assert f"group 5 of 22 of the invite, '{wrong}': no invite has the character 'u'." in refused(
        line(*GROUPS[:4], wrong, *GROUPS[5:])
    )


def test_one_too_many_is_placed_by_the_hyphens() -> None:
    wrong = GROUPS[4] + "x"
    assert f"group 5 of 22 of the invite, '{wrong}': there is a character too many." in refused(
        line(*GROUPS[:4], wrong, *GROUPS[5:])
    )


def test_cut_off_is_no_typing_error() -> None:
    assert refused(line(*GROUPS[:7])) == (
        "The invite is cut off: it has 84 of its 258 characters after sunward1. "
        "Copy all of it; it may run over several lines."
    )
    assert "it has 89 of its 258" in refused(line(*GROUPS[:7]) + "-" + GROUPS[7][:5])
    for start in ("sunward", "sunward1", "sunward1-4h2"):
        assert refused(start).startswith("The invite is cut off where it begins: copy all of it")


def test_what_follows_the_end_is_said_to() -> None:
    for after in ("-p0", " see you!", "x", LINE):
        assert refused(LINE + after) == "Something stands behind the end of the invite: copy the invite alone."


@pytest.mark.parametrize("text", ["", "hello", "tcp://192.168.1.20:4242", "sunwrad1-" + "-".join(GROUPS), "\x00\ud800"])
def test_what_is_no_invite_says_what_one_looks_like(text: str) -> None:
    assert refused(text) == "This is no invite: one begins with sunward1- and `sunward host` prints it."


def test_another_version_says_who_has_to_update() -> None:
    with pytest.raises(OtherVersion, match=r"^This invite is of version '2', and here version 1 is read: update Sunw"):
        read_invite("sunward2-whatever")
    with pytest.raises(OtherVersion, match="whoever sent it has to update"):
        read_invite(LINE.replace("sunward1", "sunward0"))


@given(st.text() | st.text(ALPHABET + "-"))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    for pasted in (text, "sunward1" + text, LINE + text, LINE[:-1] + text + LINE[-1], text + LINE):
        with suppress(SunwardError):
            read_invite(pasted)
