"""What every store of events, tasks and notes keeps: one suite for the reference and for the one in SQLite."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.errors import ChangeRefused, NotFound
from memory.item_rules import taking_back
from memory.item_store import ItemStore
from memory.items import Event, Item, ItemChange, ItemId, Note, Task
from memory.items_in_memory import InMemoryItems
from memory.sqlite_items import SqliteItems
from tests.support.clock import MONDAY

NINE = datetime(2026, 3, 2, 9)  # noqa: DTZ001  wall time
HOUR = timedelta(hours=1)


@pytest.fixture(params=["in_memory", "sqlite"])
async def store(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[ItemStore]:
    if request.param == "in_memory":
        yield InMemoryItems()
        return
    async with await Database.open(home.database) as database:
        yield SqliteItems(database)


def event(id: str, title: str = "dentist", starts: datetime = NINE, **fields: object) -> Event:
    given = {"ends": starts + HOUR, "zone": "Europe/Berlin", **fields}
    return Event(id=ItemId(id), title=title, starts=starts, created_at=MONDAY, **given)  # type: ignore[arg-type]


def task(id: str, title: str = "buy milk", **fields: object) -> Task:
    return Task(id=ItemId(id), title=title, created_at=MONDAY, **fields)  # type: ignore[arg-type]


def note(id: str, title: str, text: str) -> Note:
    return Note(id=ItemId(id), title=title, text=text, created_at=MONDAY)


async def keep(store: ItemStore, *items: Item, operation: str = "add") -> None:
    await store.apply(ItemChange(operation=operation, items=items), at=MONDAY)  # type: ignore[arg-type]


async def take_back(store: ItemStore, kind: str) -> None:
    entry = await store.entry(kind)  # type: ignore[arg-type]
    now = {after.id: await store.find(entry.kind, after.id) for _, after in entry.changed}
    await store.apply(taking_back(entry, now), at=MONDAY)


async def test_what_is_kept_is_there_whole(store: ItemStore) -> None:
    whole = event(
        "e1",
        rule="FREQ=WEEKLY",
        excluded=(NINE + 7 * 24 * HOUR,),
        added=(NINE + HOUR,),
        uid="u",
        recurrence=NINE,
        place="Room 1",
        text="bring cards",
        cancelled=True,
        source="team.ics",
    )
    done = task("t1", due=date(2026, 3, 4), project="home", text="two litres", done_at=MONDAY)
    kept = note("n1", "Wi-Fi", "the password is on the fridge")
    for item in (whole, done, kept):
        await keep(store, item)
    assert await store.find("event", "e1") == replace(whole, revision=1)
    assert await store.find("task", "t") == replace(done, revision=1)
    assert await store.find("note", "n1") == replace(kept, revision=1)
    with pytest.raises(NotFound):
        await store.find("note", "e1")


async def test_events_of_a_span_come_with_every_series(store: ItemStore) -> None:
    near = event("e1")
    far = event("e2", starts=NINE + timedelta(days=30))
    series = event("e3", starts=NINE - timedelta(days=300), rule="FREQ=DAILY", uid="u")
    moved = event("e4", starts=NINE - timedelta(days=200), uid="u", recurrence=NINE)
    await keep(store, near, far, series, moved)
    found = await store.events(NINE, NINE + HOUR)
    assert [one.id for one in found] == ["e3", "e4", "e1"]


async def test_open_tasks_come_by_their_day_and_done_ones_the_newest_first(store: ItemStore) -> None:
    await keep(
        store,
        task("t1"),
        task("t2", due=date(2026, 5, 1)),
        task("t3", due=date(2026, 3, 1)),
        task("t4", done_at=MONDAY),
        task("t5", done_at=MONDAY + HOUR),
    )
    assert [one.id for one in await store.tasks()] == ["t3", "t2", "t1"]
    assert [one.id for one in await store.tasks(done=True)] == ["t5", "t4"]
    assert [one.id for one in await store.tasks(limit=1)] == ["t3"]


async def test_notes_are_found_by_their_words_the_title_first(store: ItemStore) -> None:
    await keep(store, note("n1", "Groceries", "milk and the wifi cable"), note("n2", "Wifi", "behind the shelf"))
    await keep(store, task("t1", "wifi repair"))
    assert [hit.item.id for hit in await store.search("wifi", ["note"])] == ["n2", "n1"]
    assert {hit.item.id for hit in await store.search("WIFI", ["note", "task"])} == {"n1", "n2", "t1"}
    assert [hit.item.id for hit in await store.search("shel", ["note"])] == ["n2"]
    assert await store.search("nothing", ["note"]) == ()
    assert await store.search("", ["note"]) == ()


async def test_words_of_scripts_without_spaces_are_found(store: ItemStore) -> None:
    await keep(store, note("n1", "海象", "动物园的海象"))
    assert [hit.item.id for hit in await store.search("海象", ["note"])] == ["n1"]


async def test_a_change_is_made_for_what_is_there(store: ItemStore) -> None:
    await keep(store, task("t1"))
    first = await store.find("task", "t1")
    await keep(store, replace(first, title="buy bread"), operation="edit")
    with pytest.raises(ChangeRefused):
        await keep(store, replace(first, title="buy eggs"), operation="edit")
    assert (await store.find("task", "t1")).title == "buy bread"


async def test_of_a_change_that_fails_nothing_stays(store: ItemStore) -> None:
    await keep(store, task("t1"))
    with pytest.raises((ChangeRefused, NotFound)):
        await keep(store, task("t2"), replace(task("t1"), revision=7))
    assert [one.id for one in await store.tasks()] == ["t1"]


async def test_the_same_request_is_carried_out_once(store: ItemStore) -> None:
    change = ItemChange(operation="add", items=(task("t1"),))
    first = await store.apply(change, at=MONDAY, request="k1")
    assert await store.apply(change, at=MONDAY + HOUR, request="k1") == first
    assert (await store.find("task", "t1")).revision == 1


async def test_undo_puts_back_what_was(store: ItemStore) -> None:
    await keep(store, task("t1"))
    kept = await store.find("task", "t1")
    await keep(store, replace(kept, state="deleted"), operation="delete")
    assert await store.tasks() == ()
    await take_back(store, "task")
    assert [one.title for one in await store.tasks()] == ["buy milk"]
    await take_back(store, "task")
    assert await store.tasks() == ()
    with pytest.raises(NotFound):
        await store.entry("task")


async def test_undo_of_an_import_takes_all_of_it_back(store: ItemStore) -> None:
    await keep(store, event("e1", "mine"))
    await keep(store, event("e2", uid="a"), event("e3", uid="b"), operation="import")
    await take_back(store, "event")
    assert [one.id for one in await store.events(NINE, NINE)] == ["e1"]
    assert {one.state for one in await store.by_uid(["a", "b"])} == {"deleted"}


async def test_undo_is_refused_where_it_changed_since(store: ItemStore) -> None:
    await keep(store, task("t1"), task("t2"))
    entry = await store.entry("task")
    await keep(store, replace(await store.find("task", "t1"), title="other"), operation="edit")
    now = {after.id: await store.find("task", after.id) for _, after in entry.changed}
    with pytest.raises(ChangeRefused):
        taking_back(entry, now)


async def test_an_occurrence_of_a_file_is_there_once(store: ItemStore) -> None:
    await keep(store, event("e1", uid="a"), event("e2", uid="a", recurrence=NINE), event("e3"), event("e4"))
    with pytest.raises(ChangeRefused):
        await keep(store, event("e5", uid="a"))
    assert {one.id for one in await store.by_uid(["a", "", "zzz"])} == {"e1", "e2"}


async def test_what_was_deleted_is_erased_later_with_its_history(store: ItemStore) -> None:
    await keep(store, note("n1", "secret", "canary-word"), note("n2", "other", "stays"))
    kept = await store.find("note", "n1")
    await keep(store, replace(kept, state="deleted"), operation="delete")
    assert await store.purge(MONDAY) == 0
    assert await store.purge(MONDAY + HOUR) == 1
    with pytest.raises(NotFound):
        await store.find("note", "n1")
    with pytest.raises(NotFound):
        await store.entry("note")
    assert await store.purge(MONDAY + HOUR) == 0
    assert [one.id for one in await store.notes()] == ["n2"]


async def test_an_erased_note_leaves_no_word_in_the_files(home: Home) -> None:
    async with await Database.open(home.database) as database:
        store = SqliteItems(database)
        await keep(store, note("n1", "zebracanary", "giraffecanary lives here"), note("n2", "other", "stays"))
        await keep(store, replace(await store.find("note", "n1"), state="deleted"), operation="delete")
        await store.purge(MONDAY + HOUR)
    everything = b"".join(path.read_bytes() for path in home.data.rglob("*") if path.is_file())
    assert b"stays" in everything
    assert b"canary" not in everything


async def test_reading_beside_an_owner(home: Home) -> None:
    assert await SqliteItems.open_reading(home.database) is None
    async with await Database.open(home.database) as database:
        await keep(SqliteItems(database), task("t1"))
        beside = await SqliteItems.open_reading(home.database)
        assert beside is not None
        assert [one.id for one in await beside.tasks()] == ["t1"]
        await beside.close()
