"""A plan in the terminal UI: told in the conversation, then its page with keys to stop, go on and take back."""

from pathlib import Path

import pytest

from tests.support.clock import FixedClock
from tests.support.pilot import a_desk, a_home, opened
from ui.desk import Desk
from ui.screens.plans import PlansPage


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    home = a_home(tmp_path)
    home.make()
    return a_desk(home, clock=FixedClock())


async def test_a_plan_is_told_shown_stopped_resumed_and_taken_back(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/plan dentist on Friday, buy a present")
        await driver.until(lambda: "waits for you: 1 waits for you, 1 done" in " ".join(driver.screen_text().split()))
        await driver.until(lambda: "At what time is dentist" in driver.screen_text())
        await driver.press("alt+p")
        await driver.until(lambda: isinstance(driver.app.screen, PlansPage))
        await driver.until(lambda: "[?] 1 of 2: dentist on Friday (waits for you)" in driver.screen_text())
        assert "[x] 2 of 2: buy a present (done)" in driver.screen_text()
        await driver.press("s")
        await driver.until(lambda: "[ ] 1 of 2: dentist on Friday (to come)" in driver.screen_text())
        await driver.press("g")
        await driver.until(lambda: "[?] 1 of 2" in driver.screen_text())
        await driver.press("u")
        await driver.until(lambda: "[<] 2 of 2: buy a present (taken back)" in driver.screen_text())
        await driver.press("escape")
        await driver.until(lambda: not isinstance(driver.app.screen, PlansPage))


async def test_without_a_plan_the_page_says_how_to_get_one(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/plans")
        await driver.until(lambda: "No plan yet" in driver.screen_text())
        await driver.press("s", "n", "escape")
        await driver.send_command("/plans stop 9")
        await driver.until(lambda: "There is no plan 9." in driver.notices())
