"""Every screen of the terminal UI, small: nothing cut, nothing overlaps, Esc leads back, every key does something."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.style import Style
from textual.command import CommandPalette
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import OptionList

from models.scripted import ScriptedModel
from tests.support.clock import FixedClock
from tests.support.pilot import Driver, a_desk, a_home, opened
from tests.support.plays import SCREENS
from ui.configuration import UiSettings
from ui.desk import Desk
from ui.keys import KEYS
from ui.lines import width_of
from ui.themes import BACKGROUNDS, COLOURS, contrast
from ui.widgets.bars import Rows

SMALL = (60, 16)
NO_TEXT = " ─│╭╮╰╯┼━▁▂▃▄▅▆▇█▊▌▎▍▔"  # frames, scroll bars, edges
NOTHING_TO_DO = {  # as the screens stand in these plays
    "memory": ("memory-why-up",),  # nothing is above
    "on a message": ("thoughts",),  # this model has none
    "card": (
        "decision-1",  # marked already
        "decision-4",  # three options
        "decision-up",  # all of it is in sight
        "decision-down",
    ),
}
MAY_BE_COVERED = ("Toast", "ToastRack", "Tooltip", "ToastHolder")


@pytest.fixture(autouse=True)
def somewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The zone of whoever runs the tests says nothing, and what is exported goes where it is swept away."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    model = ScriptedModel(otherwise="Fine. " * 40)
    return a_desk(a_home(tmp_path), model=model, clock=FixedClock(), ui=UiSettings(theme="light"))


def parts(driver: Driver) -> list[Widget]:
    """What stands on the screen in its own right, from top to bottom."""
    screen = driver.app.screen
    if isinstance(screen, CommandPalette):  # Textual's own, with parts that wait to be shown
        return [screen.query_one("#--input")]
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


def drawn(driver: Driver) -> Iterator[tuple[str, Style]]:
    """What is written on the screen; of what a question stands over, nothing."""
    screen = driver.app.screen
    within = screen.region
    if isinstance(screen, ModalScreen):
        within = screen.query_one("CommandList" if isinstance(screen, CommandPalette) else ".dialog").region
    for strip in screen._compositor.render_strips()[within.y : within.bottom]:
        for segment in strip.crop(within.x, within.right):
            if segment.style is not None and segment.text.strip(NO_TEXT):
                yield segment.text, segment.style


def faint(driver: Driver) -> Iterator[str]:
    """Text with a contrast under 4.5 to 1 (WCAG 2.1, 1.4.3) or on no background of the theme, as it is drawn."""
    theme = COLOURS[driver.app.theme]  # type: ignore[index]  # one of ours
    backgrounds = {getattr(theme, name) for name in (*BACKGROUNDS, "text")}  # the cursor is on the text's colour
    for text, style in drawn(driver):
        colours = [one.triplet.hex for one in (style.color, style.bgcolor) if one is not None and one.triplet]
        if len(colours) != 2 or style.dim:
            yield f"{text!r} in {style}: not in colours of the theme"
        elif colours[1] not in backgrounds:
            yield f"{text!r} on {colours[1]}, of another theme"
        elif contrast(*colours) < 4.5:
            yield f"{text!r} in {style}: {contrast(*colours):.1f}"


@pytest.mark.parametrize(
    "name", ["sessions", "memory", "agenda", "suggestions", "data", "decisions", "erase", "palette"]
)
async def test_without_colours_the_marked_row_can_still_be_seen(
    desk: Desk, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(desk, (80, 24)) as driver:
        await SCREENS[name].play(driver)
        await driver.until(lambda: any(style.reverse and len(text) > 3 for text, style in drawn(driver)))
        for text, style in drawn(driver):
            assert all(one is None or one.is_default for one in (style.color, style.bgcolor)), text


@pytest.mark.parametrize("name", SCREENS)
async def test_nothing_is_cut_or_faint_nothing_overlaps_and_esc_leads_back(desk: Desk, name: str) -> None:
    async with opened(desk, SMALL) as driver:
        await SCREENS[name].play(driver)
        for width, height in (SMALL, (80, 24), SMALL):
            await driver.pilot.resize_terminal(width, height)
            await driver.pilot.pause()
            await driver.pilot.pause()
            assert list(faults(driver)) == [], driver.screen_text()
        for _ in COLOURS:
            assert list(faint(driver)) == [], driver.app.theme
            await driver.press("f4")
            await driver.pilot.pause()
            await driver.pilot.pause()
        assert driver.app.theme == "light"
        assert list(faint(driver)) == []
        await leave(driver)
        assert not isinstance(driver.app.screen, ModalScreen)


def seen(driver: Driver) -> object:
    """All that a user sees of what a key did."""
    app = driver.app
    text = "" if app.afterwards is None else "over"
    return (driver.screen_text(), len(app.screen_stack), id(app.focused), tuple(driver.notices()), text)


async def back(driver: Driver, screen: object, focused: object) -> bool:
    """Whether Esc leads back to where the key was pressed."""
    for _ in range(4):
        if driver.app.screen is screen and driver.app.focused is focused:
            return True
        if len(driver.app.screen_stack) == 1:
            return False
        await driver.press("escape")
        await driver.pilot.pause()
    return False


async def leave(driver: Driver) -> None:
    for _ in range(4):
        await driver.press("escape")
    await driver.until(lambda: len(driver.app.screen_stack) == 1 and driver.chat.prompt.has_focus)
    driver.app.clear_notifications()


@pytest.mark.parametrize("name", [name for name, shown in SCREENS.items() if shown.place is not None])
async def test_every_key_does_something(desk: Desk, name: str) -> None:
    shown = SCREENS[name]
    async with opened(desk, (80, 24)) as driver:
        await shown.play(driver)
        screen, focused = driver.app.screen, driver.app.focused
        for key in KEYS:
            if key.place != shown.place or key.name in NOTHING_TO_DO.get(name, ()):
                continue
            if shown.anew or not await back(driver, screen, focused):
                await leave(driver)
                await shown.play(driver)
                screen, focused = driver.app.screen, driver.app.focused
            driver.app.guard.shown_at -= 60
            driver.app.guard.typed_at -= 60
            await driver.pilot.pause()
            before = seen(driver)
            await driver.press(key.keys.split(",")[0])
            await driver.until(lambda before=before: seen(driver) != before, key.name)  # type: ignore[misc]


async def test_a_key_for_a_screen_works_on_every_other(desk: Desk) -> None:
    heads = {
        "f2": "Conversations",
        "f3": "What the model has in front of it",
        "f5": "Model",
        "f7": "Memory",
        "f10": "Agenda",
        "f11": "Decisions",
        "alt+p": "Plans",
        "f12": "Your data",
        "f1": "Keys and commands",
        "alt+s": "May Steward speak first?",
    }
    async with opened(desk, (80, 24)) as driver:
        for key, head in heads.items():
            await driver.press(key)
            await driver.until(lambda head=head: head in driver.screen_text())  # type: ignore[misc]
            assert len(driver.app.screen_stack) == (3 if key == "f1" else 2)
        await driver.press("f2")  # a question is answered first
        assert isinstance(driver.app.screen, ModalScreen)
        await driver.press("escape")
        await driver.until(lambda: "What Steward says first" in driver.screen_text())
        await driver.press("ctrl+n")
        await driver.until(lambda: len(driver.app.screen_stack) == 1 and driver.chat.prompt.has_focus)
