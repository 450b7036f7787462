"""The transport on real sockets: who may speak, who hears whom, what follows from misbehaving."""

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from sunward_node.conduct import TOLERANCE
from sunward_node.sockets import CurveKeys, require_zmq
from sunward_protocol.errors import LocalError
from sunward_protocol.limits import FRAME_MOST
from support.garbage import random_chunks, random_frames
from support.sockets import LOOPBACK, RudePeer, Stations, expected_errors, linked, live, until

NARROW = replace(TOLERANCE, frames=1.0, frames_saved=10.0)
STERN = replace(TOLERANCE, pauses=())


@live
async def test_both_sides_speak_on_the_one_connection_that_the_dialer_made() -> None:
    async with Stations() as stations:
        listener, dialer, _ = await stations.pair()
        listener.transport.send([dialer.key], b"welcome")  # the listener may speak first
        await dialer.until_heard(b"welcome")
        dialer.transport.send([listener.key], b"thanks")
        await listener.until_heard(b"thanks")
        assert dialer.heard == [(listener.key, b"welcome")]
        assert listener.heard == [(dialer.key, b"thanks")]


@live
async def test_two_that_dial_each_other_hear_each_frame_once() -> None:
    async with Stations() as stations:
        one, two = stations.station(), stations.station()
        one.dial(two, two.transport.listen(LOOPBACK))
        two.dial(one, one.transport.listen(LOOPBACK))
        await linked(one, two)
        for number in range(200):
            one.transport.send([two.key], b"%d" % number)
        await two.until_heard(b"199")
        one.transport.send([two.key], b"end")
        await two.until_heard(b"end")
        assert [payload for _, payload in two.heard] == [b"%d" % number for number in range(200)] + [b"end"]


@live
async def test_the_largest_frame_passes_and_a_larger_one_is_refused_at_home() -> None:
    async with Stations() as stations:
        listener, dialer, _ = await stations.pair()
        largest = bytes(FRAME_MOST)
        dialer.transport.send([listener.key], largest)
        listener.transport.send([dialer.key], largest)
        await listener.until_heard(largest)
        await dialer.until_heard(largest)
        with pytest.raises(LocalError, match="65537 bytes"):
            dialer.transport.send([listener.key], largest + b"!")
        with pytest.raises(LocalError, match="0 bytes"):  # an empty frame is the transport's own hello
            dialer.transport.send([listener.key], b"")


@live
async def test_a_frame_for_nobody_is_dropped_and_counted() -> None:
    async with Stations() as stations:
        alone = stations.station()
        alone.transport.send([bytes(32), bytes([1]) * 32], b"hello?")
        assert alone.transport.dropped == 2


@live
async def test_what_is_sent_after_the_close_goes_nowhere() -> None:
    async with Stations() as stations:
        listener, dialer, _ = await stations.pair()
        await listener.transport.close()
        await dialer.transport.close()
        listener.transport.send([dialer.key], b"too late")
        dialer.transport.send([listener.key], b"too late")


@live
async def test_a_full_queue_drops_and_never_blocks() -> None:
    async with Stations() as stations:
        listener = stations.station()
        endpoint = listener.transport.listen(LOOPBACK)
        with RudePeer(endpoint, listener.key) as silent:  # never receives
            silent.send(b"here")
            await listener.until_heard(b"here")
            for _ in range(5000):  # 320 MB: more than the marks of both sides and the kernel hold
                listener.transport.send([silent.curve.public], bytes(FRAME_MOST))
            assert listener.transport.dropped > 1000
            assert silent.curve.public in listener.transport.peers()


@live
async def test_a_peer_that_is_not_admitted_never_connects() -> None:
    async with Stations() as stations:
        asked: list[bytes] = []

        def refuse(key: bytes) -> bool:
            asked.append(key)
            return False

        listener = stations.station(admit=refuse)
        stranger, other = stations.station(), stations.station()
        endpoint = listener.transport.listen(LOOPBACK)
        stranger.dial(listener, endpoint)
        other.dial(listener, endpoint)
        stranger.transport.send([listener.key], b"let me in")
        await until(lambda: min(asked.count(stranger.key), asked.count(other.key)) >= 2)  # tried, and tried again
        assert not listener.heard
        assert not listener.transport.peers()
        assert not stranger.transport.peers()


