"""The table of Once Around The Sun as text: ten tracks, the seats side by side, the display and whose turn it is.

Must never decide anything: it shows the export's state and knows no rule but the doubling of spaces.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypedDict, cast

from sunward_client.columns import fit, pad
from sunward_client.theme import SEATS, Look
from sunward_protocol.games.game import Json, Seat


class Track(TypedDict):
    """One fame track of the components: `circle` is the number printed on the space with the red circle."""

    name: str
    group: str
    spaces: int
    circle: int


class Components(TypedDict):
    """What of the export's `components` is drawn."""

    tracks: list[Track]


class Milestones(TypedDict):
    """Which firsts of a track have been."""

    eight: bool
    thirty_two: bool
    circle: bool


class Deal(TypedDict):
    """The deal now open."""

    active: Seat
    partner: Seat
    destination: str


class State(TypedDict):
    """The export's `state` of this game."""

    round: int
    order: list[Seat]
    turn: int
    actions_left: int
    phase: str
    display: list[str | None]
    deck: int
    discards: list[str]
    out_of_play: list[str]
    tracks: dict[str, list[list[int]]]
    rows: dict[str, list[list[int]]]
    tokens: list[int]
    scores: list[int]
    inner_bonus: list[bool]
    outer_bonus: list[bool]
    milestones: dict[str, Milestones]
    deal: Deal | None


_LABEL = 9
_CELL = 5
_FIRSTS = 8


