"""Reminders in line mode: labelled lines, numbers, and nothing that a pipe cannot do."""

import io
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.clock import MONDAY, FixedClock
from tests.support.pilot import a_desk, a_home
from tests.support.reminders import added, an_instant, fired
from tests.support.waiting import eventually
from ui.desk import Desk
from ui.plain import PlainChat


class Typist:
    """Types its lines one after another; a line may wait for something to be seen first."""

    echoes = False

    def __init__(self, out: io.StringIO, lines: Sequence[tuple[str, str]]) -> None:
        self._out = out
        self._lines = list(lines)

    async def read(self, prompt: str) -> str | None:
        if not self._lines:
            return None
        line, after = self._lines.pop(0)
        await eventually(lambda: after in self._out.getvalue())
        return line


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


@pytest.fixture
async def closing(desk: Desk) -> AsyncIterator[None]:
    yield
    await desk.model.close()


pytestmark = pytest.mark.usefixtures("closing")


async def talk(desk: Desk, *lines: str | tuple[str, str]) -> str:
    out = io.StringIO()
    typed = [(line, "") if isinstance(line, str) else line for line in lines]
    chat = PlainChat(desk, Typist(out, typed), out)
    async with chat.reminders.running():
        assert await chat.run() == 0
    return out.getvalue()


async def test_what_is_due_comes_as_a_line_of_its_own_and_is_done(desk: Desk, clock: FixedClock) -> None:
    await desk.services.reminders.apply(added(an_instant()), at=MONDAY)
    clock.advance(timedelta(hours=1))
    said = await talk(desk, ("/done", "reminder: call mum, due 10:00. /done or /snooze"), "/done")
    assert "status: Done: call mum (/reminders undo takes it back)" in said
    assert "error: No reminder waits for you." in said


async def test_what_came_before_is_said_at_the_start(desk: Desk, clock: FixedClock) -> None:
    store = desk.services.reminders
    await store.apply(added(an_instant()), at=MONDAY)
    clock.advance(timedelta(hours=3))
    (due,) = await store.claim([fired((await store.list())[0])], at=clock.now())  # by the daemon
    await store.mark_shown([due.notice.id])
    said = await talk(desk, "/snooze an hour")
    assert "reminder: While you were away: call mum, was due 10:00, 2 h ago" in said
    assert "status: Snoozed: call mum, until Mon 2 Mar 2026 13:00" in said


async def test_what_was_seen_and_is_not_done_is_open_and_not_missed(desk: Desk, clock: FixedClock) -> None:
    await desk.services.reminders.apply(added(an_instant()), at=MONDAY)
    clock.advance(timedelta(hours=3))
    await talk(desk, ("/help", "was due 10:00, 2 h ago"))
    said = await talk(desk, "/done", "/reminders")
    assert "reminder: Still open: call mum, was due 10:00" in said
    assert "While you were away" not in said
    assert "status: Done: call mum" in said


async def test_why_of_a_receipt_names_no_model(desk: Desk) -> None:
    said = await talk(desk, "Remind me to call mum tomorrow at 6pm", "/why")
    assert "steward: Reminder: call mum" in said
    assert "Answered by Steward itself, without the model.\n" in said
    assert "Model:" not in said


async def test_the_acts_go_by_the_numbers_of_the_list(desk: Desk) -> None:
    said = await talk(
        desk,
        "/remind call mum tomorrow at 6pm",
        "/remind pay rent next Friday",
        "2",
        "/remind pay more rent next Friday",
        "/reminders",
        "/reminders edit 1 phone mum",
        "/snooze #1 2 hours",
        "/reminders delete 2",
        "/reminders undo",
        "/reminders fly",
        "/reminders done 9",
        "/snooze whenever",
    )
    assert "status: Reminder: call mum, Tue 3 Mar 2026 18:00 (" in said
    assert "1. Fri 6 Mar 2026" in said
    assert said.count("Which one do you mean") == 1  # "next Friday" is asked once
    assert "1. call mum, Tue 3 Mar 2026 18:00" in said
    assert "status: Changed: phone mum, Tue 3 Mar 2026 18:00" in said
    assert "status: Snoozed: phone mum, until Mon 2 Mar 2026 11:00" in said
    assert "status: Deleted: pay more rent" in said
    assert "status: Taken back (delete): pay more rent, Fri 13 Mar 2026" in said
    assert "error: /reminders knows no 'fly'." in said
    assert "error: There is no reminder 9 in the last list." in said


async def test_incognito_keeps_none(desk: Desk) -> None:
    said = await talk(desk, "/incognito", "/remind call mum tomorrow at 6pm")
    assert "error: Nothing is kept in an incognito conversation." in said
    assert await desk.services.reminders.list() == ()
