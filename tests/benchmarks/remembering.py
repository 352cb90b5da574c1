"""Measures the part of a turn that memory takes before a model is asked: `python -m tests.benchmarks.remembering`.

Two homes: 1,000 memories and 1,000 messages, and 10,000 memories and 100,000 messages. One JSON line a measure. The
embedder is MiniLM where it is installed (or STEWARD_TEST_EMBEDDER names its folder), else words hashed into directions,
and then embedding the question is not in the times. Rebuilding runs on one core. Takes about two minutes.
"""

import asyncio
import json
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assistant.deps import load_language
from assistant.policies.recognise import recognise
from memory.data_dir import Home
from memory.database import Database
from memory.home_key import Key
from memory.index_folder import root_of
from memory.indexer import Indexer
from memory.preferences import Candidate
from memory.recall import MemoryRecall
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_vectors import PREFERENCES, Row, indexed_text, keep, packed, stamp_of
from models.embedder import MiniLmEmbedder
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate
from tests.support.preference_stores import fill_transcript
from tests.support.which_applies import cases
from ui.wiring import Options, resolve_home

SMALL, LARGE = (1_000, 1_000), (10_000, 100_000)  # memories, messages
TURN_MS, GROWTH, REBUILD_PER_S = 50.0, 3.0, 300.0
QUESTIONS = 100
LATER = MONDAY + timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    name: str
    embed: Callable[[Any], Any]
    dimensions: int


def embedding() -> Embedding:
    folder = os.environ.get("STEWARD_TEST_EMBEDDER")
    found = MiniLmEmbedder.in_folder(Path(folder) if folder else resolve_home(Options()).models)
    if found.available:
        return Embedding(name="MiniLM", embed=found.embed, dimensions=384)
    return Embedding(name="hashed words", embed=HashingEmbedder(dimensions=384).embed, dimensions=384)


def statements(count: int) -> list[Candidate]:
    """What people say, with a made-up object each, over every domain."""
    known = [*cases("which_applies"), *cases("which_applies_held_out")]
    dice = random.Random(1)
    found = []
    for number in range(count):
        case = known[number % len(known)]
        thing = "".join(dice.choices("bcdfgklmnprstaeiou", k=7))
        preference = case.preference
        found.append(
            a_candidate(
                f"{preference.statement}, {thing}",
                preference.slot,
                thing,
                preference.polarity,
                message=number % 900 + 1,
            )
        )
    return found


async def prepare(home: Home, memories: int, messages: int, made: Embedding) -> None:
    """Vectors are random but near those of the statement's kind: embedding 10,000 sentences would take minutes."""
    async with await Database.open(home.database) as database:
        await database.write(partial(fill_transcript, messages=messages))
        store = SqlitePreferences(database)
        await store.learn(statements(memories), actor="rules", at=MONDAY)
        noise = np.random.default_rng(2)
        kinds: dict[str, Any] = {}
        rows = []
        for one in await store.list(limit=memories):
            kind = one.statement.rpartition(",")[0]
            if kind not in kinds:
                kinds[kind] = made.embed([kind])[0]
            vector = kinds[kind] + noise.standard_normal(made.dimensions).astype(np.float32) * 0.02
            vector /= np.linalg.norm(vector)
            rows.append(Row(id=one.id, stamp=stamp_of(made.name, indexed_text(one)), vector=packed(vector)))
        await database.write(partial(_own_vectors, rows=rows, model=made.name))


def _own_vectors(connection: sqlite3.Connection, rows: list[Row], model: str) -> None:
    connection.execute("INSERT INTO index_state VALUES (?, ?, 384, 0)", (PREFERENCES, model))
    keep(connection, PREFERENCES, rows)
    connection.execute("DELETE FROM outbox")


@dataclass(slots=True)
class Turns:
    store: SqlitePreferences
    indexer: Indexer
    milliseconds: list[float]
    processor_ms: list[float]  # of this process; a busy neighbour does not change it

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.milliseconds, n=20)[-1]


