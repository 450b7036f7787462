"""A network of a test's own: hosts in Linux network namespaces, on bridges, with IPv4 and IPv6 addresses.

Must never touch this machine's own network, nor leave anything behind: all of it is in namespaces with this process's
id in their names, which are removed even if the test fails.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Self

import pytest

_NUMBERS = itertools.count(1)
_PATIENCE = 20.0  # seconds for any one command of the system
_NO_DETECTION = "for each in all default; do echo 0 > /proc/sys/net/ipv6/conf/$each/accept_dad; done"
"""Duplicate addresses are not looked for: an IPv6 address could not be used for its first second."""


def require_namespaces() -> None:
    """Skip the test, with the reason, where there are no network namespaces; in CI that fails it."""
    if sys.platform != "linux" or shutil.which("ip") is None:
        _without("`ip` is missing; on Debian: apt-get install iproute2")
    name = f"sunward-{os.getpid()}-try"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if tried.returncode:
        _without(f"no network namespace can be made here ({tried.stderr.strip()}): run the tests as root")
    _ip("netns", "del", name)


class Lan:
    """One bridge, with nothing between the hosts on it. The nth host has 10.77.number.n and fd77:number::n."""

    def __init__(self, network: "Network", number: int) -> None:
        self.number = number
        self._network = network
        self.bridge = f"br{number}"
        network.in_switch("link", "add", self.bridge, "type", "bridge", "mcast_snooping", "0", "forward_delay", "0")
        network.in_switch("link", "set", self.bridge, "up")

    def addresses(self, host: int) -> tuple[str, str]:
        """Return the addresses that a host of this number has here, with their lengths."""
        return f"10.77.{self.number}.{host}/24", f"fd77:{self.number}::{host}/64"


class Host:
    """One machine of the network: loopback, and a link to each of its LANs, named as the LAN's bridge is."""

    def __init__(self, network: "Network", number: int, lans: Sequence[Lan]) -> None:
        self.number = number
        self.namespace = f"{network.name}-h{number}"
        self._network = network
        _ip("netns", "add", self.namespace)
        network.namespaces.append(self.namespace)
        self.run("sh", "-c", _NO_DETECTION)
        self.ip("link", "set", "lo", "up")
        for lan in lans:
            self.join(lan)

    def join(self, lan: Lan) -> str:
        """Put a cable to a LAN in, with its addresses there; return the name of the link."""
        link = f"to{lan.bridge}"
        port = f"h{self.number}{lan.bridge}"
        _ip(
            *("link", "add", link, "netns", self.namespace, "type", "veth"),
            *("peer", "name", port, "netns", self._network.switch),
        )
        self._network.in_switch("link", "set", port, "master", lan.bridge, "up")
        self.up(link)
        for address in lan.addresses(self.number):
            self.add(link, address)
        return link

    def add(self, link: str, address: str) -> None:
        """Give a link one more address, as 10.77.1.9/24."""
        self.ip("address", "add", address, "dev", link)

    def take(self, link: str, address: str) -> None:
        """Take an address from a link."""
        self.ip("address", "del", address, "dev", link)

    def up(self, link: str) -> None:
        """Switch a link on."""
        self.ip("link", "set", link, "up")

    def down(self, link: str) -> None:
        """Switch a link off: its IPv6 addresses are lost, as the system does it."""
        self.ip("link", "set", link, "down")

    def pull(self, lan: Lan) -> None:
        """Pull the cable to a LAN at the other end; nothing of this host's own changes but that nobody hears it."""
        self._network.in_switch("link", "set", f"h{self.number}{lan.bridge}", "nomaster")

    def plug(self, lan: Lan) -> None:
        """Put a pulled cable in again."""
        self._network.in_switch("link", "set", f"h{self.number}{lan.bridge}", "master", lan.bridge)

    def ip(self, *arguments: str) -> str:
        """Run the `ip` command in this host and return what it prints."""
        return _ip("-n", self.namespace, *arguments)

    def command(self, *command: str) -> list[str]:
        """Return the command line that runs a command in this host, for whatever starts processes."""
        return ["ip", "netns", "exec", self.namespace, *command]

    def run(self, *command: str) -> str:
        """Run a command in this host to its end and return what it prints."""
        return _run(self.command(*command))


class Network:
    """Hosts, each on the LANs that `on` names by index (all on the first one by default); gone with the block."""

    def __init__(self, hosts: int = 2, lans: int = 1, on: Sequence[Sequence[int]] = ()) -> None:
        require_namespaces()
        _sweep()
        self.name = f"sunward-{os.getpid()}-{next(_NUMBERS)}"
        self.switch = f"{self.name}-sw"
        self.namespaces: list[str] = []
        try:
            _ip("netns", "add", self.switch)
            self.namespaces.append(self.switch)
            self.lans = [Lan(self, number) for number in range(1, lans + 1)]
            on = on or [[0]] * hosts
            self.hosts = [
                Host(self, number, [self.lans[lan] for lan in on[number - 1]]) for number in range(1, hosts + 1)
            ]
        except BaseException:
            self.close()
            raise

    def in_switch(self, *arguments: str) -> str:
        """Run the `ip` command where the bridges are."""
        return _ip("-n", self.switch, *arguments)

    def close(self) -> None:
        """Kill what still runs in the hosts, and remove them."""
        for namespace in reversed(self.namespaces):
            for process in _ip("netns", "pids", namespace).split():
                with suppress(ProcessLookupError):
                    os.kill(int(process), 9)
            _ip("netns", "del", namespace)
        self.namespaces.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sweep() -> None:
    """Remove what a test process that was killed could not remove itself."""
    for name in _ip("netns", "list").split():
        process = re.match(r"sunward-(\d+)-", name)
        if process and not Path("/proc", process[1]).exists():
            with suppress(AssertionError):  # another process sweeps, too
                _ip("netns", "del", name)


def _without(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI has to run this test, and {reason}.")
    pytest.skip(reason)


def _ip(*arguments: str) -> str:
    return _run(["ip", *arguments])


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}"
    return done.stdout
