"""Trying the transport out on this machine."""

from ipaddress import ip_address

import pytest

from sunward_node.interfaces import OwnAddress
from sunward_node.transport_probe import reach, zmq_versions
from sunward_protocol.errors import LocalError
from support.sockets import live

HERE = OwnAddress("lo", 1, ip_address("127.0.0.1"))
NOWHERE = OwnAddress("lo", 1, ip_address("127.0.0.2"))  # this machine's as well, but nothing listens there


@live
async def test_what_listens_answers_and_nothing_else_does() -> None:
    listening, answered = await reach("tcp://127.0.0.1:*", [HERE, NOWHERE])
    assert listening.startswith("tcp://127.0.0.1:")
    assert answered == [HERE]


@live
async def test_an_address_of_another_machine_is_said_to_be_one() -> None:
    with pytest.raises(LocalError, match=r"^Cannot listen on tcp://203\.0\.113\.9:\*: this machine has no such"):
        await reach("tcp://203.0.113.9:*", [HERE])


def test_versions_name_both_parts() -> None:
    words = zmq_versions().split()
    assert words[0] == "ZeroMQ"
    assert "CURVE," in words
    assert "pyzmq" in words
