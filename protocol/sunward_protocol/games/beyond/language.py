"""The effect language: its operations, how each is written and what it does; never reads or carries one out.

    4 ore, 1 pop: research III      a cost before the colon, then the effect; nested costs stand in brackets
    grow 1; may [2 ore: enlist 2]   one effect after another
    choose 1 of [build 2] [grow 1]  brackets hold what is chosen, repeated, optional or for others

An effect is compiled once into *nodes*: tuples of small integers, the number of an `Op` first, the numbers of its
children among them. Equal effects are one node, so a state can name what is pending by a number.
"""

from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Final, TypeAlias

Node: TypeAlias = tuple[int, ...]

LEVELS: Final = ("I", "II", "III", "IIII")
TYPES: Final = ("scientific", "economic", "military", "commercial")
FOOD: Final = 1
ORE: Final = 2
DISCS: Final = {"food": FOOD, "ore": ORE, "either": FOOD | ORE}
"""Specialties: which of the two tracks a disc may come from."""

DISCOVERED: Final = 1
FREELY: Final = 2
QUIETLY: Final = 4
SKIPPING: Final = 8
BY_COLONIES: Final = 16
"""Flags of `research`; as its form below explains them."""

UNSEEN: Final = 1
"""The flag of a `jump` after which control is not looked at yet."""

STANDING: Final = {
    "gaps": "one of two prerequisites of a discovered technology may be missing",
    "humane": "1 ore may stand for one of the population that a cost loses",
    "discs": "discs may come from either track",
    "shortcuts": "one move reaches any place, save on leaving Sol or Deep Space",
}
"""Standing abilities and what they do, in the order of their bits."""
GAPS, HUMANE, ANY_DISC, SHORTCUTS = (1 << index for index in range(len(STANDING)))

COUNTERS: Final = (
    "controlled",
    "colonized",
    "automation",
    "population",
    "ore",
    "ships",
    "power",
    "stronghold",
    "technologies",
    *(f"level-{level}" for level in LEVELS),
    *TYPES,
)
"""What can be counted, by number: `counting` says how."""


class Op(IntEnum):
    """Every operation; those after `COPY` are the game's own steps, which no component file can write."""

    SEQUENCE = auto()
    PAY = auto()
    PAY_SHIP = auto()
    MAY = auto()
    CHOOSE = auto()
    TIMES = auto()
    PER = auto()
    ALL = auto()
    OTHERS = auto()
    GAIN = auto()
    GROW = auto()
    BUILD = auto()
    ENLIST = auto()
    UPGRADE = auto()
    REFIT = auto()
    JUMP = auto()
    WARP = auto()
    AUTOMATE = auto()
    RESEARCH = auto()
    COLONIZE = auto()
    INFILTRATE = auto()
    SHIFT = auto()
    GUILD = auto()
    POINTS = auto()
    KEEP = auto()
    CHART = auto()
    COPY = auto()
    SET_UP = auto()
    FACTION = auto()
    EQUIP = auto()
    TURN = auto()
    PRODUCE = auto()
    TRADE = auto()
    ACHIEVE = auto()
    PASS = auto()
    EVENT = auto()
    TYPE = auto()
    ANY_TYPE = auto()
    TURN_UP = auto()
    PICK = auto()
    PICK_OWN = auto()
    DISCOVER = auto()
    OUTPOST = auto()
    SETTLE = auto()
    FOUND_COLONY = auto()
    FILL = auto()
    SECOND_DISC = auto()
    INVADE = auto()
    LOOK = auto()


NODES_MOST: Final = 1 << 10
"""A pending effect is named in ten bits; the built-in file has about 200 nodes."""
STEPS: Final = tuple(op for op in Op if op > Op.COPY)


@dataclass(frozen=True, slots=True)
class Form:
    """How an operation is written and what it does, for the reference."""

    written: str
    meaning: str


FORMS: Final = {
    Op.SEQUENCE: Form("EFFECT; EFFECT; …", "one after another; what can do nothing is passed over"),
    Op.PAY: Form("[N ore][, N pop]: EFFECT", "pay, then the effect; population lost returns to the supply"),
    Op.PAY_SHIP: Form("…, ship: EFFECT", "a ship of your choice returns to the supply, then the effect"),
    Op.MAY: Form("may [EFFECT]", "carry it out or not"),
    Op.CHOOSE: Form("choose M of [EFFECT] [EFFECT] …", "M different ones of these, in any order"),
    Op.TIMES: Form("times N [EFFECT]", "N times in a row"),
    Op.PER: Form("per [N] COUNTER [max M] [EFFECT]", "once for every N of what is counted, M times at most"),
    Op.ALL: Form("all [EFFECT]", "every faction in turn order, the active one first"),
    Op.OTHERS: Form("others [EFFECT]", "every other faction in turn order"),
    Op.GAIN: Form("gain N", "N ore"),
    Op.GROW: Form("grow N", "N cubes of the leftmost filled columns become population"),
    Op.BUILD: Form("build L [at PLACE]", "a supply cube becomes a ship of level L, at Sol or at an own shipyard (J1)"),
    Op.ENLIST: Form("enlist L [at PLACE]", "a population cube becomes a ship of level L, placed likewise"),
    Op.UPGRADE: Form("upgrade N", "N levels, given to your ships as you like"),
    Op.REFIT: Form("refit N", "up to N different ships rise by one level"),
    Op.JUMP: Form("jump N [unseen]", "N points of movement (J2); unseen: control is not looked at before `infiltrate`"),
    Op.WARP: Form("warp N", "up to N times a ship goes to any place"),
    Op.AUTOMATE: Form("automate food|ore|either", "a disc of that track moves to the automation track (U1)"),
    Op.RESEARCH: Form(
        "research LEVEL[-LEVEL]|colonized+1 [discovered] [freely] [skipping] [quietly]",
        "research (R1); colonized+1: any level up to your colonized systems + 1; discovered: only what lies face up; "
        "freely: without prerequisites; skipping: one may be missing; quietly: without its IMMEDIATE",
    ),
    Op.COLONIZE: Form("colonize", "colonize a system you control (C1)"),
    Op.INFILTRATE: Form("infiltrate", "colonize a system that nobody controls, without its control bonus"),
    Op.SHIFT: Form("shift N", "the rightmost N supply cubes go to any columns with room, one by one"),
    Op.GUILD: Form("guild N", "uncover guild space N, for everybody"),
    Op.POINTS: Form("points N", "N points at the end"),
    Op.KEEP: Form("keep II|III", "turn up two technologies and keep one as a private technology (R7)"),
    Op.CHART: Form("chart", "lay a card of deck B on the board's extra space, not replaced when colonized"),
    Op.COPY: Form("copy research", "carry out any research action at its cost, the pawn staying where it is"),
}
"""Every operation a component file can write, in the order of the reference."""


class Program:
    """All nodes of one component file: numbers to tuples, and back."""

    def __init__(self, places: tuple[str, ...]) -> None:
        self.nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}
        self.places = places
        for op in STEPS:
            self.number(op)

    def number(self, op: Op, *operands: int) -> int:
        """Return the number of a node, made if it is new, together with what it may turn into when it is begun."""
        node = (int(op), *operands)
        if node not in self._numbers:
            self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
            if op in (Op.UPGRADE, Op.REFIT, Op.JUMP, Op.WARP, Op.SHIFT) and operands[0] > 1:
                self.number(op, operands[0] - 1, *operands[1:])
        return self._numbers[node]
