"""All checks, one after the other; must never stop at the first thing that is wrong."""

import asyncio
import os
import shutil
import sys
import time
from collections.abc import Sequence

from sunward_node.discovery import DISCOVERY
from sunward_node.doctor import machine, network
from sunward_node.doctor.finding import Finding, Level
from sunward_node.interfaces import own_addresses
from sunward_node.places import Places
from sunward_node.settings import Settings
from sunward_protocol.errors import LocalError


def examine(places: Places, listen: str) -> Sequence[Finding]:
    """Return every finding about this machine, for a table that would listen at tcp://host:port."""
    wall, monotonic, addresses = time.time(), time.monotonic(), own_addresses()
    found = [*machine.versions(), *machine.folders(places), *machine.files(places, os.environ)]
    found += [network.interfaces(addresses), *asyncio.run(network.listening(listen, addresses)), network.firewall()]
    if _discovers(places):
        found += asyncio.run(network.multicast(addresses))
    else:
        found.append(
            Finding("discovery", Level.OK, "Switched off by the setting discovery: tables are joined by invite.")
        )
    passed = time.monotonic() - monotonic, time.time() - wall
    found += machine.clock(time.time(), *passed, machine.is_synchronised())
    found += [machine.disk(places.matches, machine.disk_free(places)), machine.nodes(places)]
    return [*found, *machine.terminal(sys.stdout, os.environ, shutil.get_terminal_size().columns)]


def _discovers(places: Places) -> bool:
    try:
        return Settings.load({}, os.environ, places.settings).get(DISCOVERY)
    except LocalError:  # said by the check of the settings
        return True


def worst(findings: Sequence[Finding]) -> Level:
    """Return the worst of the levels."""
    levels = list(Level)
    return max((finding.level for finding in findings), key=levels.index, default=Level.OK)
