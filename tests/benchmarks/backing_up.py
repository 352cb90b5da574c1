"""Measures a backup of a 1 GB history while somebody talks: `python -m tests.benchmarks.backing_up [GIGABYTES]`.

One JSON line a measure: name, value, bar, passed. A pause is how much later than asked the event loop runs a timer of
5 ms, beside a conversation that keeps a message every 100 ms. Needs three times the room on the disk, and some minutes.
"""

import asyncio
import json
import sqlite3
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from memory.backups import Backups
from memory.data_dir import Home
from memory.sqlite_restore import restore
from memory.sqlite_transcript import SqliteTranscript

PAUSE_MS = 100.0
TICK_S, TALK_S = 0.005, 0.1


def line(name: str, value: float, bar: str, passed: bool, **more: float) -> None:
    sys.stdout.write(json.dumps({"name": name, "value": round(value, 1), "bar": bar, "passed": passed, **more}) + "\n")
    sys.stdout.flush()


def fill(path: Path, gigabytes: float) -> None:
    """Rows of 3,500 random bytes, of a collection that nobody reads."""
    rows = int(gigabytes * 1e9 / 4_096)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("PRAGMA wal_autocheckpoint=20000")
    for start in range(0, rows, 20_000):
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO vector"
            "(collection, item_id, stamp, vector) SELECT 'benchmark', 'item' || i, '', randomblob(3500) FROM n",
            (start, min(start + 20_000, rows) - 1),
        )
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


class Talk:
    """A loop that notes how late it is, and a user who writes."""

    def __init__(self, transcript: SqliteTranscript) -> None:
        self._transcript = transcript
        self._over = False
        self.late: list[float] = []  # ms
        self.kept: list[float] = []  # ms until a message was on the disk

    async def tick(self) -> None:
        while not self._over:
            began = time.perf_counter()
            await asyncio.sleep(TICK_S)
            self.late.append((time.perf_counter() - began - TICK_S) * 1_000)

    async def write(self) -> None:
        session, head = await self._transcript.create_session(at=datetime.now(UTC), title="Talk"), None
        while not self._over:
            began = time.perf_counter()
            head = (await self._transcript.add_user_message(session.id, head, "hello", at=datetime.now(UTC))).id
            self.kept.append((time.perf_counter() - began) * 1_000)
            await asyncio.sleep(TALK_S)

    def end(self) -> None:
        self._over = True


async def measure(folder: Path, gigabytes: float) -> None:
    home = Home.resolve(str(folder), {})
    home.make()
    transcript = await SqliteTranscript.open(home.database)
    await asyncio.to_thread(fill, home.database, gigabytes)
    talk = Talk(transcript)
    tasks = [asyncio.create_task(talk.tick()), asyncio.create_task(talk.write())]
    await asyncio.sleep(3)
    quiet = max(talk.late)
    talk.late.clear()
    talk.kept.clear()
    began = time.perf_counter()
    path, _ = await asyncio.to_thread(Backups(home).make, "by-hand", datetime.now(UTC))
    seconds = time.perf_counter() - began
    talk.end()
    await asyncio.gather(*tasks)
    await transcript.close()
    line(
        "longest pause of the loop meanwhile, ms",
        max(talk.late),
        f"<= {PAUSE_MS:.0f}",
        max(talk.late) <= PAUSE_MS,
        quiet=quiet,
    )
    kept = sorted(talk.kept)
    line("a message is on the disk meanwhile, ms at the median", kept[len(kept) // 2], "-", True, longest=kept[-1])
    line(f"backup of {gigabytes:g} GB, checked, s", seconds, "-", True)
    began = time.perf_counter()
    await asyncio.to_thread(restore, home, path, datetime.now(UTC))
    line(f"restore of {gigabytes:g} GB, the present state kept, s", time.perf_counter() - began, "-", True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
