"""The terminal UI: conversations are found, renamed, deleted, exported, and one follows another."""

from pathlib import Path

import pytest

from memory.data_dir import Home
from models.scripted import Hang, Reply
from tests.support.conversations import some_sessions
from tests.support.pilot import Driver, a_desk, opened
from ui.screens.dialog import Choice
from ui.screens.sessions import SessionsScreen


async def at_sessions(driver: Driver) -> SessionsScreen:
    await driver.press("f2")
    await driver.until(lambda: "Sourdough" in driver.screen_text())
    screen = driver.app.screen
    assert isinstance(screen, SessionsScreen)
    return screen


async def test_a_conversation_is_found_by_what_was_said_and_opened(home: Home) -> None:
    async with opened(a_desk(home, transcript=await some_sessions())) as driver:
        await at_sessions(driver)
        await driver.press(*"rise")
        await driver.until(lambda: "Passport" not in driver.screen_text() and "Sourdough" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: "My dough does not rise" in driver.transcript_text())
        assert "Sourdough" in driver.header()


async def test_a_conversation_is_renamed(home: Home) -> None:
    async with opened(a_desk(home, transcript=await some_sessions())) as driver:
        await at_sessions(driver)
        await driver.press(*"dough")
        await driver.until(lambda: "Passport" not in driver.screen_text())
        await driver.press("ctrl+r")
        await driver.until(lambda: "New title" in driver.screen_text())
        await driver.press("ctrl+u", *"Bread", "enter")
        await driver.until(lambda: "Bread" in driver.screen_text())
        kept = await driver.app.desk.conversation.transcript.sessions()
        assert "Bread" in {session.title for session in kept}


async def test_deleting_asks_and_keeping_is_the_default(home: Home) -> None:
    transcript = await some_sessions()
    async with opened(a_desk(home, transcript=transcript)) as driver:
        await at_sessions(driver)
        await driver.press(*"passport")
        await driver.until(lambda: "Sourdough" not in driver.screen_text())
        await driver.press("ctrl+d")
        await driver.until(lambda: "erased from this machine" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, SessionsScreen))
        assert len(await transcript.sessions()) == 3
        await driver.press("ctrl+d")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("2")
        await driver.until(lambda: "Nothing found." in driver.screen_text())
        assert len(await transcript.sessions()) == 2


async def test_the_open_conversation_can_be_deleted(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("A talk to forget")
        await driver.send_command("/delete")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("2")
        await driver.until(lambda: "New conversation" in driver.header())
        assert await driver.app.desk.conversation.transcript.sessions() == ()


async def test_a_conversation_is_exported(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(a_desk(home, transcript=await some_sessions())) as driver:
        await at_sessions(driver)
        await driver.press(*"dinner", "ctrl+e")
        await driver.until(lambda: "Written to" in driver.screen_text())
    text = (tmp_path / "birthday-dinner.md").read_text()
    assert text.startswith("# Birthday dinner\n")
    assert "An answer about birthday dinner." in text
    assert (tmp_path / "birthday-dinner.md").stat().st_mode & 0o077 == 0


async def test_opening_another_conversation_stops_the_answer_and_keeps_it(home: Home) -> None:
    transcript = await some_sessions()
    reply: Reply = ["Half ", "an answer ", Hang()]
    async with opened(a_desk(home, reply, transcript=transcript)) as driver:
        await driver.write("Tell me")
        await driver.press("enter")
        await driver.until(lambda: "Half an answer" in driver.transcript_text())
        await at_sessions(driver)
        await driver.press(*"rise")
        await driver.until(lambda: "Passport" not in driver.screen_text() and "Sourdough" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: "My dough does not rise" in driver.transcript_text())
        assert "Half an answer" not in driver.transcript_text()
        assert "Sourdough" in driver.header()
        (told,) = await transcript.sessions(title_contains="Tell me")
        last = (await transcript.path(told.id))[-1]
        assert (last.content, last.status) == ("Half an answer ", "stopped")


async def test_a_new_conversation_leaves_the_old_one(home: Home) -> None:
    async with opened(a_desk(home, "One.", "Two.")) as driver:
        await driver.send("first talk")
        await driver.press("ctrl+n")
        await driver.until(lambda: "first talk" not in driver.transcript_text())
        assert "New conversation" in driver.header()
        await driver.send("second talk")
        assert len(await driver.app.desk.conversation.transcript.sessions()) == 2


async def test_an_incognito_conversation_is_kept_nowhere(home: Home) -> None:
    desk = a_desk(home, "Hush.", "Kept.")
    kept = desk.conversation.transcript
    async with opened(desk) as driver:
        await driver.send_command("/incognito")
        await driver.until(lambda: "INCOGNITO" in driver.header())
        await driver.send("a secret")
        assert "Hush." in driver.transcript_text()
        assert await kept.sessions() == ()
        await driver.press("ctrl+n")
        await driver.until(lambda: "INCOGNITO" not in driver.header())
        await driver.send("no secret")
        assert len(await kept.sessions()) == 1
