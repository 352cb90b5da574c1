"""`steward remind` and `steward reminders`: what a person sees, what a program reads, and what happens beside another
Steward that owns the home."""

import asyncio
import json
import multiprocessing
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.mailbox import Mailbox
from memory.reminders import Change
from memory.sqlite_reminders import SqliteReminders
from tests.support.clock import MONDAY
from tests.support.command_line import Run
from tests.support.reminders import added, an_instant
from ui import reminder_mail
from ui.reminder_mail import Drained
from ui.wiring import Options, SystemClock, owned


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


def added_id(run: Run, *words: str) -> str:
    code, out, err = run("remind", "--json", *words)
    assert code == 0, err
    return str(json.loads(out)["id"])


def listed(run: Run, *options: str) -> list[dict[str, object]]:
    code, out, _ = run("reminders", "list", "--json", *options)
    assert code == 0
    found: list[dict[str, object]] = json.loads(out)
    return found


def test_the_reading_is_said_back_with_weekday_date_time_and_zone(run: Run) -> None:
    code, out, _ = run("remind", "call mum on 6 March 2099 at 6pm")
    assert code == 0
    assert out.startswith("Reminder: call mum, Fri 6 Mar 2099 18:00 (")
    assert "steward reminders delete" in out
    assert "Nothing runs that would tell you" in out
    code, out, _ = run("reminders")
    assert code == 0
    assert "Later:" in out
    assert "call mum" in out


def test_what_has_no_time_or_an_impossible_one_is_refused_in_words(run: Run) -> None:
    for words in ("call mum", "pay rent on 31 April 2099", "lunch at 25:00"):
        code, _, err = run("remind", words)
        assert code == 1
        assert err.startswith("steward: ")
    assert listed(run) == []


def test_two_readings_are_listed_and_chosen_and_the_answer_is_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemClock, "now", lambda _: MONDAY)  # on a Friday there is one reading only
    code, out, err = run("remind", "pay rent next Friday")
    assert code == 4
    assert "1. Fri" in out
    assert "2. Fri" in out
    assert "--reading N" in err
    code, out, _ = run("remind", "--json", "pay rent next Friday")
    assert code == 4
    assert len(json.loads(out)["readings"]) == 2
    assert listed(run) == []
    code, _, err = run("remind", "--reading", "2", "pay rent next Friday")
    assert code == 0
    assert "reminders.next_weekday" in err
    assert run("remind", "pay more rent next Friday")[0] == 0  # not asked again
    assert len(listed(run)) == 2
    assert run("config", "get", "reminders.next_weekday")[1].strip().endswith("week_after")


def test_edit_snooze_done_delete_and_undo(run: Run) -> None:
    id = added_id(run, "call mum on 6 March 2099 at 6pm")
    code, out, _ = run("reminders", "edit", id, "at 7pm on 7 March 2099")
    assert code == 0
    assert "call mum, Sat 7 Mar 2099 19:00" in out
    code, out, _ = run("reminders", "edit", id[:5], "phone mum")
    assert "phone mum, Sat 7 Mar 2099 19:00" in out
    code, out, _ = run("reminders", "snooze", id, "an", "hour")
    assert "Snoozed: phone mum" in out
    assert run("reminders", "snooze", id, "whenever")[0] == 1
    assert (
        "in 1 hour" in run("reminders")[1] or "in 59 minutes" in run("reminders")[1] or "Today" in run("reminders")[1]
    )
    code, out, _ = run("reminders", "undo")
    assert "Taken back (snooze): phone mum, Sat 7 Mar 2099 19:00" in out
    assert run("reminders", "done", id)[1].startswith("Done: phone mum")
    assert listed(run) == []
    assert run("reminders", "undo")[0] == 0
    assert [one["state"] for one in listed(run)] == ["active"]
    assert run("reminders", "delete", id)[1].startswith("Deleted: phone mum")
    assert listed(run) == []
    assert [one["state"] for one in listed(run, "--all")] == ["deleted"]
    assert run("reminders", "undo")[0] == 0
    assert [one["next_at"] for one in listed(run)] != [None]
    code, _, err = run("reminders", "done", "nothing")
    assert code == 1
    assert "There is no reminder 'nothing'" in err


