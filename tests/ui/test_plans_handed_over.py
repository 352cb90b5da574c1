"""Plans and documents from a second terminal, while another Steward owns the home and takes what it is handed."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory.answer_mailbox import AnswerMailbox, HandedAnswer
from memory.data_dir import Home
from memory.plans import PlanId
from tests.support.command_line import Run
from ui import decision_mail
from ui.acting_wiring import without_model
from ui.deciding import Deciding
from ui.deciding_begins import watching
from ui.wiring import Options, owned

SATURDAY = "plan my Saturday, I need to see the dentist and buy a present"


@contextmanager
def another_steward(*, takes_mail: bool = True) -> Iterator[list[str]]:
    """Owns the home meanwhile; the lines it says of what is handed over to it."""
    stop, ready, said = threading.Event(), threading.Event(), list[str]()

    async def tell(lines: Sequence[str]) -> None:
        said.extend(lines)

    async def wait() -> None:
        ready.set()
        await asyncio.to_thread(stop.wait)

    async def own() -> None:
        async with owned(Options(), "chat") as services:
            if not takes_mail:
                await wait()
                return
            async with watching(services, Deciding(lambda: services, without_model), tell):
                await wait()

    thread = threading.Thread(target=lambda: asyncio.run(own()))
    thread.start()
    assert ready.wait(60)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(decision_mail, "TAKEN_SECONDS", 60.0 if takes_mail else 0.2)
            yield said
    finally:
        stop.set()
        thread.join()


def test_a_plan_is_stopped_resumed_and_taken_back_from_a_second_terminal(run: Run, home: Home) -> None:
    run("ask", SATURDAY)
    with another_steward() as said:
        code, out, err = run("plans", "stop", "1")
        assert (code, err) == (0, "")
        assert "Plan 1 is stopped: 2 of 3, stopped." in out
        code, out, _ = run("plans", "stop", "1")
        assert code == 1
        assert "Plan 1 is stopped already." in out
        code, out, _ = run("plans", "resume", "1")
        assert code == 4
        assert "At what time is the dentist" in out
        code, out, _ = run("plans", "undo", "1", "--json")
        assert code == 0
        assert json.loads(out)["plan"]["state"] == "stopped"
        code, _, err = run("plans", "stop", "9")
        assert code == 1
        assert "9" in err
        assert "buy a present" not in run("tasks", "list")[1]
    assert AnswerMailbox(home).waiting() == ()
    assert said[0].startswith("From another terminal: Plan 1 is stopped")


def test_documents_are_added_and_removed_from_a_second_terminal(
    run: Run, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lease.md").write_text("# Lease\n\nThe deposit is 900 euros.\n")
    monkeypatch.chdir(tmp_path)
    with another_steward() as said:
        code, out, err = run("documents", "add", "lease.md")
        assert (code, err) == (0, "")
        assert "1 added" in out
        assert "900 euros" in run("documents", "search", "deposit")[1]
        code, out, _ = run("documents", "add", "nowhere.md")
        assert code == 1
        assert "Nothing was added: there is no" in out
        code, out, _ = run("documents", "remove", "./lease.md", "--json")
        assert (code, [one["name"] for one in json.loads(out)]) == (0, ["lease.md"])
        assert run("documents", "remove", "lease.md")[0] == 1
    assert AnswerMailbox(home).waiting() == ()
    assert any(line.startswith("From another terminal: 1 added") for line in said)


def test_what_nobody_takes_is_kept_and_done_once_by_the_next_owner(run: Run, home: Home, tmp_path: Path) -> None:
    paper = tmp_path / "lease.md"
    paper.write_text("The deposit is 900 euros.\n")
    run("ask", SATURDAY)
    with another_steward(takes_mail=False):
        for command in (("plans", "stop", "1"), ("documents", "add", str(paper))):
            code, out, _ = run(*command)
            assert (code, out.strip()) == (
                0,
                "It waits for the Steward that is running here; it is kept, and carried out once.",
            )
    assert [letter.act for letter in AnswerMailbox(home).waiting()] == ["stop_plan", "add_documents"]
    assert run("decisions", "cancel", "1")[0] == 1  # the plan that asked it was stopped first
    assert json.loads(run("plans", "show", "1", "--json")[1])["state"] == "stopped"
    other = tmp_path / "other.md"
    other.write_text("Nothing.\n")
    assert run("documents", "add", str(other))[0] == 0
    assert len(json.loads(run("documents", "list", "--json")[1])) == 2
    assert AnswerMailbox(home).waiting() == ()


def test_a_letter_says_what_was_wanted_and_whether_it_is_begun(home: Home) -> None:
    mailbox = AnswerMailbox(home)
    name = mailbox.post("undo_plan", plan=PlanId(3))
    assert mailbox.waiting() == (HandedAnswer(name=name, act="undo_plan", plan=PlanId(3)),)
    assert not mailbox.is_begun(name)
    mailbox.begin(name)
    assert mailbox.is_begun(name)
    assert len(mailbox.waiting()) == 1  # until it is settled: a crash leaves it to the next owner
