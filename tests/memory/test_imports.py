"""Imported conversations in the transcript: once, apart from what was typed, and whole at any moment."""

import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.importing import ImportReport, import_history
from memory.data_dir import Home
from memory.database import Database
from memory.errors import StoreError
from memory.importing.reading import read_export
from memory.importing.types import ImportedConversation
from memory.sqlite_imports import SqliteImports
from memory.sqlite_transcript import SqliteTranscript
from memory.types import SessionId
from models.types import Cancel
from tests.support.builders import kept_talk
from tests.support.exports import as_json, chatgpt_conversation, chatgpt_node, chatgpt_zip_2026, claude_conversation
from tests.support.store_oracle import verify

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Store:
    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.transcript = SqliteTranscript(database)
        self.imports = SqliteImports(database)
        self._folder = folder

    async def bring(self, *conversations: object, dry_run: bool = False) -> ImportReport:
        path = self._folder / "conversations.json"
        path.write_bytes(as_json(conversations))
        return await import_history(path, self.imports, at=NOW, dry_run=dry_run)

    async def counts(self) -> tuple[int, int]:
        def count(connection: sqlite3.Connection) -> tuple[int, int]:
            tables = ("session", "message")
            sessions, messages = (connection.execute(f"SELECT count(*) FROM {one}").fetchone()[0] for one in tables)
            return sessions, messages

        return await self.database.read(count)


@pytest.fixture
async def store(home: Home, tmp_path: Path) -> AsyncIterator[Store]:
    async with await Database.open(home.database) as database:
        yield Store(database, tmp_path)
    verify(home.database)


async def test_what_comes_in_is_found_and_says_where_it_is_from(store: Store) -> None:
    report = await store.bring(chatgpt_conversation(), claude_conversation())
    assert (report.new, report.messages, report.sources) == (2, 4, ("chatgpt", "claude"))
    sessions = await store.transcript.sessions()
    assert {one.imported_from for one in sessions} == {"chatgpt", "claude"}
    (found,) = await store.transcript.search("wading")
    assert found.session.imported_from == "chatgpt"
    path = await store.transcript.path(found.session.id)
    assert [(one.role, one.origin, one.status) for one in path] == [
        ("user", "imported", "complete"),
        ("assistant", "imported", "complete"),
    ]
    assert path[1].model == "gpt-4o"
    assert (await store.transcript.search("Herons"))[0].session.id == found.session.id


