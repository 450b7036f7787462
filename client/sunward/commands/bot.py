"""`sunward bot`: a bot without a screen that takes a seat at a table, or at every table of this network."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import Protocol

from sunward.exits import Exit, Misused
from sunward.tabling import listening
from sunward_node.bots import catalog as bots
from sunward_node.discovery import DISCOVERY, Browser, browsing
from sunward_node.gathering import TurnedAway
from sunward_node.invites import read_invite
from sunward_node.node import Node, Stopped
from sunward_node.order import Invite, Order
from sunward_node.places import Places
from sunward_node.settings import Settings
from sunward_protocol.errors import LocalError, SunwardError
from sunward_protocol.games import catalog as games

_LOG = logging.getLogger("sunward.bot")


class Options(Protocol):
    """The command's flags."""

    invite: Sequence[str]
    lan: bool
    level: str
    name: str | None
    forever: bool
    tables: int
    listen: str | None
    quiet: bool
    verbose: bool


def run(options: Options) -> int:
    """Play until the match is over; with --forever, until stopped."""
    if bool(options.invite) == options.lan:
        raise Misused("A bot wants an invite, or --lan to take public tables on this network: one of the two.")
    if not any(options.level in bots.bots(game) for game in games.GAMES):
        bots.find(options.level, games.GAMES[0])
    if not options.quiet:
        _LOG.setLevel(logging.INFO)
    return asyncio.run(_Bot(options).run())


class _Bot:
    """The nodes of one bot, all in this process."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._places = Places.find(os.environ)
        self._name = options.name or options.level
        self._nodes: dict[str, Node] = {}
        self._changed = asyncio.Event()
        self._stopping = False

    async def run(self) -> int:
        """Play; return how it ended."""
        if sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self._stop)
        if self._options.invite:
            return await self._sit(read_invite("".join(self._options.invite))[0])
        if not Settings.load({}, os.environ, self._places.settings).get(DISCOVERY):
            raise LocalError("Looking for tables is switched off by the setting discovery: give an invite.")
        async with browsing(self._changed.set) as browser:
            return await self._roam(browser)

    async def _roam(self, browser: Browser) -> int:
        """Take a seat at every table that has one free, as many at once as allowed."""
        seen, playing = set[str](), set[asyncio.Task[int]]()
        worst = Exit.OK
        while not self._stopping:
            for table in browser.tables:
                mine = len(playing) < self._options.tables and table.taken < table.seats
                if mine and table.invite.table not in seen and self._may_begin(seen):
                    seen.add(table.invite.table)
                    _LOG.info("Taking a seat at the table of %s (%s).", table.name, table.words)
                    playing.add(asyncio.create_task(self._sit(table.invite)))
            if not self._options.forever and seen and not playing:
                break
            self._changed.clear()
            waiting = asyncio.ensure_future(self._changed.wait())
            done, _ = await asyncio.wait({waiting, *playing}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            for task in done - {waiting}:
                playing.discard(task)
                worst = max(worst, Exit(int(task.result())))
        results = await asyncio.gather(*playing)
        return Exit.INTERRUPTED if self._stopping else max([worst, *map(Exit, results)])

    def _may_begin(self, seen: set[str]) -> bool:
        return self._options.forever or not seen

    async def _sit(self, invite: Invite) -> int:
        """Play one match; say on the log how it went."""
        order = Order(name=self._name, bot=self._options.level, join=invite, listen=listening(self._options.listen))
        node = self._nodes[invite.table] = Node(order, self._places, self._heard)
        try:
            await node.run()
        except Stopped:
            return Exit.INTERRUPTED
        except TurnedAway as error:
            _LOG.warning("%s", error)
            return Exit.REMOTE
        except SunwardError as error:
            _LOG.error("%s", error)
            return Exit.LOCAL
        finally:
            del self._nodes[invite.table]
        return Exit.OK

    def _heard(self, news: object) -> None:
        with contextlib.suppress(KeyError, TypeError):
            _LOG.info("The match is in %s.", news["file"])  # type: ignore[index]  # what has no file is not told

    def _stop(self) -> None:
        self._stopping = True
        self._changed.set()
        for node in self._nodes.values():
            node.stop()
