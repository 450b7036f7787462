"""How a client's model follows its node: one event after the other.

Must never change a position: a model's is replaced by a copy that went on.
"""

from dataclasses import replace
from typing import assert_never

from sunward_client.agreeing import (
    MARKS,
    Told,
    away_told,
    change_told,
    claim_told,
    clocked,
    policy_told,
    stalled_told,
)
from sunward_client.events import (
    Applied,
    Away,
    Back,
    Change,
    Changed,
    Claimed,
    Clock,
    Drawn,
    Event,
    Hello,
    Invite,
    Lobby,
    Offer,
    Over,
    Refused,
    Rewound,
    Said,
    Stalled,
    StandIn,
    Trouble,
    Turn,
)
from sunward_client.model import Entry, Match, Model, Moment, Played, name_of, playing, strangers
from sunward_protocol.draws import DrawStream
from sunward_protocol.errors import IllegalAction, LocalError
from sunward_protocol.games.catalog import find
from sunward_protocol.games.game import Seat

_TAKES_BACK = "Type me to take your seat back."

OUTSIDE = "outside"
"""The code of what keeps a node out of a match that its person would come back to."""

_NO_FAULT = ("request", OUTSIDE, "silence", "away", "back", "put-out", "void")
"""Codes of what is told as it is, since nothing is wrong: somebody asked for what cannot be, or is waited for."""


def update(model: Model, event: Event) -> Model:
    """Return the model after an event; raise `LocalError` if the event cannot follow what came before."""
    model = replace(model, news=())
    match event:
        case Hello():
            return _hello(model, event)
        case Lobby():
            return _lobby(model, event)
        case Applied():
            return _applied(model, event)
        case Drawn():
            return _drawn(model, event)
        case Rewound(step):
            return _rewound(model, step)
        case Turn():
            return replace(model, turn=event)
        case Away(seat):
            if seat in model.away:
                return model
            away = tuple(sorted((*model.away, seat)))
            waits = model.match is not None and seat not in model.out
            told = away_told(playing(model)[0].company, seat) if waits else Told(f"{name_of(model, seat)} is away.")
            return _tell(replace(model, away=away), told)
        case Back(seat):
            away, stalled = _without(model.away, seat), _without(model.stalled, seat)
            return _tell(replace(model, away=away, stalled=stalled), f"{name_of(model, seat)} is back.")
        case Changed():
            return _changed(model, event)
        case Claimed(seat, change):
            return _claimed(model, seat, change)
        case Stalled(seats):
            if model.match is None:
                return model
            here = not set(seats) & set(model.away)
            return _tell(replace(model, stalled=seats), stalled_told(model.match.company, seats, here=here))
        case Clock():
            return _clock(model, event)
        case StandIn(bot):
            plays = Told("You play yourself.") if bot is None else Told(f"{bot} plays for you.", _TAKES_BACK)
            return _tell(replace(model, stand_in=bot), plays)
        case Refused(ruling, sentence):
            return _tell(model, f"Refused: {sentence} ({ruling})")
        case Trouble(code, sentence):
            outside = model.outside or (code == OUTSIDE and model.match is None)
            return _tell(
                replace(model, outside=outside), sentence if code in _NO_FAULT else f"Trouble ({code}): {sentence}"
            )
        case Over(file):
            return _over(model, file)
        case Said(name, words, text):
            return model if words in model.muted else _tell(model, f"{_speaker(model, name, words)}: {text}")
        case Offer(name):
            return _tell(replace(model, offer=event), Told(f"{name} offers another match.", "Type rematch to accept."))
        case Invite(invite):
            return _tell(model, "Whoever lost their files and is put out types: sunward rejoin, and this line:", invite)
        case _:
            assert_never(event)


def _lobby(model: Model, lobby: Lobby) -> Model:
    """Tell what changed at a table with other people; a table of one's own bots fills in silence."""
    before = model.lobby
    model = replace(model, lobby=lobby)
    if not model.company and not (before and any(strangers(before))):
        return model if before else _tell(model, "The table is being set.")
    old = {member.words: member for member in before.members} if before else {}
    new = {member.words: member for member in lobby.members}
    told = [lobby.text] if before is None or before.text != lobby.text else []
    for words, member in new.items():
        owner = f", bot of {member.owner}," if member.owner else ""
        if words not in old:
            told.append(f"{member.name} [{words}]{owner} is at the table.")
        elif member.name != old[words].name:
            told.append(f"{old[words].name} [{words}] is called {member.name} now.")
        if member.ready != (words in old and old[words].ready):
            told.append(f"{member.name} is {'ready' if member.ready else 'not ready any more'}.")
    told += [f"{member.name} left." for words, member in old.items() if words not in new]
    return _tell(model, *told)


def _hello(model: Model, hello: Hello) -> Model:
    fresh = Model(model.look, lobby=model.lobby, muted=model.muted)
    if hello.match is None:
        return fresh
    ruleset = find(hello.game).load(hello.components.encode(), "the component data of this match")
    position = ruleset.start(len(hello.names), hello.options)
    names = tuple(model.look.name(seat, name) for seat, name in enumerate(hello.names))
    match = Match(ruleset, hello.match, names, hello.words, hello.you, bool(hello.clock))
    begun = replace(fresh, match=match, position=position, out=hello.out)
    policy = [policy_told(hello.clock.get("bank", 0), hello.clock.get("increment", 0))] if hello.clock else []
    return _tell(begun, f"The match begins: {', '.join(names)}.", *policy)


def _over(model: Model, file: str) -> Model:
    """Enter the final scoring into the log, where it can be looked up."""
    match, position = playing(model)
    lines = match.ruleset.words.tell_result(position, match.names) if position.result() is not None else []
    model = _tell(replace(model, file=file, turn=None), *lines)
    return replace(model, news=())


