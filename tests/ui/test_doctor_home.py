"""doctor on the home and what is remembered: modes, owner, room, database, clock, index."""

import os
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.data_dir import Holder
from memory.database import Database
from memory.errors import StoreDamaged
from memory.preferences import Filter
from memory.sqlite_health import Health, look_over
from memory.sqlite_memory_health import MemoryHealth, look_over_memory
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.known_user import get_to_know
from tests.support.pilot import a_home
from ui.checks.home import check_clock, check_database, check_modes, check_owner, check_room, check_writable, is_running
from ui.checks.memory import check_memory

HEALTH = Health(
    findings=(),
    broken_references=0,
    sessions=1,
    messages=2,
    unindexed=0,
    schema=1,
    known_schema=1,
    newest=MONDAY,
)


class TestHome:
    def test_open_modes_are_broken_and_the_fix_works(self, tmp_path: Path) -> None:
        home = a_home(tmp_path)
        home.make()
        assert check_modes(home).state == "ok"
        home.database.write_text("x")
        home.database.chmod(0o644)
        check = check_modes(home)
        assert check.state == "broken"
        assert str(home.database) in check.detail
        assert os.system(check.fix) == 0
        assert check_modes(home).state == "ok"

    def test_a_link_out_of_the_home_is_not_followed(self, tmp_path: Path) -> None:
        home = a_home(tmp_path / "home")
        home.make()
        outside = tmp_path / "outside"
        outside.mkdir(mode=0o755)
        (outside / "file").write_text("x")
        (home.data / "link").symlink_to(outside)
        assert check_modes(home).state == "ok"

    def test_an_owner_that_lives_is_named(self) -> None:
        here = Holder(pid=os.getpid(), started=MONDAY, what="chat")
        check = check_owner(here, alive=is_running(here))
        assert f"process {os.getpid()} (chat" in check.detail
        gone = replace(here, pid=2**22 + 1)
        assert "no Steward" in check_owner(gone, alive=is_running(gone)).detail
        assert "no Steward" in check_owner(None, alive=False).detail

    def test_room_on_disk(self) -> None:
        assert [check_room(free).state for free in (10**12, 10**8, 10**6, None)] == ["ok", "note", "broken", "note"]

    def test_a_home_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        check = check_writable(a_home(tmp_path / "file" / "home"))
        assert check.state == "broken"
        assert "--home" in check.fix
        assert check_writable(a_home(tmp_path / "new")).state == "ok"
        assert not (tmp_path / "new").exists()

    @pytest.mark.parametrize(
        ("found", "state", "words"),
        [
            (None, "ok", "not made yet"),
            (HEALTH, "ok", "1 conversations, 2 messages"),
            (replace(HEALTH, findings=("row 3 missing from index",)), "broken", "row 3 missing"),
            (replace(HEALTH, broken_references=2), "broken", "2 rows"),
            (replace(HEALTH, unindexed=5), "broken", "search misses 5"),
            (replace(HEALTH, schema=9), "broken", "written by a newer Steward (schema 9; this one knows 1)"),
            (StoreDamaged("it is damaged", "keep it"), "broken", "it is damaged"),
        ],
    )
    def test_database(self, found: Health | StoreDamaged | None, state: str, words: str) -> None:
        check = check_database(found)[0]
        assert check.state == state
        assert words in check.detail
        assert bool(check.fix) == (state == "broken")

    def test_clock(self) -> None:
        now = datetime(2026, 12, 1, tzinfo=UTC)
        assert check_clock(now, now - timedelta(days=1), "UTC").state == "ok"
        assert check_clock(now, now + timedelta(days=1), "UTC").state == "note"
        assert check_clock(datetime(1970, 1, 1, tzinfo=UTC), None, "UTC").state == "broken"


class TestHealth:
    async def test_nothing_was_kept(self, tmp_path: Path) -> None:
        assert await look_over(tmp_path / "steward.db") is None

    async def test_counts_and_the_newest_moment_beside_an_owner(self, tmp_path: Path) -> None:
        transcript = await SqliteTranscript.open(tmp_path / "steward.db")
        try:
            await kept_talk(transcript, ["one", "two", "three"])
            health = await look_over(tmp_path / "steward.db")
        finally:
            await transcript.close()
        assert health is not None
        assert (health.findings, health.broken_references, health.unindexed) == ((), 0, 0)
        assert (health.sessions, health.messages) == (1, 3)
        assert health.newest is not None
        assert health.newest.tzinfo is not None

    async def test_rows_that_search_cannot_find_are_counted(self, tmp_path: Path) -> None:
        path = tmp_path / "steward.db"
        transcript = await SqliteTranscript.open(path)
        await kept_talk(transcript, ["one", "two"])
        await transcript.close()
        with sqlite3.connect(path) as connection:
            connection.execute("INSERT INTO message_fts(message_fts, rowid, content) VALUES('delete', 1, 'one')")
        connection.close()
        health = await look_over(path)
        assert health is not None
        assert health.unindexed == 1


class TestMemory:
    SOUND = MemoryHealth(
        in_force=12,
        to_review=2,
        unsearchable=0,
        owed=0,
        failing=0,
        vectors=12,
        missing=0,
        strangers=0,
        tombstones=3,
        generation=1,
        model="all-minilm-l6-v2",
    )

    def test_nothing_remembered_is_sound(self) -> None:
        assert check_memory(None, embedder=False).state == "ok"

    def test_an_index_in_step_is_sound(self) -> None:
        check = check_memory(self.SOUND, embedder=True)
        assert check.state == "ok"
        assert "12 vectors, generation 1" in check.detail

    @pytest.mark.parametrize(
        ("change", "embedder", "state", "words"),
        [
            ({"unsearchable": 1}, True, "broken", "search misses 1"),
            ({"vectors": 0}, False, "note", "steward models pull all-minilm-l6-v2"),
            ({"owed": 4}, True, "note", "4 changes to be indexed"),
            ({"owed": 4, "failing": 4}, True, "note", "several tries"),
            ({"missing": 1, "strangers": 2}, True, "note", "out of step by 3"),
        ],
    )
    def test_what_is_out_of_step_is_named(self, change: dict[str, int], embedder: bool, state: str, words: str) -> None:
        check = check_memory(replace(self.SOUND, **change), embedder=embedder)  # type: ignore[arg-type]
        assert check.state == state
        assert words in f"{check.detail} {check.fix}"

    def test_trouble_with_the_database_is_told_once(self) -> None:
        assert check_memory(StoreDamaged("broken", "mend it"), embedder=True).state == "note"

    async def test_a_real_store_is_counted(self, tmp_path: Path) -> None:
        path = tmp_path / "steward.db"
        async with await Database.open(path) as database:
            store = SqlitePreferences(database)
            await get_to_know(store, SqliteTranscript(database))
            await store.forget([(await store.list(Filter(statuses=("active",))))[-1].id], at=MONDAY)
        found = await look_over_memory(path)
        assert found is not None
        assert (found.in_force, found.to_review, found.unsearchable) == (10, 3, 0)
        assert found.owed >= found.in_force
        assert found.tombstones > 0
        assert (found.missing, found.strangers) == (0, 0)

    async def test_a_home_without_a_database_has_none(self, tmp_path: Path) -> None:
        assert await look_over_memory(tmp_path / "steward.db") is None
