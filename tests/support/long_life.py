"""Years of use in one process, on the real store and a scripted model: python -m tests.support.long_life HOME TURNS

Conversations of 25 turns over three days, two memories a turn, indexed by Chroma in its own process, and a reminder
every tenth turn that fires. Prints one JSON object: for each tenth of the life the resident memory (KiB) and the open
files; counts and sizes at the end. Each of --hoard (keeps everything that was said in a list), --leak (opens a file a
turn) and --bloat (writes what it throws away) is a fault that the measurement has to notice.
"""

import asyncio
import gc
import json
import sqlite3
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from assistant.deps import Deps, Prompts
from assistant.learning_switch import LearningSwitch
from assistant.scheduler import Scheduler
from assistant.session import Session
from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.database import Database
from memory.index_folder import root_of
from memory.indexer import Indexer
from memory.recall import MemoryRecall
from memory.reminders import Due
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_reminders import SqliteReminders
from memory.sqlite_transcript import SqliteTranscript
from models.scripted import ScriptedModel
from tests.support.clock import FixedClock
from tests.support.english import english
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate
from tests.support.reminders import added, an_instant

TURNS_EACH = 25
TURNS_A_REMINDER = 10
MEMORIES_A_TURN = 2
LIFE = timedelta(hours=72)
THINGS = ("coriander", "olives", "jazz", "trains", "chess", "rain", "opera", "tea", "hiking", "sushi")
TASTES = ("food.taste", "music.taste", "fitness.taste")


class Teller:
    def __init__(self) -> None:
        self.told = 0

    async def due(self, dues: tuple[Due, ...]) -> bool:
        self.told += len(dues)
        return True

    async def zone_changed(self, before: str, after: str, moved: int) -> None: ...


def resident() -> int:
    gc.collect()
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


@dataclass(slots=True)
class Faults:
    """What a program that is not in order does at each turn."""

    hoard: bool
    leak: bool
    bloat: bool
    kept: list[object] = field(default_factory=list)

    async def turn(self, home: Home, database: Database, text: str) -> None:
        if self.hoard:
            self.kept.append(text * 40_000)
        if self.leak:
            left_open: BinaryIO = home.lock_file.open("ab")
            self.kept.append(left_open)
        if self.bloat:
            await database.write(_thrown_away)


def _thrown_away(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE waste(it BLOB)")
    connection.execute("INSERT INTO waste VALUES (zeroblob(8000000))")
    connection.execute("DROP TABLE waste")


@dataclass(slots=True)
class Life:
    """One process with everything open."""

    home: Home
    turns: int
    faults: Faults
    database: Database
    clock: FixedClock
    deps: Deps
    model: ScriptedModel
    preferences: SqlitePreferences
    reminders: SqliteReminders
    scheduler: Scheduler
    indexer: Indexer
    embedder: HashingEmbedder
    marks: list[tuple[int, int]] = field(default_factory=list)

    async def live(self) -> None:
        session = Session(self.deps)
        for turn in range(self.turns):
            if turn % TURNS_EACH == 0:
                session = Session(self.deps)
            await self._turn(session, turn)
            if (turn + 1) % max(self.turns // 10, 1) == 0:
                self.marks.append((resident(), len(list(Path("/proc/self/fd").iterdir()))))
        self.clock.advance(timedelta(minutes=10))
        await self.scheduler.tick()

    async def _turn(self, session: Session, turn: int) -> None:
        thing = THINGS[turn // 100 % 10]
        text = f"I like {thing} a lot." if turn % 100 == 50 else f"What of number {turn} and {thing}, please?"
        async for _ in session.say(text):
            pass
        await self.preferences.learn(
            [
                a_candidate(f"I like {thing} {number}", TASTES[number % 3], f"{thing} {number}", message=None)
                for number in range(turn * MEMORIES_A_TURN, (turn + 1) * MEMORIES_A_TURN)
            ],
            actor="rules",
            at=self.clock.at,
        )
        if turn % TURNS_A_REMINDER == 0:
            one = an_instant(f"r{turn:07}", at=self.clock.at + timedelta(minutes=5))
            await self.reminders.apply(added(one), at=self.clock.at)
        self.clock.advance(LIFE / self.turns)
        await self.scheduler.tick()
        self.model.requests.clear()  # what the script and the embedder were asked is their own memory
        self.embedder.calls.clear()
        await self.faults.turn(self.home, self.database, text)


async def opened(home: Home, turns: int, faults: Faults, stack: AsyncExitStack) -> tuple[Life, Teller]:
    database = await stack.enter_async_context(await Database.open(home.database))
    clock, teller, embedder = FixedClock(), Teller(), HashingEmbedder(dimensions=64)
    preferences, reminders = SqlitePreferences(database), SqliteReminders(database)
    indexer = Indexer(database=database, root=root_of(home.database), embed=embedder.embed, model="hashed words")
    preferences.on_change = indexer.wake
    indexer.start()
    stack.push_async_callback(indexer.close)
    await indexer.settled()
    model = ScriptedModel(otherwise="Roast them, with thyme and honey, for forty minutes. " * 4)
    deps = Deps(
        transcript=SqliteTranscript(database),
        model=model,
        clock=clock,
        settings=AssistantSettings(),
        prompts=Prompts(system="You are Steward."),
        local_time=lambda at: at.astimezone(UTC),
        preferences=preferences,
        language=english(),
        switch=LearningSwitch(),
        ranking=MemoryRecall(store=preferences, indexer=indexer),
    )
    life = Life(
        home=home,
        turns=turns,
        faults=faults,
        database=database,
        clock=clock,
        deps=deps,
        model=model,
        preferences=preferences,
        reminders=reminders,
        scheduler=Scheduler(reminders, clock, lambda: "UTC", teller),
        indexer=indexer,
        embedder=embedder,
    )
    return life, teller


def sizes(home: Home) -> dict[str, int]:
    """Counts, the words in bytes, and the database beside what its content takes when it is written afresh."""
    afresh = home.data.parent / "afresh.db"
    connection = sqlite3.connect(home.database)
    connection.execute("VACUUM INTO ?", (str(afresh),))
    found = {
        name: int(connection.execute(query).fetchone()[0])
        for name, query in {
            "messages": "SELECT count(*) FROM message",
            "memories": "SELECT count(*) FROM preference",
            "reminders": "SELECT count(*) FROM reminder",
            "words": "SELECT sum(length(CAST(content AS BLOB))) FROM message",
        }.items()
    }
    connection.close()
    found |= {"database": home.database.stat().st_size, "afresh": afresh.stat().st_size}
    afresh.unlink()
    return found


async def live(home: Home, turns: int, faults: Faults) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        life, teller = await opened(home, turns, faults, stack)
        began = time.monotonic()
        await life.live()
        seconds = time.monotonic() - began
        await life.indexer.settled()
        stage = life.indexer.status.stage
    return {
        "resident": [one for one, _ in life.marks],
        "files": [files for _, files in life.marks],
        "told": teller.told,
        "seconds": round(seconds),
        "index": stage,
        **sizes(home),
    }


if __name__ == "__main__":
    place = Home.resolve(sys.argv[1], {})
    place.make()
    wrong = Faults(hoard="--hoard" in sys.argv, leak="--leak" in sys.argv, bloat="--bloat" in sys.argv)
    result = asyncio.run(live(place, int(sys.argv[2]), wrong))
    sys.stdout.write(json.dumps(result) + "\n")
