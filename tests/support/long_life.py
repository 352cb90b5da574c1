"""Years of use in one process, on the real store and a scripted model: python -m tests.support.long_life HOME TURNS

Conversations of 25 turns, a memory now and then, reminders that fire. Prints one JSON object: for each tenth of the
life the resident memory (KiB) and the open files; sizes at the end. With --hoard everything that was said is kept in a
list, which the measurement has to notice.
"""

import asyncio
import gc
import json
import sqlite3
import sys
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

from assistant.deps import Deps, Prompts
from assistant.learning_switch import LearningSwitch
from assistant.scheduler import Scheduler
from assistant.session import Session
from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.database import Database
from memory.reminders import Due
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_reminders import SqliteReminders
from memory.sqlite_transcript import SqliteTranscript
from models.scripted import ScriptedModel
from tests.support.clock import FixedClock
from tests.support.english import english
from tests.support.reminders import added, an_instant

TURNS_EACH = 25
THINGS = ("coriander", "olives", "jazz", "trains", "chess", "rain", "opera", "tea", "hiking", "sushi")


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


async def live(home: Home, turns: int, *, hoard: bool) -> dict[str, Any]:
    kept: list[str] = []
    marks: list[tuple[int, int]] = []
    async with await Database.open(home.database) as database:
        clock, teller = FixedClock(), Teller()
        transcript, preferences, reminders = (
            SqliteTranscript(database),
            SqlitePreferences(database),
            SqliteReminders(database),
        )
        model = ScriptedModel(otherwise="Roast them, with thyme and honey, for forty minutes. " * 4)
        deps = Deps(
            transcript=transcript,
            model=model,
            clock=clock,
            settings=AssistantSettings(),
            prompts=Prompts(system="You are Steward."),
            local_time=lambda at: at.astimezone(UTC),
            preferences=preferences,
            language=english(),
            switch=LearningSwitch(),
        )
        scheduler = Scheduler(reminders, clock, lambda: "UTC", teller)
        for turn in range(turns):
            if turn % TURNS_EACH == 0:
                session = Session(deps)
            text = (
                f"I like {THINGS[turn // 100 % 10]} a lot." if turn % 100 == 50 else f"What of number {turn}, please?"
            )
            async for _ in session.say(text):
                pass
            if turn % 10 == 0:
                one = an_instant(f"r{turn:07}", at=clock.at + timedelta(minutes=5))
                await reminders.apply(added(one), at=clock.at)
            clock.advance(timedelta(minutes=26))
            await scheduler.tick()
            if hoard:
                kept.append(text * 3_000)
            else:
                model.requests.clear()  # what the script was asked is the script's own memory
            if (turn + 1) % max(turns // 10, 1) == 0:
                marks.append((resident(), len(list(Path("/proc/self/fd").iterdir()))))
    connection = sqlite3.connect(home.database)
    (words,) = connection.execute("SELECT sum(length(CAST(content AS BLOB))) FROM message").fetchone()
    (messages,) = connection.execute("SELECT count(*) FROM message").fetchone()
    connection.close()
    return {
        "resident": [one for one, _ in marks],
        "files": [files for _, files in marks],
        "messages": messages,
        "words": words,
        "database": home.database.stat().st_size,
        "told": teller.told,
    }


if __name__ == "__main__":
    place = Home.resolve(sys.argv[1], {})
    place.make()
    result = asyncio.run(live(place, int(sys.argv[2]), hoard="--hoard" in sys.argv))
    sys.stdout.write(json.dumps(result) + "\n")
