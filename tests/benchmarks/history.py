"""Measures a history of 10,000 sessions of 10 messages: `python -m tests.benchmarks.history`.

One JSON line a measure: name, value (ms, the best of several), bar, passed, and the processor time of one call, which
a busy neighbour does not change. Takes about half a minute.
"""

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from itertools import accumulate

from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_transcript import SqliteTranscript
from memory.text import moment_text
from tests.support.clock import MONDAY

SESSIONS, MESSAGES, WORDS = 10_000, 10, 60
VOCABULARY = 30_000
TRIES = 7
LIST_MS, SEARCH_MS, COMMAND_MS = 200, 100, 500


def words() -> list[str]:
    """Made-up words of one to four syllables, the common ones first."""
    chance = random.Random(1)
    syllables = [consonant + vowel for consonant in "bcdfghklmnprst" for vowel in "aeiou"]
    return ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(VOCABULARY)]


def fill(connection: sqlite3.Connection) -> None:
    """In one transaction: the words follow Zipf's law, as they do in talk."""
    chance, known = random.Random(2), words()
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(known))))
    for number in range(SESSIONS):
        at = moment_text(MONDAY + timedelta(minutes=37 * number))
        id, head = f"{number:08x}", None
        title = " ".join(chance.choices(known, cum_weights=weights, k=5))
        connection.execute(
            "INSERT INTO session(id, title, created_at, updated_at) VALUES (?, ?, ?, ?)", (id, title, at, at)
        )
        for place in range(MESSAGES):
            text = " ".join(chance.choices(known, cum_weights=weights, k=WORDS))
            role = "assistant" if place % 2 else "user"
            head = connection.execute(
                "INSERT INTO message(session_id, parent_id, role, content, origin, status, created_at) "
                "VALUES (?, ?, ?, ?, 'typed', 'complete', ?)",
                (id, head, role, text, at),
            ).lastrowid
        connection.execute("UPDATE session SET head_id = ? WHERE id = ?", (head, id))


def report(name: str, value: float, bar: float, processor: float) -> bool:
    passed = value <= bar
    line = {"name": name, "value": round(value, 1), "bar": f"<= {bar} ms", "passed": passed}
    print(json.dumps(line | {"processor_ms": round(processor, 1)}), flush=True)  # noqa: T201 - this is the result
    return passed


async def measure(name: str, bar: float, call: Callable[[], Awaitable[object]]) -> bool:
    walls, processors = [], []
    for _ in range(TRIES):
        wall, processor = time.perf_counter(), time.process_time()
        await call()
        processors.append(time.process_time() - processor)
        walls.append(time.perf_counter() - wall)
    return report(name, min(walls) * 1_000, bar, min(processors) * 1_000)


async def open_and_list(home: Home) -> None:
    transcript = await SqliteTranscript.open_reading(home.database)
    await transcript.sessions()
    await transcript.close()


async def looking(home: Home) -> list[bool]:
    known = words()
    passed = [await measure("history_open_and_list_newest_50", LIST_MS, lambda: open_and_list(home))]
    transcript = await SqliteTranscript.open_reading(home.database)
    passed.append(await measure("history_list_from_9000", LIST_MS, lambda: transcript.sessions(offset=9_000)))
    passed.append(await measure("history_list_by_title", LIST_MS, lambda: transcript.sessions(title_contains="zz")))
    searches = {
        "commonest_word": known[0],
        "rare_word": known[20_000],
        "two_common_words": f"{known[0]} {known[5]}",
        "phrase_of_common_words": f'"{known[0]} {known[1]}"',
        "beginning": "bab",
        "nothing": "notthere",
        "chinese_nothing": "护照",
        "emoji_nothing": "🦭",
    }
    for name, text in searches.items():
        passed.append(await measure(f"history_search_{name}", SEARCH_MS, partial(transcript.search, text)))
    await transcript.close()
    return passed


def command(home: Home) -> bool:
    environment = os.environ | {"STEWARD_HOME": str(home.data.parent)}
    walls, processors = [], []
    for _ in range(TRIES):
        wall, processor = time.perf_counter(), sum(os.times()[2:4])
        subprocess.run(
            [sys.executable, "-m", "ui", "sessions", "list"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        walls.append(time.perf_counter() - wall)
        processors.append(sum(os.times()[2:4]) - processor)
    return report("command_sessions_list", min(walls) * 1_000, COMMAND_MS, min(processors) * 1_000)


async def prepare(home: Home) -> None:
    async with await Database.open(home.database) as database:
        await database.write(fill)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="steward-benchmark-") as place:
        home = Home.resolve(place, {})
        home.make()
        asyncio.run(prepare(home))
        passed = [*asyncio.run(looking(home)), command(home)]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
