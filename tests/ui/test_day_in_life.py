"""A week from "I must renew my passport by Friday" on: what is said, when, through which door, and what never is."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from models.scripted import ScriptedModel
from tests.support.clock import MONDAY
from tests.support.day import Week, line
from tests.support.pilot import Driver
from ui.wiring import Options

DAY = timedelta(days=1)
WINDOWS = ((10, 12), (15, 18))


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def week(own_home: Path) -> Week:
    return Week(Options())


def window_of(at: datetime) -> tuple[int, int] | None:
    return next((hours for hours in WINDOWS if hours[0] <= at.hour < hours[1]), None)


def a_model(*more: str) -> ScriptedModel:
    return ScriptedModel("All right.", *more)


async def test_a_week_with_a_passport(week: Week) -> None:
    await week.set(on="on", windows="10-12, 15-18", most="3", gap="3 hours", quiet="22-8", morning="off")

    # Monday at nine: it is mentioned, and Steward is closed again.
    async with week.screen(a_model("Fine.")) as driver:
        await driver.send("I must renew my passport by Friday")
        await driver.send("I have to call the dentist by Friday evening")

    # Until Wednesday the daemon is silent; then it says it once, in a window, while nothing is open.
    await week.closed_until(MONDAY + 2 * DAY - timedelta(hours=9))
    assert week.said == []
    await week.closed_until(MONDAY + 3 * DAY, once=True)
    ((at, through, one),) = week.said
    assert (at.weekday(), through) == (2, "daemon")
    first_window = window_of(at)
    assert first_window is not None
    assert week.desktop.bodies == [one.suggestion.text]
    quote = one.opportunity.evidence[0].quote
    assert quote in ("I must renew my passport by Friday", "I have to call the dentist by Friday evening")

    # It is opened: the line has it, "why" has evidence, window and budget, and one key and its reason answer it.
    week.clock.advance(timedelta(minutes=10))
    async with week.screen(a_model()) as driver:
        await driver.until(lambda: one.opportunity.subject in line(driver))
        await driver.press("alt+w")
        await driver.until(lambda: f"Because: you wrote “{quote[:20]}" in driver.screen_text())
        hours = f"your window {first_window[0]}:00-{first_window[1]}:00"
        assert hours in driver.screen_text()
        assert "0 of 3 were said that day" in driver.screen_text()
        await driver.press("escape", "alt+n")
        await driver.until(lambda: "What was wrong with it?" in driver.screen_text())
        await driver.press("2")
        await driver.until(lambda: any("Noted: bad time" in notice for notice in driver.notices()))
        assert line(driver) == ""

        # The other thing comes in another window, and on the screen: it is open.
        second = await week.open_until(driver, MONDAY + 4 * DAY)
        assert second is not None
        assert second.opportunity.id != one.opportunity.id
        assert window_of(week.clock.now()) not in (first_window, None)
        await driver.until(lambda: second.opportunity.subject in line(driver))
        await driver.press("alt+y")
        await driver.until(lambda: line(driver) == "")

        await say_a_rule_and_more_to_do(driver)

    await the_week_ends_as_it_was_said(week)


async def say_a_rule_and_more_to_do(driver: Driver) -> None:
    """A rule in plain words, kept by one key, and five things for the days after."""
    await driver.send("No suggestions before eleven please")
    await driver.until(lambda: "nothing is said before 11:00" in line(driver))
    await driver.press("alt+y")
    await driver.until(lambda: line(driver) == "")
    for thing in ("paint the fence", "call the plumber", "send the parcel", "wash the car", "sort the photos"):
        await driver.send(f"I must {thing} by Sunday")


async def the_week_ends_as_it_was_said(week: Week) -> None:
    """The rule, the windows, the quiet hours, the gap and the budget hold to the end, in the daemon too."""
    before = len(week.said)
    await week.closed_until(MONDAY + 7 * DAY)
    later = [at for at, _, _ in week.said[before:]]
    assert later
    assert all(window_of(at) is not None and at.hour >= 11 for at in later)
    times = [at for at, _, _ in week.said]
    assert all(after - first >= timedelta(hours=3) for first, after in zip(times, times[1:], strict=False))
    assert max([at.date() for at in times].count(at.date()) for at in times) <= 3
    assert len({one.opportunity.id for _, _, one in week.said}) == len(week.said)
