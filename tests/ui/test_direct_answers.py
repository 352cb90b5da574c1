"""The hour alone, said after "When is the dentist?": it is in the calendar, and no model was asked."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.clock import FixedClock
from tests.support.pilot import a_desk, a_home, opened
from ui.desk import Desk


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def desk(tmp_path: Path, clock: FixedClock) -> Desk:
    return a_desk(a_home(tmp_path), "The model's answer.", clock=clock)


async def test_the_time_of_an_event(desk: Desk, clock: FixedClock) -> None:
    async with opened(desk) as driver:
        await driver.send("put the dentist in my calendar")
        assert "When is the dentist?" in driver.transcript_text()
        clock.advance(timedelta(seconds=5))
        await driver.send("Friday at 10am")
        assert "In the calendar: the dentist, Fri 6 Mar 2026 10:00" in (await driver.path())[3].content
        await driver.until(lambda: not driver.chat.query("#decision"))
        assert await desk.services.decisions.decisions() == ()


@pytest.mark.parametrize(
    ("wish", "what"), [("remind me to stretch", "stretch"), ("don't let me forget the plumber", "the plumber")]
)
async def test_the_time_of_a_reminder(desk: Desk, clock: FixedClock, wish: str, what: str) -> None:
    async with opened(desk) as driver:
        await driver.send(wish)
        assert f"When shall I remind you: {what}?" in driver.transcript_text()
        clock.advance(timedelta(seconds=5))
        await driver.send("tomorrow at 9")
        (kept,) = await desk.services.reminders.list()
        assert kept.text == what


async def test_another_sentence_is_a_message_and_the_question_stays(desk: Desk, clock: FixedClock) -> None:
    async with opened(desk) as driver:
        await driver.send("put the dentist in my calendar")
        clock.advance(timedelta(seconds=5))
        await driver.send("What could I cook tonight?")
        assert (await driver.path())[3].content == "The model's answer."
        clock.advance(timedelta(seconds=5))
        await driver.send("Friday at 10am")
        assert len(await desk.services.decisions.decisions()) == 1, "the question was no longer the last thing said"