@live
async def test_a_raising_admission_refuses_one_and_goes_on_with_the_next() -> None:
    failures = iter([True, True, False])

    def admit(key: bytes) -> bool:
        if next(failures, False):
            raise RuntimeError("the guest list is lost")
        return True

    async with Stations() as stations:
        listener, dialer = stations.station(admit=admit), stations.station()
        with expected_errors() as told:
            dialer.dial(listener, listener.transport.listen(LOOPBACK))
            await linked(listener, dialer)  # at its third attempt
        assert told == ["the guest list is lost"] * 2


@live
async def test_a_raising_receiver_loses_one_batch_and_hears_the_next() -> None:
    async with Stations() as stations:
        listener, dialer, _ = await stations.pair()
        listener.fails_next = True
        with expected_errors() as told:
            for number in range(1000):
                dialer.transport.send([listener.key], b"%d" % number)
            await listener.until_heard(b"999")
        assert told == ["a bug"]


@live
async def test_a_restarted_listener_is_found_again_and_links_are_told() -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        keys = listener.curve
        await listener.transport.close()
        await dialer.until_linked(listener.key, False)
        dialer.transport.send([listener.key], b"of the old time")  # no connection: never delivered later
        assert dialer.transport.dropped == 1

        again = stations.station(curve=keys)
        again.transport.listen(endpoint)
        await linked(again, dialer)
        again.transport.send([dialer.key], b"back")
        await dialer.until_heard(b"back")
        assert dialer.links == [(keys.public, True), (keys.public, False), (keys.public, True)]
        assert not again.heard


@live
async def test_a_vanished_dialer_is_noticed_without_sending_to_it() -> None:
    async with Stations() as stations:
        listener, dialer, _ = await stations.pair()
        await dialer.transport.close()
        await listener.until_linked(dialer.key, False)
        assert listener.links == [(dialer.key, True), (dialer.key, False)]
        kept = listener.transport._peers  # pyright: ignore[reportPrivateUsage]  (what is kept shows nowhere else)
        assert not kept  # of a peer that behaved and is gone


@live
async def test_a_redialed_peer_is_answered_on_its_newest_connection() -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        other = endpoint.replace("127.0.0.1", "[::ffff:127.0.0.1]")
        for address in (other, endpoint, other):
            listener.heard.clear()
            dialer.dial(listener, address)
            await dialer.until_linked(listener.key)
            dialer.transport.send([listener.key], b"moved")
            await listener.until_heard(b"moved")
            listener.transport.send([dialer.key], address.encode())
            await dialer.until_heard(address.encode())


@live
async def test_hanging_up_silences_both_ways_until_dialed_again() -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        with RudePeer(endpoint, listener.key) as rude:
            rude.send(b"one")
            await listener.until_heard(b"one")
            listener.transport.hang_up(rude.curve.public)
            listener.transport.send([rude.curve.public], b"no")
            assert listener.transport.dropped == 1
            rude.send(b"two")
            dialer.transport.send([listener.key], b"still here")
            await listener.until_heard(b"still here")
            await until(lambda: listener.transport.refused == 1)
            assert (rude.curve.public, b"two") not in listener.heard
        dialer.transport.hang_up(listener.key)
        assert not dialer.transport.peers()
        await listener.until_linked(dialer.key, False)
        dialer.dial(listener, endpoint)
        await linked(listener, dialer)


@live
async def test_a_peer_that_names_its_own_routing_id_is_not_heard() -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        for named in (b"seat 1", b"12345", b"\0"):
            with RudePeer(endpoint, listener.key, routing_id=named) as impostor:
                impostor.send(b"usurped")
                await until(lambda: listener.transport.refused == 1)
                listener.transport.refused = 0
                dialer.transport.send([listener.key], named)
                await listener.until_heard(named)
                assert listener.transport.peers() == [dialer.key]
        assert {key for key, _ in listener.heard} == {dialer.key}


