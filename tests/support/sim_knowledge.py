"""What frames say to whoever gets them: who signed for which history. Must never ask a replica what it made of them."""

from collections.abc import Iterable

from sunward_protocol.envelope import Frame, is_signed, open_frame
from sunward_protocol.errors import RemoteError
from sunward_protocol.ids import Digest
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import BODIES, Act, Kind, Sync, Vote
from support.sim_history import History, Node
from support.world import World

SIGNED = (*BODIES, Kind.ACK, Kind.EPOCH)
"""The kinds whose frames sign for a head and a state."""


class Reader:
    """Reads frames, each once however often it comes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._opened: dict[bytes, Frame | None] = {}
        self._signatures: dict[bytes, tuple[Frame, ...]] = {}

    def open(self, raw: bytes) -> Frame | None:
        """Return a frame, None for what is none."""
        if raw not in self._opened:
            try:
                self._opened[raw] = open_frame(raw)
            except RemoteError:
                self._opened[raw] = None
        return self._opened[raw]

    def signatures(self, raw: bytes) -> tuple[Frame, ...]:
        """Return the signed frames that a frame brings: itself, or those of the history that it tells of."""
        frames = self._signatures.get(raw)
        if frames is None:
            frames = self._signatures[raw] = tuple(self._read(raw))
        return frames

    def all(self, raws: Iterable[bytes]) -> list[Frame]:
        """Return the signed frames that several bring, in order."""
        return [frame for raw in raws for frame in self.signatures(raw)]

    def _read(self, raw: bytes) -> Iterable[Frame]:
        frame, genesis = self.open(raw), self._world.genesis
        if frame is None or frame.match != genesis.match:
            return ()
        if isinstance(frame.payload, Sync | Vote):
            return self._read_log(frame.payload.entries)
        if frame.kind not in SIGNED or frame.place >= len(genesis.members):
            return ()
        sound = not self._world.liars or is_signed(frame, genesis.members[frame.place].session, self._world.signatures)
        return (frame,) if sound else ()

    def _read_log(self, entries: Iterable[bytes]) -> list[Frame]:
        frames = list[Frame]()
        for encoded in entries:
            try:
                entry = parse_entry(encoded)
            except RemoteError:
                break
            frames += self.all((*entry.bodies, *entry.acks))
        return frames


class Knowledge:
    """Who is known to have signed for which history: by head, a bit mask of places."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._masks: dict[Digest, int] = {}
        self._locked: set[Digest] = set()
        self._early: list[Frame] = []

    def add(self, frame: Frame) -> Node | None:
        """Count a signature for the step that it is over and for all before it; return the last such step."""
        node = self._history.nodes.get(frame.head)
        if node is None:  # what it is over may yet be shown
            self._early.append(frame)
            return None
        if frame.payload[0] != node.state:
            return None
        if isinstance(frame.payload, Act):
            after = self._history.nodes.get(self._history.outcome(frame.head, frame.epoch, frame.step, [frame.digest]))
            node = after if after is not None and after.position is not None else node
        bit = 1 << frame.place
        for earlier in node.lineage():
            mask = self._masks.get(earlier.head, 0)
            if mask & bit:
                break
            self._masks[earlier.head] = mask = mask | bit
            if all(mask >> place & 1 for place in earlier.live):
                self._lock(earlier)
        return node

    def _lock(self, node: Node) -> None:
        """What is locked locks all before it; so does the beginning of an epoch, whoever was there before."""
        for earlier in node.lineage():
            if earlier.head in self._locked:
                break
            self._locked.add(earlier.head)

    def take(self, frames: Iterable[Frame]) -> None:
        """Count signatures, in order."""
        for frame in frames:
            self.add(frame)

    def locked(self, head: Digest) -> bool:
        """Whether all who were live signed for this, or for what follows from it."""
        if self._early:
            early, self._early = self._early, []
            self.take(early)
        return head in self._locked
