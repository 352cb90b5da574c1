"""One's own things taken away: many wait with their list, what was shown is what goes, all of it comes back."""

from datetime import timedelta

import pytest

from assistant.acting import Actor
from assistant.note_book import NoteBook
from assistant.policies.due import scheduled
from assistant.policies.when.zones import to_local
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.reports import Carried, CouldNot, Undone, Waits
from assistant.task_list import TaskList
from assistant.tools.calendar_add import CalendarAdd, CalendarAddArguments
from assistant.tools.own_clear import OwnClear, OwnClearArguments
from assistant.tools.registry import Registry
from assistant.tools.types import CallContext, EffectKey
from memory.decisions_in_memory import InMemoryDecisions
from memory.items_in_memory import InMemoryItems
from memory.reminders import Change, Reminder, ReminderId
from memory.reminders_in_memory import InMemoryReminders
from models.scripted import ScriptedModel
from models.types import Cancel
from tests.support.builders import a_message
from tests.support.clock import MONDAY, FixedClock

ZONE = "Europe/Berlin"
CONTEXT = CallContext(now=MONDAY, zone=ZONE)
PROMPTS = ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap="{message} {question}")


class House:
    """What is kept, and the actor over it; its model has no answer, so that a call to it would raise."""

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.items = InMemoryItems()
        self.reminders = InMemoryReminders()
        self.store = InMemoryDecisions()
        self.tool = OwnClear(self.items, self.reminders, self.clock)
        model = ScriptedModel()
        reader = CallReader(model, PROMPTS)
        self.actor = Actor(
            Registry([self.tool]), self.store, model, self.clock, zone=lambda: ZONE, reader=reader
        )  # fmt: skip
        self.said = 0

    async def say(self, text: str) -> object:
        self.said += 1
        return await self.actor.consider(a_message(self.said, text), (), Cancel())

    async def raised(self, text: str) -> Waits:
        report = await self.say(text)
        assert isinstance(report, Waits)
        return report

    async def remind(self, id: str, text: str, days: int, rule: str = "") -> None:
        at = to_local(MONDAY + timedelta(days=days), ZONE).replace(tzinfo=None)
        bare = Reminder(
            id=ReminderId(id), text=text, kind="wall", zone=ZONE, created_at=MONDAY, local=at, rule=rule, floating=True
        )  # fmt: skip
        await self.reminders.apply(Change(operation="add", reminder=scheduled(bare, MONDAY, ZONE)), at=MONDAY)

    async def reminding(self) -> list[str]:
        return [one.text for one in await self.reminders.list()]

    async def to_do(self) -> list[str]:
        return [one.title for one in await self.items.tasks()]


@pytest.fixture(autouse=True)
def zone_is_loaded() -> None:
    """Its file is read once; in the product a thread does."""
    to_local(MONDAY, ZONE)


@pytest.fixture
async def house() -> House:
    made = House()
    await made.remind("bins", "put out the bins", 1)
    await made.remind("mum", "call mum", 4)
    await made.remind("vitamins", "take the vitamins", 1, "FREQ=DAILY")
    tasks = TaskList(made.items, made.clock, ZONE)
    for what in ("buy milk", "call the insurance"):
        await tasks.add(what)
    calendar = CalendarAdd(made.items, made.clock)
    for number, event in enumerate(("lunch with Tom on Friday at noon", "choir every Friday at 19:00")):
        await calendar.run(CalendarAddArguments(event=event), EffectKey(f"k{number}"), CONTEXT)
    await NoteBook(made.items, made.clock, ZONE).add("boiler was serviced")
    return made


async def test_many_wait_with_their_list_and_come_back_together(house: House) -> None:
    waits = await house.raised("delete my reminders")
    lines = [one.value for one in waits.decision.asked.options[0].attributes]
    assert lines[0] == "Delete 3 reminders"
    assert any("call mum" in line for line in lines)
    assert not waits.decision.asked.recommended
    assert len(await house.reminding()) == 3
    done = await house.actor.answer(waits.decision.id, "yes", source="chat")
    assert isinstance(done, Carried)
    assert await house.reminding() == []
    assert isinstance(await house.actor.undo(), Undone)
    assert sorted(await house.reminding()) == ["call mum", "put out the bins", "take the vitamins"]
    coming = await house.reminders.list()
    assert all(one.next_at is not None for one in coming)


