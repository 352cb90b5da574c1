"""Which backups stay."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory.backup_names import BackupFile, is_due, name_of, read_name, surplus
from tests.support.clock import MONDAY


def daily(day: int) -> BackupFile:
    return a_backup("daily", MONDAY + timedelta(days=day))


def a_backup(kind: str, at: datetime) -> BackupFile:
    found = read_name(f"{name_of(kind, at)}.db", at, 100)
    assert found is not None
    return found


def after(days: int) -> list[BackupFile]:
    """What is there when one was made a day, and those that had served their time went each time."""
    here: list[BackupFile] = []
    for day in range(days):
        here.append(daily(day))
        gone = surplus(here, MONDAY + timedelta(days=day))
        here = [one for one in here if one not in gone]
    return here


def test_thirty_days_leave_seven_daily_and_four_weekly() -> None:
    here = sorted((one.at.date() - MONDAY.date()).days for one in after(30))
    assert here[-7:] == [23, 24, 25, 26, 27, 28, 29]
    assert here[:-7] == [6, 13, 20, 22]  # the Sundays, and of the week that has just left the seven its newest


def test_a_year_keeps_no_more() -> None:
    assert len(after(365)) == 11


@given(st.lists(st.dates(date(2024, 1, 1), date(2027, 1, 1)), unique=True, max_size=60))
def test_the_newest_seven_always_stay(days: list[date]) -> None:
    here = [a_backup("daily", datetime(day.year, day.month, day.day, tzinfo=UTC)) for day in days]
    gone = surplus(here, datetime(2027, 1, 1, tzinfo=UTC))
    stays = [one for one in here if one not in gone]
    newest = sorted(here, key=lambda one: one.at)[-7:]
    assert set(newest) <= set(stays)
    assert len(stays) <= 11
    assert surplus(stays, datetime(2027, 1, 1, tzinfo=UTC)) == ()


def test_what_was_made_before_a_change_ages_out() -> None:
    many = [a_backup("before-import", MONDAY + timedelta(hours=hour)) for hour in range(5)]
    assert surplus(many, MONDAY + timedelta(days=1)) == tuple(many[:2])
    assert surplus(many, MONDAY + timedelta(days=100)) == tuple(many)


def test_what_the_user_made_is_never_removed() -> None:
    mine = [a_backup("by-hand", MONDAY + timedelta(hours=hour)) for hour in range(50)]
    other = read_name("holiday copy.db", MONDAY, 1)
    assert other is not None
    assert other.kind == "other"
    assert surplus([*mine, other], MONDAY + timedelta(days=4_000)) == ()


def test_names_say_kind_and_moment() -> None:
    assert name_of("daily", MONDAY) == "daily-2026-03-02"
    assert a_backup("by-hand", MONDAY).at == MONDAY
    schema = read_name("before-schema-3-2.db", MONDAY, 1)
    assert schema is not None
    assert (schema.kind, schema.at) == ("before-schema", MONDAY)
    assert read_name("notes.txt", MONDAY, 1) is None
    assert read_name(".daily-2026-03-02.db.new", MONDAY, 1) is None
    secret = read_name("by-hand-2026-03-02T090000Z.db.age", MONDAY, 1)
    assert secret is not None
    assert (secret.kind, secret.encrypted, secret.at) == ("by-hand", True, MONDAY)


def test_one_a_day_is_due() -> None:
    assert is_due([], MONDAY)
    assert not is_due([daily(0)], MONDAY + timedelta(hours=3))
    assert is_due([daily(0), a_backup("by-hand", MONDAY + timedelta(days=1))], MONDAY + timedelta(days=1))
