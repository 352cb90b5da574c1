"""Reminders in the terminal UI and in line mode, as their user meets them."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.clock import MONDAY, FixedClock
from tests.support.pilot import Driver, a_desk, a_home, opened
from tests.support.reminders import added, an_instant, fired
from ui.desk import Desk
from ui.looked import note_leaving
from ui.screens.reminders import RemindersScreen
from ui.widgets.bars import Rows

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def desk(tmp_path: Path, clock: FixedClock) -> Desk:
    return a_desk(a_home(tmp_path), clock=clock)


def due_line(driver: Driver) -> str:
    found = driver.chat.query("#due")
    return found.first(Rows).text if found and not found.first(Rows).has_class("hidden") else ""


async def test_what_is_due_is_shown_without_taking_the_focus_and_is_done_by_a_key(
    desk: Desk, clock: FixedClock
) -> None:
    async with opened(desk) as driver:
        await desk.services.reminders.apply(added(an_instant()), at=MONDAY)
        clock.advance(HOUR)
        await driver.write("half a sent")
        driver.app.wake_reminders()
        await driver.until(lambda: "call mum" in due_line(driver))
        assert driver.chat.prompt.has_focus
        await driver.press("e", "alt+d")
        await driver.until(lambda: not due_line(driver))
        assert driver.chat.prompt.whole_text == "half a sente"
        assert await desk.services.reminders.list() == ()


async def test_over_another_screen_it_is_a_notice_too(desk: Desk, clock: FixedClock) -> None:
    async with opened(desk) as driver:
        await desk.services.reminders.apply(added(an_instant()), at=MONDAY)
        clock.advance(HOUR)
        await driver.press("f1")
        driver.app.wake_reminders()
        await driver.until(lambda: any("call mum" in notice for notice in driver.notices()))


async def test_snoozing_brings_it_back_later(desk: Desk, clock: FixedClock) -> None:
    async with opened(desk) as driver:
        await desk.services.reminders.apply(added(an_instant()), at=MONDAY)
        clock.advance(HOUR)
        driver.app.wake_reminders()
        await driver.until(lambda: "call mum" in due_line(driver))
        await driver.press("alt+l")
        await driver.until(lambda: not due_line(driver))
        clock.advance(timedelta(minutes=10))
        driver.app.wake_reminders()
        await driver.until(lambda: "call mum" in due_line(driver))


async def test_while_you_were_away(desk: Desk, clock: FixedClock) -> None:
    store = desk.services.reminders
    for number in (1, 2):
        one = an_instant(f"away000{number}", text=f"thing {number}")
        await store.apply(added(one), at=MONDAY)
        await store.claim([fired(await store.find(one.id))], at=MONDAY + HOUR)
    clock.advance(10 * HOUR)
    async with opened(desk) as driver:
        await driver.until(lambda: "While you were away" in due_line(driver))
        assert "thing 1" in due_line(driver)
        assert "thing 2" in due_line(driver)


async def test_what_stood_there_when_a_key_was_pressed_is_open_and_not_missed(desk: Desk, clock: FixedClock) -> None:
    store = desk.services.reminders
    await store.apply(added(an_instant()), at=MONDAY)
    async with opened(desk) as driver:
        clock.advance(HOUR)
        driver.app.wake_reminders()
        await driver.until(lambda: "call mum" in due_line(driver))
        clock.advance(HOUR)
        await driver.press("x")
        await note_leaving(desk.services, driver.app.attention.last_looked_at)
    clock.advance(HOUR)
    async with opened(desk) as driver:
        await driver.until(lambda: "Still open: call mum, was due 10:00" in due_line(driver))


async def test_what_came_after_the_last_key_was_missed(desk: Desk, clock: FixedClock) -> None:
    store = desk.services.reminders
    await store.apply(added(an_instant()), at=MONDAY)
    async with opened(desk) as driver:
        await driver.press("x")
        clock.advance(2 * HOUR)
        driver.app.wake_reminders()
        await driver.until(lambda: "call mum" in due_line(driver))
        await note_leaving(desk.services, driver.app.attention.last_looked_at)
    async with opened(desk) as driver:
        await driver.until(lambda: "While you were away: call mum" in due_line(driver))


async def test_remind_and_the_screen(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/remind call mum tomorrow at 6pm")
        await driver.until(lambda: any("call mum" in notice for notice in driver.notices()))
        await driver.press("f10")
        await driver.until(lambda: "Next 7 days" in driver.screen_text())
        assert "call mum, Tue 3 Mar 2026 18:00" in driver.screen_text()
        await driver.press("x")
        await driver.until(lambda: "Deleted: call mum" in driver.screen_text())
        await driver.press("u")
        await driver.until(lambda: "Taken back" in driver.screen_text())
        await driver.press("s")
        await driver.until(lambda: "Snooze for" in driver.screen_text())
        await driver.press(*(key if key != " " else "space" for key in "2 hours"), "enter")
        await driver.until(lambda: "snoozed until Mon 2 Mar 2026 11:00" in driver.screen_text())
        await driver.press("n")
        await driver.until(lambda: "Remind me" in driver.screen_text())
        await driver.press(*(key if key != " " else "space" for key in "tea today at 17:00"), "enter")
        await driver.until(lambda: "Reminder: tea" in driver.screen_text())
        await driver.press("d")
        await driver.until(lambda: "Done:" in driver.screen_text())
        await driver.press("escape")
        assert not isinstance(driver.app.screen, RemindersScreen)


async def test_two_readings_are_asked(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/remind pay rent next Friday")
        await driver.until(lambda: "None of them" in driver.screen_text())
        await driver.press("1")
        await driver.until(lambda: any("pay rent" in notice for notice in driver.notices()))
        (kept,) = await desk.services.reminders.list()
        assert kept.text == "pay rent"


async def test_what_cannot_be_is_said_and_hostile_text_is_harmless(desk: Desk, clock: FixedClock) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/remind call mum")
        await driver.until(lambda: any("When?" in notice for notice in driver.notices()))
        await driver.send_command("/done")
        await driver.until(lambda: any("No reminder waits" in notice for notice in driver.notices()))
        hostile = an_instant(text="[/] [@click=app.quit]x[/] \x1b]0;owned\x07 \u202e")
        await desk.services.reminders.apply(added(hostile), at=MONDAY)
        clock.advance(HOUR)
        driver.app.wake_reminders()
        await driver.until(lambda: "@click" in due_line(driver))
        assert "\x1b" not in due_line(driver)
        await driver.press("f10")
        await driver.until(lambda: "Waiting for you" in driver.screen_text())
        assert "[@click=app.quit]" in driver.screen_text()


async def test_incognito_keeps_no_reminder(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/incognito")
        await driver.send_command("/remind call mum tomorrow at 6pm")
        await driver.until(lambda: any("incognito" in notice for notice in driver.notices()))
        assert await desk.services.reminders.list() == ()


async def test_a_wish_in_the_conversation_is_kept_at_once_without_the_model(desk: Desk, clock: FixedClock) -> None:
    async with opened(desk) as driver:
        await driver.send("Can you remind me to call mum tomorrow at 6pm?")
        (kept,) = await desk.services.reminders.list()
        said, answer = await driver.path()
        assert kept.text == "call mum"
        assert kept.message_id == said.id
        assert answer.content.startswith("Reminder: call mum, Tue 3 Mar 2026 18:00 (")
        assert "call mum, Tue 3 Mar 2026 18:00" in driver.transcript_text()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("remind me to pay rent next Friday", "pay rent: which one do you mean?"),
        ("remind me to call mum", "When shall I remind you: call mum?"),
        ("remind me to pay rent on 31 April", "30"),
    ],
)
async def test_what_cannot_be_kept_is_answered_by_rule_too(desk: Desk, text: str, answer: str) -> None:
    async with opened(desk) as driver:
        await driver.send(text)
        assert answer in (await driver.path())[1].content
        assert await desk.services.reminders.list() == ()


async def test_a_question_that_begins_alike_goes_to_the_model(tmp_path: Path) -> None:
    desk = await asyncio.to_thread(lambda: a_desk(a_home(tmp_path), "The model's answer."))
    async with opened(desk) as driver:
        await driver.send("remind me of the plot of Hamlet")
        assert (await driver.path())[1].content == "The model's answer."


async def test_in_an_incognito_conversation_it_is_refused_in_words(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/incognito")
        await driver.send("remind me to call mum tomorrow at 6pm")
        assert "incognito" in (await driver.path())[1].content
        assert await desk.services.reminders.list() == ()
