"""Deleting is physical: afterwards no file of the home has the words."""

import sqlite3
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import finished_reply, kept_talk
from tests.support.clock import MONDAY
from tests.support.store_oracle import verify

# Random letters, so that no stored word shares a beginning with them: an index stores a word without the
# letters it shares with the one before.
CANARIES = ("qzkwvxjhptrlm", "wjxqzgkfvbnds", "zvqkxwjymcphg", "xkqjzwtvbrfld")

DELETE = (
    "UPDATE session SET head_id = NULL WHERE id = ?",
    "DELETE FROM message WHERE session_id = ?",
    "DELETE FROM session WHERE id = ?",
    "INSERT INTO message_fts(message_fts) SELECT 'optimize' WHERE ? <> ''",
    "INSERT INTO session_fts(session_fts) SELECT 'optimize' WHERE ? <> ''",
)


@pytest.fixture
async def transcript(home: Home) -> SqliteTranscript:
    """With enough other talk that the index has several segments and the file many pages."""
    opened = await SqliteTranscript.open(home.database)
    for number in range(30):
        await kept_talk(opened, [f"talk {number} about thing{number} " * 20, "fine " * 50], title=f"Talk {number}")
    return opened


def traces(place: Path) -> list[tuple[str, str]]:
    contents = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return [
        (path.name, canary)
        for path, content in contents.items()
        for canary in CANARIES
        if canary.encode() in content or canary[-6:].encode() in content
    ]


async def keep_canaries(transcript: SqliteTranscript) -> str:
    words = [canary.upper() for canary in CANARIES]  # folded to lower case only in the index
    session, (said, *_) = await kept_talk(transcript, [f"{CANARIES[0]} {words[0]}", CANARIES[1]], title=CANARIES[2])
    begun = await transcript.begin_reply(said.id, at=MONDAY, model="tiny")
    await transcript.checkpoint_reply(begun.id, f"{CANARIES[3]} " * 400, CANARIES[1])
    await finished_reply(transcript, said.id, f"{CANARIES[3]} and more " * 2_000)
    return session.id


async def test_the_words_are_there_before_and_nowhere_after(home: Home, transcript: SqliteTranscript) -> None:
    id = await keep_canaries(transcript)
    assert {canary for _, canary in traces(home.data)} == set(CANARIES)
    session = await transcript.find_session(id)
    await transcript.delete_session(session.id)
    assert traces(home.data) == []
    await transcript.close()
    assert traces(home.data) == []
    verify(home.database)


async def test_what_a_rename_or_a_checkpoint_replaced_goes_with_the_session(
    home: Home, transcript: SqliteTranscript
) -> None:
    session = await transcript.find_session(await keep_canaries(transcript))
    await transcript.rename(session.id, "harmless")
    await kept_talk(transcript, ["more talk afterwards"])
    await transcript.delete_session(session.id)
    assert traces(home.data) == []
    await transcript.close()


async def test_a_reader_with_an_old_view_delays_the_log_until_the_owner_closes(home: Home) -> None:
    database = await Database.open(home.database)
    await database.run(lambda connection: connection.execute("PRAGMA busy_timeout = 20"))
    transcript = SqliteTranscript(database)
    session = await transcript.find_session(await keep_canaries(transcript))
    reader = sqlite3.connect(home.database, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM message").fetchone() == (4,)
    await transcript.delete_session(session.id)
    assert traces(home.data)
    reader.close()
    await transcript.close()
    assert traces(home.data) == []


async def test_what_a_killed_owner_had_deleted_is_gone_after_the_next_start(
    home: Home, transcript: SqliteTranscript
) -> None:
    """The log of the killed one still has the words: opening empties it."""
    session = await transcript.find_session(await keep_canaries(transcript))
    database = await Database.open(home.database)
    await database.write(lambda connection: [connection.execute(sql, (session.id,)) for sql in DELETE])
    assert traces(home.data)
    reopened = await SqliteTranscript.open(home.database)
    assert traces(home.data) == []
    for opened in (reopened, transcript, database):
        await opened.close()


async def test_deleting_every_session_leaves_no_words(home: Home, transcript: SqliteTranscript) -> None:
    await keep_canaries(transcript)
    for session in await transcript.sessions(limit=1_000):
        await transcript.delete_session(session.id)
    await transcript.close()
    assert traces(home.data) == []
    assert b"thing17" not in home.database.read_bytes()
    verify(home.database)
