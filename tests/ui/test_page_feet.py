"""The last row of a page fits a narrow terminal, is drawn anew when its size changes, and promises only what is so."""

import pytest

from memory.data_dir import Home
from tests.support.clock import FixedClock
from tests.support.pilot import a_desk, opened
from tests.support.plays import plans
from ui.wiring import Options


def _foot(screen: str) -> str:
    return [row for row in screen.split("\n") if row.strip()][-1]


async def test_the_keys_of_a_plan_fit_sixty_cells_and_more_stand_where_there_is_room(home: Home) -> None:
    async with opened(a_desk(home, clock=FixedClock()), (60, 16)) as driver:
        await driver.send_command("/plans")
        await driver.until(lambda: "Esc closes · ? all" in _foot(driver.screen_text()))  # nothing to stop or to turn
        await driver.press("escape")
        await plans(driver)
        await driver.until(lambda: "u take back · ? all" in _foot(driver.screen_text()))
        assert "n next plan" not in _foot(driver.screen_text())
        await driver.pilot.resize_terminal(120, 40)
        await driver.until(lambda: "n next plan · p plan before · ? all" in _foot(driver.screen_text()))


@pytest.mark.parametrize(
    ("options", "words"),
    [(Options(), "What you say is kept here."), (Options(demo=True), "They last until Steward ends.")],
)
async def test_an_empty_list_of_conversations_promises_only_what_is_so(
    home: Home, options: Options, words: str
) -> None:
    async with opened(a_desk(home, options=options), (60, 16)) as driver:
        await driver.press("f2")
        await driver.until(lambda: f" No conversations yet. {words}" in driver.screen_text().split("\n"))
