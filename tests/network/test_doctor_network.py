"""The doctor's checks of the network, in hosts whose networks are as they should be, and not."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sunward_node.doctor.finding import Finding, Level
from sunward_node.doctor.network import interfaces, listening
from sunward_node.interfaces import OwnAddress
from support.namespaces import Host, Network

pytestmark = pytest.mark.slow

_EXAMINE = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from sunward_node.doctor.examination import examine
from sunward_node.places import Places
found = examine(Places.find({"SUNWARD_HOME": sys.argv[1]}), sys.argv[2])
print(json.dumps([asdict(finding) for finding in found]))
"""
_SIT_ON_MDNS = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as alone:
    alone.bind(("", 5353))
    print("there", flush=True)
    input()
"""


def examined(host: Host, home: Path, listen: str = "tcp://*:*") -> Sequence[Finding]:
    """Return what the doctor finds in a host."""
    told = json.loads(host.run(sys.executable, "-c", _EXAMINE, str(home), listen))
    return [Finding(each["check"], Level(each["level"]), each["sentence"]) for each in told]


def of(check: str, findings: Sequence[Finding]) -> list[tuple[Level, str]]:
    return [(finding.level, finding.sentence) for finding in findings if finding.check == check]


def test_a_host_on_a_network_is_well(tmp_path: Path) -> None:
    with Network(hosts=1) as net:
        found = examined(net.hosts[0], tmp_path)
        ((level, sentence),) = of("reach", found)
        assert level is Level.OK
        assert sentence.startswith("This machine reaches itself at 10.77.1.1 (tobr1), fd77:1::1 (tobr1), fe80::")
        assert sentence.endswith("Only another machine can prove that others reach it: have one join.")
        ((level, sentence),) = of("discovery", found)
        assert level is Level.OK
        assert sentence.startswith("Multicast works on 10.77.1.1 (tobr1), fe80::")


def test_a_host_without_a_network_is_told_to_connect(tmp_path: Path) -> None:
    with Network(hosts=1, on=[[]]) as net:
        found = examined(net.hosts[0], tmp_path)
        assert of("interfaces", found) == [
            (Level.WARNING, "There is no network but this machine itself: connect it to play with others.")
        ]
        assert of("listening", found)[0][0] is Level.OK
        assert of("reach", found)[0][0] is Level.WARNING
        assert of("discovery", found) == []


def test_a_link_that_carries_no_multicast_is_said(tmp_path: Path) -> None:
    with Network(hosts=1) as net:
        net.hosts[0].down("tobr1")  # keeps its IPv4 address
        found = of("discovery", examined(net.hosts[0], tmp_path))
        assert found[0][0] is Level.WARNING
        assert found[0][1].startswith("Multicast does not work on 10.77.1.1 (tobr1)")


def test_another_who_holds_the_port_of_mdns_alone_is_noticed(tmp_path: Path) -> None:
    with Network(hosts=1) as net:
        command = net.hosts[0].command(sys.executable, "-c", _SIT_ON_MDNS)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"there\n"
            found = of("discovery", examined(net.hosts[0], tmp_path))
            level, sentence = found[0]
            assert level is Level.WARNING
            assert sentence.startswith(
                "UDP port 5353 is another's alone, Address already in use: stop the program that"
            )
            holder.communicate(b"\n")


def test_a_port_that_is_taken_fails_with_the_cure(tmp_path: Path) -> None:
    with Network(hosts=1) as net:
        sit = 'import socket; s = socket.create_server(("", 4242)); print("there", flush=True); input()'
        command = net.hosts[0].command(sys.executable, "-c", sit)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            ((level, sentence),) = of("listening", examined(net.hosts[0], tmp_path, "tcp://*:4242"))
            assert level is Level.FAILED
            assert "another program listens there already; stop it, or choose another port" in sentence
            holder.communicate(b"\n")


def test_what_listens_on_the_loopback_reaches_nobody_else() -> None:
    loopback: Sequence[OwnAddress] = ()
    found = list(asyncio.run(listening("tcp://127.0.0.1:*", loopback)))
    assert [finding.level for finding in found] == [Level.OK, Level.WARNING]
    assert found[1].sentence == (
        "Nobody but this machine reaches what listens at tcp://127.0.0.1:*: give --listen an address that others see."
    )
    assert interfaces(loopback).level is Level.WARNING
