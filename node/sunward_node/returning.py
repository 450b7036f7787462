"""The way back of whoever lost their seat's files: by their identity, the match is had from one of its nodes.

Must never believe that node: the genesis has everybody's seal, ours too, and the history is replayed from it. Must
never sign a step: until history shows that we are out, what we signed for it before is not known here.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from sunward_node.gathering import TurnedAway
from sunward_node.transport import Transport
from sunward_protocol.draws import HashChain
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.errors import Forged, LocalError, OtherVersion, RemoteError
from sunward_protocol.games.game import Game
from sunward_protocol.genesis import Genesis, check_members, check_seals, parse
from sunward_protocol.identity import Ed25519Signer, Signatures
from sunward_protocol.ids import NOTHING, CurveKey, Digest, Epoch, Place
from sunward_protocol.ledger import Ledger
from sunward_protocol.limits import STATUS_EVERY
from sunward_protocol.messages import Hello, Kind, Leave, Proposal, Seal, Status, Sync
from sunward_protocol.table.journal import Own
from sunward_protocol.table.lobby import Myself
from sunward_protocol.table.repair import absorb, report
from sunward_protocol.table.steps import Steps

ANSWERED_IN = 10.0
"""Seconds in which a node that can be reached, and has us out, has answered long since."""

KNOCKING = "Once the others have put you out, each by typing putout and your name, you are let in."
OUTSIDE = (
    "Nobody lets you in yet. Either you have not been put out so far; or no node of the match listens there now; or "
    "the match is over, and whoever played it can give you their match file; or your identity has no seat in it."
)


def knock(me: Myself, about: Digest) -> bytes:
    """Return the frame with which we show at the door of a match, known by its table or by its id, who we are."""
    return seal(Kind.HELLO, Hello(NOTHING, NOTHING, b"", me.member, me.endpoints), about, me.identity).raw


@dataclass(frozen=True, slots=True)
class Found:
    """A match of ours as far as its history was told, with us put out at its end; where each place listens."""

    genesis: Genesis
    seals: tuple[bytes, ...]
    place: Place
    entries: tuple[bytes, ...]
    endpoints: tuple[tuple[str, ...], ...]


class Returning:
    """Knocks at one node of a match until `found` resolves; `tell` takes a sentence on what we wait for."""

    def __init__(
        self,
        me: Myself,
        table: Digest,
        host: CurveKey,
        transport: Transport,
        signatures: Signatures,
        find: Callable[[str], Game],
        tell: Callable[[str], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.found: asyncio.Future[Found] = self._loop.create_future()
        self._me = me
        self._table = table
        self._host = host
        self._transport = transport
        self._signatures = signatures
        self._find = find
        self._tell = tell
        self._said = ""
        self._pieces: dict[int, bytes] = {}
        self._endpoints: tuple[tuple[str, ...], ...] = ()
        self._seals: dict[Place, bytes] = {}
        self._genesis: Genesis | None = None
        self._steps: Steps | None = None
        self._timer = self._loop.call_soon(self._ask)
        self._wondering = self._loop.call_later(ANSWERED_IN, self._say, OUTSIDE)

    def deliver(self, batch: list[tuple[CurveKey, bytes]]) -> None:
        """Take in what the node that we asked says; what does not hold ends the attempt."""
        for key, raw in batch:
            if key == self._host and not self.found.done():
                try:
                    self._hear(open_frame(raw))
                except (LocalError, OtherVersion) as error:  # we lack the game, or its rules as they were then
                    self.found.set_exception(error)
                except RemoteError as error:
                    self.found.set_exception(TurnedAway(f"What the node at that invite tells does not hold: {error}"))

    def linked(self, key: CurveKey, connected: bool) -> None:
        """Take in that a connection began or ended."""
        if connected and key == self._host:
            self._knock()

    def close(self) -> None:
        """Do nothing any more."""
        self._timer.cancel()
        self._wondering.cancel()
        self.found.cancel()

    def _say(self, sentence: str) -> None:
        """Tell a person what we wait for, once as long as it stays the same."""
        self._wondering.cancel()
        if sentence != self._said:
            self._said = sentence
            self._tell(sentence)

    def _ask(self) -> None:
        """Ask again, whatever may have been lost."""
        if self._steps is None:
            self._knock()
        else:
            self._report(self._steps)
        self._timer = self._loop.call_later(STATUS_EVERY, self._ask)

    def _knock(self) -> None:
        self._transport.send([self._host], knock(self._me, self._table))

    def _report(self, steps: Steps) -> None:
        """Say how far we are: whoever let us in sends what follows."""
        self._transport.send([self._host], report(steps, {}, 0, ()).raw)

    def _hear(self, frame: Frame) -> None:
        about, said, steps = frame.match, frame.payload, self._steps
        if about == self._table:
            if isinstance(said, Leave):
                self._say(said.reason or OUTSIDE)
            elif isinstance(said, Proposal) and steps is None and said.number < said.total:
                self._take(said)
            elif isinstance(said, Seal) and steps is None:
                self._seals[frame.place] = said.signature
                self._begin()
        elif steps is not None and about == steps.settled.match:
            if isinstance(said, Sync):
                absorb(steps, said.entries, self._signatures)
                steps.commands.clear()
                self._report(steps)
            elif isinstance(said, Status):
                self._arrive(steps, frame.epoch)

    def _take(self, proposal: Proposal) -> None:
        self._wondering.cancel()
        self._endpoints = proposal.endpoints
        self._pieces[proposal.number] = proposal.piece
        if self._pieces.keys() >= set(range(proposal.total)):
            self._genesis = parse(b"".join(self._pieces[number] for number in range(proposal.total)))
            self._begin()

    def _begin(self) -> None:
        """Believe the genesis once everybody's seal is on it: with our own among them it is a match that we began."""
        genesis = self._genesis
        if genesis is None or not set(range(len(genesis.members))) <= self._seals.keys():
            return
        seals = self._sealed(genesis)
        identities = [member.identity for member in genesis.members]
        if genesis.table != self._table or self._me.identity.public not in identities:
            raise Forged("Your identity has no seat in that match.")
        check_members(genesis, self._signatures)
        check_seals(genesis, seals, self._signatures)
        nobody = Ed25519Signer(secrets.token_bytes(32))  # signs what leads nowhere: none of it is sent or kept
        chain = HashChain(secrets.token_bytes(32), nobody.public, 1)
        own = Own(identities.index(self._me.identity.public), nobody, chain, secrets.token_bytes)
        self._steps = Steps(Ledger(genesis, genesis.ruleset(self._find)), own, self._signatures)
        self._report(self._steps)

    def _sealed(self, genesis: Genesis) -> tuple[bytes, ...]:
        return tuple(self._seals[place] for place in range(len(genesis.members)))

    def _arrive(self, steps: Steps, epoch: Epoch) -> None:
        """Be done once we know all changes that whoever let us in knows, and are out after the last."""
        settled, genesis = steps.settled, steps.settled.genesis
        if settled.epoch == epoch and steps.own.place not in settled.live:
            entries = tuple(steps.entries)
            self.found.set_result(Found(genesis, self._sealed(genesis), steps.own.place, entries, self._endpoints))
        else:
            self._report(steps)