def test_what_recurs_is_done_only_for_this_time(run: Run, home: Home) -> None:
    id = added_id(run, "water the plants every Tuesday at 8:00")
    code, _, err = run("reminders", "done", id)
    assert code == 1
    assert "has not come yet" in err
    assert run("reminders", "delete", id)[0] == 0


def test_hostile_text_is_shown_and_kept_without_control_characters(run: Run) -> None:
    code, out, _ = run("remind", "pay \x1b]0;owned\x07 \u202e [/] [@click=x]y[/] on 6 March 2099")
    assert code == 0
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "\x1b" not in run("reminders", "list", "--json")[1]
    assert "\x1b" not in run("reminders")[1]


def test_nothing_is_kept_of_incognito_or_demo(run: Run) -> None:
    for option in ("--incognito", "--demo"):
        code, _, err = run(option, "remind", "call mum on 6 March 2099")
        assert code == 1
        assert "has to be kept" in err


def test_export_is_a_calendar_that_another_program_reads(run: Run, tmp_path: Path) -> None:
    from icalendar import Calendar

    added_id(run, "call mum on 6 March 2099 at 6pm")
    added_id(run, "water; the plants, every other Tuesday at 8:00")
    added_id(run, "call Tokyo on 6 March 2099 at 9:00 JST")
    added_id(run, "pay rent on 7 March 2099")
    added_id(run, "stretch in 20 minutes")
    target = tmp_path / "out.ics"
    assert run("reminders", "export", "--output", str(target))[0] == 0
    assert run("reminders", "export", "--output", str(target))[0] == 1
    assert target.stat().st_mode & 0o077 == 0
    calendar = Calendar.from_ical(target.read_bytes())
    events: dict[str, Any] = {str(event["summary"]): event for event in calendar.walk("VEVENT")}
    assert len(events) == 5
    assert events["call mum"]["dtstart"].dt == datetime(2099, 3, 6, 18)  # noqa: DTZ001  a floating time
    (plants,) = [event for name, event in events.items() if name.startswith("water; the plants")]
    assert plants["rrule"]["FREQ"] == ["WEEKLY"]
    assert events["call Tokyo"]["dtstart"].params["TZID"] == "Asia/Tokyo"
    assert [str(zone["tzid"]) for zone in calendar.walk("VTIMEZONE")] == ["Asia/Tokyo"]
    assert events["stretch"]["dtstart"].dt.tzinfo is not None
    assert all(len(event.walk("VALARM")) == 1 for event in events.values())


# --- beside another Steward --------------------------------------------------------------------------------------


@contextmanager
def another_steward(*, takes_mail: bool = True) -> Iterator[None]:
    """Owns the home meanwhile, in a thread with its own loop, and takes what is handed over."""
    stop, ready = threading.Event(), threading.Event()

    async def own() -> None:
        async with owned(Options(), "chat") as services:
            ready.set()
            home = services.home
            while not stop.is_set():
                if takes_mail:
                    await Drained(services.reminders, Mailbox(home), services.clock).drain()
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(own()))
    thread.start()
    assert ready.wait(60)
    try:
        with pytest.MonkeyPatch.context() as patch:  # wait long for what will come, and shortly for what will not
            patch.setattr(reminder_mail, "WAIT_SECONDS", 60.0 if takes_mail else 0.2)
            yield
    finally:
        stop.set()
        thread.join()


