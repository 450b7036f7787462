"""One node: one seat's process, from the lobby of its table, or from its folder, to the end of its match.

Must never hold a secret anywhere but in its own files and its own memory.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeAlias, TypeVar, cast

from sunward_node.bots import catalog as bots
from sunward_node.bots.bot import say
from sunward_node.driver import Driver, Player
from sunward_node.gateway import Gateway, door
from sunward_node.gathering import Gathering
from sunward_node.keys import SeatSecrets, bot_identity, load_identity, passphrase_from
from sunward_node.order import Invite, Opening, Order
from sunward_node.places import Places, private_folder
from sunward_node.seat import MATCH_NAME, Seat, read_note
from sunward_node.sockets import CurveKeys
from sunward_node.telling import Telling, lobby_event
from sunward_node.transport import Transport
from sunward_node.words import short_words
from sunward_protocol import limits
from sunward_protocol.draws import DrawStream, HashChain
from sunward_protocol.errors import LocalError
from sunward_protocol.games import catalog as games
from sunward_protocol.games import game as game_interface
from sunward_protocol.games.game import Action, Game, Position
from sunward_protocol.genesis import Genesis, check_seals, delegate
from sunward_protocol.identity import Ed25519Signatures, Ed25519Signer
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.messages import Lobby
from sunward_protocol.records import Kept
from sunward_protocol.table.events import Chosen
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Myself, Prepare, Table, Void
from sunward_protocol.table.replica import Replica
from sunward_protocol.table.steps import Own
from sunward_protocol.table.visitor import Visitor

Announce: TypeAlias = Callable[[Mapping[str, object]], None]
"""Tells whoever started the node where it listens, which match it is in, and that it is over."""

SIGNATURES = Ed25519Signatures()
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
        self._gathering: Gathering | None = None
        self._driver: Driver | None = None
        self._members: frozenset[CurveKey] = frozenset()

    def stop(self) -> None:
        """Let `run` end soon."""
        self._stopping.set()

    async def run(self) -> None:
        """Play to the end of the match; raise `Stopped` before it, or the `SunwardError` that ended it."""
        async with AsyncExitStack() as stack:
            stack.callback(self._close)
            keys = self._keys()
            transport = Transport(keys.curve, self._may_enter, self._deliver, self._linked)
            stack.push_async_callback(transport.close)
            endpoint = self._listen(transport, keys.port)
            if self._bot is None:
                path = private_folder(self._places.runtime) / f"{keys.curve.public.hex()[:16]}.sock"
                self._gateway = Gateway(path, self._request)
                await self._gateway.start()
                stack.push_async_callback(self._gateway.close)
                self._announce({"socket": str(door(path))})
            if self._seat is not None:
                await self._resume(self._seat, transport, endpoint)
            else:
                await self._found(replace(keys, port=_port(endpoint)), transport, endpoint)
            self._announce({"over": True})
            if self._gateway is not None:
                await self._stopping.wait()  # whoever sits at it reads the scores for as long as they like

    def _keys(self) -> SeatSecrets:
        if self._order.resume is not None:
            self._seat = Seat.reopen(Path(self._order.resume))
            self._bot = read_note(self._seat.folder)[0]
            return self._seat.secrets
        return SeatSecrets.make(CurveKeys.generate())

    def _listen(self, transport: Transport, port: int) -> str:
        """Listen where the others know us, or, if that is taken by now, wherever the order says."""
        if port:
            try:
                return transport.listen(f"{self._order.listen.rpartition(':')[0]}:{port}")
            except LocalError:
                pass  # the others are told of the new address as soon as we dial them
        return transport.listen(self._order.listen)

    # Before the match

    async def _found(self, keys: SeatSecrets, transport: Transport, endpoint: str) -> None:
        """Open or join a table, and play the match that comes of it."""

        def prepare(asked: Prepare) -> None:
            self._close_seat()
            self._seat = Seat.prepare(self._places, asked.genesis, asked.place, keys)
            self._seat.note(self._bot, {})  # now, since from our seal on others may begin, and we be killed
            self._members = _curves(asked.genesis)

        side = self._side(keys, endpoint)
        self._gathering = Gathering(side, transport, prepare, self._show)
        if isinstance(side, Visitor) and self._order.join is not None:
            transport.dial(side.host, *self._order.join.endpoints)
        elif isinstance(side, Host):
            invite = Invite(
                side.table.table.hex(),
                side.table.token.hex(),
                keys.curve.public.hex(),
                side.me.identity.public.hex(),
                (endpoint,),
            )
            self._announce({"invite": asdict(invite)})
        self._gathering.set_ready(True)
        founded = await self._unless_stopped(self._gathering.founded)
        assert self._seat is not None, "prepared before it was sealed"
        self._seat.open_log(founded.genesis, founded.seals)
        listening = dict(enumerate(founded.endpoints))
        self._seat.note(self._bot, listening)
        await self._play(self._seat, founded.genesis, founded.place, transport, endpoint, listening)

    def _side(self, keys: SeatSecrets, endpoint: str) -> Host | Visitor:
        """Return our side of the lobby that the order names."""
        order, folder = self._order, private_folder(self._places.keys)
        signer = load_identity(folder, passphrase_from(os.environ))
        owned = None if order.bot is None else bot_identity(folder, order.name, signer)
        signer = signer if owned is None else owned.signer
        session = Ed25519Signer(keys.session).public
        tip = HashChain(keys.chain, session, limits.CHAIN_LENGTH).tip
        table = bytes.fromhex(order.join.table) if order.join is not None else secrets.token_bytes(32)
        member = delegate(signer, table, order.name, session, keys.curve.public, tip, limits.CHAIN_LENGTH)
        if owned is not None:
            member = member._replace(owner=owned.owner, ownership=owned.ownership)
        me = Myself(signer, member, (endpoint,))
        if order.open is not None:
            return Host(me, _table(order.open, table), SIGNATURES, secrets.token_bytes)
        if order.join is None:
            raise LocalError("A node opens a table, joins one or resumes a match; this one was told none of it.")
        token, host = bytes.fromhex(order.join.token), bytes.fromhex(order.join.host)
        known = bytes.fromhex(order.join.identity)
        return Visitor(me, table, token, host, games.find, SIGNATURES, secrets.token_bytes, known)

    def _show(self, news: Lobby | Void) -> None:
        if self._gateway is None:
            return
        if isinstance(news, Void):
            self._gateway.publish({"event": "trouble", "code": "void", "sentence": news.reason}, transient=True)
        else:
            self._gateway.publish(lobby_event(news, short_words), transient=True)

    # The match

    async def _resume(self, seat: Seat, transport: Transport, endpoint: str) -> None:
        """Go on with the match in a seat's folder."""
        opening, entries, kept = seat.contents()
        check_seals(opening.genesis, opening.seals, SIGNATURES)
        place = seat.place(opening.genesis, kept)
        self._members = _curves(opening.genesis)
        listening = read_note(seat.folder)[1]
        await self._play(seat, opening.genesis, place, transport, endpoint, listening, entries, kept)

    async def _play(
        self,
        seat: Seat,
        genesis: Genesis,
        place: Place,
        transport: Transport,
        endpoint: str,
        listening: Mapping[Place, Sequence[str]],
        entries: Sequence[bytes] = (),
        kept: Sequence[Kept] = (),
    ) -> None:
        ruleset = genesis.ruleset(games.find)
        session = Ed25519Signer(seat.secrets.session)
        chain = HashChain(seat.secrets.chain, session.public, genesis.chain_length)
        replica = Replica(
            genesis,
            ruleset,
            Own(place, session, chain, secrets.token_bytes),
            SIGNATURES,
            entries=entries,
            kept=kept,
            endpoints=(endpoint,),
            now=asyncio.get_running_loop().time(),
        )
        file = seat.folder / MATCH_NAME
        publish = self._gateway.publish if self._gateway is not None else _nobody
        telling = Telling(genesis, replica, str(file), short_words, publish)
        peers = [member.curve for member in genesis.members]
        player = None if self._bot is None else _player(self._bot, ruleset.game)
        self._announce({"match": genesis.match.hex(), "folder": str(seat.folder), "file": str(file)})
        self._driver = Driver(
            replica, transport, peers, seat.log, seat.journal, telling.tell, player, self._order.pause
        )
        for other, endpoints in listening.items():
            if other != place:
                transport.dial(peers[other], *endpoints)
        self._driver.begin()
        await self._unless_stopped(self._driver.ended)
        await asyncio.wait([self._driver.known], timeout=GOODBYE)

    # What comes in

    def _may_enter(self, key: CurveKey) -> bool:
        """Whoever has the invite may knock at a host's door; after that only the members of the match may enter."""
        hosting = self._gathering is not None and isinstance(self._gathering.side, Host) and self._driver is None
        return hosting or key in self._members

    def _deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        if self._gathering is not None:
            self._gathering.deliver(batch)
        if self._driver is not None:
            self._driver.deliver(batch)

    def _linked(self, key: CurveKey, connected: bool) -> None:
        if self._driver is not None:
            self._driver.linked(key, connected)
        elif self._gathering is not None:
            self._gathering.linked(key, connected)

    def _request(self, request: Mapping[str, object]) -> Mapping[str, object] | None:
        """Carry out what a client asks; return what to answer it alone."""
        match request:
            case {"do": "act", "step": int(step), "actions": list()} if self._driver is not None:
                asked = cast("list[object]", request["actions"])
                actions = tuple(action for action in asked if type(action) is int)
                if len(actions) == len(asked):
                    self._driver.feed(Chosen(step, actions))
                    return None
            case {"do": "quit"}:
                self.stop()
                return None
            case {"do": "detach"}:
                return None
            case _:
                pass
        return {"event": "refused", "ruling": "gateway", "sentence": "The node does not know what that asks."}

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
            if self._gathering is not None and self._driver is None:
                self._gathering.leave(f"{self._order.name} left.")
            raise Stopped
        return future.result()

    def _close(self) -> None:
        if self._gathering is not None:
            self._gathering.close()
        if self._driver is not None:
            self._driver.close()
        self._close_seat()

    def _close_seat(self) -> None:
        if self._seat is not None:
            self._seat.close()
            self._seat = None


def _nobody(_: Mapping[str, object]) -> None:
    """Stands where nobody watches."""


def _port(endpoint: str) -> int:
    return int(endpoint.rpartition(":")[2])


def _curves(genesis: Genesis) -> frozenset[CurveKey]:
    return frozenset(member.curve for member in genesis.members)


def _table(opening: Opening, table: bytes) -> Table:
    """Return the table that an order opens; raise `LocalError` for what its game does not have."""
    game = games.find(opening.game)
    try:
        data = game.builtin() if opening.components is None else Path(opening.components).read_bytes()
    except OSError as error:
        raise LocalError(f"Cannot read the component file {opening.components}: {error.strerror}.") from error
    ruleset = game.load(data, opening.components or "components")
    ruleset.start(opening.seats, opening.options)
    return Table(table, secrets.token_bytes(16), ruleset, opening.options, opening.seats)


def _player(name: str, game: Game) -> Player:
    """Return a bot in the place of a person, with luck of its own."""
    bot, chance = bots.find(name, game), DrawStream(secrets.token_bytes(32))

    def play(position: Position, seat: game_interface.Seat) -> tuple[Action, ...]:
        return say(bot, position, seat, chance)

    return play
