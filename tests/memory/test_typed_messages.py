"""What the user typed, as the proactive engine reads it."""

from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_transcript import SqliteTranscript
from memory.sqlite_typed_messages import SqliteTypedMessages
from memory.types import MessageId
from tests.support.clock import MONDAY


async def test_only_what_was_typed_where_learning_is_wanted(home: Home) -> None:
    async with await Database.open(home.database) as database:
        transcript, typed = SqliteTranscript(database), SqliteTypedMessages(database)
        assert await typed.newest() == 0
        normal = await transcript.create_session(at=MONDAY)
        quiet = await transcript.create_session(at=MONDAY, mode="no_learn")
        first = await transcript.add_user_message(normal.id, None, "one", at=MONDAY)
        await transcript.add_user_message(normal.id, first.id, "pasted", at=MONDAY, origin="pasted")
        await transcript.add_user_message(quiet.id, None, "not for learning", at=MONDAY)
        last = await transcript.add_user_message(normal.id, first.id, "two", at=MONDAY)
        assert [one.content for one in await typed.after(MessageId(0))] == ["one", "two"]
        assert [one.content for one in await typed.after(first.id)] == ["two"]
        assert [one.content for one in await typed.after(MessageId(0), limit=1)] == ["one"]
        assert await typed.newest() == last.id
