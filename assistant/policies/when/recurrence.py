"""When a recurring thing happens next."""

from datetime import UTC, datetime, timedelta
from itertools import chain, islice, pairwise
from typing import Final

from dateutil.rrule import rrule, rruleset, rrulestr

from assistant.policies.when.describe import fields
from assistant.policies.when.types import Recurrence
from assistant.policies.when.zones import resolve, to_local

_ELAPSED: Final = {"SECONDLY": timedelta(seconds=1), "MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1)}
_REGULAR: Final = {"DAILY": timedelta(days=1), "WEEKLY": timedelta(weeks=1), **_ELAPSED}
_LAST: Final = datetime(9990, 1, 1)  # noqa: DTZ001  wall time
_MOST: Final = 200_000  # candidates looked at before giving up on a rule that never happens


def next_occurrences(recurrence: Recurrence, after: datetime, limit: int) -> tuple[datetime, ...]:
    """At most `limit` instants (aware UTC, ascending, distinct) strictly after the aware `after`.

    Expanded in naive wall time and then placed by `resolve`: the wall time stays through changes of clocks, one
    occurrence
    a local date. Rules by the hour, minute or second count elapsed time instead. UNTIL may be a date (that whole
    day), a
    wall time, or UTC. Raises ValueError for a text that is no RRULE.
    """
    zone = recurrence.start.zone
    parts = fields(recurrence.rule)
    elapsed = parts.get("FREQ") in _ELAPSED
    text = _with_wall_until(parts, zone, elapsed=elapsed)
    start = recurrence.start.local
    if elapsed:
        start = resolve(start, zone).replace(tzinfo=None)
    edge = after.astimezone(UTC).replace(tzinfo=None) if elapsed else to_local(after, zone) - timedelta(days=2)
    rule = rrulestr(text, dtstart=_forward(start, edge, parts))
    assert isinstance(rule, rrule | rruleset)
    found: list[datetime] = []
    for local, following in pairwise(chain(islice(rule.xafter(edge, inc=True), _MOST), [None])):
        if len(found) >= limit or local is None or local >= _LAST:
            break
        at = local.replace(tzinfo=UTC) if elapsed else _placed(local, following, zone)
        if at is not None and at > after and (not found or at > found[-1]):
            found.append(at)
    return tuple(found)


def _placed(local: datetime, following: datetime | None, zone: str) -> datetime | None:
    """The instant of one occurrence. On a day that a zone skips whole it moves to the next, unless that has its own."""
    at = resolve(local, zone)
    moved_to = to_local(at, zone).date()
    return None if moved_to != local.date() and following is not None and following.date() == moved_to else at


def _with_wall_until(parts: dict[str, str], zone: str, *, elapsed: bool) -> str:
    """The rule with UNTIL as a naive time of the clock it is expanded in."""
    until = parts.get("UNTIL")
    if until is None:
        return _text(parts)
    if until.endswith("Z"):
        at = datetime.strptime(until, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        local = to_local(at, zone)
    elif "T" in until:
        local = datetime.strptime(until, "%Y%m%dT%H%M%S")  # noqa: DTZ007  wall time
    else:
        local = datetime.strptime(until, "%Y%m%d") + timedelta(days=1, seconds=-1)  # noqa: DTZ007  wall time
    if elapsed:
        local = resolve(local, zone).replace(tzinfo=None)
    return _text({**parts, "UNTIL": local.strftime("%Y%m%dT%H%M%S")})


def _text(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _forward(start: datetime, edge: datetime, parts: dict[str, str]) -> datetime:
    """A later start of the same rule just before `edge`, so that a rule of years ago costs nothing."""
    step = _REGULAR.get(parts.get("FREQ", ""))
    if step is None or "COUNT" in parts or start >= edge:
        return start
    stride = step * int(parts.get("INTERVAL", "1"))
    return start + stride * max(0, (edge - start) // stride - 1)
