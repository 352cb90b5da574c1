"""What is done at every keystroke or start uses an index: a plan is stable where a time is not."""

from collections.abc import Awaitable, Callable

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_transcript import SqliteTranscript
from memory.types import MessageId, SessionId
from tests.support.builders import kept_talk

CALLS: dict[str, Callable[[SqliteTranscript], Awaitable[object]]] = {
    "list": lambda transcript: transcript.sessions(),
    "latest": lambda transcript: transcript.latest_session(),
    "session": lambda transcript: transcript.session(SessionId("aaaa1111")),
    "path": lambda transcript: transcript.path(SessionId("aaaa1111")),
    "tree": lambda transcript: transcript.tree(SessionId("aaaa1111")),
    "siblings of a root": lambda transcript: transcript.siblings(MessageId(1)),
    "siblings": lambda transcript: transcript.siblings(MessageId(2)),
    "branch": lambda transcript: transcript.select_branch(MessageId(1)),
    "checkpoint": lambda transcript: transcript.checkpoint_reply(MessageId(2), "x"),
    "search": lambda transcript: transcript.search("Hello"),
    "interrupt": lambda transcript: transcript.interrupt_unfinished(),
    "delete": lambda transcript: transcript.delete_session(SessionId("aaaa1111")),
}


@pytest.mark.parametrize("name", CALLS)
async def test_no_table_is_read_whole(home: Home, name: str) -> None:
    database = await Database.open(home.database)
    transcript = SqliteTranscript(database, new_id=lambda: "aaaa1111")
    await kept_talk(transcript, ["Hello", "Hi"])
    statements: list[str] = []
    await database.run(lambda connection: connection.set_trace_callback(statements.append))
    await CALLS[name](transcript)
    await database.run(lambda connection: connection.set_trace_callback(None))
    ours = [sql for sql in statements if sql.startswith(("SELECT", "UPDATE", "WITH", "DELETE"))]
    assert ours
    plans = await database.run(
        lambda connection: [
            (sql, row[3]) for sql in ours for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
        ]
    )
    assert not [(sql, step) for sql, step in plans if step in ("SCAN session", "SCAN message")], plans
    assert not [(sql, step) for sql, step in plans if "TEMP B-TREE" in step and "hit" not in sql], plans
    await database.close()
