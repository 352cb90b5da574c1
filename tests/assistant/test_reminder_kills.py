"""kill -9 around firing loses no reminder and tells none twice unmarked; of two owners exactly one fires.

STEWARD_KILLS sets how often (a night: 500)."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_reminders import SqliteReminders
from tests.support.clock import MONDAY
from tests.support.racing import raced, two_racers
from tests.support.reminders import added, an_instant

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="forks and POSIX signals"),
    pytest.mark.timeout(900),
]
RACES = 100
# Each line on stdin is a race: own the home if it is free, fire once, say how many were told, and let go.
RACER = """
import asyncio, sys
from datetime import timedelta
from assistant.scheduler import Scheduler
from memory.data_dir import Home, OwnerLock
from memory.database import Database
from memory.errors import HomeInUse
from memory.sqlite_reminders import SqliteReminders
from tests.support.clock import MONDAY, FixedClock

class Count:
    told = 0
    async def due(self, dues):
        self.told += len(dues)
        return True

async def fire(home, race):
    count = Count()
    async with await Database.open(home.database) as database:
        clock = FixedClock(MONDAY + timedelta(hours=race))
        await Scheduler(SqliteReminders(database), clock, lambda: "UTC", count).tick()
    return count.told

home = Home.resolve(sys.argv[1], {})
print("ready", flush=True)
for line in sys.stdin:
    try:
        with OwnerLock(home): print(asyncio.run(fire(home, int(line))), flush=True)
    except HomeInUse: print("refused", flush=True)
"""


def killed(place: Path, kills: int, *flags: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.reminder_killer", str(place), str(kills), "1", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_nothing_is_lost_and_nothing_is_told_twice(tmp_path: Path) -> None:
    kills = int(os.environ.get("STEWARD_KILLS", "30"))
    found = killed(tmp_path, kills)
    assert (found["lost"], found["twice"], found["unshown"]) == ([], [], 0)
    assert found["reminders"] >= kills * 40


def test_the_harness_notices_a_ticker_that_tells_before_it_claims(tmp_path: Path) -> None:
    assert killed(tmp_path, 40, "--tell-first")["twice"]


@pytest.fixture
def racers(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    with two_racers(RACER, tmp_path) as racers:
        yield racers


def test_of_two_that_start_at_once_exactly_one_fires(tmp_path: Path, racers: list[subprocess.Popen[str]]) -> None:
    home = Home.resolve(str(tmp_path), {})
    home.make()

    async def add_all() -> None:
        async with await Database.open(home.database) as database:
            store = SqliteReminders(database)
            for number in range(RACES):
                one = an_instant(f"race{number:04}", at=MONDAY + timedelta(hours=number))
                await store.apply(added(one), at=MONDAY)

    asyncio.run(add_all())
    for race, answers in raced(racers, RACES):
        assert sum(int(answer) for answer in answers if answer != "refused") == 1, (race, answers)
