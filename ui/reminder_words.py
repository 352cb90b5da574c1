"""Words for reminders, the same on the command line, in line mode, in the terminal UI and in notifications."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.policies.cleaning import clean_line
from assistant.policies.due import LATE_AFTER, zone_of
from assistant.policies.when.describe import describe
from assistant.policies.when.types import DateOnly, Instant, Reading, Recurrence, Value, WallTime
from assistant.policies.when.zones import to_local
from memory.reminders import Due, Reminder

_MOST_NAMED = 5


def title(reminder: Reminder, limit: int = 120) -> str:
    return clean_line(reminder.text, limit)


def reading_words(reading: Reading, now: datetime) -> str:
    """Weekday, date, time and zone, and how far away."""
    return describe(reading, now)


def moment_words(at: datetime, here: str, now: datetime) -> str:
    return describe(Reading(kind="instant", value=Instant(at=at), due=at, zone=here), now)


def comes(reminder: Reminder, now: datetime, here: str) -> str:
    """When it comes next, in words, with its rule; or that it has come."""
    if reminder.next_at is None:
        return "has come" if reminder.taken is not None else "never comes"
    zone = zone_of(reminder, here) if reminder.kind != "instant" else here
    at = reminder.next_at
    if reminder.snoozed_until == at:
        return f"snoozed until {moment_words(at, here, now)}"
    local = to_local(at, zone)
    value: Value = WallTime(local=local, zone=zone)
    if reminder.rule:
        value = Recurrence(start=WallTime(local=local, zone=zone), rule=reminder.rule)
        words = describe(Reading(kind="recurrence", value=value, due=at, zone=zone), now)
        return words.replace("; first ", "; next ", 1)
    if reminder.kind == "instant":
        return moment_words(at, here, now)
    if reminder.kind == "date":
        value = DateOnly(on=local.date())
        return describe(Reading(kind="date", value=value, due=at, zone=zone), now)
    return describe(Reading(kind="wall_time", value=value, due=at, zone=zone), now)


def short_moment(at: datetime, here: str, now: datetime) -> str:
    """As short as it is clear: "18:00", "Sun 18:00", "Sun 6 Dec 18:00"."""
    local, today = to_local(at, here), to_local(now, here).date()
    away = (local.date() - today).days
    if away == 0:
        return f"{local:%H:%M}"
    if abs(away) < 7:
        return f"{local:%a} {local:%H:%M}"
    year = f" {local.year}" if local.year != today.year else ""
    return f"{local:%a} {local.day} {local:%b}{year} {local:%H:%M}"


def due_words(due: Due, here: str, now: datetime) -> str:
    """What is said when it comes: late is said as late, with what it stands for."""
    notice = due.notice
    parts = [title(due.reminder)]
    when = short_moment(notice.due_at, here, now)
    if notice.missed:
        first = short_moment(notice.first_due or notice.due_at, here, now)
        parts.append(f"{notice.missed + 1} times since {first}, the last was due {when}")
    elif notice.late or now - notice.due_at > LATE_AFTER:
        parts.append(f"was due {when}, {_ago(now - notice.due_at)} ago")
    else:
        parts.append(f"due {when}")
    if due.again:
        parts.append("perhaps shown before")
    return ", ".join(parts)


def away_words(dues: Sequence[Due], here: str, now: datetime) -> str:
    """Everything that came while nobody looked, in one line."""
    named = [due_words(due, here, now) for due in dues[:_MOST_NAMED]]
    more = f"; and {len(dues) - _MOST_NAMED} more" if len(dues) > _MOST_NAMED else ""
    return f"While you were away: {'; '.join(named)}{more}"


def open_words(dues: Sequence[Due], here: str, now: datetime) -> str:
    """What was seen before and is not done, in one line."""
    more = f"; and {len(dues) - 1} more" if len(dues) > 1 else ""
    return f"Still open: {title(dues[0].reminder)}, was due {short_moment(dues[0].notice.due_at, here, now)}{more}"


def zone_words(before: str, after: str, moved: int) -> str:
    many = "1 reminder keeps its" if moved == 1 else f"{moved} reminders keep their"
    return f"The time zone is {after} now (was {before}): {many} wall time."


def _ago(gap: timedelta) -> str:
    minutes = int(gap.total_seconds() // 60)
    if minutes < 60:
        return f"{max(minutes, 1)} min"
    hours = minutes // 60
    return f"{hours} h" if hours < 48 else f"{hours // 24} days"
