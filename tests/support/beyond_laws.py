"""What holds of every position of Beyond the Sun, whoever plays: each law raises AssertionError where it is broken.

Must never ask the engine what it should ask the rules: pieces, cards and holders are counted here anew.
"""

from collections.abc import Callable, Mapping
from typing import Final

from sunward_protocol.games.beyond.board import LEVEL_OF
from sunward_protocol.games.beyond.counting import counted
from sunward_protocol.games.beyond.language import COUNTERS, LEVELS, NODES_MOST, Op
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.research import offered
from sunward_protocol.games.beyond.state import (
    ARGUMENT,
    AUTOMATED,
    AWARD,
    BASES,
    CARD,
    CLAIMS,
    COLONY,
    COLUMN,
    CRYSTAL,
    DISC,
    HOLDER,
    OVER,
    PEOPLE,
    PRIVATE,
    RESEARCHED,
    SEAT_BITS,
    SHIPS,
    SLOT,
    TABLE,
    count,
    power,
)
from sunward_protocol.games.beyond.turn import claimed
from sunward_protocol.games.game import Seat

CUBES: Final = 20
DISCS_A_KIND: Final = 8
AWARDS_IN_PLAY: Final = 4


def check_pieces(position: Position) -> None:
    """Twenty cubes and twenty-four discs each, no column too full, nothing below nothing."""
    s, box = position.s, position.board.components
    claims = [claimed(position, index) for index in range(AWARDS_IN_PLAY)]
    for seat, base in enumerate(BASES[: position.seats]):
        supply = s[base + COLUMN : base + COLUMN + 5]
        ships = sum([count(packed) for packed in s[base + SHIPS : base + SHIPS + 12] if packed])
        assert sum(supply) + s[base + PEOPLE] + ships + s[base + RESEARCHED].bit_count() == CUBES
        assert all(0 <= cubes <= most for cubes, most in zip(supply, box.columns, strict=True))
        assert s[base + CRYSTAL] >= 0
        assert s[base + PEOPLE] >= 0
        left = s[base + DISC + 1 : base + DISC + 4]
        automated = s[base + AUTOMATED + 1 : base + AUTOMATED + 4]
        placed = [0, 0, len([card for card in claims if seat in card])]
        for held in s[HOLDER:COLONY]:
            if held & 7 == seat + 1 and held >> 3:
                placed[(held >> 3) - 1] += 1
        for colony in s[COLONY:AWARD]:
            if colony & 7 == seat + 1:
                for kind in (colony >> 3 & 3, colony >> 5):
                    if kind:
                        placed[kind - 1] += 1
        assert [sum(three) for three in zip(left, automated, placed, strict=True)] == [DISCS_A_KIND] * 3
        assert min(left) >= 0


def check_cards(position: Position) -> None:
    """Every technology and every system is in exactly one place: on the table, offered, kept, colonized, in a deck."""
    s, box = position.s, position.board.components
    technologies = [card - 1 for card in s[SLOT:CARD] if card]
    kept = s[PRIVATE:TABLE]
    technologies += [card for card, keeper in enumerate(kept) if keeper] if any(kept) else []
    technologies += [card for deck in position.decks[:3] for layer in deck for card in layer]
    for entry in position.stack:
        if _operation(position, entry) in (Op.PICK, Op.PICK_OWN):
            technologies += offered(entry >> ARGUMENT)
    not_laid = [n for n, card in enumerate(box.technologies) if card.level == 0 and n not in technologies]
    assert sorted(technologies + not_laid) == list(range(len(box.technologies)))
    assert not not_laid or not any(s[SLOT:CARD])
    systems = [card - 1 for card in s[CARD:HOLDER] if card]
    systems += [card for card, colony in enumerate(s[COLONY:AWARD]) if colony]
    systems += [card for deck in position.decks[3:] for layer in deck for card in layer]
    assert sorted(systems) == list(range(len(box.systems)))


