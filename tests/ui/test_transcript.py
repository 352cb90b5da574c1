"""The transcript under the mouse: selecting, clicking, scrolling; and what Textual calls private but we lean on."""

from collections.abc import AsyncIterator

import pytest
from textual import events
from textual.geometry import Offset

from memory.data_dir import Home
from tests.support.builders import a_message
from tests.support.pilot import Driver, a_desk, opened
from ui.screens.dialog import Choice
from ui.view import Entry


@pytest.fixture
async def driver(home: Home) -> AsyncIterator[Driver]:
    async with opened(a_desk(home), size=(60, 24)) as driver:
        yield driver


async def show(driver: Driver, *texts: str) -> None:
    """Answers with these texts."""
    await driver.chat.transcript.show(
        [Entry(message=a_message(number, text, role="assistant")) for number, text in enumerate(texts, 1)]
    )
    await driver.pilot.pause()


def place_of(driver: Driver, words: str) -> Offset:
    rows = driver.screen_text().split("\n")
    row = next(at for at, line in enumerate(rows) if words in line)
    return Offset(rows[row].index(words), row)


async def drag(driver: Driver, start: Offset, end: Offset) -> None:
    await driver.pilot.mouse_down(offset=start)
    await driver.pilot.hover(offset=end)
    await driver.pilot.mouse_up(offset=end)
    await driver.pilot.pause()


async def test_selected_text_has_no_soft_wraps(driver: Driver) -> None:
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    await show(driver, text)
    end = place_of(driver, "fourteen")
    await drag(driver, place_of(driver, "one two"), end + Offset(8, 0))
    assert driver.app.selected() == text
    await driver.press("escape")
    assert driver.app.selected() == ""


async def test_selected_code_has_no_decoration(driver: Driver) -> None:
    await show(driver, "> quoted\n\n```python\nx = 1\ny = 2\n```")
    await drag(driver, place_of(driver, "quoted"), place_of(driver, "y = 2") + Offset(5, 0))
    assert driver.app.selected() == "quoted\n\n\nx = 1\ny = 2"


async def test_control_c_copies_the_selection_and_does_not_quit(driver: Driver) -> None:
    await show(driver, "copy these words")
    await drag(driver, place_of(driver, "these"), place_of(driver, "words") + Offset(5, 0))
    await driver.press("ctrl+c")
    await driver.until(lambda: bool(driver.notices()))
    assert driver.app._last_copied == "these words"
    assert driver.app.is_running


async def test_a_click_marks_a_message(driver: Driver) -> None:
    await show(driver, "first answer", "second answer")
    await driver.pilot.click(offset=place_of(driver, "first answer"))
    await driver.pilot.pause()
    assert driver.chat.transcript.marked == 1
    assert "┃ first answer" in driver.screen_text()


async def test_a_click_on_a_link_asks_first(driver: Driver) -> None:
    await show(driver, "see [this](https://example.org/x)")
    await driver.pilot.click(offset=place_of(driver, "this") + Offset(1, 0))
    await driver.until(lambda: isinstance(driver.app.screen, Choice))
    assert "https://example.org/x" in driver.screen_text()


async def test_the_wheel_scrolls_and_stops_following(driver: Driver) -> None:
    await show(driver, "\n\n".join(f"row {number}" for number in range(60)))
    transcript = driver.chat.transcript
    assert transcript.following
    bottom = transcript.scroll_y
    for kind in (events.MouseScrollUp, events.MouseScrollDown):
        event = kind(transcript, 5, 5, 0, 0, 0, False, False, False, 5, 5)
        transcript.post_message(event)
        await driver.pilot.pause()
        if kind is events.MouseScrollUp:
            assert transcript.scroll_y < bottom
            assert not transcript.following
    assert transcript.following


async def test_one_more_row_moves_the_scroll_bar_without_a_layout(driver: Driver) -> None:
    await show(driver, "\n\n".join(f"row {number}" for number in range(60)))
    transcript = driver.chat.transcript
    before = transcript.max_scroll_y
    transcript.begin_answer(a_message(99, "", role="assistant", status="writing"))
    transcript.grow_answer("a\n\nb\n\nc", "")
    await driver.pilot.pause()
    assert transcript.max_scroll_y > before
    assert transcript.vertical_scrollbar.window_virtual_size == transcript.row_count
    assert transcript.scroll_y == transcript.max_scroll_y


async def test_growing_text_is_repainted(driver: Driver) -> None:
    await show(driver, "before")
    transcript = driver.chat.transcript
    transcript.begin_answer(a_message(99, "", role="assistant", status="writing"))
    for text in ("one", "one two", "one two three", "one two three\n\nfour"):
        transcript.grow_answer(text, "")
        await driver.pilot.pause()
        assert text.split("\n")[-1] in driver.screen_text()


async def test_the_first_words_are_whole_on_a_narrow_screen(driver: Driver) -> None:
    assert {"answer", "key", "c)."} <= set(driver.screen_text().split())
    await driver.pilot.resize_terminal(100, 24)
    assert "stops an answer" in driver.screen_text()
    await driver.pilot.resize_terminal(60, 24)
    assert "every key" in " ".join(driver.screen_text().split())
