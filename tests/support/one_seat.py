"""Place 0 at a table where nobody acts: what it hears, whom it finds late and what time it is are up to the test."""

from collections.abc import Iterable

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, open_frame, seal
from sunward_protocol.games.game import Action
from sunward_protocol.ids import NOTHING, Digest, Epoch, Place, Step
from sunward_protocol.messages import Ack, Change, Claim, EpochBody, Kind, Link, Payload, Resume, Vote
from sunward_protocol.table.commands import Command, Send, Tell
from sunward_protocol.table.events import Chosen, Notice, Wanted
from sunward_protocol.table.steps import Steps
from support.world import Liar, World

ME = 0


def mask(*places: Place) -> int:
    """Return the bit mask of some places."""
    return sum(1 << place for place in places)


def out(*places: Place) -> Change:
    """Return the change that puts some places out."""
    return Change(mask(*places), (), 0, 0)


class Silent(Liar):
    """Sends nothing of some kinds."""

    def __init__(self) -> None:
        self.kinds = set[Kind]()

    def does(self, command: Command) -> Iterable[Command]:
        return () if isinstance(command, Send) and open_frame(command.raw).kind in self.kinds else (command,)


class OneSeat:
    """What place 0 does by itself in agreeing on a change, after the set-up; its clock stands still but in `wait`."""

    def __init__(self, members: int = 4) -> None:
        self.others = {place: Silent() for place in range(1, members)}
        """The other members, honest but for what they keep back."""
        self.world = World(members, random_seed=1, choose=lambda replica, chance: (), liars=self.others)
        self.world.run(1)
        self.steps, self.changes = self.world.replica(ME).steps, self.world.replica(ME).changes
        self.now = 10.0
        self._said: list[Frame] = []
        self._told: list[Notice] = []
        self.hears(*range(1, members))

    def hears(self, *places: Place) -> None:
        """Let these be the places that it hears."""
        self.changes.heard = mask(*places)

    def finds_late(self, *places: Place) -> None:
        """Let these be the places whose time is over, by its clocks."""
        self.changes.late = mask(*places)

    def wait(self, seconds: float = 1.0) -> None:
        """Let time pass, and it see what is to do then."""
        self.now += seconds
        self.changes.advance(self.now)

    def wants(self, wanted: Wanted) -> None:
        """Let its player want something, and a second pass, since it claims once a second at most."""
        self.changes.want(wanted, self.now)
        self.wait()

    def plays(self, place: Place, action: Action, *by: Place, keep_back: Kind = Kind.ACK) -> None:
        """Let a place choose, while some keep back what they would say then."""
        for other in by:
            self.others[other].kinds.add(keep_back)
        self.world.feed(place, Chosen(self.steps.tip.step, (action,)))
        self.world.run(0.5)

    def frame(
        self, kind: Kind, payload: Payload, place: Place, epoch: Epoch = 0, step: Step = 0, head: Digest = NOTHING
    ) -> Frame:
        match, signer = self.steps.settled.match, self.world.signers[place]
        return seal(kind, payload, match, signer, epoch=epoch, step=step, place=place, head=head)

    def resume(self, place: Place, epoch: Epoch = 0, step: Step = 0) -> Frame:
        """Return the wish of a place to be back with the keys that it had."""
        member = self.steps.settled.genesis.members[place]
        resume = Resume(member.session, member.curve, member.tip, member.delegation, ())
        return self.frame(Kind.RESUME, resume, place, epoch, step)

    def takes(self, frame: Frame) -> bool:
        """Let a frame come in from its author; return whether it is taken, and passed on."""
        taken = self.changes.receive(frame, frame.place)
        assert taken == (frame in self.changes.frames.values())
        return taken

    def hear_claim(self, places: Iterable[Place], *changes: Change, number: int = 1) -> None:
        """Let places claim a change, or none any more."""
        for place in places:
            assert self.takes(self.frame(Kind.CLAIM, Claim(changes), place, self.steps.tip.epoch, number))

    def hear_vote(self, places: Iterable[Place], change: Change, epoch: Epoch = 1, stands: Steps | None = None) -> None:
        """Let places vote for an epoch that stand where we do, or somewhere else."""
        steps = stands or self.steps
        tip = steps.tip
        vote = Vote(tip.epoch, change, tip.step, steps.journal.spent, steps.lately())
        for place in places:
            assert self.takes(self.frame(Kind.VOTE, vote, place, epoch, head=tip.head))

    def hear_epoch(
        self, places: Iterable[Place], change: Change, epoch: Epoch = 1, stands: Steps | None = None
    ) -> None:
        """Let places sign for the same beginning of an epoch as we do, or for one where we stand, or somebody else."""
        tip = (stands or self.steps).tip
        body = EpochBody(tip.state, tip.epoch, change, tip.attempts)
        ours = self.frame(Kind.EPOCH, body, ME, epoch, tip.step, tip.head)
        for frame in self.said(Kind.EPOCH):
            ours = frame if (frame.place, frame.epoch) == (ME, epoch) else ours
        for place in places:
            assert self.takes(self.frame(Kind.EPOCH, ours.payload, place, epoch, ours.step, ours.head))

    def hear_ack(self, places: Iterable[Place]) -> None:
        """Let places sign for the step that we performed last."""
        tip = self.steps.tip
        for place in places:
            ack = self.frame(Kind.ACK, Ack(tip.state), place, tip.epoch, tip.step - 1, tip.head)
            assert self.steps.receive(ack, place)
        self.steps.advance()

    def votes(self, gone: Place) -> None:
        """Let all but one claim that this one be out, and it vote so once the challenge has passed."""
        self.wait()
        self.hear_claim(self._all_but(gone), out(gone))
        self.wait(limits.CHALLENGE)
        assert self.voted == [1]

    def begins(self, gone: Place) -> None:
        """Let the votes of the others come, who stand where it does, and what all sign then."""
        self.hear_vote(self._all_but(gone), out(gone))
        self.wait(0)
        self.hear_epoch(self._all_but(gone), out(gone))
        self.wait(0)
        assert self.steps.tip.epoch == 1

    def _all_but(self, gone: Place) -> list[Place]:
        return [place for place in self.others if place != gone]

    def link(self, place: Place) -> Frame:
        """Return the link of a place for the draw under way."""
        tip = self.steps.tip
        link = Link(tip.attempts, self.world.chains[place].links[tip.attempts])
        return self.frame(Kind.LINK, link, place, tip.epoch, tip.step - 1, tip.head)

    def hear_link(self, *places: Place) -> None:
        """Let places show their link for the draw under way."""
        for frame in [self.link(place) for place in places]:
            assert self.steps.receive(frame, frame.place)
        self.steps.advance()

    def sent(self, kind: Kind) -> list[Frame]:
        """Return the frames of a kind that it wants sent since it was asked last what it said, others' too."""
        frames = [open_frame(each.raw) for each in self.steps.commands if isinstance(each, Send)]
        return [frame for frame in frames if frame.kind is kind]

    def _look(self) -> None:
        for command in self.steps.commands:
            if isinstance(command, Send):
                self._said.append(open_frame(command.raw))
            elif isinstance(command, Tell):
                self._told.append(command.notice)
        self.steps.commands.clear()

    def said(self, kind: Kind) -> list[Frame]:
        """Return what it said of a kind so far."""
        self._look()
        return [frame for frame in self._said if frame.kind is kind]

    @property
    def told(self) -> list[Notice]:
        """What its watchers were told so far."""
        self._look()
        return self._told

    @property
    def claimed(self) -> Change | None:
        """What it claims, None for nothing."""
        claims = self.said(Kind.CLAIM)
        changes = claims[-1].payload.changes if claims and isinstance(claims[-1].payload, Claim) else ()
        return changes[0] if changes else None

    @property
    def voted(self) -> list[Epoch]:
        """The epochs that it voted for."""
        return [frame.epoch for frame in dict.fromkeys(self.said(Kind.VOTE)) if frame.place == ME]
