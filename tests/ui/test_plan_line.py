"""The line that says where a plan is, while one goes on: in the terminal UI above the prompt, in line mode a line."""

import asyncio
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.tools.types import CallContext, EffectKey, Outcome, Reading, ToolName
from memory.decisions import DecisionId
from memory.plans import Plan, PlanId, PlanState, Step
from tests.support.builders import a_message
from tests.support.clock import MONDAY, FixedClock
from tests.support.pilot import Driver, a_desk, a_home, opened
from tests.support.tools import NoteArguments, Notebook
from tests.support.waiting import eventually
from ui.desk import Desk
from ui.plain import PlainChat
from ui.plan_line import PlanWatch
from ui.plan_words import going_words
from ui.widgets.bars import Notice


class SlowNotebook(Notebook):
    """Does not get done before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.name = ToolName("scrapbook.add")
        self.may = asyncio.Event()

    def read(self, text: str, context: CallContext) -> Reading[NoteArguments] | None:
        found = re.match(r"^paste in (.+)$", text, re.IGNORECASE)
        return Reading(arguments=NoteArguments(text=found[1]), sure=True) if found else None

    async def run(self, arguments: NoteArguments, key: EffectKey, context: CallContext) -> Outcome:
        await self.may.wait()
        return await super().run(arguments, key, context)


@pytest.fixture
def notebook() -> SlowNotebook:
    return SlowNotebook()


@pytest.fixture
def desk(tmp_path: Path, notebook: SlowNotebook) -> Desk:
    home = a_home(tmp_path)
    home.make()
    made = a_desk(home, clock=FixedClock())
    return Desk(replace(made.services, more_tools=(notebook,)), made.model)


def a_plan(state: PlanState = "running", *, id: int = 1) -> Plan:
    steps = (Step(number=1, request="write", state="done"), Step(number=2, request="call", state="running"))
    return Plan(id=PlanId(id), goal="a party", steps=steps, state=state, created_at=MONDAY, changed_at=MONDAY)


def line_of(driver: Driver) -> str:
    found = driver.app.chat.query("#plan")
    return "" if not found or found.first().has_class("hidden") else found.first(Notice).text


async def test_above_the_prompt_while_it_goes_on(desk: Desk, notebook: SlowNotebook) -> None:
    async with opened(desk) as driver:
        await driver.write("Paste in one\nPaste in two")
        await driver.press("enter")
        await driver.until(lambda: "1 of 2: Paste in one" in line_of(driver))
        assert "Alt+P shows it" in line_of(driver)
        assert driver.app.chat.prompt.has_focus
        notebook.may.set()
        await driver.idle()
        await driver.until(lambda: line_of(driver) == "")
        assert len(notebook.ran) == 2


async def test_also_where_an_answer_sets_it_going(desk: Desk, notebook: SlowNotebook) -> None:
    async with opened(desk, size=(60, 16)) as driver:
        await _proposed(desk)
        await driver.send_command("/decide 1 yes")
        await driver.until(lambda: "1 of 2: paste in one" in line_of(driver))
        notebook.may.set()
        await driver.until(lambda: line_of(driver) == "" and len(notebook.ran) == 2)


async def test_a_line_in_line_mode_where_an_answer_sets_it_going(desk: Desk, notebook: SlowNotebook) -> None:
    out = io.StringIO()
    lines = iter(("/decide 1 yes", None))

    class Typist:
        echoes = False

        async def read(self, prompt: str) -> str | None:
            return next(lines)

    await _proposed(desk)
    chat = PlainChat(desk, Typist(), out)
    async with chat.decisions.running():
        talking = asyncio.create_task(chat.run())
        await eventually(lambda: "plan: 1 of 2: paste in one. /plans 1 shows it\n" in out.getvalue())
        notebook.may.set()
        await talking
    await desk.model.close()
    assert "Plan 1 is over" in out.getvalue()


async def _proposed(desk: Desk) -> None:
    """Two steps that wait for a yes, decision 1."""
    from assistant.policies.stepping.steps import steps_of_wishes
    from ui.acting_wiring import actor_of, stepper_of

    stepper = stepper_of(desk.services, await asyncio.to_thread(actor_of, desk.services, desk.model))
    steps = steps_of_wishes(("paste in one", "paste in two"))
    await stepper.begin("two notes", steps, a_message(1, "two notes"), proposed=True)
    assert (await desk.services.decisions.decision(DecisionId(1))).state == "open"


async def test_what_is_over_within_a_moment_is_not_shown() -> None:
    heard: list[Plan | None] = []
    watch = PlanWatch(after=3600)
    watch.listener = heard.append
    watch.moved(a_plan())
    watch.moved(a_plan("done"))
    assert heard == []
    assert watch._timer is None


async def test_two_at_once_and_the_line_is_that_of_the_one_that_goes_on() -> None:
    heard: list[Plan | None] = []
    watch = PlanWatch(after=0)
    watch.listener = heard.append
    watch.moved(a_plan(id=1))
    await eventually(lambda: heard)
    watch.moved(a_plan(id=2))
    watch.moved(a_plan("waiting", id=2))
    watch.moved(a_plan("stopped", id=1))
    assert [None if one is None else one.id for one in heard] == [1, 2, 1, None]


def test_the_words_are_those_of_the_step_that_goes_on_or_comes_next() -> None:
    plan = a_plan()
    assert going_words(plan) == "2 of 2: call"
    opened_again = replace(plan, steps=(plan.steps[0], replace(plan.steps[1], state="open")))
    assert going_words(opened_again) == "2 of 2: call"
    assert going_words(replace(plan, steps=(replace(plan.steps[0]),))) == "a party"