@asynccontextmanager
async def opened(
    home: Home, made: Embedding, *, use_chroma: bool, key: Key | None = None
) -> AsyncIterator[tuple[SqlitePreferences, Indexer]]:
    async with await Database.open(home.database, key=key) as database:
        store = SqlitePreferences(database)
        indexer = Indexer(
            database=database, root=root_of(home.database), embed=made.embed, model=made.name, use_chroma=use_chroma
        )
        store.on_change = indexer.wake
        indexer.start()
        await indexer.settled()
        try:
            yield store, indexer
        finally:
            await indexer.close()


async def turns(home: Home, made: Embedding, *, use_chroma: bool, key: Key | None = None) -> Turns:
    """A statement recognised, learned, and what matters for a question recalled."""
    language = load_language()
    async with opened(home, made, use_chroma=use_chroma, key=key) as (store, indexer):
        recall = MemoryRecall(store=store, indexer=indexer)
        questions = [case.question for case in cases("which_applies")][:QUESTIONS]
        found = Turns(store=store, indexer=indexer, milliseconds=[], processor_ms=[])
        for number, question in enumerate([questions[0], *questions]):
            candidate = a_candidate(f"I like turn {number}", object=f"turn {number}", message=number + 1)
            await indexer.settled()
            before, used = time.perf_counter(), time.process_time()
            recognise(f"I like turn {number}. {question}", language)
            await store.learn([candidate], actor="rules", at=LATER)
            await recall.recall(question, at=LATER)
            if number:  # the first one loads the vectors
                found.milliseconds.append((time.perf_counter() - before) * 1_000)
                found.processor_ms.append((time.process_time() - used) * 1_000)
        return found


async def rebuilding(home: Home, made: Embedding, memories: int) -> float:
    """Items a second, Chroma's own start left out."""
    began: list[float] = []

    def listen(status: Any) -> None:
        if status.stage == "building" and not began:
            began.append(time.perf_counter())

    async with await Database.open(home.database) as database:
        indexer = Indexer(
            database=database, root=root_of(home.database), embed=made.embed, model=made.name, listener=listen
        )
        indexer.start()
        await indexer.settled()
        took = time.perf_counter() - began[0]
        assert indexer.status.stage == "ready", indexer.status
        await indexer.close()
    return memories / took


def report(name: str, value: float, bar: str, passed: bool, **more: object) -> bool:
    line = {"name": name, "value": round(value, 2), "bar": bar, "passed": passed}
    print(json.dumps(line | more), flush=True)  # noqa: T201 - this is the result
    return passed


async def measure(place: Path, made: Embedding) -> list[bool]:
    passed, slow = [], {}
    for memories, messages in (SMALL, LARGE):
        home = Home.resolve(str(place / str(memories)), {})
        home.make()
        await prepare(home, memories, messages, made)
        names: tuple[tuple[str, bool], ...] = (("exact", False), ("chroma", True))
        for name, use_chroma in names:
            if use_chroma and (memories, messages) == LARGE:
                speed = await rebuilding(home, made, memories)
                passed.append(
                    report("memory_rebuild_items_per_s", speed, f">= {REBUILD_PER_S}", speed >= REBUILD_PER_S)
                )
            found = await turns(home, made, use_chroma=use_chroma)
            slow[name, memories] = found.p95
            label = f"memory_turn_p95_{name}_{memories}_memories_{messages}_messages"
            median = round(statistics.median(found.milliseconds), 2)
            used = round(statistics.quantiles(found.processor_ms, n=20)[-1], 2)
            more = {"median": median, "processor_ms": used, "embedder": made.name}
            passed.append(report(label, found.p95, f"<= {TURN_MS} ms", found.p95 <= TURN_MS, **more))
    for name in ("exact", "chroma"):
        growth = slow[name, LARGE[0]] / slow[name, SMALL[0]]
        passed.append(report(f"memory_turn_growth_{name}", growth, f"<= {GROWTH} times", growth <= GROWTH))
    return passed


def main() -> int:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="steward-benchmark-") as place:
        passed = asyncio.run(measure(Path(place), embedding()))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
