"""Which of a machine's addresses others can use."""

from ipaddress import ip_address

from sunward_node.addresses import is_dialable
from sunward_node.interfaces import OwnAddress, endpoints_at, own_addresses, reachable_at

LOOP = OwnAddress("lo", 1, ip_address("127.0.0.1"))
LOOP6 = OwnAddress("lo", 1, ip_address("::1"))
WIRE = OwnAddress("eth0", 2, ip_address("192.168.1.20"))
WIRE6 = OwnAddress("eth0", 2, ip_address("2001:db8::7"))
LINK6 = OwnAddress("eth0", 2, ip_address("fe80::7"))
LINK = OwnAddress("wlan0", 3, ip_address("169.254.7.7"))
ALL = (LOOP, LOOP6, LINK6, LINK, WIRE6, WIRE)


def test_this_machine_has_a_loopback_and_all_its_addresses_can_be_dialed() -> None:
    found = own_addresses()
    assert any(own.loopback and own.endpoint(7) == "tcp://127.0.0.1:7" for own in found)
    assert all(is_dialable(own.endpoint(4242)) for own in found)


def test_all_addresses_are_all_but_the_loopback_s_the_farthest_reaching_first() -> None:
    for everywhere in ("tcp://*:4242", "tcp://[::]:4242"):
        assert reachable_at(everywhere, ALL) == [WIRE, WIRE6, LINK, LINK6]
    assert reachable_at("tcp://0.0.0.0:4242", ALL) == [WIRE, LINK]


def test_one_address_is_that_one_and_the_loopback_is_nothing_to_others() -> None:
    assert reachable_at("tcp://[2001:db8::7]:4242", ALL) == [WIRE6]
    assert reachable_at("tcp://[fe80::7%2]:4242", ALL) == [LINK6]
    assert reachable_at("tcp://127.0.0.1:4242", ALL) == []
    assert reachable_at("tcp://10.0.0.1:4242", ALL) == []


def test_an_invite_names_no_address_with_a_zone() -> None:
    assert LINK6.endpoint(4242) == "tcp://[fe80::7%2]:4242"
    assert endpoints_at("tcp://[::]:4242", ALL) == [
        "tcp://192.168.1.20:4242",
        "tcp://[2001:db8::7]:4242",
        "tcp://169.254.7.7:4242",
    ]
