"""Whatever is done in whatever order, the transcript in SQLite answers as the one in memory."""

import asyncio
import tempfile
from collections.abc import Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assistant.ports import Transcript
from memory.data_dir import Home
from memory.errors import NotFound
from memory.sqlite_transcript import SqliteTranscript
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import MessageId, MessageStatus, SessionId
from tests.memory.conftest import counted_ids
from tests.support.clock import MONDAY
from tests.support.store_oracle import verify

words = st.lists(st.sampled_from(["walrus", "Zebra", "café", "海象", "🦭", "x", "C++", "\x00", "\ud800"]), max_size=4)
texts = words.map(" ".join)
moments = st.integers(0, 50).map(lambda minutes: MONDAY + timedelta(minutes=minutes))
places = st.integers(0, 30)
ends: st.SearchStrategy[MessageStatus] = st.sampled_from(["complete", "stopped", "failed", "interrupted"])


class Machine(RuleBasedStateMachine):
    """Each rule asks both for the same; ids are counted, so that both give the same ones."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.home = Home.resolve(self.folder.name, {})
        self.home.make()
        self.reference = InMemoryTranscript(new_id=counted_ids())
        self.new_id = counted_ids()
        self.store = self.open()
        self.sessions = 0
        self.messages = 0

    def open(self) -> SqliteTranscript:
        return self.runner.run(SqliteTranscript.open(self.home.database, new_id=self.new_id))

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        verify(self.home.database)
        self.runner.close()
        self.folder.cleanup()

    def both(self, name: str, *args: Any, **kwargs: Any) -> Any:
        expected = self.answer(self.reference, name, args, kwargs)
        found = self.answer(self.store, name, args, kwargs)
        assert found == expected
        return found

    def answer(self, transcript: Transcript, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call: Coroutine[Any, Any, Any] = getattr(transcript, name)(*args, **kwargs)
        try:
            return self.runner.run(call)
        except NotFound as missing:
            return missing.message

    def session_at(self, place: int) -> SessionId:
        return SessionId(f"s{place % (self.sessions + 1) + 1:04}")

    def message_at(self, place: int) -> MessageId:
        return MessageId(place % (self.messages + 1) + 1)

    @initialize(title=texts, at=moments)
    def begin(self, title: str, at: Any) -> None:
        self.create(title, at)
        self.say(0, None, "walrus", at)

    @rule(title=texts, at=moments)
    def create(self, title: str, at: Any) -> None:
        self.both("create_session", at=at, title=title)
        self.sessions += 1

    @rule(session=places, parent=st.none() | places, text=texts, at=moments)
    def say(self, session: int, parent: int | None, text: str, at: Any) -> None:
        parent_id = None if parent is None else self.message_at(parent)
        answer = self.both("add_user_message", self.session_at(session), parent_id, text, at=at)
        self.messages += not isinstance(answer, str)

    @rule(parent=places, at=moments)
    def reply(self, parent: int, at: Any) -> None:
        answer = self.both("begin_reply", self.message_at(parent), at=at, model="tiny")
        self.messages += not isinstance(answer, str)

    @rule(message=places, text=texts, thought=texts)
    def checkpoint(self, message: int, text: str, thought: str) -> None:
        self.both("checkpoint_reply", self.message_at(message), text, thought)

    @rule(message=places, text=texts, status=ends, at=moments)
    def finish(self, message: int, text: str, status: MessageStatus, at: Any) -> None:
        numbers = {"tokens_in": 1, "tokens_out": 2, "seconds": 0.5}
        end = {"thought": "", "status": status, "finish_reason": "stop", "at": at, **numbers}
        self.both("finish_reply", self.message_at(message), text, **end)

    @rule(session=places, title=texts)
    def rename(self, session: int, title: str) -> None:
        self.both("rename", self.session_at(session), title)

    @rule(session=places)
    def delete(self, session: int) -> None:
        self.both("delete_session", self.session_at(session))

    @rule(message=places)
    def select(self, message: int) -> None:
        self.both("select_branch", self.message_at(message))

    @rule(message=places)
    def look(self, message: int) -> None:
        self.both("message", self.message_at(message))
        self.both("siblings", self.message_at(message))

    @rule(part=st.sampled_from(["", "z", "CAFE", "🦭", "%"]), limit=st.integers(0, 5), offset=st.integers(0, 3))
    def list_some(self, part: str, limit: int, offset: int) -> None:
        self.both("sessions", title_contains=part, limit=limit, offset=offset)

    @rule(text=texts | st.sampled_from(["wal", "cafe", "zebra walrus", '"x walrus"', "alru", "c++", "ra 海"]))
    def search(self, text: str) -> None:
        """The same messages; the order is each transcript's own."""
        found = self.answer(self.store, "search", (text,), {"limit": 1_000})
        expected = self.answer(self.reference, "search", (text,), {"limit": 1_000})
        assert {hit.message: hit.session for hit in found} == {hit.message: hit.session for hit in expected}

    @rule()
    def restart(self) -> None:
        self.runner.run(self.store.close())
        self.store = self.open()
        self.both("interrupt_unfinished")

    @invariant()
    def the_same_is_shown(self) -> None:
        for session in self.both("sessions", limit=1_000):
            self.both("path", session.id)
            self.both("tree", session.id)
        self.both("latest_session")


TestTranscriptMachine = Machine.TestCase
TestTranscriptMachine.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)


def test_the_machine_notices_a_difference() -> None:
    """A negative control: a store that forgets a rename is told apart."""

    class Forgetful(InMemoryTranscript):
        async def rename(self, session_id: SessionId, title: str) -> None:
            await self.session(session_id)

    machine = Machine()
    machine.begin("a", MONDAY)
    machine.reference = Forgetful(new_id=counted_ids())
    machine.runner.run(machine.reference.create_session(at=MONDAY, title="a"))
    machine.rename(0, "b")
    try:
        machine.list_some("", 5, 0)
    except AssertionError:
        return
    finally:
        machine.teardown()
    raise AssertionError("the difference went unnoticed")


def test_ids_are_given_in_the_same_order(tmp_path: Path) -> None:
    first, second = counted_ids(), counted_ids()
    assert [first() for _ in range(3)] == [second() for _ in range(3)] == ["s0001", "s0002", "s0003"]
