"""A match replayed: the one place where a step moves a position and a head on.

The replica at work, the resync, a match file's audit all drive this and nothing else, so they cannot differ.
Must never look at a signature (whoever feeds it does) and never know which game it carries.
"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self

from sunward_protocol.commitment import commit
from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.draws import DrawStream, follow, randomness, seating
from sunward_protocol.envelope import Frame
from sunward_protocol.errors import Forged, IllegalAction, RemoteError
from sunward_protocol.games.game import Action, Ruleset, Seat
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import NOTHING, Digest, Place, Step
from sunward_protocol.messages import Act, Commit, Kind, Open


class Cheat(RemoteError):
    """A place signed what the rules forbid: whoever holds the frames can prove it."""

    code: ClassVar[str] = "cheat"

    def __init__(self, place: Place, step: Step, reason: str) -> None:
        super().__init__(reason)
        self.place, self.step, self.reason = place, step, reason


class Disagreement(RemoteError):
    """A place signed for another history or another state than ours: one of the two replicas is wrong."""

    code: ClassVar[str] = "desync"

    def __init__(self, place: Place, step: Step, what: str) -> None:
        super().__init__(f"After step {step} this replica and the one of place {place} have different {what}s.")
        self.place, self.step, self.what = place, step, what


class Due(NamedTuple):
    """What the next step is made of; no kind and no places for the set-up and the closing step, which all only ACK."""

    kind: Kind | None
    places: tuple[Place, ...]


class Move(NamedTuple):
    """One action that a step carried out, in the game's terms."""

    seat: Seat
    action: Action


