"""Measures a profile of 10,000 memories out and in: `python -m tests.benchmarks.profiles`.

One JSON line a measure: name, value (seconds), bar, passed, and the processor time, which a neighbour changes less.
Export is preview, document and file; import is reading, the diff, and one transaction on the disk. About a minute.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from memory.data_dir import Home
from memory.database import Database
from memory.preferences import Candidate, Evidence
from memory.slots import slot
from memory.sqlite_preferences import SqlitePreferences
from tests.support.clock import MONDAY, FixedClock
from ui.profile_acts import FORMATS, ProfileActs

MEMORIES = 10_000
EXPORT_S, IMPORT_S = 2.0, 10.0
SLOTS = ("food.taste", "music.taste", "books.taste", "programming.taste", "travel.destination", "games.taste")


def candidates() -> list[Candidate]:
    found = []
    for number in range(MEMORIES):
        row = slot(SLOTS[number % len(SLOTS)])
        words = f"I like number {number} of what belongs to {row.domain}"
        evidence = Evidence(quote=words, at=MONDAY + timedelta(seconds=number))
        found.append(
            Candidate(
                statement=words,
                kind=row.kind,
                domain=row.domain,
                slot=row.name,
                object=f"number {number}",
                source="explicit",
                evidence=evidence,
            )
        )
    return found


async def timed(name: str, bar: float | None, work: Callable[[], Awaitable[object]]) -> None:
    started, used = time.perf_counter(), time.process_time()
    await work()
    seconds, processor = time.perf_counter() - started, time.process_time() - used
    line = {
        "name": name,
        "value": round(seconds, 2),
        "bar": "-" if bar is None else f"<= {bar:g} s",
        "passed": bar is None or seconds <= bar,
        "processor_s": round(processor, 2),
    }
    print(json.dumps(line), flush=True)  # noqa: T201


async def measure(folder: Path) -> None:
    acts, databases = [], []
    for name in ("here", "there"):
        home = Home.resolve(str(folder / name), {})
        home.make()
        database = await Database.open(home.database)
        databases.append(database)
        acts.append(ProfileActs(SqlitePreferences(database), FixedClock(MONDAY + timedelta(days=9)), home))
    every = candidates()
    store = SqlitePreferences(databases[0])
    for start in range(0, MEMORIES, 1_000):
        await store.learn(every[start : start + 1_000], actor="user", at=MONDAY + timedelta(days=1, seconds=start))
    here, there = acts
    for format in FORMATS:

        async def export(format: str = format) -> None:
            document = await here.export(format, everything=False)  # type: ignore[arg-type]
            await here.save(document, folder / f"me.{format}", overwrite=True)

        await timed(f"export of 10,000 memories as {format}", EXPORT_S, export)
    content = (folder / "me.json").read_bytes()

    async def take_in() -> None:
        await there.take_in(await there.look(content))

    await timed("import with diff of 10,000 memories", IMPORT_S, take_in)
    await timed("the same import again, which changes nothing", IMPORT_S, lambda: there.look(content))
    await timed("undo of that import", None, there.undo)
    for format in ("pam", "markdown"):
        text = (folder / f"me.{format}").read_bytes()
        await timed(f"diff of 10,000 foreign memories ({format})", IMPORT_S, lambda text=text: there.look(text))  # type: ignore[misc]
    for database in databases:
        await database.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))
