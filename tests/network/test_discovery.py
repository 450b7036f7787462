"""Tables on a real network of namespaces and bridges: how soon they appear, change and go. Real mDNS throughout."""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sunward_node.discovery import ANSWERED_WITHIN, ASKED_EVERY, LIFETIME, LOOKED_AT_EVERY
from support.lan_peers import PORT, announcer, browser, open_table, patient
from support.namespaces import Network
from support.sockets import live

pytestmark = pytest.mark.slow

SOON = 2.0
"""Seconds in which a table appears: the promise that the manual makes."""
SILENCE = LIFETIME + ASKED_EVERY + ANSWERED_WITHIN / 1000 + 1.0
"""Seconds after which a host that went without a word is noticed."""

_GARBAGE = """
import random, socket, sys
chance = random.Random(7)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.77.1.3"))
for _ in range(int(sys.argv[1])):
    header = bytes([0, 0, 132, 0, 0, 0, 0, chance.randrange(9), 0, 0, 0, 0]) if chance.random() < 0.8 else b""
    out.sendto(header + chance.randbytes(chance.randrange(200)), ("224.0.0.251", 5353))
"""
"""Packets that begin as an answer of mDNS does, and then do not go on so."""

_INVENT = """
import asyncio, os, sys
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf
TYPE = "_sunward._tcp.local."
async def invent():
    async with AsyncZeroconf(interfaces=["10.77.1.3"]) as net:
        for number in range(int(sys.argv[1])):
            given = {"game": "\\x1b[2J", "seats": "999", "name": "x" * 200, "table": bytes(number)}
            info = AsyncServiceInfo(TYPE, f"n{number}.{TYPE}", 1, properties=given, parsed_addresses=["127.0.0.1"])
            await net.async_register_service(info, cooperating_responders=True)
        await asyncio.sleep(1.0)
        os._exit(0)  # without a goodbye
asyncio.run(invent())
"""
"""Many services of our type that are no tables."""

Tables = Mapping[str, Mapping[str, Any]]


def only(*names: str) -> Callable[[Tables], bool]:
    """Return whether these hosts' tables are seen and no others."""
    return lambda tables: sorted(tables) == sorted(names)


def at(address: str) -> str:
    return f"tcp://[{address}]:{PORT}" if ":" in address else f"tcp://{address}:{PORT}"


@live
async def test_a_table_appears_changes_and_disappears_within_two_seconds() -> None:
    with Network(hosts=2) as net:
        async with browser(net.hosts[1]) as guest, announcer(net.hosts[0]) as host:
            shown = host.show(1)
            assert await guest.until(only("Host 1"), 5.0) - shown < SOON
            shown = host.show(1, taken=3)
            assert await guest.until(lambda tables: tables["Host 1"]["taken"] == 3, 5.0) - shown < SOON
            shown = host.show(None)
            assert await guest.until(only(), 5.0) - shown < SOON
            host.show(2)
            await guest.until(only("Host 2"), 5.0)
            closed = time.monotonic()
            await host.close()
            assert await guest.until(only(), 5.0) - closed < SOON


@live
async def test_it_is_what_its_host_says_at_addresses_of_both_families() -> None:
    with Network(hosts=2) as net:
        async with announcer(net.hosts[0]) as host:
            host.show(1, taken=2)
            async with browser(net.hosts[1]) as guest:
                begun, seen = time.monotonic(), dict[str, Any]()

                def whole(tables: Tables) -> bool:
                    seen.update(tables.get("Host 1", {}))
                    return {at("10.77.1.1"), at("fd77:1::1")} <= set(seen.get("endpoints", ()))

                assert await guest.until(whole, 5.0) - begun < SOON
                assert (seen["taken"], seen["words"]) == (2, open_table(1).words)
                linklocal = [endpoint for endpoint in seen["endpoints"] if endpoint.startswith("tcp://[fe80:")]
                assert all("%" in endpoint for endpoint in linklocal)
                assert len(seen["endpoints"]) == 2 + len(linklocal)


@patient
async def test_a_host_that_was_killed_is_not_there_for_ever() -> None:
    with Network(hosts=2) as net:
        async with browser(net.hosts[1]) as guest, announcer(net.hosts[0]) as host:
            host.show(1)
            await guest.until(only("Host 1"), 5.0)
            killed = time.monotonic()
            host.process.kill()
            await host.process.wait()
            assert await guest.until(only(), SILENCE) - killed < SILENCE


