"""What keeping a record costs: handed to the system (outlives a crash), or on the disk (outlives a loss of power).

Must never be run on a file system of memory: its figures would be of no disk. Prints microseconds; --json for programs.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sunward_node.store import Kind, RecordFile, read_records

KIND = Kind(b"sunward bench")


def microseconds(work: Callable[[], object], repeat: int) -> dict[str, float]:
    """Return median and 99th percentile of one call."""
    times: list[float] = []
    for _ in range(repeat):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1e6)
    times.sort()
    return {"median_us": round(statistics.median(times), 1), "p99_us": round(times[int(0.99 * repeat)], 1)}


def measure(folder: Path, size: int, repeat: int) -> dict[str, object]:
    """Return the costs of records of `size` bytes in files of a folder."""
    payload = bytes(range(256)) * (size // 256 + 1)
    payload = payload[:size]
    path = folder / "records"
    with RecordFile.open(path, KIND) as file:
        written = microseconds(lambda: file.append(payload), repeat)
        four = microseconds(lambda: file.append([payload] * 4), repeat)
        synced = microseconds(lambda: file.append(payload, sync=True), repeat // 10)
    count = len(read_records(path, KIND).records)
    begun = time.perf_counter()
    read_records(path, KIND)
    read = (time.perf_counter() - begun) * 1e6 / count
    return {"bytes": size, "write": written, "write_four": four, "fsync": synced, "read_us": round(read, 2)}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="where to write; on a real disk")
    options.add_argument("--size", type=int, nargs="+", default=[300, 3000], help="bytes of a record")
    options.add_argument("--repeat", type=int, default=5000)
    options.add_argument("--quick", action="store_true", help="a few records: does it work at all?")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.repeat = 50
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        results = [measure(Path(folder), size, chosen.repeat) for size in chosen.size]
    if chosen.json:
        print(json.dumps(results))
        return
    for result in results:
        print(f"{result['bytes']} bytes: " + ", ".join(f"{name} {cost}" for name, cost in list(result.items())[1:]))


if __name__ == "__main__":
    main()
