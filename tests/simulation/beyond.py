"""Random matches of Beyond the Sun to their end, every law of the table looked at after every choice and every draw.

python tests/simulation/beyond.py --matches 1000      play many, stop at the first that breaks a law
python tests/simulation/beyond.py --match 7           play one again, and say what went on

After each choice the position and a copy on which the same was done must be alike, and in the end the match replayed
from its choices and draws. From every `EXPORTED`-th position a line of the export is made and the table is rebuilt from
it; the first of these in each match is played on beside the original to the end.
"""

import argparse
import contextlib
import hashlib
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.state import AWARD, CLAIMS, PRIVATE, ROUND, TURNED, State
from sunward_protocol.games.game import Action, Seat
from support.beyond_laws import LAWS
from support.matches import Recorder, Script, Stream

RULESET = BEYOND.load(BEYOND.builtin())
TABLES = [
    (seats, {"mats": mats, "factions": factions})
    for seats in BEYOND.seat_counts
    for mats in BEYOND.options["mats"]
    for factions in BEYOND.options["factions"]
]
"""Every number of seats with every option, in turn."""
EXPORTED = 16
CHOICES_MOST = 50_000
"""Far more choices than any match here has had: a match with more does not come to its end."""


@dataclass(slots=True)
class Tally:
    """What the matches were, so that one sees how much of the game they went through."""

    matches: Counter[int] = field(default_factory=Counter[int])
    rounds: list[int] = field(default_factory=list[int])
    claims: Counter[str] = field(default_factory=Counter[str])
    events: Counter[str] = field(default_factory=Counter[str])
    choices: int = 0
    draws: int = 0
    lines: int = 0

    def count(self, end: Position) -> None:
        """Count a finished match."""
        box = end.board.components
        self.matches[end.seats] += 1
        self.rounds.append(end.s[ROUND])
        for number, claims in zip(end.s[AWARD:CLAIMS], end.s[CLAIMS:PRIVATE], strict=True):
            self.claims[box.achievements[number - 1].name] += -(-claims.bit_length() // 3)
        self.events.update(event.name for n, event in enumerate(box.events) if end.s[TURNED] >> n & 1)

    def lines_of_text(self) -> list[str]:
        """Return it in words."""
        played = ", ".join(f"{count} with {seats} seats" for seats, count in sorted(self.matches.items()))
        return [
            f"{self.matches.total():,} matches to their end: {played}",
            f"{self.choices:,} choices, {self.draws:,} draws, {self.lines:,} exported lines rebuilt",
            f"rounds: {min(self.rounds)} to {max(self.rounds)}, median {median(self.rounds):g}",
            "claims: " + "; ".join(f"{name} {count:,}" for name, count in sorted(self.claims.items())),
            "events: " + "; ".join(f"{name} {count:,}" for name, count in sorted(self.events.items())),
        ]


def play(number: int, tally: Tally) -> Position:
    """Play the match of a number and return its end; raise AssertionError where a law is broken."""
    seats, options = TABLES[number % len(TABLES)]
    stream = Stream(number)
    chance = Recorder(stream)
    live = RULESET.start(seats, options)
    again: Position | None = None
    chosen: list[tuple[Seat, Action]] = []
    seen: list[bytes] = []
    while live.result() is None:
        assert len(chosen) < CHOICES_MOST
        if live.chance_due():
            answered = len(chance.answers)
            tally.draws += len(live.draw(chance))
            if again is not None:
                again.draw(Script(chance.answers[answered:]))
        else:
            (seat,) = live.to_act()
            legal = live.legal(seat)
            action = legal[stream.below(len(legal))]
            copied = live.copy()
            copied.apply(seat, action)
            assert live.encode() == seen[-1]  # the original does not notice what is done to its copy
            live.apply(seat, action)
            assert _fields(copied) == _fields(live)
            if again is not None:
                again.apply(seat, action)
            chosen.append((seat, action))
        for law in LAWS:
            law(live)
        seen.append(live.encode())
        if len(seen) % EXPORTED == number % EXPORTED:
            rebuilt = _rebuilt(live)
            again = again or rebuilt
            tally.lines += 1
    assert again is None or again.encode() == live.encode()
    _replay(RULESET.start(seats, options), Script(chance.answers), chosen, seen)
    tally.choices += len(chosen)
    tally.count(live)
    return live


def _rebuilt(live: Position) -> Position:
    """Return the table that one exported line describes: the same one, offering the same."""
    line = json.loads(json.dumps(RULESET.words.state_json(live)))
    found = RULESET.rebuild(live.seats, line)
    assert found.encode() == live.encode()
    assert _fields(found) == _fields(live)
    return found


def _replay(position: Position, script: Script, chosen: list[tuple[Seat, Action]], seen: list[bytes]) -> None:
    """Play a match once more from what was chosen and drawn; it must go through the same positions."""
    choices = iter(chosen)
    for expected in seen:
        if position.chance_due():
            position.draw(script)
        else:
            position.apply(*next(choices))
        assert position.encode() == expected
    assert script.spent()
    assert next(choices, None) is None


def _fields(state: State) -> list[object]:
    """Return all that a position holds: what is encoded, and what follows from it."""
    return [getattr(state, name) for name in State.__slots__ if name != "board"]


def main() -> int:
    """Play matches; return 1 with the number of the first that breaks a law, which alone says where it does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=120, help="how many matches to play")
    parser.add_argument("--start", type=int, default=0, help="the first of them")
    parser.add_argument("--match", type=int, help="play this one alone and print its final scoring")
    asked = parser.parse_args()
    tally, began = Tally(), time.perf_counter()
    if asked.match is not None:
        end = play(asked.match, tally)
        print(*tally.lines_of_text(), *RULESET.words.tell_result(end, [f"seat {n}" for n in range(4)]), sep="\n")
        return 0
    with contextlib.suppress(KeyboardInterrupt):  # who stops it is told what was played
        for number in range(asked.start, asked.start + asked.matches):
            try:
                play(number, tally)
            except AssertionError:
                print(f"match {number} breaks a law: python tests/simulation/beyond.py --match {number}")
                return 1
    print(*tally.lines_of_text(), sep="\n")
    digest = hashlib.blake2b(RULESET.components, digest_size=8).hexdigest()
    print(f"components {digest}, {time.perf_counter() - began:.0f} s: every law held after every choice and every draw")
    return 0


if __name__ == "__main__":
    sys.exit(main())
