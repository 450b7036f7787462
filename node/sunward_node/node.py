"""One node: one seat's process, from the lobby of its table, or from its folder, to the end of its match.

Must never hold a secret anywhere but in its own files and its own memory.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar, cast

from sunward_node.discovery import DISCOVERY, Announcer, announcing
from sunward_node.founding import SIGNATURES, invite_to, open_table, own_identity, own_self, own_side
from sunward_node.gateway import Gateway, door
from sunward_node.gathering import Gathering, TurnedAway
from sunward_node.interfaces import reached_at
from sunward_node.keys import SeatSecrets
from sunward_node.order import Invite, Order
from sunward_node.places import Places, private_folder
from sunward_node.play import Play
from sunward_node.program import typed
from sunward_node.requests import is_sayable
from sunward_node.returning import KNOCKING, Returning, knock
from sunward_node.sealing import Begun, Sealing
from sunward_node.seat import MATCH_NAME, Note, Seat, read_note
from sunward_node.settings import Settings
from sunward_node.sockets import CurveKeys
from sunward_node.telling import LobbyTelling
from sunward_node.transport import Transport
from sunward_node.words import short_words
from sunward_protocol.errors import LocalError
from sunward_protocol.games import catalog as games
from sunward_protocol.genesis import Genesis, check_seals
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.messages import Lobby
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Heard, Prepare, Void
from sunward_protocol.table.visitor import Visitor

Announce: TypeAlias = Callable[[Mapping[str, object]], None]
"""Tells whoever started the node where it listens, which match it is in, and that it is over."""

ANSWERED_IN = 10.0
"""Seconds in which a host that can be reached has answered long since."""
AFTERMATH = 600.0
"""Seconds that a person's node stays after the end, if nobody stops it."""
GOODBYE = 5.0
"""Seconds that a node stays after the end for those who have not heard of it: five STATUS."""
Result = TypeVar("Result")


class Stopped(Exception):
    """The node was told to stop; what is on disk is what `resume` goes on from."""


