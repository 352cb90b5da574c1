"""Measures the import of a 500 MB history: `python -m tests.benchmarks.importing [--megabytes 500]`.

One JSON line a measure. The import runs in a process of its own, whose greatest memory is read from the system. Speeds
are megabytes a second of processor time, all threads together, which a busy neighbour does not change; the clock on the
wall is said beside. So is `json.loads` of the same file, in another process.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from memory.data_dir import Home
from tests.benchmarks.history import words
from tests.support.exports import large_export

MOST_MEMORY_MB, LEAST_SPEED = 300, 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--one", nargs=3, metavar=("WHAT", "FILE", "HOME"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(*given.one)
        return 0
    with tempfile.TemporaryDirectory(prefix="steward-benchmark-") as place:
        path = Path(place) / "conversations.json"
        conversations = large_export(path, given.megabytes * 1_000_000, words=words())
        size = path.stat().st_size / 1e6
        loads, reads, imports = (in_a_process(what, path, Path(place) / what) for what in ("loads", "read", "import"))
        again = in_a_process("import", path, Path(place) / "import")
    assert imports["conversations"] == conversations, imports
    assert again["conversations"] == 0, again
    speed = size / imports["seconds"]
    beside = {
        "wall_MB_s": round(size / imports["wall"], 1),
        "json_loads_MB_s": round(size / loads["seconds"], 1),
        "json_loads_MB": loads["memory"],
    }
    passed = (
        report("import_speed_MB_s", speed, LEAST_SPEED, speed >= LEAST_SPEED, **beside),
        report("import_memory_MB", imports["memory"], MOST_MEMORY_MB, imports["memory"] <= MOST_MEMORY_MB),
        report("import_reading_only_MB_s", size / reads["seconds"], "-", True, memory_MB=reads["memory"]),
        report("import_again_MB_s", size / again["seconds"], "-", True),
        report("import_file_MB", size, "-", True, conversations=conversations),
    )
    return 0 if all(passed) else 1


def report(name: str, value: float, bar: object, passed: bool, **further: object) -> bool:
    line = {"name": name, "value": round(value, 1), "bar": bar, "passed": passed, **further}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
    return passed


def in_a_process(what: str, path: Path, home: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.importing", "--one", what, str(path), str(home)]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: float(value) for name, value in json.loads(found).items()}


def measure(what: str, file: str, home: str) -> None:
    path = Path(file)
    wall, began = time.perf_counter(), time.process_time()
    match what:
        case "loads":
            conversations = len(json.loads(path.read_bytes()))
        case "read":
            conversations = read_only(path)
        case _:
            conversations = asyncio.run(import_it(path, home))
    seconds, wall = time.process_time() - began, time.perf_counter() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    found = {"seconds": seconds, "wall": wall, "memory": round(memory), "conversations": conversations}
    sys.stdout.write(json.dumps(found))


def read_only(path: Path) -> int:
    from assistant.policies.cleaning import clean
    from memory.importing.reading import read_export
    from memory.importing.types import ImportedConversation

    return sum(isinstance(read, ImportedConversation) for read in read_export(path, clean))


async def import_it(path: Path, place: str) -> int:
    from assistant.importing import import_history
    from memory.database import Database
    from memory.sqlite_imports import SqliteImports

    home = Home.resolve(place, {})
    home.make()
    async with await Database.open(home.database) as database:
        report = await import_history(path, SqliteImports(database), at=datetime.now(UTC))
    return report.new


if __name__ == "__main__":
    sys.exit(main())
