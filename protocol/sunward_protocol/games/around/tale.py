"""The match told in sentences: what an action did, what chance decided, how the scoring came out; judges nothing."""

from collections.abc import Iterable, Sequence

from sunward_protocol.games.around.actions import (
    ARGUMENTS,
    CARD,
    CARDS,
    COOPERATE,
    RENEGE,
    TO_DEAL,
    TO_PARTNER,
    WITHHELD,
    taken_back,
)
from sunward_protocol.games.around.board import EIGHT, Board
from sunward_protocol.games.around.cards import ORDERED, TURNED
from sunward_protocol.games.around.rules import CIRCLE_SPENT, EIGHT_SPENT, GROUP_BONUS, PAYOFFS, apply
from sunward_protocol.games.around.scoring import good_deeds, places, standings
from sunward_protocol.games.around.state import DEAL, OVER, PARTNER, State
from sunward_protocol.games.game import Action, Draw, Seat

_CHOSE = {COOPERATE: "cooperated", RENEGE: "reneged", WITHHELD: "did not reveal a choice"}


def tell(before: State, seat: Seat, action: Action, names: Sequence[str]) -> str:
    """Return one sentence saying what `action` did to `before`."""
    after = before.copy()
    apply(after, seat, action)
    said = _lead(before, after, seat, action, names)
    return "; ".join([said, *_consequences(before, after, seat, action, names)]) + "."


def tell_draw(board: Board, draw: Draw, names: Sequence[str]) -> str:
    """Return one sentence saying what chance decided."""
    kind, *values = draw
    if kind == ORDERED:
        return f"The turn order is {', '.join(names[seat] for seat in values)}."
    if kind == TURNED:
        card, position, out = values
        name = board.names[card].capitalize()
        return f"{name} was turned up, out of play, and left." if out else f"{name} was turned up at {position + 1}."
    return f"The discards were shuffled into a new deck of {values[0]}."


def tell_result(state: State, names: Sequence[str]) -> list[str]:
    """Return the final scoring line by line: tracks (E2), good deeds (E3), totals and who wins (E4)."""
    board = state.board
    lines: list[str] = []
    for track in range(board.tracks):
        paid = [f"{names[seat]} {points}" for seat, points in places(state, track)]
        lines.append(f"{board.names[track].capitalize()}: {', '.join(paid) or 'nobody'}.")
    for seat in range(state.seats):
        highest, count = good_deeds(state, seat)
        lines.append(f"Good deeds of {names[seat]}: {highest} × {count} = {highest * count}.")
    totals = standings(state)
    lines += [f"{names[seat]}: {total} in all." for seat, total in enumerate(totals)]
    best = max(totals)
    winners = [names[seat] for seat, total in enumerate(totals) if total == best]
    won = f"{winners[0]} wins" if len(winners) == 1 else f"{_and(winners)} share the win"
    return [*lines, f"{won} with {best}."]


def _lead(before: State, after: State, seat: Seat, action: Action, names: Sequence[str]) -> str:
    argument = action & ARGUMENTS
    who = names[seat]
    if action >= TO_DEAL:
        return f"{who} {_CHOSE[argument]}"
    if action >= TO_PARTNER:
        return f"{who} names {names[argument]}"
    board = before.board
    card = action >> CARD & CARDS
    name = board.names[card]
    if card >= board.tracks:
        space = after.on_row(card)[seat]
        moved = "moved to" if space > before.on_row(card)[seat] else "stayed on"
        return f"{who} {moved} {space} on {name}"
    end = 1 << max(after.on_track(card)).bit_length() - 1
    took = ""
    if argument:
        track, space = taken_back(argument)
        took = f"took a token back from {space} on {board.names[track].capitalize()} and "
    return f"{who} {took}travelled to {name.capitalize()}, to space {end}"


def _consequences(before: State, after: State, seat: Seat, action: Action, names: Sequence[str]) -> Iterable[str]:
    """Say what else came of an action, in the order of the rules, and for whom: each point with its cause."""
    board = before.board
    card = action >> CARD & CARDS
    if action < TO_PARTNER and card < board.tracks:
        yield from _token_home(before, after, seat, action)
    if action < TO_PARTNER and card >= board.tracks and action & ARGUMENTS:
        credited = (action & ARGUMENTS) - 1
        space = after.on_row(card)[credited]
        yield f"{names[credited]} moved up to {space}: {names[seat]} +{space}"
    finished = after.finished & ~before.finished
    if finished:
        yield f"{board.names[finished.bit_length() - 1].capitalize()} is finished"
    reached = after.reached ^ before.reached
    for track in range(board.tracks):
        if reached >> 3 * track & EIGHT_SPENT:
            paid = [(spaces & 2 * EIGHT - 1).bit_count() for spaces in after.on_track(track)]
            yield f"{board.names[track].capitalize()}'s {EIGHT}: {_paid(names, paid) or 'nobody'}"
    if after.phase == PARTNER and before.phase != PARTNER:
        yield f"{names[seat]} may choose a partner for a deal"
    if after.phase == DEAL and before.phase != DEAL:
        yield f"{names[after.active]} makes a deal with {names[after.partner]} on {board.names[after.used]}"
    if before.choice:
        lower, higher = sorted((before.active, before.partner))
        lower_paid, higher_paid = PAYOFFS[before.choice - 1][action & ARGUMENTS]
        yield f"the deal pays {names[lower]} {lower_paid} and {names[higher]} {higher_paid}"
    if any(reached >> 3 * track & CIRCLE_SPENT for track in range(board.tracks)):
        yield f"passing the red circle makes the action of {names[before.active]} free"
    for group, name in enumerate(("inner", "outer")):
        if (after.bonuses ^ before.bonuses) >> 2 * before.active + group & 1:
            yield f"all {name} tracks: {names[before.active]} +{GROUP_BONUS}"
    if after.phase == OVER:
        yield "the match is over"


def _token_home(before: State, after: State, seat: Seat, action: Action) -> Iterable[str]:
    """Say which token a third one sent home (R5)."""
    track = action >> CARD & CARDS
    held = before.on_track(track)[seat]
    argument = action & ARGUMENTS
    if argument and taken_back(argument)[0] == track:
        held ^= taken_back(argument)[1]
    gone = held & ~after.on_track(track)[seat]
    if gone:
        yield f"the one on {gone} came home"


def _paid(names: Sequence[str], paid: Sequence[int]) -> str:
    return ", ".join(f"{name} +{points}" for name, points in zip(names, paid, strict=False) if points)


def _and(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
