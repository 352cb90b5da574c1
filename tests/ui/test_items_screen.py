"""Events, tasks, notes and documents in the terminal UI and in line mode, as their user meets them."""

from pathlib import Path

import pytest

from tests.support.clock import FixedClock
from tests.support.document_files import an_ics, put
from tests.support.pilot import Driver, a_desk, a_home, opened
from ui.desk import Desk
from ui.item_commands import hands_of
from ui.screens.item_page import ItemPage
from ui.screens.reminders import RemindersScreen


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(a_home(tmp_path), clock=FixedClock())


async def page(driver: Driver, command: str) -> str:
    """What the page of a command shows; it is closed again."""
    await driver.send_command(command)
    await driver.until(lambda: isinstance(driver.app.screen, ItemPage))
    await driver.pilot.pause()
    text = driver.screen_text()
    await driver.press("escape")
    return text


async def test_the_agenda_shows_events_and_tasks_beside_reminders(desk: Desk) -> None:
    hands = hands_of(desk.services, "UTC")
    await hands.add_event(await hands.read_event("dentist today at 11am for an hour"))
    await hands.add_event(await hands.read_event("lunch on Friday at 12:30 for an hour"))
    await hands.tasks.add("renew the passport", due=hands.tasks.today)
    await hands.tasks.add("learn the piano")
    await hands.calendar.import_file(
        an_ics(("UID:a", "SUMMARY:[@click=app.quit]x[/]", "DTSTART:20260302T150000Z")), "x.ics"
    )
    async with opened(desk) as driver:
        await driver.send_command("/remind call mum at 6pm")
        await driver.press("f10")
        await driver.until(lambda: isinstance(driver.app.screen, RemindersScreen))
        await driver.until(lambda: "learn the piano" in driver.screen_text())
        text = driver.screen_text()
        assert "Agenda" in text
        order = [
            text.index(words)
            for words in (
                "renew the passport",
                "11:00-12:00 dentist",
                "“[@click=app.quit]x[/]”",
                "call mum",
                "Next 7 days",
                "lunch",
                "Some day",
                "learn the piano",
            )
        ]
        assert order == sorted(order)
        await driver.press("home", "d")
        await driver.until(lambda: "Done: renew the passport" in driver.screen_text())
        await driver.press("u")
        await driver.until(lambda: "Taken back" in driver.screen_text())
        assert len(await desk.services.items.tasks()) == 2


async def test_commands_list_act_and_refuse_in_words(desk: Desk, tmp_path: Path) -> None:
    put(tmp_path / "docs", {"lease.md": "# Pets\nDogs are not allowed"})
    async with opened(desk) as driver:
        assert "No tasks." in await page(driver, "/tasks")
        await driver.send_command("/tasks add renew the passport by Friday")
        await driver.until(lambda: any("Task: renew the passport" in notice for notice in driver.notices()))
        assert "1. renew the passport, due Fri 6 Mar 2026" in await page(driver, "/tasks")
        await driver.send_command("/tasks done 1")
        await driver.until(lambda: any("Done: renew" in notice for notice in driver.notices()))
        await driver.send_command("/calendar add dentist on Friday at 10am")
        await driver.until(lambda: any("In the calendar: dentist" in notice for notice in driver.notices()))
        assert "1. 10:00-11:00 dentist" in await page(driver, "/calendar")
        await driver.send_command("/notes add The key is at Tom's.")
        await driver.until(lambda: any("Note: The key" in notice for notice in driver.notices()))
        assert "*key*" in await page(driver, "/notes search key")
        assert "1 added" in await page(driver, f"/documents add {tmp_path / 'docs'}")
        assert "lease.md, Pets" in await page(driver, "/documents search are dogs allowed")
        for wrong, words in (
            ("/tasks fly", "knows no 'fly'"),
            ("/tasks done 9", "no number 9"),
            ("/notes show", "Which one?"),
        ):
            await driver.send_command(wrong)
            await driver.until(lambda words=words: any(words in notice for notice in driver.notices()))  # type: ignore[misc]


async def test_an_incognito_conversation_reads_and_keeps_nothing(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/incognito")
        await driver.send_command("/tasks add buy milk")
        await driver.until(lambda: any("incognito" in notice for notice in driver.notices()))
        assert await desk.services.items.tasks() == ()
