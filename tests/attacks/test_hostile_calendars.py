"""Calendar files that mean harm: each is answered, the good event of it is read, nothing is written, nothing obeyed.

A third of them goes through the confined process; STEWARD_ATTACKS=all sends every one (a night).
"""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.calendar.book import CalendarBook
from assistant.calendar.ics_reading import MOST_PROBLEMS, TEXT, TITLE, read_ics
from assistant.confined.child import MEMORY_BYTES, Unreadable
from assistant.errors import FileUnreadable
from memory.items_in_memory import InMemoryItems
from tests.support.clock import FixedClock
from tests.support.hostile_calendars import HostileCalendar, hostile_calendars
from tests.support.naughty import raw_controls

CALENDARS = hostile_calendars()
CONFINED = CALENDARS if os.environ.get("STEWARD_ATTACKS") == "all" else CALENDARS[::4]
ROOT = Path(__file__).parents[2]


def test_there_are_more_than_thirty() -> None:
    assert len(CALENDARS) >= 40
    assert len({one.name for one in CALENDARS}) == len(CALENDARS)


@pytest.mark.parametrize("hostile", CALENDARS, ids=lambda one: one.name)
def test_what_can_be_read_of_it_is_and_within_bounds(hostile: HostileCalendar) -> None:
    if not hostile.rest:
        with pytest.raises(Unreadable) as refused:
            read_ics(hostile.content)
        assert raw_controls(str(refused.value)) == []
        return
    answer = read_ics(hostile.content)
    assert "Good" in [event["title"] for event in answer["events"]]
    assert len(answer["problems"]) <= MOST_PROBLEMS + 1
    for event in answer["events"]:
        assert len(event["title"]) <= TITLE
        assert len(event["text"]) <= TEXT
        shown = (event["title"], event["place"], event["text"], event["zone"], event["uid"], *answer["problems"])
        assert [text for text in shown if raw_controls(text)] == []
        assert "passwd" not in event["zone"]


@pytest.mark.parametrize("hostile", CONFINED, ids=lambda one: one.name)
async def test_importing_it_answers_keeps_the_rest_and_writes_nothing_else(
    hostile: HostileCalendar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = InMemoryItems()
    book = CalendarBook(store, FixedClock(), "Europe/Berlin")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if hostile.rest:
        report = await book.import_file(hostile.content, "hostile\x1b[2J.ics")
        assert report.new >= 1
        assert [problem for problem in report.problems if raw_controls(problem)] == []
        assert "Good" in [event.title for event in await book.every()]
    else:
        with pytest.raises(FileUnreadable) as refused:
            await book.import_file(hostile.content, "hostile\x1b[2J.ics")
        assert raw_controls(refused.value.message) == []
        assert await book.every() == ()
    assert list(tmp_path.iterdir()) == []
    assert (await store.tasks(), await store.notes()) == ((), ())
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(largest, MEMORY_BYTES // 1024)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
@pytest.mark.parametrize(
    ("attempt", "ends"),
    [
        ("import os; os.write(os.open('written', os.O_CREAT | os.O_WRONLY, 0o600), b'x' * 100)", (-signal.SIGXFSZ, 1)),
        ("import mmap; mmap.mmap(-1, 900 * 1024 * 1024)", (1,)),
    ],
)
def test_the_limits_of_the_reader_bite(attempt: str, ends: tuple[int, ...], tmp_path: Path) -> None:
    """The control: without them the same attempts succeed."""
    limited = f"from assistant.confined import child; child._limit(); {attempt}"
    for code, wanted in ((limited, ends), (attempt, (0,))):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True
        )
        assert done.returncode in wanted, done.stderr
        written = tmp_path / "written"
        assert not written.exists() or written.stat().st_size == (0 if code == limited else 100)
