"""Moves along spans: "in two weeks", "in 3 business days", "two days before Friday"."""

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta

from assistant.policies.when.days import month_start
from assistant.policies.when.pieces import Scene, Span
from assistant.policies.when.zones import resolve, to_local


def move_day(on: date, span: Span, sign: int) -> date | None:
    """`on` moved by the calendar part of a span; a 31st is clamped to the last day. None: beyond the calendar."""
    if span.business:
        return _business(on, span.days, sign)
    total = on.year * 12 + on.month - 1 + sign * span.months
    if not 12 <= total < 9990 * 12:
        return None
    first = month_start(on, sign * span.months)
    moved = first.replace(day=min(on.day, monthrange(first.year, first.month)[1]))
    if abs(span.days) > 400_000 or not date(2, 1, 1) < moved < date(8900, 1, 1):
        return None
    return moved + timedelta(days=sign * span.days)


def _business(on: date, days: int, sign: int) -> date | None:
    if days > 1000:
        return None
    for _ in range(days):
        on += timedelta(days=sign)
        while on.weekday() > 4:
            on += timedelta(days=sign)
    return on


def move_moment(scene: Scene, span: Span, sign: int, zone: str) -> datetime | None:
    """The instant a span from now: days along the wall clock, hours and minutes as time that passes."""
    now = scene.options.now.astimezone(UTC)
    on = move_day(scene.today, span, sign)
    if on is None:
        return None
    base = now if on == scene.today else resolve(datetime.combine(on, to_local(now, zone).time()), zone)
    return base + sign * span.lead


def move_wall(local: datetime, span: Span, sign: int) -> datetime | None:
    on = move_day(local.date(), span, sign)
    return None if on is None else datetime.combine(on, local.time()) + sign * span.lead
