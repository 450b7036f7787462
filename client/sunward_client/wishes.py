"""What a person may want of the others at the table: to put out, take back, rest, come back, or let a bot play.

Must never do more than ask the node: whether it comes about, the others say.
"""

from collections.abc import Sequence

from sunward_client.command import Asked, Command, Reply, has_company
from sunward_client.events import Change
from sunward_client.model import playing, seat_named
from sunward_client.requests import Adjourn, GoOn, Invite, LetPlay, PutOut, Request, TakeBack, Wait


def _is_playing(asked: Asked) -> bool:
    """Whether this client plays in a match that is not over, with somebody else."""
    model = asked.model
    return model.match is not None and model.match.you is not None and not model.over


def _invite(asked: Asked) -> Reply:
    file = asked.model.file
    if file is not None:
        told = f"The match is over: nobody comes back to it. Whoever lost it may have a copy of your match file: {file}"
        return Reply([told], asked.draft)
    return Reply((), asked.draft, Invite())


def _has_people_to_come_back(asked: Asked) -> bool:
    """Whether anybody can be put out, and so come back: not of two players, nor of one person's own bots."""
    match = asked.model.match
    return _is_playing(asked) and has_company(asked) and match is not None and len(match.names) > 2


def _put_out(asked: Asked) -> Reply:
    match, _ = playing(asked.model)
    if asked.rest.lower() == "nobody":
        return Reply((), asked.draft, Wait())
    seat = seat_named(match, asked.rest)
    if seat is None:
        return Reply(["Say whom: putout red, putout R, putout NAME; putout nobody takes it back."], asked.draft)
    return Reply((), asked.draft, PutOut((seat,)))


def _take_back(asked: Asked) -> Reply:
    if asked.rest and not asked.rest.isdecimal():
        return Reply(["Say from which step on, as log counts them, or nothing for your own last: takeback 41."])
    return Reply((), asked.draft, TakeBack(int(asked.rest) if asked.rest else None))


def _yes(asked: Asked) -> Reply:
    change = asked.model.asked
    if change is None:
        return Reply(["Nobody wants anything of you just now."], asked.draft)
    return Reply((), asked.draft, _same(change))


def _same(change: Change) -> Request:
    """Return the wish that agrees with another's."""
    if change.out:
        return PutOut(change.out)
    if change.rewind is not None:
        return TakeBack(change.rewind)
    return Adjourn() if change.adjourned else GoOn()


def _let_play(asked: Asked, bot: str | None) -> Reply:
    if bot == "":
        return Reply(["Say which bot: bot greedy, bot random."], asked.draft)
    return Reply((), asked.draft, LetPlay(bot))


def _back(asked: Asked) -> Reply:
    return Reply(request=GoOn()) if _waits(asked) else Reply(["You are playing already."], asked.draft)


def _waits(asked: Asked) -> bool:
    """Whether the match goes on, for this client's person, only once they say so."""
    match = asked.model.match
    return match is not None and (asked.model.resting or match.you in asked.model.out)


WISHES: Sequence[Command] = (
    Command(("yes",), "", "agree to what another wants", _yes, lambda asked: asked.model.asked is not None),
    Command(
        ("wait",),
        "",
        "want nothing of that any more",
        lambda asked: Reply((), asked.draft, Wait()),
        lambda asked: asked.model.match is not None and asked.model.match.you in dict(asked.model.claims),
    ),
    Command(
        ("takeback",), "[STEP]", "ask to take back your last action, or all from a step on", _take_back, _is_playing
    ),
    Command(("putout",), "SEAT", "ask to let autopilot play on for somebody", _put_out, _is_playing),
    Command(
        ("adjourn",), "", "ask to let the match rest", lambda asked: Reply((), asked.draft, Adjourn()), _is_playing
    ),
    Command(
        ("back",),
        "",
        "play again, or ask to go on after a rest",
        _back,
        _waits,
        between=True,
    ),
    Command(
        ("invite",),
        "",
        "show how somebody put out comes back who lost their files",
        _invite,
        _has_people_to_come_back,
    ),
    Command(("bot",), "NAME", "let a bot play for you", lambda asked: _let_play(asked, asked.rest), _is_playing),
    Command(
        ("me",),
        "",
        "play yourself again",
        lambda asked: _let_play(asked, None),
        lambda asked: asked.model.stand_in is not None,
    ),
)
