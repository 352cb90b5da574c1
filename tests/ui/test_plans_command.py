"""Plans from the shell and in line mode, with the tools that Steward brings."""

import json
from pathlib import Path
from typing import Any

from tests.support.command_line import Run
from tests.ui.test_plain import a_desk, chat

SATURDAY = "plan my Saturday, I need to see the dentist and buy a present"


def test_two_wishes_are_two_receipts_and_one_undo(run: Run) -> None:
    code, out, _ = run("ask", "add a task to buy milk and remind me to call mum tomorrow at 6pm")
    assert code == 0
    assert "Done. Task: buy milk." in out
    assert "Done. Reminder: call mum" in out
    assert out.strip().endswith("/undo takes all of it back.")
    assert "buy milk" in run("tasks", "list")[1]
    assert "call mum" in run("reminders", "list")[1]
    code, out, _ = run("plans", "undo", "1")
    assert (code, out.count("Taken back: ")) == (0, 2)
    assert "buy milk" not in run("tasks", "list")[1]
    assert "No reminder" in run("reminders", "list")[1]


def test_a_reminder_that_stands_first_does_not_swallow_the_second_wish(run: Run) -> None:
    _, out, _ = run("ask", "remind me to call mum tomorrow at 6pm and add a task to buy milk")
    assert "Done. Reminder: call mum," in out
    assert "Done. Task: buy milk." in out


def test_a_plan_pauses_for_the_hour_and_goes_on(run: Run) -> None:
    code, out, _ = run("ask", SATURDAY)
    assert code == 4
    assert "1 of 3 look what is in the calendar on" in out
    assert "2 of 3 waits for you. Decision 1: At what time is the dentist" in out
    assert "3 of 3 done: Task: buy a present" in out
    (listed,) = json.loads(run("plans", "list", "--json")[1])
    assert [step["state"] for step in listed["steps"]] == ["done", "waiting", "done"]
    assert (listed["state"], listed["ends_at"] is None) == ("waiting", False)
    shown = run("plans", "show", "1")[1]
    assert "[?] 2 of 3: see the dentist (waits for you)" in shown
    assert "/decide 1 answers it" in shown
    code, out, _ = run("decisions", "answer", "1", "10:30")
    assert code == 0
    assert "10:30" in out
    assert "Plan 1 is over: 3 done." in out
    assert run("plans")[1].strip() == "No plan is going on."
    assert "the dentist" in run("calendar", "list")[1]


def test_stop_resume_and_what_cannot_be(run: Run) -> None:
    run("ask", SATURDAY)
    assert "Plan 1 is stopped: 2 of 3, stopped." in run("plans", "stop", "1")[1]
    assert run("decisions")[1].strip() == "No decision waits for you."
    code, out, _ = run("plans", "resume", "1")
    assert code == 4
    assert "At what time is the dentist" in out
    assert run("plans", "resume", "1")[0] == 1
    assert run("plans", "show", "9")[0] == 1
    assert json.loads(run("plans", "stop", "1", "--json")[1])["state"] == "stopped"


def test_events_of_a_plan_are_lines(run: Run) -> None:
    out = run("ask", "--json", "add a task to buy milk and add a task to call Bo")[1]
    events: list[Any] = [json.loads(line) for line in out.splitlines()]
    kinds = [event["type"] for event in events]
    assert kinds.count("plan_moved") == 4
    assert kinds.count("acted") == 2
    assert kinds[-1] == "turn_ended"
    assert "buy milk" in events[-1]["text"]


async def test_line_mode_lists_shows_stops_and_takes_back(tmp_path: Path) -> None:
    desk = await a_desk(tmp_path=tmp_path)
    acts = ("/plans", "/plans 1", "/plans stop", "/plans resume", "/plans undo", "/plans nine")
    out = await chat(desk, SATURDAY, *acts)
    assert "2 of 3, waits for you" in out
    assert "\n3 of 3: buy a present (done)" in out
    assert "Plan 1 is stopped" in out
    assert "Taken back: " in out
    assert "There is no plan 'nine'." in out


async def test_a_question_beside_wishes_is_answered_and_nothing_else_is_lost(tmp_path: Path) -> None:
    desk = await a_desk("Leek and potato.", tmp_path=tmp_path)
    out = await chat(desk, "Add a task to buy milk. I am tired. What is a good soup?")
    assert "Done. Task: buy milk." in out
    assert "“I am tired.”" in out
    assert "Leek and potato." in out


async def test_a_plan_is_made_by_its_command(tmp_path: Path) -> None:
    desk = await a_desk(tmp_path=tmp_path)
    out = await chat(desk, "/plan call mum tomorrow at 6pm, buy a present", "/plan")
    assert "1 of 2 done: Reminder: call mum" in out
    assert "2 of 2 done: Task: buy a present." in out
    assert "A plan of what?" in out
