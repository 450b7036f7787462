"""The table of Once Around The Sun as text: ten tracks, the seats side by side, the cards and whose turn it is.

Must never decide anything: it shows the export's state and knows no rule but the doubling of spaces.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from sunward_client.boards.around.shape import Components, State, Track
from sunward_client.boards.board import View
from sunward_client.columns import fit, pad
from sunward_client.theme import CHANGED, NO_BREAK, SEATS, Look
from sunward_protocol.games.game import Seat

_LABEL = 9
_WIDE_LABEL = 12
_CELL = 5
_FIRSTS = 10
_NARROWEST_SEAT = 11


def draw(view: View) -> list[str]:
    """Return the table: grids where the width holds them and the look does not ask for sentences, else lists."""
    state, tracks, width = cast("State", view.state), tracks_of(view), view.width
    if view.look.lists:
        body = [*_track_list(view), *_seat_list(view)]
    else:
        track_grid = _LABEL + _CELL * max(track["spaces"] for track in tracks) + _FIRSTS <= width
        cell = (width - _WIDE_LABEL) // len(view.names)
        body = list(_track_grid(view)) if track_grid else list(_track_digest(view))
        body += _seat_grid(view, cell) if cell >= _NARROWEST_SEAT else _seat_list(view)
    lines = [*body, _display(state), _turn(state, view)]
    return [part for line in lines for part in fit(line, width)]


def tracks_of(view: View) -> list[Track]:
    """Return the tracks of the view's components."""
    return cast("Components", view.components)["tracks"]


def track_line(view: View, track: Track) -> str:
    """Return one track as a sentence, the highest token first."""
    ends = f"to {_spaces(track)[-1]}, circle {track['circle']}"
    firsts = _firsts(cast("State", view.state), track)
    return f"{track['name']} ({ends}): {', '.join(_tokens(view, track)) or 'empty'}; to come: {firsts}"


def _tokens(view: View, track: Track) -> list[str]:
    old = _tokens_before(view, track)
    return [
        f"{space}{NO_BREAK}{view.look.badge(seat)}" + CHANGED * (old is not None and old.get(space) != seat)
        for space, seat in reversed(cast("State", view.state)["tracks"][track["name"]])
    ]


def deeds(state: State, seat: Seat) -> str:
    """Return how far a seat is on each row, by the rows' first letters, as `d3 s5 l-`."""
    reached = ((row, {owner: space for space, owner in tokens}) for row, tokens in state["rows"].items())
    return " ".join(f"{row[0]}{at.get(seat, '-')}" for row, at in reached)


def _spaces(track: Track) -> list[int]:
    return [1 << index for index in range(track["spaces"])]


def _at(state: State, track: Track) -> dict[int, Seat]:
    return {token[0]: token[1] for token in state["tracks"][track["name"]]}


def _tokens_before(view: View, track: Track) -> Mapping[int, Seat] | None:
    if view.before is None:
        return None
    return _at(cast("State", view.before), track)


def _track_grid(view: View) -> Iterable[str]:
    state, tracks = cast("State", view.state), tracks_of(view)
    longest = max(tracks, key=lambda track: track["spaces"])
    for group in dict.fromkeys(track["group"] for track in tracks):
        yield group.ljust(_LABEL) + "".join(f"{space:>4} " for space in _spaces(longest)) + " to come"
        for track in tracks:
            if track["group"] == group:
                row = "".join(_cells(view, track))
                yield (
                    f" {track['name']}".ljust(_LABEL)
                    + row.ljust(_CELL * longest["spaces"])
                    + " "
                    + _firsts(state, track)
                )


def _cells(view: View, track: Track) -> Iterable[str]:
    held = _at(cast("State", view.state), track)
    old = _tokens_before(view, track)
    for space in _spaces(track):
        badge = view.look.badge(held[space]) if space in held else " ."
        mark = CHANGED if old is not None and held.get(space) != old.get(space) else " "
        yield f"{mark}({badge})" if space == track["circle"] else f"  {badge}{mark}"


def _firsts(state: State, track: Track) -> str:
    """Return the firsts that can still happen on a track, or that it is finished."""
    if track["name"] in state["out_of_play"]:
        return "finished"
    done = state["milestones"][track["name"]]
    marks = (("8", done["eight"]), ("32", done["thirty_two"]), ("free", done["circle"]))
    return " ".join(mark for mark, reached in marks if not reached) or "-"


