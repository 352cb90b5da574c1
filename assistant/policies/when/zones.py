"""The one place that decides which instant a wall clock means, also on the days when clocks change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

# What people write for a zone. Letters that several zones share (IST, CST in China) are left out: they are asked.
SPOKEN_ZONES = {
    "utc": "UTC",
    "gmt": "UTC",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "pt": "America/Los_Angeles",
    "pacific": "America/Los_Angeles",
    "mst": "America/Denver",
    "mdt": "America/Denver",
    "mountain": "America/Denver",
    "cst": "America/Chicago",
    "cdt": "America/Chicago",
    "central": "America/Chicago",
    "est": "America/New_York",
    "edt": "America/New_York",
    "et": "America/New_York",
    "eastern": "America/New_York",
    "bst": "Europe/London",
    "cet": "Europe/Paris",
    "cest": "Europe/Paris",
    "eet": "Europe/Helsinki",
    "jst": "Asia/Tokyo",
    "aest": "Australia/Sydney",
    "aedt": "Australia/Sydney",
    "beijing": "Asia/Shanghai",
    "london": "Europe/London",
    "berlin": "Europe/Berlin",
    "paris": "Europe/Paris",
    "tokyo": "Asia/Tokyo",
    "new york": "America/New_York",
}


def zone_exists(name: str) -> bool:
    """Whether `name` is an IANA zone known here. Never raises."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def resolve(local: datetime, zone: str) -> datetime:
    """The instant (aware UTC) at which the clocks of `zone` show the naive `local`.

    A wall time that is skipped (spring forward, or a whole day as in Apia in 2011) becomes the first valid minute after
    the gap; one that comes twice (autumn) is the first of the two.
    """
    place = ZoneInfo(zone)
    first = local.replace(tzinfo=place, fold=0).astimezone(UTC)
    if first.astimezone(place).replace(tzinfo=None, fold=0) == local:
        return first
    # Inside a gap the offset before it (fold=0) and the one after it (fold=1) give instants on either side of the edge.
    low, high = sorted((first, local.replace(tzinfo=place, fold=1).astimezone(UTC)))
    low, high = low.replace(microsecond=0), high.replace(microsecond=0)
    before = low.astimezone(place).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        if middle.astimezone(place).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high


def to_local(at: datetime, zone: str) -> datetime:
    """What the clocks of `zone` show at the aware `at`, as a naive datetime."""
    return at.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)
