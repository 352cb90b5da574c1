"""Events, tasks, notes and documents in line mode."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.clock import FixedClock
from tests.support.document_files import an_ics, put
from tests.support.pilot import a_desk, a_home
from ui.desk import Desk
from ui.plain import PlainChat


class Typist:
    """Types its lines one after another."""

    echoes = False

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    async def read(self, prompt: str) -> str | None:
        return self._lines.pop(0) if self._lines else None


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(a_home(tmp_path), clock=FixedClock())


@pytest.fixture
async def closing(desk: Desk) -> AsyncIterator[None]:
    yield
    await desk.model.close()


pytestmark = pytest.mark.usefixtures("closing")


async def talk(desk: Desk, *lines: str) -> str:
    out = io.StringIO()
    assert await PlainChat(desk, Typist(*lines), out).run() == 0
    return out.getvalue()


async def test_the_calendar(desk: Desk, tmp_path: Path) -> None:
    put(tmp_path, {"a.ics": an_ics(("UID:a", "SUMMARY:Flight", "DTSTART:20260307T060000Z"))})
    said = await talk(
        desk,
        "/calendar",
        "/calendar add dentist on Friday at 10am for an hour",
        "/calendar add party next Friday",
        "2",
        f"/calendar import {tmp_path / 'a.ics'}",
        "/calendar list",
        "/calendar delete 1",
        "/calendar undo",
        "/calendar Saturday",
        "/calendar fly",
        "/calendar delete 99",
        f"/calendar export {tmp_path / 'b.ics'}",
        "/remind pack the day before the flight",
    )
    assert "Nothing then." in said
    assert "status: In the calendar: dentist, Fri 6 Mar 2026 10:00-11:00 (UTC)" in said
    assert "a.ics: 1 new" in said
    assert "1. 10:00-11:00 dentist" in said
    assert "2. 06:00 “Flight”" in said
    assert "status: Deleted: dentist" in said
    assert "Taken back: Deleted: dentist" in said
    assert "error: 'fly' is no day." in said
    assert "error: There is no number 99 in the last list." in said
    assert "3 events are written to" in said
    assert (tmp_path / "b.ics").read_bytes().count(b"BEGIN:VEVENT") == 3
    assert "status: Reminder: pack, Fri 6 Mar 2026 06:00" in said


async def test_tasks_and_notes(desk: Desk) -> None:
    said = await talk(
        desk,
        "/tasks add renew the passport by Friday #papers",
        "/tasks",
        "/tasks edit 1 tomorrow",
        "/tasks done 1",
        "/tasks all done",
        "/tasks undo",
        "/tasks add",
        "/notes add The spare key is at Tom's.",
        "/notes",
        "/notes search spare",
        "/notes edit 1 It is at Ann's.",
        "/notes show 1",
        "/notes delete 1",
        "/notes undo",
        "/notes fly",
    )
    assert "1. renew the passport, due Fri 6 Mar 2026 (in 4 days), #papers" in said
    assert "status: Changed: renew the passport, due Tue 3 Mar 2026 (tomorrow), #papers" in said
    assert "Done:" in said
    assert "error: What is to be done?" in said
    assert "1. The spare key is at Tom's." in said
    assert "It is at Ann's." in said
    assert "error: /notes knows no 'fly'." in said


async def test_documents(desk: Desk, tmp_path: Path) -> None:
    put(tmp_path / "docs", {"lease.md": "# Pets\nDogs are not allowed"})
    said = await talk(
        desk,
        f"/documents add {tmp_path / 'docs'}",
        "/documents",
        "/documents search are dogs allowed",
        "/documents remove 1",
        "/documents add /nowhere",
        "/documents search",
    )
    assert "1 added" in said
    assert "1. lease.md, Pets" in said
    assert "status: Removed: lease.md." in said
    assert "error: Nothing was added: there is no '/nowhere'." in said
    assert "error: What is looked for?" in said


async def test_incognito_reads_and_keeps_nothing(desk: Desk) -> None:
    said = await talk(desk, "/incognito", "/tasks add buy milk", "/calendar")
    assert said.count("error: Nothing is read or kept in an incognito conversation.") == 2
