"""Strings that break other programs, wherever text is shown: no exception, nothing obeyed, nothing lost."""

import asyncio

import pytest

from assistant.policies.cleaning import clean
from memory.data_dir import Home
from memory.transcript_in_memory import InMemoryTranscript
from models.scripted import Reply, ScriptedModel
from models.types import Delta, Failure, ModelInfo, Ready
from tests.support.builders import a_message
from tests.support.clock import MONDAY
from tests.support.naughty import OWN, large_list, raw_controls
from tests.support.pilot import Driver, a_desk, opened
from tests.support.work import Calls
from ui.lines import copied
from ui.screens.chat import ChatScreen
from ui.screens.dialog import Choice, Offer
from ui.screens.page import Page
from ui.view import Entry

STRINGS = (*OWN, *large_list(), "x" * 5_000, "😀" * 500, "\u0301" * 300, "[" * 300, "\t" * 100, "\n" * 100)


def assert_harmless(driver: Driver) -> None:
    assert raw_controls(driver.screen_text()) == []
    assert not set(driver.screen_text()) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\t")


async def test_as_messages_of_both(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        transcript = driver.chat.transcript
        entries = [
            Entry(message=a_message(number + 1, text, role="assistant" if number % 2 else "user"))
            for number, text in enumerate(STRINGS)
        ]
        await transcript.show(entries)
        while transcript.scroll_y > 0:
            transcript.page(-1)
            await driver.pilot.pause()
            assert_harmless(driver)
        for block in transcript._blocks:
            if block.entry.message.role == "user" and len(block.entry.message.content) < 1_000:
                shown = copied(block.lines[1:-1])
                assert clean(shown) == clean(block.entry.message.content).expandtabs(4)


async def test_in_the_prompt(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        for text in STRINGS:
            driver.chat.prompt.write(clean(text))
            await driver.pilot.pause()
            expected = clean(text).replace("\u2028", "\n").replace("\u2029", "\n")  # they are line breaks
            assert driver.chat.prompt.whole_text == expected
            assert_harmless(driver)


async def test_as_alert_notice_title_and_model(home: Home) -> None:
    model = ScriptedModel()
    async with opened(a_desk(home, model=model)) as driver:
        for text in STRINGS[::5]:
            driver.chat.show_alert(text, text)
            driver.app.say(text)
            info = ModelInfo(name=text, path=text, context_length=4_096, backend=text, device=text)
            model.become(Ready(info=info))
            await driver.pilot.pause()
            assert_harmless(driver)
            driver.app.clear_notifications()


async def test_in_dialogs_and_pages(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        for text in (*OWN[::3], *STRINGS[len(OWN) :: 40]):
            driver.app.push_screen(Choice(text, (text,), [Offer(name=text, words=text)]))
            await driver.until(lambda: isinstance(driver.app.screen, Choice))
            await driver.pilot.pause()
            assert_harmless(driver)
            await driver.press("escape")
            await driver.until(lambda: isinstance(driver.app.screen, ChatScreen))
            driver.app.push_screen(Page(text, source=text))
            await driver.until(lambda: isinstance(driver.app.screen, Page))
            await driver.pilot.pause()
            assert_harmless(driver)
            await driver.press("escape")
            await driver.until(lambda: isinstance(driver.app.screen, ChatScreen))


async def test_as_titles_and_snippets(home: Home) -> None:
    transcript = InMemoryTranscript()
    for text in STRINGS:
        session = await transcript.create_session(at=MONDAY, title=clean(text)[:300])
        await transcript.add_user_message(session.id, None, f"needle {clean(text)[:500]}", at=MONDAY)
    async with opened(a_desk(home, transcript=transcript)) as driver:
        await driver.press("f2")
        await driver.until(lambda: "today" in driver.screen_text())
        for _ in range(8):
            await driver.press("pagedown")
            assert_harmless(driver)
        await driver.press(*"needle")
        await driver.until(lambda: "Nothing found" not in driver.screen_text() and "needle" in driver.screen_text())
        assert_harmless(driver)


async def test_said_whole_and_in_pieces_as_thought_answer_and_error(home: Home) -> None:
    texts = (*OWN[::3], *STRINGS[len(OWN) :: 40])
    replies: list[Reply] = [
        [
            Delta(text=text[:50], thought=True),
            *[Delta(text=text[at : at + 2]) for at in range(0, min(len(text), 200), 2)],
            Failure(kind="worker_died", message=text[:300], hint=text[:300]),
        ]
        for text in texts
    ]
    async with opened(a_desk(home, *replies)) as driver:
        for _ in texts:
            await driver.send("again")
            assert_harmless(driver)
        assert raw_controls(driver.transcript_text()) == []


async def test_an_action_in_the_text_is_no_action(home: Home) -> None:
    async with opened(a_desk(home, "[@click=app.quit]click me[/]")) as driver:
        await driver.send("Say it")
        rows = driver.screen_text().split("\n")
        row = next(at for at, line in enumerate(rows) if "click me" in line)
        await driver.pilot.click(offset=(rows[row].index("click me") + 2, row))
        await driver.pilot.pause()
        assert driver.app.is_running
        assert driver.app.return_code is None


MOST = 2_000_000  # calls between two looks at the loop; the worst measured is 0.52 million

HEAVY = {
    "20,000 lines of code": "```python\n" + "print('hello', 1)\n" * 20_000 + "```",
    "one line of 1 MB": "x" * 1_000_000,
    "1 MB of paragraphs": "some words here\n\n" * 60_000,
}


@pytest.mark.parametrize("name", HEAVY)
async def test_heavy_text_never_holds_the_loop(home: Home, name: str) -> None:
    """Drawn as an answer in pieces, then as a finished one. tests/benchmarks/interface.py has the bar of 0.1 s."""
    assert await longest_stretch(home, HEAVY[name]) < MOST


async def longest_stretch(home: Home, text: str) -> int:
    """Calls of the longest stretch in which nothing else could run, while `text` is answered."""
    pieces = [Delta(text=text[at : at + 4_000]) for at in range(0, len(text), 4_000)]
    model = ScriptedModel(pieces, context_length=1_000_000)
    async with opened(a_desk(home, model=model)) as driver:
        longest = 0

        async def watch(calls: Calls) -> None:
            nonlocal longest
            while True:
                await asyncio.sleep(0)
                longest = max(longest, calls.lap())

        with Calls() as calls:
            watching = asyncio.create_task(watch(calls))
            await driver.send("Go")
            watching.cancel()
        assert "folded away" in driver.transcript_text()
    return longest