def test_everything_works_from_a_second_terminal(run: Run) -> None:
    with another_steward():
        id = added_id(run, "call mum on 6 March 2099 at 6pm")
        assert [one["id"] for one in listed(run)] == [id]
        assert "phone mum" in run("reminders", "edit", id, "phone mum")[1]
        assert run("reminders", "snooze", id, "2 hours")[0] == 0
        assert run("reminders", "undo")[0] == 0
        assert run("reminders", "delete", id)[0] == 0
        assert listed(run) == []
        code, _, err = run("reminders", "done", "nothing")
        assert code == 1
        assert "There is no reminder" in err
    assert [one["text"] for one in listed(run, "--all")] == ["phone mum"]


def test_a_letter_nobody_takes_is_kept_for_the_next_owner(run: Run, home: Home) -> None:
    Mailbox(home).post(added(an_instant("letter01", at=datetime(2099, 1, 1, tzinfo=UTC))))
    added_id(run, "call mum on 6 March 2099 at 6pm")
    assert {str(one["id"]) for one in listed(run)} > {"letter01"}
    assert Mailbox(home).waiting() == ()


def post_many(place: str, first: int, count: int) -> None:
    mailbox = Mailbox(Home.resolve(place, {}))
    for number in range(first, first + count):
        mailbox.post(added(an_instant(f"n{number:07}")))


async def drain_until(home: Home, count: int) -> None:
    async with await Database.open(home.database) as database:
        store = SqliteReminders(database)
        drained = Drained(store, Mailbox(home), SystemClock())
        while len(await store.list(limit=count + 1)) < count or await drained.drain():
            await drained.drain()


async def drain_all(home: Home) -> None:
    async with await Database.open(home.database) as database:
        await Drained(SqliteReminders(database), Mailbox(home), SystemClock()).drain()


@pytest.mark.crash
def test_1000_at_once_from_4_processes_all_arrive(home: Home) -> None:
    context = multiprocessing.get_context("spawn")
    place = str(home.data.parent)
    senders = [context.Process(target=post_many, args=(place, 250 * number, 250)) for number in range(4)]
    for sender in senders:
        sender.start()
    asyncio.run(drain_until(home, 1_000))
    for sender in senders:
        sender.join()
        assert sender.exitcode == 0


def test_a_letter_applied_twice_counts_once_and_one_that_does_not_fit_is_answered(home: Home) -> None:
    mailbox = Mailbox(home)
    name = mailbox.post(added(an_instant("letter01")))
    (request,) = mailbox.waiting()

    async def apply_and_die() -> None:
        async with await Database.open(home.database) as database:
            await SqliteReminders(database).apply(request.change, at=MONDAY, request=request.name)

    asyncio.run(apply_and_die())
    assert mailbox.is_waiting(name)
    asyncio.run(drain_until(home, 1))
    assert mailbox.refusal(name) is None
    wrong = mailbox.post(Change(operation="edit", reminder=an_instant("letter01", text="other", revision=9)))
    asyncio.run(drain_all(home))
    refused = mailbox.refusal(wrong)
    assert refused is not None
    assert "changed meanwhile" in refused[0]
    assert mailbox.refusal(wrong) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"operation": "add"}', b"\xff" * 200_000])
def test_a_file_that_is_no_letter_is_put_aside(home: Home, content: bytes) -> None:
    mailbox = Mailbox(home)
    name = mailbox.post(added(an_instant()))
    (home.state / "mailbox" / f"{name}.json").write_bytes(content)
    mailbox.post(added(an_instant("letter01")))
    assert [request.change.reminder.id for request in mailbox.waiting()] == ["letter01"]
    assert len(mailbox.waiting()) == 1


def test_letters_are_private(home: Home) -> None:
    Mailbox(home).post(added(an_instant()))
    folder = home.state / "mailbox"
    assert folder.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


@pytest.mark.parametrize("words", ["call mum on Sunday at 6", "gym next Friday at 5pm"])
def test_a_reading_that_is_listed_is_not_said_before(words: str, run: Run) -> None:
    code, out, err = run("remind", words)
    assert code == 4
    listed = re.findall(r"^  \d\. (.+)$", out, re.MULTILINE)
    assert len(listed) == 2
    assert [(out + err).count(one) for one in listed] == [1, 1]
