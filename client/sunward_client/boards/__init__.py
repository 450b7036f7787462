"""The drawing of each game, chosen by the game's name; a drawing is lines of text without colour.

Must never look into a position: a board draws the game's own JSON, whose shape the match export fixes.
"""

import re
from collections.abc import Mapping

from sunward_client.boards.around import AROUND
from sunward_client.boards.beyond import BEYOND
from sunward_client.boards.board import Board, Step, View
from sunward_client.columns import pad
from sunward_client.model import Model, playing
from sunward_protocol.games.game import Position, Seat

BOARDS: Mapping[str, Board] = {"once-around-the-sun": AROUND, "beyond-the-sun": BEYOND}

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_NAMES = 24
"""Columns of the names in the final reckoning, where there is room."""
_NARROWEST_NAME = 7


def board_of(model: Model) -> Board:
    """Return how the game of the model's match is shown."""
    return BOARDS[playing(model)[0].ruleset.game.name]


def view_of(
    model: Model, width: int, *, seat: Seat | None = None, since: Position | None = None, at: Position | None = None
) -> View:
    """Return the table as `seat` (else the model's own) sees it, with the changes `since` marked; `at` is a draft's."""
    match, position = playing(model)
    position = at or position
    words = match.ruleset.words
    mine = position.legal(match.you) if model.mine and match.you is not None else ()
    return View(
        state=words.state_json(position),
        before=None if since is None else words.state_json(since),
        components=words.components_json(),
        totals=board_of(model).reckoning(position)[-1][1],
        names=match.names,
        you=match.you if seat is None else seat,
        width=width,
        look=model.look,
        offered=[words.write(position, match.you, action) for action in mine] if match.you is not None else (),
    )


def about(model: Model, topic: str) -> dict[str, str]:
    """Return what is known of what has this name, by name; where nothing has, of all whose names begin so."""
    asked = typed_name(topic)
    everything = {typed_name(name): text for name, text in board_of(model).known(view_of(model, 80))}
    if asked in everything:
        return {asked: everything[asked]}
    return {name: text for name, text in everything.items() if asked and name.startswith(asked)}


def typed_name(printed: str) -> str:
    """Return a name as it is typed: small letters and digits, the words joined by hyphens."""
    return "-".join(re.findall(r"[^\W_]+", printed.lower().replace("'", "")))


def screen(
    model: Model, width: int, *, recent: int = 0, seat: Seat | None = None, since: Position | None = None
) -> list[str]:
    """Return the table `width` columns wide, with what changed since the model's own last action marked.

    `since` takes the place of that, and `recent` log entries follow.
    """
    before = since if since is not None else model.left[1]
    if model.look.lists:
        before = None  # of sentences only those that changed are said again
    lines = board_of(model).draw(view_of(model, width, seat=seat, since=before))
    return lines + [entry.text for entry in model.log[max(0, len(model.log) - recent) :]]


def digest(model: Model) -> list[str]:
    """Return what the others did since the model's own last action, a few words each; [] if nobody did anything."""
    match, _ = playing(model)
    board, words = board_of(model), match.ruleset.words
    told: dict[Seat, list[str]] = {}
    for played in model.played[model.left[0] :]:
        if played.seat != match.you:
            step = Step(
                played.seat,
                match.you,
                words.action_json(played.before, played.seat, played.action),
                words.state_json(played.before),
                words.state_json(played.after),
            )
            if said := board.brief(step, model.look):
                told.setdefault(played.seat, []).append(said)
    parts = [f"{match.names[seat][:2]} {', '.join(done)}" for seat, done in told.items()]
    since = "since your turn" if model.left[0] else "so far"
    return [f"{since}: {'; '.join(parts)}"] if parts else []


def statistics(model: Model, width: int) -> list[str]:
    """Return what chance decided so far, counted up, in lines of at most `width` columns."""
    match, _ = playing(model)
    return BOARDS[match.ruleset.game.name].statistics(model.draws, match.names, width)


def ending(model: Model, width: int, *, seat: Seat | None = None) -> list[str]:
    """Return the final reckoning as a table `width` columns wide, who won, and the match file; [] before the end."""
    match, position = playing(model)
    result = position.result()
    if result is None:
        return []
    parts = board_of(model).reckoning(position)
    names = max(min(_NAMES, width - sum(len(label) + 2 for label, _ in parts)), _NARROWEST_NAME)
    lines = [" " * names + "".join(f"  {label}" for label, _ in parts)]
    for place in sorted(range(len(match.names)), key=lambda place: -result.scores[place]):
        row = "".join(f"  {points[place]:>{len(label)}}" for label, points in parts)
        lines.append(pad(match.names[place], names) + row)
    lines.append(match.ruleset.words.tell_result(position, match.names)[-1])
    own = match.you if seat is None else seat
    if own is not None and own not in result.winners:
        ahead = sum(score > result.scores[own] for score in result.scores)
        lines.append(f"You came {_PLACES[ahead]} with {result.scores[own]}.")
    return [*lines, f"Match file: {model.file}"] if model.file else lines