def _speaker(model: Model, name: str, words: str) -> str:
    match = model.match
    return match.names[match.words.index(words)] if match is not None and words in match.words else name


def _applied(model: Model, event: Applied) -> Model:
    match, before = playing(model)
    model = _enter(model, event.step)
    position = before
    sentences: list[str] = []
    played: list[Played] = []
    for action in event.actions:
        try:
            position.check(event.seat, action)
        except IllegalAction as error:
            raise LocalError(
                f"The node played step {event.step} by other rules than this client knows: {error}. "
                "Are both the same version?"
            ) from error
        sentences.append(match.ruleset.words.tell(position, event.seat, action, match.names))
        earlier, position = position, position.copy()
        position.apply(event.seat, action)
        played.append(Played(event.step, event.seat, action, earlier, position))
    if event.autopilot:
        sentences[-1] += " (autopilot)"
    stalled = _without(model.stalled, event.seat)
    model = replace(model, position=position, turn=None, played=(*model.played, *played), stalled=stalled)
    return _tell(model, *sentences)


def _drawn(model: Model, event: Drawn) -> Model:
    match, before = playing(model)
    model = _enter(model, event.step)
    if not before.chance_due():
        return model  # it stands for what a seat on autopilot chose in secret, which is told once all is shown
    position = before.copy()
    draws = position.draw(DrawStream(event.randomness))
    words = match.ruleset.words
    model = replace(
        model, position=position, turn=None, draws=model.draws + tuple(words.draw_json(draw) for draw in draws)
    )
    told = _tell(model, *("  " + words.tell_draw(draw, match.names) for draw in draws))
    return replace(told, news=())  # the table shows what there is now; the log, how it came


def _rewound(model: Model, step: int) -> Model:
    """Forget a step and all after it: another comes in its place."""
    before = _before(model, step)
    if before is None:
        return replace(model, turn=None)
    model = replace(_back_to(model, before), log=model.log[: before.logged])
    return _tell(model, f"What was drawn in step {step} is drawn anew, as somebody was put out meanwhile.")


def _before(model: Model, step: int) -> Moment | None:
    return next((moment for moment in model.moments if moment.step >= step), None)


def _back_to(model: Model, moment: Moment) -> Model:
    return replace(
        model,
        moments=tuple(earlier for earlier in model.moments if earlier.step < moment.step),
        position=moment.position,
        draws=model.draws[: moment.drawn],
        played=model.played[: moment.played],
        turn=None,
    )


def _changed(model: Model, event: Changed) -> Model:
    """Follow a change of who plays, as every replica does; the log keeps what was taken back, since it was seen."""
    if model.match is None:
        return model  # the hello will say who is out
    change, match = event.change, model.match
    before = None if change.rewind is None else _before(model, change.rewind)
    if before is not None:
        model = _back_to(model, before)
    model = _enter(model, event.step)
    _, position = playing(model)
    told = [] if change.goes_on and not model.resting else change_told(match.company, change)
    late = [seat for seat in position.to_act() if seat in change.out]
    if position.secret and late:
        position = position.copy()
        position.withhold(late)
    out = tuple(sorted({*model.out, *change.out} - set(change.back)))
    model = replace(
        model, position=position, turn=None, out=out, claims=(), stalled=(), resting=change.adjourned, clock=None
    )
    return _tell(model, *told)


def _claimed(model: Model, seat: Seat, change: Change | None) -> Model:
    """Tell what a seat wants; of what several want, whoever wants it first and this client's own."""
    if model.match is None:
        return model
    others = tuple(claim for claim in model.claims if claim[0] != seat)
    if change is None:
        gone = len(others) < len(model.claims) and seat != model.match.you
        left = replace(model, claims=others)
        return _tell(left, f"{name_of(model, seat)} does not want that any more.") if gone else left
    known = seat != model.match.you and any(change == wanted for _, wanted in others)
    by_itself = change.back or (change.goes_on and not model.resting)  # the nodes agree on it without their players
    told = [] if known or by_itself else [claim_told(model.match.company, seat, change)]
    return _tell(replace(model, claims=(*others, (seat, change))), *told)


def _clock(model: Model, clock: Clock) -> Model:
    """Take over how the clocks stand, and warn whose own time runs out."""
    you = None if model.match is None else model.match.you
    before, model = model.clock, replace(model, clock=clock)
    if you is None or before is None or not (you in clock.running and you in before.running):
        return model
    passed = [mark for mark in MARKS if clock.left[you] <= mark < before.left[you]]
    return _tell(model, *[f"You have {clocked(mark)} left, then autopilot plays for you." for mark in passed[-1:]])


def _without(seats: tuple[Seat, ...], gone: Seat) -> tuple[Seat, ...]:
    return tuple(seat for seat in seats if seat != gone)


def _enter(model: Model, step: int) -> Model:
    """Remember where a step began, so that it can be taken back."""
    if step == model.step:
        return model
    if step < model.step:
        raise LocalError(f"The node told step {step} after step {model.step}. Are both the same version?")
    _, position = playing(model)
    moment = Moment(step, position, len(model.log), len(model.draws), len(model.played))
    return replace(model, moments=(*model.moments, moment))


def _tell(model: Model, *sentences: str | Told) -> Model:
    """Say it now, with what can be done about it, and keep what happened in the log."""
    told = [Told(each) if isinstance(each, str) else each for each in sentences]
    entries = tuple(Entry(max(0, model.step), each.said) for each in told)
    return replace(model, log=model.log + entries, news=tuple(map(str, told)))