@live
async def test_more_than_one_part_is_a_strike_and_a_pause() -> None:
    async with Stations() as stations:
        listener = stations.station()
        with RudePeer(listener.transport.listen(LOOPBACK), listener.key) as rude:
            rude.send(b"fine")
            await listener.until_heard(b"fine")
            rude.send(b"part", b"of", b"many")
            rude.send(b"during the pause")
            await until(lambda: listener.transport.refused == 2)
            assert [payload for _, payload in listener.heard] == [b"fine"]


@live
async def test_a_peer_over_the_rate_is_unheard_for_a_while() -> None:
    async with Stations() as stations:
        listener, dialer = stations.station(), stations.station(tolerance=NARROW)
        dialer.dial(listener, listener.transport.listen(LOOPBACK))
        await linked(listener, dialer)
        for number in range(12):
            listener.transport.send([dialer.key], b"%d" % number)
        await until(lambda: dialer.transport.refused == 2)
        assert [payload for _, payload in dialer.heard] == [b"%d" % number for number in range(10)]  # ten were saved up
        assert dialer.transport.peers() == [listener.key]


@live
async def test_a_barred_peer_that_was_dialed_is_dialed_again_when_its_time_is_over() -> None:
    async with Stations() as stations:
        listener, dialer = stations.station(), stations.station(tolerance=replace(STERN, barred_for=0.1))
        dialer.dial(listener, listener.transport.listen(LOOPBACK))
        await linked(listener, dialer)
        dialer.transport.strike(listener.key)
        await dialer.until_linked(listener.key, False)
        await listener.until_linked(dialer.key, False)
        await linked(listener, dialer)


@live
async def test_a_barred_key_is_unheard_and_refused_at_its_next_handshake() -> None:
    async with Stations() as stations:
        listener = stations.station(tolerance=STERN)
        endpoint = listener.transport.listen(LOOPBACK)
        with RudePeer(endpoint, listener.key) as rude:
            rude.send(b"hello")
            await listener.until_heard(b"hello")
            listener.transport.strike(rude.curve.public)
            rude.send(b"and another thing")
            await until(lambda: listener.transport.refused == 1)
        await listener.until_linked(rude.curve.public, False)
        with RudePeer(endpoint, listener.key, key=rude.curve) as again, RudePeer(endpoint, listener.key) as other:
            again.send(b"me again")
            other.send(b"somebody else")
            await listener.until_heard(b"somebody else")
            assert listener.transport.peers() == [other.curve.public]


@live
async def test_a_drain_delivers_one_batch() -> None:
    async with Stations() as stations:
        listener, dialer, _ = await stations.pair()
        for number in range(100):
            dialer.transport.send([listener.key], b"%d" % number)
        await listener.until_heard(b"99")
        assert listener.batches < 50
        assert len(listener.heard) == 100


@live
async def test_ten_thousand_random_frames_and_nothing_but_their_loss() -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        with RudePeer(endpoint, listener.key) as rude:
            flood = asyncio.get_running_loop().run_in_executor(None, pour_frames, rude, random_frames(1, 10_000))
            for number in range(100):
                dialer.transport.send([listener.key], b"honest %d" % number)
            await flood
            await listener.until(lambda: len(listener.heard) == 10_100)  # what they mean is for others to judge
            assert sum(key == dialer.key for key, _ in listener.heard) == 100


@pytest.mark.slow
@pytest.mark.parametrize("way", ["admitted", "raw"])
@live
async def test_200_megabytes_of_garbage_are_borne(way: str) -> None:
    async with Stations() as stations:
        listener, dialer, endpoint = await stations.pair()
        before = resident()
        with RudePeer(endpoint, listener.key) as rude:
            pour = partial(pour_frames, rude) if way == "admitted" else partial(pour_raw, endpoint)
            flood = asyncio.get_running_loop().run_in_executor(None, pour, random_chunks(2, 200 * 2**20))
            number = 0
            while not flood.done():
                dialer.transport.send([listener.key], b"honest %d" % number)
                await listener.until_heard(b"honest %d" % number)
                number += 1
            assert await flood == 200 * 2**20
        assert number > 20
        assert sum(key == dialer.key for key, _ in listener.heard) == number
        assert (listener.transport.refused > 2000) == (
            way == "admitted"
        )  # of 3200 frames some 260 were within the rate
        assert resident() - before < 100 * 2**20


