"""A match at work at one seat: its replica, what drives it, who heeds what happens, and what its client may ask.

Must never begin before the seat's folder is locked, nor go on once it is not.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

from sunward_node.bots import catalog as bots
from sunward_node.desertion import Desertion
from sunward_node.desync import Bundles
from sunward_node.discovery import LOOKED_AT_EVERY
from sunward_node.doorstep import Doorstep
from sunward_node.driver import Driver, Player
from sunward_node.founding import SIGNATURES
from sunward_node.gateway import Gateway
from sunward_node.interfaces import reached_at
from sunward_node.invites import write_invite
from sunward_node.order import Invite
from sunward_node.requests import Request, check_return, event_of
from sunward_node.sealing import Begun, Reminding
from sunward_node.seat import MATCH_FILE, MATCH_NAME, Seat, read_note
from sunward_node.telling import Telling, clocks
from sunward_node.transport import Transport
from sunward_node.wishes import Wishes
from sunward_node.words import short_words
from sunward_protocol.draws import DrawStream, HashChain
from sunward_protocol.errors import DamagedFile, RemoteError
from sunward_protocol.games import catalog as games
from sunward_protocol.identity import Ed25519Signer
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.limits import PROPOSE_EVERY
from sunward_protocol.messages import Member, Resume
from sunward_protocol.table.events import Notice, Spoke, Wanted
from sunward_protocol.table.journal import Own
from sunward_protocol.table.replica import Replica

CLOCKS_EVERY = 1.0
"""Seconds between two readings of the clocks that a client is shown: what a person counts in."""


class Play(Reminding):
    """Plays the match of a seat; `returning` says that the seat was left, and by whom it is played `bot` says."""

    def __init__(
        self,
        seat: Seat,
        begun: Begun,
        place: Place,
        transport: Transport,
        listening: str,
        gateway: Gateway | None,
        bot: str | None,
        pause: float,
        returning: bool,
    ) -> None:
        """Stand where the seat's files end; raise `DamagedFile` if they do not hold."""
        genesis, file, note = begun.genesis, seat.folder / MATCH_NAME, read_note(seat.folder)
        self._replica = replica = _replica(seat, begun, place, listening)
        self._gateway, self._listening = gateway, listening
        self._game = replica.steps.settled.ruleset.game
        publish = gateway.publish if gateway is not None else _nobody
        telling = Telling(genesis, place, lambda: replica.steps.settled.place_of, str(file), short_words, publish)
        self._heeding = [telling.tell, Bundles(seat.folder, replica, publish).heed]
        self._desertion = Desertion(seat.folder, genesis, place)
        self._wishes = Wishes(replica, self._want, bot=bot is not None, returning=returning)

        def moved(other: Place, where: Sequence[str]) -> None:
            note.listening[other] = tuple(where)
            seat.note(note)

        driver = Driver(
            replica,
            transport,
            seat.log,
            seat.journal,
            self._watch,
            moved,
            self._player(bot),
            pause,
        )
        super().__init__(driver, begun, transport, SIGNATURES)
        self._transport = transport
        self._own_key, self._knock = seat.secrets.curve.public, seat.knock()

        def endpoints() -> tuple[tuple[str, ...], ...]:
            known = {**note.listening, place: reached_at(listening)}
            return tuple(tuple(known.get(other, ())) for other in range(len(genesis.members)))

        self._doorstep = Doorstep(driver, begun, endpoints, transport, SIGNATURES)

    def may_enter(self, key: CurveKey) -> bool:
        """Whether a CURVE key may connect."""
        return self._doorstep.may_enter(key)

    def deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        """Take in what came from peers, and whoever knocks at the door."""
        for key, raw in batch:
            self._doorstep.deliver(key, raw)
        super().deliver([each for each in batch if self.driver.place_of(each[0]) is not None])

    def linked(self, key: CurveKey, connected: bool) -> None:
        """Take in that a connection began or ended."""
        if connected:
            self._knock_at([key])
            self._doorstep.linked(key)
        super().linked(key, connected)

    def invite(self) -> str:
        """Return the line with which somebody put out finds this match, if they lost their files; or `CannotAsk`."""
        settled, own = self._replica.steps.settled, self._replica.steps.own.place
        check_return(settled, own)
        genesis = settled.genesis
        identity = genesis.members[own].identity
        where = Invite(
            genesis.table.hex(), bytes(16).hex(), self._own_key.hex(), identity.hex(), reached_at(self._listening)
        )
        return write_invite(where, self._game.key)

    def _knock_at(self, keys: Iterable[CurveKey]) -> None:
        """Show whose seat we have, if it came back with new keys and is not played yet."""
        steps = self._replica.steps
        if self._knock is not None and steps.own.place not in steps.settled.live:
            self._transport.send(keys, self._knock)

    def begin(self) -> None:
        """Set the match going."""
        self.driver.begin()
        self._heeding += [self._wishes.heed, self._desertion.heed]  # not of what was only read back
        self._wishes.look()

    @asynccontextmanager
    async def beside(self) -> AsyncGenerator[None]:
        """Keep others told of our addresses, and our client of the clocks, while the block lasts."""
        tasks = [asyncio.create_task(self._follow_addresses()), asyncio.create_task(self._knock_on())]
        if self._gateway is not None and self._replica.steps.settled.genesis.clock:
            tasks.append(asyncio.create_task(self._show_clocks(self._gateway)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    def attend(self) -> None:
        """Note that a client sits here."""
        self._wishes.attended = True
        self._wishes.look()

    def carry_out(self, request: Request) -> bool:
        """Do what a client asks, and return whether that meant anything; raise `LocalError` for what cannot be."""
        match request:
            case {"do": "bot", "name": str(name)}:
                self._let_play(name)
            case {"do": "me"}:
                self._let_play(None)
            case _:
                event = event_of(request, self._replica)
                if event is None:
                    return False
                self.driver.feed(event)
        return True

    def _let_play(self, bot: str | None) -> None:
        """Give our person's seat to a bot, or back to them."""
        player = self._player(bot)
        self.driver.feed(Spoke("I play myself again." if bot is None else f"The bot {bot} plays for me now."))
        if self._gateway is not None:
            self._gateway.publish({"event": "stand-in", "bot": bot})
        self._wishes.bot = bot is not None
        self._wishes.look()
        self.driver.seat(player)

    def _player(self, bot: str | None) -> Player | None:
        return None if bot is None else bots.player(bot, self._game, DrawStream(secrets.token_bytes(32)))

    def _watch(self, notice: Notice) -> None:
        for heed in self._heeding:
            heed(notice)

    def _want(self, wanted: Wanted) -> None:
        asyncio.get_running_loop().call_soon(self.driver.feed, wanted)

    async def _follow_addresses(self) -> None:
        while True:
            await asyncio.sleep(LOOKED_AT_EVERY)
            self._replica.move(reached_at(self._listening))

    async def _knock_on(self) -> None:
        while self._knock is not None:
            await asyncio.sleep(PROPOSE_EVERY)
            self._knock_at(self._transport.peers())

    async def _show_clocks(self, gateway: Gateway) -> None:
        while True:
            await asyncio.sleep(CLOCKS_EVERY)
            event = clocks(self._replica)
            if event is not None:
                gateway.publish(event, transient=True)


def _replica(seat: Seat, begun: Begun, place: Place, listening: str) -> Replica:
    genesis, file = begun.genesis, seat.folder / MATCH_NAME
    session = Ed25519Signer(seat.secrets.session)
    chain = HashChain(seat.secrets.chain, session.public, genesis.chain_length)
    back, endpoints = seat.back(), reached_at(listening)
    resume, lost_at = (None, 0) if back is None else (_resume(back.member, endpoints), time.time_ns() // 10**6)
    own = Own(place, session, chain, secrets.token_bytes, resume, lost_at)
    try:
        replica = Replica(
            genesis,
            genesis.ruleset(games.find),
            own,
            SIGNATURES,
            entries=begun.entries,
            kept=begun.kept,
            endpoints=endpoints,
            listening=read_note(seat.folder).listening,
            now=asyncio.get_running_loop().time(),
        )
    except RemoteError as error:  # from our own disk: no peer's fault
        raise DamagedFile(f"{file} does not hold. {error} {MATCH_FILE.cure}") from error
    if len(replica.steps.entries) != len(begun.entries):  # what we append would stand behind a gap for good
        raise DamagedFile(f"{file} lacks a step, or has one twice. {MATCH_FILE.cure}")
    return replica


def _resume(member: Member, endpoints: tuple[str, ...]) -> Resume:
    return Resume(member.session, member.curve, member.tip, member.delegation, endpoints)


def _nobody(_: Mapping[str, object]) -> None:
    """Stands where nobody watches."""
