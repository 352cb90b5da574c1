"""Measures what encryption costs: `python -m tests.benchmarks.encrypting`.

The same home of 10,000 memories and 100,000 messages, first in the clear, then encrypted, in one run. One JSON line a
measure; for the encrypted home the value in the clear and the ratio stand beside it. Times inside the process are of
the processor, the least of several: neighbours change them less. Only the share of memory in a turn has a bar. Takes
about a minute.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from memory.backups import Backups
from memory.data_dir import Home
from memory.database import Database
from memory.encrypting import encrypt_home
from memory.home_key import Key
from memory.key_file import keep_with_passphrase
from memory.sqlite_transcript import SqliteTranscript
from tests.benchmarks.remembering import LARGE, LATER, Embedding, embedding, prepare, turns

PASSPHRASE = "a walrus eats coriander"
TRIES, WRITES = 7, 50
TURN, TURN_TIMES = "memory in a turn with 10,000 memories, median", 1.5
Values = dict[str, float]  # ms of the processor unless the name says otherwise


async def best(call: Callable[[], Awaitable[object]]) -> float:
    times = []
    for _ in range(TRIES):
        began = time.process_time()
        await call()
        times.append((time.process_time() - began) * 1_000)
    return min(times)


def command(home: Home, *arguments: str) -> tuple[float, float]:
    """A process from its start to its end, ms, and its processor time."""
    walls, used = [], []
    environment = {**os.environ, "STEWARD_PASSPHRASE_FILE": str(home.data.parent / "passphrase")}
    line = [sys.executable, "-m", "ui", "--home", str(home.data.parent), *arguments]
    for _ in range(TRIES):
        began, before = time.perf_counter(), sum(os.times()[2:4])
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, env=environment)
        walls.append((time.perf_counter() - began) * 1_000)
        used.append((sum(os.times()[2:4]) - before) * 1_000)
    return min(walls), min(used)


async def measured(home: Home, made: Embedding, key: Key | None) -> Values:
    async def opening() -> None:
        await (await Database.open(home.database, key=key)).close()

    found: Values = {"open the history and close it": await best(opening)}
    transcript = SqliteTranscript(await Database.open(home.database, key=key))
    try:
        found["list the newest 50 conversations"] = await best(lambda: transcript.sessions(limit=50))
        found["search two words in 100,000 messages"] = await best(lambda: transcript.search("message number"))
        session = await transcript.create_session(at=LATER, title="Writing")
        began = time.process_time()
        for number in range(WRITES):
            await transcript.add_user_message(session.id, None, f"message {number}", at=LATER)
        found["keep a message"] = (time.process_time() - began) * 1_000 / WRITES
    finally:
        await transcript.close()
    turned = await turns(home, made, use_chroma=False, key=key)
    found[TURN] = statistics.median(turned.processor_ms)
    began = time.process_time()
    await asyncio.to_thread(Backups(home).make, "by-hand", datetime.now(UTC))
    found["back up, checked"] = (time.process_time() - began) * 1_000
    found["steward sessions list, on the clock"], found["steward sessions list"] = await asyncio.to_thread(
        command, home, "sessions", "list"
    )
    return found


async def measure(place: Path) -> bool:
    home, made, key = Home.resolve(str(place), {}), embedding(), Key.make()
    home.make()
    (place / "passphrase").write_text(PASSPHRASE)
    await prepare(home, *LARGE, made)
    clear = await measured(home, made, None)
    home = replace(home, unlock=lambda _: key)
    began = time.perf_counter()
    await asyncio.to_thread(
        encrypt_home, home, key, lambda: keep_with_passphrase(home, key, PASSPHRASE), datetime.now(UTC)
    )
    report("encrypt the home, a backup first, all of it checked, s", time.perf_counter() - began)
    megabytes = home.database.stat().st_size / 1e6
    report("the encrypted history, MB", megabytes)
    passed = True
    for name, value in (await measured(home, made, key)).items():
        bar = TURN_TIMES if name == TURN else None
        passed &= report(name, value, bar, clear=clear[name])
    return passed


def report(name: str, value: float, bar: float | None = None, *, clear: float | None = None) -> bool:
    """`bar`: how many times what it is in the clear."""
    passed = bar is None or clear is None or value <= bar * clear
    bar_words = "-" if bar is None else f"<= {bar} times in the clear"
    line: dict[str, object] = {"name": name, "value": round(value, 2), "bar": bar_words}
    more = {} if clear is None else {"in_the_clear": round(clear, 2), "times": round(value / clear, 2)}
    print(json.dumps({**line, "passed": passed, **more}), flush=True)  # noqa: T201 - this is the result
    return passed


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="steward-benchmark-") as place:
        return 0 if asyncio.run(measure(Path(place))) else 1


if __name__ == "__main__":
    sys.exit(main())
