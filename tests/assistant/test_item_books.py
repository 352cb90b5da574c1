"""Tasks and notes: adding, changing, taking back."""

from datetime import date, timedelta

import pytest

from assistant.note_book import NoteBook, note_words, titled
from assistant.task_list import TaskList, grouped, split_project, task_words
from memory.errors import ChangeRefused, NotFound
from memory.items import Note, Task
from memory.items_in_memory import InMemoryItems
from tests.support.clock import FixedClock

TODAY = date(2026, 3, 2)


@pytest.fixture
def tasks() -> TaskList:
    return TaskList(InMemoryItems(), FixedClock(), "Europe/Berlin")


@pytest.fixture
def notes() -> NoteBook:
    return NoteBook(InMemoryItems(), FixedClock(), "Europe/Berlin")


async def test_a_task_is_added_done_and_taken_back(tasks: TaskList) -> None:
    receipt = await tasks.add("renew the passport #papers", due=TODAY + timedelta(days=4))
    assert receipt.words == "Task: renew the passport, due Fri 6 Mar 2026 (in 4 days), #papers"
    (task,) = await tasks.store.tasks()
    assert (await tasks.done(task.id[:4])).words == "Done: renew the passport"
    assert await tasks.store.tasks() == ()
    with pytest.raises(ChangeRefused):
        await tasks.done(task.id)
    assert (await tasks.undo()).words == "Taken back: Done: renew the passport"
    assert len(await tasks.store.tasks()) == 1
    await tasks.undo()
    assert await tasks.store.tasks() == ()


async def test_what_is_not_said_stays(tasks: TaskList) -> None:
    await tasks.add("call the bank", due=TODAY, project="money")
    (task,) = await tasks.store.tasks()
    await tasks.edit(task.id, due=TODAY + timedelta(days=1))
    await tasks.edit(task.id, what="write to the bank")
    (task,) = await tasks.store.tasks()
    assert (task.title, task.due, task.project) == ("write to the bank", TODAY + timedelta(days=1), "money")
    await tasks.edit(task.id, no_due=True, project="")
    (task,) = await tasks.store.tasks()
    assert (task.due, task.project) == (None, "")


async def test_what_is_due(tasks: TaskList) -> None:
    for days in (-3, 0, 2, 30):
        await tasks.add(f"in {days}", due=TODAY + timedelta(days=days))
    await tasks.add("some day")
    assert [task.title for task in await tasks.due()] == ["in -3", "in 0"]
    parts = [(name, len(found)) for name, found in grouped(await tasks.store.tasks(), TODAY)]
    assert parts == [("Overdue", 1), ("Today", 1), ("Next 7 days", 1), ("Later", 1), ("Some day", 1)]


@pytest.mark.parametrize("what", ["", "   ", "\n"])
async def test_a_task_of_nothing_is_refused(tasks: TaskList, what: str) -> None:
    with pytest.raises(NotFound):
        await tasks.add(what)


@pytest.mark.parametrize(
    ("title", "split"),
    [
        ("call the bank #money", ("call the bank", "money")),
        ("call the bank project:money", ("call the bank", "money")),
        ("fix issue #42", ("fix issue #42", "")),
        ("#money", ("#money", "")),
        ("learn C#", ("learn C#", "")),
    ],
)
def test_a_project_stands_at_the_end(title: str, split: tuple[str, str]) -> None:
    assert split_project(title) == split


async def test_overdue_is_said(tasks: TaskList) -> None:
    await tasks.add("pay", due=TODAY - timedelta(days=3))
    (task,) = await tasks.store.tasks()
    assert isinstance(task, Task)
    assert task_words(task, TODAY) == "pay, due Fri 27 Feb 2026 (3 days overdue)"


async def test_a_note_is_found_changed_and_deleted(notes: NoteBook) -> None:
    receipt = await notes.add("Wi-Fi at Tom's\nThe password is on the fridge.")
    assert receipt.words == "Note: Wi-Fi at Tom's"
    (hit,) = await notes.search("fridge")
    assert hit.item.title == "Wi-Fi at Tom's"
    await notes.edit(hit.item.id, "It moved to the drawer.")
    assert await notes.search("fridge") == ()
    await notes.delete(hit.item.id)
    with pytest.raises(NotFound):
        await notes.find(hit.item.id)
    await notes.undo()
    await notes.undo()
    assert len(await notes.search("fridge")) == 1


@pytest.mark.parametrize(
    ("text", "title", "wanted"),
    [
        ("one line", "", ("one line", "one line")),
        ("# Head\n\nbody", "", ("Head", "body")),
        ("body", "Head", ("Head", "body")),
        ("x" * 200, "", ("x" * 59 + "…", "x" * 200)),
    ],
)
def test_the_first_line_is_the_title(text: str, title: str, wanted: tuple[str, str]) -> None:
    assert titled(text, title) == wanted


def test_a_note_of_one_line_is_said_once() -> None:
    from memory.items import ItemId
    from tests.support.clock import MONDAY

    assert note_words(Note(id=ItemId("n"), title="one", text="one", created_at=MONDAY)) == "one"


async def test_a_note_of_nothing_is_refused(notes: NoteBook) -> None:
    with pytest.raises(NotFound):
        await notes.add(" \n ")