async def test_one_is_done_at_once(house: House) -> None:
    assert isinstance(await house.say("delete the reminder about the bins"), Carried)
    assert "put out the bins" not in await house.reminding()
    assert isinstance(await house.say("take buy milk off my list"), Carried)
    assert await house.to_do() == ["call the insurance"]


async def test_what_came_after_the_card_stays(house: House) -> None:
    waits = await house.raised("clear my list")
    await TaskList(house.items, house.clock, ZONE).add("water the plants")
    assert isinstance(await house.actor.answer(waits.decision.id, "yes", source="chat"), Carried)
    assert await house.to_do() == ["water the plants"]


async def test_what_changed_meanwhile_is_shown_again(house: House) -> None:
    waits = await house.raised("clear my list")
    await TaskList(house.items, house.clock, ZONE).done((await house.items.tasks())[0].id)
    again = await house.actor.answer(waits.decision.id, "yes", source="chat")
    assert isinstance(again, Waits)
    assert again.instead_of == waits.decision.id
    assert len(await house.to_do()) == 1


async def test_of_a_series_only_the_day_that_was_named(house: House) -> None:
    waits = await house.raised("cancel everything on Friday")
    lines = [one.value for one in waits.decision.asked.options[0].attributes]
    assert lines[0] == "Delete 2 events and 1 reminder"
    assert any("choir" in line and "(this time only)" in line for line in lines)
    assert isinstance(await house.actor.answer(waits.decision.id, "yes", source="chat"), Carried)
    book = house.tool.calendar(CONTEXT)
    coming = await book.between(MONDAY, MONDAY + timedelta(days=14))
    assert [one.event.title for one in coming] == ["choir"]  # the Friday after
    assert isinstance(await house.actor.undo(), Undone)
    assert len(await book.between(MONDAY, MONDAY + timedelta(days=14))) == 3


async def test_a_reminder_that_comes_again_is_left_alone_where_a_day_was_named(house: House) -> None:
    await house.remind("post", "post the letter", 1)
    waits = await house.raised("cancel my reminders tomorrow")
    lines = [one.value for one in waits.decision.asked.options[0].attributes]
    assert lines[0] == "Delete 2 reminders"
    assert lines[-1].startswith("Left alone, for it comes again: take the vitamins")


async def test_a_whole_series_waits(house: House) -> None:
    waits = await house.raised("delete the reminder about the vitamins")
    assert waits.decision.asked.why_now == "It takes away all that is still to come of it."


async def test_which_one_is_asked_where_several_fit(house: House) -> None:
    await TaskList(house.items, house.clock, ZONE).add("call the plumber")
    waits = await house.raised("remove the task call")
    labels = [one.label for one in waits.decision.asked.options]
    assert labels[-1] == "all 2 of them"
    assert isinstance(await house.actor.answer(waits.decision.id, "the plumber", source="chat"), Carried)
    assert "call the plumber" not in await house.to_do()


async def test_nothing_that_fits_is_said_with_what_there_is(house: House) -> None:
    report = await house.say("delete my reminder about the dentist")
    assert isinstance(report, CouldNot)
    assert report.message == "There are no reminders about “dentist”, so nothing was deleted."
    assert "call mum" in report.hint


async def test_the_same_key_deletes_once(house: House) -> None:
    exact = ",".join(f"task:{one.id}" for one in await house.items.tasks())
    arguments = OwnClearArguments(exact=f"{exact},reminder:mum")
    first = await house.tool.run(arguments, EffectKey("k"), CONTEXT)
    assert await house.tool.run(arguments, EffectKey("k"), CONTEXT) == first
    await house.tool.undo(first.undo_token, CONTEXT)
    assert await house.to_do() == ["buy milk", "call the insurance"]