class Ledger:
    """The history of a match up to a step, and the position it led to.

    A step goes through `perform`, and through `reveal` too when `drawing`; `step` is the next one to perform.
    """

    def __init__(self, genesis: Genesis, ruleset: Ruleset) -> None:
        """Stand before step 0; raise `LocalError` for a seat count or an option that the game does not have."""
        self.genesis = genesis
        self.match = genesis.match
        self.members = len(genesis.members)
        self.position = ruleset.start(self.members, dict(genesis.options))
        self.epoch = 0
        self.step: Step = 0
        self.head: Digest = digest(Domain.HEAD, self.match)
        self.state: Digest = digest(Domain.STATE, self.position.encode())
        self.tips = [member.tip for member in genesis.members]
        self.attempts = 0
        self.randomness: Digest = NOTHING
        self.place_of: tuple[Place, ...] = ()
        self.commitments: dict[Place, Digest] | None = None
        self.vouched: tuple[Place, ...] = ()
        self.outcome = (self.head, self.state)
        self.signed: list[Step] = [-1] * self.members
        """The last step that each place signed for; since it signs for a head, it signed for all before it too."""
        self.moves: tuple[Move, ...] = ()
        self.gated = False
        self.closed = False
        self._due: Due | None = None

    def copy(self) -> Self:
        """Return a ledger that goes its own way from here."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.position = self.position.copy()
        twin.tips = self.tips.copy()
        twin.signed = self.signed.copy()
        return twin

    @property
    def drawing(self) -> bool:
        """Whether the step just performed still waits for links; the set-up always does: seats are drawn in it."""
        return self.step > 0 and (self.attempts == 0 or self.position.chance_due())

    def seat_of(self, place: Place) -> Seat:
        """Return the seat that was drawn for a place; the place itself before any was drawn."""
        return self.place_of.index(place) if self.place_of else place

    def due(self) -> Due:
        """Return what the next step is made of; undefined while `drawing` and when `closed`."""
        if self._due is None:  # asked many times a step
            self._due = self._find_due()
        return self._due

    def _find_due(self) -> Due:
        if self.step == 0 or self.position.result() is not None:
            return Due(None, ())
        if self.commitments is not None:
            return Due(Kind.OPEN, tuple(self.commitments))
        places = tuple(sorted(self.place_of[seat] for seat in self.position.to_act()))
        return Due(Kind.COMMIT if self.position.secret else Kind.ACT, places)

    @property
    def locked(self) -> Step:
        """The last step that everybody signed for, -1 for none; all before it are locked with it."""
        return min(self.signed)

    def vouches(self, frame: Frame) -> bool:
        """Whether a body of the next step, or an ACK of the last, signs for this very head and state."""
        return frame.head == self.head and frame.payload[0] == self.state

    def perform(self, bodies: Sequence[Frame]) -> None:
        """Carry out the next step, whose bodies are those that are `due`, in order of place.

        Sets `moves` to what was played, `outcome` to the head and the state that are to be signed for, `vouched` to the
        places whose body does so already, and `gated` to whether nothing may follow before the lock. Raises `Forged`
        for bodies that are not due, `Disagreement` for one that starts from another head or state, `Cheat` for one that
        breaks the rules or signs for another outcome; after any of them the ledger is of no more use.
        """
        due = self.due()
        shown = tuple((body.kind, body.epoch, body.step, body.place) for body in bodies)
        if shown != tuple((due.kind, self.epoch, self.step, place) for place in due.places):
            raise Forged(f"Step {self.step} is made by places {due.places}, not by what is shown for it.")
        for body in bodies:
            if not self.vouches(body):
                what = "head" if body.head != self.head else "state hash"
                raise Disagreement(body.place, self.step - 1, what)
            self.signed[body.place] = self.step - 1
        self.vouched, self.moves = (), ()
        if due.kind is None:
            self.closed = self.step > 0
        elif due.kind is Kind.ACT:
            self._act(bodies[0])
        elif due.kind is Kind.COMMIT:
            self.commitments = {
                body.place: body.payload.commitment for body in bodies if isinstance(body.payload, Commit)
            }
        else:
            self._open(bodies)
        self.head = digest(Domain.HEAD, self.head, numbers(self.epoch, self.step), *[body.digest for body in bodies])
        self.step += 1
        self._due = None
        self.outcome = (self.head, self.state)
        self.gated = due.kind in (None, Kind.COMMIT) or self.drawing

    def _act(self, body: Frame) -> None:
        act = body.payload
        assert isinstance(act, Act)
        seat = self.seat_of(body.place)
        self.moves = tuple(Move(seat, choice) for choice in act.choices)
        for move in self.moves:
            if not self.has_say(seat):
                raise Cheat(body.place, self.step, "An action stands behind the one that ended the seat's say.")
            self._play(body.place, move)
        if self.has_say(seat):
            raise Cheat(body.place, self.step, "The seat stopped in the middle of its own choices.")
        self.state = digest(Domain.STATE, self.position.encode())
        if act.outcome != self.state:
            raise Cheat(body.place, self.step, "Another state was signed for than the one the action leads to.")
        self.vouched = (body.place,)
        self.signed[body.place] = self.step

    def has_say(self, seat: Seat) -> bool:
        """Whether it is this one seat's say, openly, with nothing to be drawn first."""
        position = self.position
        return position.to_act() == (seat,) and not position.secret

    def _open(self, bodies: Sequence[Frame]) -> None:
        assert self.commitments is not None
        moves = list[tuple[Move, Place]]()
        for body in bodies:
            shown = body.payload
            assert isinstance(shown, Open)
            # the commitment was signed one step earlier
            fixed = commit(self.match, self.step - 1, body.place, shown.nonce, shown.choice)
            if fixed != self.commitments[body.place]:
                raise Cheat(body.place, self.step, "What was shown is not what was committed to.")
            moves.append((Move(self.seat_of(body.place), shown.choice), body.place))
        self.commitments = None
        moves.sort()
        self.moves = tuple(move for move, _ in moves)
        for move, place in moves:
            self._play(place, move)
        self.state = digest(Domain.STATE, self.position.encode())

    def _play(self, place: Place, move: Move) -> None:
        try:
            self.position.check(*move)
        except IllegalAction as error:
            raise Cheat(place, self.step, f"An illegal action was signed: {error}") from error
        self.position.apply(*move)

    def reveal(self, links: Sequence[Digest]) -> Digest:
        """Make the draws that are due from every place's next link, in order of place; return and keep the randomness.

        Raises `Forged` for a link that does not lead to the one shown before it.
        """
        assert self.drawing
        assert len(links) == self.members
        for place, link in enumerate(links):
            self.check_link(place, link)
        drawn = randomness(self.match, self.epoch, self.step - 1, self.head, links)
        if not self.place_of:
            self.place_of = self.genesis.seating or seating(drawn, self.members)
        if self.position.chance_due():
            self.position.draw(DrawStream(drawn))
        self.tips = list(links)
        self.attempts += 1
        self.randomness = drawn
        self._due = None
        self.head = digest(Domain.DRAWN, self.head, drawn)
        self.state = digest(Domain.STATE, self.position.encode())
        self.gated = False
        return drawn

    def check_link(self, place: Place, link: Digest) -> None:
        """Raise `Forged` unless `link` is the next of this place's chain."""
        if follow(link, self.genesis.members[place].session) != self.tips[place]:
            raise Forged(f"The link of place {place} at step {self.step - 1} does not belong to its chain.")
