"""Research (R1 to R7): which slots, the event under a slot, its type, the cards turned up, and what is discovered."""

from collections.abc import Sequence
from typing import Final

from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.board import LEVEL_MASK, LEVEL_OF, SLOT_COUNT, Board
from sunward_protocol.games.beyond.box import NO_EFFECT
from sunward_protocol.games.beyond.language import (
    BY_COLONIES,
    DISCOVERED,
    FREELY,
    GAPS,
    QUIETLY,
    SKIPPING,
    TYPES,
    Node,
    Op,
)
from sunward_protocol.games.beyond.operation import Operation
from sunward_protocol.games.beyond.state import (
    ABILITY,
    AWARD,
    BASES,
    COLONY,
    COVERED,
    FOUND,
    GUILDS,
    MAT,
    PEOPLE,
    PRIVATE,
    RESEARCHED,
    SLOT,
    STEP,
    TURNED,
    State,
)
from sunward_protocol.games.game import Action, Chance, Draw, Seat

EVENT_TURNED: Final = 4
TECHNOLOGY_TURNED: Final = 5
"""Kinds of draws: (EVENT_TURNED, slot, event), (TECHNOLOGY_TURNED, technology, whether it may be chosen)."""

_SLOT_BITS: Final = 5
_SLOTS: Final = (1 << _SLOT_BITS) - 1
_QUIET: Final = 1 << _SLOT_BITS
_TYPE: Final = _SLOT_BITS + 1
"""The argument of a research under way: its slot, whether it is quiet, and the type or the cards from here on."""
_CARD_BITS: Final = 6
_CARDS: Final = (1 << _CARD_BITS) - 1
_MATCHES: Final = 2


def colonies(s: list[int], seat: Seat) -> int:
    """Return how many systems a seat has colonized."""
    return len([colony for colony in s[COLONY:AWARD] if colony & 7 == seat + 1])


def discovered(state: State) -> list[int]:
    """Return the technologies that lie on the board."""
    return [card - 1 for card in state.s[SLOT : SLOT + SLOT_COUNT] if card]


def refresh(state: State, seat: Seat) -> None:
    """Work out anew the spaces that a seat might use and its standing abilities."""
    s, board, base = state.s, state.board, BASES[seat]
    technologies = board.components.technologies
    mat = s[base + MAT] - 1
    spaces = [*range(board.guilds), *(board.guilds + g for g in range(s[GUILDS].bit_length()) if s[GUILDS] >> g & 1)]
    ability = board.components.mats[mat].standing
    if board.mats[mat] >= 0:
        spaces.append(board.mats[mat])
    cards = [s[SLOT + slot] - 1 for slot in range(SLOT_COUNT) if s[base + RESEARCHED] >> slot & 1 and s[SLOT + slot]]
    cards += [card for card in range(len(technologies)) if s[PRIVATE + card] == seat + 1]
    for card in sorted(cards):
        spaces += board.of_technology[card]
        ability |= technologies[card].standing
    s[base + ABILITY] = ability
    state.spaces[seat] = tuple(spaces)


# Which slots (R1)


def slots(state: State, seat: Seat, levels: int, flags: int) -> tuple[int, ...]:
    """Return the slots a seat can research now, ascending; a population cube is needed for each (R2)."""
    s, base = state.s, BASES[seat]
    if not s[base + PEOPLE]:
        return ()
    if flags & BY_COLONIES:
        levels &= (2 << colonies(s, seat)) - 1
    decks = state.decks
    open_ = 1 | (decks[0] != ()) << 1 | (decks[1] != ()) << 2 | (decks[2] != ()) << 3
    key = ((s[base + RESEARCHED] << SLOT_COUNT | s[FOUND]) << 4 | levels) << 4 | open_
    key = (key << 4 | flags & 15) << 1 | s[base + ABILITY] & GAPS
    memo = state.board.reachable
    found = memo.get(key)
    if found is None:
        found = memo[key] = _slots(
            state.board, s[base + RESEARCHED], s[FOUND], levels, open_, flags, s[base + ABILITY] & GAPS
        )
    return found


def _slots(board: Board, own: int, discovered: int, levels: int, open_: int, flags: int, gaps: int) -> tuple[int, ...]:
    found: list[int] = []
    for slot, (joined, needed) in enumerate(board.before):
        level = LEVEL_OF[slot]
        known = discovered >> slot & 1
        if not levels >> level & 1 or own >> slot & 1 or not (known or open_ >> level & 1):
            continue
        if flags & DISCOVERED and not known:
            continue
        if flags & SKIPPING or (gaps and known and needed > 1):
            needed -= 1
        if flags & FREELY or (own & joined).bit_count() >= needed:
            found.append(slot)
    return tuple(found)


