"""Whole matches between hosts on networks of their own: real discovery, real sockets, real processes."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from support.namespaces import Host, Network

pytestmark = pytest.mark.slow


class Player:
    """A sunward command in a host, played by somebody who takes the first legal action, so many times a second."""

    def __init__(self, host: Host, home: Path, *arguments: str, pace: float = 20.0) -> None:
        self.home = home
        self._environment = {**os.environ, "SUNWARD_HOME": str(home), "NO_COLOR": "1"}
        self.process = subprocess.Popen(
            host.command(sys.executable, "-m", "sunward", *arguments),
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = list[str]()
        self._pause = 1 / pace
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._listen, self._act)]
        for thread in self._threads:
            thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip())

    def _act(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):
            while self.process.poll() is None:
                time.sleep(self._pause)
                if any(line.startswith("round") for line in self.said):  # not before the match has begun
                    self.process.stdin.write("1\n")
                    self.process.stdin.flush()

    def close(self) -> None:
        """Leave nothing behind."""
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(5)
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def hears(self, text: str) -> bool:
        return any(text in line for line in self.said)

    def ends(self, seconds: float = 60.0) -> int:
        """Wait for the end and return the exit code."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pytest.fail("\n".join(["still playing after:", *self.said[-40:]]))

    def verdict(self) -> Mapping[str, object]:
        """Verify the match file of a seat of this player's."""
        file = sorted(self.home.glob("data/matches/*/*/match.sunward"))[0]
        command = [sys.executable, "-m", "sunward", "verify", str(file), "--json"]
        told: Mapping[str, object] = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
        return told


def until(holds: Callable[[], bool], seconds: float = 20.0) -> float:
    """Wait until a condition holds and return how long it took; fail if it does not."""
    start = time.monotonic()
    while not holds():
        assert time.monotonic() < start + seconds, "it did not come to be in time"
        time.sleep(0.02)
    return time.monotonic() - start


Sit = Callable[..., Player]


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """Start players, each named person in a home of their own, and end them all with the test."""
    players = list[Player]()

    def start(host: Host, name: str, *arguments: str, pace: float = 20.0) -> Player:
        players.append(Player(host, tmp_path / name, *arguments, pace=pace))
        return players[-1]

    yield start
    for player in players:
        player.close()


def test_three_hosts_find_each_other_and_play_to_the_end(sit: Sit) -> None:
    with Network(hosts=3) as net:
        ann = sit(net.hosts[0], "Ann", "host", "--seats", "3", "--plain", "--ready", "--name", "Ann")
        bob = sit(net.hosts[1], "Bob", "join", "--plain", "--ready", "--name", "Bob")
        cleo = sit(net.hosts[2], "Cleo", "bot", "--lan", "--name", "Cleo")
        took = until(lambda: ann.hears("The match begins"))
        assert took < 15, "from three commands to a match"
        assert [player.ends() for player in (ann, bob, cleo)] == [0, 0, 0]
        verdicts = [player.verdict() for player in (ann, bob, cleo)]
        assert [each["verdict"] for each in verdicts] == ["complete"] * 3
        assert len({json.dumps(each) for each in verdicts}) == 1


def test_two_who_cannot_reach_each_other_play_through_one_who_reaches_both(sit: Sit) -> None:
    with Network(hosts=3, lans=2, on=[[0, 1], [0], [1]]) as net:
        ann = sit(net.hosts[0], "Ann", "host", "--seats", "3", "--plain", "--ready", "--name", "Ann")
        bob = sit(net.hosts[1], "Bob", "join", "--plain", "--ready", "--name", "Bob")
        cleo = sit(net.hosts[2], "Cleo", "join", "--plain", "--ready", "--name", "Cleo")
        assert [player.ends(100) for player in (ann, bob, cleo)] == [0, 0, 0]
        assert [player.verdict()["verdict"] for player in (ann, bob, cleo)] == ["complete"] * 3


