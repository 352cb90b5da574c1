"""Events as an iCalendar file (RFC 5545), for any calendar: zones with their VTIMEZONE, floating times as they are."""

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from icalendar import Calendar, Component, vRecur
from icalendar import Event as IcsEvent

from assistant.policies.cleaning import clean
from memory.items import Event


def as_calendar(events: Sequence[Event], now: datetime) -> bytes:
    """Reading it again gives the same events: ours get a uid made of their id."""
    calendar = Calendar()
    calendar.add("prodid", "-//Steward//Calendar//EN")
    calendar.add("version", "2.0")
    for event in events:
        calendar.add_component(_component(event, now))
    calendar.add_missing_timezones()
    return bytes(calendar.to_ical())


def uid_of(event: Event) -> str:
    return event.uid or f"{event.id}@steward.invalid"


def _component(event: Event, now: datetime) -> Component:
    component = IcsEvent()
    component.add("uid", clean(uid_of(event)))
    component.add("dtstamp", now.astimezone(UTC))
    component.add("summary", clean(event.title))
    component.add("dtstart", _moment(event, event.starts))
    component.add("dtend", _moment(event, event.ends))
    if event.rule:
        component.add("rrule", vRecur.from_ical(event.rule))
    for name, moments in (("exdate", event.excluded), ("rdate", event.added)):
        if moments:
            component.add(name, [_moment(event, at) for at in moments])
    if event.recurrence is not None:
        component.add("recurrence-id", _moment(event, event.recurrence))
    if event.place:
        component.add("location", clean(event.place))
    if event.text:
        component.add("description", clean(event.text))
    if event.cancelled:
        component.add("status", "CANCELLED")
    return component


def _moment(event: Event, at: datetime) -> object:
    if event.all_day:
        return at.date()
    if not event.zone:
        return at
    return at.replace(tzinfo=UTC if event.zone == "UTC" else ZoneInfo(event.zone))
