"""Every kind of open deal of Once Around The Sun, and whether withholding pays in one, or in another secret choice.

A deal opens where a trip first ends on or past 32 (R8). What may differ from one to another: how many seats there are,
which of them deal, the track, whether the trip ends on 32 or 64 (R3 and R4 know no other), and `Circumstances`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple, TypeVar, cast

from sunward_protocol.games import game
from sunward_protocol.games.around.actions import TO_PARTNER, play
from sunward_protocol.games.around.board import COLOURS, SEATS
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.game import Action, Seat
from support.around_positions import BOARD, table
from support.matches import Stream

PositionT = TypeVar("PositionT", bound=game.Position)


class Circumstances(NamedTuple):
    """What else is so at the table; each may be or not."""

    crowd: bool = False  # a third seat has a token below 32 on the track, so the partner is named
    circle: bool = False  # R9 is spent there
    group: bool = False  # the trip completes a group (R10)
    last_action: bool = False
    last_turn: bool = False
    no_deck: bool = False
    last_track: bool = False  # all others are finished: where the trip ends on the last space it ends the match (E1)


PLAIN = (Circumstances(),)
ALL = tuple(Circumstances(*flags) for flags in product((False, True), repeat=len(Circumstances._fields)))


def deals(seat_counts: Sequence[int] = SEATS, kinds: Sequence[Circumstances] = ALL) -> Iterator[Position]:
    """Yield an open deal for each number of seats, two of them, track, space and circumstances."""
    for seats in seat_counts:
        for (active, partner), track, end, kind in product(
            permutations(range(seats), 2), range(BOARD.tracks), (32, 64), kinds
        ):
            yield _open(seats, active, partner, track, end, kind)


def _open(seats: int, active: Seat, partner: Seat, track: int, end: int, kind: Circumstances) -> Position:
    others = [seat for seat in range(seats) if seat != active]
    name = BOARD.names[track]
    tokens = {BOARD.names[one]: f"{COLOURS[active]} 1" for one in BOARD.companions[track] if kind.group}
    tokens[name] = f"{COLOURS[partner]} 16"
    if end == 64:
        tokens[name] += f", {COLOURS[active]} 1"
    if kind.crowd:
        tokens[name] += f", {COLOURS[next(seat for seat in others if seat != partner)]} 2"
    position = table(
        f"{name} leaf smiley",
        seats=seats,
        order=[*others, active] if kind.last_turn else [active, *others],
        turn=seats - 1 if kind.last_turn else 0,
        actions_left=1 if kind.last_action else 2,
        deck="" if kind.no_deck else None,
        finished=" ".join(BOARD.names[one] for one in range(BOARD.tracks) if kind.last_track and one != track),
        passed=f"{name}:circle" if kind.circle else "",
        tokens=tokens,
    )
    position.apply(active, play(0, track))
    if position.chance_due():
        position.draw(Stream(1))
    if position.to_act() == (active,):
        position.apply(active, TO_PARTNER | partner)
    assert position.secret
    assert set(position.to_act()) == {active, partner}
    return position


def settle(position: PositionT, chosen: Mapping[Seat, Action | None]) -> PositionT:
    """Return where the choices of a secret step lead; `None` is one that was withheld."""
    position = position.copy()
    withheld = [seat for seat, choice in chosen.items() if choice is None]
    if withheld:
        position.withhold(withheld)
    else:
        for seat, choice in sorted(chosen.items()):
            position.apply(seat, cast("Action", choice))
    return position


def withholding_pays(position: PositionT, points: Callable[[PositionT], Sequence[int]]) -> bool:
    """Whether a seat can see, or foresee, anything of the other's choice upon which it had better withhold its own.

    Better than by any one of its choices: in points, in its lead over any seat, or in winning.
    """
    pair = position.to_act()
    for seat, other in (pair, pair[::-1]):
        for seen in (*position.legal(other), None):
            withheld = _worth(settle(position, {seat: None, other: seen}), seat, points)
            for choice in position.legal(seat):
                chosen = _worth(settle(position, {seat: choice, other: seen}), seat, points)
                if any(ours > its for ours, its in zip(withheld, chosen, strict=True)):
                    return True
    return False


def _worth(position: PositionT, seat: Seat, points: Callable[[PositionT], Sequence[int]]) -> tuple[int, ...]:
    """Return points, leads and victory of a seat: more of each is better."""
    result, paid = position.result(), points(position)
    return paid[seat], *[paid[seat] - other for other in paid], result is not None and seat in result.winners
