"""The door of a running match: whoever lost their disk knocks with new keys, and is let in as the place that they have.

Must never give anybody a place that is being played, nor spend more on a stranger than a look at one HELLO.

The door stands open only while somebody is put out. A stranger's HELLO that its identity does not stand behind ends the
connection; nothing else of a stranger's is read, and nothing of a stranger is remembered.
"""

import asyncio
from collections.abc import Callable
from math import inf

from sunward_node.driver import Driver
from sunward_node.sealing import Begun, seal_frames
from sunward_node.transport import Transport
from sunward_protocol.envelope import Frame, is_signed, open_frame, seal
from sunward_protocol.errors import Forged, RemoteError
from sunward_protocol.genesis import check_member
from sunward_protocol.identity import SIGNATURE_SIZE, Signatures
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.limits import PIECE_MOST, PROPOSE_EVERY, PROTOCOL_VERSION
from sunward_protocol.messages import Hello, Kind, Leave, Proposal

KNOCK_BEGINS = bytes((0x98, PROTOCOL_VERSION, Kind.HELLO))
"""How the body of every HELLO begins: an array of eight, version, kind. What begins otherwise costs a stranger's reader
three bytes."""

PLAYED = (
    "Your seat is being played, as far as this node knows. If it is not by you, the others must put you out first: "
    "they type putout and your name."
)
CONVICTED = "This seat was put out for a proved cheat: it does not come back."


class Doorstep:
    """Who may connect to a match at work, and what becomes of a knock; `endpoints` tells where each place listens."""

    def __init__(
        self,
        driver: Driver,
        begun: Begun,
        endpoints: Callable[[], tuple[tuple[str, ...], ...]],
        transport: Transport,
        signatures: Signatures,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._driver = driver
        self._begun = begun
        self._endpoints = endpoints
        self._transport = transport
        self._signatures = signatures
        self._knocked: dict[Place, float] = {}
        """When a knock for each place was looked at last."""

    def may_enter(self, key: CurveKey) -> bool:
        """Whether a CURVE key may connect: those who play, and while somebody is put out, whoever may be them."""
        return self._driver.place_of(key) is not None or bool(self._empty())

    def deliver(self, key: CurveKey, raw: bytes) -> None:
        """Take in a frame if it is a knock."""
        if not raw.startswith(KNOCK_BEGINS, SIGNATURE_SIZE):
            return
        known = self._driver.place_of(key)
        if known is not None and (known not in self._empty() or self._lately(known)):
            return  # they are in already, or were answered just now
        try:
            frame = open_frame(raw)
            place = self._believe(key, frame)
        except RemoteError:  # no strike: it would have to be remembered, for as many keys as somebody cares to make
            self._transport.hang_up(key)
            return
        self._answer(key, place, frame)

    def linked(self, key: CurveKey) -> None:
        """Take in that a connection began: it may be a place that is out, with the keys that it had after all."""
        keys, linked = self._driver.replica.steps.tip.keys, self._transport.peers()
        for place in self._empty():
            if keys[place].curve == key and self._driver.peers[place] not in linked:
                self._driver.meet(place, key)

    def _empty(self) -> list[Place]:
        """Return the places that are out, and are not about to come back."""
        steps = self._driver.replica.steps
        return [place for place in range(steps.tip.members) if place not in (*steps.tip.live, *steps.settled.live)]

    def _believe(self, key: CurveKey, frame: Frame) -> Place:
        """Return the place of whoever knocks; raise `Forged` unless its identity stands behind this very connection.

        No nonce is needed: the handshake just now proved who holds the CURVE key, for which the identity signed.
        """
        genesis, hello = self._begun.genesis, frame.payload
        assert isinstance(hello, Hello)
        identities = [member.identity for member in genesis.members]
        if frame.match not in (genesis.table, genesis.match) or hello.member.identity not in identities:
            raise Forged("A knock is for another match.")
        if hello.member.curve != key:
            raise Forged("A knock speaks for another connection than the one it came on.")
        if not is_signed(frame, hello.member.identity, self._signatures):
            raise Forged("A knock is not signed by the identity that it names.")
        check_member(hello.member, genesis.table, genesis.chain_length, self._signatures)
        return identities.index(hello.member.identity)

    def _answer(self, key: CurveKey, place: Place, frame: Frame) -> None:
        """Let in whoever has the identity of a place that is out, or say why not."""
        convicted = self._driver.replica.steps.disputes.convicted >> place & 1
        if convicted or place not in self._empty():
            reason = CONVICTED if convicted else PLAYED
            self._transport.send([key], seal(Kind.LEAVE, Leave(reason), self._begun.genesis.table).raw)
            self._transport.pause(key, PROPOSE_EVERY)
            return
        self._driver.meet(place, key)
        if frame.match == self._begun.genesis.table and not self._lately(place):
            self._show(key)
        self._knocked[place] = self._loop.time()

    def _lately(self, place: Place) -> bool:
        return self._loop.time() < self._knocked.get(place, -inf) + PROPOSE_EVERY

    def _show(self, key: CurveKey) -> None:
        """Send what the match began with, as a lobby does: it has all members' seals, so it proves itself."""
        genesis, endpoints = self._begun.genesis, self._endpoints()
        pieces = [genesis.body[start : start + PIECE_MOST] for start in range(0, len(genesis.body), PIECE_MOST)]
        for number, piece in enumerate(pieces):
            proposal = Proposal(number, len(pieces), piece, endpoints)
            self._transport.send([key], seal(Kind.PROPOSAL, proposal, genesis.table).raw)
        for raw in seal_frames(genesis, dict(enumerate(self._begun.seals))):
            self._transport.send([key], raw)
