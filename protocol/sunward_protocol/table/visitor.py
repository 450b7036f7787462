"""The side of a lobby that was invited: it knocks, shows its invite, and seals what the lobby showed.

Must never seal a genesis that was not checked whole.
"""

from collections.abc import Callable

from sunward_protocol import limits
from sunward_protocol.domains import Purpose
from sunward_protocol.envelope import Frame
from sunward_protocol.errors import Forged, LocalError, OtherVersion, RemoteError
from sunward_protocol.games.game import Game
from sunward_protocol.genesis import Genesis, check_members, check_seals, parse
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import CurveKey, Digest, Place, PublicKey
from sunward_protocol.messages import Hello, Kind, Knock, Leave, Lobby, Proposal, Ready, Say, Seal
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
    Void,
)


class Visitor(Side):
    """The side that was invited."""

    def __init__(
        self,
        me: Myself,
        table: Digest,
        token: bytes,
        host: CurveKey,
        find: Callable[[str], Game],
        signatures: Signatures,
        entropy: Entropy,
        host_identity: PublicKey | None = None,
        chain_length: int = limits.CHAIN_LENGTH,
    ) -> None:
        super().__init__(me, table, signatures, entropy)
        self.host = host
        self.wake = 0.0
        self._token = token
        self._find = find
        self._host_identity = host_identity
        self._chain_length = chain_length
        self._nonce = entropy(32)
        self.welcome = False
        """Whether the host has us at the table."""
        self._ready = False
        self._lobby: Lobby | None = None
        self._pieces: dict[int, bytes] = {}
        self._prepared: Prepare | None = None
        self._seals: dict[Place, bytes] = {}
        self._handlers = {
            Kind.HELLO: self._on_hello,
            Kind.LOBBY: self._on_lobby,
            Kind.PROPOSAL: self._on_proposal,
            Kind.SEAL: self._on_seal,
            Kind.LEAVE: self._on_leave,
            Kind.SAY: self._on_say,
        }

    def hear(self, peer: CurveKey, raw: bytes, now: float) -> list[Answer]:
        """Take in a frame; before the match only the host has anything to say, and once it is founded nobody has."""
        return super().hear(peer, raw, now) if peer == self.host and self.phase is not Phase.FOUNDED else []

    def set_ready(self, ready: bool, now: float) -> list[Answer]:
        """Say whether we are ready to begin, now or as soon as we are let in."""
        self._ready = ready
        if self.welcome:
            self._post(self.host, Kind.READY, Ready(int(ready)))
        return self._flush()

    def say(self, text: str) -> list[Answer]:
        """Say something to everybody in the lobby."""
        said = Say(self.me.member.identity, text)
        self._post(self.host, Kind.SAY, said)
        self._answers.append(Heard(said.speaker, said.text))
        return self._flush()

    def _on_say(self, peer: CurveKey, frame: Frame, now: float) -> None:
        said = frame.payload
        assert isinstance(said, Say)
        here = () if self._lobby is None else [identity for identity, *_ in self._lobby.members]
        if said.speaker in here and said.speaker != self.me.member.identity and self._may_say(said.speaker, now):
            self._answers.append(Heard(said.speaker, said.text))

    def close(self, reason: str) -> list[Answer]:
        """Leave the table before its match began."""
        self._leave(self.host, reason)
        self.phase, self.wake = Phase.CLOSED, NEVER
        return self._flush()

    def look(self, now: float) -> list[Answer]:
        """Knock, or show our seal, again: either may have been lost."""
        if now >= self.wake:
            self.wake = now + limits.KNOCK_EVERY
            if self._prepared is not None:
                self._show_seal(self._prepared)
            if not self.welcome:
                self._post(self.host, Kind.KNOCK, Knock(self._nonce))
        return self._flush()

    def part(self, peer: CurveKey, now: float) -> list[Answer]:
        """Note that the connection to the host ended: knock anew when it is back."""
        if peer == self.host:
            self.welcome = False
            self._nonce = self._entropy(32)
        return self._flush()

    def _on_hello(self, peer: CurveKey, frame: Frame, now: float) -> None:
        hello = self._believe(peer, frame, self._nonce, self._chain_length)
        if self._host_identity not in (None, hello.member.identity):
            raise Forged("Whoever answers at the invite's address is not who wrote the invite.")
        self._post(peer, Kind.HELLO, Hello(hello.ask, self._nonce, self._token, self.me.member, self.me.endpoints))

    def _on_lobby(self, peer: CurveKey, frame: Frame, now: float) -> None:
        lobby = frame.payload
        assert isinstance(lobby, Lobby)
        if self._prepared is not None:
            match = self._prepared.genesis.match
            self._answers.append(Void(match, "The start came to nothing: not everybody signed it."))
            self.phase, self._prepared, self._seals = Phase.GATHERING, None, {}
        self._lobby = lobby
        self._pieces.clear()
        ready = {identity: bool(ready) for identity, *_, ready in lobby.members}
        self.welcome = self.me.member.identity in ready
        if self.welcome and ready[self.me.member.identity] != self._ready:
            self._post(self.host, Kind.READY, Ready(int(self._ready)))
        self._answers.append(LobbyChanged(lobby))

    def _on_proposal(self, peer: CurveKey, frame: Frame, now: float) -> None:
        proposal = frame.payload
        assert isinstance(proposal, Proposal)
        if self.phase is not Phase.GATHERING or not self._ready or proposal.number >= proposal.total:
            return
        self._pieces[proposal.number] = proposal.piece
        if len(self._pieces) < proposal.total:
            return
        body = b"".join(self._pieces[number] for number in sorted(self._pieces))
        try:
            self._prepared = self._checked(body, proposal.endpoints)
        except (RemoteError, LocalError) as error:
            self._leave(self.host, str(error))
            self._end(f"The table's start cannot be accepted: {error}")
            return
        self.phase, self.wake = Phase.SEALING, now + limits.KNOCK_EVERY
        self._answers.append(self._prepared)
        self._show_seal(self._prepared)

    def _show_seal(self, prepared: Prepare) -> None:
        signature = self.me.identity.sign(Purpose.SEAL, prepared.genesis.body)
        self._post(self.host, Kind.SEAL, Seal(signature), prepared.place)

    def _checked(self, body: bytes, endpoints: tuple[tuple[str, ...], ...]) -> Prepare:
        """Return what we are about to seal; raise for anything we cannot put our name to."""
        genesis, lobby = parse(body), self._lobby
        proposed = (genesis.table, genesis.chain_length, len(genesis.members))
        if proposed != (self._table, self._chain_length, len(endpoints)):
            raise Forged("The genesis is for another table.")
        if lobby is None or not _is_as_shown(genesis, lobby):
            raise Forged("The genesis is not what the lobby showed: another game, options, clock or members.")
        if self.me.member not in genesis.members:
            raise Forged("The genesis has no seat for the keys of this node.")
        check_members(genesis, self._signatures)
        genesis.ruleset(self._find).start(len(genesis.members), dict(genesis.options))
        return Prepare(genesis, genesis.members.index(self.me.member), endpoints)

    def _on_seal(self, peer: CurveKey, frame: Frame, now: float) -> None:
        seal_ = frame.payload
        assert isinstance(seal_, Seal)
        prepared = self._prepared
        if prepared is None or frame.place >= len(prepared.genesis.members):
            return
        self._seals[frame.place] = seal_.signature
        if len(self._seals) == len(prepared.genesis.members):
            seals = tuple(self._seals[place] for place in sorted(self._seals))
            check_seals(prepared.genesis, seals, self._signatures)
            self.phase, self.wake = Phase.FOUNDED, NEVER
            self._answers.append(Founded(prepared.genesis, seals, prepared.place, prepared.endpoints))

    def _on_leave(self, peer: CurveKey, frame: Frame, now: float) -> None:
        leave = frame.payload
        assert isinstance(leave, Leave)
        self._end(leave.reason or "The host closed the table.")

    def _on_other_version(self, peer: CurveKey, error: OtherVersion) -> None:
        self._end(str(error))

    def _end(self, reason: str) -> None:
        """Have no table any more."""
        self.phase, self.wake = Phase.CLOSED, NEVER
        self._answers.append(Closed(reason))


def _is_as_shown(genesis: Genesis, lobby: Lobby) -> bool:
    """Whether a genesis is for the game, options, clock, members and as many seats as the lobby showed last."""
    members = tuple((member.identity, member.name, member.owner) for member in genesis.members)
    shown = tuple((identity, name, owner) for identity, name, owner, _ in lobby.members)
    proposed = (genesis.game, genesis.options, genesis.clock, members, len(members))
    return proposed == (lobby.game, lobby.options, lobby.clock, shown, lobby.seats)
