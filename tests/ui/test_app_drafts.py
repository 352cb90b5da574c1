"""The terminal UI: what was not sent is there again, and asking differently makes a branch."""

import asyncio

from memory.data_dir import Home
from models.scripted import Hang
from tests.support.pilot import a_desk, opened
from ui.drafts import Draft, Drafts
from ui.wiring import Options

# drafts


async def test_what_was_not_sent_is_there_again(home: Home) -> None:
    desk = a_desk(home)
    async with opened(desk) as driver:
        await driver.write("half a thought")
        await driver.until(lambda: "half a thought" in draft_in(home))
    async with opened(a_desk(home)) as driver:
        await driver.until(lambda: driver.chat.prompt.text == "half a thought")
        assert (home.state / "draft.json").stat().st_mode & 0o077 == 0


def draft_in(home: Home) -> str:
    file = home.state / "draft.json"
    return file.read_text() if file.exists() else ""


async def test_what_is_typed_before_the_draft_is_there_stands_behind_it(home: Home) -> None:
    """A slow disk: nothing is written over the draft before it was read."""
    desk, may_read = a_desk(home), asyncio.Event()
    await desk.drafts.save(Draft(text="half a thought"))
    load = desk.drafts.load

    async def slowly() -> Draft:
        await may_read.wait()
        return await load()

    desk.drafts.load = slowly  # type: ignore[method-assign]
    async with opened(desk) as driver:
        await driver.write("more")
        driver.chat._draft_due()
        await driver.press("left", "right")
        assert "half a thought" in draft_in(home)
        may_read.set()
        await driver.until(lambda: driver.chat.prompt.text == "half a thought\n\nmore")


async def test_what_was_sent_right_before_a_crash_is_no_draft(home: Home) -> None:
    desk = a_desk(home, "Fine.")
    async with opened(desk) as driver:
        await driver.send("What is a fugue?")
        await driver.idle()
    after = a_desk(home, transcript=desk.services.transcript)
    for left, comes_back in (("What is a fugue", False), ("What is a fugue? And a canon?", True)):
        await Drafts(home.state).save(Draft(text=left))
        async with opened(after) as driver:
            await driver.until(lambda: driver.chat._knows_draft)
            assert (driver.chat.prompt.text == left) is comes_back


async def test_a_sent_message_is_no_draft_any_more(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.write("said")
        await driver.until(lambda: (home.state / "draft.json").exists())
        await driver.press("enter")
        await driver.idle()
        await driver.until(lambda: not (home.state / "draft.json").exists())


async def test_incognito_writes_no_draft(home: Home) -> None:
    desk = a_desk(home, "Fine.", options=Options(incognito=True))
    async with opened(desk) as driver:
        assert "INCOGNITO" in driver.header()
        await driver.send("secret")
        await driver.write("more secrets")
        await driver.until(lambda: desk.unsent.text == "more secrets")
    assert list(home.state.iterdir()) == []


# branches


async def test_editing_makes_a_branch_and_both_can_be_shown(home: Home) -> None:
    async with opened(a_desk(home, "Paris.", "Rome.")) as driver:
        await driver.send("Capital of France?")
        await driver.press("tab", "up", "e")
        await driver.until(lambda: driver.chat.prompt.text == "Capital of France?")
        assert "stays as a branch" in driver.screen_text()
        await driver.send("Capital of Italy?")
        assert "Rome." in driver.transcript_text()
        assert "Paris." not in driver.transcript_text()
        assert "‹ 2/2 ›" in driver.transcript_text()
        await driver.press("tab", "up", "left")
        await driver.until(lambda: "Paris." in driver.transcript_text())
        assert "‹ 1/2 ›" in driver.transcript_text()
        await driver.press("right")
        await driver.until(lambda: "Rome." in driver.transcript_text())


async def test_leaving_an_edit_brings_the_draft_back(home: Home) -> None:
    async with opened(a_desk(home, "Yes."), size=(80, 24)) as driver:
        await driver.send("First?")
        await driver.write("my draft")
        await driver.press("tab", "up", "e")
        await driver.until(lambda: driver.chat.prompt.text == "First?")
        await driver.until(lambda: "Esc leaves it" in driver.screen_text())
        await driver.press("escape")
        await driver.until(lambda: driver.chat.prompt.text == "my draft")
        assert driver.chat.editing is None


async def test_another_answer_stands_beside_the_first(home: Home) -> None:
    async with opened(a_desk(home, "One way.", "Another way.")) as driver:
        await driver.send("How?")
        await driver.press("tab", "r")
        await driver.idle()
        await driver.until(lambda: "Another way." in driver.transcript_text())
        assert "One way." not in driver.transcript_text()
        assert "‹ 2/2 ›" in driver.transcript_text()
        await driver.press("tab", "less_than_sign")
        await driver.until(lambda: "One way." in driver.transcript_text())


async def test_going_on_differently_from_an_earlier_answer(home: Home) -> None:
    async with opened(a_desk(home, "A.", "B.", "C.")) as driver:
        await driver.send("one")
        await driver.send("two")
        await driver.press("tab", "up", "up", "b")
        await driver.until(lambda: "Another way on" in driver.screen_text())
        await driver.send("three")
        text = driver.transcript_text()
        assert "three" in text
        assert "two" not in text
        assert "C." in text


async def test_branches_wait_for_the_end_of_an_answer(home: Home) -> None:
    async with opened(a_desk(home, ["One ", Hang()])) as driver:
        await driver.write("Count")
        await driver.press("enter")
        await driver.until(lambda: "One" in driver.transcript_text())
        await driver.press("tab", "r")
        assert any("Esc stops it first" in notice for notice in driver.notices())
