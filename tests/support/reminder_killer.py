"""Kills a process that fires reminders, again and again, and checks that each was told, and none twice unmarked.

    python -m tests.support.reminder_killer HOME KILLS SEED [--tell-first]

Prints one JSON object. With --tell-first the teller tells before the claim is on disk: the harness has to notice.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from assistant.scheduler import Scheduler
from memory.data_dir import Home, OwnerLock
from memory.database import Database
from memory.reminders import Due, Firing
from memory.sqlite_reminders import SqliteReminders
from tests.support.clock import MONDAY, StepClock
from tests.support.reminders import added, an_instant
from tests.support.store_oracle import verify

STEP = timedelta(seconds=30)
_AT_ONCE = 40  # reminders that each life adds, one a step


@dataclass(slots=True)
class Teller:
    """Writes what it is told into the pipe; a kill may cut it off anywhere."""

    pipe: int
    silent: bool = False  # somebody else told already

    async def due(self, dues: tuple[Due, ...]) -> bool:
        for due in () if self.silent else dues:
            os.write(self.pipe, f"{due.reminder.id} {int(due.again)}\n".encode())
        return True

    async def zone_changed(self, before: str, after: str, moved: int) -> None: ...


class Hasty(SqliteReminders):
    """Tells before it claims."""

    def __init__(self, database: Database, pipe: int) -> None:
        super().__init__(database)
        self._pipe = pipe

    async def claim(self, firings: Any, *, at: datetime) -> tuple[Due, ...]:
        one: Firing
        for one in firings:
            os.write(self._pipe, f"{one.reminder.id} 0\n".encode())
        return await super().claim(firings, at=at)


async def live(home: Home, pipe: int, life: int, *, hasty: bool) -> None:
    """Adds reminders and fires what is due, without end; time runs by the steps of its clock."""
    with OwnerLock(home, what="daemon"):
        async with await Database.open(home.database) as database:
            store = Hasty(database, pipe) if hasty else SqliteReminders(database)
            start = MONDAY + life * _AT_ONCE * STEP
            for number in range(_AT_ONCE):
                one = an_instant(f"k{life:04}{number:03}", at=start + number * STEP)
                await store.apply(added(one), at=start, request=one.id)
            os.write(pipe, b"begun\n")
            clock = StepClock(at=start, step=STEP / 3)
            scheduler = Scheduler(store, clock, lambda: "UTC", Teller(pipe, silent=hasty))
            while True:
                await scheduler.tick()


def one_life(home: Home, life: int, after_s: float, *, hasty: bool) -> list[str]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        asyncio.run(live(home, writing, life, hasty=hasty))
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as lines:
        lines.readline()
        time.sleep(after_s)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [line.strip() for line in lines if line.endswith("\n")]


async def finish(home: Home, life: int, told: list[str]) -> None:
    """Fires all that is left."""
    async with await Database.open(home.database) as database:
        clock = StepClock(at=MONDAY + (life + 2) * _AT_ONCE * STEP, step=STEP)
        store = SqliteReminders(database)
        lines: list[Due] = []

        class Last:
            async def due(self, dues: tuple[Due, ...]) -> bool:
                lines.extend(dues)
                return True

            async def zone_changed(self, before: str, after: str, moved: int) -> None: ...

        scheduler = Scheduler(store, clock, lambda: "UTC", Last())
        for _ in range(20):
            await scheduler.tick()
    told += [f"{due.reminder.id} {int(due.again)}" for due in lines]


def check(home: Home, told: list[str]) -> dict[str, Any]:
    verify(home.database)
    connection = sqlite3.connect(home.database)
    try:
        kept = [id for (id,) in connection.execute("SELECT id FROM reminder")]
        rows = Counter(id for (id,) in connection.execute("SELECT reminder_id FROM notice"))
        open_ones = connection.execute("SELECT count(*) FROM notice WHERE state = 'claimed'").fetchone()[0]
    finally:
        connection.close()
    first = Counter(line.split()[0] for line in told if line.endswith(" 0"))
    again = Counter(line.split()[0] for line in told if line.endswith(" 1"))
    return {
        "reminders": len(kept),
        "lost": [id for id in kept if rows[id] == 0 or first[id] + again[id] == 0],
        "twice": [id for id in kept if first[id] > 1 or rows[id] > 1],
        "repeats": sum(again.values()),
        "unshown": open_ones,
    }


def main(place: str, kills: int, seed: int, *, hasty: bool) -> dict[str, Any]:
    home = Home.resolve(place, {})
    home.make()
    chance, told = random.Random(seed), list[str]()
    for life in range(kills):
        told += one_life(home, life, chance.uniform(0.0, 0.06), hasty=hasty)
    asyncio.run(finish(home, kills, told))
    return {"kills": kills, **check(home, told)}


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), hasty="--tell-first" in sys.argv)
    sys.stdout.write(json.dumps(result) + "\n")
