"""kill -9 before each statement of a day with Steward: whatever was acknowledged is there, and the day can go on.

STEWARD_KILL_EVERY sets the distance of the kills in statements (a night: 5). The control is a day that acknowledges
each thing before it is kept.
"""

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from assistant.deps import Deps, Prompts
from assistant.events import Remembered, TurnEnded, TurnStarted
from assistant.learning_switch import LearningSwitch
from assistant.scheduler import Scheduler
from assistant.session import Session
from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.database import Database
from memory.items import ItemChange, ItemId, Task
from memory.reminders import Due
from memory.sqlite_decisions import SqliteDecisions
from memory.sqlite_items import SqliteItems
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_reminders import SqliteReminders
from memory.sqlite_transcript import SqliteTranscript
from models.scripted import ScriptedModel
from tests.support.clock import MONDAY, StepClock
from tests.support.decisions import a_mail
from tests.support.english import english
from tests.support.reminders import added, an_instant
from tests.support.statement_killer import killed_at
from tests.support.store_oracle import rows, verify

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="forks and POSIX signals"),
    pytest.mark.timeout(3_600),
]

EVERY = int(os.environ.get("STEWARD_KILL_EVERY", "149"))
SAID = "I hate coriander. What shall I cook tonight?"
ANSWER = "Roast the carrots, with thyme and a little honey."
T = TypeVar("T")


