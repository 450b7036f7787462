#!/usr/bin/env python3
"""Four seats taking turns without chance, end to end: Sunward over real sockets beside boardgame.io's own server.

Every node, every client and the server are a process of their own, and a seat moves as soon as it may: ours when its
node performed the step before, boardgame.io's in the callback that says whose turn it is. Ours signs, checks and
records every move at every seat; boardgame.io's keeps it in the memory of a server that is trusted. Both play in turn,
in the same run; the ratio of each round is the figure, below 1 if ours is faster.

    python tests/bench/sequential.py [--repeat 5] [--moves 400] [--quick] [--json]

boardgame.io is installed on first use beside its bench, by npm; without node or npm only ours is measured, and said so.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.tables import play

SEATS = 4
THEIRS = Path(__file__).parent / "boardgame_io"
PRODUCTION = {**os.environ, "NODE_ENV": "production"}  # in boardgame.io's favour: fewer checks, no debug panel


class Unavailable(Exception):
    """boardgame.io cannot be run here: the sentence says what is missing."""


class Pace(NamedTuple):
    """Milliseconds a move: the median between a move and the next at one seat, and the whole time over all moves."""

    median: float
    whole: float


def pace(seats: Sequence[Sequence[float]], scale: float) -> Pace:
    """Sum up when each seat knew of each move, `scale` to milliseconds; the first fifth only warms up."""
    warm = [times[len(times) // 5 :] for times in seats]
    gaps = [after - before for times in warm for before, after in pairwise(times)]
    return Pace(statistics.median(gaps) * scale, statistics.mean(gaps) * scale)


def ours(moves: int) -> Pace:
    """Play one match of pebbles in which seats only lay."""
    seen = play(SEATS, "pebbles", components=b"%d" % moves, options=(("chance", "no"),))
    return pace([[end for end, _ in node.ends] for node in seen], 1e3)


def theirs(moves: int) -> Pace:
    """Play one match of the counter at a fresh server of boardgame.io."""
    with ExitStack() as running:

        def start(script: str, *words: str) -> "subprocess.Popen[str]":
            process = subprocess.Popen(
                ["node", script, str(moves), *words],
                cwd=THEIRS,
                env=PRODUCTION,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            running.enter_context(process)
            running.callback(process.kill)
            return process

        port = _line(start("server.js")).strip()
        clients = [start("client.js", port, str(seat)) for seat in range(SEATS)]
        for client in clients:
            assert _line(client) == "ready\n"
        for client in clients:
            assert client.stdin is not None
            client.stdin.write("go\n")
            client.stdin.flush()
        seats: list[list[float]] = [json.loads(_line(client)) for client in clients]
    assert all(len(times) == moves for times in seats), "a client of boardgame.io was not told of every move"
    return pace(seats, 1.0)


def _line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:  # clients end themselves when it takes too long
        raise SystemExit(f"{process.args!r} ended before it said what it should; its own words are above.")
    return line


def install() -> str:
    """Install boardgame.io unless it is there, and return its version; raise `Unavailable` if that cannot be."""
    if absent := [tool for tool in ("node", "npm") if shutil.which(tool) is None]:
        raise Unavailable(f"{' and '.join(absent)} not found: install Node 20 or later to measure boardgame.io too.")
    installed = THEIRS / "node_modules"
    if not (installed / ".package-lock.json").exists():  # npm writes it last
        print("Installing boardgame.io (once) …", file=sys.stderr)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
        try:
            subprocess.run(command, cwd=THEIRS, capture_output=True, text=True, timeout=180, check=True)
        except subprocess.CalledProcessError as error:
            raise Unavailable(f"npm could not install boardgame.io; it says:\n{error.stderr.strip()}") from error
        except subprocess.TimeoutExpired as error:
            raise Unavailable("npm did not manage to install boardgame.io in three minutes.") from error
    return str(json.loads((installed / "boardgame.io" / "package.json").read_text())["version"])


def middle(paces: Sequence[Pace]) -> dict[str, float]:
    """Return the median of the rounds, for JSON."""
    return {
        "median_ms": round(statistics.median(each.median for each in paces), 3),
        "whole_ms": round(statistics.median(each.whole for each in paces), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="rounds, each of one match of both")
    parser.add_argument("--moves", type=int, default=400, help="moves a match")
    parser.add_argument("--quick", action="store_true", help="one short round: does it work at all?")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    repeat, moves = (1, 60) if options.quick else (options.repeat, options.moves)
    told: dict[str, object] = {"seats": SEATS, "moves": moves, "rounds": repeat, "cores": os.cpu_count()}
    try:
        told["version"] = install()
    except Unavailable as error:
        print(f"Only Sunward is measured. {error}", file=sys.stderr)
        told["boardgame_io"], told["ratio"] = None, None
        told["sunward"] = middle([ours(moves) for _ in range(repeat)])
    else:
        rounds = [(ours(moves), theirs(moves)) for _ in range(repeat)]
        told["sunward"] = middle([mine for mine, _ in rounds])
        told["boardgame_io"] = middle([other for _, other in rounds])
        told["ratio"] = round(statistics.median(mine.median / other.median for mine, other in rounds), 2)
        told["ratio_whole"] = round(statistics.median(mine.whole / other.whole for mine, other in rounds), 2)
    if options.json:
        print(json.dumps({"sequential": told}))
    else:
        for name, value in told.items():
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
