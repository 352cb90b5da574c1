"""A plan on its way: step by step, held up only by what rests on it, stopped, resumed, recovered, taken back."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from assistant.acting import Actor
from assistant.policies.stepping import progress
from assistant.policies.stepping.steps import steps_of_wishes
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.reports import Carried, CouldNot, PlanWent, StepTold, Undone, Waits
from assistant.step_drafts import Drafter
from assistant.stepping import Stepper
from assistant.tools.registry import Registry
from assistant.tools.types import Tool
from memory.decisions import Decision, DecisionId
from memory.decisions_in_memory import InMemoryDecisions
from memory.effects import EffectRecord
from memory.errors import ChangeRefused
from memory.plans import EVERY, Plan
from models.scripted import Choice, Reply, ScriptedModel
from models.types import Cancel, ChoiceRequest
from tests.support.builders import a_message
from tests.support.clock import MONDAY, FixedClock
from tests.support.tools import Notebook, mail

PROMPTS = ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap="{message} {question}")
LETTER = '{"to": "Ann", "text": "I am late"}'


class Killed(BaseException):
    """The process ends here."""


class Mortal(InMemoryDecisions):
    """A store whose process is killed before or after its so-many-th write."""

    def __init__(self, at: int | None = None) -> None:
        super().__init__()
        self.at = at
        self.writes = 0

    def _count(self) -> None:
        self.writes += 1
        if self.writes == self.at:
            raise Killed

    async def change_plan(self, *args: Any, **kwargs: Any) -> Plan | None:
        self._count()
        changed = await super().change_plan(*args, **kwargs)
        self._count()
        return changed

    async def begin_effect(self, record: EffectRecord) -> bool:
        self._count()
        begun = await super().begin_effect(record)
        self._count()
        return begun

    async def finish_effect(self, record: EffectRecord) -> None:
        self._count()
        await super().finish_effect(record)
        self._count()

    async def raise_decision(self, *args: Any, **kwargs: Any) -> Decision:
        self._count()
        raised = await super().raise_decision(*args, **kwargs)
        self._count()
        return raised


@dataclass
class Stage:
    tools: list[Tool[Any]]
    replies: list[Reply] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    store: InMemoryDecisions = field(default_factory=InMemoryDecisions)
    clock: FixedClock = field(default_factory=FixedClock)
    run: str = "run 1"

    def __post_init__(self) -> None:
        self.model = ScriptedModel(*self.replies, choices=self.choices)
        self.actor = Actor(
            Registry(self.tools),
            self.store,
            self.model,
            self.clock,
            zone=lambda: "UTC",
            reader=CallReader(self.model, PROMPTS),
        )
        self.stepper = Stepper(self.actor, self.store, self.clock, run=self.run)

    async def begin(self, *wishes: str, ends_at: datetime | None = None, proposed: bool = False) -> Plan:
        steps = steps_of_wishes(wishes)
        return await self.stepper.begin("goal", steps, a_message(1, "goal"), ends_at=ends_at, proposed=proposed)

    async def go(self, plan: Plan, cancel: Cancel | None = None) -> list[StepTold]:
        return [told async for told in self.stepper.go(plan.id, cancel or Cancel())]

    async def states(self) -> tuple[str, ...]:
        (plan,) = await self.store.plans(EVERY)
        return (plan.state, *(step.state for step in plan.steps))

    async def answer(self, id: int, text: str) -> object:
        return await self.stepper.answered(await self.actor.answer(DecisionId(id), text, source="chat"))

    def after_a_restart(self, *tools: Tool[Any]) -> "Stage":
        return Stage(list(tools) or self.tools, store=self.store, run="run 2", replies=list(self.replies))


async def test_step_by_step_in_order_and_each_is_told() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    told = await stage.go(await stage.begin("Write down one", "Write down two"))
    assert [type(one.report) for one in told] == [Carried, Carried]
    assert notebook.ran == ["plan-1-1", "plan-1-2"]
    assert await stage.states() == ("done", "done", "done")


async def test_what_waits_holds_up_nothing_else_and_its_answer_goes_on() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    told = await stage.go(await stage.begin("Write down", "Write down two"))
    assert isinstance(told[0].report, Waits)
    asked = told[0].report.decision.asked
    assert (asked.task_id, asked.step, asked.message_id) == (1, 1, 1)
    assert await stage.states() == ("waiting", "waiting", "done")
    went = await stage.answer(1, "milk")
    assert isinstance(went, PlanWent)
    assert isinstance(went.first, Carried)
    assert await stage.states() == ("done", "done", "done")
    assert notebook.ran == ["plan-1-2", "decision-1"]


async def test_what_rests_on_it_waits_and_is_not_done_after_a_no() -> None:
    stage = Stage([Notebook()])
    steps = steps_of_wishes(("Write down", "Write down two"))
    plan = await stage.stepper.begin("g", (steps[0], replace(steps[1], after=1)), a_message(1, "g"), proposed=False)
    await stage.go(plan)
    assert await stage.states() == ("waiting", "waiting", "open")
    await stage.answer(1, "no")
    assert await stage.states() == ("done", "skipped", "skipped")


async def test_what_reaches_others_pauses_in_a_plan_as_anywhere() -> None:
    letters = mail()
    stage = Stage([letters], replies=[LETTER])
    await stage.go(await stage.begin("Mail Ann that I am late"))
    assert (letters.ran, await stage.states()) == ([], ("waiting", "waiting"))
    await stage.answer(1, "yes")
    assert (letters.ran, await stage.states()) == (["decision-1"], ("done", "done"))


async def test_what_nothing_can_do_stays_with_the_user_and_the_rest_goes_on() -> None:
    stage = Stage([Notebook()])
    await stage.go(await stage.begin("Fly to the moon", "Write down two"))
    assert await stage.states() == ("done", "skipped", "done")


async def test_a_proposal_begins_only_after_a_yes() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    plan = await stage.begin("Write down one", proposed=True)
    assert await stage.go(plan) == []
    assert (notebook.ran, await stage.states()) == ([], ("waiting", "waiting"))
    await stage.answer(1, "yes")
    assert (notebook.ran, await stage.states()) == (["plan-1-1"], ("done", "done"))


async def test_a_proposal_turned_down_does_nothing() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    await stage.begin("Write down one", "Write down two", proposed=True)
    await stage.answer(1, "no")
    assert (notebook.ran, await stage.states()) == ([], ("done", "skipped", "skipped"))


async def test_stopped_between_two_steps_and_resumed() -> None:
    notebook, cancel = Notebook(), Cancel()
    stage = Stage([notebook])
    plan = await stage.begin("Write down one", "Write down two", "Write down three")
    async for _ in stage.stepper.go(plan.id, cancel):
        cancel.set()
    assert await stage.states() == ("stopped", "done", "open", "open")
    with pytest.raises(ChangeRefused):
        await stage.stepper.stop(plan.id)
    await stage.stepper.resume(plan.id)
    assert notebook.ran == ["plan-1-1", "plan-1-2", "plan-1-3"]
    with pytest.raises(ChangeRefused):
        await stage.stepper.resume(plan.id)


async def test_stopping_withdraws_what_it_asks_and_resuming_asks_anew() -> None:
    stage = Stage([Notebook()])
    plan = await stage.begin("Write down")
    await stage.go(plan)
    await stage.stepper.stop(plan.id)
    assert [one.state for one in await stage.store.decisions(("open", "withdrawn"))] == ["withdrawn"]
    later = stage.after_a_restart()
    await later.stepper.resume(plan.id)
    assert [one.state for one in await stage.store.decisions(("open", "withdrawn"))] == ["open", "withdrawn"]
    assert await stage.states() == ("waiting", "waiting")


async def test_undo_takes_back_what_it_can_and_names_what_it_cannot() -> None:
    notebook, letters = Notebook(), mail()
    stage = Stage([notebook, letters], replies=[LETTER])
    plan = await stage.begin("Write down one", "Mail Ann that I am late", "Write down three")
    await stage.go(plan)
    await stage.answer(1, "yes")
    went = await stage.stepper.undo(plan.id)
    assert [type(one.report) for one in went.told] == [Undone, CouldNot, Undone]
    assert notebook.undone == ["plan-1-3", "plan-1-1"]
    assert await stage.states() == ("done", "undone", "done", "undone")
    again = await stage.stepper.undo(plan.id)
    assert [type(one.report) for one in again.told] == [CouldNot]


async def test_a_plan_whose_day_is_over_stops_and_does_nothing() -> None:
    notebook = Notebook()
    stage = Stage([notebook])
    await stage.begin("Write down one", ends_at=MONDAY + timedelta(hours=1))
    assert await stage.stepper.expire() == ()
    stage.clock.at = MONDAY + timedelta(hours=2)
    (over,) = await stage.stepper.expire()
    assert (over.state, notebook.ran) == ("stopped", [])
    await stage.stepper.resume(over.id)
    assert notebook.ran == ["plan-1-1"]


async def test_a_decision_of_a_plan_expires_with_its_day() -> None:
    stage = Stage([Notebook()])
    ends = MONDAY + timedelta(hours=1)
    await stage.go(await stage.begin("Write down", ends_at=ends))
    (asked,) = await stage.store.decisions()
    assert asked.asked.expires_at == ends
    await stage.store.expire(ends)
    await stage.stepper.settle()
    assert await stage.states() == ("done", "skipped")


@pytest.mark.parametrize("wishes", [("Write down one", "Write down two"), ("Write down", "Write down two")])
async def test_killed_at_every_write_nothing_is_done_twice_and_nothing_is_lost(wishes: tuple[str, ...]) -> None:
    """The last life ends with no kill."""
    for at in range(1, 200):
        store, notebook = Mortal(at), Notebook()
        stage = Stage([notebook], store=store)
        plan = await stage.begin(*wishes)
        try:
            await stage.go(plan)
        except Killed:
            store.at = None
        else:
            break
        later = stage.after_a_restart()
        before = list(notebook.ran)
        await later.stepper.recover()
        assert [key for key in notebook.ran if key not in before] in ([], ["plan-1-1"], ["plan-1-2"])
        (left,) = await store.plans(EVERY)
        if left.state == "stopped":
            await later.stepper.resume(left.id)
        for waiting in await store.decisions():
            await later.answer(waiting.id, "milk")
        assert len(notebook.ran) == len(set(notebook.ran)) == 2
        assert await later.states() == ("done", "done", "done")
    else:
        raise AssertionError("it never came to its end")
    assert at > 6


async def test_killed_while_a_tool_ran_that_cannot_be_repeated_it_is_asked_and_never_repeated() -> None:
    letters = mail()
    granted = Stage([letters])
    plan = await granted.begin("Mail Ann", "Write down two")
    await granted.store.change_plan(plan.id, lambda one: progress.claimed(one, 1, "run 1"), at=MONDAY)
    arguments = '{"text":"late","to":"Ann"}'
    begun = EffectRecord(key="plan-1-1", tool="mail.send", arguments=arguments, started_at=MONDAY, summary="Send")
    await granted.store.begin_effect(begun)
    later = granted.after_a_restart(letters, Notebook())
    (went,) = await later.stepper.recover()
    assert (letters.ran, await later.states()) == ([], ("stopped", "unknown", "open"))
    assert went.told[0].step.state == "unknown"
    (asked,) = await later.store.decisions()
    assert "did it happen?" in asked.asked.question
    await later.answer(asked.id, "1")
    await later.stepper.resume(plan.id)
    assert (letters.ran, await later.states()) == ([], ("done", "done", "done"))


async def test_a_step_that_is_going_on_here_is_left_alone() -> None:
    stage = Stage([Notebook()])
    plan = await stage.begin("Write down one", "Write down two")
    await stage.store.change_plan(plan.id, lambda one: progress.claimed(one, 1, "run 1"), at=MONDAY)
    assert await stage.stepper.recover() == ()
    assert await stage.states() == ("running", "running", "open")


# what the model is asked


def a_drafter(stage: Stage) -> Drafter:
    return Drafter(stage.actor, stage.model)


async def test_several_wishes_are_parted_without_the_model() -> None:
    stage = Stage([Notebook()])
    message = a_message(1, "write down one. How are you? Write down two")
    draft = await a_drafter(stage).draft(message, (), Cancel())
    assert draft is not None
    assert [step.request for step in draft.steps] == ["write down one", "Write down two"]
    assert (draft.rest, draft.plain, draft.proposed) == ("How are you?", True, False)


async def test_what_the_model_lists_is_a_proposal() -> None:
    stage = Stage([Notebook()], replies=['{"steps": ["write down the guests", "write down the food"]}'])
    draft = await a_drafter(stage).draft(a_message(1, "Make a plan: a party for Ann"), (), Cancel())
    assert draft is not None
    assert draft.proposed
    assert [step.request for step in draft.steps] == ["write down the guests", "write down the food"]


def as_errands(request: ChoiceRequest) -> tuple[tuple[float, ...], ...]:
    return tuple((0.2, 0.8) for _ in request.questions)


MIXED = "Plan my Sunday. I have to be at church at ten, the present must be bought"


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ('{"steps": ["be at church at ten", "buy present bought"]}', ["be at church at ten", "buy present bought"]),
        ('{"steps": ["feed the elephant", "sell the house"]}', ["be at church at ten", "the present must be bought"]),
        ("nonsense", ["be at church at ten", "the present must be bought"]),
    ],
)
async def test_the_models_list_counts_only_where_it_is_the_users(listed: str, expected: list[str]) -> None:
    stage = Stage([Notebook()], replies=[listed], choices=[as_errands])
    draft = await a_drafter(stage).draft(a_message(1, MIXED), (), Cancel())
    assert draft is not None
    assert not draft.proposed
    assert [step.request for step in draft.steps][-2:] == expected[-2:]
