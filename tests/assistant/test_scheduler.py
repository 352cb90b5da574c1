"""The ticker: claims before it tells, tells once, and follows mail, zone and clock."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.policies.due import scheduled
from assistant.scheduler import KEPT_WHEN_DELETED, Scheduler
from memory.data_dir import Home
from memory.database import Database
from memory.errors import StoreError
from memory.reminder_store import ReminderStore
from memory.reminders import Change, Due, Reminder, ReminderId
from memory.reminders_in_memory import InMemoryReminders
from memory.sqlite_reminders import SqliteReminders
from tests.support.clock import MONDAY, FixedClock
from tests.support.reminders import added, an_instant, ten_thousand
from tests.support.waiting import eventually

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(slots=True)
class Told:
    """Remembers what it was told; `seen` False: nobody looks."""

    seen: bool = True
    dues: list[Due] = field(default_factory=list)
    zones: list[tuple[str, str, int]] = field(default_factory=list)

    async def due(self, dues: tuple[Due, ...]) -> bool:
        self.dues += dues
        return self.seen

    async def zone_changed(self, before: str, after: str, moved: int) -> None:
        self.zones.append((before, after, moved))

    @property
    def words(self) -> list[str]:
        return [f"{due.reminder.text}{' again' if due.again else ''}" for due in self.dues]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.resolve(str(tmp_path), {})
    made.make()
    return made


@pytest.fixture(params=["in_memory", "sqlite"])
async def store(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[ReminderStore]:
    if request.param == "in_memory":
        yield InMemoryReminders()
        return
    async with await Database.open(home.database) as database:
        yield SqliteReminders(database)


@dataclass(slots=True)
class Place:
    """The zone the user is in."""

    zone: str = "UTC"

    def here(self) -> str:
        return self.zone


def daily(id: str = "daily001", *, floating: bool = True) -> Reminder:
    bare = Reminder(
        id=ReminderId(id),
        text="stretch",
        kind="wall",
        zone="UTC",
        created_at=MONDAY,
        local=datetime(2026, 3, 2, 10),  # noqa: DTZ001  wall time
        floating=floating,
        rule="FREQ=DAILY",
    )
    return scheduled(bare, MONDAY, "UTC")


DAILY, FIXED = daily(), daily("fixed001", floating=False)  # made here: zones are read from files


async def test_it_tells_once_and_not_before_its_time(store: ReminderStore) -> None:
    clock, told = FixedClock(), Told()
    scheduler = Scheduler(store, clock, Place().here, told)
    await store.apply(added(an_instant()), at=MONDAY)
    await scheduler.tick()
    assert told.words == []
    clock.advance(HOUR)
    for _ in range(3):
        await scheduler.tick()
    assert told.words == ["call mum"]
    assert [due.notice.state for due in await store.open_notices()] == ["shown"]


async def test_the_next_owner_tells_again_what_nobody_saw(store: ReminderStore) -> None:
    clock = FixedClock(MONDAY + HOUR)
    await store.apply(added(an_instant()), at=MONDAY)
    for seen, words in ((False, ["call mum"]), (True, ["call mum again"]), (True, [])):
        told = Told(seen=seen)
        scheduler = Scheduler(store, clock, Place().here, told)
        await scheduler.tick()
        await scheduler.tick()
        assert told.words == words


async def test_after_a_long_sleep_every_one_comes_once_and_a_burst_as_one(store: ReminderStore) -> None:
    clock, told = FixedClock(), Told()
    scheduler = Scheduler(store, clock, Place().here, told)
    for number in range(300):
        await store.apply(added(an_instant(at=MONDAY + HOUR + timedelta(minutes=number))), at=MONDAY)
    await store.apply(added(DAILY), at=MONDAY)
    await scheduler.tick()
    clock.advance(30 * DAY)
    await scheduler.tick()
    assert len(told.dues) == 301
    assert all(due.notice.late for due in told.dues)
    (burst,) = [due for due in told.dues if due.reminder.rule]
    assert burst.notice.missed == 29
    assert await scheduler.tick() == ()


async def test_another_zone_is_said_once_and_moves_only_what_follows_the_wall_clock(store: ReminderStore) -> None:
    clock, told, place = FixedClock(), Told(), Place()
    scheduler = Scheduler(store, clock, place.here, told)
    await store.apply(added(DAILY), at=MONDAY)
    await store.apply(added(FIXED), at=MONDAY)
    await scheduler.tick()
    place.zone = "America/New_York"
    await scheduler.tick()
    await scheduler.tick()
    assert told.zones == [("UTC", "America/New_York", 1)]
    assert (await store.find("daily")).next_at == datetime(2026, 3, 2, 15, tzinfo=UTC)
    assert (await store.find("fixed")).next_at == datetime(2026, 3, 2, 10, tzinfo=UTC)
    told = Told()
    await Scheduler(store, clock, place.here, told).tick()
    assert told.zones == []


async def test_an_hour_that_was_flown_over_is_told_late_and_one_that_comes_again_is_not_told_again(
    store: ReminderStore,
) -> None:
    clock, told, place = FixedClock(MONDAY + HOUR), Told(), Place()
    scheduler = Scheduler(store, clock, place.here, told)
    await store.apply(added(DAILY), at=MONDAY)
    await scheduler.tick()
    clock.at, place.zone = MONDAY + DAY + HOUR / 2, "Europe/Helsinki"  # 9:30 became 11:30
    for _ in range(2):
        await scheduler.tick()
    assert [due.notice.late for due in told.dues] == [False, True]
    clock.at, place.zone = MONDAY + DAY + HOUR * 2 / 3, "UTC"  # and is 9:40 again
    await scheduler.tick()
    clock.at = MONDAY + DAY + HOUR
    await scheduler.tick()
    assert len(told.dues) == 2
    clock.at = MONDAY + 2 * DAY + HOUR
    await scheduler.tick()
    assert [due.notice.late for due in told.dues] == [False, True, False]


@pytest.mark.parametrize("back", [timedelta(minutes=10), DAY, 20_000 * DAY])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clock_set_back_repeats_nothing(store: ReminderStore, back: timedelta, restarted: bool) -> None:
    clock, told = FixedClock(), Told()
    scheduler = Scheduler(store, clock, Place().here, told)
    await store.apply(added(DAILY), at=MONDAY)
    await store.apply(added(an_instant()), at=MONDAY)
    clock.advance(HOUR)
    await scheduler.tick()
    assert len(told.dues) == 2
    clock.advance(-back)
    if restarted:
        scheduler = Scheduler(store, clock, Place().here, told)
    await scheduler.tick()
    clock.at = MONDAY + HOUR + timedelta(minutes=1)
    await scheduler.tick()
    assert len(told.dues) == 2
    clock.advance(DAY)
    await scheduler.tick()
    assert told.words[2:] == ["stretch"]


@pytest.mark.parametrize("restarted", [False, True])
async def test_after_a_clock_that_was_far_ahead_tomorrow_still_comes(store: ReminderStore, restarted: bool) -> None:
    clock, told = FixedClock(), Told()
    scheduler = Scheduler(store, clock, Place().here, told)
    await store.apply(added(DAILY), at=MONDAY)
    clock.at = datetime(2099, 1, 1, tzinfo=UTC)
    await scheduler.tick()
    clock.at = MONDAY + 2 * HOUR
    if restarted:
        scheduler = Scheduler(store, clock, Place().here, told)
    await scheduler.tick()
    assert len(told.dues) == 1
    clock.at = MONDAY + DAY + HOUR
    await scheduler.tick()
    assert len(told.dues) == 2


async def test_what_was_deleted_long_ago_is_erased_at_the_start(store: ReminderStore) -> None:
    one = an_instant()
    await store.apply(added(one), at=MONDAY)
    gone = replace(one, revision=1, state="deleted", next=None, next_at=None)
    await store.apply(Change(operation="delete", reminder=gone), at=MONDAY)
    clock = FixedClock(MONDAY + KEPT_WHEN_DELETED + DAY)
    await Scheduler(store, clock, Place().here, Told()).tick()
    assert await store.list(["deleted"]) == ()


@dataclass(slots=True)
class Letters:
    """Mail that adds one reminder when it is drained first."""

    store: ReminderStore
    waiting: list[Reminder]

    async def drain(self) -> int:
        taken, self.waiting = self.waiting, []
        for reminder in taken:
            await self.store.apply(added(reminder), at=MONDAY)
        return len(taken)


class Unwilling(InMemoryReminders):
    """Refuses to say what is due until it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.refused = 0

    async def due(self, at: datetime, *, limit: int = 200) -> tuple[Reminder, ...]:
        if not self.refused:
            self.refused += 1
            raise StoreError("The disk is full.")
        return await super().due(at, limit=limit)


