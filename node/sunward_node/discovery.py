"""Tables that appear by themselves on the local network: announcing one and finding others, over mDNS (RFC 6762, 6763).

Must never announce anything but a public table, while it is open. The only file that knows zeroconf. A table is a
service of its own, named by the table's random id; what its records hold is in `opentable`.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from sunward_node.interfaces import OwnAddress, own_addresses, reachable_at
from sunward_node.opentable import OpenTable, parse_table, table_fields
from sunward_node.settings import yes_or_no

if TYPE_CHECKING:  # zeroconf takes 80 ms to import: late, and only where discovery is on
    from zeroconf import IPVersion, ServiceInfo, ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

DISCOVERY = yes_or_no("discovery", True)
"""The setting that turns all of this off."""

SERVICE = "_sunward._tcp.local."
LOOKED_AT_EVERY = 1.0
"""Seconds between two looks at this machine's addresses: no system tells all of their changes to a program."""

LIFETIME = 10
"""Seconds that a record is believed without being heard again: how long a table outlives a host that lost power."""

ASKED_EVERY = 4.0
"""Seconds between two looks whether a table is still there: within its records' lifetime, so most cost no packet."""

RETRIED_AFTER = 2.0
"""Seconds after trouble with the network until everything is begun afresh."""

ANSWERED_WITHIN = 2_000
"""Milliseconds that a host has to answer before its table counts as gone."""

TABLES_MOST = 64
"""Tables followed at a time: more than any room holds, and little work if somebody invents them."""

_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def announcing(listening: str) -> AsyncGenerator["Announcer"]:
    """Announce, while the block lasts, what the announcer is told to `show` of what listens at tcp://host:port.

    Trouble with the network is logged and never raised: the table is there without being announced.
    """
    announcer = Announcer(listening)
    async with _working(announcer.run):
        yield announcer


@asynccontextmanager
async def browsing(changed: Callable[[], None]) -> AsyncGenerator["Browser"]:
    """Follow the tables on this network; `changed` is called, in the event loop, each time they differ.

    Trouble with the network is logged and never raised: there are no tables then.
    """
    browser = Browser(changed)
    async with _working(browser.run):
        yield browser


class Announcer:
    """Announces one table at whatever addresses this machine has; says goodbye when it ends."""

    def __init__(self, listening: str) -> None:
        self._listening = listening
        self._port = int(listening.rpartition(":")[2])
        self._table: OpenTable | None = None
        self._changed = asyncio.Event()

    def show(self, table: OpenTable | None) -> None:
        """Announce the table as it is now, or, with None, that it is there no more."""
        self._table = table
        self._changed.set()

    async def run(self) -> None:
        """Keep the network told until cancelled."""
        async with _multicast() as net:
            told: tuple[OpenTable | None, Sequence[OwnAddress]] = (None, ())
            service: AsyncServiceInfo | None = None
            while True:
                self._changed.clear()
                addresses = own_addresses()
                wanted = self._table, reachable_at(self._listening, addresses)
                if service is not None:
                    # At once: following announces it anew, and what was said a second ago is not taken back by others.
                    service.addresses = _packed(wanted[1])
                await net.follow(addresses)
                if wanted != told:
                    service = await self._tell(net.zeroconf, service, *wanted)
                    told = wanted
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), LOOKED_AT_EVERY)

    async def _tell(
        self,
        zeroconf: "_Responder",
        before: "AsyncServiceInfo | None",
        table: OpenTable | None,
        addresses: Sequence[OwnAddress],
    ) -> "AsyncServiceInfo | None":
        """Put what the network was told last right; return what it knows then."""
        after = None if table is None or not addresses else _service(table, self._port, addresses)
        if before is not None and (after is None or after.name != before.name):
            await (await zeroconf.async_unregister_service(before))
            before = None
        if before is None and after is not None:
            # Its name is 128 bits of chance: probing for another's of that name, which takes a second, is left out.
            await (await zeroconf.async_register_service(after, cooperating_responders=True))
        elif after is not None:
            await (await zeroconf.async_update_service(after))
        return after


