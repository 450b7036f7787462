"""The history of a match as it looks from outside: every step that anybody's bodies could make, by the head after it.

A second opinion on the ledger: it knows all chains beforehand, applies actions to positions of its own, and asks of
each whether it is among the legal ones. Must never ask a replica or a ledger anything.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from sunward_protocol.commitment import commit
from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.draws import DrawStream, randomness, seating
from sunward_protocol.envelope import Frame, open_frame
from sunward_protocol.games.game import Action, Position, Ruleset, Seat
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Digest, Epoch, Place, Step
from sunward_protocol.messages import BODIES, Act, Change, Commit, EpochBody, Kind, Open


@dataclass(slots=True, eq=False)
class Node:
    """What stands after some step, and what was seen that could be the next; a drawn node is the same step's once more.

    `position` is None if the step broke the rules: no honest member may sign for it or anything after it.
    """

    head: Digest
    step: Step
    parent: "Node | None"
    position: Position | None
    state: Digest
    live: tuple[Place, ...]
    epoch: Epoch = 0
    attempts: int = 0
    place_of: tuple[Place, ...] = ()
    barred: tuple[Place, ...] = ()
    commitments: dict[Place, Digest] | None = None
    committed: Step = 0
    veiled: tuple[Seat, ...] = ()
    """Seats on autopilot whose secret choice is still to be drawn."""
    unveiled: tuple[tuple[Seat, Action], ...] = ()
    undo: tuple[tuple[Step, Position], ...] = ()
    """The positions before the steps that may be taken back."""
    resting: bool = False
    closed: bool = False
    begins: bool = False
    """Whether the step begins an epoch: it locks what was before it, but until more is locked it may die itself."""
    drawn: "Node | None" = None
    """What the step's draw leads to; None if it draws nothing."""
    seen: dict[Place, list[Frame]] = field(default_factory=dict[Place, list[Frame]])
    words: dict[tuple[Epoch, EpochBody], dict[Place, Frame]] = field(
        default_factory=dict[tuple[Epoch, EpochBody], dict[Place, Frame]]
    )

    def lineage(self) -> Iterator["Node"]:
        """This node and all before it, backwards."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def provisional(self) -> bool:
        """Whether this may still die though it is locked: a draw's result or the beginning of an epoch."""
        return self.begins or (self.parent is not None and self.parent.drawn is self)

    @property
    def linking(self) -> tuple[Place, ...]:
        """The places whose links make the draw: everybody here has one place, and nobody makes a draw alone."""
        free = tuple(place for place in self.live if place not in self.barred)
        return free if len(free) > 1 else self.live

    @property
    def drawing(self) -> bool:
        """Whether links are due."""
        return self.position is not None and (not self.place_of or bool(self.veiled) or self.position.chance_due())


def firm(node: Node) -> Node:
    """Return what cannot die any more once `node` is locked: what is before the epochs that begin at its end."""
    while node.begins and node.parent is not None:
        node = node.parent
    return node