def _can_research(state: State, seat: Seat, node: Node) -> bool:
    return bool(slots(state, seat, node[1], node[2]))


def _research_options(state: State, seat: Seat, node: Node, _argument: int) -> Sequence[Action]:
    return [actions.RESEARCH | slot for slot in slots(state, seat, node[1], node[2])]


def _research(state: State, seat: Seat, node: Node, _argument: int, action: Action) -> None:
    """R2, then R3, R4 and R6 as they apply."""
    s, base = state.s, BASES[seat]
    slot = action & actions.OPERAND
    s[base + PEOPLE] -= 1
    s[base + RESEARCHED] |= 1 << slot
    about = slot | (_QUIET if node[2] & QUIETLY else 0)
    if s[SLOT + slot]:
        state.push(seat, STEP[Op.DISCOVER], about)
        return
    state.push(seat, STEP[Op.TYPE], about)
    if s[COVERED] >> slot & 1:
        s[COVERED] ^= 1 << slot
        state.push(seat, STEP[Op.EVENT], slot)


# The event (R3)


def _event(state: State, seat: Seat, _node: Node, slot: int, chance: Chance) -> list[Draw]:
    """Turn up the card under a slot: a guild event as likely as S3 left it there, else one of the others."""
    s = state.s
    level = LEVEL_OF[slot]
    events = state.board.components.events
    down = [n for n, event in enumerate(events) if event.level == level and not s[TURNED] >> n & 1]
    guilds = [n for n in down if events[n].guild]
    lying = (s[COVERED] & LEVEL_MASK[level]).bit_count() + 1
    place = chance.below(lying)
    if place < len(guilds):
        card = guilds[place]
    else:
        others = [n for n in down if not events[n].guild]
        card = others[chance.below(len(others))]
    s[TURNED] |= 1 << card
    state.push(seat, events[card].effect)
    return [(EVENT_TURNED, slot, card)]


# The type (R4, R5)


def _held(state: State, level: int) -> set[int]:
    """Return the types that a deck still holds, left types counting."""
    technologies = state.board.components.technologies
    return {kind for layer in state.decks[level - 1] for card in layer for kind in technologies[card].types}


def supplied(state: State, seat: Seat, slot: int) -> list[int]:
    """Return the types that a seat's technologies joined to a slot supply."""
    s = state.s
    own = s[BASES[seat] + RESEARCHED] & state.board.before[slot][0]
    technologies = state.board.components.technologies
    cards = [s[SLOT + before] - 1 for before in range(SLOT_COUNT) if own >> before & 1 and s[SLOT + before]]
    return sorted({technologies[card].types[0] for card in cards})


def _type_options(state: State, seat: Seat, _node: Node, about: int) -> Sequence[Action]:
    """Offer nothing when the event led to the discovery of the slot, or to the end of its deck."""
    slot = about & _SLOTS
    if state.s[SLOT + slot] or not state.decks[LEVEL_OF[slot] - 1]:
        return [actions.TYPE]
    return [actions.TYPE | kind for kind in supplied(state, seat, slot) or range(len(TYPES))]


def _any_type_options(state: State, _seat: Seat, _node: Node, about: int) -> Sequence[Action]:
    return [actions.TYPE | kind for kind in sorted(_held(state, LEVEL_OF[about & _SLOTS]))]


def _type(state: State, seat: Seat, _node: Node, about: int, action: Action) -> None:
    slot, kind = about & _SLOTS, action & actions.OPERAND
    level = LEVEL_OF[slot]
    if state.s[SLOT + slot] or not state.decks[level - 1]:
        state.push(seat, STEP[Op.DISCOVER], about)
    elif kind in _held(state, level):
        state.push(seat, STEP[Op.TURN_UP], about | kind << _TYPE)
    else:
        state.push(seat, STEP[Op.ANY_TYPE], about)


# The cards (R4)


def _draw_cards(
    state: State, deck: int, kinds: Sequence[int], chance: Chance
) -> tuple[list[int], list[int], list[Draw]]:
    """Turn cards up until two match; return those that match, the others, and the draws; the deck is without them."""
    technologies = state.board.components.technologies
    matching: list[int] = []
    others: list[int] = []
    draws: list[Draw] = []
    layers = state.decks[deck]
    while layers and len(matching) < _MATCHES:
        first = layers[0]
        index = chance.below(len(first))
        card = first[index]
        first = first[:index] + first[index + 1 :]
        layers = (first, *layers[1:]) if first else layers[1:]
        fits = any(kind in kinds for kind in technologies[card].types)
        (matching if fits else others).append(card)
        draws.append((TECHNOLOGY_TURNED, card, int(fits)))
    state.decks[deck] = layers
    return matching, others, draws


