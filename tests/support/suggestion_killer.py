"""Kills a process that speaks first, again and again, and checks that each thing was said, and none twice unmarked.

    python -m tests.support.suggestion_killer HOME KILLS SEED [--say-first]

Prints one JSON object. With --say-first the voice speaks before the claim is on disk: the harness has to notice.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from datetime import time as wall
from typing import Any

from assistant.policies.when.zones import to_local
from assistant.proactive import ProactiveEngine
from assistant.proactive_facts import StoreLookout
from assistant.proactive_ticker import ProactiveTicker
from assistant.proactive_types import NOBODY, Digest, Presence, Spoken
from memory.data_dir import Home, OwnerLock
from memory.database import Database
from memory.sqlite_suggestions import SqliteSuggestions
from memory.sqlite_typed_messages import SqliteTypedMessages
from memory.suggestions import Channel, Decision, Hours, Opportunity, OpportunityId, Settings, Told
from tests.support.clock import MONDAY, FixedClock
from tests.support.preference_stores import fill_transcript
from tests.support.store_oracle import verify
from tests.support.suggestions import an_opportunity

DAY = timedelta(days=1)
_EACH = 4  # opportunities that each life finds
_BETWEEN = 2 * DAY  # two ticks of one life
_STATEMENTS = 280  # of two ticks in which something is said and rated
_AT_MOST = 12  # ticks that a life gets before the next begins
SETTINGS = Settings(on=True, asked=True, quiet=None, morning=None, windows=(Hours(start=wall(8), stop=wall(20)),))


@dataclass(slots=True)
class Voice:
    """A Voice (assistant.proactive_ticker) that writes into a pipe what it says; a kill may cut it off anywhere."""

    pipe: int
    silent: bool = False  # it was said already
    said: list[str] = field(default_factory=list)

    def presence(self) -> Presence | None:
        return NOBODY

    async def spoken(self, spoken: tuple[Spoken, ...]) -> bool:
        for one in () if self.silent else spoken:
            line = f"{one.opportunity.id} {int(one.again)}"
            self.said.append(line)
            if self.pipe >= 0:
                os.write(self.pipe, f"{line}\n".encode())
        return True

    async def digest(self, digest: Digest) -> None: ...


class Hasty(SqliteSuggestions):
    """Says it before it claims it."""

    def __init__(self, database: Database, pipe: int) -> None:
        super().__init__(database)
        self._pipe = pipe

    async def claim(self, decisions: Sequence[Decision], *, channel: Channel, at: datetime) -> tuple[Told, ...]:
        for one in decisions if channel == "spoken" else ():
            os.write(self._pipe, f"{one.opportunity_id} 0\n".encode())
        return await super().claim(decisions, channel=channel, at=at)


def here() -> str:
    """Asked in a thread, where zones may be read."""
    to_local(MONDAY, "UTC")
    return "UTC"


def begin_of(life: int) -> datetime:
    return MONDAY + timedelta(hours=1) + life * _AT_MOST * _BETWEEN


def found_in(life: int) -> list[Opportunity]:
    """What that life finds: to be said some day."""
    end = begin_of(1_000_000 // (_AT_MOST * _BETWEEN.days))
    return [
        an_opportunity(
            f"k{life:05}{number}", need=0.97, opens_at=begin_of(life), found_at=begin_of(life), closes_at=end,
            deadline=None, topic=f"topic{number}", message=1 + number,
        )
        for number in range(_EACH)
    ]  # fmt: skip


def engine_over(store: SqliteSuggestions, database: Database) -> ProactiveEngine:
    return ProactiveEngine(store, StoreLookout(SqliteTypedMessages(database)), here)


@dataclass(slots=True)
class Fate:
    """Dies before its statement of that number, counted from the moment it is armed."""

    statement: int
    armed: bool = False
    ran: int = 0

    def attend(self) -> None:
        """From now on every connection of this process reports what it runs."""
        connect = sqlite3.connect

        def traced(*args: object, **options: object) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload]  # passed on
            connection.set_trace_callback(self._count)
            return connection

        sqlite3.connect = traced  # type: ignore[assignment]  # in the child only

    def _count(self, _: str) -> None:
        self.ran += self.armed
        if self.armed and self.ran == self.statement:
            os.kill(os.getpid(), signal.SIGKILL)


async def live(home: Home, pipe: int, life: int, fate: Fate, *, hasty: bool) -> None:
    """Finds opportunities, says and rates them, without end; a tick is two days after the last."""
    fate.attend()
    with OwnerLock(home, what="daemon"):
        async with await Database.open(home.database) as database:
            store = Hasty(database, pipe) if hasty else SqliteSuggestions(database)
            clock = FixedClock(begin_of(life))
            engine = engine_over(store, database)
            ticker = ProactiveTicker(engine, clock, Voice(pipe, silent=hasty))
            await store.keep(found_in(life))
            fate.armed = True
            while True:
                for one in await ticker.tick():
                    await engine.rate(one.suggestion.id, "useful", at=clock.now())
                clock.advance(_BETWEEN)


def one_life(home: Home, life: int, statement: int, *, hasty: bool) -> list[str]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        asyncio.run(live(home, writing, life, Fate(statement), hasty=hasty))
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as lines:
        said = [line.strip() for line in lines if line.endswith("\n")]
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "it was to be killed"
    return said


async def finish(home: Home, life: int, told: list[str]) -> None:
    """Says all that is left, one a day."""
    async with await Database.open(home.database) as database:
        store = SqliteSuggestions(database)
        clock, voice = FixedClock(begin_of(life + 1)), Voice(-1)
        ticker = ProactiveTicker(engine_over(store, database), clock, voice)
        silent = 0
        while silent < 5:
            silent = 0 if await ticker.tick() else silent + 1
            clock.advance(_BETWEEN)
        told += voice.said


def check(home: Home, lives: int, told: list[str]) -> dict[str, Any]:
    """`rated_wrong`: answers on disk without what was learned from them, or the other way round."""
    verify(home.database)
    connection = sqlite3.connect(home.database)
    try:
        claimed = connection.execute("SELECT count(*) FROM suggestion WHERE state = 'claimed'").fetchone()[0]
        answered = connection.execute("SELECT count(*) FROM suggestion WHERE answer IS NOT NULL").fetchone()[0]
        sql = "SELECT value ->> '$.rated' FROM suggestion_note WHERE name = 'posteriors'"
        learned = connection.execute(sql).fetchone()
        rows = Counter(
            id for (id,) in connection.execute("SELECT opportunity_id FROM suggestion WHERE channel = 'spoken'")
        )
    finally:
        connection.close()
    kept = [one.id for life in range(lives) for one in found_in(life)]
    first = Counter(OpportunityId(line.split()[0]) for line in told if line.endswith(" 0"))
    again = Counter(OpportunityId(line.split()[0]) for line in told if line.endswith(" 1"))
    return {
        "opportunities": len(kept),
        "lost": [id for id in kept if first[id] + again[id] == 0],
        "twice": [id for id in kept if first[id] > 1 or rows[id] > 1],
        "repeats": sum(again.values()),
        "unshown": claimed,
        "rated_wrong": abs(answered - (learned[0] if learned else 0)),
        "rated": answered,
    }


async def prepare(home: Home) -> None:
    """The messages that evidence points to."""
    async with await Database.open(home.database) as database:
        await database.write(fill_transcript)
        await SqliteSuggestions(database).save_settings(SETTINGS)


def main(place: str, kills: int, seed: int, *, hasty: bool) -> dict[str, Any]:
    home = Home.resolve(place, {})
    home.make()
    asyncio.run(prepare(home))
    chance, told = random.Random(seed), list[str]()
    for life in range(kills):
        told += one_life(home, life, chance.randint(1, _STATEMENTS), hasty=hasty)
    asyncio.run(finish(home, kills, told))
    return {"kills": kills, **check(home, kills, told)}


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), hasty="--say-first" in sys.argv)
    sys.stdout.write(json.dumps(result) + "\n")
