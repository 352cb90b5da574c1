"""`steward calendar`, `tasks`, `notes`, `documents`: what a person sees and what a program reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Run
from tests.support.document_files import a_pdf, an_ics, put


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


def read(run: Run, *args: str) -> Any:
    code, out, err = run(*args, "--json")
    assert code == 0, err
    return json.loads(out)


def test_an_event_is_said_back_listed_exported_and_taken_back(run: Run) -> None:
    code, out, _ = run("calendar", "add", "dentist on 6 March 2099 at 10am for an hour")
    assert code == 0
    assert out.startswith("In the calendar: dentist, Fri 6 Mar 2099 10:00-11:00 (")
    _, out, _ = run("calendar", "add", "call Tom on 6 March 2099 at 10:30am for 5 minutes")
    assert "At the same time: Fri 6 Mar 2099 10:00-11:00 dentist." in out
    _, out, _ = run("calendar", "list", "--from", "2099-03-06", "--to", "2099-03-06")
    assert "Fri 6 Mar 2099:" in out
    assert "10:00-11:00 dentist" in out
    _, out, _ = run("calendar", "export")
    assert out.count("BEGIN:VEVENT") == 2
    assert run("calendar", "undo")[1].startswith("Taken back: In the calendar: call Tom")
    found = read(run, "calendar", "list", "--from", "2099-03-06", "--to", "2099-03-06")
    assert [(one["title"], one["starts_at"]) for one in found] == [("dentist", found[0]["starts_at"])]
    assert "Nothing then" in run("calendar")[1]


def test_a_calendar_file_is_imported_once_and_its_problems_named(run: Run, tmp_path: Path) -> None:
    event = ("UID:a", "SUMMARY:Team\x1b[2J lunch", "DTSTART:20990306T120000Z")
    put(tmp_path, {"a.ics": an_ics(event, ("UID:b", "SUMMARY:broken")), "cut.ics": an_ics(event)[:50]})
    code, out, _ = run("calendar", "import", str(tmp_path / "a.ics"))
    assert code == 0
    assert out.startswith("a.ics: 1 new, 0 changed, 0 there already, 1 left out.")
    assert "broken has no start" in out
    assert read(run, "calendar", "import", str(tmp_path / "a.ics"))["same"] == 1
    _, out, _ = run("calendar", "list", "--from", "2099-03-06", "--to", "2099-03-06")
    assert "\x1b" not in out
    assert "“Team" in out
    for name in ("cut.ics", "none.ics"):
        code, out, err = run("calendar", "import", str(tmp_path / name))
        assert (code, out) == (1, "")
        assert f"{name} was not imported" in err


def test_what_is_unclear_is_listed_and_chosen_by_number(run: Run) -> None:
    code, out, _ = run("calendar", "add", "party next friday")
    assert code == 4
    assert "  2. " in out
    code, out, _ = run("calendar", "add", "party next friday", "--reading", "1")
    assert code == 0
    for wrong in ("party", "party on 31 April 2099"):
        assert run("calendar", "add", wrong)[0] == 1
    assert run("calendar", "list", "--from", "rubbish")[0] == 1
    assert run("calendar", "list", "--from", "2099-02-02", "--to", "2099-02-01")[0] == 1


def test_a_reminder_is_counted_from_an_event(run: Run) -> None:
    run("calendar", "add", "dentist on 6 March 2099 at 10am")
    code, _, err = run("remind", "call the insurance the day before my dentist appointment")
    assert code == 1  # more than 400 days ahead is not looked at
    assert "no such event" in err
    run("calendar", "add", "physio in 5 days at 10am")
    code, out, _ = run("remind", "me", "the", "day", "before", "my", "physio", "appointment", "to", "pack")
    assert code == 0
    assert out.startswith("Reminder: pack, ")
    assert "counted from physio" in out
    run("calendar", "add", "physio in 9 days at 10am")
    code, out, _ = run("remind", "pack an hour before the physio")
    assert code == 4
    assert "Which event is meant?" in out
    assert out.count("counted from physio") == 2
    code, out, _ = run("remind", "pack an hour before the physio", "--reading", "2")
    assert code == 0


def test_tasks(run: Run) -> None:
    code, out, _ = run("tasks", "add", "renew the passport by 6 March 2099 #papers")
    assert code == 0
    assert out.startswith("Task: renew the passport, due Fri 6 Mar 2099")
    (task,) = read(run, "tasks", "list")
    assert (task["title"], task["due"], task["project"]) == ("renew the passport", "2099-03-06", "papers")
    assert "Later:" in run("tasks")[1]
    assert run("tasks", "done", task["id"][:3])[0] == 0
    assert "No tasks." in run("tasks")[1]
    assert read(run, "tasks", "list", "--done")[0]["done_at"]
    assert run("tasks", "undo")[0] == 0
    assert read(run, "tasks", "edit", task["id"], "no day")["due"] is None
    assert read(run, "tasks", "list", "--project", "#PAPERS")
    assert run("tasks", "delete", task["id"])[0] == 0
    assert run("tasks", "done", task["id"])[0] == 1
    code, _, err = run("tasks", "add", "water the plants every day")
    assert code == 1
    assert "steward remind" in err
    assert read(run, "tasks", "add", "buy 40th birthday gift")["title"] == "buy 40th birthday gift"


def test_notes(run: Run) -> None:
    assert "No notes." in run("notes")[1]
    note = read(run, "notes", "add", "The spare key is at Tom's.")
    assert run("notes", "search", "spare key")[1].startswith(note["id"])
    assert "Nothing found." in run("notes", "search", "zebra")[1]
    read(run, "notes", "edit", note["id"], "It is at Ann's.", "--title", "Key")
    assert run("notes", "show", note["id"])[1] == "Key\n\nIt is at Ann's.\n"
    run("notes", "delete", note["id"])
    assert run("notes", "show", note["id"])[0] == 1
    run("notes", "undo")
    assert read(run, "notes", "list")[0]["title"] == "Key"


def test_documents(run: Run, tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", {"lease.pdf": a_pdf("The rent is 900 euros", "Dogs are not allowed"), "x.bin": b"\0"})
    code, out, _ = run("documents", "add", str(docs))
    assert code == 0
    assert out.startswith("1 added, 0 read again, 0 unchanged, 1 left out.")
    assert read(run, "documents", "add", str(docs))["same"] == 1
    _, out, _ = run("documents", "search", "are dogs allowed?")
    assert out.startswith("1. lease.pdf, page 2\n   “Dogs are not allowed”")
    assert read(run, "documents", "search", "are dogs allowed?")[0]["page"] == 2
    assert "No document says" in run("documents", "search", "quantum chromodynamics")[1]
    assert "lease.pdf: pdf, 2 pages" in run("documents")[1]
    assert "Removed: lease.pdf" in run("documents", "remove", "lease.pdf")[1]
    assert "No documents." in run("documents")[1]
    assert run("documents", "remove", "lease.pdf")[0] == 1
    assert run("documents", "add", str(tmp_path / "none"))[0] == 1


@pytest.mark.parametrize("command", ["calendar", "tasks", "notes", "documents"])
def test_an_empty_home_is_listed_and_nothing_is_made(run: Run, command: str, own_home: Path) -> None:
    assert read(run, command, "list") == []
    assert not (own_home / "data" / "steward.db").exists()
    code, _, err = run("--incognito", command, "add", "x")
    assert code == 1
    assert "--incognito" in err