def check_control(position: Position) -> None:
    """A place is held by one seat of the table or none; between turns, by nobody weaker than another alone (J4)."""
    s, board = position.s, position.board
    between = _between_turns(position)
    for place in range(COLONY - HOLDER):
        holder = s[HOLDER + place] & 7
        assert holder <= position.seats
        if place not in board.held or not (s[CARD + place] or board.components.places[place].specialty):
            assert s[HOLDER + place] == 0
            continue
        powers = [power(s[base + SHIPS + place]) for base in BASES[: position.seats]]
        alone = powers.count(max(powers)) == 1
        assert not between or not alone or holder == 1 + powers.index(max(powers))


def check_say(position: Position) -> None:
    """While nothing is to be drawn and nothing is over, one seat has legal actions, each once, in order."""
    if position.chance_due() or position.s[OVER]:
        assert position.to_act() == ()
        assert (position.result() is not None) == bool(position.s[OVER])
        return
    (seat,) = position.to_act()
    legal = position.legal(seat)
    assert legal
    assert legal == sorted(set(legal))
    assert 0 <= legal[0] <= legal[-1] < 2**63
    assert not any(position.legal(other) for other in range(position.seats) if other != seat)
    for action in legal:
        position.check(seat, action)


def check_end(position: Position) -> None:
    """Between turns, as many discs as end the match lie on the achievements or can still come there (S4)."""
    s, board = position.s, position.board
    if not _between_turns(position):
        return
    reachable = 0
    for index, number in enumerate(s[AWARD:CLAIMS]):
        card = board.components.achievements[number - 1]
        done = claimed(position, index)
        able = [
            seat
            for seat in range(position.seats)
            if seat not in done
            and s[BASES[seat] + DISC + 3]
            and counted(position, seat, card.counter) + _to_come(position, seat, COUNTERS[card.counter]) >= card.least
        ]
        reachable += min(len(done) + len(able), len(board.awards[number - 1]))
    assert reachable >= board.end
    for seat in range(position.seats):
        unclaimed = sum(seat not in claimed(position, index) for index in range(AWARDS_IN_PLAY))
        assert s[BASES[seat] + DISC + 3] >= unclaimed


def _between_turns(position: Position) -> bool:
    return bool(position.stack) and _operation(position, position.stack[-1]) == Op.TURN


def _operation(position: Position, entry: int) -> int:
    return position.board.nodes[entry >> SEAT_BITS & NODES_MOST - 1][0]


def _to_come(position: Position, seat: Seat, counter: str) -> int:
    """Return at most how much more of a counter's things a seat can ever have."""
    bound = _STILL_TO_COME.get(counter)
    return bound(position, seat) if bound else 100


def _cubes(position: Position, seat: Seat) -> int:
    """Count the cubes that are not bound on technologies for good."""
    return CUBES - position.s[BASES[seat] + RESEARCHED].bit_count()


def _slots(levels: range) -> Callable[[Position, Seat], int]:
    """Count the slots that can still be researched, of these levels: a slot needs its card, or a deck with cards."""

    def left(position: Position, seat: Seat) -> int:
        s = position.s
        own = s[BASES[seat] + RESEARCHED]
        return sum(
            level in levels and not own >> slot & 1 and (s[SLOT + slot] > 0 or bool(position.decks[level - 1]))
            for slot, level in enumerate(LEVEL_OF)
        )

    return left


_STILL_TO_COME: Final[Mapping[str, Callable[[Position, Seat], int]]] = {
    "controlled": lambda position, _: len(position.board.held),
    "colonized": lambda position, _: position.s[COLONY:AWARD].count(0),
    "automation": lambda position, seat: sum(
        position.s[BASES[seat] + DISC + 1 : BASES[seat] + DISC + 3], len(position.board.held)
    ),
    "population": _cubes,
    "ships": _cubes,
    "power": lambda position, seat: 4 * _cubes(position, seat),
    "stronghold": lambda position, seat: 4 * _cubes(position, seat),
    "technologies": _slots(range(len(LEVELS))),
    **{f"level-{name}": _slots(range(level, level + 1)) for level, name in enumerate(LEVELS)},
}
"""By counter; ore and technologies of a type are not bounded here."""

LAWS: Final = (check_pieces, check_cards, check_control, check_say, check_end)
