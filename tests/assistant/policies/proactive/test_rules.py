"""Rules in plain words."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.proactive.rules import clock, read_rule
from assistant.policies.proactive.topics import named_topic
from memory.suggestions import Rule

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 3, 3, 0, 0, tzinfo=UTC)
WEEKEND = (5, 6)

READ: dict[str, tuple[str, dict[str, Any]]] = {
    "not before ten": ("not_before", {"start": time(10)}),
    "Not before 10:30 on weekends": ("not_before", {"start": time(10, 30), "days": WEEKEND}),
    "not before half past nine": ("not_before", {"start": time(9, 30)}),
    "never before noon": ("not_before", {"start": time(12)}),
    "please don't bother me before 8": ("not_before", {"start": time(8)}),
    "only after ten": ("not_before", {"start": time(10)}),
    "not before 10 today": ("not_before", {"start": time(10), "until": MIDNIGHT}),
    "not after eight": ("not_after", {"start": time(20)}),
    "no suggestions after 9pm": ("not_after", {"start": time(21)}),
    "not between 12 and 2": ("not_between", {"start": time(12), "stop": time(14)}),
    "only between 9 and 5": ("only_between", {"start": time(9), "stop": time(17)}),
    "mornings only": ("only_between", {"start": time(6), "stop": time(12)}),
    "not in the evening": ("not_between", {"start": time(18), "stop": time(22)}),
    "do not message me during work": ("not_between", {"start": time(9), "stop": time(17)}),
    "max two a day": ("most_a_day", {"number": 2}),
    "at most once a day": ("most_a_day", {"number": 1}),
    "no more than 3 suggestions per day": ("most_a_day", {"number": 3}),
    "two a day is enough": ("most_a_day", {"number": 2}),
    "at least 4 hours between messages": ("gap", {"span": timedelta(hours=4)}),
    "leave half an hour between": ("gap", {"span": timedelta(minutes=30)}),
    "stop about fitness": ("mute_topic", {"topic": "fitness"}),
    "don't mention work": ("mute_topic", {"topic": "work"}),
    "enough about cooking please": ("mute_topic", {"topic": "food"}),
    "not on Sundays": ("day_off", {"days": (6,)}),
    "weekdays only": ("day_off", {"days": WEEKEND}),
    "nothing today": ("off", {"until": MIDNIGHT}),
    "leave me alone until Friday": ("off", {"until": datetime(2026, 3, 6, tzinfo=UTC)}),
    "quiet for two hours": ("off", {"until": MONDAY + timedelta(hours=2)}),
    "stop all suggestions": ("off", {}),
}


@pytest.mark.parametrize("words", READ)
def test_a_rule_is_read(words: str) -> None:
    kind, fields = READ[words]
    assert read_rule(words, MONDAY, "UTC", named_topic) == Rule(kind=kind, said=words, at=MONDAY, **fields)  # type: ignore[arg-type]  # of a table


@pytest.mark.parametrize(
    ("words", "missing"),
    [("hello there", "no_rule"), ("I like pasta", "no_rule"), ("stop about the zorbing", "no_topic"), ("", "no_rule")],
)
def test_what_is_no_rule_says_what_is_missing(words: str, missing: str) -> None:
    assert read_rule(words, MONDAY, "UTC", named_topic) == missing


@given(st.text(max_size=400))
def test_nothing_raises(words: str) -> None:
    read_rule(words, MONDAY, "Europe/Berlin", named_topic)


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_clock_is_read_as_written(hour: int, minute: int) -> None:
    assert clock(f"{hour}:{minute:02}", "am") == time(hour, minute)
