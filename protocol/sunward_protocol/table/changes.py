"""How it is agreed who plays: everybody claims the same change, votes for it, and signs the epoch that makes it.

A CLAIM binds nobody. A VOTE ends all signing in the epochs below it and shows what its voter may have signed for, so
that nothing locked can be lost. The epoch begins with one EPOCH body of every place that must agree.
Must never let a draw be made anew for somebody who kept back a link for it, unless that one is put out.
"""

from collections.abc import Iterable, Mapping

from sunward_protocol import limits
from sunward_protocol.envelope import Frame, Slot, is_signed, open_frame
from sunward_protocol.errors import RemoteError
from sunward_protocol.evidence import contradiction
from sunward_protocol.genesis import delegated
from sunward_protocol.identity import Signatures
from sunward_protocol.ids import NOTHING, Digest, Epoch, Place, Step
from sunward_protocol.ledger import Ledger
from sunward_protocol.log import parse_entry
from sunward_protocol.messages import NO_CHANGE, Change, Claim, EpochBody, Kind, Resume, Vote
from sunward_protocol.table.clocks import THOUGHT
from sunward_protocol.table.commands import Send, Strike, Tell
from sunward_protocol.table.events import Claimed, Stalled, Wanted
from sunward_protocol.table.owing import lacking, owing
from sunward_protocol.table.steps import Steps
from sunward_protocol.table.unlocked import Performed
from sunward_protocol.table.ways import parted, shown, turning, ways