def _seat_rows(view: View) -> Iterable[tuple[str, list[str]]]:
    """Return the rows of the seat table: a label, then one value a seat."""
    state = cast("State", view.state)
    seats = range(len(state["scores"]))
    yield "score", [f"{state['scores'][seat]} {_bonus(state, seat)}".rstrip() for seat in seats]
    yield "if over now", list(map(str, view.totals))
    yield "in hand", list(map(str, state["tokens"]))
    yield "good deeds", [deeds(state, seat) for seat in seats]


def _bonus(state: State, seat: Seat) -> str:
    """Return which bonuses a seat has had."""
    bonuses = (("in", state["inner_bonus"]), ("out", state["outer_bonus"]))
    return "+".join(name for name, held in bonuses if held[seat])


def _seat_grid(view: View, cell: int) -> Iterable[str]:
    cell = min(cell, 22)
    seats = range(len(view.names))
    coloured = [f"{view.names[seat]}, {SEATS[seat].colour}" for seat in seats]
    named = coloured if max(map(len, coloured)) < cell else [_short(name, cell) for name in view.names]
    names = [f"{view.look.badge(seat)} you" if seat == view.you else named[seat] for seat in seats]
    for label, values in (("seat", names), *_seat_rows(view)):
        yield (label.ljust(_WIDE_LABEL) + "".join(pad(value, cell) for value in values)).rstrip()


def _short(name: str, cell: int) -> str:
    """Return a name that is too long for its cell without the blank after the badge: the end tells bots apart."""
    return name if len(name) < cell else name.replace(NO_BREAK, "", 1)


def _track_list(view: View) -> Iterable[str]:
    yield from (track_line(view, track) for track in tracks_of(view) if not _is_untouched(view, track))
    yield from _untouched(view)


def _track_digest(view: View) -> Iterable[str]:
    """Return the tracks in as few lines as they take; `who TRACK` tells the rest of each."""
    parts = [
        f"{track['name']}{NO_BREAK}/{_spaces(track)[-1]}: {', '.join(_tokens(view, track)) or 'empty'}"
        for track in tracks_of(view)
        if not _is_untouched(view, track)
    ]
    yield from ["; ".join(parts)] if parts else []
    yield from _untouched(view)


def _untouched(view: View) -> Iterable[str]:
    names = [track["name"] for track in tracks_of(view) if _is_untouched(view, track)]
    yield from [f"empty: {', '.join(names)}"] if names else []


def _is_untouched(view: View, track: Track) -> bool:
    state = cast("State", view.state)
    return not state["tracks"][track["name"]] and not any(state["milestones"][track["name"]].values())


def _seat_list(view: View) -> Iterable[str]:
    rows = list(_seat_rows(view))
    for seat, name in enumerate(view.names):
        values = ", ".join(f"{label} {values[seat]}" for label, values in rows)
        yield f"{name} ({SEATS[seat].colour}{', you' if seat == view.you else ''}): {values}"


def _display(state: State) -> str:
    cards = ", ".join(card or "(empty)" for card in state["display"])
    finished = [row for row in state["rows"] if row in state["out_of_play"]]
    over = f", {' and '.join(finished)} finished" if finished else ""
    return f"cards: {cards} (deck {state['deck']}, discards {len(state['discards'])}){over}"


def _turn(state: State, view: View) -> str:
    if state["phase"] == "over":
        return f"The match ended in round {state['round']}."
    line = f"round {state['round']}: {_order(state, view.look)}, "
    deal = state["deal"]
    if deal is not None:
        return line + f"a deal with {view.look.badge(deal['partner'])} on {deal['destination']}"
    if state["phase"] == "partner":
        return line + "to name a partner for a deal"
    return line + f"{view.names[state['order'][state['turn']]]} has {state['actions_left']} to play"


def _order(state: State, look: Look) -> str:
    badges: Sequence[str] = [look.badge(seat) for seat in state["order"]]
    return " ".join(f"[{badge}]" if index == state["turn"] else badge for index, badge in enumerate(badges))
