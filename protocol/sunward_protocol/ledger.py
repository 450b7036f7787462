"""A match replayed: the one place where a step moves a position and a head on.

The replica at work, the resync, a match file's audit all drive this and nothing else, so they cannot differ.
Must never look at a signature (whoever feeds it does) and never know which game it carries.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, Self

from sunward_protocol.commitment import commit
from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.draws import DrawStream, follow, randomness, seating
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.errors import Forged, IllegalAction, RemoteError
from sunward_protocol.games.game import Action, Position, Ruleset, Seat
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import NOTHING, Digest, Epoch, Place, PublicKey, Step
from sunward_protocol.messages import Act, Change, Commit, EpochBody, Kind, Open, Resume


class Cheat(RemoteError):
    """A place signed what the rules forbid: whoever holds the frames can prove it."""

    code: ClassVar[str] = "cheat"

    def __init__(self, place: Place, step: Step, reason: str) -> None:
        super().__init__(reason)
        self.place, self.step, self.reason = place, step, reason


_PLURALS = {"head": "heads", "state hash": "state hashes"}


class Disagreement(RemoteError):
    """A place signed for another history or another state than ours: one of the two replicas is wrong."""

    code: ClassVar[str] = "desync"

    def __init__(self, place: Place, step: Step, what: str) -> None:
        different = f"have different {_PLURALS[what]}"
        super().__init__(f"After step {step} this replica and the one of place {place} {different}.")
        self.place, self.step, self.what = place, step, what


class Due(NamedTuple):
    """What the next step is made of; no kind and no places for the set-up and the closing step, which all only ACK.

    A kind without places is a step of seats that play on autopilot, which all only ACK, too.
    """

    kind: Kind | None
    places: tuple[Place, ...]


class Keys(NamedTuple):
    """The keys with which a place signs and is connected now."""

    session: PublicKey
    curve: PublicKey


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
        self.ruleset = ruleset
        self.match = genesis.match
        self.members = len(genesis.members)
        self.position = ruleset.start(self.members, dict(genesis.options))
        self.epoch: Epoch = 0
        self.step: Step = 0
        self.head: Digest = digest(Domain.HEAD, self.match)
        self.state: Digest = digest(Domain.STATE, self.position.encode())
        self.live: tuple[Place, ...] = tuple(range(self.members))
        """The places that have not been put out."""
        self.barred: frozenset[Place] = frozenset()
        """The places that were put out while they might know a draw or owed an OPEN: their links count no more."""
        self.keys = [Keys(member.session, member.curve) for member in genesis.members]
        self.resting = False
        self.tips = [member.tip for member in genesis.members]
        self.shown = [0] * self.members
        """The number of the link after the one that `tips` holds, by place."""
        self.attempts = 0
        self.randomness: Digest = NOTHING
        self.place_of: tuple[Place, ...] = ()
        self.commitments: dict[Place, Digest] | None = None
        self.committed: tuple[Epoch, Step] = (0, 0)
        """Where the commitments were signed that are to be opened."""
        self.veiled: tuple[Seat, ...] = ()
        """The seats on autopilot whose part in a secret choice is still to be drawn, once everybody else committed."""
        self.unveiled: tuple[Move, ...] = ()
        self.undo: tuple[tuple[Step, Position], ...] = ()
        """The positions before the steps that may be taken back: those since the last draw or secret choice."""
        self.vouched: tuple[Place, ...] = ()
        self.outcome = (self.head, self.state)
        self.signed: list[Step] = [-1] * self.members
        """The last step that each place signed for; since it signs for a head, it signed for all before it too."""
        self.moves: tuple[Move, ...] = ()
        self.withheld: tuple[Move, ...] = ()
        """What the silence of those whom the last change put out counts as in a secret choice."""
        self.changed: Change | None = None
        """What the last step changed in who plays."""
        self.gated = False
        self.closed = False
        self.played = 0
        """How many steps of the game were performed; the beginnings of epochs are none."""
        self._due: Due | None = None

    def copy(self) -> Self:
        """Return a ledger that goes its own way from here."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.position = self.position.copy()
        twin.tips = self.tips.copy()
        twin.shown = self.shown.copy()
        twin.keys = self.keys.copy()
        twin.signed = self.signed.copy()
        return twin

    @property
    def drawing(self) -> bool:
        """Whether the step just performed still waits for links; the set-up always does: seats are drawn in it."""
        return self.step > 0 and (not self.place_of or bool(self.veiled) or self.position.chance_due())

    @property
    def linking(self) -> tuple[Place, ...]:
        """The places whose links make a draw; all that are live if those who kept that right are one person only."""
        free = tuple(place for place in self.live if place not in self.barred)
        return free if len({self.genesis.members[place].owner for place in free}) > 1 else self.live

    def weight(self, places: Iterable[Place]) -> int:
        """Return what these places count where votes are counted, in sixtieths of a person.

        All places of one person count as one together, each for its share: so no two sides that have no place in common
        are both more than half.
        """
        owners = [member.owner for member in self.genesis.members]
        return sum(60 // owners.count(owners[place]) for place in places)

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
        places = tuple(place for seat in self.position.to_act() if (place := self.place_of[seat]) in self.live)
        return Due(Kind.COMMIT if self.position.secret else Kind.ACT, tuple(sorted(places)))

    @property
    def locked(self) -> Step:
        """The last step that all live places signed for, -1 for none; all before it are locked with it."""
        return min([self.signed[place] for place in self.live])

    @property
    def unlocked_gate(self) -> bool:
        """Whether nothing can follow the last step but a change of who plays, for want of ACKs or links."""
        return self.drawing or (self.gated and self.locked < self.step - 1)

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
        self.changed = None
        if bodies and bodies[0].kind is Kind.EPOCH:
            self._change(bodies)
            return
        due = self.due()
        shown = tuple((body.kind, body.epoch, body.step, body.place) for body in bodies)
        if (
            self.closed
            or self.resting
            or self.drawing
            or shown != tuple((due.kind, self.epoch, self.step, at) for at in due.places)
        ):
            raise Forged(f"Step {self.step} is made by places {due.places}, not by what is shown for it.")
        self._check_heads(bodies)
        self.vouched, self.moves = (), ()
        if due.kind is None:
            self.closed = self.step > 0
        elif due.kind is Kind.ACT:
            self.undo += ((self.step, self.position.copy()),)
            if bodies:
                self._act(bodies[0])
            else:
                self._steer()
        elif due.kind is Kind.COMMIT:
            self._commit(bodies)
        else:
            self._open(bodies)
        self.played += 1
        self._step_on(bodies)
        self.gated = due.kind in (None, Kind.COMMIT) or self.drawing

    def _check_heads(self, bodies: Sequence[Frame]) -> None:
        for body in bodies:
            if not self.vouches(body):
                what = "head" if body.head != self.head else "state hash"
                raise Disagreement(body.place, self.step - 1, what)
            self.signed[body.place] = self.step - 1

    def _step_on(self, bodies: Sequence[Frame]) -> None:
        self.head = digest(Domain.HEAD, self.head, numbers(self.epoch, self.step), *[body.digest for body in bodies])
        self.step += 1
        self._due = None
        self.outcome = (self.head, self.state)

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

    def _steer(self) -> None:
        """Let a seat that was put out make its choices: the same on every replica."""
        (seat,) = self.position.to_act()
        moves = list[Move]()
        while self.has_say(seat):
            moves.append(Move(seat, self.position.autopilot(seat)))
            self.position.apply(*moves[-1])
        self.moves = tuple(moves)
        self.state = digest(Domain.STATE, self.position.encode())

    def _commit(self, bodies: Sequence[Frame]) -> None:
        self.undo = ()
        self.commitments = {body.place: body.payload.commitment for body in bodies if isinstance(body.payload, Commit)}
        self.committed = (self.epoch, self.step)
        self.veiled = tuple(seat for seat in self.position.to_act() if self.place_of[seat] not in self.commitments)

    def _open(self, bodies: Sequence[Frame]) -> None:
        assert self.commitments is not None
        moves = [(move, self.place_of[move.seat]) for move in self.unveiled]
        for body in bodies:
            shown = body.payload
            assert isinstance(shown, Open)
            fixed = commit(self.match, self.committed[1], body.place, shown.nonce, shown.choice)
            if fixed != self.commitments[body.place]:
                raise Cheat(body.place, self.step, "What was shown is not what was committed to.")
            moves.append((Move(self.seat_of(body.place), shown.choice), body.place))
        self.commitments, self.unveiled = None, ()
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
        """Make the draws that are due from the next link of each place in `linking`; return and keep the randomness.

        Raises `Forged` for a link that does not lead to the one shown before it.
        """
        assert self.drawing
        linking = self.linking
        assert len(links) == len(linking)
        for place, link in zip(linking, links, strict=True):
            self.check_link(place, link)
            self.tips[place] = link
            self.shown[place] = self.attempts + 1
        drawn = randomness(self.match, self.epoch, self.step - 1, self.head, links)
        if not self.place_of:
            self.place_of = self.genesis.seating or seating(drawn, self.members)
        stream = DrawStream(drawn)
        if self.position.chance_due():
            self.position.draw(stream)
        else:
            self.unveiled = tuple(Move(seat, _drawn(self.position.legal(seat), stream)) for seat in self.veiled)
            self.veiled = ()
        self.undo = ()
        self.attempts += 1
        self.randomness = drawn
        self._due = None
        self.head = digest(Domain.DRAWN, self.head, drawn)
        self.state = digest(Domain.STATE, self.position.encode())
        self.gated = False
        return drawn

    def check_link(self, place: Place, link: Digest) -> None:
        """Raise `Forged` unless `link` is the one of this place's chain that the draw under way is to be made of."""
        tip = link
        for _ in range(
            self.shown[place], self.attempts + 1
        ):  # more than one if it took no part in draws, or they failed
            tip = follow(tip, self.keys[place].session)
        if tip != self.tips[place]:
            raise Forged(f"The link of place {place} at step {self.step - 1} does not belong to its chain.")

    def _change(self, bodies: Sequence[Frame]) -> None:
        """Begin an epoch: make the change that all bodies name; every live place that is not put out signed one."""
        first = bodies[0].payload
        assert isinstance(first, EpochBody)
        change, epoch = first.change, bodies[0].epoch
        voters = self.voters(change)
        shown = [(body.kind, body.epoch, body.step, body.place, body.payload) for body in bodies]
        if shown != [(Kind.EPOCH, epoch, self.step, place, first) for place in voters]:
            raise Forged(f"The epoch that begins at step {self.step} needs the same word from each of places {voters}.")
        self._check_heads(bodies)
        raised = first.attempts - self.attempts  # 1 if links for the draw under way were shown: they are not used again
        follows = first.since == self.epoch < epoch and 0 <= raised <= int(self.drawing)
        if not follows:
            raise Forged(f"The epoch that begins at step {self.step} does not follow epoch {self.epoch}.")
        back = self.check_change(change)
        if change.rewind:
            self.position = next(before for step, before in self.undo if step == change.rewind).copy()
            self.undo = tuple(each for each in self.undo if each[0] < change.rewind)
        out = [place for place in self.live if change.out >> place & 1]
        self.barred |= {place for place in out if raised or place in (self.commitments or ())}
        self.live = tuple(sorted({*self.live, *back} - set(out)))
        for place, resume in back.items():
            self._seat_again(place, resume)
        self.withheld = ()
        self._withhold(out)
        self.attempts = first.attempts
        self.resting = bool(change.adjourn)
        self.vouched, self.moves = (), ()
        self.changed, self.epoch = change, epoch
        self.state = digest(Domain.STATE, self.position.encode())
        self._step_on(bodies)
        self.gated = True

    def voters(self, change: Change) -> tuple[Place, ...]:
        """Return the places that must agree to a change: all that are live and not put out by it."""
        return tuple(place for place in self.live if not change.out >> place & 1)

    def check_change(self, change: Change) -> dict[Place, Resume]:
        """Return who comes back by a change; raise `Forged` unless it can be made here by those who must agree."""
        voters = self.voters(change)
        if 2 * self.weight(voters) <= self.weight(range(self.members)):
            raise Forged("Only more than half of those who began a match may change who plays.")
        back = dict[Place, Resume]()
        for raw in change.back:
            frame = open_frame(raw)
            if not isinstance(frame.payload, Resume) or (frame.match, frame.epoch) != (self.match, self.epoch):
                raise Forged("Somebody is said to come back by a frame that does not say so here and now.")
            if frame.place >= self.members or frame.place in self.live or frame.place in back:
                raise Forged(f"Place {frame.place} cannot come back: it was not put out.")
            back[frame.place] = frame.payload
        if change.rewind and (self.drawing or self.closed or change.rewind not in [step for step, _ in self.undo]):
            raise Forged(f"Step {change.rewind} cannot be taken back: something was drawn or shown since.")
        for what in Keys._fields:
            keys = [getattr(back.get(place, self.keys[place]), what) for place in range(self.members)]
            if len(set(keys)) < self.members:
                raise Forged(f"Two places would have the same {what} key.")
        tips = [resume.tip for place, resume in back.items() if resume.session != self.keys[place].session]
        if len({*tips, *self.tips}) < len(tips) + len(set(self.tips)):
            raise Forged("Somebody would come back with the chain of another.")
        return back

    def _seat_again(self, place: Place, resume: Resume) -> None:
        """Let a place play again: with a chain of its own from here on, if it lost the one that it had."""
        if resume.session != self.keys[place].session:
            self.tips[place], self.shown[place] = resume.tip, 0
        self.keys[place] = Keys(resume.session, resume.curve)

    def _withhold(self, out: Sequence[Place]) -> None:
        """End a secret choice during which somebody in it was put out."""
        seats = [seat for seat in self.position.to_act() if self.place_of[seat] in out] if self.place_of else []
        if self.position.secret and seats:
            self.withheld = tuple(map(Move, seats, self.position.withhold(seats)))
            self.commitments, self.veiled, self.unveiled, self.undo = None, (), (), ()


def _drawn(actions: Sequence[Action], stream: DrawStream) -> Action:
    return actions[stream.below(len(actions))]
