"""A match as JSON Lines that any tool can read, format sunward-match/1: who played what, and one line an action.

Must never judge a match: it writes down what it is given, audited or not, and from an arena as from a match file.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from sunward_protocol.audit import MatchFile, Turned
from sunward_protocol.domains import Domain, digest
from sunward_protocol.draws import DrawStream
from sunward_protocol.games.game import Json, Position, Ruleset, Words
from sunward_protocol.ids import NOTHING, PublicKey, Step

FORMAT = "sunward-match/1"


class Player(NamedTuple):
    """Who sits in a seat; `NOTHING` is the key of one who plays without a network."""

    name: str
    key: PublicKey = NOTHING


def lines(
    ruleset: Ruleset, options: Mapping[str, str], players: Sequence[Player], turns: Iterable[Turned]
) -> Iterator[str]:
    """Yield a match line by line, without line ends: a header, the set-up, each action, and the result if it is over.

    `players` are by seat, `turns` begin with the set-up. Equal matches give equal lines.
    """
    position = ruleset.start(len(players), options)
    yield _line(
        {
            "format": FORMAT,
            "game": ruleset.game.name,
            "ruleset": digest(Domain.RULESET, ruleset.components).hex(),
            "players": [
                {"seat": seat, "name": player.name, "key": player.key.hex()} for seat, player in enumerate(players)
            ],
            "options": dict(options),
            "components": ruleset.words.components_json(),
        }
    )
    for step, told in enumerate(_steps(ruleset.words, position, turns)):
        yield _line({"step": step, **told})
    result = position.result()
    if result is not None:
        yield _line({"result": {"scores": result.scores, "winners": result.winners}})


def lines_of_file(match: MatchFile) -> Iterator[str]:
    """Yield a match file as `lines` does; raise what `MatchFile.replay` raises once it no longer follows."""
    turns = match.replay()
    set_up = list(islice(turns, 1))
    members = match.genesis.members
    by_seat = [members[place] for place in match.ledger.place_of or range(len(members))]
    players = [Player(member.name, member.identity) for member in by_seat]
    return lines(match.ruleset, dict(match.genesis.options), players, chain(set_up, turns))


def _steps(words: Words, position: Position, turns: Iterable[Turned]) -> Iterable[Mapping[str, Json]]:
    """Return what the line of each step says but its number; what was taken back is in none.

    A turn may be several steps, if a seat had several choices in a row, or none: a commitment is no step of the game.
    The draws of a turn belong to the last of its actions, even if a change of who plays made them anew.
    """
    told, before = list[dict[str, Json]](), dict[Step, tuple[int, Position]]()
    for turned in turns:
        before[turned.step] = (len(told), position.copy())
        if turned.rewind:
            kept, position = before[turned.rewind]
            del told[kept:]
        if turned.step == 0:
            told.append({"seat": None, "by": "chance", "action": None})
        if turned.withheld:
            written = [words.action_json(position, *move) for move in turned.withheld]
            position.withhold([seat for seat, _ in turned.withheld])
            told += [
                {"seat": seat, "by": "autopilot", "action": action, "draws": [], "state": words.state_json(position)}
                for (seat, _), action in zip(turned.withheld, written, strict=True)
            ]
        for seat, action in turned.moves:
            by = "autopilot" if seat in turned.steered else "player"
            json_action = words.action_json(position, seat, action)
            position.apply(seat, action)
            told.append(
                {"seat": seat, "by": by, "action": json_action, "draws": [], "state": words.state_json(position)}
            )
        if turned.randomness is not None:
            due = position.chance_due()
            draws = [words.draw_json(draw) for draw in position.draw(DrawStream(turned.randomness))] if due else []
            if due or turned.step == 0:
                told[-1] |= {"draws": draws, "state": words.state_json(position)}
    return told


def _line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
