"""Every screen of the terminal UI at the smallest sizes: nothing is cut, nothing overlaps, and Esc leads back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import OptionList

from tests.support.clock import FixedClock
from tests.support.pilot import Driver, a_desk, a_home, opened
from tests.support.plays import SCREENS
from ui.desk import Desk
from ui.lines import width_of
from ui.widgets.bars import Rows

MAY_BE_COVERED = ("Toast", "ToastRack", "Tooltip", "ToastHolder")


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(a_home(tmp_path), "Fine. " * 40, "Yes.", clock=FixedClock())


def parts(driver: Driver) -> list[Widget]:
    """What stands on the screen in its own right, from top to bottom."""
    screen = driver.app.screen
    if isinstance(screen, CommandPalette):
        return []  # Textual's own, on a layer of its own
    inside = screen.query_one(".dialog").children if screen.query(".dialog") else screen.children
    return [one for one in inside if one.display and type(one).__name__ not in MAY_BE_COVERED]


def faults(driver: Driver) -> Iterator[str]:
    width, height = driver.app.size
    shown = parts(driver)
    for one in shown:
        region = one.region
        if region.x < 0 or region.y < 0 or region.right > width or region.bottom > height:
            yield f"{one} stands outside: {region}"
        if not region.height or not region.width:
            yield f"{one} has no room: {region}"
    for number, one in enumerate(shown):
        for other in shown[number + 1 :]:
            if one.region.overlaps(other.region):
                yield f"{one} and {other} overlap: {one.region}, {other.region}"
    frame = driver.app.screen.query(".dialog")
    for one in shown if frame else ():
        if not frame.first().region.contains_region(one.region):
            yield f"{one} is cut by its frame: {one.region}"
    for rows in driver.app.screen.query(Rows):
        yield from _cut_rows(rows)
    for options in driver.app.screen.query(OptionList):
        if options.display and options.option_count and options.highlighted is not None and _marked_is_hidden(options):
            yield f"the marked row of {options} is out of sight"


def _cut_rows(rows: Rows) -> Iterator[str]:
    if not rows.display or not rows.region.height:
        return
    for line in rows._lines:
        if width_of(line.text.rstrip()) > rows.size.width:
            yield f"{rows} cuts {line.text!r}"
    if len(rows._lines) > rows.size.height and not isinstance(rows.parent, VerticalScroll):
        yield f"{rows} shows {rows.size.height} of {len(rows._lines)} rows: {rows.text!r}"


def _marked_is_hidden(options: OptionList) -> bool:
    assert options.highlighted is not None
    top = options._index_to_line.get(options.highlighted, 0)
    return not options.scroll_y <= top < options.scroll_y + max(options.scrollable_content_region.height, 1)


@pytest.mark.parametrize("size", [(60, 16), (80, 24)], ids=["60x16", "80x24"])
@pytest.mark.parametrize("name", SCREENS)
async def test_nothing_is_cut_and_nothing_overlaps(desk: Desk, name: str, size: tuple[int, int]) -> None:
    async with opened(desk, size) as driver:
        await SCREENS[name].play(driver)
        await driver.pilot.pause()
        found = list(faults(driver))
        assert found == [], driver.screen_text()


@pytest.mark.parametrize("name", [name for name, shown in SCREENS.items() if shown.place is None])
async def test_esc_leads_back_to_writing(desk: Desk, name: str) -> None:
    async with opened(desk, (80, 24)) as driver:
        await SCREENS[name].play(driver)
        for _ in range(4):
            await driver.press("escape")
        await driver.until(lambda: len(driver.app.screen_stack) == 1 and driver.chat.prompt.has_focus)
        assert not isinstance(driver.app.screen, ModalScreen)
