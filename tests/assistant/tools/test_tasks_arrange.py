"""Bookings go on the list with what is known; what is open is one question with ways out."""

import pytest

from assistant.tools.tasks_arrange import TasksArrange, TasksArrangeArguments
from assistant.tools.types import CallContext, EffectKey
from memory.items_in_memory import InMemoryItems
from tests.support.clock import MONDAY, FixedClock

CONTEXT = CallContext(now=MONDAY, zone="Europe/Berlin")


@pytest.fixture
def tool() -> TasksArrange:
    return TasksArrange(InMemoryItems(), FixedClock())


@pytest.mark.parametrize(
    "text", ["Book the table", "Could you reserve us a table at Luigi's?", "Get me a dentist appointment"]
)
def test_what_it_reads(tool: TasksArrange, text: str) -> None:
    reading = tool.read(text, CONTEXT)
    assert reading is not None
    assert reading.arguments is None


@pytest.mark.parametrize(
    "text", ["I read a book about tables", "What is a table?", "Book review of Dune", "The table is set"]
)
def test_what_it_leaves(tool: TasksArrange, text: str) -> None:
    assert tool.read(text, CONTEXT) is None


async def test_nothing_known_is_one_question(tool: TasksArrange) -> None:
    preview = await tool.preview(TasksArrangeArguments(what="table", place=None, time=None), CONTEXT)
    (gap,) = preview.gaps
    assert gap.question.startswith("Where and when is the table?")
    assert 2 <= len(gap.choices) <= 4
    for answer in ("Bella on Friday at 7", gap.choices[0].id):
        answered = TasksArrangeArguments(what="table", place=None, time=None, answer=answer)
        assert (await tool.preview(answered, CONTEXT)).gaps == ()


async def test_it_is_kept_told_and_taken_back(tool: TasksArrange) -> None:
    arguments = TasksArrangeArguments(what="table", place="Bella", time="Friday at 8 pm")
    done = await tool.run(arguments, EffectKey("message-1"), CONTEXT)
    assert "Book the table: Bella, Friday at 8 pm" in done.changed[0]
    assert "yours to make" in done.changed[1]
    assert await tool.run(arguments, EffectKey("message-1"), CONTEXT) == done  # once a key
    assert (await tool.undo(done.undo_token, CONTEXT)).changed


async def test_each_way_out_says_what_would_stand_on_the_list(tool: TasksArrange) -> None:
    preview = await tool.preview(TasksArrangeArguments(what="table", place="Bella", time=None), CONTEXT)
    choices = preview.gaps[0].choices
    assert [one.attributes[0].value for one in choices] == [
        "Book the table: Bella",
        "Book the table: Bella, today",
        "Book the table: Bella, tomorrow",
    ]
    assert "with your answer it goes on your list" in preview.gaps[0].question