def draw(state: Json, components: Json, names: Sequence[str], you: Seat | None, width: int, look: Look) -> list[str]:
    """Return the table: a grid where `width` columns hold one, else a list; `names` begin with the seats' badges."""
    shown, tracks = cast("State", state), cast("Components", components)["tracks"]
    longest = max(track["spaces"] for track in tracks)
    needed = max(_LABEL + _CELL * longest + _FIRSTS, _LABEL + 11 * len(names))
    if needed > width:
        body = [*_track_list(shown, tracks, look), *_seat_list(shown, names, you)]
        note = f"({needed} columns would show the table as a grid.)"
    else:
        body = [*_track_grid(shown, tracks, look), *_seat_grid(shown, names, you, (width - _LABEL) // len(names))]
        note = ""
    lines = [*body, _display(shown), _turn(shown, names, look), note]
    return [part for line in lines if line for part in fit(line, width)]


def statistics(draws: Sequence[Json], names: Sequence[str], width: int) -> list[str]:
    """Return how often each card was turned over, and how often each seat came first in the order of a round."""
    cards: Counter[str] = Counter()
    firsts: Counter[Seat] = Counter()
    reshuffles = 0
    for drawn in cast("Sequence[dict[str, object]]", draws):
        match drawn:
            case {"card": str(card)}:
                cards[card] += 1
            case {"order": order}:
                firsts[cast("list[Seat]", order)[0]] += 1
            case _:
                reshuffles += 1
    orders = firsts.total()
    turned = ", ".join(f"{card} {count}" for card, count in sorted(cards.items(), key=lambda item: (-item[1], item[0])))
    lines = [f"Cards turned over: {cards.total()}, with {reshuffles} reshuffles: {turned or 'none'}"]
    if orders:
        lines.append(f"First in the order of {orders} rounds (even would be {orders / len(names):.1f} each):")
        lines += [f"  {pad(name, 24)}{firsts[seat]:>4}" for seat, name in enumerate(names)]
    return [part for line in lines for part in fit(line, width)]


def _spaces(track: Track) -> list[int]:
    return [1 << index for index in range(track["spaces"])]


def _track_grid(state: State, tracks: Sequence[Track], look: Look) -> Iterable[str]:
    longest = max(tracks, key=lambda track: track["spaces"])
    for group in dict.fromkeys(track["group"] for track in tracks):
        yield group.ljust(_LABEL) + "".join(f"{space:>4} " for space in _spaces(longest)) + "to come"
        for track in tracks:
            if track["group"] == group:
                held = {space: look.badge(seat) for space, seat in state["tracks"][track["name"]]}
                row = "".join(_cell(held.get(space), space == track["circle"]) for space in _spaces(track))
                yield f" {track['name']}".ljust(_LABEL) + row.ljust(_CELL * longest["spaces"]) + _firsts(state, track)


def _cell(badge: str | None, circle: bool) -> str:
    inner = badge or " ."
    return f" ({inner})" if circle else f"  {inner} "


def _firsts(state: State, track: Track) -> str:
    """Return the firsts that can still happen on a track, or that it is finished."""
    if track["name"] in state["out_of_play"]:
        return "finished"
    done = state["milestones"][track["name"]]
    marks = (("8", done["eight"]), ("32", done["thirty_two"]), ("()", done["circle"]))
    return " ".join(mark for mark, reached in marks if not reached) or "-"


def _seat_rows(state: State) -> list[tuple[str, list[str]]]:
    """Return the rows of the seat table: a label, then one value a seat."""
    seats = range(len(state["scores"]))
    rows = [("score", list(map(str, state["scores"]))), ("in hand", list(map(str, state["tokens"])))]
    for row, tokens in state["rows"].items():
        at = {seat: str(space) for space, seat in tokens}
        closed = "*" if row in state["out_of_play"] else ""
        rows.append((row + closed, [at.get(seat, "-") for seat in seats]))
    bonuses = (("inner", state["inner_bonus"]), ("outer", state["outer_bonus"]))
    rows.append(("bonus", ["+".join(name for name, held in bonuses if held[seat]) or "-" for seat in seats]))
    return rows


def _seat_grid(state: State, names: Sequence[str], you: Seat | None, cell: int) -> Iterable[str]:
    cell = min(cell, 22)

    def line(label: str, values: Iterable[str]) -> str:
        return (label.ljust(_LABEL) + "".join(pad(value, cell) for value in values)).rstrip()

    yield line("seat", (f"{name[:2]} {SEATS[seat].colour}" for seat, name in enumerate(names)))
    yield line("", ("(you)" if seat == you else name[3:] for seat, name in enumerate(names)))
    for label, values in _seat_rows(state):
        yield line(label, values)
    if any(row in state["out_of_play"] for row in state["rows"]):
        yield "* finished row"


def _track_list(state: State, tracks: Sequence[Track], look: Look) -> Iterable[str]:
    for track in tracks:
        tokens = [f"{space} {look.badge(seat)}" for space, seat in reversed(state["tracks"][track["name"]])]
        ends = f"to {_spaces(track)[-1]}, circle {track['circle']}"
        yield f"{track['name']} ({ends}): {', '.join(tokens) or 'empty'}; to come: {_firsts(state, track)}"


def _seat_list(state: State, names: Sequence[str], you: Seat | None) -> Iterable[str]:
    rows = _seat_rows(state)
    for seat, name in enumerate(names):
        values = ", ".join(f"{label} {values[seat]}" for label, values in rows)
        yield f"{name} ({SEATS[seat].colour}{', you' if seat == you else ''}): {values}"


def _display(state: State) -> str:
    cards = "   ".join(f"{place}: {card or '(empty)'}" for place, card in enumerate(state["display"], start=1))
    return f"cards    {cards}     deck {state['deck']}, discards {len(state['discards'])}"


def _turn(state: State, names: Sequence[str], look: Look) -> str:
    if state["phase"] == "over":
        return f"The match ended in round {state['round']}."
    order = " ".join(
        f"[{look.badge(seat)}]" if index == state["turn"] else look.badge(seat)
        for index, seat in enumerate(state["order"])
    )
    line = f"round {state['round']}  order {order}  {names[state['order'][state['turn']]]}: "
    deal = state["deal"]
    if deal is not None:
        return line + f"a deal with {names[deal['partner']]} on {deal['destination']}"
    if state["phase"] == "partner":
        return line + "to name a partner for the deal"
    return line + f"{state['actions_left']} to play"