class History:
    """All that could have happened, grown by `learn`."""

    def __init__(self, genesis: Genesis, ruleset: Ruleset, links: Sequence[Sequence[Digest]]) -> None:
        self._genesis = genesis
        self._links = links
        self.nodes: dict[Digest, Node] = {}
        self._early: dict[Digest, list[Frame]] = {}
        places = tuple(range(len(genesis.members)))
        position = ruleset.start(len(places), dict(genesis.options))
        self.first = Node(
            digest(Domain.HEAD, genesis.match), -1, None, position, digest(Domain.STATE, position.encode()), places
        )
        """What is before step 0."""
        self._grow(self.first, ())

    def outcome(self, head: Digest, epoch: Epoch, step: Step, bodies: Sequence[Digest]) -> Digest:
        """Return the head that bodies with these digests lead to."""
        return digest(Domain.HEAD, head, numbers(epoch, step), *bodies)

    def learn(self, frame: Frame) -> None:
        """Take in a body that somebody signed: it may make a step, alone or with others."""
        if frame.kind not in (*BODIES, Kind.EPOCH):
            return
        node = self.nodes.get(frame.head)
        if node is None:  # a liar may show what comes first after what follows from it
            self._early.setdefault(frame.head, []).append(frame)
        elif node.position is None or frame.step != node.step + 1:
            return
        elif isinstance(frame.payload, EpochBody):
            self._learn_epoch(node, frame, frame.payload)
        elif frame.epoch == node.epoch and not (node.drawing or node.resting or node.closed):
            self._learn_body(node, frame)

    def _learn_body(self, node: Node, frame: Frame) -> None:
        kind, places = self._due(node)
        seen = node.seen.setdefault(frame.place, [])
        if frame.kind is not kind or frame.place not in places or any(frame.body == other.body for other in seen):
            return
        seen.append(frame)
        others = [node.seen.get(place, []) if place != frame.place else [frame] for place in places]
        for bodies in product(*others):
            self._grow(node, bodies)

    def _due(self, node: Node) -> tuple[Kind | None, tuple[Place, ...]]:
        position = node.position
        assert position is not None
        if node is self.first or position.result() is not None:
            return None, ()
        if node.commitments is not None:
            return Kind.OPEN, tuple(node.commitments)
        places = sorted(node.place_of[seat] for seat in position.to_act() if node.place_of[seat] in node.live)
        return Kind.COMMIT if position.secret else Kind.ACT, tuple(places)

    def _grow(self, node: Node, bodies: Sequence[Frame]) -> None:
        """Add the step that bodies of a game make, or nobody's: a member on autopilot, the set-up, the end."""
        assert node.position is not None
        step, (kind, _) = node.step + 1, self._due(node)
        head = self.outcome(node.head, node.epoch, step, [body.digest for body in bodies])
        position = node.position.copy()
        after = dataclasses.replace(
            node, head=head, step=step, parent=node, position=position, begins=False, drawn=None, seen={}, words={}
        )
        legal = all(body.payload[0] == node.state for body in bodies)
        if kind is None:
            after.closed = step > 0
        elif kind is Kind.ACT:
            after.undo = (*node.undo, (step, node.position))
            legal &= self._acts(node, position, bodies)
        elif kind is Kind.COMMIT:
            self._commits(after, bodies)
        else:
            legal &= self._opens(node, position, bodies)
            after.commitments, after.unveiled = None, ()
        after.state = digest(Domain.STATE, position.encode())
        legal &= all(getattr(body.payload, "outcome", after.state) == after.state for body in bodies)
        if not legal:
            after.position = None
        self._add(after)

    def _acts(self, node: Node, position: Position, bodies: Sequence[Frame]) -> bool:
        """Carry out what a seat chose, or its autopilot; return whether all of it was legal, and no less than due."""
        (seat,) = position.to_act()
        for body in bodies:
            assert isinstance(body.payload, Act)
            for choice in body.payload.choices:
                if position.to_act() != (seat,) or position.secret or choice not in position.legal(seat):
                    return False
                position.apply(seat, choice)
        while not bodies and position.to_act() == (seat,) and not position.secret:
            choice = position.autopilot(seat)
            if choice not in position.legal(seat):
                return False
            position.apply(seat, choice)
        return position.to_act() != (seat,) or position.secret

    def _commits(self, after: Node, bodies: Sequence[Frame]) -> None:
        assert after.position is not None
        after.commitments = {body.place: body.payload.commitment for body in bodies if isinstance(body.payload, Commit)}
        after.committed, after.undo = after.step, ()
        seats = after.position.to_act()
        after.veiled = tuple(seat for seat in seats if after.place_of[seat] not in after.commitments)

    def _opens(self, node: Node, position: Position, bodies: Sequence[Frame]) -> bool:
        assert node.commitments is not None
        moves = list(node.unveiled)
        for body in bodies:
            shown = body.payload
            assert isinstance(shown, Open)
            fixed = commit(self._genesis.match, node.committed, body.place, shown.nonce, shown.choice)
            if fixed != node.commitments[body.place]:
                return False
            moves.append((node.place_of.index(body.place), shown.choice))
        for seat, choice in sorted(moves):
            if choice not in position.legal(seat):
                return False
            position.apply(seat, choice)
        return True

    def links(self, node: Node) -> tuple[Digest, ...]:
        """Return the links that make the draw of a node."""
        return tuple(self._links[place][node.attempts] for place in node.linking)

    def _draw(self, node: Node) -> None:
        if any(node.attempts >= len(self._links[place]) for place in node.linking):
            return
        assert node.position is not None
        links = self.links(node)
        drawn = randomness(self._genesis.match, node.epoch, node.step, node.head, links)
        position, stream = node.position.copy(), DrawStream(drawn)
        place_of = node.place_of or self._genesis.seating or seating(drawn, len(self._genesis.members))
        unveiled = node.unveiled
        if position.chance_due():
            position.draw(stream)
        elif node.veiled:
            choices = [position.legal(seat) for seat in node.veiled]
            unveiled = tuple(
                (seat, legal[stream.below(len(legal))]) for seat, legal in zip(node.veiled, choices, strict=True)
            )
        node.drawn = dataclasses.replace(
            node,
            head=digest(Domain.DRAWN, node.head, drawn),
            parent=node,
            position=position,
            state=digest(Domain.STATE, position.encode()),
            attempts=node.attempts + 1,
            place_of=place_of,
            veiled=() if not node.position.chance_due() else node.veiled,
            unveiled=unveiled,
            undo=(),
            begins=False,
            drawn=None,
            seen={},
            words={},
        )
        self._add(node.drawn)

    def _add(self, node: Node) -> None:
        """Keep a node, and what follows from it of itself or from frames that were there before it."""
        self.nodes[node.head] = node
        if node.position is not None:
            if node.drawing:
                self._draw(node)
            elif not node.resting and not node.closed and not self._due(node)[1]:
                self._grow(node, ())
        for frame in self._early.pop(node.head, ()):
            self.learn(frame)

    # Epochs

    def _learn_epoch(self, node: Node, frame: Frame, body: EpochBody) -> None:
        if not self.may_begin(node, frame.epoch, body):
            return
        words = node.words.setdefault((frame.epoch, body), {})
        if frame.place in words:
            return
        words[frame.place] = frame
        voters = [place for place in node.live if not body.change.out >> place & 1]
        if sorted(words) == voters:
            self._begin(node, frame.epoch, body, [words[place] for place in voters])

    def may_begin(self, node: Node, epoch: Epoch, body: EpochBody) -> bool:
        """Whether the rules allow a change here: made by more than half of the owners, of what can be changed."""
        change, members = body.change, self._genesis.members
        voters = [place for place in node.live if not change.out >> place & 1]
        owners = [member.owner for member in members]
        shares = [Fraction(1, owners.count(owner)) for owner in owners]
        majority = 2 * sum(shares[place] for place in voters) > len(set(owners))
        follows = body.since == node.epoch < epoch and node.attempts <= body.attempts <= node.attempts + node.drawing
        back = [open_frame(raw).place for raw in change.back]
        returning = len(set(back)) == len(back) and not set(back) & set(node.live)
        rewound = not change.rewind or (not node.drawing and change.rewind in [step for step, _ in node.undo])
        return majority and follows and returning and rewound and body.state == node.state

    def _begin(self, node: Node, epoch: Epoch, body: EpochBody, bodies: Sequence[Frame]) -> None:
        assert node.position is not None
        change, step = body.change, node.step + 1
        position, undo = node.position, node.undo
        if change.rewind:
            position = next(before for at, before in undo if at == change.rewind)
            undo = tuple(each for each in undo if each[0] < change.rewind)
        position = position.copy()
        out = [place for place in node.live if change.out >> place & 1]
        may_know = body.attempts > node.attempts
        spoilt = out if may_know else [place for place in out if place in (node.commitments or ())]
        back = [open_frame(raw).place for raw in change.back]
        after = dataclasses.replace(
            node,
            head=self.outcome(node.head, epoch, step, [each.digest for each in bodies]),
            step=step,
            parent=node,
            position=position,
            live=tuple(sorted({*node.live, *back} - set(out))),
            epoch=epoch,
            attempts=body.attempts,
            barred=tuple(sorted({*node.barred, *spoilt})),
            undo=undo,
            resting=bool(change.adjourn),
            begins=True,
            drawn=None,
            seen={},
            words={},
        )
        self._withhold(after, change)
        after.state = digest(Domain.STATE, position.encode())
        self._add(after)

    def _withhold(self, after: Node, change: Change) -> None:
        """A secret choice during which somebody in it is put out ends as the game says."""
        position = after.position
        assert position is not None
        if not after.place_of or not position.secret:
            return
        seats = [seat for seat in position.to_act() if change.out >> after.place_of[seat] & 1]
        if seats:
            position.withhold(seats)
            after.commitments, after.veiled, after.unveiled, after.undo = None, (), (), ()
