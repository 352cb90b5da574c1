"""Decisions from the shell, from a second terminal, and in line mode."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memory.decisions import DecisionId
from tests.support.clock import MONDAY
from tests.support.command_line import Run
from tests.support.decisions import a_mail, a_question, use_tools
from tests.support.tools import Notebook, mail
from tests.ui.test_plain import a_desk, chat
from ui.acting_wiring import without_model
from ui.commands.decisions import _act
from ui.deciding import Deciding
from ui.deciding_begins import begin_decisions, watching
from ui.wiring import Options, owned


def test_ask_says_by_its_exit_code_that_a_decision_waits(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook()
    use_tools(monkeypatch, notebook)
    code, out, _ = run("ask", "Write down", "--json")
    events = [json.loads(line) for line in out.splitlines()]
    (raised,) = [event for event in events if event["type"] == "decision_raised"]
    assert (code, raised["decision"]["question"], notebook.ran) == (4, "Which text?", [])
    assert run("decisions")[1].startswith("1  Which text?")
    assert run("decisions", "answer", "1", "buy", "milk")[0] == 0
    assert notebook.ran == ["decision-1"]
    code, _, err = run("decisions", "answer", "1", "buy", "milk")
    assert (code, notebook.ran) == (1, ["decision-1"])
    assert "was carried out already" in err
    listed: Any = json.loads(run("decisions", "list", "--all", "--json")[1])
    assert [one["state"] for one in listed] == ["done"]


def test_cancel_prices_and_reset(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    use_tools(monkeypatch, Notebook())
    assert run("ask", "Write down")[0] == 4
    assert "is withdrawn. Nothing was done." in run("decisions", "cancel", "1")[1]
    assert "nothing was learned yet" in run("decisions", "prices")[1]
    assert "I will ask less" in run("ask", "Stop asking so much")[1]
    assert json.loads(run("decisions", "prices", "--json")[1])[0]["factor"] == 1.6487
    assert "Put back" in run("decisions", "reset")[1]
    assert json.loads(run("decisions", "prices", "--json")[1]) == []
    assert run("decisions", "show", "9")[0] == 1


async def test_from_a_second_terminal_it_is_carried_out_once(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three terminals answer at once while this process owns the home."""
    post, said = mail(), list[str]()
    use_tools(monkeypatch, post)

    async def tell(lines: Sequence[str]) -> None:
        said.extend(lines)

    async with owned(Options(), "chat") as services:
        decision = await services.decisions.raise_decision(a_mail(), at=MONDAY)
        async with watching(services, Deciding(lambda: services, without_model), tell):
            settled = await asyncio.gather(*(_act(Options(), "answer", decision.id, "yes") for _ in range(3)))
            again = await _act(Options(), "withdraw", decision.id)
    assert sorted(one.code for one in settled) == [0, 1, 1]
    assert (again.code, post.ran) == (1, ["decision-1"])
    assert sum("Send a mail" in line for line in said) == 1


async def test_what_was_handed_over_to_a_process_that_is_gone_is_taken_by_the_next(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory.answer_mailbox import AnswerMailbox

    post = mail()
    use_tools(monkeypatch, post)
    async with owned(Options(), "chat") as services:
        await services.decisions.raise_decision(a_mail(), at=MONDAY)
        home = services.home
    await asyncio.to_thread(AnswerMailbox(home).post, "answer", DecisionId(1), "yes")
    for _ in range(2):
        async with owned(Options(), "ask") as services:
            await begin_decisions(services, without_model())
    assert post.ran == ["decision-1"]


async def test_what_was_answered_and_cut_off_is_finished_and_said(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with owned(Options(), "chat") as services:
        await services.decisions.raise_decision(a_mail(), at=MONDAY)
        await services.decisions.answer(DecisionId(1), "yes", source="chat", at=MONDAY)
        (line,) = await begin_decisions(services, without_model())
        assert line.startswith("Finished what you had answered: Send a mail")
        assert await begin_decisions(services, without_model()) == ()
    assert post.ran == ["decision-1"]


async def test_in_line_mode_free_text_is_no_answer_and_a_number_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = Notebook("home", "work")
    use_tools(monkeypatch, notebook, mail())
    desk = await a_desk("Fine.", tmp_path=tmp_path)
    await desk.services.decisions.raise_decision(a_question(), at=MONDAY)
    await desk.services.decisions.raise_decision(a_mail(), at=MONDAY)
    out = await chat(
        desk,
        "yes",
        "/decisions",
        "/decide 1",
        "2 of 2",
        "/undo",
        "/decide 2 always",
        "2",
        "2",
        "/decisions cancel 2",
        "/decisions all",
        "/decisions prices",
        "/decisions reset",
        "/decide",
        "/decide 77 yes",
        "/decisions soon",
    )
    assert "decision: 2 wait for you" not in out  # what waits is said where line mode begins, not by this chat
    for words in (
        "steward: Fine.",
        "Decision 1, Which book?, (waits for you)",
        "2 of 2: work",
        "decision: Done.",
        "Taken back: ",
        "This will also allow: ",
        "status: Allowed until 09 March 2026.",
        "status: decision 2 is withdrawn; nothing was done",
        "Decision 2, Send a mail",
        "notes.add:book: x0.95",
        "Put back",
        "error: Which decision?",
        "error: There is no decision 77.",
        "error: There is no decision 'soon'.",
    ):
        assert words in out, f"{words}\n{out}"
    assert (len(notebook.ran), len(notebook.undone)) == (1, 1)
    assert (await desk.services.decisions.decision(DecisionId(1))).answer == "2"
