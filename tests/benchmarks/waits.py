"""Measures what must not be waited for, and is a count of work in the tests: `python -m tests.benchmarks.waits`.

Hostile text read for a time and for a statement, a tick over 10,000 reminders, the home taken from a daemon, a model
process that dies noticed. One JSON line a measure: name, value, bar, passed. Takes about ten seconds.
"""

import asyncio
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from assistant.policies.recognise import recognise
from assistant.policies.when.parse import parse
from assistant.policies.when.types import Options as WhenOptions
from assistant.scheduler import Scheduler
from memory.data_dir import Home, holder_of
from memory.database import Database
from memory.reminders import Due
from memory.sqlite_reminders import SqliteReminders
from models.launching import Engine
from models.types import ModelStatus, Restarting
from models.worker import WorkerModel
from tests.models.contract import SHORT, everything
from tests.support.clock import FixedClock
from tests.support.english import english
from tests.support.fake_child import FaultyChild, Life
from tests.support.reminders import ten_thousand
from tests.support.waiting import eventually
from ui.daemon import serve
from ui.handover import DAEMON
from ui.wiring import Options, owned

ROUNDS = 5
WHEN = ("in ", "12:", "a a ", "two days before ", "first of ", "\x1b[2J")
STATED = ("I like " + "and " * 600, "no " * 660, "i love x, " * 200, "( " * 900)


def report(name: str, milliseconds: float, limit: float) -> bool:
    passed = milliseconds <= limit
    line = {"name": name, "value": round(milliseconds, 1), "bar": f"<= {limit:g} ms", "passed": passed}
    print(json.dumps(line), flush=True)  # noqa: T201 - this is the script's result
    return passed


def best_of(act: Callable[[], object]) -> float:
    """Milliseconds, the best of several."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    return min(times) * 1_000


def texts() -> list[bool]:
    at = WhenOptions(now=datetime(2026, 3, 4, 9, tzinfo=UTC), zone="Europe/Berlin")
    phrases = [(unit * 10_000)[:10_000] for unit in WHEN]
    language = english()
    return [
        report("hostile_time_10_000_characters", max(best_of(partial(parse, text, at)) for text in phrases), 1_000),
        report(
            "hostile_statement_2_000_characters",
            max(best_of(partial(recognise, text, language, after_answer=True)) for text in STATED),
            500,
        ),
    ]


class Nobody:
    async def due(self, dues: tuple[Due, ...]) -> bool:
        return bool(dues)

    async def zone_changed(self, before: str, after: str, moved: int) -> None: ...


async def ticking(home: Home) -> bool:
    async with await Database.open(home.database) as database:
        await ten_thousand(database)
        scheduler = Scheduler(SqliteReminders(database), FixedClock(), lambda: "UTC", Nobody())
        await scheduler.tick()
        times = []
        for _ in range(20):
            began = time.perf_counter()
            await scheduler.tick()
            times.append(time.perf_counter() - began)
    return report("tick_over_10_000_reminders", min(times) * 1_000, 20)


async def handing_over(home: Home) -> bool:
    """From a daemon that has the home."""

    def holder() -> str:
        found = holder_of(home)
        return found.what if found is not None else ""

    stop, times, options = asyncio.Event(), [], Options(home_override=str(home.data.parent))
    daemon = asyncio.create_task(serve(options, stop, io.StringIO()))
    for _ in range(ROUNDS):
        await eventually(lambda: holder() == DAEMON)
        began = time.perf_counter()
        async with owned(options, "chat"):
            times.append(time.perf_counter() - began)
    stop.set()
    await daemon
    return report("home_taken_from_the_daemon", min(times) * 1_000, 2_000)


async def dying(folder: Path) -> bool:
    """From the last moment of a killed model process to the status that says so."""
    times = [await noticed_after(folder / f"death-{number}") for number in range(ROUNDS)]
    return report("death_of_the_model_noticed", min(times) * 1_000, 1_000)


async def noticed_after(folder: Path) -> float:
    """Seconds."""
    folder.mkdir()
    model_file = folder / "model.gguf"
    model_file.write_bytes(b"not read by the fake child")
    child = FaultyChild(folder=folder, lives=(Life(fault="KILL", at="token 1"),))
    model = WorkerModel(
        Engine(path=model_file, name="fake", log=folder / "log", crashes=folder / "crashes", command=child.command)
    )
    noticed: list[float] = []

    def note(status: ModelStatus) -> None:
        if isinstance(status, Restarting):
            noticed.append(time.monotonic())

    model.on_status(note)
    await everything(model, SHORT)
    await eventually(lambda: noticed)
    await model.close()
    return noticed[0] - child.failed_at()


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="steward-benchmark-") as place:
        os.environ.pop("STEWARD_HOME", None)
        homes = [Home.resolve(str(Path(place) / name), {}) for name in ("ticking", "handing")]
        for home in homes:
            home.make()
        passed = [
            *texts(),
            asyncio.run(ticking(homes[0])),
            asyncio.run(handing_over(homes[1])),
            asyncio.run(dying(Path(place))),
        ]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