async def test_the_index_joins_its_pieces_afterwards_as_before(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """While an import writes it joins more at once, and all that it writes is written by then."""

    def setting(connection: sqlite3.Connection) -> int:
        found = connection.execute("SELECT v FROM message_fts_config WHERE k = 'automerge'").fetchone()
        return 4 if found is None else int(found[0])

    await store.bring(chatgpt_conversation())
    assert await store.database.read(setting) == 4
    monkeypatch.setattr("memory.sqlite_imports._SETTLE", ("INSERT INTO nowhere VALUES (1)",))
    with pytest.raises(StoreError):
        await store.bring(chatgpt_conversation("2"))
    assert await store.database.read(setting) == 4


async def test_a_second_import_adds_nothing(store: Store) -> None:
    conversations = [chatgpt_conversation(str(number)) for number in range(150)]
    assert (await store.bring(*conversations)).new == 150
    before = await store.counts()
    again = await store.bring(*conversations, *conversations[:5])
    assert (again.new, again.grown, again.here, again.messages) == (0, 0, 155, 0)
    assert await store.counts() == before


async def test_what_is_twice_in_an_export_comes_in_once(store: Store) -> None:
    report = await store.bring(chatgpt_conversation(), chatgpt_conversation())
    assert (report.new, report.here) == (1, 1)
    assert await store.counts() == (1, 2)


async def test_a_dry_run_says_the_same_and_changes_nothing(store: Store) -> None:
    await store.bring(chatgpt_conversation("1", ["One", "Two"]))
    before = await store.counts()
    given = (chatgpt_conversation("1", ["One", "Two", "Three"]), chatgpt_conversation("2"))
    dry = await store.bring(*given, dry_run=True)
    assert await store.counts() == before
    assert dry == await store.bring(*given)


async def test_a_conversation_that_went_on_there_brings_only_what_is_new(store: Store) -> None:
    await store.bring(chatgpt_conversation("1", ["One", "Two"]))
    report = await store.bring(chatgpt_conversation("1", ["One", "Two", "Three", "Four"]))
    assert (report.new, report.grown, report.messages) == (0, 1, 2)
    (session,) = await store.transcript.sessions()
    assert [one.content for one in await store.transcript.path(session.id)] == ["One", "Two", "Three", "Four"]


async def test_twice_in_one_batch_with_more_the_second_time(store: Store) -> None:
    report = await store.bring(
        chatgpt_conversation("1", ["One", "Two"]), chatgpt_conversation("1", ["One", "Two", "Three"])
    )
    assert (report.new, report.grown, report.messages) == (1, 1, 3)
    assert await store.counts() == (1, 3)


async def test_a_conversation_that_went_on_here_stays_where_it_is(store: Store) -> None:
    await store.bring(chatgpt_conversation("1", ["One", "Two"]))
    (session,) = await store.transcript.sessions()
    mine = await store.transcript.add_user_message(session.id, session.head_id, "And here?", at=NOW)
    await store.bring(chatgpt_conversation("1", ["One", "Two", "Three"]))
    assert (await store.transcript.session(session.id)).head_id == mine.id
    assert {one.content for one in await store.transcript.tree(session.id)} == {"One", "Two", "Three", "And here?"}


async def test_branches_can_be_walked(store: Store) -> None:
    nodes = [
        chatgpt_node("a", None, text="Colour?"),
        chatgpt_node("b", "a", "assistant", "Red"),
        chatgpt_node("c", "a", "assistant", "Blue"),
    ]
    await store.bring({**chatgpt_conversation(), "mapping": {one["id"]: one for one in nodes}, "current_node": "b"})
    (session,) = await store.transcript.sessions()
    _, shown = await store.transcript.path(session.id)
    assert shown.content == "Red"
    red, blue = await store.transcript.siblings(shown.id)
    await store.transcript.select_branch(blue.id)
    assert [one.content for one in await store.transcript.path(session.id)] == ["Colour?", "Blue"]
    assert red.id == shown.id


async def test_nothing_lies_in_the_future(store: Store) -> None:
    await store.bring(chatgpt_conversation(at=4_000_000_000.0))
    (session,) = await store.transcript.sessions()
    assert session.updated_at == NOW
    assert {one.created_at for one in await store.transcript.tree(session.id)} == {NOW}


async def test_deleted_it_is_gone_and_can_come_again(store: Store) -> None:
    await store.bring(chatgpt_conversation())
    (session,) = await store.transcript.sessions()
    await store.transcript.delete_session(session.id)
    assert await store.counts() == (0, 0)
    assert (await store.bring(chatgpt_conversation())).new == 1


async def test_beside_what_is_here_nothing_changes(store: Store) -> None:
    own, path = await kept_talk(store.transcript, ["Hello", "Hi"])
    await store.bring(*(chatgpt_conversation(str(number)) for number in range(5)))
    assert await store.transcript.path(own.id) == path
    assert (await store.transcript.session(own.id)).imported_from == ""


async def test_stopped_it_keeps_what_came_and_goes_on_later(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(as_json(chatgpt_conversation(str(number)) for number in range(300)))
    cancel = Cancel()
    report = await import_history(path, store.imports, at=NOW, watch=lambda _: cancel.set(), cancel=cancel)
    assert report.stopped
    assert 0 < report.new < 300
    rest = await import_history(path, store.imports, at=NOW)
    assert (rest.here, rest.new) == (report.new, 300 - report.new)


async def test_an_error_in_a_batch_leaves_nothing_of_it(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(chatgpt_zip_2026())
    found = [one for one in read_export(path, str) if isinstance(one, ImportedConversation)]
    await kept_talk(store.transcript, ["Hello"])
    taken = (await store.transcript.sessions())[0].id
    stuck = SqliteImports(store.database, new_id=lambda: taken)
    with pytest.raises(AssertionError):
        await stuck.add(found, at=NOW)
    assert await store.counts() == (1, 1)
    assert (await store.imports.add(found, at=NOW))[0].outcome == "new"


async def test_progress_goes_up_to_the_whole(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(chatgpt_zip_2026(shards=40, each=5))
    seen: list[tuple[int, int]] = []
    await import_history(path, store.imports, at=NOW, watch=lambda one: seen.append((one.done, one.total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0


async def test_what_was_read_for_learning_is_not_read_again(store: Store) -> None:
    await store.bring(chatgpt_conversation("1", ["One", "Two"]), claude_conversation())
    assert [one.content for one in await store.imports.unlearned(limit=1)] == ["What is an egret?"]
    assert await store.imports.unlearned_count() == 2
    await store.imports.learned()
    assert await store.imports.unlearned(limit=10) == ()
    await store.bring(chatgpt_conversation("1", ["One", "Two", "Three"]))
    assert [one.content for one in await store.imports.unlearned(limit=10)] == ["Three"]


async def test_a_database_from_before_can_be_looked_at(home: Home) -> None:
    schema = Path(__file__).parent / "schemas" / "007.sql"
    connection = sqlite3.connect(home.database)
    connection.executescript(schema.read_text("utf-8"))
    connection.close()
    transcript = await SqliteTranscript.open_reading(home.database)
    assert (await transcript.session(SessionId("s0001"))).imported_from == ""
    assert len(await transcript.search("walrus")) == 1
    await transcript.close()