def _put_under(state: State, deck: int, cards: Sequence[int], first: bool) -> None:
    """Put cards under a deck in random order: a last multiset of their own, or into the one that was just begun."""
    layers = state.decks[deck]
    if not cards:
        return
    if first:
        state.decks[deck] = (*layers, tuple(sorted(cards)))
    else:
        state.decks[deck] = (*layers[:-1], tuple(sorted((*layers[-1], *cards))))


def _turn_up(state: State, seat: Seat, _node: Node, about: int, chance: Chance) -> list[Draw]:
    """R4; both cards that match wait in the argument of the choice, the rest is under the deck already."""
    deck = LEVEL_OF[about & _SLOTS] - 1
    matching, others, draws = _draw_cards(state, deck, (about >> _TYPE,), chance)
    _put_under(state, deck, others, first=True)
    state.push(seat, STEP[Op.PICK], about & _SLOTS | about & _QUIET | _offer(matching, others))
    return draws


def _offer(matching: list[int], others: list[int]) -> int:
    """Pack one or two cards (each as 1 + its number) and whether a multiset under the deck was begun."""
    matching = sorted(matching)
    packed = sum(1 + card << _CARD_BITS * index for index, card in enumerate(matching))
    return (packed | (others != []) << 2 * _CARD_BITS) << _TYPE


def offered(argument: int) -> list[int]:
    """Return the cards among which one is to be picked."""
    packed = argument >> _TYPE
    return [card - 1 for card in (packed & _CARDS, packed >> _CARD_BITS & _CARDS) if card]


def _pick_options(_state: State, _seat: Seat, _node: Node, argument: int) -> Sequence[Action]:
    return [actions.CARD | card for card in offered(argument)]


def _others_under(state: State, deck: int, argument: int, card: int) -> None:
    begun = argument >> _TYPE + 2 * _CARD_BITS & 1
    _put_under(state, deck, [other for other in offered(argument) if other != card], first=not begun)


def _pick(state: State, seat: Seat, _node: Node, argument: int, action: Action) -> None:
    slot, card = argument & _SLOTS, action & actions.OPERAND
    _others_under(state, LEVEL_OF[slot] - 1, argument, card)
    state.s[SLOT + slot] = 1 + card
    state.s[FOUND] |= 1 << slot
    for other in range(state.board.seats):
        refresh(state, other)
    state.push(seat, STEP[Op.DISCOVER], argument & (_SLOTS | _QUIET))


def _discover(state: State, seat: Seat, _node: Node, about: int) -> None:
    """R6; the slot is without a card only where the event emptied its deck."""
    refresh(state, seat)
    card = state.s[SLOT + (about & _SLOTS)]
    if card and not about & _QUIET:
        immediate = state.board.components.technologies[card - 1].immediate
        if immediate != NO_EFFECT:
            state.push(seat, immediate)


# Private technologies (R7)


def _can_keep(state: State, _seat: Seat, node: Node) -> bool:
    return bool(state.decks[node[1] - 1])


def _keep(state: State, seat: Seat, node: Node, _argument: int, chance: Chance) -> list[Draw]:
    matching, _, draws = _draw_cards(state, node[1] - 1, range(len(TYPES)), chance)
    if matching:
        state.push(seat, STEP[Op.PICK_OWN], _offer(matching, []) | node[1])
    return draws


def _pick_own(state: State, seat: Seat, _node: Node, argument: int, action: Action) -> None:
    card = action & actions.OPERAND
    _others_under(state, (argument & _SLOTS) - 1, argument, card)
    state.s[PRIVATE + card] = 1 + seat
    refresh(state, seat)


# Guilds (S4)


def _can_uncover(state: State, _seat: Seat, node: Node) -> bool:
    return not state.s[GUILDS] >> node[1] - 1 & 1


def _uncover(state: State, _seat: Seat, node: Node, _argument: int) -> None:
    state.s[GUILDS] |= 1 << node[1] - 1
    for other in range(state.board.seats):
        refresh(state, other)


OPERATIONS: Final = {
    Op.RESEARCH: Operation(can=_can_research, options=_research_options, take=_research),
    Op.EVENT: Operation(draw=_event),
    Op.TYPE: Operation(options=_type_options, take=_type),
    Op.ANY_TYPE: Operation(options=_any_type_options, take=_type),
    Op.TURN_UP: Operation(draw=_turn_up),
    Op.PICK: Operation(options=_pick_options, take=_pick),
    Op.DISCOVER: Operation(do=_discover),
    Op.KEEP: Operation(can=_can_keep, draw=_keep),
    Op.PICK_OWN: Operation(options=_pick_options, take=_pick_own),
    Op.GUILD: Operation(can=_can_uncover, do=_uncover),
}
