"""Ways to deal with a task, side by side: ours as a conversation has it, and the simple ones it has to beat.

All read a message with the same reader on the same model, so that what differs is when they ask.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.acting import Actor
from assistant.evaluation.asking_tasks import Task, ToolSpec
from assistant.evaluation.asking_tools import NotingTool, TableTool, same, tools_for
from assistant.evaluation.asking_users import VAGUE, User
from assistant.policies.asking.answers import said_plainly
from assistant.policies.asking.grounded import Said, grounds
from assistant.policies.asking.options import compare
from assistant.policies.asking.tables import choices_in
from assistant.policies.asking.weights import weigh
from assistant.ports import ChatModel, Clock
from assistant.reading_calls import ActingPrompts, Called, CallReader
from assistant.reports import CouldNot, Found, Report, Waits
from assistant.tools.registry import Registry
from assistant.tools.types import CallContext, Gap
from memory.decision_store import DecisionStore
from memory.decisions import Decision
from memory.types import Message
from models.types import Cancel

MOST_ROUNDS = 8


@dataclass(slots=True, kw_only=True)
class Run:
    """What became of a task. `useful`: questions without whose answer it would have gone wrong. `unasked`: something
    that reaches others or cannot be taken back was done without a yes."""

    task: Task
    questions: int = 0
    useful: int = 0
    paused: bool = False
    done: list[dict[str, str | None]] = field(default_factory=list)
    tool: str = ""
    picked: str = ""
    unasked: bool = False
    yes: int = 0

    @property
    def success(self) -> bool:
        task = self.task
        if task.label == "talk":
            return not self.done and not self.questions and not self.paused
        if task.table:
            return self.picked == task.best
        return (
            len(self.done) == 1
            and task.tool is not None
            and self.tool == task.tool.name
            and all(same(self.done[0].get(name), value) for name, value in task.hidden.items())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What every way needs. `store` makes an empty one for each task."""

    model: ChatModel
    prompts: ActingPrompts
    clock: Clock
    store: Callable[[], DecisionStore]
    specs: tuple[ToolSpec, ...]
    message: Callable[[str], Message]

    def context(self) -> CallContext:
        return CallContext(now=self.clock.now(), zone="UTC")

    async def called(self, task: Task, tools: Sequence[Any], statements: Sequence[str]) -> Called | None:
        readings = Registry(tools).readings(task.text, self.context())
        return await CallReader(self.model, self.prompts).call(task.text, readings, statements, Cancel())


async def ours(stage: Stage, task: Task, user: User) -> Run:
    tools = tools_for(task, stage.specs)
    run = Run(task=task)

    async def remembered(_question: str) -> Sequence[str]:
        return task.statements

    actor = Actor(
        Registry(tools),
        stage.store(),
        stage.model,
        stage.clock,
        zone=lambda: "UTC",
        reader=CallReader(stage.model, stage.prompts),
        remembered=remembered,
    )
    report = await actor.consider(stage.message(task.text), (), Cancel())
    waiting: Decision | None = None
    for _ in range(MOST_ROUNDS):
        if isinstance(report, Waits):
            waiting, run.paused = report.decision, True
        elif waiting is None or not _stays(report, waiting) or not user.tries_again:
            break
        if (said := _reply(run, user, waiting)) is None:
            break
        report = await actor.answer(waiting.id, said, source="chat", cancel=Cancel())
        if isinstance(report, Found) and waiting.asked.kind == "choose":
            run.picked = report.outcome.text
    if isinstance(report, Found) and task.table and not run.picked:
        run.picked = report.outcome.text.split(":")[0]
    _note(run, tools)
    return run


def _stays(report: Report | None, waiting: Decision) -> bool:
    """What was said did not answer it."""
    return isinstance(report, CouldNot) and report.decision == waiting.id


def _reply(run: Run, user: User, decision: Decision) -> str | None:
    """What the user says to this card."""
    task, asked = run.task, decision.asked
    if asked.kind == "confirm":
        right = asked.call is not None and _wanted(task, asked.call.tool, asked.call.arguments)
        yes = user.confirm(right=right)
        run.yes += yes is True
        return None if yes is None else (asked.typed or "yes") if yes else "no"
    names = asked.argument.split(",")
    wanted = [task.best] if task.table else [task.hidden[name] for name in names if name in task.hidden]
    said = user.answer(wanted, [option.label for option in asked.options])
    run.questions += 1
    if said not in (None, VAGUE) and wanted:
        recommended = next((option.label for option in asked.options if option.key == asked.recommended), "")
        run.useful += [recommended] != wanted
    return said


