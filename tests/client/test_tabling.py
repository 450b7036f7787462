"""What host, join and resume have in common: where a node listens, and who can get to its table."""

import re

import pytest

from sunward.tabling import beside, is_announced, is_local, listening
from sunward_node.order import Invite
from sunward_protocol.errors import LocalError

KEY = bytes(32).hex()


def invite(*endpoints: str) -> Invite:
    return Invite(KEY, KEY[:32], KEY, KEY, endpoints)


@pytest.mark.parametrize(
    ("given", "next_to_it"),
    [
        (":4242", "tcp://*:*"),
        ("192.168.1.20:4242", "tcp://192.168.1.20:*"),
        ("[fd00::20]:4242", "tcp://[fd00::20]:*"),
        ("127.0.0.1", "tcp://127.0.0.1:*"),
        (None, "tcp://*:*"),
    ],
)
def test_a_further_node_listens_at_a_port_of_its_own(given: str | None, next_to_it: str) -> None:
    assert beside(listening(given)) == next_to_it


def test_a_table_that_only_this_machine_can_reach_is_not_said_to_be_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNWARD_DISCOVERY", "yes")
    local, open_ = invite("tcp://127.0.0.1:1", "tcp://[::1]:1"), invite("tcp://127.0.0.1:1", "tcp://192.168.1.20:1")
    assert (is_local(local), is_local(open_)) == (True, False)
    assert (is_announced(local, public=True), is_announced(open_, public=True)) == (False, True)
    assert not is_announced(open_, public=False)
    monkeypatch.setenv("SUNWARD_DISCOVERY", "no")
    assert not is_announced(open_, public=True)


@pytest.mark.parametrize("address", [":0", ":65536", "127.0.0.1:99999", "[::1]:100000"])
def test_a_port_that_there_is_not_is_refused(address: str) -> None:
    with pytest.raises(LocalError, match=re.escape(f"--listen {address} names no port: they go from 1 to 65535.")):
        listening(address)


def test_the_last_port_is_one() -> None:
    assert listening(":65535") == "tcp://*:65535"