class Changes:
    """One member's part in agreeing on a change."""

    def __init__(self, steps: Steps, signatures: Signatures, resume: Resume) -> None:
        """Take up again what was said before; `resume` is what we come back with, if we are put out and want to."""
        self.wanted = Wanted()
        """What our own player asked for."""
        self.late = 0
        """A bit mask of the places whose time is over, by our own clocks."""
        self.heard = 0
        """A bit mask of the places that we heard lately."""
        self._steps = steps
        self._signatures = signatures
        self._resume = resume
        self._latest: dict[tuple[Kind, Place], Frame] = {}
        self._until = float("-inf")
        self._said_at = float("-inf")
        self._opening: Performed | None = None
        self._opened = 0.0
        self._claimed_at = float("inf")
        self._left_at = float("inf")
        self._voted_at = float("-inf")
        self._voting_at = float("inf")
        self._tries = 0
        self._resumed: dict[Place, set[bytes]] = {}
        """The first words of who is out that came in this epoch, one more than are borne at most."""
        self._failed: dict[Place, int] = {}
        """How often an epoch came to nothing that was begun for who came back, as they did not sign for it."""
        self._away_until: dict[Place, float] = {}
        self._unfounded = set[Place]()
        """Whose vote does not lead to where it says."""
        self._epoch: Epoch = steps.tip.epoch
        self._sessions = [keys.session for keys in steps.tip.keys]
        self._stalled: tuple[Place, ...] = ()
        self._spread = 0
        self._recall()

    def _recall(self) -> None:
        """Take up what we said about the epoch that we are in."""
        for frame in self._steps.journal.of_changes():
            if self._belongs(frame):
                self._take(frame)

    @property
    def frames(self) -> Mapping[Slot, Frame]:
        """The frames that others may need from us."""
        return {frame.slot: frame for frame in self._latest.values()}

    # What comes in

    def receive(self, frame: Frame, sender: Place) -> bool:
        """Take in a CLAIM, VOTE, EPOCH or RESUME; return whether it was new and good, so that it may be forwarded."""
        known = self._latest.get((frame.kind, frame.place))
        if not self._belongs(frame) or (known and _said(known) == _said(frame)):
            return False
        if not self._is_signed(frame):
            if isinstance(frame.payload, Vote | EpochBody) and frame.payload.since != self._steps.tip.epoch:
                return False  # its place may have come back with other keys since
            self._steps.commands.append(Strike(sender, f"a {frame.kind.name} frame whose signature does not hold"))
            return False
        for before in (*self._latest.values(), *self._steps.slots.values()):
            cheat = contradiction([before, frame])
            if cheat:
                self._steps.disputes.convict(cheat, [before, frame])
                return False
        resumes = self._resumes(frame.payload) if isinstance(frame.payload, Claim) else []
        if resumes is None or not self._take(frame):
            return False
        for resume in resumes:  # who wants to be back may have told others so in other words
            self._take(resume)
        return True

    def _resumes(self, claim: Claim) -> list[Frame] | None:
        """Return the RESUMEs in a claim, None if one does not hold: then it is no claim, whoever passed it on."""
        try:
            frames = [open_frame(raw) for change in claim.changes for raw in change.back]
        except RemoteError:
            return None
        match, members = self._steps.settled.match, self._steps.tip.members
        sound = all(
            frame.kind is Kind.RESUME
            and frame.match == match
            and frame.place < members
            and self._belongs(frame)
            and (_said(frame) in map(_said, self._latest.values()) or self._is_signed(frame))
            for frame in frames
        )
        return frames if sound else None

    def confront(self, entries: Iterable[bytes]) -> None:
        """Compare the beginnings of epochs that stand in history with what was said to us of them."""
        held = {place: frame for (kind, place), frame in self._latest.items() if kind is Kind.EPOCH}
        for raw in [raw for entry in entries if held for raw in parse_entry(entry).bodies]:
            told = open_frame(raw)
            ours = told.match == self._steps.settled.match and told.place in held
            cheat = contradiction([held[told.place], told]) if ours else None
            if cheat and self._is_signed(told):
                self._steps.disputes.convict(cheat, [held[told.place], told])

    def _belongs(self, frame: Frame) -> bool:
        """Whether a frame is about what comes after the epoch that we are in."""
        tip = self._steps.tip
        if frame.kind in (Kind.VOTE, Kind.EPOCH):
            return frame.epoch > tip.epoch and frame.place in tip.live
        return frame.epoch == tip.epoch and (frame.place in tip.live) == (frame.kind is Kind.CLAIM)

    def _is_signed(self, frame: Frame) -> bool:
        if not isinstance(frame.payload, Resume):
            return is_signed(frame, self._steps.tip.keys[frame.place].session, self._signatures)
        stands_behind = delegated(self._steps.settled.genesis, frame.place, frame.payload)
        return is_signed(frame, frame.payload.session, self._signatures) and self._signatures.hold(*stands_behind)

    def _take(self, frame: Frame) -> bool:
        """Keep a frame if it is the latest of its kind by its place; of two that claim to be, all keep the same."""
        known = self._latest.get((frame.kind, frame.place))
        if frame.kind is Kind.RESUME:
            self._note(frame)
        if known and (known.epoch, known.step, _said(known)) > (frame.epoch, frame.step, _said(frame)):
            return False
        self._latest[frame.kind, frame.place] = frame
        if isinstance(frame.payload, Claim):
            self._steps.commands.append(Tell(Claimed(frame.place, *(frame.payload.changes or (None,)))))
        return True

    def _note(self, resume: Frame) -> None:
        """Count what who is out says, and tell it to all, so that all come to bear it no longer."""
        words = self._resumed.setdefault(resume.place, set())
        if resume.place != self._me and resume.raw not in words and len(words) <= limits.RESUMES_MOST:
            words.add(resume.raw)
            self._steps.commands.append(Send(self._steps.others, resume.raw))

    # What goes out

    def want(self, wanted: Wanted, now: float) -> None:
        """Take in what our player wants in the epoch that we are in."""
        self._drop_old()
        self.wanted = wanted
        self.advance(now)

    def advance(self, now: float) -> None:
        """Say what is ours to say, as far as the frames at hand allow."""
        self._drop_old()
        self._note_opening(now)
        waited = self._opening is not None and now >= self._opened + limits.VOTE_AGAIN
        if waited and not self._steps.journal.showed_in(self._steps.tip):
            self._turn_away(now)
            self._steps.step_back()
            self._steps.advance()  # what we had signed for beyond
            self._drop_old()
        if self._steps.parted is not None:
            return
        if self._me in self._steps.tip.live:
            desire = self._desire(now)
            self._claim(desire, now)
            if self._claimed(self._me) == desire:
                self._vote(now)
            self._begin()
            self._steps.advance()  # who has voted anew may show a link
        elif self.wanted.back:
            self._seal(Kind.RESUME, self._resume, self._steps.tip.epoch, self._steps.own.lost_at)
        self._note_opening(now)

    def _note_opening(self, now: float) -> None:
        """See since when the same beginning of an epoch waits for its lock."""
        if self._steps.unlocked.opening is not self._opening:
            self._opening, self._opened = self._steps.unlocked.opening, now

    def _turn_away(self, now: float) -> None:
        """Let nobody back for a while who had us begin an epoch for them and did not sign for it, longer each time."""
        opening = self._steps.unlocked.opening
        change = opening.ledger.changed if opening else None
        silent = self._steps.unlocked.lacks(opening) if opening else []
        for place in [open_frame(raw).place for raw in change.back] if change else []:
            if place in silent:
                self._failed[place] = tries = self._failed.get(place, 0) + 1
                self._away_until[place] = now + limits.VOTE_AGAIN * 2 ** min(tries, limits.RETURNS_MOST)

    @property
    def _me(self) -> Place:
        return self._steps.own.place

    @property
    def _others(self) -> int:
        """A bit mask of the others who play."""
        return sum(1 << place for place in self._steps.tip.live if place != self._me)

    def _drop_old(self) -> None:
        """Forget what belongs to epochs that are over; what was wanted in them is done or void."""
        tip = self._steps.tip
        if tip.epoch != self._epoch:
            self._epoch, self._until, self._stalled, self._tries = tip.epoch, float("-inf"), (), 0
            self._claimed_at = self._left_at = self._voting_at = float("inf")
            self._resumed.clear()
            self.wanted = Wanted(back=self.wanted.back and self._me not in tip.live)
            self._drop_keys()
            self._recall()
        for key, frame in list(self._latest.items()):
            if frame.epoch <= tip.epoch if frame.kind in (Kind.VOTE, Kind.EPOCH) else frame.epoch != tip.epoch:
                del self._latest[key]

    def _drop_keys(self) -> None:
        """Forget what was signed with keys that are lost: whoever came back with new ones cannot know of it."""
        sessions = [keys.session for keys in self._steps.tip.keys]
        for key in [key for key in self._latest if sessions[key[1]] != self._sessions[key[1]]]:
            del self._latest[key]
        self._sessions = sessions

    def _seal(
        self, kind: Kind, payload: Claim | Vote | EpochBody | Resume, epoch: int, step: Step, head: Digest = NOTHING
    ) -> None:
        self._take(self._steps.journal.seal(kind, payload, epoch, step, head))

    def _claimed(self, place: Place) -> Change | None:
        frame = self._latest.get((Kind.CLAIM, place))
        return (
            frame.payload.changes[0] if frame and isinstance(frame.payload, Claim) and frame.payload.changes else None
        )

    def _votes(self) -> dict[Place, tuple[Frame, Vote]]:
        """Return the latest votes to leave the epoch that we are in, by place."""
        since = self._steps.tip.epoch
        return {
            place: (frame, frame.payload)
            for (_, place), frame in self._latest.items()
            if isinstance(frame.payload, Vote) and frame.payload.since == since
        }

    @property
    def _leaving(self) -> bool:
        """Whether somebody voted to leave our epoch; whoever did signs nothing in it any more."""
        return bool(self._votes()) or self._steps.journal.promised > self._steps.tip.epoch

    def _yields(self, now: float) -> bool:
        """Whether nobody who is heard counts as late for now.

        If somebody left the epoch, but those who are there do not come to find the same places late, they first try to
        go on together; every other minute, but not after an epoch that changed nothing: they did so before.
        """
        tip, claimed = self._steps.tip, self._claimed(self._me)
        if not self._leaving:
            return False
        self._left_at = min(self._left_at, now)
        agreed = (
            claimed is not None
            and not self.late & self._others & ~claimed.out  # else all agree since they yield, and are to go on so
            and all(self._claimed(place) == claimed for place in tip.voters(claimed))
        )
        since = now - self._left_at - limits.VOTE_AGAIN
        try_now = since % (2 * limits.DISSENT_PATIENCE) < limits.DISSENT_PATIENCE
        return not agreed and tip.changed != NO_CHANGE and since >= 0 and try_now

    def _desire(self, now: float) -> Change | None:
        """Return the change that we want now: that somebody is out comes first, then who is back, then wishes."""
        tip, wanted, convicted = self._steps.tip, self.wanted, self._steps.disputes.convicted
        others = self._others
        late = self.late & ~self.heard if self._yields(now) else self.late
        out = (late | wanted.out | convicted) & others
        if out:  # clocks differ: who is gone for others whom we hear, and whom we do not hear either, is gone
            for place in tip.live:
                claimed = self._claimed(place) if self.heard >> place & 1 else None
                out |= claimed.out & others & ~self.heard if claimed else 0
        gone = out & (convicted | wanted.out | ~self.heard)
        silent = out & (convicted | wanted.out | sum(1 << place for place in self._playing_owe()))
        back = tuple[bytes, ...]()
        for place in range(tip.members):
            frame = self._latest.get((Kind.RESUME, place))
            fit = not convicted >> place & 1 and len(self._resumed.get(place, ())) <= limits.RESUMES_MOST
            fit = fit and now >= self._away_until.get(place, 0.0)
            more = (*back, frame.raw) if frame and fit else back
            if _can_be_made(tip, Change(0, more, 0, 0)):  # what cannot be must not keep the others from coming back
                back = more
        rest = wanted.adjourn and not tip.resting
        left = self._leaving or (wanted.back and tip.resting)
        wishes = [
            (out, Change(out, (), 0, int(rest))),
            (gone, Change(gone, (), 0, int(rest))),  # too many are late, some of them for others' sake
            (silent, Change(silent, (), 0, int(rest))),
            (back, Change(0, back, 0, 0)),
            (wanted.rewind, Change(0, (), wanted.rewind, 0)),
            (rest, Change(0, (), 0, 1)),
            (left, NO_CHANGE),
        ]
        for wished, change in wishes:
            if wished and self._is_possible(change):
                return change
        return None

    def _is_possible(self, change: Change) -> bool:
        if not _can_be_made(self._steps.tip, change):
            missing = tuple(place for place in self._steps.tip.live if change.out >> place & 1)
            if missing and missing != self._stalled:
                self._stalled = missing
                self._steps.commands.append(Tell(Stalled(missing)))
            return False
        return True

    def _claim(self, change: Change | None, now: float) -> None:
        if change == self._claimed(self._me):
            self._claimed_at = min(self._claimed_at, now)  # one from before we were stopped stands from now on
            return
        if now < self._said_at + limits.STATUS_EVERY:
            return  # once a second is enough: each claim is kept
        self._said_at = now
        before, known = self._claimed(self._me), self._latest.get((Kind.CLAIM, self._me))
        if change is None or before is None or before.out & ~change.out:
            self._claimed_at = now  # else we want more of the same
        number = known.step + 1 if known else 1
        self._seal(Kind.CLAIM, Claim((change,) if change else ()), self._steps.tip.epoch, number)
        # what is owed may still come; but proof that somebody cheated does not go away
        waits = change is not None and change.out & ~self._steps.disputes.convicted
        waits = waits or change == NO_CHANGE == self._steps.tip.changed  # or nobody could ever act in between
        self._until = now + limits.CHALLENGE if waits else now

    def _vote(self, now: float) -> None:
        """Leave the epoch once everybody who must agree claims the same as we do.

        If nothing came of a vote for long, we vote anew even so: until we sign for the later epoch we may show a link
        that others wait for.
        """
        steps, change = self._steps, self._claimed(self._me)
        if change is None or now < self._until or not steps.journal.stands_behind(steps.tip):
            return
        tip = steps.tip
        voters = tip.voters(change)
        votes = self._votes()
        patience = limits.VOTE_AGAIN * min(self._tries, limits.VOTE_AGAIN_MOST)
        again = self._me in votes and now >= self._until + patience
        again |= self._me not in votes and steps.journal.promised > tip.epoch  # we are silent, and nobody here knows
        agreed = all(self._claimed(place) == change for place in voters)
        if not (agreed or again) or (tip.drawing and not self._may_draw_anew(change, tip)):
            return
        self._voting_at = min(self._voting_at, now)
        mine = votes.get(self._me)
        if mine and now < self._voted_at + limits.STATUS_EVERY:
            return  # each vote is kept
        far = tip.epoch + limits.VOTE_LEAD * (1 + 2 * int((now - self._voting_at) / limits.STATUS_EVERY))
        with_us = [
            frame.epoch
            for place, (frame, vote) in votes.items()
            if place in voters and vote.change == change and frame.epoch <= far
        ]
        fresh = again or mine is None or mine[1].change != change or mine[1].spent < steps.journal.spent
        least = max(tip.epoch, steps.journal.promised) + 1 if fresh else tip.epoch + 1
        epoch = max([least, *with_us])
        if epoch > steps.journal.promised:
            steps.journal.promised = epoch
            self._until, self._voted_at, self._tries = now, now, self._tries + 1
            vote = Vote(tip.epoch, change, tip.step, steps.journal.spent, steps.lately())
            self._seal(Kind.VOTE, vote, epoch, 0, tip.head)

    def _begin(self) -> None:
        """Sign for the epoch that all voted for, and begin it once all have signed."""
        steps = self._steps
        tip, votes = steps.tip, self._votes()
        if self._me not in votes:
            return
        epoch, change = votes[self._me][0].epoch, votes[self._me][1].change
        voters = tip.voters(change)
        cast = [
            votes[at] for at in voters if at in votes and votes[at][0].epoch == epoch and votes[at][1].change == change
        ]
        bodies = self._bodies(epoch, voters)
        if len(cast) < len(voters):
            if bodies:  # somebody holds votes that we do not
                self._spread_votes(epoch, [frame for frame, _ in votes.values() if frame.epoch == epoch])
            return
        lead, self._unfounded = ways(steps, cast, self._signatures)
        base = None if self._unfounded else turning(steps, lead, cast)
        if base is None:  # nobody else can follow either, or our STATUS says that we are behind
            return
        news, ledger = base
        body = EpochBody(ledger.state, tip.epoch, change, ledger.attempts + shown(ledger, lead, cast))
        if steps.journal.sworn < epoch:
            known = not self._may_draw_anew(change, ledger)
            if known or body.attempts < steps.journal.spent or not _can_be_made(ledger, change):
                return
            if parted(steps, news):  # until it begins we stand where we signed, and vote from there
                steps.journal.lend(body for each in news for body in each.frames[: len(each.entry.bodies)])
            elif news and news[0].entry.step >= steps.settled.step:
                steps.rebase(news)
                news = [each for each in news if each.entry.step >= steps.settled.step]
            steps.journal.sworn, steps.journal.leaves = epoch, tip.epoch
            self._seal(Kind.EPOCH, body, epoch, ledger.step, ledger.head)
        bodies = self._bodies(epoch, voters)
        if any((said.step, said.head, said.payload) != (ledger.step, ledger.head, body) for said in bodies):
            self._spread_votes(epoch, [frame for frame, _ in cast])
        elif len(bodies) == len(voters):
            begun = ledger.copy()
            begun.perform(bodies)
            if steps.may_begin(begun):
                steps.begin_epoch(news, ledger, bodies)

    def _bodies(self, epoch: Epoch, voters: Iterable[Place]) -> list[Frame]:
        """Return the EPOCH bodies that are here for an epoch, in the order of its voters."""
        return [frame for at in voters if (frame := self._latest.get((Kind.EPOCH, at))) and frame.epoch == epoch]

    def _may_draw_anew(self, change: Change, base: Ledger) -> bool:
        """Whether a draw may be made with new links: what it was to be may be known to nobody but who is put out."""
        steps = self._steps
        if steps.journal.spent <= base.attempts:
            return True
        withheld = lacking(steps)
        return bool(withheld) and all(change.out >> place & 1 for place in withheld)

    def _spread_votes(self, epoch: int, votes: Iterable[Frame]) -> None:
        """Show everybody the votes that we hold, once: if they lead others elsewhere, somebody voted twice."""
        if self._spread < epoch:
            self._spread = epoch
            self._steps.commands += [Send(self._steps.others, vote.raw) for vote in votes]

    def owing(self, now: float) -> dict[Place, Kind]:
        """Return who keeps the table waiting, and by what; nobody has to agree to a mere wish.

        Whoever we want out must agree to all of it but that: else it would be in time again as soon as it is too late.
        """
        steps, change = self._steps, self._claimed(self._me)
        owing = self._playing_owe()
        due = change is not None and not change.rewind and not change.adjourn and not change.out & ~self.late
        if change is not None and due:
            for place in steps.tip.live:
                patience = limits.DISSENT_PATIENCE if self.heard >> place & 1 else limits.CLAIM_PATIENCE
                theirs = change._replace(out=change.out & ~(1 << place))
                if now >= self._claimed_at + patience and self._claimed(place) != theirs:
                    owing.setdefault(place, Kind.CLAIM)
        mine, body = self._votes().get(self._me), self._latest.get((Kind.EPOCH, self._me))
        if mine is None:
            return owing
        voters, epoch = steps.tip.voters(mine[1].change), mine[0].epoch
        said = {at: self._latest.get((Kind.VOTE, at)) for at in voters}
        unsaid = [at for at, vote in said.items() if vote is None or vote.epoch != epoch or at in self._unfounded]
        if unsaid:  # nobody can sign for an epoch before all have voted for it
            return dict.fromkeys(unsaid, Kind.VOTE) | owing
        signed = {at: self._latest.get((Kind.EPOCH, at)) for at in voters}
        agreed = {at for at, one in signed.items() if one and one.epoch == epoch and (not body or _same(one, body))}
        return {at: Kind.EPOCH for at in voters if at not in agreed} | owing

    def _playing_owe(self) -> dict[Place, Kind]:
        """Return what is owed for the step under way; whoever voted to leave the epoch cannot sign for it any more.

        But of a draw for which we showed our link we need all links, or to put out whoever keeps theirs; and to vote
        for what nobody else wants is no way to go on thinking.
        """
        voted, showed, ours = self._votes(), self._steps.journal.showed_in(self._steps.tip), self._claimed(self._me)
        agree = {at for at, (_, vote) in voted.items() if vote.change == ours != NO_CHANGE}
        return {
            place: kind
            for place, kind in owing(self._steps).items()
            if place not in voted or showed or (kind in THOUGHT and place not in agree)
        }


def _can_be_made(ledger: Ledger, change: Change) -> bool:
    try:
        ledger.check_change(change)
    except RemoteError:
        return False
    return True


def _said(frame: Frame) -> bytes:
    """Return what tells one word of a place from another; of a RESUME its signature, too, since claims hold it."""
    return frame.raw if frame.kind is Kind.RESUME else frame.body


def _same(one: Frame, other: Frame) -> bool:
    """Whether two places sign for the same beginning."""
    return (one.epoch, one.step, one.head, one.payload) == (other.epoch, other.step, other.head, other.payload)
