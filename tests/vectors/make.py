#!/usr/bin/env python3
"""Writes the golden bytes of this version of the wire anew: hashes, frames, a genesis, a whole match.

    python tests/vectors/make.py        rewrites domains, frames, genesis and match; `git diff` shows what moved

Must never be run to silence a test: a difference in bytes that were there before is another version of the protocol.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from protocol.test_envelope import frame_of
from protocol.test_genesis import GENESIS
from sunward_protocol.domains import Domain, digest
from sunward_protocol.messages import Kind
from support.world import World

FOLDER = Path(__file__).parent


def match() -> Mapping[str, bytes]:
    """Return a whole match of three as its log has it, and where it ends."""
    world = World(3, random_seed=8, components=b"6", real=True)
    world.run()
    settled = world.replica(0).steps.settled
    records = {f"record {number}": record for number, record in enumerate(world.disks[0].log)}
    return {"head": settled.head, "state": settled.state, **records}


def main() -> None:
    """Write the files."""
    files = {
        "domains.json": {domain.name: digest(domain, b"one", b"") for domain in Domain},
        "frames.json": {kind.name: frame_of(kind).raw for kind in Kind},
        "genesis.json": {"body": GENESIS.body, "match": GENESIS.match},
        "match.json": match(),
    }
    for name, vectors in files.items():
        text = json.dumps({key: raw.hex() for key, raw in vectors.items()}, indent=1)
        (FOLDER / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
