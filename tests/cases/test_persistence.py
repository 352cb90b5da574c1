"""Histories that were lost, rewritten or shown as empty elsewhere: S01 to S33."""

import sqlite3
import tomllib
from pathlib import Path

from memory.database import Database
from memory.sqlite_reminders import SqliteReminders
from memory.sqlite_transcript import SqliteTranscript
from tests.support.clock import MONDAY
from tests.support.reminders import added, an_instant
from tests.support.store_oracle import verify

ROOT = Path(__file__).parents[2]


async def test_S06_two_things_of_the_same_moment_are_two(tmp_path: Path) -> None:
    path = tmp_path / "steward.db"
    async with await Database.open(path) as database:
        reminders, transcript = SqliteReminders(database), SqliteTranscript(database)
        session = await transcript.create_session(at=MONDAY)
        for _ in range(50):
            await reminders.apply(added(an_instant()), at=MONDAY)
            await transcript.add_user_message(session.id, None, "again", at=MONDAY)
        assert len({one.id for one in await reminders.list(limit=1_000)}) == 50
        assert len(await transcript.tree(session.id)) == 50


async def test_S13_what_the_user_said_is_never_touched_by_what_follows(tmp_path: Path) -> None:
    path = tmp_path / "steward.db"
    transcript = await SqliteTranscript.open(path)
    session = await transcript.create_session(at=MONDAY)
    said = await transcript.add_user_message(session.id, None, "my words", at=MONDAY)
    begun = await transcript.begin_reply(said.id, at=MONDAY, model="tiny")
    await transcript.checkpoint_reply(begun.id, "output of a tool")
    await transcript.close()
    again = await SqliteTranscript.open(path)
    await again.interrupt_unfinished()
    kept, reply = await again.path(session.id)
    assert (kept.content, reply.content, reply.status) == ("my words", "output of a tool", "interrupted")
    await again.close()


async def test_S15_what_is_accepted_is_there_without_any_orderly_end(tmp_path: Path) -> None:
    path = tmp_path / "steward.db"
    transcript = await SqliteTranscript.open(path)
    session = await transcript.create_session(at=MONDAY)
    said = await transcript.add_user_message(session.id, None, "kept at once", at=MONDAY)
    copy = tmp_path / "copy" / path.name
    copy.parent.mkdir(mode=0o700)
    for suffix in ("", "-wal"):  # as a crash would leave them
        beside = copy.with_name(copy.name + suffix)
        beside.write_bytes(path.with_name(path.name + suffix).read_bytes())
        beside.chmod(0o600)
    verify(copy, {said.id: "kept at once"})
    await transcript.close()


def test_S25_libraries_that_hold_data_are_pinned_and_bounded() -> None:
    """The index they hold is derived: tests/memory/test_vector_index.py loses it in every way."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    pinned = (ROOT / "constraints.txt").read_text()
    for name in ("chromadb", "apscheduler"):
        (wanted,) = [one for one in declared if one.startswith(name)]
        assert ",<" in wanted
        assert f"\n{name}==" in f"\n{pinned}".lower()


async def test_S33_there_is_one_connection_that_writes(tmp_path: Path) -> None:
    path = tmp_path / "steward.db"
    opened: list[sqlite3.Connection] = []
    async with await Database.open(path) as database:
        for _ in range(5):
            await database.write(lambda connection: opened.append(connection))
            await database.read(lambda connection: opened.append(connection))
    assert len({id(connection) for connection in opened}) == 1
