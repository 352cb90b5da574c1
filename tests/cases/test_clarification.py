"""Asking too much, too little, or without waiting for the answer: C01 to C08."""

import pytest

from assistant.reports import Carried, Waits
from memory.errors import ChangeRefused
from tests.assistant.test_acting import Stage
from tests.support.tools import Notebook
from tests.support.when import options, read


async def test_C01_a_simple_task_is_done_without_a_question() -> None:
    stage = Stage([Notebook("home", "work")], choices=[((0.9, 0.1),)])
    assert isinstance(await stage.say("Write down buy milk"), Carried)


async def test_C03_a_question_is_a_pause_that_is_kept_and_not_an_end() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    asked = await stage.say("Write down")
    assert isinstance(asked, Waits)
    assert (await stage.store.decision(asked.decision.id)).state == "open"
    assert notebook.ran == []


async def test_C05_a_clear_request_is_asked_nothing() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    reports = [await stage.say(f"Write down thing {number}", id=number) for number in range(1, 6)]
    assert all(isinstance(report, Carried) for report in reports)
    assert await stage.store.decisions() == ()


async def test_C06_what_is_missing_is_one_question_and_its_answer_counts_once() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    asked = await stage.say("Write down")
    assert isinstance(asked, Waits)
    assert isinstance(await stage.actor.answer(asked.decision.id, "buy milk", source="chat"), Carried)
    with pytest.raises(ChangeRefused):
        await stage.actor.answer(asked.decision.id, "buy milk", source="chat")
    assert len(notebook.ran) == 1
    assert await stage.store.decisions() == ()


def test_C08_a_bare_hour_is_the_next_one_of_its_number() -> None:
    assert read("at eight remind me", options("2026-03-04 19:00")) == "2026-03-04 20:00"
