"""The one place that decides which instant a wall clock means, also on the days when clocks change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones


def zone_exists(name: str) -> bool:
    """Whether `name` is an IANA zone of this system. Never raises."""
    return name in available_timezones()


def resolve(local: datetime, zone: str) -> datetime:
    """The instant (aware UTC) at which the clocks of `zone` show the naive `local`.

    A wall time that is skipped (spring forward, or a whole day as in Apia in 2011) becomes the first valid minute after
    the gap; one that comes twice (autumn) is the first of the two.
    """
    place = ZoneInfo(zone)
    first = local.replace(tzinfo=place, fold=0).astimezone(UTC)
    if first.astimezone(place).replace(tzinfo=None, fold=0) == local:
        return first
    # In a gap fold=0 uses the offset before it, which lands after it; fold=1 the other way round: the edge lies between.
    low, high = sorted((first, local.replace(tzinfo=place, fold=1).astimezone(UTC)))
    before = low.astimezone(place).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        if middle <= low:
            break
        if middle.astimezone(place).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)


def to_local(at: datetime, zone: str) -> datetime:
    """What the clocks of `zone` show at the aware `at`, as a naive datetime."""
    return at.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)
