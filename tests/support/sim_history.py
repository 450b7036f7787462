"""The history of a match as it looks from outside: every step that anybody's bodies could make, by the head after it.

A second opinion on the ledger: it knows all chains beforehand, applies actions to positions of its own, and asks of
each whether it is among the legal ones. Must never ask a replica or a ledger anything.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from sunward_protocol.commitment import commit
from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.draws import DrawStream, randomness, seating
from sunward_protocol.envelope import Frame
from sunward_protocol.games.game import Position, Ruleset
from sunward_protocol.genesis import Genesis
from sunward_protocol.ids import Digest, Place, Step
from sunward_protocol.messages import BODIES, Act, Commit, Kind, Open


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
    attempts: int
    place_of: tuple[Place, ...]
    commitments: dict[Place, Digest] | None = None
    drawn: "Node | None" = None
    """What the step's draw leads to; None if it draws nothing."""
    seen: dict[Place, list[Frame]] = field(default_factory=dict[Place, list[Frame]])

    def lineage(self) -> Iterator["Node"]:
        """This node and all before it, backwards."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent


class History:
    """All that could have happened, grown by `learn`."""

    def __init__(self, genesis: Genesis, ruleset: Ruleset, links: Sequence[Sequence[Digest]]) -> None:
        self.members = len(genesis.members)
        self._genesis = genesis
        self._links = links
        self.nodes: dict[Digest, Node] = {}
        self._early: dict[Digest, list[Frame]] = {}
        position = ruleset.start(self.members, dict(genesis.options))
        self.first = digest(Domain.HEAD, genesis.match)
        """The head before step 0."""
        before = Node(self.first, -1, None, position, digest(Domain.STATE, position.encode()), 0, ())
        self._grow(before, ())

    def outcome(self, head: Digest, step: Step, bodies: Sequence[Digest]) -> Digest:
        """Return the head that bodies with these digests lead to."""
        return digest(Domain.HEAD, head, numbers(0, step), *bodies)

    def learn(self, frame: Frame) -> None:
        """Take in a body that somebody signed: it may make a step, alone or with others."""
        if frame.kind not in BODIES:
            return
        node = self.nodes.get(frame.head)
        if node is None:  # a liar may show what comes first after what follows from it
            self._early.setdefault(frame.head, []).append(frame)
            return
        if node.position is None or node.drawn is not None:
            return
        kind, places = self._due(node)
        if frame.step != node.step + 1 or frame.kind is not kind or frame.place not in places:
            return
        seen = node.seen.setdefault(frame.place, [])
        if any(frame.body == other.body for other in seen):
            return
        seen.append(frame)
        others = [node.seen.get(place, []) if place != frame.place else [frame] for place in places]
        for bodies in product(*others):
            self._grow(node, bodies)

    def _due(self, node: Node) -> tuple[Kind | None, tuple[Place, ...]]:
        position = node.position
        assert position is not None
        if node.commitments is not None:
            return Kind.OPEN, tuple(node.commitments)
        if position.result() is not None:
            return None, ()
        places = tuple(sorted(node.place_of[seat] for seat in position.to_act()))
        return Kind.COMMIT if position.secret else Kind.ACT, places

    def _grow(self, node: Node, bodies: Sequence[Frame]) -> None:
        assert node.position is not None
        step = node.step + 1
        head = self.outcome(node.head, step, [body.digest for body in bodies])
        position = node.position.copy()
        legal = all(self._plays(node, body, position) for body in _by_seat(node, bodies))
        state = digest(Domain.STATE, position.encode())
        for body in bodies:
            legal &= body.payload[0] == node.state and getattr(body.payload, "outcome", state) == state
        after = Node(head, step, node, position if legal else None, state, node.attempts, node.place_of)
        if bodies and bodies[0].kind is Kind.COMMIT:
            after.commitments = {
                body.place: body.payload.commitment for body in bodies if isinstance(body.payload, Commit)
            }
        self._add(after)
        if not legal:
            return
        if step == 0 or position.chance_due():
            self._draw(after)
        elif node.position.result() is None:
            self._close(after)

    def _plays(self, node: Node, body: Frame, position: Position) -> bool:
        """Carry a body's choices out where they are legal; return whether they were, all of them and no less."""
        seat, shown = node.place_of.index(body.place), body.payload
        if isinstance(shown, Act):
            for choice in shown.choices:
                if position.to_act() != (seat,) or position.secret or choice not in position.legal(seat):
                    return False
                position.apply(seat, choice)
            return position.to_act() != (seat,) or position.secret
        if isinstance(shown, Open):
            assert node.commitments is not None
            fixed = commit(self._genesis.match, node.step, body.place, shown.nonce, shown.choice)
            if fixed != node.commitments[body.place] or shown.choice not in position.legal(seat):
                return False
            position.apply(seat, shown.choice)
        return True

    def _draw(self, node: Node) -> None:
        if any(node.attempts >= len(links) for links in self._links):
            return
        assert node.position is not None
        links = [links[node.attempts] for links in self._links]
        drawn = randomness(self._genesis.match, 0, node.step, node.head, links)
        position = node.position.copy()
        place_of = node.place_of or self._genesis.seating or seating(drawn, self.members)
        if position.chance_due():
            position.draw(DrawStream(drawn))
        head, state = digest(Domain.DRAWN, node.head, drawn), digest(Domain.STATE, position.encode())
        node.drawn = Node(head, node.step, node, position, state, node.attempts + 1, place_of)
        self._add(node.drawn)
        self._close(node.drawn)

    def _add(self, node: Node) -> None:
        self.nodes[node.head] = node
        for frame in self._early.pop(node.head, ()):
            self.learn(frame)

    def _close(self, node: Node) -> None:
        """The closing step has no bodies: it may come as soon as there is a result."""
        if node.position is not None and node.commitments is None and node.position.result() is not None:
            self._grow(node, ())


def _by_seat(node: Node, bodies: Sequence[Frame]) -> list[Frame]:
    return sorted(bodies, key=lambda body: node.place_of.index(body.place))