def pour_frames(rude: RudePeer, garbage: Iterator[bytes]) -> int:
    """Send garbage as frames of an admitted peer and return its size."""
    poured = 0
    for frame in garbage:
        rude.send(frame)
        poured += len(frame)
    return poured


def pour_raw(endpoint: str, garbage: Iterator[bytes]) -> int:
    """Write garbage into TCP connections, a new one each time the other side has had enough, and return its size."""
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
    poured = 0
    for chunk in garbage:
        poured += len(chunk)
        try:
            connection.sendall(chunk)
        except OSError:
            connection.close()
            connection = socket.create_connection((host, int(port)))
    connection.close()
    return poured


def resident() -> int:
    """Return the bytes of this process that are in memory now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


@live
async def test_a_port_in_use_and_other_impossible_addresses_are_explained() -> None:
    async with Stations() as stations:
        one, two = stations.station(), stations.station()
        taken = one.transport.listen(LOOPBACK)
        for endpoint, cure in (
            (taken, "another program listens there already; stop it, or choose another port"),
            ("tcp://192.0.2.1:4242", "no such address"),
            ("tcp://nonsense", "an address looks like"),
        ):
            with pytest.raises(LocalError, match=cure):
                two.transport.listen(endpoint)
        two.dial(one, taken)  # nothing of it is left behind
        await linked(one, two)


@live
async def test_of_several_addresses_the_one_that_answers_is_kept() -> None:
    async with Stations() as stations:
        listener, other, dialer = stations.station(), stations.station(), stations.station()
        endpoint = listener.transport.listen(LOOPBACK)
        dead, wrong = "tcp://127.0.0.1:1", other.transport.listen(LOOPBACK)
        assert dialer.transport.dial(listener.key, dead, "nonsense", wrong, endpoint)
        await linked(listener, dialer)
        listener.transport.send([dialer.key], b"one")
        await dialer.until_heard(b"one")
        await listener.transport.close()
        await dialer.until_linked(listener.key, False)
        again = stations.station(curve=listener.curve)
        again.transport.listen(wrong.replace("127.0.0.1", "127.0.0.2"))
        again.transport.listen(endpoint)
        await linked(again, dialer)


@live
async def test_no_usable_address_is_said() -> None:
    async with Stations() as stations:
        assert not stations.station().transport.dial(bytes(32), "nonsense", "tcp://elsewhere:1")


@live
async def test_ipv6_is_spoken_too() -> None:
    async with Stations() as stations:
        one, two = stations.station(), stations.station()
        two.dial(one, one.transport.listen("tcp://[::1]:*"))
        await linked(one, two)


@live
async def test_a_wrong_server_key_connects_to_nobody() -> None:
    async with Stations() as stations:
        listener, dialer = stations.station(), stations.station()
        endpoint = listener.transport.listen(LOOPBACK)
        dialer.transport.dial(CurveKeys.generate().public, endpoint)
        third = stations.station()
        third.dial(listener, endpoint)
        await linked(listener, third)
        assert not dialer.transport.peers()
        assert listener.transport.peers() == [third.key]


def test_an_old_or_curveless_zeromq_is_named_with_the_cure() -> None:
    require_zmq((4, 3, 5), True)
    require_zmq((5, 0, 0), True)
    with pytest.raises(LocalError, match=r"4\.3\.4 is installed: `pip install"):
        require_zmq((4, 3, 4), True)
    with pytest.raises(LocalError, match=r"4\.3\.5 without CURVE is installed"):
        require_zmq((4, 3, 5), False)


def test_secrets_are_not_shown() -> None:
    keys = CurveKeys.generate()
    assert repr(keys.secret) not in repr(keys)
    assert (len(keys.public), len(keys.secret)) == (32, 32)
