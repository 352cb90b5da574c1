"""The terminal UI: what can be done with a message, and looking back through many."""

from pathlib import Path

import pytest

from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import SessionId
from models.scripted import Hang, Reply, ScriptedModel
from tests.support.builders import finished_reply
from tests.support.clock import MONDAY
from tests.support.pilot import a_desk, opened
from ui.screens.chat import ChatScreen
from ui.screens.dialog import Choice
from ui.screens.page import Page
from ui.screens.why import Context, Why

# messages


async def test_copying_says_when_there_is_no_clipboard(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    async with opened(a_desk(home, "Copy me.")) as driver:
        await driver.send("Something")
        await driver.press("tab", "y")
        await driver.until(lambda: any("no clipboard tool" in notice for notice in driver.notices()))


async def test_the_system_clipboard_gets_the_source(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "xclip"
    tool.write_text(f"#!/bin/sh\n/bin/cat > {tmp_path}/clipboard\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":0")
    answer = "Look:\n\n```sh\nls -l\n```\n\nand\n\n```python\nprint(1)\n```"
    async with opened(a_desk(home, answer)) as driver:
        await driver.send("Code")
        await driver.press("tab", "y")
        await driver.until(lambda: (tmp_path / "clipboard").exists() and (tmp_path / "clipboard").read_text() == answer)
        await driver.press("c")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        assert "sh, 1 line: ls -l" in driver.screen_text()
        await driver.press("2")
        await driver.until(lambda: (tmp_path / "clipboard").read_text() == "print(1)")


async def test_why_shows_the_context_and_the_model(home: Home) -> None:
    async with opened(a_desk(home, "Because.")) as driver:
        await driver.send("Why?")
        await driver.press("tab", "w")
        await driver.until(lambda: isinstance(driver.app.screen, Why))
        await driver.until(lambda: "Left out" in driver.screen_text())
        assert "scripted" in driver.screen_text()
        assert "of 4,096 tokens" in driver.screen_text()
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, ChatScreen))


async def test_the_context_says_what_was_left_out(home: Home) -> None:
    settings = AssistantSettings(reply_tokens=16)
    model = ScriptedModel(*["word " * 60] * 12, context_length=512)
    async with opened(a_desk(home, model=model, assistant=settings)) as driver:
        for number in range(12):
            await driver.send(f"question {number} " + "please " * 20)
        assert "some left out (F3)" in driver.status()
        await driver.press("f3")
        await driver.until(lambda: isinstance(driver.app.screen, Context))
        await driver.until(lambda: "Left out" in driver.screen_text())
        assert "Nothing." not in driver.screen_text()


async def test_the_whole_text_of_a_folded_answer(home: Home) -> None:
    answer = "```\n" + "\n".join(f"line {number}" for number in range(3_000)) + "\n```"
    async with opened(a_desk(home, [answer])) as driver:
        await driver.send("Long")
        assert "folded away" in driver.transcript_text()
        await driver.press("tab", "o")
        await driver.until(lambda: isinstance(driver.app.screen, Page))
        await driver.until(lambda: "line 3" in driver.screen_text())
        await driver.press("ctrl+end")
        await driver.until(lambda: "line 2999" in driver.screen_text())


async def test_a_link_is_opened_only_after_its_address_was_shown(home: Home) -> None:
    async with opened(a_desk(home, ["See [the bank](http://evil.example/login)."])) as driver:
        await driver.send("Link")
        await driver.press("tab", "l")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("enter")
        await driver.until(lambda: "Where this link leads" in driver.screen_text())
        assert "http://evil.example/login" in driver.screen_text()
        assert "not encrypted" in driver.screen_text()
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, ChatScreen))


# scrolling


async def test_scrolling_up_stops_following_and_a_key_returns(home: Home) -> None:
    rows = [f"paragraph {number}\n\n" for number in range(60)]
    reply: Reply = [*rows, "the very end", Hang()]
    async with opened(a_desk(home, reply)) as driver:
        transcript = driver.chat.transcript
        await driver.write("Long")
        await driver.press("enter")
        await driver.until(lambda: "the very end" in driver.transcript_text())
        await driver.until(lambda: "the very end" in driver.screen_text())
        await driver.press("pageup")
        assert not transcript.following
        top = transcript.scroll_y
        transcript.grow_answer(driver.chat.view.text + "\n\nnew words", "")
        await driver.pilot.pause()
        assert transcript.scroll_y == top
        await driver.until(lambda: "new text below" in driver.screen_text())
        await driver.press("ctrl+end")
        await driver.until(lambda: "new words" in driver.screen_text())
        assert transcript.following
        assert "new text below" not in driver.screen_text()


async def test_scrolling_to_the_end_by_hand_follows_again(home: Home) -> None:
    async with opened(a_desk(home, [f"paragraph {number}\n\n" for number in range(60)])) as driver:
        await driver.send("Long")
        await driver.press("pageup")
        assert not driver.chat.transcript.following
        await driver.press("pagedown", "pagedown")
        assert driver.chat.transcript.following


async def test_earlier_messages_are_drawn_when_they_are_wanted(home: Home) -> None:
    transcript, session = await a_long_session(100)
    async with opened(a_desk(home, transcript=transcript)) as driver:
        await driver.chat.open_session(session)
        await driver.until(lambda: "question 49" in driver.transcript_text())
        assert "question 0 " not in driver.transcript_text()
        assert "↑ 70 earlier messages" in driver.chat.transcript.line_at(0).text
        await driver.press("tab")
        for _ in range(4):
            await driver.press("home")
            await driver.until(lambda: not [w for w in driver.app.workers if w.group == "earlier" and w.is_running])
        await driver.until(lambda: "question 0 " in driver.transcript_text())
        assert driver.transcript_text().count("question 0 ") == 1


async def a_long_session(messages: int) -> tuple[InMemoryTranscript, SessionId]:
    transcript = InMemoryTranscript()
    session = await transcript.create_session(at=MONDAY, title="A long talk")
    parent = None
    for number in range(messages // 2):
        user = await transcript.add_user_message(session.id, parent, f"question {number} ?", at=MONDAY)
        reply = await finished_reply(transcript, user.id, f"answer {number} with *some* words")
        parent = reply.id
    return transcript, session.id
