"""The side of a lobby that opened the table: it gathers visitors, proposes the genesis and collects the seals.

Its power ends with the genesis; it goes on answering for a visitor who missed the last word.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sunward_protocol import limits
from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import Frame
from sunward_protocol.errors import OtherVersion
from sunward_protocol.genesis import Genesis
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import CurveKey, Place
from sunward_protocol.messages import Hello, Kind, Knock, Leave, Lobby, Member, Proposal, Ready, Say, Seal
from sunward_protocol.table.journal import Entropy
from sunward_protocol.table.lobby import (
    NEVER,
    Answer,
    Closed,
    Founded,
    Heard,
    LobbyChanged,
    Myself,
    Phase,
    Prepare,
    Side,
    Table,
    Void,
)


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody in the host's lobby."""

    member: Member
    endpoints: tuple[str, ...]
    ready: bool = False


class Host(Side):
    """The side that opened the table. Its power ends with the genesis."""

    def __init__(self, me: Myself, table: Table, signatures: Signatures, entropy: Entropy) -> None:
        super().__init__(me, table.table, signatures, entropy)
        self.table = table
        self.ready = False
        self._asked: dict[CurveKey, bytes] = {}
        self._guests: dict[CurveKey, Guest] = {}
        self._genesis: Genesis | None = None
        self._seals: dict[Place, bytes] = {}
        self._void_at = NEVER
        self._handlers = {
            Kind.KNOCK: self._on_knock,
            Kind.HELLO: self._on_hello,
            Kind.READY: self._on_ready,
            Kind.SEAL: self._on_seal,
            Kind.LEAVE: self._on_leave,
            Kind.SAY: self._on_say,
        }

    @property
    def lobby(self) -> Lobby:
        """Who is here, the host first."""
        everybody = [Guest(self.me.member, self.me.endpoints, self.ready), *self._guests.values()]
        return Lobby(
            self.table.seats,
            self.table.ruleset.game.name,
            tuple(sorted(self.table.options.items())),
            self.table.clock,
            tuple((g.member.identity, g.member.name, g.member.owner, int(g.ready)) for g in everybody),
        )

    def set_ready(self, ready: bool, now: float) -> list[Answer]:
        """Say whether the host is ready; the match is proposed once everybody is."""
        self.ready = ready
        if self.phase is Phase.GATHERING:
            self._changed(now)
        elif self.phase is Phase.SEALING and not ready:
            self._void(f"{self.me.member.name} is not ready any more", now)
        return self._flush()

    def say(self, text: str) -> list[Answer]:
        """Say something to everybody in the lobby."""
        self._pass_on(Say(self.me.member.identity, text), None)
        return self._flush()

    def _on_say(self, peer: CurveKey, frame: Frame, now: float) -> None:
        said = frame.payload
        assert isinstance(said, Say)
        guest = self._guests.get(peer)
        if guest is not None and guest.member.identity == said.speaker and self._may_say(said.speaker, now):
            self._pass_on(said, peer)

    def _pass_on(self, said: Say, source: CurveKey | None) -> None:
        for peer in self._guests:
            if peer != source:
                self._post(peer, Kind.SAY, said)
        self._answers.append(Heard(said.speaker, said.text))

    def part(self, peer: CurveKey, now: float) -> list[Answer]:
        """Note that a connection ended: whoever was on it is not at the table until they knock again."""
        self._asked.pop(peer, None)
        self._remove(peer, "lost the connection", now)
        return self._flush()

    def close(self, reason: str) -> list[Answer]:
        """Close the table before its match began."""
        for peer in self._guests:
            self._leave(peer, reason)
        self.phase, self.wake = Phase.CLOSED, NEVER
        self._answers.append(Closed(reason))
        return self._flush()

    def look(self, now: float) -> list[Answer]:
        """Propose the genesis again to whoever did not sign it yet; give up on it when time has run out."""
        if now >= self.wake:  # never, but while all seal
            late = {place: peer for place, peer in enumerate(self._guests, 1) if place not in self._seals}
            if now >= self._void_at:
                names = ", ".join(self._guests[peer].member.name for peer in late.values())
                self._void(f"{names} did not sign the start in time", now)
            else:
                self._send_proposal(late, now)
        return self._flush()

    def _on_other_version(self, peer: CurveKey, error: OtherVersion) -> None:
        self._leave(peer, str(error))  # they cannot read it, but see from its version what they need

    def _on_knock(self, peer: CurveKey, frame: Frame, now: float) -> None:
        knock = frame.payload
        assert isinstance(knock, Knock)
        if self.phase is not Phase.FOUNDED:
            if len(self._asked) >= limits.KNOCKING_MOST:  # whoever knocked first and did not come in
                del self._asked[next(iter(self._asked))]
            self._asked[peer] = self._entropy(32)
            self._post(peer, Kind.HELLO, Hello(knock.nonce, self._asked[peer], b"", self.me.member, self.me.endpoints))
        elif peer not in self._guests:  # a guest shows its SEAL as well, and is handed all for that
            self._leave(peer, "The match at this table has begun.")

    def _on_hello(self, peer: CurveKey, frame: Frame, now: float) -> None:
        if self.phase is not Phase.GATHERING or peer not in self._asked:
            return
        hello = self._believe(peer, frame, self._asked.pop(peer), self.table.chain_length)
        if hello.token != self.table.token:
            self._leave(peer, "The invite is not, or no more, for this table: ask for a new one.")
            return
        # who comes back on a new connection takes their seat again
        others = {key: g for key, g in self._guests.items() if g.member.identity != hello.member.identity}
        known = [self.me.member, *(guest.member for guest in others.values())]
        if any(
            shown in (member.identity, member.session, member.tip)
            for member in known
            for shown in (hello.member.identity, hello.member.session, hello.member.tip)
        ):
            self._leave(peer, "Somebody at this table has the same identity: it holds one seat.")
        elif len(known) == self.table.seats:
            self._leave(peer, "The table is full.")
        else:
            for left in self._guests.keys() - others.keys() - {peer}:
                self._leave(left, "You sat down at this table again elsewhere: an identity holds one seat.")
            self._guests = {**others, peer: Guest(hello.member, hello.endpoints)}
            self._changed(now)

    def _on_ready(self, peer: CurveKey, frame: Frame, now: float) -> None:
        ready = frame.payload
        assert isinstance(ready, Ready)
        guest = self._guests.get(peer)
        if guest is None or self.phase is not Phase.GATHERING or guest.ready == bool(ready.ready):
            return  # what is no news is not told: each is passed on to all, and kept for whoever looks back
        self._guests[peer] = replace(guest, ready=bool(ready.ready))
        self._changed(now)

    def _on_leave(self, peer: CurveKey, frame: Frame, now: float) -> None:
        leave = frame.payload
        assert isinstance(leave, Leave)
        self._remove(peer, f"left, and says: {leave.reason.rstrip('.')}" if leave.reason else "left", now)

    def _remove(self, peer: CurveKey, how: str, now: float) -> None:
        if peer not in self._guests or self.phase in (Phase.FOUNDED, Phase.CLOSED):
            return
        gone = self._guests.pop(peer)
        if self.phase is Phase.SEALING:
            self._void(f"{gone.member.name} {how}", now)
        else:
            self._changed(now)

    def _changed(self, now: float) -> None:
        """Tell everybody who is here, and propose the match if all are there and ready."""
        lobby = self.lobby
        for peer in self._guests:
            self._post(peer, Kind.LOBBY, lobby)
        self._answers.append(LobbyChanged(lobby))
        if len(lobby.members) == lobby.seats and all(ready for *_, ready in lobby.members):
            self._propose(now)

    def _propose(self, now: float) -> None:
        genesis = Genesis(
            self._table,
            self.table.ruleset.game.name,
            self.table.ruleset.game.rules_version,
            self.lobby.options,
            self.table.ruleset.components,
            self.table.clock,
            self.table.chain_length,
            self._seating(),
            (self.me.member, *(guest.member for guest in self._guests.values())),
        )
        self.phase, self._void_at, self._genesis = Phase.SEALING, now + limits.SEAL_PATIENCE, genesis
        self._answers.append(Prepare(genesis, 0, self._endpoints))
        self._seals = {0: self.me.identity.sign(Purpose.SEAL, genesis.body)}
        self._send_proposal(dict(enumerate(self._guests, 1)), now)

    def _send_proposal(self, places: Mapping[Place, CurveKey], now: float) -> None:
        assert self._genesis is not None
        self.wake = min(now + limits.PROPOSE_EVERY, self._void_at)
        body, size = self._genesis.body, limits.PIECE_MOST
        pieces = [body[start : start + size] for start in range(0, len(body), size)]
        for place, peer in places.items():
            for number, piece in enumerate(pieces):
                self._post(peer, Kind.PROPOSAL, Proposal(number, len(pieces), piece, self._endpoints), place)

    def _seating(self) -> tuple[Place, ...]:
        """Return the place of each seat if everybody sits as asked; seats are drawn if anybody else came."""
        identities = [self.me.member.identity, *(guest.member.identity for guest in self._guests.values())]
        if sorted(self.table.seating) != sorted(identities):
            return ()
        return tuple(identities.index(identity) for identity in self.table.seating)

    @property
    def _endpoints(self) -> tuple[tuple[str, ...], ...]:
        return (self.me.endpoints, *(guest.endpoints for guest in self._guests.values()))

    def _on_seal(self, peer: CurveKey, frame: Frame, now: float) -> None:
        seal_ = frame.payload
        assert isinstance(seal_, Seal)
        if self._genesis is None or peer not in self._guests:
            return
        if self.phase is Phase.FOUNDED:
            self._send_seals(peer)
            return
        place = 1 + list(self._guests).index(peer)
        identity = self._guests[peer].member.identity
        if self._signatures.hold(identity, Purpose.SEAL, seal_.signature, self._genesis.body):
            self._seals[place] = seal_.signature
            if len(self._seals) == len(self._genesis.members):
                self._found(self._genesis)

    def _found(self, genesis: Genesis) -> None:
        self.phase, self.wake = Phase.FOUNDED, NEVER
        for peer in self._guests:
            self._send_seals(peer)
        seals = tuple(self._seals[place] for place in sorted(self._seals))
        self._answers.append(Founded(genesis, seals, 0, self._endpoints))

    def _send_seals(self, peer: CurveKey) -> None:
        for place, signature in sorted(self._seals.items()):
            self._post(peer, Kind.SEAL, Seal(signature), place)

    def _void(self, reason: str, now: float) -> None:
        assert self._genesis is not None
        self._answers.append(Void(self._genesis.match, f"The start came to nothing: {reason}."))
        self.phase, self.wake, self._genesis, self._seals = Phase.GATHERING, NEVER, None, {}
        self._guests = {peer: replace(guest, ready=False) for peer, guest in self._guests.items()}
        self._changed(now)