class Day:
    """What a user does; every acknowledgement is a line in a file. `early`: before the thing is kept."""

    def __init__(self, home: Home, lines: Path, *, early: bool = False) -> None:
        self._home = home
        self._lines = os.open(lines, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._early = early

    def _tell(self, kind: str, what: object) -> None:
        os.write(self._lines, (json.dumps([kind, what]) + "\n").encode())

    async def _done(self, kind: str, what: object, change: Awaitable[T]) -> T:
        if self._early:
            self._tell(kind, what)
        made = await change
        if not self._early:
            self._tell(kind, what)
        return made

    async def live(self) -> None:
        async with await Database.open(self._home.database) as database:
            transcript = SqliteTranscript(database)
            await transcript.interrupt_unfinished()
            await self._talk(database, transcript)
            await self._remind(database)
            await self._plan(database)
            await self._decide(database)

    async def _talk(self, database: Database, transcript: SqliteTranscript) -> None:
        preferences = SqlitePreferences(database)
        deps = Deps(
            transcript=transcript,
            model=ScriptedModel(ANSWER),
            clock=StepClock(),
            settings=AssistantSettings(),
            prompts=Prompts(system="You are Steward."),
            local_time=lambda at: at.astimezone(UTC),
            preferences=preferences,
            language=english(),
            switch=LearningSwitch(),
            reraise_bugs=True,
        )
        if self._early:
            self._tell("message", 1)
        async for event in Session(deps).say(SAID):
            match event:
                case TurnStarted():
                    self._tell("message", event.user_message_id)
                case Remembered(receipts=receipts):
                    for receipt in receipts:
                        self._tell("memory", receipt.statement)
                case TurnEnded():
                    self._tell("answer", event.reply_message_id)
                case _:
                    pass
        kept = await preferences.list()
        await self._done("undone", kept[0].statement, preferences.undo(at=MONDAY))

    async def _remind(self, database: Database) -> None:
        store = SqliteReminders(database)
        one = an_instant(f"r{len(await store.list()):07}")
        await self._done("reminder", one.id, store.apply(added(one), at=MONDAY, request=one.id))
        tell = self._tell

        class Teller:
            async def due(self, dues: tuple[Due, ...]) -> bool:
                for due in dues:
                    tell("told", [due.reminder.id, due.again])
                return True

            async def zone_changed(self, before: str, after: str, moved: int) -> None: ...

        later = StepClock(at=datetime(2026, 3, 2, 12, tzinfo=UTC))
        await Scheduler(store, later, lambda: "UTC", Teller()).tick()

    async def _plan(self, database: Database) -> None:
        store = SqliteItems(database)
        number = len(await store.tasks())
        task = Task(id=ItemId(f"t{number:07}"), title="buy milk", created_at=MONDAY)
        await self._done("task", task.id, store.apply(ItemChange(operation="add", items=(task,)), at=MONDAY))

    async def _decide(self, database: Database) -> None:
        store = SqliteDecisions(database)
        wanted = len(await store.decisions()) + 1
        decision = await self._done("decision", wanted, store.raise_decision(a_mail(), at=MONDAY))
        await self._done("answered", decision.id, store.answer(decision.id, "no", source="chat", at=MONDAY))


def acknowledged(lines: Path) -> list[tuple[str, object]]:
    whole = lines.read_text().splitlines() if lines.exists() else []
    return [(kind, what) for kind, what in map(json.loads, whole)]


def missing(path: Path, told: list[tuple[str, object]]) -> list[str]:
    """What was acknowledged and is not there, or is not as it was said; what was told twice unmarked."""
    connection = sqlite3.connect(path)
    try:
        messages = dict(rows(connection, "SELECT id, content FROM message"))
        complete = {id for (id,) in rows(connection, "SELECT id FROM message WHERE status = 'complete'")}
        memories = {text for (text,) in rows(connection, "SELECT statement FROM preference")}
        operations = [text for (text,) in rows(connection, "SELECT operation FROM history_entry")]
        reminders = {id for (id,) in rows(connection, "SELECT id FROM reminder")}
        tasks = {id for (id,) in rows(connection, "SELECT id FROM item WHERE kind = 'task'")}
        decisions = dict(rows(connection, "SELECT id, state FROM decision"))
    finally:
        connection.close()
    proofs: dict[str, Callable[[object], bool]] = {
        "message": lambda id: messages.get(id) == SAID,
        "answer": lambda id: messages.get(id) == ANSWER and id in complete,
        "memory": lambda words: words in memories or "undo" in operations,
        "undone": lambda words: "undo" in operations,
        "reminder": lambda id: id in reminders,
        "told": lambda due: told.count(("told", due)) == 1,
        "task": lambda id: id in tasks,
        "decision": lambda id: id in decisions,
        "answered": lambda id: decisions.get(id) in ("answered", "done", "refused", "dismissed"),
    }
    return [f"{kind} {what}" for kind, what in told if not proofs[kind](what)]


def a_home(place: Path) -> Home:
    home = Home.resolve(str(place), {})
    home.make()
    return home


def days(tmp_path: Path, *, early: bool) -> tuple[int, list[str]]:
    """Kills one after another, each in a home of its own; how many, and what they lost."""
    lost: list[str] = []
    for number, statement in enumerate(count(1 + EVERY // 2, EVERY)):
        home, lines = a_home(tmp_path / str(number)), tmp_path / f"{number}.said"
        if not killed_at(statement, lambda home=home, lines=lines: asyncio.run(Day(home, lines, early=early).live())):  # type: ignore[misc]
            assert statement > 300
            return number, lost
        told = acknowledged(lines)
        if home.database.exists():
            asyncio.run(_opened(home))
            verify(home.database)
            lost += missing(home.database, told)
        else:
            lost += [f"{kind} {what}" for kind, what in told]
        if early:
            continue
        assert not killed_at(10_000_000, lambda home=home, lines=lines: asyncio.run(Day(home, lines).live()))  # type: ignore[misc]
        verify(home.database)
        lost += missing(home.database, acknowledged(lines))
        connection = sqlite3.connect(home.database)
        assert rows(connection, "SELECT count(*) FROM message WHERE status = 'writing'") == [(0,)]
        connection.close()
    raise AssertionError("a day has an end")


async def _opened(home: Home) -> None:
    """The next start puts right what the kill left."""
    async with await Database.open(home.database) as database:
        await SqliteTranscript(database).interrupt_unfinished()


def test_nothing_acknowledged_is_lost_before_any_statement(tmp_path: Path) -> None:
    kills, lost = days(tmp_path, early=False)
    assert lost == []
    assert kills >= 3


def test_a_day_that_acknowledges_too_early_is_noticed(tmp_path: Path) -> None:
    assert days(tmp_path, early=True)[1]
