#!/usr/bin/env python3
"""How many round trips a locked random action takes when all members are far from each other.

Every two nodes have two connections, each through a proxy that holds every byte back for half a round trip each way.
Three are needed one after another, of half a round trip each: the action, everybody's ACK, everybody's link.

    python tests/bench/delay.py [--nodes 2 3 4 6] [--round-trip 100] [--matches 1] [--quick] [--json]
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.far_table import FarTable


async def drawn(members: int, game: str, round_trip: float, number: int) -> list[float]:
    """Return the round trips from each action of a match that drew to its result, at every member."""
    async with FarTable(members, game, round_trip / 2, number=number) as table:
        await table.end()
    return [(known - table.acted[step]) / round_trip for step, known in table.drawn if step in table.acted]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[2, 3, 4, 6])
    parser.add_argument("--round-trip", type=float, default=100.0, help="milliseconds")
    parser.add_argument("--matches", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="one match of 3 nodes at 20 ms: does it work at all?")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    counts, round_trip = ([3], 20.0) if options.quick else (options.nodes, options.round_trip)
    table = dict[int, dict[str, float]]()
    for count in counts:
        game = "around" if count >= 3 else "pebbles"
        times = [
            each
            for number in range(1 if options.quick else options.matches)
            for each in asyncio.run(drawn(count, game, round_trip / 1e3, number))
        ]
        table[count] = {
            "round_trips": round(statistics.median(times), 2),
            "nine_in_ten": round(statistics.quantiles(times, n=10)[-1], 2),
            "actions": len(times) // count,
        }
        if not options.json:
            print(f"{count} nodes: {table[count]}", flush=True)
    if options.json:
        print(json.dumps({"delay": table, "round_trip_ms": round_trip, "cores": os.cpu_count()}))


if __name__ == "__main__":
    main()