@live
async def test_two_interfaces_are_announced_on_and_browsed_on() -> None:
    with Network(hosts=3, lans=2, on=[[0], [0, 1], [1]]) as net:
        left, middle, right = net.hosts
        async with (
            browser(left) as on_left,
            browser(middle) as on_both,
            browser(right) as on_right,
            announcer(left) as host_left,
            announcer(middle) as host_both,
            announcer(right) as host_right,
        ):
            shown = host_both.show(2)
            host_left.show(1)
            host_right.show(3)
            seen = [
                on_left.until(lambda tables: at("10.77.1.2") in tables.get("Host 2", {}).get("endpoints", ()), 5.0),
                on_right.until(lambda tables: at("10.77.2.2") in tables.get("Host 2", {}).get("endpoints", ()), 5.0),
                on_both.until(only("Host 1", "Host 2", "Host 3"), 5.0),
            ]
            assert max(await asyncio.gather(*seen)) - shown < SOON


@live
async def test_an_address_that_changes_is_announced_anew() -> None:
    with Network(hosts=2) as net:
        mover = net.hosts[0]
        async with browser(net.hosts[1]) as guest, announcer(mover) as host:
            host.show(1)
            await guest.until(only("Host 1"), 5.0)
            moved = time.monotonic()
            mover.take("tobr1", "10.77.1.1/24")
            mover.take("tobr1", "fd77:1::1/64")
            mover.add("tobr1", "10.77.1.77/24")
            mover.add("tobr1", "fd77:1::77/64")

            def there(tables: Tables) -> bool:
                endpoints = set(tables["Host 1"]["endpoints"]) if tables else set[str]()
                new, old = {at("10.77.1.77"), at("fd77:1::77")}, {at("10.77.1.1"), at("fd77:1::1")}
                return new <= endpoints and not old & endpoints

            assert await guest.until(there, 10.0) - moved < LOOKED_AT_EVERY + ASKED_EVERY + SOON


@live
async def test_an_interface_that_comes_later_is_used() -> None:
    with Network(hosts=2, lans=2, on=[[0], [1]]) as net:
        traveller, guest_host = net.hosts
        async with browser(guest_host) as guest, announcer(traveller) as host:
            host.show(1)
            plugged = time.monotonic()
            traveller.join(net.lans[1])
            assert await guest.until(only("Host 1"), 8.0) - plugged < LOOKED_AT_EVERY + SOON


@live
async def test_two_machines_without_a_network_find_each_other_once_there_is_one() -> None:
    with Network(hosts=2, on=[[], []]) as net:
        async with browser(net.hosts[1]) as guest, announcer(net.hosts[0]) as host:
            host.show(1)
            net.hosts[1].join(net.lans[0])
            plugged = time.monotonic()
            net.hosts[0].join(net.lans[0])
            assert await guest.until(only("Host 1"), 8.0) - plugged < LOOKED_AT_EVERY + SOON


@patient
async def test_a_host_that_vanishes_and_returns_is_seen_to() -> None:
    with Network(hosts=2) as net:
        async with browser(net.hosts[1]) as guest, announcer(net.hosts[0]) as host:
            host.show(1)
            await guest.until(only("Host 1"), 5.0)
            net.hosts[0].pull(net.lans[0])
            await guest.until(only(), SILENCE)
            back = time.monotonic()
            net.hosts[0].plug(net.lans[0])
            assert await guest.until(only("Host 1"), 10.0) - back < ASKED_EVERY + SOON


@live
async def test_a_guest_that_was_away_sees_what_was_opened_meanwhile() -> None:
    with Network(hosts=2) as net:
        away = net.hosts[1]
        async with browser(away) as guest, announcer(net.hosts[0]) as host:
            away.down("tobr1")
            host.show(1)
            away.up("tobr1")
            back = time.monotonic()
            await guest.until(only("Host 1"), 10.0)
            assert time.monotonic() - back < LOOKED_AT_EVERY + SOON


@live
async def test_what_listens_on_the_loopback_alone_is_not_announced() -> None:
    with Network(hosts=2) as net:
        async with browser(net.hosts[1]) as guest, announcer(net.hosts[0], f"tcp://127.0.0.1:{PORT}") as hidden:
            hidden.show(1)
            async with announcer(net.hosts[0]) as host:
                host.show(2)
                await guest.until(only("Host 2"), 5.0)
                with pytest.raises(AssertionError, match=r"after 1\.0 s"):
                    await guest.until(lambda tables: "Host 1" in tables, 1.0)


@live
async def test_garbage_and_invented_tables_hide_no_real_one_and_break_nothing() -> None:
    with Network(hosts=3) as net:
        async with browser(net.hosts[1]) as guest, announcer(net.hosts[0]) as host:
            host.show(1)
            await guest.until(only("Host 1"), 5.0)
            net.hosts[2].run(sys.executable, "-c", _GARBAGE, "3000")
            net.hosts[2].run(sys.executable, "-c", _INVENT, "100")
            shown = host.show(1, taken=4)
            assert await guest.until(lambda tables: tables["Host 1"]["taken"] == 4, 5.0) - shown < SOON
            async with announcer(net.hosts[2], f"tcp://10.77.1.3:{PORT}") as another:
                shown = another.show(3)
                assert await guest.until(only("Host 1", "Host 3"), 5.0) - shown < SOON