class Node:
    """Carries out one order. `stop` may be called at any time."""

    def __init__(self, order: Order, places: Places, announce: Announce) -> None:
        self._order = order
        self._places = places
        self._announce = announce
        self._stopping = asyncio.Event()
        self._bot = order.bot
        self._seat: Seat | None = None
        self._gateway: Gateway | None = None
        self._stage: Gathering | Sealing | Returning | Play | None = None
        self._hosting = False
        self._announcer: Announcer | None = None
        self._door = ""
        self._members: frozenset[CurveKey] = frozenset()
        self._wondering: asyncio.TimerHandle | None = None
        self._attended = False

    def stop(self) -> None:
        """Let `run` end soon."""
        self._stopping.set()

    @property
    def welcome(self) -> bool:
        """Whether a host has us at a table that has not begun."""
        side = self._stage.side if isinstance(self._stage, Gathering) else None
        return isinstance(side, Visitor) and side.welcome

    async def run(self) -> None:
        """Play to the end of the match; raise `Stopped` before it, or the `SunwardError` that ended it."""
        async with AsyncExitStack() as stack:
            stack.callback(self._close)
            keys = self._keys()
            transport = Transport(keys.curve, self._may_enter, self._deliver, self._linked)
            stack.push_async_callback(transport.close)
            listening = self._listen(transport, keys.port)
            self._announce({"listening": reached_at(listening)})
            if self._bot is None:
                path = private_folder(self._places.runtime) / f"{keys.curve.public.hex()[:16]}.sock"
                self._gateway = Gateway(path, self._request, self._attend)
                await self._gateway.start()
                stack.push_async_callback(self._gateway.close)
                self._door = str(door(path))
                self._announce({"socket": self._door})
            if self._seat is not None:
                await self._resume(self._seat, transport, listening)
            elif self._order.rejoin is not None:
                keys = replace(keys, port=_port(listening))
                self._seat = await self._come_back(self._order.rejoin, keys, transport, listening)
                await self._resume(self._seat, transport, listening)
            else:
                await self._found(replace(keys, port=_port(listening)), transport, listening)
            self._announce({"over": True})
            if self._gateway is not None:
                with suppress(TimeoutError):  # whoever sits at it may say a word and offer a rematch
                    await asyncio.wait_for(self._stopping.wait(), AFTERMATH)

    def _keys(self) -> SeatSecrets:
        if self._order.resume is not None:
            self._seat = Seat.reopen(Path(self._order.resume))
            self._bot = read_note(self._seat.folder).bot
            return self._seat.secrets
        return SeatSecrets.make(CurveKeys.generate())

    def _listen(self, transport: Transport, port: int) -> str:
        """Listen where the others know us, or, if that is taken by now, at any port there."""
        if self._seat is None:
            return transport.listen(self._order.listen)
        where = read_note(self._seat.folder).listen.rpartition(":")[0]
        try:
            return transport.listen(f"{where}:{port}")
        except LocalError:  # the others are told of the new address as soon as we dial them
            return transport.listen(f"{where}:*")

    # Before the match

    async def _found(self, keys: SeatSecrets, transport: Transport, listening: str) -> None:
        """Open or join a table, and play the match that comes of it."""

        def prepare(asked: Prepare) -> None:
            self._close_seat()
            self._seat = Seat.prepare(self._places, asked.genesis, asked.place, keys)
            reached = dict(enumerate(asked.endpoints))
            self._seat.note(Note(self._bot, self._order.listen, reached))  # from our seal on others may begin
            self._members = _curves(asked.genesis)

        side = own_side(self._order, self._places, keys, reached_at(listening))
        show = partial(self._show, side, LobbyTelling(side.me.identity.public, short_words), keys)
        gathering = self._stage = Gathering(side, transport, prepare, show)
        if isinstance(side, Visitor) and self._order.join is not None:
            transport.dial(side.host, *self._order.join.endpoints)
        elif isinstance(side, Host):
            self._hosting = True
            self._announce({"invite": asdict(invite_to(side, keys))})
        gathering.set_ready(self._order.ready)
        self._await_answer(gathering)
        async with self._announcing(side, keys, listening):
            founded = await self._unless_stopped(gathering.founded)
        self._hosting = False
        for key in transport.peers():
            if key not in self._members:
                transport.hang_up(key)
        assert self._seat is not None, "prepared before it was sealed"
        self._seat.open_log(founded.genesis, founded.seals)
        begun = Begun(founded.genesis, founded.seals)
        await self._play(self._seat, begun, founded.place, transport, listening)

    def _await_answer(self, gathering: Gathering) -> None:
        """Give a host the time to answer: when we knock first, and whenever we lost them."""
        if self._wondering is not None:
            self._wondering.cancel()
        self._wondering = asyncio.get_running_loop().call_later(ANSWERED_IN, self._wonder, gathering)

    def _wonder(self, gathering: Gathering) -> None:
        """Say that nobody answers: a person goes on waiting if they like, a bot has better to do."""
        side = gathering.side
        if isinstance(side, Host) or self.welcome or gathering.founded.done() or self._order.join is None:
            return
        where = " or ".join(self._order.join.endpoints) or "no address at all"
        help_ = typed("doctor")
        sentence = f"Nobody answers at {where}: is the table still open, and reachable from here? See `{help_}`."
        if self._gateway is None:
            gathering.founded.set_exception(TurnedAway(sentence))
        else:
            self._gateway.publish({"event": "trouble", "code": "silence", "sentence": sentence})

    @asynccontextmanager
    async def _announcing(self, side: Host | Visitor, keys: SeatSecrets, listening: str) -> AsyncGenerator[None]:
        """Keep a public table announced on the local network while the block lasts and it has a seat free."""
        if not (isinstance(side, Host) and self._order.public and _may_announce(self._places)):
            yield
            return
        async with announcing(listening) as self._announcer:
            self._announcer.show(open_table(side, keys))
            yield
            self._announcer = None

    def _show(self, side: Host | Visitor, telling: LobbyTelling, keys: SeatSecrets, news: Lobby | Heard | Void) -> None:
        if isinstance(news, Void) and self._seat is not None:
            if isinstance(side, Host):  # only it knows that nothing will come of the seals
                self._seat.discard()
                self._seat = None
            self._close_seat()
        if self._announcer is not None and isinstance(side, Host):
            self._announcer.show(open_table(side, keys))
        if self._gateway is not None:
            for event in telling.events(news):
                self._gateway.publish(event)

    # The match

    async def _resume(self, seat: Seat, transport: Transport, listening: str) -> None:
        """Go on with the match in a seat's folder, even one that others may have begun without telling us yet."""
        genesis = seat.unsealed()
        if genesis is not None:
            place = seat.place(genesis, ())
            await self._seal(seat, genesis, place, transport)
        opening, entries, kept = seat.contents()
        check_seals(opening.genesis, opening.seals, SIGNATURES)
        place = seat.place(opening.genesis, kept)
        self._members = _curves(opening.genesis)
        begun = Begun(opening.genesis, opening.seals, entries, kept)
        await self._play(seat, begun, place, transport, listening)

    async def _come_back(self, where: Invite, keys: SeatSecrets, transport: Transport, listening: str) -> Seat:
        """Have a match of ours, whose files are lost, from one of its nodes; return the seat's new folder."""
        table, host = bytes.fromhex(where.table), bytes.fromhex(where.host)
        me = own_self(self._order, self._places, keys, reached_at(listening), table)
        returning = self._stage = Returning(me, table, host, transport, SIGNATURES, games.find, self._tell_outside)
        self._tell_outside(KNOCKING)
        transport.dial(host, *where.endpoints)
        found = await self._unless_stopped(returning.found)
        returning.close()
        note = Note(self._bot, self._order.listen, dict(enumerate(found.endpoints)))
        return Seat.begin_anew(self._places, found, keys, knock(me, found.genesis.match), note)

    def _tell_outside(self, sentence: str) -> None:
        """Say what keeps us out of a match of ours."""
        if self._gateway is not None:
            self._gateway.publish({"event": "trouble", "code": "outside", "sentence": sentence})

    async def _seal(self, seat: Seat, genesis: Genesis, place: Place, transport: Transport) -> None:
        """Gather the seals that we did not live to see."""
        self._members = _curves(genesis)
        signer = own_identity(self._places, self._bot, genesis.members[place].name)
        sealing = self._stage = Sealing(genesis, place, signer, transport, SIGNATURES)
        self._dial(transport, seat, genesis, place, [member.curve for member in genesis.members])
        seals = await self._unless_stopped(sealing.sealed)
        seat.open_log(genesis, seals)

    def _dial(self, transport: Transport, seat: Seat, genesis: Genesis, place: Place, keys: Sequence[CurveKey]) -> None:
        """Dial the others where they listened last, and where we were told that one is: only the right key answers.

        A seat that is played from this machine too is found here, whatever our addresses have become.
        """
        told = [] if self._order.at is None else [self._order.at]
        listening = read_note(seat.folder).listening
        for other, member in enumerate(genesis.members):
            known = listening.get(other, ())
            here = [f"tcp://127.0.0.1:{_port(each)}" for each in known[:1]] if seat.has_neighbour(member) else []
            if other != place:
                transport.dial(keys[other], *told, *here, *known)

    async def _play(self, seat: Seat, begun: Begun, place: Place, transport: Transport, listening: str) -> None:
        returning = self._order.resume is not None or self._order.rejoin is not None
        play = Play(seat, begun, place, transport, listening, self._gateway, self._bot, self._order.pause, returning)
        seat.hang_out(self._door)
        told = {"match": begun.genesis.match.hex(), "folder": str(seat.folder), "file": str(seat.folder / MATCH_NAME)}
        self._announce(told)
        self._stage = play
        self._dial(transport, seat, begun.genesis, place, play.driver.peers)
        play.begin()
        if self._attended:
            play.attend()
        async with play.beside():
            await self._unless_stopped(play.driver.ended)
            await asyncio.wait([play.driver.known], timeout=GOODBYE)

    # What comes in

    def _may_enter(self, key: CurveKey) -> bool:
        """Whoever has the invite may knock at a host's door; after that only the members of the match may enter."""
        if isinstance(self._stage, Play):
            return self._stage.may_enter(key)
        return self._hosting or key in self._members

    def _deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        if self._stage is not None:
            self._stage.deliver(batch)

    def _linked(self, key: CurveKey, connected: bool) -> None:
        if self._stage is not None:
            self._stage.linked(key, connected)
        if isinstance(self._stage, Gathering) and not connected:
            self._await_answer(self._stage)

    def _attend(self) -> None:
        """Note that a client sits down."""
        self._attended = True
        if isinstance(self._stage, Play):
            self._stage.attend()

    def _request(self, request: Mapping[str, object]) -> Mapping[str, object] | None:
        """Carry out what a client asks; return what to answer it alone."""
        match request:
            case {"do": "ready", "ready": bool(ready)} if isinstance(self._stage, Gathering):
                self._stage.set_ready(ready)
            case {"do": "say", "text": str(text)} if is_sayable(text) and isinstance(self._stage, Gathering):
                self._stage.say(text)
            case {"do": "invite"} if isinstance(self._stage, Play):
                return {"event": "invite", "invite": self._stage.invite()}
            case {"do": "invite"}:
                sentence = "The match has not begun: the line that the host showed lets people in."
                return {"event": "refused", "ruling": "gateway", "sentence": sentence}
            case {"do": "quit"}:
                self.stop()
            case {"do": "detach"}:
                pass
            case _:
                if not isinstance(self._stage, Play) or not self._stage.carry_out(request):
                    sentence = "The node does not know what that asks."
                    return {"event": "refused", "ruling": "gateway", "sentence": sentence}
        return None

    # The end

    async def _unless_stopped(self, future: "asyncio.Future[Result]") -> Result:
        stopping = asyncio.ensure_future(self._stopping.wait())
        both: set[asyncio.Future[object]] = {
            cast("asyncio.Future[object]", future),
            cast("asyncio.Future[object]", stopping),
        }
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
        if not future.done():
            if isinstance(self._stage, Gathering):
                self._stage.leave("")
            raise Stopped
        return future.result()

    def _close(self) -> None:
        if self._wondering is not None:
            self._wondering.cancel()
        if self._stage is not None:
            self._stage.close()
        self._close_seat()

    def _close_seat(self) -> None:
        if self._seat is not None:
            self._seat.close()
            self._seat = None


def _may_announce(places: Places) -> bool:
    return Settings.load({}, os.environ, places.settings).get(DISCOVERY)


def _port(endpoint: str) -> int:
    return int(endpoint.rpartition(":")[2])


def _curves(genesis: Genesis) -> frozenset[CurveKey]:
    return frozenset(member.curve for member in genesis.members)
