"""Which addresses may be dialed, and how they are written."""

import pytest

from sunward_node.addresses import is_dialable, plain


@pytest.mark.parametrize(
    ("endpoint", "dialable"),
    [
        ("tcp://192.168.1.20:4242", True),
        ("tcp://[fe80::1%eth0]:65535", True),
        ("tcp://[::1]:1", True),
        ("tcp://a-name.local:4242", False),
        ("tcp://192.168.1.20:0", False),
        ("tcp://192.168.1.20:65536", False),
        ("tcp://192.168.1.20:*", False),
        ("tcp://192.168.1.20:\u0664\u0662", False),
        ("tcp://192.168.1.20:", False),
        ("tcp://192.168.1.20", False),
        ("tcp://eth0;192.168.1.20:4242", False),
        ("192.168.1.20:4242", False),
        ("ipc:///tmp/there", False),
        ("inproc://zeromq.zap.01", False),
        ("tcp://[fe80::1%eth0;::1]:4242", False),
        ("tcp://::1:4242", False),
        ("tcp://[::1:4242", False),
        ("tcp://999.1.1.1:4242", False),
        ("tcp://192.168.1.20:4242\n", False),
        ("", False),
    ],
)
def test_only_numeric_tcp_addresses_are_dialed(endpoint: str, dialable: bool) -> None:
    assert is_dialable(endpoint) == dialable


def test_an_ipv4_address_is_written_as_itself() -> None:
    assert plain("tcp://[::ffff:127.0.0.1]:4242") == "tcp://127.0.0.1:4242"
    assert plain("tcp://[::1]:4242") == "tcp://[::1]:4242"
