"""The components as the rules look things up, for one number of seats; never a state.

Slots are numbered level by level from the top, places as in the file, technologies, events, systems and achievements
too. A *space* is an action space: first those of the basic box, then the guilds', the mats', the technologies'.
"""

from dataclasses import dataclass, field
from typing import Final

from sunward_protocol.games.beyond import grammar
from sunward_protocol.games.beyond.box import NO_EFFECT, Components
from sunward_protocol.games.beyond.components import SLOTS, TECHNOLOGIES, slug
from sunward_protocol.games.beyond.language import LEVELS, Node, Op

TREE: Final = {"I": TECHNOLOGIES["I"], **SLOTS}
"""Slots by level."""
SLOT_COUNT: Final = sum(TREE.values())
LEVEL_OF: Final = tuple(level for level, count in enumerate(TREE.values()) for _ in range(count))
"""By slot."""
SLOTS_AT: Final = tuple(
    tuple(slot for slot, level in enumerate(LEVEL_OF) if level == wanted) for wanted in range(len(LEVELS))
)
"""By level."""
LEVEL_MASK: Final = tuple(sum(1 << slot for slot in slots) for slots in SLOTS_AT)
COVERED_AT_FIRST: Final = LEVEL_MASK[1] | LEVEL_MASK[2]
"""Slots under an event card (S3)."""


@dataclass(frozen=True, slots=True)
class Board:
    """Tables of one set of components at a table of `seats`."""

    components: Components
    seats: int
    nodes: tuple[Node, ...]
    numbers: dict[Node, int]
    texts: tuple[str, ...]
    """What each node is called where a state is written down; no two are alike."""
    names: tuple[str, ...]
    """Technologies as typed."""
    spaces: tuple[int, ...]
    """The effect of each space."""
    space_names: tuple[str, ...]
    """Spaces as typed."""
    guilds: int
    """The first guild's space."""
    mats: tuple[int, ...]
    """The space of each mat, -1 for none."""
    of_technology: tuple[tuple[int, ...], ...]
    """The spaces of each technology."""
    repeatable: int
    """The one space where a pawn may stay (A1)."""
    researching: frozenset[int]
    """Spaces with a research in their effect."""
    before: tuple[tuple[int, int], ...]
    """By slot: the slots it is joined to, as a set of bits, and how many of them are needed (R1)."""
    places: tuple[int, ...]
    """The places on this table's map."""
    sol: int
    deep: int
    extra: int
    yards: tuple[int, ...]
    systems: tuple[tuple[int, ...], tuple[int, ...]]
    """The spaces for system cards of decks A and B."""
    held: tuple[int, ...]
    """Places that can be controlled."""
    neighbours: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    """Whither one point leads from a place, while the extra space is not there, and once it is."""
    anywhere: tuple[tuple[int, ...], tuple[int, ...]]
    """All places there are, likewise."""
    capacity: int
    """Cubes that the supply holds."""
    end: int
    """Discs on the achievement cards that call the end (E1)."""
    awards: tuple[tuple[int, ...], ...]
    """The slots of each achievement, as far as they are open at this table (S9)."""
    reachable: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    moves: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """Answers that come again and again, kept; what they depend on is packed into the key."""

    @classmethod
    def of(cls, components: Components, seats: int) -> "Board":
        """Return the tables for a number of seats."""
        program = components.program
        spaces: list[int] = []
        names: list[str] = []

        def add(name: str, *effects: int) -> tuple[int, ...]:
            found = tuple(range(len(spaces), len(spaces) + len(effects)))
            spaces.extend(effects)
            names.extend(name if len(effects) == 1 else f"{name} {index + 1}" for index in range(len(effects)))
            return found

        box = components.boxes[seats]
        for space in box:
            add(slug(space.name), space.effect)
        guilds = [add(slug(guild.name), guild.effect)[0] for guild in components.guilds]
        mats = [add(slug(mat.faction), mat.space)[0] if mat.space != NO_EFFECT else -1 for mat in components.mats]
        of_technology = [add(slug(card.name), *card.spaces) for card in components.technologies]
        kinds = [place.kind for place in components.places]
        lines = components.maps[seats].lines
        places = sorted({end for line in lines for end in line})
        of_kind = {kind: tuple(place for place in places if kinds[place] == kind) for kind in kinds}
        extra = of_kind["extra"][0]
        shown = tuple(tuple(place for place in places if open_ or place != extra) for open_ in (False, True))
        neighbours = tuple(
            tuple(
                tuple(end for end in there if place in there and ((place, end) in lines or (end, place) in lines))
                for place in range(len(kinds))
            )
            for there in shown
        )
        joined = [sum(1 << slot for slot in slots) for slots in components.joined]
        return cls(
            components=components,
            seats=seats,
            nodes=tuple(program.nodes),
            numbers={node: number for number, node in enumerate(program.nodes)},
            texts=tuple(grammar.write(program, number) for number in range(len(program.nodes))),
            names=tuple(slug(card.name) for card in components.technologies),
            spaces=tuple(spaces),
            space_names=tuple(names),
            guilds=guilds[0],
            mats=tuple(mats),
            of_technology=tuple(of_technology),
            repeatable=len(box) - 1,
            researching=frozenset(s for s, effect in enumerate(spaces) if _holds(program.nodes, effect, Op.RESEARCH)),
            before=((0, 0),) * TREE["I"] + tuple(zip(joined, components.needed, strict=True)),
            places=tuple(places),
            sol=of_kind["sol"][0],
            deep=of_kind["deep"][0],
            extra=extra,
            yards=of_kind["shipyard"],
            systems=(of_kind["A"], of_kind["B"]),
            held=tuple(place for place in places if kinds[place] not in ("sol", "deep")),
            neighbours=(neighbours[0], neighbours[1]),
            anywhere=(shown[0], shown[1]),
            capacity=sum(components.columns),
            end=components.ends[seats - 2],
            awards=tuple(card.slots[: _open_slots(card.kind, seats)] for card in components.achievements),
        )


def _open_slots(kind: str, seats: int) -> int:
    """S9: with 3 players the second slot of the A achievement is closed; more slots than seats are never needed."""
    return 1 if kind == "A" and seats == 3 else seats


def _holds(nodes: list[Node], number: int, wanted: Op) -> bool:
    """Whether an effect contains an operation."""
    op, *operands = nodes[number]
    return op == wanted or any(_holds(nodes, child, wanted) for child in children(op, operands))


def children(op: int, operands: list[int]) -> list[int]:
    """Return the numbers of a node's children."""
    return operands[_FIRST_CHILD[op] :] if op in _FIRST_CHILD else []


_FIRST_CHILD: Final[dict[int, int]] = {
    Op.SEQUENCE: 0,
    Op.PAY: 2,
    Op.PAY_SHIP: 0,
    Op.MAY: 0,
    Op.CHOOSE: 1,
    Op.TIMES: 1,
    Op.PER: 3,
    Op.ALL: 0,
    Op.OTHERS: 0,
}
