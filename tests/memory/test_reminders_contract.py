"""What every store of reminders keeps: one suite for the reference and for the one in SQLite."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.errors import ChangeRefused, NotFound
from memory.reminder_store import ReminderStore
from memory.reminders import Change, EntryId, Occurrence, Reminder, ReminderId
from memory.reminders_in_memory import InMemoryReminders
from memory.sqlite_reminders import SqliteReminders
from tests.support.clock import MONDAY
from tests.support.reminders import added, an_instant, fired

HOUR = timedelta(hours=1)
LATER = MONDAY + 2 * HOUR


@pytest.fixture(params=["in_memory", "sqlite"])
async def store(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[ReminderStore]:
    if request.param == "in_memory":
        yield InMemoryReminders()
        return
    async with await Database.open(home.database) as database:
        yield SqliteReminders(database)


async def keep(store: ReminderStore, reminder: Reminder) -> Reminder:
    await store.apply(added(reminder), at=MONDAY)
    return await store.reminder(reminder.id)


async def test_what_is_added_is_there_whole(store: ReminderStore) -> None:
    wall = replace(
        an_instant("wall0001"),
        kind="wall",
        at=None,
        local=MONDAY.replace(tzinfo=None),
        floating=True,
        rule="FREQ=DAILY",
        if_missed="skip",
        snoozed_until=LATER,
        taken=Occurrence("2026-03-01T09:00:00"),
    )
    kept = await keep(store, wall)
    assert kept == replace(wall, revision=1)
    assert await store.find("wall") == kept
    assert await store.list() == (kept,)


async def test_due_is_what_has_come_and_the_earliest_first(store: ReminderStore) -> None:
    later = await keep(store, an_instant(at=MONDAY + HOUR))
    sooner = await keep(store, an_instant(at=MONDAY + HOUR / 2))
    await keep(store, an_instant(at=MONDAY + 3 * HOUR))
    assert await store.due(MONDAY) == ()
    assert await store.due(MONDAY + HOUR) == (sooner, later)
    assert await store.due(MONDAY + HOUR, limit=1) == (sooner,)
    assert await store.next_at() == MONDAY + HOUR / 2


async def test_an_occurrence_is_claimed_once(store: ReminderStore) -> None:
    one = await keep(store, an_instant())
    (due,) = await store.claim([fired(one)], at=LATER)
    assert (due.notice.state, due.notice.due_at, due.again) == ("claimed", one.next_at, False)
    assert await store.claim([fired(one)], at=LATER) == ()
    assert await store.due(LATER) == ()
    assert await store.next_at() is None
    again = replace(await store.reminder(one.id), next=one.next, next_at=one.next_at)
    await store.replan([again])
    assert await store.claim([fired(again)], at=LATER) == ()
    assert len(await store.notices(one.id)) == 1
    assert await store.due(LATER) == ()  # and it moved on all the same


async def test_what_was_claimed_and_never_shown_says_again(store: ReminderStore) -> None:
    one = await keep(store, an_instant())
    (due,) = await store.claim([fired(one)], at=LATER)
    assert await store.unshown() == (replace(due, again=True),)
    assert await store.open_notices() == (due,)
    await store.mark_shown([due.notice.id])
    assert await store.unshown() == ()
    assert [each.notice.state for each in await store.open_notices()] == ["shown"]


async def test_a_later_occurrence_takes_the_place_of_an_open_one(store: ReminderStore) -> None:
    one = await keep(store, an_instant())
    (first,) = await store.claim([fired(one)], at=LATER)
    await store.mark_shown([first.notice.id])
    again = replace(await store.reminder(one.id), next=Occurrence("next"), next_at=LATER)
    await store.replan([again])
    (second,) = await store.claim([fired(again, missed=3, first_due=MONDAY, late=True)], at=LATER)
    assert [(each.occurrence, each.state) for each in await store.notices(one.id)] == [
        ("next", "claimed"),
        (one.next, "passed"),
    ]
    assert (second.notice.missed, second.notice.first_due, second.notice.late) == (3, MONDAY, True)


async def test_what_is_skipped_is_kept_and_not_told(store: ReminderStore) -> None:
    one = await keep(store, an_instant())
    assert await store.claim([fired(one, skip=True)], at=LATER) == ()
    assert [each.state for each in await store.notices(one.id)] == ["skipped"]
    assert await store.open_notices() == ()


async def test_a_change_for_another_revision_is_refused_and_nothing_fires_for_it(store: ReminderStore) -> None:
    one = await keep(store, an_instant())
    await store.apply(Change(operation="edit", reminder=replace(one, text="call dad")), at=MONDAY)
    with pytest.raises(ChangeRefused):
        await store.apply(Change(operation="edit", reminder=replace(one, text="call nobody")), at=MONDAY)
    assert await store.claim([fired(one)], at=LATER) == ()
    assert (await store.reminder(one.id)).text == "call dad"


async def test_a_deleted_reminder_never_fires(store: ReminderStore) -> None:
    one = await keep(store, an_instant())
    gone = replace(one, state="deleted", next=None, next_at=None)
    await store.apply(Change(operation="delete", reminder=gone), at=MONDAY)
    assert await store.claim([fired(one)], at=LATER) == ()
    assert await store.due(LATER) == await store.list() == ()
    assert [each.id for each in await store.list(["deleted"])] == [one.id]


async def test_the_history_says_what_was_before_and_is_taken_back_once(store: ReminderStore) -> None:
    one = await keep(store, an_instant())
    (due,) = await store.claim([fired(one)], at=LATER)
    now = await store.reminder(one.id)
    done = Change(operation="done", reminder=replace(now, state="done"), notices=(due.notice.id,))
    entry = await store.apply(done, at=LATER)
    assert (entry.before, entry.notices) == (now, ((due.notice.id, "claimed"),))
    assert await store.entry() == entry == await store.entry(entry.id)
    back = replace(now, revision=(await store.reminder(one.id)).revision)
    undo = Change(operation="undo", reminder=back, undoes=entry.id, notices=(due.notice.id,), notice_state="shown")
    await store.apply(undo, at=LATER)
    assert (await store.entry(entry.id)).undone
    assert [each.notice.state for each in await store.open_notices()] == ["shown"]
    with pytest.raises(ChangeRefused):
        await store.apply(replace(undo, reminder=await store.reminder(one.id)), at=LATER)
    assert (await store.entry()).operation == "add"


async def test_a_request_is_applied_once(store: ReminderStore) -> None:
    one = an_instant()
    first = await store.apply(added(one), at=MONDAY, request="q1")
    assert await store.apply(added(one), at=LATER, request="q1") == first
    assert len(await store.list()) == 1


async def test_ids_are_found_by_their_beginning(store: ReminderStore) -> None:
    await keep(store, an_instant("abc11111"))
    await keep(store, an_instant("abd11111"))
    assert (await store.find("abc")).id == "abc11111"
    assert (await store.find("abd11111")).id == "abd11111"
    with pytest.raises(NotFound, match="fits 2"):
        await store.find("ab")
    for wanted in ("zz", "", "%"):
        with pytest.raises(NotFound):
            await store.find(wanted)
    with pytest.raises(NotFound):
        await store.reminder(ReminderId("zz"))
    with pytest.raises(NotFound):
        await store.entry(EntryId(99))


async def test_the_list_goes_by_when_they_are_due(store: ReminderStore) -> None:
    fired_already = await keep(store, an_instant(next=None, next_at=None))
    later = await keep(store, an_instant(at=MONDAY + 3 * HOUR))
    sooner = await keep(store, an_instant(at=MONDAY + HOUR))
    assert await store.list() == (sooner, later, fired_already)
    assert await store.list(limit=1, offset=1) == (later,)


async def test_what_was_deleted_long_ago_is_erased(store: ReminderStore) -> None:
    one, other = await keep(store, an_instant()), await keep(store, an_instant())
    await store.claim([fired(one)], at=LATER)
    now = await store.reminder(one.id)
    await store.apply(Change(operation="delete", reminder=replace(now, state="deleted", next_at=None)), at=LATER)
    assert await store.purge(LATER) == 0
    assert await store.purge(LATER + HOUR) == 1
    assert await store.list(["active", "done", "deleted"]) == (other,)
    assert await store.notices(one.id) == ()


async def test_notes_are_kept(store: ReminderStore) -> None:
    assert await store.noted("zone") == ""
    await store.note("zone", "Europe/Berlin")
    await store.note("zone", "Asia/Tokyo")
    assert await store.noted("zone") == "Asia/Tokyo"


async def test_asking_what_is_due_reads_only_what_is_due(home: Home) -> None:
    async with await Database.open(home.database) as database:
        statements: list[str] = []
        await database.run(lambda connection: connection.set_trace_callback(statements.append))
        store = SqliteReminders(database)
        await store.due(MONDAY)
        await store.next_at()
        await store.unshown()
        await store.open_notices()
        await database.run(lambda connection: connection.set_trace_callback(None))
        ours = [sql for sql in statements if sql.startswith("SELECT")]
        plans = await database.run(
            lambda connection: [
                row[3] for sql in ours for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
            ]
        )
    assert len(ours) == 4
    assert not [step for step in plans if step in ("SCAN reminder", "SCAN notice") or "TEMP" in step], plans


async def test_a_home_without_reminders_has_nothing_to_read(home: Home) -> None:
    assert await SqliteReminders.open_reading(home.database) is None
    async with await Database.open(home.database) as database:
        await SqliteReminders(database).apply(added(an_instant("abc11111")), at=MONDAY)
        reading = await SqliteReminders.open_reading(home.database)
        assert reading is not None
        assert [one.id for one in await reading.list()] == ["abc11111"]
        await reading.close()
