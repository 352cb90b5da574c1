"""A decision about something that takes place at a time expires with it."""

from datetime import UTC, datetime, timedelta

import pytest

from assistant.policies.asking.expiry import passes_at
from tests.support.clock import MONDAY


@pytest.mark.parametrize(
    ("arguments", "hours"),
    [
        ({"time": "tomorrow at 9:00"}, None),
        ({"place": "tomorrow at 9:00"}, 0),
        ({"time": "soon"}, 0),
        ({"when": None, "count": 3}, 0),
        ({"start_time": "2020-01-01T10:00"}, 0),
    ],
)
def test_when_it_is_over(arguments: dict[str, object], hours: int | None) -> None:
    found = passes_at(arguments, now=MONDAY, zone="UTC")
    if hours == 0:
        assert found is None
    else:
        assert found == datetime(MONDAY.year, MONDAY.month, MONDAY.day, 9, tzinfo=UTC) + timedelta(days=1)


def test_a_day_counts_until_its_end_and_the_latest_counts() -> None:
    days = {"date": "tomorrow", "arrival": "in 3 days"}
    found = passes_at(days, now=MONDAY, zone="UTC")
    assert found is not None
    assert found > MONDAY + timedelta(days=3)
