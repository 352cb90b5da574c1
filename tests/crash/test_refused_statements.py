"""The disk refuses the N-th statement, for N until none is refused: what was accepted stays, and what fails says so.

STEWARD_REFUSE_EVERY sets the distance of the statements (a night: 1).
"""

import os
import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.errors import StoreError
from memory.reminders import ReminderId
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_reminders import SqliteReminders
from memory.sqlite_transcript import SqliteTranscript
from tests.support.clock import MONDAY
from tests.support.known_user import a_wish
from tests.support.reminders import added, an_instant
from tests.support.store_oracle import verify

pytestmark = [pytest.mark.crash, pytest.mark.timeout(1_800)]
STRIDE = int(os.environ.get("STEWARD_REFUSE_EVERY", "13"))


class Refusing:
    """A maker of connections that count their statements and refuse one of them, once."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.refused = False

    def check(self, sql: str) -> None:
        self.left -= 1
        if self.left == 0:
            self.refused = True
            raise sqlite3.OperationalError("disk I/O error")

    def connecting(self, connect: Callable[..., sqlite3.Connection]) -> Callable[..., sqlite3.Connection]:
        outer = self

        class Watched(sqlite3.Connection):
            def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
                outer.check(sql)
                return super().execute(sql, *rest)

            def executemany(self, sql: str, *rest: Any) -> sqlite3.Cursor:
                outer.check(sql)
                return super().executemany(sql, *rest)

        return lambda *args, **options: connect(*args, factory=Watched, **options)


async def live(path: Path, accepted: dict[int, str]) -> list[StoreError]:
    """Everything a user does in a minute; what was refused. `accepted`: messages that were acknowledged."""
    refused: list[StoreError] = []

    async def tried(awaitable: Any) -> Any:
        try:
            return await awaitable
        except StoreError as error:
            refused.append(error)
            return None

    database = await tried(Database.open(path))
    if database is None:
        return refused
    transcript, reminders = SqliteTranscript(database), SqliteReminders(database)
    session = await tried(transcript.create_session(at=MONDAY))
    if session is not None:
        said = await tried(transcript.add_user_message(session.id, None, "I hate coriander", at=MONDAY))
        if said is not None:
            accepted[said.id] = said.content
            await tried(transcript.begin_reply(said.id, at=MONDAY, model="tiny"))
        await tried(transcript.search("coriander"))
    wish = a_wish("I hate coriander", "food.taste", "coriander", -1)
    await tried(SqlitePreferences(database).learn([wish], actor="user", at=MONDAY))
    await tried(reminders.apply(added(an_instant("r0000001")), at=MONDAY))
    await tried(reminders.reminder(ReminderId("r0000001")))
    await tried(database.close())
    return refused


async def test_a_refused_statement_is_an_error_in_words_and_costs_only_its_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, tries, errors = sqlite3.connect, 0, 0
    for number in count(1, STRIDE):
        home = Home.resolve(str(tmp_path / str(number)), {})
        home.make()
        refusing, accepted = Refusing(number), dict[int, str]()
        monkeypatch.setattr("memory.database.sqlite3.connect", refusing.connecting(connect))
        refused = await live(home.database, accepted)
        monkeypatch.setattr("memory.database.sqlite3.connect", connect)
        if not refusing.refused:
            break
        tries += 1
        errors += bool(refused)
        assert all(error.message and "\n" not in error.message for error in refused)
        await (await Database.open(home.database)).close()
        verify(home.database, accepted)
    assert tries > 10
    assert errors > tries // 2
    assert accepted, "without a refusal everything is accepted"
    with pytest.raises(AssertionError, match="lost"):  # the control: a message that is not there is missed
        verify(home.database, {**accepted, 99: "never kept"})
