"""kill -9 between any two statements around saying something first loses nothing and says nothing twice unmarked.

Of two owners exactly one says it; an answer and what is learned from it are on disk together. STEWARD_KILLS and
STEWARD_RACES set how often (a night: 500 and 100)."""

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
from memory.sqlite_suggestions import SqliteSuggestions
from tests.support.clock import MONDAY
from tests.support.preference_stores import fill_transcript
from tests.support.racing import raced, two_racers
from tests.support.suggestion_killer import SETTINGS
from tests.support.suggestions import an_opportunity

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="forks and POSIX signals"),
    pytest.mark.timeout(3600),
]
DAY = timedelta(days=1)
RACES = int(os.environ.get("STEWARD_RACES", "25"))
# Each line on stdin is a race: own the home if it is free, tick once, say how much was said, and let go.
RACER = """
import asyncio, sys
from datetime import timedelta
from assistant.proactive_ticker import ProactiveTicker
from memory.data_dir import Home, OwnerLock
from memory.database import Database
from memory.errors import HomeInUse
from memory.sqlite_suggestions import SqliteSuggestions
from tests.support.clock import MONDAY, FixedClock
from tests.support.suggestion_killer import Voice, engine_over

async def speak(home, race):
    voice = Voice(-1)
    async with await Database.open(home.database) as database:
        clock = FixedClock(MONDAY + timedelta(days=2 * race, hours=1))
        engine = engine_over(SqliteSuggestions(database), database)
        await ProactiveTicker(engine, clock, voice).tick()
    return len(voice.said)

home = Home.resolve(sys.argv[1], {})
print("ready", flush=True)
for line in sys.stdin:
    try:
        with OwnerLock(home): print(asyncio.run(speak(home, int(line))), flush=True)
    except HomeInUse: print("refused", flush=True)
"""


def killed(place: Path, kills: int, *flags: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.suggestion_killer", str(place), str(kills), "1", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_nothing_is_lost_and_nothing_is_said_twice(tmp_path: Path) -> None:
    found = killed(tmp_path, min(500, int(os.environ.get("STEWARD_KILLS", "30"))))
    assert (found["lost"], found["twice"], found["unshown"], found["rated_wrong"]) == ([], [], 0, 0)
    assert found["opportunities"] == found["kills"] * 4


def test_the_harness_notices_a_voice_that_says_before_it_claims(tmp_path: Path) -> None:
    assert killed(tmp_path, 40, "--say-first")["twice"]


@pytest.fixture
def racers(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    with two_racers(RACER, tmp_path) as racers:
        yield racers


def test_of_two_that_start_at_once_exactly_one_says_it(tmp_path: Path, racers: list[subprocess.Popen[str]]) -> None:
    home = Home.resolve(str(tmp_path), {})
    home.make()

    async def find_all() -> None:
        async with await Database.open(home.database) as database:
            await database.write(fill_transcript)
            store = SqliteSuggestions(database)
            await store.save_settings(SETTINGS)
            for race in range(RACES):
                opens = MONDAY + 2 * race * DAY
                one = an_opportunity(f"race{race:04}", need=0.97, opens_at=opens, closes_at=opens + DAY)
                await store.keep([one])

    asyncio.run(find_all())
    for race, answers in raced(racers, RACES):
        assert sum(int(answer) for answer in answers if answer != "refused") == 1, (race, answers)