class Browser:
    """Knows the tables on this network, those of this machine among them."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._followed: dict[str, _Followed] = {}

    @property
    def tables(self) -> list[OpenTable]:
        """The tables that are there now, in order of appearance."""
        return [followed.table for followed in self._followed.values() if followed.table is not None]

    async def run(self) -> None:
        """Look and listen until cancelled."""
        from zeroconf.asyncio import AsyncServiceBrowser

        try:
            async with _multicast() as net, asyncio.TaskGroup() as group:

                def hear(*, name: str, state_change: "ServiceStateChange", **_: object) -> None:
                    self._hear(group, net.zeroconf.zeroconf, name, state_change.name == "Removed")

                def ask() -> AsyncServiceBrowser:
                    return AsyncServiceBrowser(net.zeroconf.zeroconf, SERVICE, handlers=[hear])

                asking = ask()
                try:
                    while True:
                        await asyncio.sleep(LOOKED_AT_EVERY)
                        if await net.follow(own_addresses()):
                            # Anew, wherever we are now: one that goes on asks ever more rarely.
                            await asking.async_cancel()
                            asking = ask()
                finally:
                    await asking.async_cancel()
        finally:
            for name in [*self._followed]:
                self._forget(name)

    def _hear(self, group: asyncio.TaskGroup, zeroconf: "Zeroconf", name: str, removed: bool) -> None:
        """Take in that a service of our type appeared, changed or went."""
        if removed:
            self._forget(name)
        elif name in self._followed:
            self._followed[name].stirred.set()
        elif len(self._followed) < TABLES_MOST:
            followed = self._followed[name] = _Followed()
            followed.task = group.create_task(self._follow(zeroconf, name, followed))

    async def _follow(self, zeroconf: "Zeroconf", name: str, followed: "_Followed") -> None:
        """Keep one table as its host says it is, none while the host does not answer; let go of what is no table."""
        from zeroconf.asyncio import AsyncServiceInfo

        while True:
            followed.stirred.clear()
            info = AsyncServiceInfo(SERVICE, name)
            answered = await info.async_request(zeroconf, ANSWERED_WITHIN)
            table = parse_table(info.properties, info.parsed_scoped_addresses(), info.port or 0) if answered else None
            if table != followed.table:
                followed.table = table
                self._changed()
            if answered and table is None and not followed.stirred.is_set():
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(followed.stirred.wait(), ASKED_EVERY)
        self._followed.pop(name, None)

    def _forget(self, name: str) -> None:
        followed = self._followed.pop(name, None)
        if followed is not None:
            if followed.task is not None:
                followed.task.cancel()
            if followed.table is not None:
                self._changed()


class _Responder(Protocol):
    """The part of AsyncZeroconf that announces, in full types; what each call returns ends when all has been sent."""

    def async_register_service(
        self, info: "ServiceInfo", *, cooperating_responders: bool
    ) -> Coroutine[object, object, Awaitable[object]]: ...

    def async_update_service(self, info: "ServiceInfo") -> Coroutine[object, object, Awaitable[object]]: ...

    def async_unregister_service(self, info: "ServiceInfo") -> Coroutine[object, object, Awaitable[object]]: ...


class _Followed:
    """One name that was heard, and the table behind it."""

    __slots__ = ("stirred", "table", "task")

    def __init__(self) -> None:
        self.stirred = asyncio.Event()  # its host said something new
        self.table: OpenTable | None = None
        self.task: asyncio.Task[None] | None = None


class _Multicast:
    """Our sockets for mDNS, on the interfaces that this machine has at the moment."""

    def __init__(self, zeroconf: "AsyncZeroconf", addresses: Sequence[OwnAddress]) -> None:
        self.zeroconf = zeroconf
        self._addresses = addresses

    async def follow(self, addresses: Sequence[OwnAddress]) -> bool:
        """Use this machine's addresses as they are now; return whether they changed."""
        if addresses == self._addresses:
            return False
        self._addresses = addresses
        await self.zeroconf.async_update_interfaces(*_interfaces(addresses))
        return True


@asynccontextmanager
async def _multicast() -> AsyncGenerator[_Multicast]:
    from zeroconf.asyncio import AsyncZeroconf

    logging.getLogger("zeroconf").setLevel(logging.ERROR)  # it warns, with a traceback, of every link that goes down
    addresses = own_addresses()
    interfaces, families = _interfaces(addresses)
    zeroconf = AsyncZeroconf(interfaces=interfaces, ip_version=families)
    try:
        yield _Multicast(zeroconf, addresses)
    finally:
        await zeroconf.async_close()  # goodbyes for what is still announced


def _interfaces(addresses: Sequence[OwnAddress]) -> "tuple[Sequence[str | int], IPVersion]":
    """Return where to open sockets: at each address of IPv4, and at each interface that has IPv6, by its number.

    The loopback stands in where there is no network, for the sockets have to be somewhere. A system whose IPv6 is
    switched off refuses sockets for it.
    """
    from zeroconf import IPVersion

    outward = [own for own in addresses if not own.loopback]
    fours = [str(own.address) for own in outward if own.address.version == 4]
    sixes = sorted({own.index for own in outward if own.address.version == 6})
    if not outward:
        fours = ["127.0.0.1"]
    return [*fours, *sixes], IPVersion.All if sixes else IPVersion.V4Only


@asynccontextmanager
async def _working(work: Callable[[], Awaitable[None]]) -> AsyncGenerator[None]:
    """Have work done beside the block, begun afresh after trouble with the network, and ended with the block."""

    async def persist() -> None:
        from zeroconf import Error

        said = ""
        while True:
            try:
                await work()
            except* (OSError, RuntimeError, Error) as trouble:  # RuntimeError: there is no interface at all
                if said != (said := str(trouble.exceptions[0])):
                    _LOG.warning("Tables on the network are not seen, nor ours announced: %s", said)
            await asyncio.sleep(RETRIED_AFTER)

    task = asyncio.ensure_future(persist())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _service(table: OpenTable, port: int, addresses: Sequence[OwnAddress]) -> "AsyncServiceInfo":
    """Return a table's records."""
    from zeroconf.asyncio import AsyncServiceInfo

    name = table.invite.table[:32]
    return AsyncServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        port=port,
        addresses=_packed(addresses),
        properties=dict(table_fields(table)),
        server=f"sunward-{name}.local.",
        host_ttl=LIFETIME,
        other_ttl=LIFETIME,
    )


def _packed(addresses: Sequence[OwnAddress]) -> list[bytes | str]:
    return [own.address.packed for own in addresses]
