"""Measures what deciding to speak costs: `python -m tests.benchmarks.suggesting`. One JSON line a measure.

The tick runs over a home with 10,000 reminders and 1,000 opportunities: a scheduler's and the engine's.
Takes about half a minute, most of it filling the home.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path

from assistant.policies.proactive.decide import decide
from assistant.policies.proactive.features import features
from assistant.policies.proactive.habits import usual_hours
from assistant.policies.proactive.learning import learn
from assistant.policies.proactive.situation import Situation
from assistant.proactive import ProactiveEngine
from assistant.proactive_facts import StoreLookout
from assistant.proactive_types import Presence
from assistant.scheduler import Scheduler
from memory.data_dir import Home
from memory.database import Database
from memory.reminders import Due
from memory.sqlite_reminders import SqliteReminders
from memory.sqlite_suggestions import SqliteSuggestions
from memory.sqlite_typed_messages import SqliteTypedMessages
from memory.suggestions import Hours, Posteriors, Settings
from tests.support.clock import FixedClock
from tests.support.preference_stores import fill_transcript
from tests.support.reminders import added, an_instant
from tests.support.suggestions import DAY, an_opportunity, some_factors

NOW = datetime(2026, 3, 2, 11, 0, tzinfo=UTC)
WINDOW = Hours(start=clock_time(10), stop=clock_time(12))
ON = Settings(on=True, asked=True, windows=(WINDOW, Hours(start=clock_time(17), stop=clock_time(20))), morning=None)
REMINDERS, OPPORTUNITIES, TIMES = 10_000, 1_000, 200
DECISION_MS, UPDATE_MS, TICK_MS = 5.0, 10.0, 20.0


class Nobody:
    async def due(self, dues: tuple[Due, ...]) -> bool:
        return True

    async def zone_changed(self, before: str, after: str, moved: int) -> None: ...


def say(name: str, milliseconds: list[float], bar: float) -> None:
    value = statistics.median(milliseconds)
    row = {
        "name": name, "value": f"{value:.2f} ms", "bar": f"{bar:g} ms", "passed": value <= bar,
        "p95": f"{sorted(milliseconds)[int(len(milliseconds) * 0.95)]:.2f} ms",
    }  # fmt: skip
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def timed(work: Callable[[], object]) -> list[float]:
    found = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        found.append((time.perf_counter() - began) * 1_000)
    return found


def deciding() -> None:
    situation = Situation(now=NOW, zone="UTC", settings=ON)
    few = [an_opportunity(topic=f"t{number % 6}", opens_at=NOW - DAY) for number in range(20)]
    say("deciding, 20 opportunities", timed(lambda: decide(replace(situation), few)), DECISION_MS)
    moments = [NOW - timedelta(hours=5 * number) for number in range(130)]
    free = replace(ON, windows=())
    usual = usual_hours(moments, "UTC", free)
    unstated = replace(situation, settings=free, usual=usual)
    say("deciding, 20 opportunities, no windows stated", timed(lambda: decide(replace(unstated), few)), DECISION_MS)
    say("a profile of the day from 130 moments", timed(lambda: usual_hours(moments, "UTC", free)), UPDATE_MS)
    x = features(situation)
    say(
        "learning from one rating",
        timed(
            lambda: learn(
                Posteriors(), answer="useful", reason="", topic="t1", x=x, factors=some_factors(), settings=ON, at=NOW
            )
        ),
        UPDATE_MS,
    )


async def ticking(folder: Path) -> None:
    home = Home.resolve(str(folder), {})
    await asyncio.to_thread(home.make)
    async with await Database.open(home.database) as database:
        await database.write(fill_transcript)
        reminders, store = SqliteReminders(database), SqliteSuggestions(database)
        for number in range(REMINDERS):
            await reminders.apply(added(an_instant(at=NOW + timedelta(hours=1 + number))), at=NOW)
        many = [
            an_opportunity(
                topic="money", message=1 + number % 60, opens_at=NOW - DAY, closes_at=NOW + (1 + number) * DAY
            )
            for number in range(OPPORTUNITIES)
        ]
        await store.keep(many)
        await store.save_settings(ON)
        engine = ProactiveEngine(store, StoreLookout(SqliteTypedMessages(database), reminders=reminders), lambda: "UTC")
        scheduler = Scheduler(reminders, FixedClock(NOW), lambda: "UTC", Nobody())
        await scheduler.tick()
        await engine.tick(NOW, Presence(breakpoint="return"))
        quiet, both = list[float](), list[float]()
        for number in range(TIMES):
            at = NOW.replace(hour=17, minute=5) + timedelta(seconds=number)
            began = time.perf_counter()
            await scheduler.tick()
            await engine.tick(at, Presence(breakpoint="return", typing=True))
            quiet.append((time.perf_counter() - began) * 1_000)
        for number in range(20):
            at = NOW.replace(hour=13) + timedelta(seconds=number)
            began = time.perf_counter()
            await scheduler.tick()
            await engine.tick(at, Presence(breakpoint="return"))
            both.append((time.perf_counter() - began) * 1_000)
        say("a tick of scheduler and engine, nothing to decide", quiet, TICK_MS)
        say("a tick of scheduler and engine, a breakpoint outside the windows", both, TICK_MS)
        opened = replace(Situation(now=NOW.replace(hour=18, minute=30), zone="UTC", settings=ON))
        kept = await store.open()
        say("deciding among 1,000 opportunities inside a window", timed(lambda: decide(replace(opened), kept)), TICK_MS)


def main() -> None:
    deciding()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(ticking(Path(folder)))


if __name__ == "__main__":
    main()
