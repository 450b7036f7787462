#!/usr/bin/env python3
"""What auditing a match and catching up with one cost, beside its Ed25519 verifications alone.

    python tests/bench/verify.py [--members 6] [--turns 400] [--repeat 5] [--quick] [--json]

`audit_ratio` is the audit of a match file over the verification of the same signatures, both with the threads that
`sunward verify` uses. `resync_ratio` is a resync in one thread, which replays every entry and checks every signature,
over the verification of the same signatures in one thread.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from sunward.commands.verify import check_all
from sunward_protocol.audit import MatchFile, audit
from sunward_protocol.envelope import open_frame
from sunward_protocol.identity import Ed25519Signatures
from sunward_protocol.ledger import Ledger
from sunward_protocol.messages import Sync
from sunward_protocol.table.journal import Own
from sunward_protocol.table.repair import absorb, history
from sunward_protocol.table.steps import Steps
from support.pebbles import find_pebbles
from support.world import World

SIGNATURES = Ed25519Signatures()


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measure(members: int, turns: int, repeat: int) -> dict[str, float]:
    """Play a match with real keys; return the best times in milliseconds, and their two ratios."""
    world = World(members, random_seed=1, real=True, components=b"%d" % turns, chain_length=4 * turns)
    world.run(600)
    log, steps = world.disks[0].log, world.replica(0).steps
    match = MatchFile(log, find_pebbles)
    report = audit(match, SIGNATURES, check_all)
    assert report.verdict == "complete", report
    claims = match.signed
    frames, upto = list[bytes](), 0
    while upto < len(steps.entries):
        window, upto = history(steps, upto)
        frames += window

    def resync() -> None:
        mine = Own(0, world.signers[0], world.chains[0], bytes)
        behind = Steps(Ledger(world.genesis, world.ruleset), mine, SIGNATURES)
        for raw in frames:
            payload = open_frame(raw).payload
            assert isinstance(payload, Sync)
            absorb(behind, payload.entries, SIGNATURES)
        assert behind.settled.head == steps.settled.head

    def alone() -> None:
        assert all(SIGNATURES.hold(*claim) for claim in claims)

    times = dict[str, list[float]]()
    for _ in range(repeat):
        times.setdefault("audit", []).append(
            seconds(lambda: audit(MatchFile(log, find_pebbles), SIGNATURES, check_all))
        )
        times.setdefault("signatures", []).append(seconds(lambda: check_all(claims)))
        times.setdefault("resync", []).append(seconds(resync))
        times.setdefault("signatures_alone", []).append(seconds(alone))
    best = {name: min(taken) for name, taken in times.items()}  # what others do on the machine only adds
    return {
        "members": members,
        "steps": len(steps.entries),
        "signatures_checked": len(claims),
        **{f"{name}_ms": round(taken * 1000, 1) for name, taken in best.items()},
        "audit_ratio": round(best["audit"] / best["signatures"], 2),
        "resync_ratio": round(best["resync"] / best["signatures_alone"], 2),
    }


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--members", type=int, default=6)
    options.add_argument("--turns", type=int, default=400)
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--quick", action="store_true", help="a short match")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    result = measure(chosen.members, *((60, 5) if chosen.quick else (chosen.turns, chosen.repeat)))
    if chosen.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
