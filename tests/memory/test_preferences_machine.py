"""Whatever is done in whatever order, preferences in SQLite answer as those in memory, and undo restores exactly."""

import asyncio
import sqlite3
import tempfile
from collections.abc import Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory.changes import Change, Confirm, Demote, Deny, Edit, EntryId, Expire, Merge, Pin, Promote, Retract
from memory.database import Database
from memory.errors import ChangeRefused, NotFound
from memory.preference_store import PreferenceStore
from memory.preferences import Actor, Candidate, Item, Preference, PreferenceId, Usage
from memory.preferences_in_memory import InMemoryPreferences
from memory.sqlite_preferences import SqlitePreferences
from memory.transitions import clash
from memory.types import MessageId
from tests.support.clock import MONDAY
from tests.support.memories import SMALL_OBJECTS, SMALL_SLOTS, candidates
from tests.support.preference_stores import sqlite_preferences
from tests.support.store_oracle import verify

Simple = Confirm | Deny | Retract | Promote | Demote | Expire

places = st.integers(0, 30)
actors: st.SearchStrategy[Actor] = st.sampled_from(["user", "rules", "model", "upkeep", "import"])
hours = st.integers(0, 300).map(lambda number: timedelta(hours=number))


class Machine(RuleBasedStateMachine):
    """Each rule asks both for the same; ids follow from the content, so that both give the same ones."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "steward.db"
        self.reference = InMemoryPreferences()
        self.store: SqlitePreferences
        self.database: Database
        self.store, self.database = self.runner.run(sqlite_preferences(self.path))
        self.now = MONDAY
        self.entries = 0

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        verify(self.path)
        verify_index(self.path)
        self.runner.close()
        self.folder.cleanup()

    def both(self, name: str, *args: Any, **kwargs: Any) -> Any:
        expected = self.answer(self.reference, name, args, kwargs)
        found = self.answer(self.store, name, args, kwargs)
        assert found == expected
        return found

    def answer(self, store: PreferenceStore, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call: Coroutine[Any, Any, Any] = getattr(store, name)(*args, **kwargs)
        try:
            return self.runner.run(call)
        except (NotFound, ChangeRefused) as refused:
            return refused.message

    def state(self, store: PreferenceStore) -> list[Item]:
        async def all_of() -> list[Item]:
            return sorted([item async for item in store.export()], key=lambda item: item.id)

        return self.runner.run(all_of())

    def id_at(self, place: int) -> PreferenceId:
        items = self.state(self.reference)
        return items[place % len(items)].id if items else PreferenceId("pnone")

    def apply(self, change: Change, actor: Actor = "user") -> None:
        before = self.state(self.reference)
        made = self.both("apply", [change], actor=actor, at=self.now)
        if isinstance(made, str) or not made:
            assert self.state(self.reference) == before
            return
        self.both("undo", made[0].id, at=self.now)
        assert self.state(self.store) == before
        self.both("apply", [change], actor=actor, at=self.now)

    @initialize(batch=st.lists(candidates(spoken=True), min_size=1, max_size=3))
    def begin(self, batch: list[Candidate]) -> None:
        self.both("learn", batch, actor="rules", at=self.now)

    @rule(batch=st.lists(candidates(spoken=True), max_size=3), wait=hours)
    def hear(self, batch: list[Candidate], wait: timedelta) -> None:
        self.now += wait
        self.both("learn", batch, actor="rules", at=self.now)

    @rule(batch=st.lists(candidates(spoken=False), max_size=4), actor=st.sampled_from(["model", "import"]))
    def notice(self, batch: list[Candidate], actor: Actor) -> None:
        self.both("learn", batch, actor=actor, at=self.now)

    @rule(place=places, pinned=st.booleans())
    def pin(self, place: int, pinned: bool) -> None:
        self.apply(Pin(id=self.id_at(place), pinned=pinned))

    @rule(place=places, kind=st.sampled_from([Confirm, Deny, Retract, Promote, Demote, Expire]), actor=actors)
    def decide(
        self, place: int, kind: type[Confirm | Deny | Retract | Promote | Demote | Expire], actor: Actor
    ) -> None:
        self.apply(kind(id=self.id_at(place)), actor)

    @rule(place=places, slot=st.sampled_from(SMALL_SLOTS), object=st.sampled_from(SMALL_OBJECTS))
    def edit(self, place: int, slot: str, object: str) -> None:
        self.apply(Edit(id=self.id_at(place), slot=slot, object=object, statement=f"edited {object}"))

    @rule(place=places, other=places)
    def merge(self, place: int, other: int) -> None:
        self.apply(Merge(id=self.id_at(place), absorbed=(self.id_at(other),)))

    @rule()
    def undo_newest(self) -> None:
        self.both("undo", at=self.now)

    @rule(entry=st.integers(1, 40))
    def undo_any(self, entry: int) -> None:
        self.both("undo", EntryId(entry), at=self.now)

    @rule(wait=hours)
    def keep_up(self, wait: timedelta) -> None:
        self.now += wait
        self.both("keep_up", at=self.now)

    @rule(place=places, message=st.integers(1, 40))
    def use(self, place: int, message: int) -> None:
        use = Usage(
            preference_id=self.id_at(place), message_id=MessageId(message), place="turn", at=self.now, score=0.5
        )
        self.both("record_usage", [use])
        self.both("usage_of", MessageId(message))

    @precondition(lambda self: self.state(self.reference))
    @rule(place=places)
    def forget(self, place: int) -> None:
        id = self.id_at(place)
        preview = self.both("preview_forget", [id])
        assert [item.id for item in preview.items] == [id]
        self.both("forget", [id], at=self.now)
        self.both("item", id)

    @rule()
    def reopen(self) -> None:
        self.runner.run(self.database.close())
        self.store, self.database = self.runner.run(sqlite_preferences(self.path))

    @invariant()
    def the_same(self) -> None:
        state = self.state(self.store)
        assert state == self.state(self.reference)
        active = [item.preference for item in state if item.preference.status == "active"]
        assert not any(clash(one, other) for one in active for other in active if one.id < other.id)
        self.both("history", limit=100)
        self.both("review", at=self.now)
        self.both("head", at=self.now)
        self.both("count")
        self.both("list", limit=5, offset=1)


def verify_index(path: Path) -> None:
    """Full text covers every item, and the outbox names every active item that has no vector."""
    connection = sqlite3.connect(path)
    try:
        kept = connection.execute("SELECT count(*) FROM preference").fetchone()
        assert connection.execute("SELECT count(*) FROM preference_fts_docsize").fetchone() == kept
        connection.execute("INSERT INTO preference_fts(preference_fts, rank) VALUES ('integrity-check', 1)")
        owed = connection.execute(
            "SELECT id FROM preference WHERE status = 'active' AND id NOT IN (SELECT item_id FROM outbox) "
            "AND id NOT IN (SELECT item_id FROM vector)"
        ).fetchall()
        assert owed == []
    finally:
        connection.close()


Machine.TestCase.settings = settings(max_examples=12, stateful_step_count=15)
TestPreferences = Machine.TestCase


def test_the_invariant_about_clashes_can_fail() -> None:
    one = Preference(
        id=PreferenceId("p1"),
        kind="fact",
        statement="a",
        domain="food",
        slot="food.diet",
        object="vegan",
        polarity=1,
        source="explicit",
        status="active",
        recorded_at=MONDAY,
    )
    assert clash(one, one)