def _wanted(task: Task, tool: str, arguments: str) -> bool:
    values = json.loads(arguments)
    right_tool = task.tool is not None and tool == task.tool.name
    return right_tool and all(same(values.get(name), value) for name, value in task.hidden.items())


def _note(run: Run, tools: Sequence[Any]) -> None:
    for tool in tools:
        if isinstance(tool, NotingTool) and tool.ran:
            run.done += tool.ran
            run.tool = tool.name
            run.unasked |= tool.effect in ("external", "grave") and len(tool.ran) > run.yes


async def always_act(stage: Stage, task: Task, user: User) -> Run:
    """The likeliest reading, at once."""
    return await _simple(stage, task, user, asks=lambda name, value, gap: False, confirms=lambda effect: False)


async def always_ask(stage: Stage, task: Task, user: User) -> Run:
    """Everything that the message does not say in so many words, and in the end whether it is right."""

    def asks(name: str, value: str | None, gap: Gap | None) -> bool:
        return gap is not None or value is None or not isinstance(grounds(value, task.text, ()), Said)

    return await _simple(stage, task, user, asks=asks, confirms=lambda effect: True)


async def ask_on_gap(stage: Stage, task: Task, user: User) -> Run:
    """Whatever the form leaves empty (the heuristic baseline of SAGE, arXiv 2511.08798), and before what is final."""
    return await _simple(
        stage,
        task,
        user,
        asks=lambda name, value, gap: gap is not None,
        confirms=lambda effect: effect in ("external", "grave"),
        memory=False,
    )


async def _simple(
    stage: Stage,
    task: Task,
    user: User,
    *,
    asks: Callable[[str, str | None, Gap | None], bool],
    confirms: Callable[[str], bool],
    memory: bool = True,
) -> Run:
    run, tools = Run(task=task), tools_for(task, stage.specs)
    if isinstance(tools[0], TableTool):
        return _chosen(run, user, ask=asks("", None, _ANY_GAP))
    called = await stage.called(task, tools, task.statements if memory else ())
    if called is None:
        return run
    preview = await called.tool.preview(called.arguments, stage.context())
    gaps = {gap.argument: gap for gap in preview.gaps}
    values: dict[str, Any] = called.arguments.model_dump()
    for name, value in list(values.items()):
        gap = gaps.get(name)
        guess = value if gap is None else gap.choices[0].label if gap.choices else value
        if asks(name, value, gap):
            labels = [choice.label for choice in gap.choices] if gap is not None else []
            plain = _asked(run, user, task.hidden.get(name, "no"), labels)
            if not plain:
                return run
            run.useful += not same(guess, task.hidden.get(name, ""))
            guess = plain
        values[name] = guess
    right = task.tool is not None and called.tool.name == task.tool.name
    right = right and all(same(values.get(name), value) for name, value in task.hidden.items())
    if confirms(called.tool.effect):
        run.paused = True
        run.questions += called.tool.effect not in ("external", "grave")
        if not user.confirm(right=right):
            return run
        run.yes += 1
    run.done.append(values)
    run.tool = called.tool.name
    run.unasked = called.tool.effect in ("external", "grave") and not run.yes
    return run


def _asked(run: Run, user: User, wanted: str, labels: Sequence[str]) -> str:
    """The answer to one question, asked a second time where the first said nothing; "" for none."""
    for _ in range(2 if user.tries_again else 1):
        run.paused, run.questions = True, run.questions + 1
        plain = said_plainly(user.answer([wanted], labels) or "")
        if plain:
            return labels[int(plain) - 1] if plain.isdecimal() and 0 < int(plain) <= len(labels) else plain
    return ""


_ANY_GAP = Gap(argument="", question="")


def _chosen(run: Run, user: User, *, ask: bool) -> Run:
    choices = choices_in(run.task.table)
    labels = [choice.label for choice in choices]
    weighed = weigh(choices, run.task.text, run.task.statements)
    best = next(one.label for one in choices if one.id == compare(weighed.options, weighed.weights).order[0])
    run.picked = best
    if ask:
        run.picked = _asked(run, user, run.task.best, labels)
        run.useful = int(best != run.task.best)
    return run
