"""Settings of suggestions in words: what is shown can be typed back, and nothing else changes."""

from dataclasses import replace
from datetime import time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.suggestions import Hours, Settings
from ui.errors import UiError
from ui.suggestion_lines import BLOCKS, bars, plot_lines
from ui.suggestion_settings import NAMES, changed
from ui.suggestion_words import settings_rows

TIMES = st.builds(time, st.integers(0, 23), st.integers(0, 59))
HOURS = st.builds(Hours, start=TIMES, stop=TIMES).filter(lambda hours: hours.start != hours.stop)
SETTINGS = st.builds(
    Settings,
    on=st.booleans(),
    asked=st.just(True),
    windows=st.lists(HOURS, max_size=4, unique_by=lambda hours: hours.start).map(
        lambda found: tuple(sorted(found, key=lambda hours: hours.start))
    ),
    quiet=st.none() | HOURS,
    most_a_day=st.integers(1, 5),
    gap=st.integers(1, 23).map(lambda hours: timedelta(hours=hours)),
    topics=st.sampled_from([(), ("work",), ("work", "health")]),
    muted=st.sampled_from([(), ("fitness",), ("fitness", "money")]),
    morning=st.none() | TIMES,
    evening=st.none() | TIMES,
)


@given(SETTINGS)
def test_what_is_shown_can_be_typed_back(settings: Settings) -> None:
    made = Settings()
    for name, words in settings_rows(settings):
        made = changed(made, name, "any" if words.startswith("any time") else words)
    assert made == settings


@given(SETTINGS, st.sampled_from(NAMES), st.text(max_size=40))
def test_any_text_is_read_or_refused_in_words(settings: Settings, name: str, text: str) -> None:
    try:
        after = changed(settings, name, text)
    except UiError:
        return
    assert after.most_a_day in range(1, 6)
    assert timedelta(0) < after.gap <= timedelta(hours=24)
    assert not set(after.topics) & set(after.muted)


def test_hours_are_read_as_people_write_them() -> None:
    assert changed(Settings(), "windows", "9am to 12, 3pm-6:30pm").windows == (
        Hours(start=time(9), stop=time(12)),
        Hours(start=time(15), stop=time(18, 30)),
    )
    assert changed(Settings(), "quiet", "22-24").quiet == Hours(start=time(22), stop=time(0))
    with pytest.raises(UiError):
        changed(Settings(), "nonsense", "on")


@given(st.lists(st.floats(0, 1, allow_nan=False), max_size=40))
def test_a_bar_a_value_and_nothing_only_for_nothing(values: list[float]) -> None:
    drawn = bars(values, 1.0)
    assert len(drawn) == len(values)
    assert [mark == BLOCKS[0] for mark in drawn] == [value == 0 for value in values]


def test_the_plot_counts_by_day() -> None:
    from memory.suggestions import DecisionId, Suggestion, SuggestionId
    from tests.support.clock import MONDAY
    from tests.support.suggestions import an_opportunity

    one = Suggestion(
        id=SuggestionId(1), opportunity_id=an_opportunity().id, decision_id=DecisionId(1), topic="travel",
        channel="spoken", claimed_at=MONDAY, answer="useful", answered_at=MONDAY,
    )  # fmt: skip
    old = replace(one, claimed_at=MONDAY - timedelta(days=27), answer="not", answered_at=MONDAY - timedelta(days=27))
    gone = replace(one, claimed_at=MONDAY - timedelta(days=28))
    said, useful, unwelcome, foot = plot_lines([one, old, gone], [one, old], "UTC", MONDAY)
    assert said == f"said       █{' ' * 26}█ 2"
    assert useful == f"useful     {' ' * 27}█ 1"
    assert unwelcome == f"not useful █{' ' * 27} 1"
    assert foot.split() == ["3", "Feb", "today"]
