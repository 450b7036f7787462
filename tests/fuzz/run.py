#!/usr/bin/env python3
"""Coverage-guided fuzzing of every parser of bytes from outside, with atheris: `pip install atheris` beside Sunward.

    python tests/fuzz/run.py [--share 1.0] [--seed 1] [TARGET ...]

Each target runs in a process of its own, its share of ten million inputs; a table of what came of it is printed. An
input that breaks a target ends its run, and is left in the folder that is named then.
"""

import argparse
import importlib
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

_DONE = re.compile(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)")


def fuzz(name: str, runs: int, seed: int, folder: Path) -> None:
    """Fuzz one target in this process, which ends with it."""
    atheris: Any = importlib.import_module(
        "atheris"
    )  # not among what Sunward is developed with: it is run now and then
    with atheris.instrument_imports(include=["sunward_protocol", "sunward_node"]):
        targets: Any = importlib.import_module("fuzz.targets")
    target = targets.TARGETS[name]
    for number, data in enumerate(target.seeds()):
        (folder / f"seed-{number}").write_bytes(data)
    flags = [f"-runs={runs}", f"-seed={seed}", f"-max_len={target.most}", f"-artifact_prefix={folder}/", "-timeout=30"]
    atheris.Setup([sys.argv[0], *flags, str(folder)], target.run)
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--share", type=float, default=1.0, help="of ten million inputs in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--here", help=argparse.SUPPRESS)
    options = parser.parse_args()
    targets: Any = importlib.import_module("fuzz.targets") if options.here is None else None
    if options.here is not None:
        fuzz(options.targets[0], int(options.share), options.seed, Path(options.here))
    total = broken = 0
    for name in options.targets or list(targets.TARGETS):
        runs = round(targets.TARGETS[name].runs * options.share)
        folder, began = Path(tempfile.mkdtemp(prefix="fuzz-")), time.monotonic()
        command = [sys.executable, __file__, name, "--share", str(runs), "--seed", str(options.seed), "--here", folder]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        done, seconds = _DONE.search(told.stderr), time.monotonic() - began
        if done is None or told.returncode:
            broken += 1
            print(f"{name}: broken after {seconds:.0f} s; see {folder}\n{told.stderr[-3000:]}", flush=True)
        else:
            count, edges, features, kept = map(int, done.groups())
            total += count
            print(
                f"{name:15} {count:>9,} inputs {edges:>5} edges {features:>6} features {kept:>5} kept",
                f"{seconds:>6.0f} s",
                flush=True,
            )
    print(f"{total:,} inputs, {broken} targets broken")
    sys.exit(broken > 0)


if __name__ == "__main__":
    main()
