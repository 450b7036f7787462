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
from sunward_protocol.games.around.board import Board
from sunward_protocol.games.around.cards import ORDERED, TURNED
from sunward_protocol.games.around.rules import CIRCLE_SPENT, apply
from sunward_protocol.games.around.scoring import good_deeds, places, standings
from sunward_protocol.games.around.state import DEAL, OVER, PARTNER, State
from sunward_protocol.games.game import Action, Draw, Seat

_CHOSE = {COOPERATE: "co-operated", RENEGE: "reneged", WITHHELD: "did not reveal a choice"}


def tell(before: State, seat: Seat, action: Action, names: Sequence[str]) -> str:
    """Return one sentence saying what `action` did to `before`."""
    after = before.copy()
    apply(after, seat, action)
    said = _lead(before, after, seat, action, names)
    return "; ".join([said, *_consequences(before, after, seat, names)]) + "."


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
        return f"{who} offered {names[argument]} the deal"
    board = before.board
    card = action >> CARD & CARDS
    name = board.names[card]
    if card >= board.tracks:
        on_row = after.on_row(card)
        moved = f" and moved {names[argument - 1]} up to {on_row[argument - 1]}" if argument else ""
        return f"{who} did a good deed, {name}, for space {on_row[seat]}{moved}"
    end = 1 << max(after.on_track(card)).bit_length() - 1
    took = ""
    if argument:
        track, space = taken_back(argument)
        took = f"took a token back from {space} on {board.names[track].capitalize()} and "
    return f"{who} {took}travelled to {name.capitalize()}, to space {end}"


def _consequences(before: State, after: State, seat: Seat, names: Sequence[str]) -> Iterable[str]:
    """Say what else came of an action, in the order of the rules."""
    board = before.board
    finished = after.finished & ~before.finished
    if finished:
        yield f"{board.names[finished.bit_length() - 1].capitalize()} is finished"
    gains = [(name, new - old) for name, old, new in zip(names, before.scores, after.scores, strict=False) if new > old]
    if gains:
        yield _and([f"{name} scored {gain}" for name, gain in gains])
    if after.phase == PARTNER:
        yield f"{names[seat]} may choose a partner for a deal"
    if after.phase == DEAL and before.phase != DEAL:
        yield f"{names[after.active]} and {names[after.partner]} have a deal to settle"
    reached = after.reached ^ before.reached
    if any(reached >> 3 * track & CIRCLE_SPENT for track in range(board.tracks)):
        yield "passing the red circle made the action free"
    if after.phase == OVER:
        yield "the match is over"


def _and(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