async def test_running_it_looks_at_once_at_a_change_and_at_mail(store: ReminderStore) -> None:
    clock, told = FixedClock(MONDAY + HOUR), Told()
    mail = Letters(store, [an_instant("mailed01", text="mailed")])
    async with Scheduler(store, clock, Place().here, told, mail).running() as scheduler:
        await eventually(lambda: told.words == ["mailed"])
        await store.apply(added(an_instant(text="changed")), at=MONDAY)
        scheduler.wake()
        await eventually(lambda: told.words == ["mailed", "changed"])
        mail.waiting.append(an_instant("mailed02", text="later"))
        await eventually(lambda: told.words == ["mailed", "changed", "later"])
    scheduler.wake()  # harmless when it is over


async def test_a_store_in_trouble_is_asked_again() -> None:
    clock, told, store = FixedClock(MONDAY + HOUR), Told(), Unwilling()
    await store.apply(added(an_instant()), at=MONDAY)
    async with Scheduler(store, clock, Place().here, told).running() as scheduler:
        await eventually(lambda: store.refused)
        scheduler.wake()
        await eventually(lambda: told.words == ["call mum"])


async def test_a_tick_over_10_000_reminders_reads_none_of_them(home: Home) -> None:
    """tests/benchmarks/waits.py takes the time."""
    async with await Database.open(home.database) as database:
        await ten_thousand(database)
        scheduler = Scheduler(SqliteReminders(database), FixedClock(), Place().here, Told())
        await scheduler.tick()
        hundreds: list[int] = []  # of steps of SQLite's machine; one row takes several
        await database.run(lambda connection: connection.set_progress_handler(lambda: hundreds.append(1), 100))
        await scheduler.tick()
        assert len(hundreds) < 10
