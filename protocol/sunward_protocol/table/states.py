"""The states of the protocol's machines, as tables: the lobby's two sides, the step under way, who plays.

Nothing here moves a machine: the code that does stands in its own modules, and the simulation holds it to these rows.
The pages on the protocol are made from them. Must never know more of a replica than anybody may ask it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, TypeAlias

from sunward_protocol import limits
from sunward_protocol.messages import Claim, Kind
from sunward_protocol.table.lobby import Phase
from sunward_protocol.table.replica import Replica
from sunward_protocol.table.steps import Steps


class Stage(Enum):
    """What a replica waits for in the step under way."""

    DUE = "due"
    PERFORMED = "performed"
    LOCKED = "locked"
    RESTING = "resting"
    OVER = "over"
    PARTED = "parted"


class Standing(Enum):
    """Where a replica stands in agreeing on who plays; where more than one would do, the last."""

    PLAYING = "playing"
    RESTING = "resting"
    CLAIMING = "claiming"
    BEGINNING = "beginning"
    VOTED = "voted"
    SWORN = "sworn"
    OUT = "out"


State: TypeAlias = Phase | Stage | Standing


class Written(Enum):
    """What a move leaves on the disk of whoever makes it."""

    CLAIM = "CLAIM"
    VOTE = "VOTE"
    EPOCH = "EPOCH"
    ENTRY = "entry"
    DRAW = "entry with links"


class Row(NamedTuple):
    """A move that a machine can make, from any of `states`.

    An event that is a kind is a frame of that kind, heard just now.
    """

    states: tuple[State, ...]
    event: str | Kind
    after: State
    meaning: str
    written: Written | None = None
    turns: int = 0
    """1 if it leads to a later epoch, -1 if back to an earlier one."""
    performs: bool = False
    """Whether it performs a step."""


class Machine(NamedTuple):
    """A machine: where it begins, where it may end, what each of its states is, and all moves that it can make."""

    begins: State
    ends: tuple[State, ...]
    states: Mapping[State, str]
    rows: tuple[Row, ...]


_PATIENCE = f"{limits.SEAL_PATIENCE:g} s"
_OPEN = (Phase.GATHERING, Phase.SEALING)
_NOT_CLOSED = (*_OPEN, Phase.FOUNDED)

HOST = Machine(
    Phase.GATHERING,
    (Phase.FOUNDED, Phase.CLOSED),
    {
        Phase.GATHERING: "whoever shows the invite is let in, while there is room",
        Phase.SEALING: "it proposed a genesis, and waits for the seals",
        Phase.FOUNDED: "it has all seals, and hands them to whoever still asks",
        Phase.CLOSED: "there is no table",
    },
    (
        Row((Phase.GATHERING,), "all are ready", Phase.SEALING, "all seats are taken; it seals and sends PROPOSALs"),
        Row((Phase.SEALING,), "void", Phase.GATHERING, f"{_PATIENCE} are over, a guest is gone, or it is not ready"),
        Row((Phase.SEALING,), Kind.SEAL, Phase.FOUNDED, "the last of all; it sends all seals to all"),
        Row(_NOT_CLOSED, "closes", Phase.CLOSED, "it sends LEAVE to all; once founded, only if its own node fails"),
    ),
)

VISITOR = Machine(
    Phase.GATHERING,
    (Phase.FOUNDED, Phase.CLOSED),
    {
        Phase.GATHERING: "it knocks until it is let in, and is shown each LOBBY",
        Phase.SEALING: "it sealed a genesis, and shows its SEAL until it has all",
        Phase.FOUNDED: "it has all seals; nothing from the lobby is heard any more",
        Phase.CLOSED: "there is no table for it",
    },
    (
        Row((Phase.GATHERING,), Kind.PROPOSAL, Phase.SEALING, "the last piece, and all was checked: it sends SEAL"),
        Row((Phase.GATHERING,), Kind.PROPOSAL, Phase.CLOSED, "what is proposed cannot be accepted: it sends LEAVE"),
        Row((Phase.SEALING,), Kind.LOBBY, Phase.GATHERING, "the genesis is void"),
        Row((Phase.SEALING,), Kind.SEAL, Phase.FOUNDED, "the last of all"),
        Row(_OPEN, Kind.LEAVE, Phase.CLOSED, "the host closed, or has no seat for it"),
        Row(_OPEN, "another version", Phase.CLOSED, "the host's frames cannot be read"),
        Row(_NOT_CLOSED, "leaves", Phase.CLOSED, "it sends LEAVE; once founded, only if its own node fails"),
    ),
)

_TOGETHER = tuple(each for each in Stage if each is not Stage.PARTED)
_AHEAD = (Stage.PERFORMED, Stage.LOCKED)
_UNDER_WAY = (Stage.DUE, *_AHEAD)
_AGAIN = f"{limits.VOTE_AGAIN:g} s pass"

STEP = Machine(
    Stage.DUE,
    (Stage.OVER, Stage.PARTED),
    {
        Stage.DUE: "bodies are awaited: steps that are performed and not locked are fewer than a round, and no gate",
        Stage.PERFORMED: "signatures are awaited: the last step performed is a gate, or a round of them is not locked",
        Stage.LOCKED: "links are awaited: the last step performed draws, and every live place signed for it",
        Stage.RESTING: "nothing is awaited: the match rests",
        Stage.OVER: "nothing is awaited: the closing step is settled",
        Stage.PARTED: "nothing is awaited: the match has two histories, and it signs nothing any more",
    },
    (
        Row((Stage.DUE,), "bodies", Stage.DUE, "an action is applied on a copy; no gate", performs=True),
        Row((Stage.DUE,), "bodies", Stage.PERFORMED, "the same of a gate, or of the last of a round", performs=True),
        Row((Stage.DUE,), "signatures", Stage.DUE, "of all for the first step of a round: settled", Written.ENTRY),
        Row((Stage.PERFORMED,), "signatures", Stage.DUE, "the same, or of all for the last step", Written.ENTRY),
        Row((Stage.PERFORMED,), "signatures", Stage.PERFORMED, "of all for a step before the last", Written.ENTRY),
        Row((Stage.PERFORMED,), "signatures", Stage.LOCKED, "of all for the last step, which draws"),
        Row((Stage.PERFORMED,), "signatures", Stage.RESTING, "of all for an epoch that adjourns", Written.ENTRY),
        Row((Stage.PERFORMED,), "signatures", Stage.OVER, "of all for the closing step", Written.ENTRY),
        Row((Stage.LOCKED,), "LINKs", Stage.LOCKED, "of all, for an epoch: what is before it", Written.ENTRY),
        Row((Stage.LOCKED,), "LINKs", Stage.DUE, "of all that are live but the barred: settled", Written.DRAW),
        Row((Stage.LOCKED,), "LINKs", Stage.RESTING, "the same of an epoch that adjourns", Written.DRAW),
        Row(_UNDER_WAY, "all voted", Stage.DUE, "back to its log, then on as the votes tell", Written.EPOCH),
        Row((Stage.RESTING,), "all voted", Stage.RESTING, "it signs EPOCH", Written.EPOCH),
        Row((Stage.OVER,), "all voted", Stage.OVER, "the same, for somebody who has not seen the end", Written.EPOCH),
        Row(_TOGETHER, "all signed", Stage.PERFORMED, "the EPOCHs are a step; what went beyond is void", turns=1),
        Row(_AHEAD, _AGAIN, Stage.DUE, "no lock, or no link of ours; back to where it began", turns=-1),
        Row(_AHEAD, _AGAIN, Stage.RESTING, "the same after a rest", turns=-1),
        Row(_AHEAD, _AGAIN, Stage.OVER, "the same after the end", turns=-1),
        Row(_TOGETHER, Kind.SYNC, Stage.PARTED, "another history than its own, and no less locked"),
    ),
)

_STANDINGS = tuple(Standing)
_TRIES = f"{limits.VOTE_AGAIN:g} to {limits.VOTE_AGAIN * limits.VOTE_AGAIN_MOST:g} s pass"
_ANEW = f"{_TRIES}, another voted for a later epoch, its claim is another, or it showed a link"
_CALM = (Standing.PLAYING, Standing.RESTING)
_SWORN = (Standing.SWORN, Standing.BEGINNING, Standing.OUT)

CHANGE = Machine(
    Standing.PLAYING,
    (),
    {
        Standing.PLAYING: "it may sign for steps",
        Standing.RESTING: "the match rests (`tip.resting`)",
        Standing.CLAIMING: "its last CLAIM in this epoch names a change (`frames`)",
        Standing.BEGINNING: "the step that begins its epoch is performed and not locked (`opening()` is not empty)",
        Standing.VOTED: "it voted for an epoch after its own (`promised` is above `tip.epoch`)",
        Standing.SWORN: "the same, and it signed EPOCH for it (`sworn` equals `promised`)",
        Standing.OUT: "it was put out (its place is not in `tip.live`)",
    },
    (
        Row(_CALM, "wants a change", Standing.CLAIMING, "somebody is late, convicted, or back; a wish", Written.CLAIM),
        Row((Standing.CLAIMING,), "wants another", Standing.CLAIMING, "or more of the same", Written.CLAIM),
        Row((Standing.CLAIMING,), "wants none", Standing.PLAYING, "what was owed came; no wish", Written.CLAIM),
        Row((Standing.CLAIMING,), "wants none", Standing.RESTING, "the same in a rest", Written.CLAIM),
        Row((Standing.CLAIMING,), "all claim the same", Standing.VOTED, "and no challenge runs", Written.VOTE),
        Row((Standing.VOTED,), "wants another", Standing.VOTED, "or none", Written.CLAIM),
        Row((Standing.VOTED,), "votes anew", Standing.VOTED, _ANEW, Written.VOTE),
        Row((Standing.VOTED,), "all voted", Standing.SWORN, "it goes to where the votes lead", Written.EPOCH),
        Row((Standing.SWORN,), "wants another", Standing.SWORN, "or none", Written.CLAIM),
        Row((Standing.SWORN,), "votes anew", Standing.VOTED, _ANEW, Written.VOTE),
        Row((Standing.SWORN,), "all signed", Standing.BEGINNING, "it signs for the step, and waits", turns=1),
        Row((Standing.BEGINNING,), "wants a change", Standing.BEGINNING, "or another, or none", Written.CLAIM),
        Row((Standing.BEGINNING,), "all claim the same", Standing.VOTED, "before it is locked", Written.VOTE),
        Row((Standing.BEGINNING,), "locked", Standing.PLAYING, "and links are here, if it draws"),
        Row((Standing.BEGINNING,), "locked", Standing.CLAIMING, "the same, and it wants another change by now"),
        Row((Standing.BEGINNING,), "locked", Standing.RESTING, "the same of an epoch that adjourns"),
        Row(_SWORN, _AGAIN, Standing.SWORN, "the epoch is not locked; back to where it began", turns=-1),
        Row((Standing.VOTED, Standing.OUT), _AGAIN, Standing.VOTED, "the same", turns=-1),
        Row((Standing.OUT,), _AGAIN, Standing.PLAYING, "the same, of an epoch that put it out", turns=-1),
        Row((Standing.OUT,), _AGAIN, Standing.CLAIMING, "the same", turns=-1),
        Row((Standing.OUT,), _AGAIN, Standing.RESTING, "the same", turns=-1),
        Row((Standing.OUT,), _AGAIN, Standing.BEGINNING, "the same, of one that was begun on another", turns=-1),
        Row((Standing.OUT, Standing.BEGINNING), _AGAIN, Standing.OUT, "the same, it was to be back", turns=-1),
        Row(_STANDINGS, Kind.SYNC, Standing.BEGINNING, "the others begin an epoch, and it has part in it", turns=1),
        Row(_STANDINGS, Kind.SYNC, Standing.PLAYING, "they began one, and locked it", turns=1),
        Row(_STANDINGS, Kind.SYNC, Standing.CLAIMING, "the same, and it had claimed in it before", turns=1),
        Row(_STANDINGS, Kind.SYNC, Standing.VOTED, "the same, but it had voted for a later one", turns=1),
        Row(_STANDINGS, Kind.SYNC, Standing.SWORN, "the same, and it had signed EPOCH for that", turns=1),
        Row(_STANDINGS, Kind.SYNC, Standing.RESTING, "they adjourned", turns=1),
        Row(_STANDINGS, Kind.SYNC, Standing.OUT, "they put it out", turns=1),
    ),
)


def stage(steps: Steps) -> Stage:
    """Return what a replica waits for in the step under way."""
    tip, unlocked = steps.tip, steps.tip.step - steps.settled.step
    if steps.parted is not None:
        return Stage.PARTED
    if not unlocked:
        return Stage.OVER if tip.closed else Stage.RESTING if tip.resting else Stage.DUE
    if tip.gated:
        return Stage.LOCKED if steps.revealing else Stage.PERFORMED
    return Stage.DUE if unlocked < tip.members else Stage.PERFORMED


def standing(replica: Replica) -> Standing:
    """Return where a replica stands in agreeing on who plays."""
    steps = replica.steps
    tip, me = steps.tip, steps.own.place
    if me not in tip.live:
        return Standing.OUT
    if steps.journal.promised > tip.epoch:
        return Standing.SWORN if steps.journal.sworn == steps.journal.promised else Standing.VOTED
    if steps.opening():
        return Standing.BEGINNING
    for frame in replica.changes.frames.values():
        if isinstance(frame.payload, Claim) and (frame.place, frame.epoch) == (me, tip.epoch) and frame.payload.changes:
            return Standing.CLAIMING
    return Standing.RESTING if tip.resting else Standing.PLAYING