def test_an_address_that_changes_in_mid_match_changes_nothing(sit: Sit) -> None:
    with Network(hosts=2) as net:
        table = ("--seats", "3", "--bots", "random", "--plain", "--ready")
        ann = sit(net.hosts[0], "Ann", "host", *table, "--name", "Ann", pace=8)
        bob = sit(net.hosts[1], "Bob", "join", "--plain", "--ready", "--name", "Bob", pace=8)
        until(lambda: bob.hears("round 3"))
        link = f"to{net.lans[0].bridge}"
        for old, new in zip(net.lans[0].addresses(2), ("10.77.1.77/24", "fd77:1::77/64"), strict=True):
            net.hosts[1].take(link, old)
            net.hosts[1].add(link, new)
        assert [player.ends() for player in (ann, bob)] == [0, 0]
        assert bob.verdict()["verdict"] == "complete"
        notes = [json.loads(note.read_text()) for note in ann.home.glob("data/matches/*/*/seat.json")]
        noted = {endpoint for note in notes for at in note["endpoints"].values() for endpoint in at}
        assert any("10.77.1.77" in endpoint for endpoint in noted), noted


def test_a_host_that_vanishes_is_named_and_the_match_goes_on_when_it_is_back(sit: Sit) -> None:
    with Network(hosts=2) as net:
        table = ("--seats", "3", "--bots", "random", "--plain", "--ready")
        ann = sit(net.hosts[0], "Ann", "host", *table, "--name", "Ann", pace=8)
        bob = sit(net.hosts[1], "Bob", "join", "--plain", "--ready", "--name", "Bob", pace=8)
        until(lambda: ann.hears("round 3"))
        net.hosts[1].pull(net.lans[0])
        assert until(lambda: ann.hears("Bob is away")) < 10
        net.hosts[1].plug(net.lans[0])
        assert until(lambda: ann.hears("Bob is back")) < 15
        assert [player.ends() for player in (ann, bob)] == [0, 0]
        assert ann.verdict()["verdict"] == "complete"


def test_a_node_that_is_killed_comes_back_with_resume_even_elsewhere_on_the_network(sit: Sit) -> None:
    with Network(hosts=2) as net:
        table = ("--seats", "3", "--bots", "random", "--plain", "--ready")
        ann = sit(net.hosts[0], "Ann", "host", *table, "--name", "Ann", pace=8)
        bob = sit(net.hosts[1], "Bob", "join", "--plain", "--ready", "--name", "Bob", pace=8)
        until(lambda: bob.hears("round 3"))
        for process in net.hosts[1].run("ip", "netns", "pids", net.hosts[1].namespace).split():
            with suppress(ProcessLookupError):
                os.kill(int(process), 9)
        bob.process.wait(10)
        assert until(lambda: ann.hears("Bob is away")) < 10
        link = f"to{net.lans[0].bridge}"
        net.hosts[1].take(link, net.lans[0].addresses(2)[0])
        net.hosts[1].add(link, "10.77.1.78/24")
        again = sit(net.hosts[1], "Bob", "resume", "--plain", pace=8)
        assert [player.ends() for player in (ann, again)] == [0, 0]
        assert again.verdict()["verdict"] == "complete"


def test_all_come_back_with_other_addresses_if_one_is_told_where_another_is(sit: Sit) -> None:
    with Network(hosts=2) as net:
        table = ("--seats", "3", "--bots", "random", "--plain", "--ready", "--listen", ":4000")
        ann = sit(net.hosts[0], "Ann", "host", *table, "--name", "Ann", pace=8)
        bob = sit(net.hosts[1], "Bob", "join", "--plain", "--ready", "--name", "Bob", pace=8)
        until(lambda: bob.hears("round 3"))
        link = f"to{net.lans[0].bridge}"
        for host, player, new in zip(net.hosts, (ann, bob), ("10.77.1.81/24", "10.77.1.82/24"), strict=True):
            for process in net.hosts[0].run("ip", "netns", "pids", host.namespace).split():
                with suppress(ProcessLookupError):
                    os.kill(int(process), 9)
            player.process.wait(10)
            for old in net.lans[0].addresses(host.number):
                host.take(link, old)
            host.add(link, new)
        again = sit(net.hosts[0], "Ann", "resume", "--plain", pace=8)
        back = sit(net.hosts[1], "Bob", "resume", "--plain", "--at", "10.77.1.81:4000", pace=8)
        assert [player.ends() for player in (again, back)] == [0, 0]
        assert back.verdict()["verdict"] == "complete"
