"""Reminders as an iCalendar file (RFC 5545): an event with an alarm each.

What follows the wall clock is written as a floating time, what is fixed to a zone with that zone and its VTIMEZONE, an
instant in UTC. A day without a time is a whole day.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from icalendar import Alarm, Calendar, Event, vRecur

from assistant.policies.cleaning import clean
from memory.reminders import Reminder


def as_calendar(reminders: Sequence[Reminder], now: datetime) -> bytes:
    calendar = Calendar()
    calendar.add("prodid", "-//Steward//Reminders//EN")
    calendar.add("version", "2.0")
    for one in reminders:
        calendar.add_component(_event(one, now))
    calendar.add_missing_timezones()
    return bytes(calendar.to_ical())


def _event(one: Reminder, now: datetime) -> Event:
    event = Event()
    event.add("uid", f"{one.id}@steward.invalid")
    event.add("dtstamp", now.astimezone(UTC))
    event.add("summary", clean(one.text))
    event.add("dtstart", _start(one))
    if one.rule:
        event.add("rrule", vRecur.from_ical(one.rule))
    if one.state == "done":
        event.add("status", "CANCELLED" if one.rule else "CONFIRMED")
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", clean(one.text))
    alarm.add("trigger", timedelta())
    event.add_component(alarm)
    return event


def _start(one: Reminder) -> object:
    if one.at is not None:
        return one.at.astimezone(UTC)
    assert one.local is not None
    if one.kind == "date":
        return one.local.date()
    return one.local if one.floating else one.local.replace(tzinfo=ZoneInfo(one.zone))
